"""What two programs have in common, however their names were changed.

A program becomes a row of tokens in which all names are equal, all numbers and all
strings. Each ``LENGTH`` tokens in a row have a hash, and of each ``WINDOW`` hashes in a
row the least is kept: then any ``LENGTH + WINDOW - 1`` equal tokens share a kept hash.
(Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003.)
"""

import hashlib
import keyword
import re
from dataclasses import dataclass

LENGTH = 14  # tokens
WINDOW = 8  # hashes

# The words of C++ that say what a program does.
CPP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto bool break case catch char class const constexpr continue default delete do
        double else enum explicit false float for if inline int int64_t long namespace
        new nullptr operator private public return short signed size_t sizeof static
        struct switch template this throw true try typename unsigned using virtual void
        while
        """,
    )
)
PYTHON_WORDS = frozenset(keyword.kwlist)

_STRING = r'"(?:\\.|[^"\\\n])*"?' + r"|'(?:\\.|[^'\\\n])*'?"
_REST = r"|(?P<name>[^\W\d]\w*)|(?P<number>\.?\d[\w.]*)|(?P<other>[^\w\s])"
CPP = re.compile(
    rf"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>{_STRING}){_REST}", re.S
)
PYTHON = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<string>""".*?(?:"""|\Z)' + r"|'''.*?(?:'''|\Z)"
    rf"|{_STRING}){_REST}",
    re.S,
)


@dataclass(frozen=True)
class Print:
    """A kept hash, and where its tokens stand.

    Attributes:
        first: The line of its first token, from 1.
        last: The line of its last one.
    """

    digest: bytes
    first: int
    last: int


def tokens(source: str, *, is_python: bool) -> list[tuple[str, int]]:
    """The tokens of a program, each with its line.

    >>> [word for word, _ in tokens("float sum = 2 * x;  // twice", is_python=False)]
    ['float', 'N', '=', '0', '*', 'N', ';']
    """
    words = PYTHON_WORDS if is_python else CPP_WORDS
    found, line, end = [], 1, 0
    for match in (PYTHON if is_python else CPP).finditer(source):
        line += source.count("\n", end, match.start())
        end = match.start()
        kind, word = match.lastgroup, match.group()
        if kind == "name":
            found.append((word if word in words else "N", line))
        elif kind in ("number", "string"):
            found.append(("0" if kind == "number" else "S", line))
        elif kind == "other":
            found.append((word, line))
    return found


def grams(source: str, *, is_python: bool, first_line: int = 1) -> list[Print]:
    """The hashes of all ``LENGTH`` tokens in a row; the first line has this number."""
    row = tokens(source, is_python=is_python)
    found = []
    for i in range(len(row) - LENGTH + 1):
        part = row[i : i + LENGTH]
        said = " ".join(word for word, _ in part).encode(errors="replace")
        digest = hashlib.blake2b(said, digest_size=8).digest()
        shift = first_line - 1
        found.append(Print(digest, part[0][1] + shift, part[-1][1] + shift))
    return found


def prints(source: str, *, is_python: bool, first_line: int = 1) -> list[Print]:
    """The kept hashes of a program whose first line has this number."""
    every = grams(source, is_python=is_python, first_line=first_line)
    kept: list[Print] = []
    last = -1
    for i in range(max(1, len(every) - WINDOW + 1) if every else 0):
        window = range(i, min(i + WINDOW, len(every)))
        # The last one of the least: then a long repetition keeps few.
        least = min(window, key=lambda j: (every[j].digest, -j))
        if least != last:
            kept.append(every[least])
            last = least
    return kept
