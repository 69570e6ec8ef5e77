"""Reads the C++ that wrappers consist of, and finds what a compiler refuses."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<token>"(?:\\.|[^"\\\n])*"|\d+(?:\.\d*)?|'
    r"[A-Za-z_]\w*(?:::~?\w+)*|->|\.\.\.|::|.)",
    re.DOTALL,
)
NUMBERS = {"bool", "char", "double", "float", "int", "long", "short", "size_t"}
NUMBERS |= {f"unsigned {name}" for name in ("char", "int", "long", "short")}
NUMBERS |= {"signed char", "long long", "unsigned long long"}
WORDS = NUMBERS | {"void", "PyObject", "SwigAllowThreads", "const", "unsigned", "auto"}
CONSTANTS = {"nullptr": None, "true": True, "false": False, "SWIG_POINTER_OWN": 1}
ERRORS = re.compile(r"SWIG_\w*Error")


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
        """Reads a type that is spelled by a case."""
        words = text.replace("*", "").split()
        base = " ".join(word for word in words if word != "const")
        return cls(base, text.count("*"), "const" in words)

    def __str__(self) -> str:
        const = "const " if self.is_const else ""
        return f"{const}{self.base}{' ' if self.stars else ''}{'*' * self.stars}"

    def converts_to(self, other: "Type") -> bool:
        """Whether C++ converts a value of this type without a cast."""
        if other.base == "auto":
            return True
        if not self.stars and not other.stars:
            return self.base == other.base or other.base in NUMBERS
        loses_const = self.is_const and not other.is_const
        is_void = other.base == "void" and other.stars == 1 and self.stars > 0
        same = (self.base, self.stars) == (other.base, other.stars)
        return (same or is_void) and not loses_const


@dataclass
class Statement:
    """A statement: its kind, its parts, and the line where it begins."""

    kind: str
    parts: list[Any]
    line: str = field(default="", compare=False)


def _fail_after(call: tuple | None, line: str) -> Statement:
    """What the macros of an error stand for: an exception, and a jump to fail."""
    statements = [Statement("expression", [call], line)] if call else []
    statements.append(Statement("goto", ["fail"], line))
    return Statement("block", [statements], line)


class Parser:
    """Reads the statements of a function.

    ``types`` are the names of classes and enums, ``names`` those of functions and global
    variables.
    """

    def __init__(self, text: str, types: list[str], names: Iterable[str]) -> None:
        found = [m for m in TOKEN.finditer(text) if m["token"]]
        self._tokens = [match["token"] for match in found]
        lines, starts = text.split("\n"), [match.start() for match in found]
        self._lines = [lines[text.count("\n", 0, at)].strip() for at in starts]
        self._types = WORDS | set(types)
        self._names = {"swig_obj", "resultobj", *names}
        self._at = 0

    def function(self) -> list[Statement]:
        """Reads a function up to its end, and checks it.

        Raises:
            CompileError: a compiler would refuse it.
        """
        statements = []
        while not self._is("}"):
            statements.append(self._statement())
        self._expect("}")
        if self._at < len(self._tokens):
            self._fail("there is text behind the '}' of the function")
        _check(statements, [self._names], [])
        return statements

    # ---- Tokens ---------------------------------------------------------------------

    def _fail(self, message: str) -> NoReturn:
        line = self._lines[min(self._at, len(self._lines) - 1)] if self._lines else ""
        raise CompileError(message, line)

    def _is(self, *tokens: str) -> bool:
        """Whether these tokens are next."""
        return tuple(self._tokens[self._at : self._at + len(tokens)]) == tokens

    def _take(self) -> str:
        if self._at == len(self._tokens):
            self._fail("the function has no end: a '}' is missing")
        self._at += 1
        return self._tokens[self._at - 1]

    def _match(self, token: str) -> bool:
        self._at += (found := self._is(token))
        return found

    def _expect(self, token: str) -> None:
        if not self._match(token):
            got = (
                repr(self._tokens[self._at])
                if self._at < len(self._tokens)
                else "the end"
            )
            self._fail(f"expected {token!r}, got {got}")

    def _is_type(self) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at] in self._types

    def _type(self) -> Type:
        words = []
        while self._is_type() or self._is("*"):
            words.append(self._take())
        return Type.of(" ".join(words))

    # ---- Statements -----------------------------------------------------------------

    def _statement(self) -> Statement:
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        found = self._statement_at(line)
        found.line = found.line or line
        return found

    def _statement_at(self, line: str) -> Statement:
        if self._match("{"):
            statements = []
            while not self._match("}"):
                statements.append(self._statement())
            return Statement("block", [statements])
        if self._match("if"):
            self._expect("(")
            condition = self._declaration() if self._is_type() else self._expression()
            self._expect(")")
            then = self._statement()
            other = self._statement() if self._match("else") else None
            return Statement("if", [condition, then, other])
        if self._match("try"):
            return self._try(line)
        if self._match("return"):
            return self._ended(Statement("return", [self._expression()]))
        if self._match("goto"):
            return self._ended(Statement("goto", [self._take()]))
        if self._match("SWIG_fail"):
            return self._ended(_fail_after(None, line))
        if self._match(";"):
            return Statement("block", [[]])
        if self._tokens[self._at + 1 : self._at + 2] == [":"]:
            name = self._take()
            self._expect(":")
            return Statement("label", [name])
        if self._is_type():
            return self._ended(self._declaration())
        expression = self._expression()
        if expression[:2] == ("call", "SWIG_exception_fail"):
            error = ("call", "SWIG_Error", expression[2])
            return self._ended(_fail_after(error, line))
        return self._ended(Statement("expression", [expression]))

    def _ended(self, statement: Statement) -> Statement:
        self._expect(";")
        return statement

    def _try(self, line: str) -> Statement:
        body, handlers = self._statement(), []
        while self._match("catch"):
            self._expect("(")
            words = []
            while not self._match(")"):
                words.append(self._take())
            caught = next((w for w in words if w == "..." or "::" in w), "")
            handlers.append((caught, self._statement()))
        if self._match("SWIG_CATCH_ALL"):
            handlers.append(("...", _fail_after(("call", "SWIG_Error", []), line)))
        if body.kind != "block" or not handlers:
            self._fail("expected a block behind try, and a handler behind the block")
        return Statement("try", [body, handlers])

    def _declaration(self) -> Statement:
        type_, name, value = self._type(), self._take(), None
        if self._match("{"):
            value = None if self._is("}") else self._expression()
            self._expect("}")
        elif self._match("="):
            value = self._expression()
        return Statement("declare", [type_, name, value])

    # ---- Expressions ----------------------------------------------------------------

    def _expression(self) -> tuple:
        left = self._unary()
        return ("assign", left, self._expression()) if self._match("=") else left

    def _unary(self) -> tuple:
        for token, kind in (("&", "address"), ("*", "dereference"), ("!", "not")):
            if self._match(token):
                return kind, self._unary()
        if self._match("delete"):
            return "delete", self._unary()
        if self._match("new"):
            return "new", self._type(), self._arguments()
        if self._is("(") and self._tokens[self._at + 1] in self._types:
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
                name = self._take()
                method = self._is("(")
                found = ("method", found, name) if method else ("member", found, name)
                found += (self._arguments(),) if method else ()
            elif self._is("(") and found[0] == "name":
                found = ("call", found[1], self._arguments())
            else:
                return found

    def _primary(self) -> tuple:
        token = self._take()
        if token == "(":
            inner = self._expression()
            self._expect(")")
            return inner
        if token in ("static_cast", "const_cast", "reinterpret_cast"):
            self._expect("<")
            type_ = self._type()
            self._expect(">")
            self._expect("(")
            value = self._expression()
            self._expect(")")
            return "cast", type_, value
        if token in CONSTANTS:
            return "literal", CONSTANTS[token]
        if token[0] == '"':
            return "literal", token[1:-1]
        if token[0].isdigit():
            return "literal", float(token) if "." in token else int(token)
        if ERRORS.fullmatch(token) or token.startswith("SWIGTYPE_"):
            return "literal", token
        if not re.match(r"[A-Za-z_]", token):
            self._at -= 1
            self._fail(f"expected an expression, got {token!r}")
        return "name", token

    def _arguments(self) -> list[tuple]:
        arguments: list[tuple] = []
        self._expect("(")
        while not self._match(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        return arguments


# ---- What a compiler refuses ------------------------------------------------------------


def _names(node: Any) -> Iterator[str]:
    """Yields the names of variables in an expression."""
    if isinstance(node, tuple) and node[:1] == ("name",):
        yield node[1]
    elif isinstance(node, tuple | list):
        parts = node[2:] if node[:1] == ("call",) else node
        for part in parts:
            yield from _names(part)


def _parts(statement: Statement) -> list[list[Statement]]:
    """Returns the statements in a statement, as lists that have a scope each."""
    kind, parts = statement.kind, statement.parts
    if kind == "block":
        return [parts[0]]
    if kind == "if":
        return [[part for part in parts if isinstance(part, Statement)]]
    if kind == "try":
        return [[parts[0]], *([handler] for _, handler in parts[1])]
    return []


def _jumps(statement: Statement) -> bool:
    """Whether there is a goto in a statement."""
    inner = (one for part in _parts(statement) for one in part)
    return statement.kind == "goto" or any(map(_jumps, inner))


def _check(
    statements: list[Statement], scopes: list[set[str]], labels: list[str]
) -> None:
    """Raises CompileError for names that are unknown or doubled, and for wrong jumps."""
    own = [one.parts[0] for one in statements if one.kind == "label"]
    scopes, labels = [*scopes, set()], [*labels, *own]
    jumped = False
    crossed = ""
    for one in statements:
        expressions = [p for p in one.parts if isinstance(p, tuple)]
        if one.kind in ("expression", "return", "if", "declare"):
            for name in _names(expressions):
                if not any(name in scope for scope in scopes) and "::" not in name:
                    raise CompileError(f"'{name}' was not declared", one.line)
        if one.kind == "goto" and one.parts[0] not in labels:
            raise CompileError(f"label '{one.parts[0]}' is not in this scope", one.line)
        if one.kind == "label" and crossed:
            raise CompileError(f"jump to '{one.parts[0]}' crosses '{crossed}'", one.line)
        if one.kind == "declare":
            if one.parts[1] in scopes[-1]:
                raise CompileError(f"'{one.parts[1]}' is declared twice", one.line)
            scopes[-1].add(one.parts[1])
            crossed = one.parts[1] if jumped else crossed
        for part in _parts(one):
            _check(part, scopes, labels)
        jumped = jumped or _jumps(one)
