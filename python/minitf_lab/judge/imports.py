"""What a unit calls of others: names that an object imports, or a Python file uses.

A compiled file says which functions it does not hold itself, and a Python file is read
without being run. That finds what is used openly; who wants to hide a call can, and what
he hides it with is on the list of what an instructor is told.
"""

import ast
import fnmatch
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from minitf_lab.judge.compile_box import listen
from minitf_lab.judge.sandbox import Box, Room

NM = "/usr/bin/nm"
LIMITS = {"cpu": 20, "data": 1 << 30, "fsize": 1 << 20, "nproc": 8}


class UnreadableError(Exception):
    """Nobody can say what an object imports."""


def of_objects(objects: list[Path], box: Box) -> dict[Path, set[str]]:
    """The functions and variables that each object takes from others.

    Raises:
        UnreadableError: they are too odd, or too many.
    """
    room = Room(tuple(objects), limits=LIMITS)
    process = box.start(
        [NM, "--undefined-only", "--demangle", "--print-file-name", *map(str, objects)],
        room,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    said = listen(process)
    process.stdout.close()
    if said.cause:
        # What it said names folders that have another name the next time.
        raise UnreadableError("nm does not read them, or has too much to say")
    found: dict[Path, set[str]] = {path: set() for path in objects}
    for line in said.text.split("\n"):
        # Of one of ours: what a name in an object says begins no line.
        for path in objects:
            if line.startswith(f"{path}:"):
                found[path].add(_called(line.removeprefix(f"{path}:").split(None, 1)[-1]))
    return found


def _called(text: str) -> str:
    """The name in front of arguments.

    >>> _called("minitf::Attrs::Find[abi:cxx11](char const*) const"), _called("U dlopen")
    ('minitf::Attrs::Find', 'dlopen')
    """
    name = re.sub(r"^[UwvV] ", "", text.strip())
    return re.split(r"\[abi:|\((?!anonymous)", name)[0]


class _Uses(ast.NodeVisitor):
    """Collects dotted names, with what they were imported as."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._meant: dict[str, str] = {}

    def visit_Import(self, node: ast.Import) -> None:
        for one in node.names:
            self.names.add(one.name)
            first = one.name.partition(".")[0]
            self._meant[one.asname or first] = one.name if one.asname else first

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for one in node.names:
            name = f"{'.' * node.level}{node.module or ''}.{one.name}"
            self.names.add(name)
            self._meant[one.asname or one.name] = name

    def visit_Name(self, node: ast.Name) -> None:
        self.names.add(self._meant.get(node.id, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name):
            parts.append(self._meant.get(value.id, value.id))
            self.names.add(".".join(reversed(parts)))
        self.generic_visit(node)


def of_python(source: str) -> set[str]:
    r"""The names that a Python file uses, in full; none if it is no Python.

    >>> sorted(of_python("import os.path as p\nfrom a import b\np.join(b.c)"))
    ['a.b', 'a.b.c', 'os.path', 'os.path.join']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    uses = _Uses()
    try:
        # What is imported in a function counts from the file's first line.
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                uses.visit(node)
        uses.visit(tree)
    except RecursionError:
        return uses.names
    return uses.names


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Those of ``names`` that one of ``patterns`` means: that name, or what is in it.

    >>> matching({"dlopen", "os.system", "os.path"}, ["dl*", "os.system"])
    ['dlopen', 'os.system']
    >>> matching({"minitf::Session::Run", "ctypes.CDLL"}, ["minitf::Session", "ctypes"])
    ['ctypes.CDLL', 'minitf::Session::Run']
    """
    wanted = [form for one in patterns for form in (one, f"{one}.*", f"{one}::*")]
    return sorted(
        name for name in names if any(fnmatch.fnmatchcase(name, one) for one in wanted)
    )


def shown(names: list[str]) -> str:
    """Some names for a sentence."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(name[:80] for name in names[:5]) + more
