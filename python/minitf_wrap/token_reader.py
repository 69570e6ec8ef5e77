"""Reads tokens one by one: what both the directives and the declarations are read with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from minitf_wrap.lexer import Lexer, Source, Token
from minitf_wrap.typemaps import Parameter, Type, Typemaps

# Every word that a number type is made of, and the order of these words in its name.
NUMBER_WORDS = (
    "signed",
    "unsigned",
    "short",
    "long",
    "char",
    "int",
    "float",
    "double",
    "bool",
)
CLOSING = {"(": ")", "{": "}", "[": "]"}


class TokenReader:
    """A position in the tokens of a source, with the readers of types and parameters.

    All functions raise InterfaceError if the tokens are not what they read.
    """

    def __init__(self, typemaps: Typemaps) -> None:
        self.lexer = Lexer()
        self.scope = ""  # the class whose members are read
        self._typemaps = typemaps
        self._source: Iterator[Token] = iter(())
        self._ahead: list[Token] = []  # read from the lexer, not yet taken

    def statements(self, source: Source, start: int, end: int) -> Iterator[None]:
        """Reads a part of a source; yields in front of each statement."""
        outer = self._source, self._ahead
        self._source, self._ahead = self.lexer.tokens(source, start, end), []
        while self.next.kind != "end":
            yield
        self._source, self._ahead = outer

    def peek(self, count: int) -> Token:
        """The token ``count`` places after the position."""
        while len(self._ahead) <= count:
            self._ahead.append(next(self._source, *self._ahead[-1:]))
        return self._ahead[count]

    @property
    def next(self) -> Token:
        """The token at the position."""
        return self.peek(0)

    def take(self) -> Token:
        """Returns the token at the position, and moves on."""
        token = self.next
        if token.kind != "end":
            self._ahead.pop(0)
        return token

    def skip(self, *texts: str) -> str:
        """Moves over one of the texts, if it is next; returns it, or an empty string."""
        return self.take().text if self.next.text in texts else ""

    def expect(self, text: str) -> Token:
        """Moves over a token that must be there."""
        return self.take() if self.next.text == text else self.next.expected(repr(text))

    def name(self, what: str = "a name") -> str:
        """Reads a name."""
        return self.take().text if self.next.kind == "name" else self.next.expected(what)

    def qualified_name(self, what: str = "a name") -> str:
        """Reads a name such as ``Point::scale`` or ``std::string``."""
        text = ""
        while True:
            text += self.skip("~") + self.name(what)
            if not self.skip("::"):
                return text
            text += "::"

    def string(self) -> str:
        """Reads a string in quotes and returns what it stands for."""
        if self.next.kind != "string":
            self.next.expected("a string in quotes")
        return str(ast.literal_eval(self.take().text))

    def balanced(self) -> str:
        """Reads from an opening bracket to its closing one; returns the text between."""
        opening = self.take()
        depth, closing = 1, CLOSING[opening.text]
        while depth:
            token = self.take()
            if token.kind == "end":
                opening.expected(f"{closing!r} for this bracket")
            depth += (token.text == opening.text) - (token.text == closing)
        return opening.source.text[opening.end : token.start]

    def block(self) -> str:
        """Reads C++ text in braces, in ``%{ %}`` or in quotes."""
        if self.next.kind == "code":
            return self.take().text[2:-2]
        if self.next.kind == "string":
            return self.string()
        return (
            self.balanced()
            if self.next.text == "{"
            else self.next.expected("a block { }")
        )

    def expression(self, *ends: str) -> str:
        """Reads a C++ expression up to one of the ends, which stays."""
        words: list[str] = []
        while self.next.text not in ends and self.next.kind != "end":
            if self.next.text in CLOSING:
                opening = self.next.text
                words.append(f"{opening}{self.balanced()}{CLOSING[opening]}")
            else:
                words.append(self.take().text)
        return " ".join(words) if words else self.next.expected("an expression")

    def options(self) -> dict[str, str]:
        """Reads ``(name, name=value, ...)``; a name alone has the empty value."""
        options = {}
        self.expect("(")
        while not self.skip(")"):
            name = self.string() if self.next.kind == "string" else self.name("an option")
            options[name] = ""
            if self.skip("="):
                is_string = self.next.kind == "string"
                options[name] = self.string() if is_string else self.expression(",", ")")
            if self.next.text != ")":
                self.expect(",")
        return options

    def base_type(self, *, is_pattern: bool = False) -> Type:
        """Reads a type without ``*`` and ``&``. A pattern may name any type."""
        place, words = self.next, []
        while word := self.skip("const", "struct", "class", "enum", *NUMBER_WORDS):
            words.append(word)
        is_const = "const" in words
        numbers = [word for word in words if word in NUMBER_WORDS]
        if numbers:
            base = _number_type(numbers) or place.expected("a type")
        else:
            place = self.next
            base = self.qualified_name("a type")
            if f"{self.scope}::{base}" in self._typemaps.names:
                base = f"{self.scope}::{base}"
            if base == "SWIGTYPE" and "enum" in words:
                base = "enum SWIGTYPE"
            elif not is_pattern and base != "void" and base not in self._typemaps.names:
                place.expected("a type that is declared or has a typemap")
        is_const |= bool(self.skip("const"))
        return Type(base, is_const)

    def marks(self) -> str:
        """Reads ``*`` and ``&`` of a declarator."""
        text = ""
        while mark := self.skip("*", "&", "const"):
            text += mark if mark != "const" else ""
        if "&" in text[:-1]:
            self.next.fail(
                "expected at most one '&': && and references to references are refused"
            )
        return text

    def parameters(self, *, is_pattern: bool = False) -> list[Parameter]:
        """Reads the parameters of a function, in brackets."""
        found: list[Parameter] = []
        self.expect("(")
        if self.next.text == "void" and self.peek(1).text == ")":
            self.take()
        while not self.skip(")"):
            found.append(self.parameter(is_pattern=is_pattern))
            if self.next.text != ")":
                self.expect(",")
        return found

    def parameter(self, *, is_pattern: bool = False) -> Parameter:
        """Reads a type with a name, which may be missing, and a default value."""
        base = self.base_type(is_pattern=is_pattern)
        place, marks = self.next, self.marks()
        name = self.name() if self.next.kind == "name" else ""
        if self.next.text == "[":
            self.balanced()
            marks += "*"
        if base.base == "void" and not marks and not is_pattern:
            place.expected("'*' after void")
        default = ""
        if not is_pattern and self.skip("="):
            default = self.expression(",", ")")
        return Parameter(Type(base.base, base.is_const, marks), name, default)


def _number_type(words: list[str]) -> str:
    """Returns the name that SWIG gives ``unsigned long int``; empty if there is no such type."""
    rest = sorted(words, key=NUMBER_WORDS.index)
    if len(rest) > 1 and "int" in rest:
        rest.remove("int")
    if len(rest) > 1 and rest[0] == "signed" and rest[1] != "char":
        rest.remove("signed")
    text = " ".join(rest)
    text = {"signed": "int", "unsigned": "unsigned int"}.get(text, text)
    known = (
        r"((unsigned )?(int|short|long|long long)|((un)?signed )?char|float|double|bool)"
    )
    return text if re.fullmatch(known, text) else ""
