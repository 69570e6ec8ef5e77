"""A machine that runs one function of a generated C++ wrapper, statement by statement.

A worker's sandbox starts no compiler, and a grader runs no C++ of a student outside of
it. So the cases judge the text. The machine reads the C++ that wrappers consist of. It
runs what is live and reads what is not, so names are checked on all paths. Jumps lead
forward. ``tests/python/wrap/test_lab_wrappers.py`` compiles the same interface texts, by
this generator and by SWIG, and compares the notes of the modules with the machine's.
"""

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<token>"(?:\\.|[^"\\\n])*"|\d+|'
    r"[A-Za-z_]\w*(?:::\w+)*|->|\.\.\.|.)",
    re.DOTALL,
)
NUMBERS = {"bool", "char", "double", "float", "int", "long"}
TYPES = {*NUMBERS, "void", "PyObject", "SwigAllowThreads", "const"}
CONSTANTS = {"nullptr": None, "SWIG_POINTER_OWN": 1}
NO_TYPE = None  # of a value that converts to any type
ERROR = "an exception of Python"


class CompileError(Exception):
    """What is wrong with C++, and the line of it."""


@dataclass(frozen=True)
class Type:
    """A C++ type: ``const char *`` is base "char" with one star, const."""

    base: str
    stars: int = 0
    is_const: bool = False

    @classmethod
    def of(cls, text: str) -> "Type":
        """Reads the spelling of a type."""
        words = text.replace("*", " ").split()
        base = " ".join(word for word in words if word != "const")
        return cls(base, text.count("*"), "const" in words)

    def converts_to(self, other: "Type") -> bool:
        """Whether C++ converts a value of this type without a cast."""
        if not self.stars and not other.stars:
            return self.base == other.base or other.base in NUMBERS
        is_void = other == Type("void", 1)
        is_same = (self.base, self.stars) == (other.base, other.stars)
        return (is_same or is_void) and self.is_const <= other.is_const


@dataclass
class Variable:
    """A C++ variable; a pointer to a number is its variable."""

    type: Type | None
    value: Any = 0


@dataclass
class Object:
    """A C++ object; a pointer to an object is the object. ``fields`` have a type each."""

    name: str
    fields: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


@dataclass
class Value:
    """An object that is passed or returned by value."""

    object: Object

    def __str__(self) -> str:
        return f"*{self.object}"


@dataclass
class Proxy:
    """What Python holds: a pointer, its type, the owner, and what it keeps alive."""

    object: Any
    descriptor: str
    is_owner: bool = False
    parent: Any = None

    def __str__(self) -> str:
        owner = "owned" if self.is_owner else "not owned"
        parent = getattr(self.parent, "object", self.parent)
        kept = f", keeps {parent} alive" if parent else ""
        return f"{self.descriptor} to {self.object}, {owner}{kept}"


