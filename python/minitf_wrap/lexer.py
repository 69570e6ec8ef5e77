"""From the text of an interface file to tokens, each with its place in the file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

# Names that an interface file can test by #ifdef.
DEFINED = {"SWIG": "", "SWIGPYTHON": "", "__cplusplus": ""}
KINDS = re.compile(
    r"""
    (?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<code> %\{.*?%\} )
  | (?P<preprocessor> ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<directive> %[A-Za-z_]\w* )
  | (?P<string> "(?:\\.|[^"\\\n])*" )
  | (?P<char> '(?:\\.|[^'\\\n])+' )
  | (?P<number> \.?\d(?:[eE][+-]|[\w.])* )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<symbol> ::|\.\.\.|. )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
COMMENT = re.compile(r"//.*|/\*.*?\*/")


class InterfaceError(Exception):
    """An interface file has an error, at the line and column in the message."""


@dataclass(frozen=True)
class Source:
    """An interface file; ``text`` is its content."""

    path: Path
    text: str


@dataclass(frozen=True)
class Token:
    """A part of a source, from the offset ``start`` to the offset ``end``.

    ``kind`` is a group of ``KINDS``, "define" or "end".
    """

    kind: str
    text: str
    source: Source
    start: int
    end: int

    def fail(self, message: str) -> NoReturn:
        """Raises an InterfaceError at the place of this token."""
        before = self.source.text[: self.start]
        line = before.count("\n") + 1
        column = self.start - before.rfind("\n")
        raise InterfaceError(f"{self.source.path}:{line}:{column}: {message}")

    def expected(self, what: str) -> NoReturn:
        """Raises an InterfaceError that says what should stand here."""
        text = "the end" if self.kind == "end" else repr(self.text.split("\n")[0][:40])
        self.fail(f"expected {what}, got {text}")


@dataclass
class Lexer:
    """Makes tokens, and keeps the macros of all files of a module.

    A macro without parameters is replaced by its tokens, wherever its name stands.
    """

    macros: dict[str, list[Token]] = field(
        default_factory=lambda: {name: [] for name in DEFINED}
    )

    def tokens(self, source: Source, start: int, end: int) -> Iterator[Token]:
        """Yields the tokens of ``source`` between two offsets, and then an "end".

        A line ``#define NAME value`` becomes a token "define" with the text NAME, the
        tokens of the value, and a ";".

        Raises:
            InterfaceError: a line of the preprocessor is outside the subset.
        """
        branches: list[tuple[Token, bool]] = []  # of #ifdef: whether it is read
        for token in _raw_tokens(source, start, end):
            if token.kind == "preprocessor":
                yield from self._preprocess(token, branches)
            elif all(is_read for _, is_read in branches):
                yield from self._expand(token)
        if branches:
            branches[-1][0].fail("expected an #endif for this line, got the end")
        yield Token("end", "", source, end, end)

    def _expand(self, token: Token) -> Iterator[Token]:
        if token.kind != "name" or token.text not in self.macros:
            yield token
        elif token.text not in DEFINED:
            yield from self.macros[token.text]

    def _preprocess(
        self, token: Token, branches: list[tuple[Token, bool]]
    ) -> Iterator[Token]:
        """Obeys a line of the preprocessor; yields a token if it defines a constant."""
        text = COMMENT.sub("", token.text.replace("\\\n", " "))
        match = re.match(r"\s*#\s*(\w+)\s*(\w*)(.*)", text)
        word, name, rest = match.groups() if match else ("", "", "")
        if word in ("ifdef", "ifndef"):
            branches.append((token, (name in self.macros) == (word == "ifdef")))
        elif word in ("else", "endif"):
            if not branches:
                token.expected(f"an #ifdef before the #{word}")
            opening, was_read = branches.pop()
            if word == "else":
                branches.append((opening, not was_read))
        elif not all(is_read for _, is_read in branches) or word in ("include", "pragma"):
            return  # C++ includes are for the compiler
        elif word == "define" and not rest.startswith("("):
            yield from self._define(token, name, rest)
        elif word == "undef":
            self.macros.pop(name, None)
        else:
            token.expected("#define NAME, #undef, #ifdef, #ifndef, #else or #endif")

    def _define(self, token: Token, name: str, value: str) -> Iterator[Token]:
        parts = [
            Token(part.kind, part.text, token.source, token.start, token.end)
            for part in _raw_tokens(Source(token.source.path, value), 0, len(value))
        ]
        self.macros[name] = [new for part in parts for new in self._expand(part)]
        if self.macros[name]:
            yield Token("define", name, token.source, token.start, token.end)
            yield from self.macros[name]
            yield Token("symbol", ";", token.source, token.end, token.end)


def _raw_tokens(source: Source, start: int, end: int) -> Iterator[Token]:
    """Yields all tokens but spaces and comments."""
    for match in KINDS.finditer(source.text, start, end):
        kind = match.lastgroup or ""
        if kind == "preprocessor":
            yield Token(
                kind, match[0], source, match.end() - len(match[0].lstrip()), match.end()
            )
        elif kind != "space":
            yield Token(kind, match[0], source, *match.span())
