"""Reads the text of an interface file piece by piece, and says where an error is."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

TEXT = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
COMMENT = re.compile(rf"{TEXT}|//[^\n]*|/\*.*?\*/", re.DOTALL)
PIECE = re.compile(rf"{TEXT}|.", re.DOTALL)
SPACE = re.compile(r"\s*")
WORD = re.compile(rf"{TEXT}|%?\w+|\S|$", re.MULTILINE)


class InterfaceError(Exception):
    """An error in an interface file: "file:line:column: expected this, got that"."""


@dataclass(frozen=True)
class Place:
    """A position in an interface file."""

    path: Path
    text: str
    offset: int

    def expected(self, what: str) -> NoReturn:
        """Raises an InterfaceError that says what should stand here."""
        line = self.text.count("\n", 0, self.offset) + 1
        column = self.offset - self.text.rfind("\n", 0, self.offset)
        got = WORD.search(self.text, self.offset)
        word = repr(got[0]) if got and got[0] else "the end"
        raise InterfaceError(f"{self.path}:{line}:{column}: expected {what}, got {word}")


class Scanner:
    """A position in the text of a file. Comments become spaces.

    All functions skip spaces first. Patterns are regular expressions. A file that is not
    text raises InterfaceError, a file that cannot be read OSError.
    """

    def __init__(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            message = f"{path}:1:1: expected a text in UTF-8: {error}"
            raise InterfaceError(message) from error
        self.path = path
        self.text = COMMENT.sub(_blank, text)
        self.position = 0
        self.end = len(text)

    @property
    def place(self) -> Place:
        """The position after spaces."""
        space = SPACE.match(self.text, self.position, self.end)
        return Place(self.path, self.text, space.end() if space else self.end)

    def at(self, pattern: str) -> re.Match[str] | None:
        """Returns the pattern if it is next, and moves nowhere."""
        compiled = re.compile(pattern, re.DOTALL)
        return compiled.match(self.text, self.place.offset, self.end)

    def match(self, pattern: str) -> re.Match[str] | None:
        """Moves over the pattern, if it is next."""
        match = self.at(pattern)
        self.position = match.end() if match else self.position
        return match

    def expect(self, pattern: str, what: str) -> re.Match[str]:
        """Moves over the pattern, which must be next. Errors call it ``what``."""
        return self.match(pattern) or self.place.expected(what)

    def until(self, ends: str) -> str:
        """Reads up to one of the characters, which stays, and not one within brackets."""
        start = self.place
        depth = 0
        for piece in PIECE.finditer(self.text, start.offset, self.end):
            if not depth and piece[0] in ends:
                self.position = piece.start()
                return self.text[start.offset : piece.start()].strip()
            depth += (piece[0] in "([{") - (piece[0] in ")]}")
        start.expected(" or ".join(map(repr, ends)) + " behind this")

    def block(self) -> str:
        """Reads C++ code in braces, in ``%{ %}`` or in quotes."""
        if code := self.match(r"%\{(.*?)%\}"):
            return code[1]
        if text := self.match(TEXT):
            return re.sub(r"\\(.)", r"\1", text[0][1:-1])
        self.expect(r"\{", "a block: { code }")
        code_text = self.until("}")
        self.expect("}", "'}'")
        return code_text


def _blank(match: re.Match[str]) -> str:
    """Replaces a comment by as many spaces, and no string."""
    return re.sub(r"[^\n]", " ", match[0]) if match[0].startswith("/") else match[0]