class Machine:
    """Runs C++ statements.

    ``objects`` are what Python passes. ``plan`` is the step that fails: "fail: in 1", or
    that throws: "std::bad_alloc: in 1". ``library`` has the type and the value of each
    function's result and of each global variable. ``types`` are classes and enums.
    """

    def __init__(
        self,
        objects: list,
        plan: str = "",
        library: dict[str, tuple[str, Any]] | None = None,
        types: list[str] | None = None,
    ) -> None:
        self.notes: list[str] = []
        self._plan, self._library = plan, library or {}
        self._types = TYPES | set(types or [])
        result = Variable(Type("PyObject", 1), None)
        self._scopes = [{"swig_obj": Variable(NO_TYPE, objects), "resultobj": result}]
        self._has_gil = True
        self._error = False
        self._way = ""  # the jump on its way: "goto fail", "throw x" or "return"
        self._skips = 0  # branches around this place that are not taken

    def run(self, text: str) -> str:
        """Runs the text up to the end of the function; says what the function returns.

        Raises:
            CompileError: a compiler refuses the text.
        """
        found = [match for match in TOKEN.finditer(text) if match["token"]]
        self._tokens = [match["token"] for match in found] + [""]
        numbers = [text.count("\n", 0, match.start()) for match in found]
        lines = text.split("\n")
        self._lines = [lines[number].strip() for number in [*numbers, -1]]
        self._at, self._returned = 0, "nothing"
        self._block()
        if self._tokens[self._at]:
            self._fail("there is text behind the '}' of the function")
        if self._way != "return":
            return f"nothing: the function ends by {self._way or 'its last }'}"
        if (self._returned is None) != self._error:
            state = "an" if self._error else "no"
            return f"{self._returned}, and there is {state} exception of Python"
        return ERROR if self._error else str(self._returned)

    # ---- Tokens ---------------------------------------------------------------------

    def _fail(self, message: str) -> NoReturn:
        raise CompileError(message, self._lines[max(0, self._at - 1)])

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] or self._fail("a '}' is missing")

    def _match(self, *tokens: str) -> bool:
        found = tuple(self._tokens[self._at : self._at + len(tokens)]) == tokens
        self._at += len(tokens) * found
        return found

    def _expect(self, token: str) -> None:
        got = self._tokens[self._at] or "the end"
        if not self._match(token):
            self._fail(f"expected {token!r}, got {got!r}")

    def _is_type(self) -> bool:
        return self._tokens[self._at] in self._types

    def _type(self) -> Type:
        words = [self._take()]
        while self._is_type() or self._tokens[self._at] == "*":
            words.append(self._take())
        return Type.of(" ".join(words))

    # ---- Statements -----------------------------------------------------------------

    def _is_live(self) -> bool:
        return not self._way and not self._skips

    def _block(self) -> None:
        """Runs statements up to the end of a block, in a scope."""
        self._scopes.append({})
        had_gil = self._has_gil
        while not self._match("}"):
            self._statement()
        self._has_gil = had_gil
        self._scopes.pop()

    def _statement(self) -> None:
        if self._match("{"):
            self._block()
        elif self._match("if"):
            self._if()
        elif self._match("try"):
            was_live = self._is_live()
            self._expect("{")
            self._block()
            self._handlers(self._way if was_live else "")
        elif self._tokens[self._at + 1] == ":":
            self._label(self._take())
        else:
            self._simple_statement()
            self._expect(";")

    def _simple_statement(self) -> None:
        if self._match("return"):
            value = self._expression()
            if self._is_live():
                self._returned, self._way = self.value(value), "return"
        elif self._match("SWIG_fail"):
            self._leave("goto fail")
        elif self._is_type():
            self._declaration()
        elif self._tokens[self._at] != ";":
            expression = self._expression()
            if self._is_live():
                self.value(expression)
            if expression[1] == "SWIG_exception_fail":
                self._leave("goto fail")

    def _leave(self, way: str) -> None:
        self._way = way if self._is_live() else self._way

    def _label(self, name: str) -> None:
        self._expect(":")
        if self._way == f"goto {name}":
            if "a jump" in self._scopes[-1]:
                self._fail(f"the jump to '{name}' crosses a declaration")
            self._way = ""

    def _if(self) -> None:
        self._expect("(")
        self._scopes.append({})
        is_declared = self._is_type()
        condition = self._declaration() if is_declared else self._expression()
        self._expect(")")
        is_taken = self._is_live() and bool(self.value(condition))
        self._branch(is_taken=is_taken)
        if self._match("else"):
            self._branch(is_taken=not is_taken)
        self._scopes.pop()

    def _branch(self, *, is_taken: bool) -> None:
        self._skips += not is_taken
        self._statement()
        self._skips -= not is_taken

    def _handlers(self, way: str) -> None:
        """Runs the handler that fits the way out of the block of a try, if any."""
        thrown = way.removeprefix("throw ") if way.startswith("throw ") else ""
        if self._match("SWIG_CATCH_ALL"):
            if thrown:
                self._way, self._error = "goto fail", True
            return
        self._expect("catch")
        while True:
            words = []
            while not self._match(")"):
                words.append(self._take())
            fits = bool(thrown and {"...", "std::exception", thrown} & {*words})
            self._way, thrown = ("", "") if fits else (self._way, thrown)
            self._branch(is_taken=fits)
            if not self._match("catch"):
                return

    def _declaration(self) -> tuple:
        """Runs the declaration of a variable; returns the variable as an expression."""
        type_, name = self._type(), self._take()
        if name in self._scopes[-1]:
            self._fail(f"'{name}' is declared twice")
        value = ("literal", None if type_.stars else 0)
        if self._match("{"):
            self._expect("}")
        elif self._match("="):
            value = self._expression()
        if self._way.startswith("goto"):
            self._scopes[-1]["a jump"] = Variable(NO_TYPE)
        variable = self._scopes[-1][name] = Variable(type_)
        if self._is_live():
            self._has_gil = self._has_gil and type_.base != "SwigAllowThreads"
            self._store(variable, *self.typed(value))
        return "name", name

    # ---- Expressions ----------------------------------------------------------------

    def _expression(self) -> tuple:
        left = self._unary()
        return ("assign", left, self._expression()) if self._match("=") else left

    def _unary(self) -> tuple:
        for token in ("&", "*", "!", "delete"):
            if self._match(token):
                return "unary", token, self._unary()
        if self._match("new"):
            return "new", self._type(), self._arguments()
        if self._tokens[self._at] == "(" and self._tokens[self._at + 1] in self._types:
            self._take()
            type_ = self._type()
            self._expect(")")
            return "cast", type_, self._unary()
        return self._postfix()

    def _postfix(self) -> tuple:
        found = self._primary()
        while True:
            if self._match("["):
                found = ("index", found, self._expression())
                self._expect("]")
            elif self._match("->"):
                found = ("member", found, self._take())
                if self._tokens[self._at] == "(":
                    found = ("call", found[2], self._arguments(), found[1])
            else:
                return found

    def _primary(self) -> tuple:
        token = self._take()
        if token == "(":
            inner = self._expression()
            self._expect(")")
            return inner
        if token == "static_cast":
            self._expect("<")
            type_ = self._type()
            self._expect(">")
            return "cast", type_, self._primary()
        if token in CONSTANTS:
            return "literal", CONSTANTS[token]
        if token[0] == '"' or token.startswith(("SWIGTYPE_", "SWIG_ValueError")):
            return "literal", token.strip('"')
        if token.isdigit():
            return "literal", int(token)
        if self._tokens[self._at] == "(":
            return "call", token, self._arguments()
        if token not in self._library and not any(token in one for one in self._scopes):
            self._fail(f"'{token}' was not declared")
        return "name", token

    def _arguments(self) -> list[tuple]:
        arguments: list[tuple] = []
        self._expect("(")
        while not self._match(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        return arguments

    # ---- Values ---------------------------------------------------------------------

    def value(self, expression: tuple) -> Any:
        """Computes an expression."""
        return self.typed(expression)[1]

    def typed(self, expression: tuple) -> tuple[Type | None, Any]:
        """Computes an expression, and the type of it."""
        kind, *parts = expression
        return getattr(self, f"_do_{kind}")(*parts)

    def _store(self, variable: Variable, type_: Type | None, value: Any) -> None:
        if type_ and variable.type and not type_.converts_to(variable.type):
            self._fail(f"invalid conversion from {type_} to {variable.type}")
        variable.value = value

    def _variable(self, expression: tuple) -> Variable:
        """Returns the variable that an expression names; a new one if it names none."""
        if expression[0] == "name":
            for scope in reversed(self._scopes):
                if expression[1] in scope:
                    return scope[expression[1]]
        return Variable(*self.typed(expression))

    def _do_name(self, name: str) -> tuple[Type | None, Any]:
        if name in self._library:
            type_, value = self._library[name]
            return Type.of(type_), value
        variable = self._variable(("name", name))
        return variable.type, variable.value

    def _do_literal(self, value: Any) -> tuple[None, Any]:
        return NO_TYPE, value

    def _do_assign(self, target: tuple, value: tuple) -> tuple[None, None]:
        self._store(self._variable(target), *self.typed(value))
        return NO_TYPE, None

    def _do_cast(self, type_: Type, value: tuple) -> tuple[Type, Any]:
        source, converted = self.typed(value)
        if source and source.stars and not type_.stars:
            self._fail(f"invalid cast from {source} to {type_}")
        return type_, converted

    def _do_unary(self, sign: str, operand: tuple) -> tuple[Type | None, Any]:
        if sign == "&" and operand[0] == "name" and operand[1] not in self._library:
            return NO_TYPE, self._variable(operand)
        type_, value = self.typed(operand)
        if sign == "delete":
            if type_ is None or type_.base == "void" or type_.stars != 1:
                self._fail(f"delete of {type_} runs no destructor")
            self.notes.append(f"delete {type_.base}")
        if sign == "!":
            return Type("bool"), not value
        if sign == "&" and type_:
            type_ = Type(type_.base, type_.stars + 1, type_.is_const)
        if isinstance(value, Value):
            return type_, value.object
        return NO_TYPE, Value(value) if isinstance(value, Object) else value

    def _do_index(self, array: tuple, index: tuple) -> tuple[None, Any]:
        values, at = self.value(array), self.value(index)
        if at not in range(len(values)):
            self._fail(f"swig_obj[{at}] is read, and Python passes {len(values)}")
        return NO_TYPE, values[at]

    def _do_member(self, owner: tuple, name: str) -> tuple[Type, Any]:
        found = self.value(owner)
        if name not in getattr(found, "fields", {}):
            self._fail(f"{found} has no member '{name}'")
        type_, value = found.fields[name]
        return Type.of(type_), value

    def _do_new(self, type_: Type, arguments: list) -> tuple[Type, Any]:
        values = ", ".join(str(self.value(one)) for one in arguments)
        return Type(type_.base, 1), Object(f"new {type_.base}({values})")

    # ---- Calls ----------------------------------------------------------------------

    def _do_call(
        self, name: str, arguments: list, *owner: tuple
    ) -> tuple[Type | None, Any]:
        if name in self._library:
            values = ", ".join(str(self.value(one)) for one in arguments)
            where = f"{self.value(owner[0])}." if owner else ""
            self._step(f"call {where}{name}({values})", f"call {name}")
            type_, value = self._library[name]
            return Type.of(type_), value
        if name == "Py_CLEAR":
            self._variable(arguments[0]).value = None
            return NO_TYPE, None
        function = getattr(self, f"_call_{name.lower()}", None)
        if not function:
            self._fail(f"'{name}' was not declared")
        if not self._has_gil and name not in ("note", "fails", "show"):
            self._note(name)
        return NO_TYPE, function(*map(self.value, arguments))

    def _note(self, text: str) -> None:
        self.notes.append(text if self._has_gil else f"{text} without the GIL")

    def _step(self, text: str, step: str) -> bool:
        """Notes a step; throws or returns True if the plan says so."""
        self._note(text)
        how, _, failing = self._plan.partition(": ")
        if failing != step:
            return False
        self._error = how == "fail"
        self._way = "" if self._error else f"throw {how}"
        return True

    def _call_note(self, text: str) -> None:
        self._note(text)

    def _call_show(self, text: str, value: Any) -> None:
        self._note(f"{text}: {value}")

    def _call_fails(self, text: str) -> bool:
        return self._step(text, text)

    def _call_number(self, value: Any) -> Any:
        return value

    _call_object = _call_swig_from = _call_number

    def _call_swig_py_void(self) -> str:
        return "None"

    def _call_pyerr_occurred(self) -> bool:
        return self._error

    def _call_swig_exception_fail(self, _code: Any, _text: str) -> None:
        self._error = True

    def _call_swig_asval(self, value: Any, variable: Variable) -> int:
        variable.value = value
        return 0 if isinstance(value, int | float) else -5

    def _call_swig_convertptr(
        self, value: Any, pointer: Variable, descriptor: str, _flags: int
    ) -> int:
        is_right = isinstance(value, Proxy) and value.descriptor == descriptor
        pointer.value = value.object if is_right else None
        return 0 if is_right else -5

    def _call_swig_newpointerobj(self, pointer: Any, type_: str, owner: int) -> Proxy:
        return Proxy(pointer, type_, bool(owner))

    def _call_swig_keepparent(self, proxy: Proxy, parent: Any) -> Proxy:
        proxy.parent = parent
        return proxy

    def _call_swig_initproxy(self, proxy: Any, pointer: Any, type_: str) -> str:
        self._note(f"{proxy} gets {Proxy(pointer, type_, True)}")
        return "None"
