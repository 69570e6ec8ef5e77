"""Checks the rules of style that no formatter knows. Run it from the top folder.

Each rule is a function that yields (line number, sentence).
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import op_names
import python_imports
import reading_tour
import rooms
from check_docs import OUR_PATH

MAX_LINES = 500
MAX_COLUMNS = 90

# Tests of a family lie with the others of that family.
FAMILY = re.compile(r"(?:minitf|tests)/contrib/(?P<name>\w+)/")
MACROS = {
    "MINITF_NAME",
    "MINITF_NAME_2",
    "MINITF_TODO",
    "OP_REQUIRES",
    "OP_REQUIRES_OK",
    "REGISTER_GRADIENT",
    "REGISTER_KERNEL",
    "REGISTER_OP",
    "VLOG",
}
# The exports of libminitf_c.so, and the checks of tests in C.
MACROS |= {"TF_CAPI_EXPORT", "CHECK", "CHECK_EQ", "CHECK_TEXT", "CHECK_OK", "CHECK_CODE"}
# Switches of Eigen that must be set before it is included.
MACROS |= {"EIGEN_USE_THREADS"}
# Macros of headers in C: exports, and the checks of tests.
MACROS |= {"TF_CAPI_EXPORT"}
MACROS |= {"CHECK", "CHECK_CODE", "CHECK_EQ", "CHECK_OK", "CHECK_TEXT"}
# What Highway reads to include a file once for each kind of vector.
MACROS |= {"HWY_TARGET_INCLUDE"}
# Names that C++ reserves, and those of them that a compiler or a library has.
RESERVED = re.compile(r"\b(?:_[A-Z]|\w*__)\w*")
TAKEN = re.compile(
    r"__\w+__|__((builtin|has|sync|shfl|ldg)\w*|restrict|cplusplus|u?int128\w*|m\d+\w*)"
    r"|_(mm|MM|SC|Py)_\w+|_Float16"
)
FOLDERS = ["minitf", "kernels", "exercises", "tests", "python"]
OF_LABS = "minitf/base/lab.h"
INCLUDE = re.compile(r'#include "(?P<path>[^"]+)"')
# Made by a build, or named as an example of what a user may have.
NOT_IN_REPOSITORY = re.compile(r"\.(so|o|whl|pb\.h)$")

# Tables with a line for each function, however long.
TABLES = re.compile(r"tests/differential/table_\w+\.py")

Findings = Iterator[tuple[int, str]]


def check_size(path: Path, lines: list[str]) -> Findings:
    """A file has at most 500 lines of at most 90 columns."""
    if len(lines) > MAX_LINES:
        yield len(lines), f"file has {len(lines)} lines, more than {MAX_LINES}"
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_COLUMNS and not TABLES.fullmatch(str(path)):
            yield number, f"line has {len(line)} columns, more than {MAX_COLUMNS}"


def check_opening(path: Path, lines: list[str]) -> Findings:
    """A file opens with what it is; a header leads on to the next."""
    if not lines or not re.match(r'// [A-Z].*|r?"""\S', lines[0]):
        yield 1, "the first line must say what the file is"
    opening = "\n".join(lines).split("#pragma once")[0]
    if path.suffix == ".h" and "Read next" not in opening and path.parts[0] != "tests":
        yield 1, "the opening comment of a header must end in 'Read next'"


def _is_framework(path: Path) -> bool:
    return path.parts[0] in {"minitf", "kernels"} and path.stem != "lab"


def check_includes(path: Path, lines: list[str]) -> Findings:
    """Includes are full paths; what a room may include is in tests/rooms.toml."""
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line)
        if not include or include["path"].startswith(("gtest/", "gmock/")):
            continue
        source = re.sub(r"\.pb\.h$", ".proto", include["path"])  # protoc makes the header
        if not Path(source).exists():
            yield number, f"{include['path']} is not a path from the top folder"
        elif include["path"].startswith(("exercises", "solutions")):
            yield number, "nothing includes exercises or solutions"
        elif include["path"] == OF_LABS and _is_framework(path):
            yield number, f"{OF_LABS} is not for the framework: ./lab gen inserts it"


def check_tests(path: Path, lines: list[str]) -> Findings:
    """A test includes a family only if it is of this family, or of a lab."""
    if path.parts[0] != "tests" or path.parts[1] in ("fuzz", "labs"):
        return
    own = FAMILY.match(str(path))
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line)
        other = include and FAMILY.match(include["path"])
        if other and other["name"] != (own and own["name"]):
            yield number, f"must not include the family {other['name']}"


