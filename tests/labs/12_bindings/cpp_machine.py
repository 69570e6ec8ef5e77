"""A machine that runs one function of a generated C++ wrapper, statement by statement.

A worker's sandbox starts no compiler, and a grader runs no C++ of a student outside of
it. The cases judge the text instead. The machine reads the C++ that wrappers consist of.
It runs live statements and reads the others, and checks the names of all. Jumps lead
forward. ``tests/python/wrap/test_lab_wrappers.py`` compiles the same interface texts, by
this generator and by SWIG, and compares the notes of the modules with the machine's.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<token>"(?:\\.|[^"\\\n])*"|\d+|'
    r"[A-Za-z_]\w*(?:::\w+)*|->|\.\.\.|.)",
    re.DOTALL,
)
NUMBERS = {"bool", "char", "double", "float", "int", "long"}
TYPES = {*NUMBERS, "void", "PyObject", "SwigAllowThreads", "const"}
CONSTANTS = {"nullptr": None, "SWIG_POINTER_OWN": 1}
ERROR = "an exception of Python"


class CompileError(Exception):
    """An error in C++: the message of a compiler, and the line."""


class Type(NamedTuple):
    """A C++ type: ``const char *`` is base "char" with one star, const."""

    base: str
    stars: int = 0
    is_const: bool = False

    @classmethod
    def of(cls, text: str) -> "Type":
        """Reads the spelling of a type."""
        words = [word for word in text.replace("*", " ").split() if word != "const"]
        return cls(" ".join(words), text.count("*"), "const" in text)

    def __str__(self) -> str:
        const, stars = "const " * self.is_const, " " * bool(self.stars) + "*" * self.stars
        return f"'{const}{self.base}{stars}'"

    def converts_to(self, other: "Type") -> bool:
        """Whether C++ converts a value of this type without a cast."""
        if not self.stars and not other.stars:
            return self.base == other.base or other.base in NUMBERS
        is_void = other == Type("void", 1)
        return (self[:2] == other[:2] or is_void) and self.is_const <= other.is_const


@dataclass
class Variable:
    """A variable, or the value of an expression. Without a type, any type will do."""

    type: Type | None = None
    value: Any = 0


@dataclass
class Object:
    """A C++ object; a pointer to an object is the object itself.

    ``fields`` have a type each. An object by value has the object as its ``source``.
    """

    name: str
    fields: dict[str, tuple[str, Any]] = field(default_factory=dict)
    source: "Object | None" = None

    def __str__(self) -> str:
        return self.name

    def by_value(self) -> "Object":
        """The object where it is passed or returned by value."""
        return Object(f"*{self}", source=self)


@dataclass
class Proxy:
    """A proxy in Python: a pointer, its type, the owner, and the object kept alive."""

    object: Any
    descriptor: str
    is_owner: bool = False
    parent: Any = None

    def __str__(self) -> str:
        owner = "owned" if self.is_owner else "not owned"
        parent = getattr(self.parent, "object", self.parent)
        kept = f", keeps {parent} alive" if parent else ""
        return f"{self.descriptor} to {self.object}, {owner}{kept}"


# The functions that every wrapper may call; they get the machine and their arguments.
BUILTINS = {
    "note": lambda machine, text: machine.note(text),
    "show": lambda machine, text, value: machine.note(f"{text}: {value}"),
    "fails": lambda machine, text: machine.step(text, text),
    "number": lambda machine, value: value,
    "object": lambda machine, value: value,
    "pointee": lambda machine, proxy: proxy.object,
    "Py_CLEAR": lambda machine, value: None,
    "Py_XDECREF": lambda machine, value: None,
    "std::move": lambda machine, value: value,
    "PyErr_Occurred": lambda machine: machine.has_error,
    "SWIG_From": lambda machine, value: value,
    "SWIG_Py_Void": lambda machine: "None",
    "SWIG_exception_fail": lambda machine, code, text: machine.fail(),
    "SWIG_NewPointerObj": lambda machine, *args: Proxy(*args[:2], bool(args[2])),
    "SWIG_KeepParent": lambda machine, proxy, parent: replace(proxy, parent=parent),
    "SWIG_InitProxy": lambda machine, *args: machine.init_proxy(*args),
}


class Machine:
    """Runs C++ statements.

    ``objects`` are what Python passes. ``plan`` is the step that fails: "fail: in 1", or
    that throws: "std::bad_alloc: in 1". ``library`` has the type and the value of each
    function's result and of each global variable. ``types`` are classes and enums.
    """

    def __init__(
        self, objects: list, plan: str, library: dict[str, tuple], types: list[str]
    ) -> None:
        self.notes: list[str] = []
        self.has_error = False
        self._plan, self._library, self._types = plan, library, TYPES | set(types)
        result = Variable(Type("PyObject", 1), None)
        self._scopes = [{"swig_obj": Variable(None, objects), "resultobj": result}]
        self._has_gil = True
        self._way = ""  # the jump on its way: "goto fail", "throw x" or "return"
        self._skips = 0  # branches around this place that are not taken

    def run(self, text: str) -> str:
        """Runs the text up to the end of the function; says what the function returns.

        Raises:
            CompileError: a compiler refuses the text.
        """
        found = [match for match in TOKEN.finditer(text) if match["token"]]
        self._tokens = [*(match["token"] for match in found), "", "", ""]
        lines = text.split("\n")
        self._lines = [lines[text.count("\n", 0, m.start())].strip() for m in found]
        self._at, self._returned = 0, "nothing"
        self._block()
        if self._tokens[self._at]:
            self._refuse("there is text behind the '}' of the function")
        if self._way != "return":
            return f"nothing: the function ends by {self._way or 'its last }'}"
        if (self._returned is None) != self.has_error:
            word = "with" if self.has_error else "without"
            return f"{self._returned or 'null'} {word} an exception of Python"
        return ERROR if self.has_error else str(self._returned)

    # ---- Tokens ---------------------------------------------------------------------

    def _refuse(self, message: str) -> NoReturn:
        raise CompileError(message, [*self._lines, ""][max(0, self._at - 1)])

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] or self._refuse("a '}' is missing")

    def _match(self, token: str) -> bool:
        self._at += (found := self._tokens[self._at] == token)
        return found

    def _expect(self, token: str) -> None:
        if not self._match(token):
            self._refuse(f"expected {token!r}, got {self._tokens[self._at]!r}")

    def _type(self) -> Type:
        words = [self._take()]
        while self._tokens[self._at] in self._types | {"*"}:
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
            condition = self._primary().value
            is_taken = self._is_live() and bool(condition)
            self._branch(is_taken=is_taken)
            if self._match("else"):
                self._branch(is_taken=not is_taken)
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
            value = self._expression().value
            if self._is_live():
                self._returned, self._way = value, "return"
        elif (is_goto := self._match("goto")) or self._match("SWIG_fail"):
            way = f"goto {self._take() if is_goto else 'fail'}"
            self._way = way if self._is_live() else self._way
        elif self._tokens[self._at] in self._types:
            self._declaration()
        elif self._tokens[self._at] != ";":
            self._expression()

    def _label(self, name: str) -> None:
        self._expect(":")
        if self._way == f"goto {name}":
            if "a jump" in self._scopes[-1]:
                self._refuse(f"the jump to '{name}' crosses a declaration")
            self._way = ""

    def _branch(self, *, is_taken: bool) -> None:
        self._skips += not is_taken
        self._statement()
        self._skips -= not is_taken

    def _handlers(self, way: str) -> None:
        """Runs the handler that fits the way out of the block of a try, if any."""
        thrown = way.removeprefix("throw ") if way.startswith("throw ") else ""
        if self._match("SWIG_CATCH_ALL"):
            if thrown:
                self._way, self.has_error = "goto fail", True
            return
        self._expect("catch")
        words = []
        while not self._match(")"):
            words.append(self._take())
        fits = bool(thrown and {"...", "std::exception", thrown} & {*words})
        self._way = "" if fits else self._way
        self._branch(is_taken=fits)

    def _declaration(self) -> None:
        type_, name = self._type(), self._take()
        if name in self._scopes[-1]:
            self._refuse(f"'{name}' is declared twice")
        value = Variable(None, None if type_.stars else 0)
        if self._match("{"):
            self._expect("}")
        elif self._match("="):
            value = self._expression()
        if self._way.startswith("goto"):
            self._scopes[-1]["a jump"] = Variable()
        variable = self._scopes[-1][name] = Variable(type_)
        self._store(variable, value)
        if self._is_live() and type_.base == "SwigAllowThreads":
            self._has_gil = False

    # ---- Expressions ----------------------------------------------------------------

    def _expression(self) -> Variable:
        target = self._unary()
        if self._match("="):
            self._store(target, self._expression())
        return target

    def _store(self, target: Variable, source: Variable) -> None:
        if source.type and target.type and not source.type.converts_to(target.type):
            self._refuse(f"invalid conversion from {source.type} to {target.type}")
        if self._is_live():
            target.value = source.value

    def _unary(self) -> Variable:
        for sign in ("&", "*", "!", "delete"):
            if self._match(sign):
                return self._signed(sign, self._unary())
        if self._match("new"):
            base = self._type().base
            values = ", ".join(str(one.value) for one in self._arguments())
            return Variable(Type(base, 1), Object(f"new {base}({values})"))
        if self._tokens[self._at] == "(" and self._tokens[self._at + 1] in self._types:
            self._take()
            type_ = self._type()
            self._expect(")")
            return self._cast(type_, self._unary())
        return self._postfix()

    def _signed(self, sign: str, operand: Variable) -> Variable:
        type_, value = operand.type, operand.value
        if sign == "!":
            return Variable(None, not value)
        if sign == "*":
            return Variable(None, value.by_value() if self._is_live() else None)
        if sign == "&":
            type_ = type_ and type_._replace(stars=type_.stars + 1)
            return Variable(type_, getattr(value, "source", None))
        if type_ is None or type_.base == "void" or type_.stars != 1:
            self._refuse(f"delete of {type_} runs no destructor")
        self.notes.append(f"delete {type_.base}")
        return Variable()

    def _cast(self, type_: Type, source: Variable) -> Variable:
        if source.type and source.type.stars and not type_.stars:
            self._refuse(f"invalid cast from {source.type} to {type_}")
        return Variable(type_, source.value)

    def _postfix(self) -> Variable:
        found = self._primary()
        while self._tokens[self._at] in ("[", "->"):
            if self._match("["):
                index = self._expression().value
                self._expect("]")
                if index not in range(len(found.value)):
                    count = len(found.value)
                    self._refuse(f"swig_obj[{index}] is read, and Python passes {count}")
                found = Variable(None, found.value[index])
            else:
                self._expect("->")
                name = self._take()
                is_call = self._tokens[self._at] == "("
                found = self._call(name, found) if is_call else self._field(found, name)
        return found

    def _field(self, owner: Variable, name: str) -> Variable:
        fields = (
            getattr(owner.value, "fields", {}) if self._is_live() else {name: ("int", 0)}
        )
        if name not in fields:
            self._refuse(f"{owner.value} has no member '{name}'")
        type_, value = fields[name]
        return Variable(Type.of(type_), value)

    def _primary(self) -> Variable:
        token = self._take()
        if token == "(":
            inner = self._expression()
            self._expect(")")
            return inner
        if token in ("static_cast", "reinterpret_cast"):
            self._expect("<")
            type_ = self._type()
            self._expect(">")
            return self._cast(type_, self._primary())
        if token in CONSTANTS or token.isdigit():
            return Variable(None, CONSTANTS[token] if token in CONSTANTS else int(token))
        if token[0] == '"' or token.startswith(("SWIGTYPE_", "SWIG_ValueError")):
            return Variable(None, token.strip('"'))
        found = [scope[token] for scope in self._scopes if token in scope]
        is_call = self._tokens[self._at] == "(" and token in (*self._library, *BUILTINS)
        if is_call or found:
            return self._call(token) if is_call else found[-1]
        if token not in self._library:
            self._refuse(f"'{token}' was not declared")
        type_, value = self._library[token]
        return Variable(Type.of(type_), value)

    def _arguments(self) -> list[Variable]:
        arguments: list[Variable] = []
        end = ")" if self._match("(") else "}"
        if end == "}":
            self._expect("{")
        while not self._match(end):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        return arguments

    def _call(self, name: str, owner: Variable | None = None) -> Variable:
        arguments = self._arguments()
        type_, value = self._library.get(name, ("", None))
        result = Variable(Type.of(type_) if type_ else None, value)
        if not self._is_live():
            return result
        values = [one.value for one in arguments]
        if type_:
            where = f"{owner.value}." if owner else ""
            self.step(
                f"call {where}{name}({', '.join(map(str, values))})", f"call {name}"
            )
        elif name == "Py_CLEAR":
            arguments[0].value = None
        else:
            if not self._has_gil and name not in ("note", "fails", "show"):
                self.note(name)
            result.value = BUILTINS[name](self, *values)
        return result

    # ---- What functions do ----------------------------------------------------------

    def note(self, text: str) -> None:
        """Notes a step."""
        self.notes.append(text if self._has_gil else f"{text} without the GIL")

    def step(self, text: str, step: str) -> bool:
        """Notes a step; throws or returns True if the plan says so."""
        self.note(text)
        how, _, failing = self._plan.partition(": ")
        if failing == step:
            self.has_error = how == "fail"
            self._way = "" if self.has_error else f"throw {how}"
        return failing == step

    def fail(self) -> None:
        """Sets an exception of Python, and jumps to the exit."""
        self.has_error, self._way = True, "goto fail"

    def init_proxy(self, proxy: Any, pointer: Any, descriptor: str) -> str:
        """Gives a proxy a new object."""
        self.note(f"{proxy} gets {Proxy(pointer, descriptor, True)}")
        return "None"
