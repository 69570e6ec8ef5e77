"""The rooms of docs/architecture.md: what lies where, how large it may be, what it sees.

    python tests/rooms.py            prints the sizes of all rooms and their sums
    python tests/rooms.py --write    writes the numbers of the table anew

A room is a folder with a row in the table of docs/architecture.md. A folder without a row
belongs to the room around it. The rows say:

    files, lines    as counted; lines may differ by 150 from the count
    budget          what lines must not exceed
    includes        the rooms whose headers its C++ files may include, beside their own:
                    names, or "all above" for all rows above. A dash: the room is Python

Core, families and Python have budgets as wholes, too, in lines of code: those that are
neither empty, nor a comment, nor the text of a docstring, nor an include. A budget that
counted comments would be kept by writing fewer.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = Path("docs/architecture.md")
TOPS = ("minitf", "kernels", "python/bindings", "python/minitf", "python/minitf_lab")
SUFFIXES = {".cc", ".h", ".cu", ".py", ".proto"}
MAX_FILES = 30
TESTS = Path("tests/python")
FAMILY = re.compile(r"/contrib/")
NEAR = 150  # lines
ROW = re.compile(
    r"^\| `(?P<name>[\w/]+)` \| (?P<holds>[^|]+) \| (?P<files>\d+) \| (?P<lines>\d+) "
    r"\| (?P<budget>\d+) \| (?P<includes>[^|]+) \|$"
)
INCLUDE = re.compile(r'^#include "((?:minitf|kernels|python)/[^"]+)"', re.MULTILINE)


@dataclass
class Room:
    """A row of the table."""

    name: str
    holds: str
    files: int
    lines: int
    budget: int
    includes: str


@cache
def rooms() -> dict[str, Room]:
    """All rooms, in the order of the table."""
    found = [ROW.match(line) for line in PAGE.read_text().splitlines()]
    rows = [
        Room(m[1], m[2], int(m[3]), int(m[4]), int(m[5]), m[6].strip())
        for m in found
        if m
    ]
    return {room.name: room for room in rows}


def room_of(path: str) -> str:
    """The name of the room in which ``path`` lies; empty if there is none."""
    folder = Path(path).parent
    while str(folder) != "." and str(folder) not in rooms():
        folder = folder.parent
    return "" if str(folder) == "." else str(folder)


@cache
def members() -> dict[str, list[Path]]:
    """The files of every room; under "" those that lie in none."""
    found: dict[str, list[Path]] = {name: [] for name in ["", *rooms()]}
    for top in TOPS:
        for path in sorted(Path(top).rglob("*")):
            if path.suffix in SUFFIXES and "__pycache__" not in path.parts:
                found[room_of(str(path))].append(path)
    return found


def lines_of(paths: list[Path]) -> int:
    """How many lines the files have."""
    return sum(path.read_text().count("\n") for path in paths)


def seen_from(name: str) -> set[str]:
    """The rooms that the room may include, itself among them."""
    names = list(rooms())
    includes = rooms()[name].includes
    above = names[: names.index(name)]
    if includes == "all above":
        return {name, *above}
    seen = {name}
    for word in includes.split(", "):
        seen |= {n for n in names if n.removeprefix("minitf/") == word or n == word}
        seen |= {n for n in names if n.removeprefix("kernels/cpu/") == word}
    return seen


def check_rows() -> Iterator[str]:
    """A room has one row, and so one budget."""
    found = Counter(
        row[1] for row in map(ROW.match, PAGE.read_text().splitlines()) if row
    )
    for name, rows in found.items():
        if rows > 1:
            yield f"{PAGE}: the room {name} has {rows} rows"


def check_sizes() -> Iterator[str]:
    """No room is crowded or over its budget; the table says what there is."""
    for path in members()[""]:
        yield f"{path}: lies in no room of {PAGE}"
    for name, room in rooms().items():
        files = members()[name]
        lines = lines_of(files)
        if not files:
            yield f"{PAGE}: the room {name} is empty"
        if len(files) > MAX_FILES:
            yield f"{name}: has {len(files)} files, more than {MAX_FILES}"
        if lines > room.budget:
            yield f"{name}: has {lines} lines, more than its budget of {room.budget}"
        if len(files) != room.files or abs(lines - room.lines) > NEAR:
            yield (
                f"{PAGE}: {name} has {len(files)} files and {lines} lines, the table "
                f"says {room.files} and {room.lines}: run python tests/rooms.py --write"
            )


def check_tests() -> Iterator[str]:
    """Folders of tests in Python have no rows, but are not crowded either."""
    folders = Counter(path.parent for path in TESTS.rglob("*.py"))
    for folder, files in folders.items():
        if files > MAX_FILES:
            yield f"{folder}: has {files} files, more than {MAX_FILES}"


def check_names() -> Iterator[str]:
    """The rooms that a row lets a room include exist."""
    for name, room in rooms().items():
        if room.includes in {"all above", "none", "-"}:
            continue
        words = room.includes.split(", ")
        if len(seen_from(name)) != 1 + len(words):
            yield f"{PAGE}: {name} includes a room that the table lacks: {room.includes}"


def check_includes() -> Iterator[str]:
    """Files include headers of the rooms that their own may include."""
    for name in rooms():
        seen = seen_from(name)
        for path in members()[name]:
            if path.suffix not in {".cc", ".h", ".cu"}:
                continue
            for include in INCLUDE.findall(path.read_text()):
                other = room_of(include)
                if other not in seen and not include.endswith(".pb.h"):
                    yield f"{path}: must not include {include}, which lies in {other}"


def findings() -> Iterator[str]:
    """Everything that is wrong, a sentence each."""
    yield from check_rows()
    yield from check_sizes()
    yield from check_tests()
    yield from check_sums()
    yield from check_names()
    yield from check_includes()


def write() -> None:
    """Writes the numbers of files and lines into the table."""

    def counted(line: str) -> str:
        match = ROW.match(line)
        if not match:
            return line
        files = members()[match["name"]]
        size = f"{len(files)} | {lines_of(files)}"
        return (
            f"| `{match['name']}` | {match['holds']} | {size} | {match['budget']} "
            f"| {match['includes']} |"
        )

    text = PAGE.read_text()
    PAGE.write_text("\n".join(counted(line) for line in text.split("\n")))


SPACE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER),
    *(tokenize.INDENT, tokenize.DEDENT),
}


def python_code_lines(text: str) -> int:
    """How many lines have more than a comment, or a string that stands for itself."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SPACE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return sum(
        number in lines and bool(line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
    )