def check_paths(path: Path, lines: list[str]) -> Findings:
    """A file that a comment names exists."""
    for number, line in enumerate(lines, start=1):
        for mention in OUR_PATH.findall(line):
            if not Path(mention).exists() and not NOT_IN_REPOSITORY.search(mention):
                yield number, f"{mention} does not exist"


@cache
def listed_files() -> frozenset[str]:
    """All files that some CMakeLists.txt lists, and the files of the labs."""
    found = set()
    for top in ("minitf", "kernels", "tests", "python"):
        for lists in Path(top).rglob("CMakeLists.txt"):
            names = re.findall(r"^\s+([\w./]+\.cc)$", lists.read_text(), re.M)
            found |= {f"{lists.parent}/{name}" for name in names}
    for manifest in Path("exercises").glob("*/lab.json"):
        for file in json.loads(manifest.read_text())["files"]:
            found.add(f"{manifest.parent}/{Path(file).name}")
    found |= {str(path) for path in Path("tests/labs").glob("*/driver.cc")}
    return frozenset(found)


def check_listed(path: Path, lines: list[str]) -> Findings:
    """What is there is built."""
    if path.suffix == ".cc" and str(path) not in listed_files():
        yield 1, "no CMakeLists.txt lists this file"


def is_cuda(path: Path) -> bool:
    """Whether a file defines or uses CUDA's names, or those of a compiler's hooks."""
    return path.suffix == ".cu" or bool({"simt", "gpu"} & set(path.parts))


def check_macros(path: Path, lines: list[str]) -> Findings:
    """There are nine macros; of CUDA's files each is a word of CUDA, or makes many."""
    if is_cuda(path):
        return
    for number, line in enumerate(lines, start=1):
        define = re.match(r"\s*#define (\w+)", line)
        if define and define[1] not in MACROS:
            yield number, f"macro {define[1]} is not in the list of allowed macros"


def check_reserved(path: Path, lines: list[str]) -> Findings:
    """No name of ours is one that C++ reserves, but those that CUDA has taken."""
    if is_cuda(path):
        return
    for number, line in enumerate(lines, start=1):
        code = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)
        for name in RESERVED.findall(code):
            if not TAKEN.fullmatch(name):
                yield number, f"C++ reserves names such as {name}"


def check_todo(path: Path, lines: list[str]) -> Findings:
    """A TODO belongs to a lab."""
    for number, line in enumerate(lines, start=1):
        if re.search(r"\b(TODO|FIXME|XXX)\b(?!\([\d.x]+\))", line):
            yield number, "a TODO belongs to a task of a lab, TODO(04.2), or in an issue"


def check_once(path: Path, lines: list[str]) -> Findings:
    """A header is guarded; nobody opens a whole namespace."""
    if path.suffix == ".h" and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once"
    for number, line in enumerate(lines, start=1):
        if re.match(r"\s*using namespace\b", line):
            yield number, "no 'using namespace'"


TEXT_RULES = [check_size, check_opening, check_paths]
PYTHON_RULES = [
    *TEXT_RULES,
    python_imports.check_imports,
    op_names.check_named_in_python,
]
CPP_RULES = [
    *TEXT_RULES,
    check_includes,
    check_tests,
    check_listed,
    check_macros,
    check_reserved,
    check_once,
    check_todo,
    op_names.check_named,
]
RULES = {".h": CPP_RULES, ".cc": CPP_RULES, ".cu": CPP_RULES, ".py": PYTHON_RULES}


def findings() -> Iterator[str]:
    """Everything that is wrong, as ``path:line: sentence``."""
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            rules = RULES.get(path.suffix, [])
            lines = path.read_text().splitlines() if rules else []
            for rule in rules:
                for number, sentence in rule(path, lines):
                    yield f"{path}:{number}: {sentence}"
    for name in sorted(listed_files()):
        if not Path(name).exists():
            yield f"{name}: is listed, but does not exist"
    yield from op_names.findings()
    yield from rooms.findings()
    yield from python_imports.findings()
    yield from reading_tour.findings()


def main() -> int:
    """Prints every finding; returns 1 if there is one."""
    found = list(findings())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
