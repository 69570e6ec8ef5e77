"""The messages of a compiler or a linker about an answer, for a student.

All of it may be forged by the text that was compiled: ``#pragma message`` prints any
lines, and ``#line`` claims any file. The text is read line by line, in linear time. Only
lines of the answer's own files are quoted.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from minitf_lab import project
from minitf_lab.results import plain

MAX_SAID = 1 << 20  # characters that are read
MAX_COLUMNS = 2000  # of a line
MAX_MESSAGES = 8000  # characters that are shown
# No part of it can match in two ways.
PLACE = re.compile(r"([^\s:]+):(\d{1,7}):(\d{1,7}): (.*)")
TOOLS = ("cc1plus", "collect2", "/usr/bin/ld")
OF_GCC = "/usr/lib/gcc/"
# A module leaves to Python what is Python's.
PYTHONS = re.compile(r"undefined reference to [`']_?Py[A-Z_]")


@dataclass
class _Message:
    """A message, with the lines before it that say how the compiler came there.

    Attributes:
        file: What the compiler calls it; empty if the message is about no place.
        kind: Such as ``error`` or ``fatal error``.
    """

    before: list[str]
    lines: list[str] = field(default_factory=list)
    file: str = ""
    line: int = 0
    column: int = 0
    kind: str = ""


def lines_of(said: str) -> list[str]:
    """The lines of what was said, without control characters, cut to a limit."""
    return [line[:MAX_COLUMNS] for line in plain(said[:MAX_SAID]).split("\n")]


def without_python(said: str) -> str:
    """Drops the lines of a linker about names that Python will define."""
    lines = said[:MAX_SAID].split("\n")
    return "\n".join(line for line in lines if not PYTHONS.search(line))


def names_after(words: str, lines: Iterable[str]) -> list[str]:
    """The names in quotes that a linker puts after ``words``, sorted.

    >>> names_after("undefined reference to", ["a.o: undefined reference to `f(int)'"])
    ['f(int)']
    """
    found = set()
    for line in lines:
        _, between, rest = line.partition(f"{words} ")
        if between and rest[:1] in {"`", "'"} and "'" in rest[1:]:
            found.add(rest[1 : rest.rindex("'")])
    return sorted(found)


def _is_context(line: str) -> bool:
    """Whether a line says how the compiler came to the place of the next message."""
    first, _, rest = line.partition(": ")
    if rest and " " not in first:
        return rest.startswith(("In ", "At ", " "))
    starts = ("In file included from ", "In function ", "In member function ")
    return line.startswith(starts) or line.lstrip().startswith(("from ", "inlined from "))


def _is_quote(line: str) -> bool:
    """Whether a compiler quotes a source in a line, or points at something above it."""
    return line.lstrip(" 0123456789").startswith("|") and line[:1] in " 0123456789"


def _messages(lines: Iterable[str]) -> Iterator[_Message]:
    """The messages of a compiler, each with its lines."""
    before: list[str] = []
    current: _Message | None = None
    for line in lines:
        found = PLACE.fullmatch(line)
        if _is_context(line) or (found and found[4].startswith(" ")):
            before.append(line)
            if current:
                yield current
            current = None
        elif found or current is None:
            if current:
                yield current
            current = _Message(before, [line])
            before = []
            if found:
                current.file, current.kind = found[1], found[4].partition(": ")[0]
                current.line, current.column = int(found[2]), int(found[3])
        else:
            current.lines.append(line)
    if current:
        yield current
    elif before:
        yield _Message(before)


def _quoted(message: _Message, text: str) -> list[str]:
    """The answer's line that a message is about; for its first column also that before.

    There the compiler met the end that is put to a region, and misses something above.
    """
    lines = text.split("\n")
    first = message.line - 1 if message.column == 1 else message.line
    shown = range(first, message.line + 1)
    return [f"{i:5} | {lines[i - 1]}" for i in shown if 0 < i <= len(lines)]


def _shown(message: _Message, sources: Mapping[str, str]) -> list[str]:
    """The lines of a message that are shown, with what is quoted."""
    lines = [line for line in message.lines if not _is_quote(line)]
    if message.file not in sources:
        return [*message.before, *lines]
    # How the compiler came there names types of a template, which are of no interest.
    before = [
        line
        for line in message.before
        if not PLACE.fullmatch(line) and ": In instantiation of " not in line
    ]
    return [*before, lines[0], *_quoted(message, sources[message.file]), *lines[1:]]


def student_messages(said: str, sources: Mapping[str, str] | None = None) -> str:
    """The messages of a compiler or a linker, the answer's first, without our paths.

    A function that is missing is named, in place of the linker's lines about it.

    ``sources`` has, for what the compiler calls each file of the answer, its text.
    """
    sources = sources or {}
    lines = lines_of(said)
    if missing := names_after("undefined reference to", lines):
        names = "\n".join(f"  {name}" for name in missing)
        return f"your file lacks what the rest of minitf uses:\n{names}"
    lines = [line.replace(f"{project.ROOT}/", "") for line in lines]
    lines = [line for line in lines if line.strip() and not line.startswith(TOOLS)]
    first: dict[object, _Message] = {}
    for message in _messages(lines):
        if message.file.startswith(OF_GCC) and message.kind in {"warning", "note"}:
            continue  # GCC 12 has thousands of them about its functions for AVX-512
        # A message about the answer's line comes anew for each type of a template.
        place = (message.file, message.line, message.column, message.kind)
        key = place if message.file in sources else "\n".join(message.lines)
        first.setdefault(key, message)
    ordered = sorted(
        first.values(), key=lambda one: one.file not in sources or "error" not in one.kind
    )
    shown = [line for message in ordered for line in _shown(message, sources)]
    return project.compiler_output("\n".join(shown))[:MAX_MESSAGES] if shown else ""