def code_lines(path: Path) -> int:
    """How many lines are neither empty, nor a comment, nor for the preprocessor."""
    text = path.read_text()
    if path.suffix == ".py":
        return python_code_lines(text)
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith(("//", "#")))


def sums() -> Iterator[tuple[str, list[Path], int]]:
    """What the budgets of the whole are about: a title, files, and lines of code."""
    everything = [(name, path) for name, paths in members().items() for path in paths]
    cpp = [
        (name, path)
        for name, path in everything
        if path.suffix in {".cc", ".h", ".cu"} and not name.startswith("python/")
    ]
    # The emulator is no part of the framework, nor are its tools in Python: it needs
    # nothing of it, and is not needed.
    emulator = [
        path
        for name, path in everything
        if name.startswith("kernels/simt") and path.suffix in {".cc", ".h", ".py"}
    ]
    # Kernels of cards lie in a library of their own, which minitf runs without.
    cards = [path for name, path in cpp if name.startswith("kernels/gpu")]
    own = [(name, path) for name, path in cpp if path not in emulator + cards]
    core = [path for name, path in own if not FAMILY.search(name)]
    yield "C++ of the core", core, 35_550
    yield "C++ of core and families", [path for _, path in own], 42_300
    yield "The emulator", emulator, 4_530
    yield "CUDA and C++ for cards", cards, 5_450
    python = [
        path
        for name, path in everything
        if path.suffix == ".py"
        and not name.startswith(("python/minitf_lab", "kernels/simt"))
    ]
    yield "Python", python, 21_700


def check_sums() -> Iterator[str]:
    """Core, families and Python are within their budgets."""
    for title, paths, budget in sums():
        code = sum(code_lines(path) for path in paths)
        if code > budget:
            yield f"{title}: {code} lines of code, more than the budget of {budget}"


def main() -> int:
    """Prints sizes, or writes them; returns 1 if something is wrong."""
    if "--write" in sys.argv:
        write()
        return 0
    for name, paths in members().items():
        print(f"{name or '(no room)':36} {len(paths):3} files {lines_of(paths):6} lines")
    for title, paths, budget in sums():
        code = sum(code_lines(path) for path in paths)
        print(f"{title}: {lines_of(paths)} lines, {code} of code, budget {budget}")
    found = list(findings())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
