"""The rooms and budgets of tests/rooms.toml: what lies where, how large it may be.

    python tests/rooms.py    prints every count beside its budget, and what is wrong

A room is a folder of sources with a row in the file. A folder without a row belongs to
the room around it. A row has the budget of lines and the rooms whose headers may be
included.
The file also has budgets for the whole: lines of code, tracked files, and tracked lines.
``tests/check_style.py`` runs the same checks.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from python_imports import circles

DATA = Path("tests/rooms.toml")
TOPS = (
    *("minitf", "kernels", "python/bindings", "python/minitf", "python/minitf_lab"),
    *("python/minitf_wrap", "python/swig"),
)
SUFFIXES = {".cc", ".h", ".cu", ".py", ".proto"}
MAX_FILES = 30
TESTS = Path("tests/python")
FAMILY = re.compile(r"/contrib/")
INCLUDE = re.compile(r'^#include "((?:minitf|kernels|python)/[^"]+)"', re.MULTILINE)
# The shape functions of ops use the registry, and the registry uses shapes.
CIRCLES = [["minitf/framework", "minitf/framework/shapes"]]
# A row may name minitf/base as "base", and kernels/cpu/common as "common".
SHORTENED = re.compile(r"^(minitf|kernels/cpu)/")


@dataclass(frozen=True)
class Room:
    """A row of a room; ``budget`` is in lines."""

    budget: int
    holds: str
    includes: list[str] | str = ()


@dataclass(frozen=True)
class Count:
    """How much there is of something, beside its budget; both in ``unit``."""

    name: str
    number: int
    budget: int
    unit: str


@cache
def data() -> dict[str, dict]:
    """All tables of the file.

    Raises:
        tomllib.TOMLDecodeError: a room has two rows, or the file is not TOML.
    """
    return tomllib.loads(DATA.read_text())


@cache
def rooms() -> dict[str, Room]:
    """All rooms by name, in the order of the file.

    Raises:
        ValueError: a row lacks a value, or has one that no room has.
    """
    found = {}
    for name, row in data()["rooms"].items():
        try:
            found[name] = Room(**row)
        except TypeError as error:
            raise ValueError(f"the row of {name} is wrong: {error}") from error
        if not isinstance(found[name].budget, int):
            raise ValueError(f"{name}: budget is {row['budget']!r}, expected a number")
    return found


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


def named(word: str) -> list[str]:
    """Returns the names that ``word`` means, whole or shortened."""
    return [name for name in rooms() if word in (name, SHORTENED.sub("", name))]


def seen_from(name: str) -> set[str]:
    """The rooms that the room may include, itself among them."""
    names = list(rooms())
    includes = rooms()[name].includes
    if includes == "all above":
        return {name, *names[: names.index(name)]}
    return {name, *(other for word in includes for other in named(word))}


def check_sizes() -> Iterator[str]:
    """Every source lies in a room, and no room is empty, crowded or over its budget."""
    for path in members()[""]:
        yield f"{path}: lies in no room of {DATA}"
    for name, room in rooms().items():
        files = members()[name]
        lines = lines_of(files)
        if not files:
            yield f"{DATA}: the room {name} is empty"
        if len(files) > MAX_FILES:
            yield f"{name}: has {len(files)} files, more than {MAX_FILES}"
        if lines > room.budget:
            yield f"{name}: has {lines} lines, more than its budget of {room.budget}"


def check_tests() -> Iterator[str]:
    """Folders of tests in Python have no rows, but are not crowded either."""
    folders = Counter(path.parent for path in TESTS.rglob("*.py"))
    for folder, files in folders.items():
        if files > MAX_FILES:
            yield f"{folder}: has {files} files, more than {MAX_FILES}"


def check_names() -> Iterator[str]:
    """The rooms that a row lets a room include exist."""
    for name, room in rooms().items():
        for word in () if room.includes == "all above" else room.includes:
            if len(named(word)) != 1:
                yield f"{DATA}: {name} includes {word!r}, which means {named(word)}"


def check_circles() -> Iterator[str]:
    """The rooms that may include each other are those of ``CIRCLES``."""
    for group in circles({name: seen_from(name) - {name} for name in rooms()}):
        if group not in CIRCLES:
            yield f"{DATA}: these rooms include each other: {', '.join(group)}"


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


def parts() -> Iterator[tuple[str, list[Path]]]:
    """The parts whose lines of code have a budget: their names and files."""
    everything = [(name, path) for name, paths in members().items() for path in paths]
    cpp = [
        (name, path)
        for name, path in everything
        if path.suffix in {".cc", ".h", ".cu"} and not name.startswith("python/")
    ]
    # The emulator and its tools in Python are no part of the framework: neither needs
    # the other.
    emulator = [
        path
        for name, path in everything
        if name.startswith("kernels/simt") and path.suffix in {".cc", ".h", ".py"}
    ]
    # GPU kernels are a library of their own, which minitf runs without.
    gpu = [path for name, path in cpp if name.startswith("kernels/gpu")]
    # The C API is one, too.
    c_api = [path for name, path in cpp if f"{name}/".startswith("minitf/c/")]
    own = [(name, path) for name, path in cpp if path not in emulator + gpu + c_api]
    yield "core, C++", [path for name, path in own if not FAMILY.search(name)]
    yield "core and extensions, C++", [path for _, path in own]
    yield "C API, C++", c_api
    yield "emulator", emulator
    yield "GPU kernels", gpu
    python = [
        path
        for name, path in everything
        if path.suffix == ".py"
        and not name.startswith(
            ("python/minitf_lab", "python/minitf_wrap", "kernels/simt")
        )
    ]
    yield "Python", python
    yield (
        "generator of bindings",
        [
            path
            for name, path in everything
            if name.startswith("python/minitf_wrap") and path.suffix == ".py"
        ],
    )


@cache
def tracked() -> dict[Path, int]:
    """The files that git tracks, with their lines; a file that is not text has none.

    A copy of the sources without a repository has no tracked files.
    """
    if not Path(".git").exists():
        return {}
    command = ["git", "ls-files", "-z"]
    names = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    paths = [Path(name) for name in names.split("\0") if name and Path(name).is_file()]
    texts = {path: path.read_bytes() for path in paths}
    return {
        path: 0 if b"\0" in text else text.count(b"\n") for path, text in texts.items()
    }


@cache
def counts() -> list[Count]:
    """Everything but rooms that has a budget."""
    found = []
    for name, paths in parts():
        code = sum(code_lines(path) for path in paths)
        found.append(Count(name, code, data()["code"][name], "lines of code"))
    for unit in ("files", "lines") if tracked() else ():
        for top, budget in data()[unit].items():
            below = [
                1 if unit == "files" else lines
                for path, lines in tracked().items()
                if path.is_relative_to(top)
            ]
            found.append(Count(top, sum(below), budget, f"tracked {unit}"))
    return found


def check_counts() -> Iterator[str]:
    """What has a budget is there, and within its budget."""
    for name in data()["code"].keys() - {name for name, _ in parts()}:
        yield f"{DATA}: no part of the sources is called {name!r}"
    for count in counts():
        if not count.number:
            yield f"{DATA}: {count.name} has no {count.unit}"
        if count.number > count.budget:
            yield (
                f"{count.name}: {count.number} {count.unit}, more than the budget of "
                f"{count.budget}"
            )


def findings() -> Iterator[str]:
    """Everything that is wrong, a sentence each."""
    try:
        rooms()
    except ValueError as error:  # also from tomllib
        yield f"{DATA}: {error}"
        return
    yield from check_sizes()
    yield from check_tests()
    yield from check_counts()
    yield from check_names()
    yield from check_circles()
    yield from check_includes()


def table() -> Iterator[str]:
    """Every count beside its budget, a line each."""
    yield f"{'room':34} {'files':>7} {'lines':>7} {'budget':>7}"
    for name, room in rooms().items():
        files = members()[name]
        yield f"{name:34} {len(files):7} {lines_of(files):7} {room.budget:7}"
    for count in counts():
        what = f"{count.name}: {count.unit}"
        yield f"{what:42} {count.number:7} {count.budget:7}"


def main() -> int:
    """Prints all counts and findings; returns 1 if something is wrong."""
    try:
        print("\n".join(table()))
    except ValueError as error:  # also from tomllib
        print(f"{DATA}: {error}")
        return 1
    found = list(findings())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
