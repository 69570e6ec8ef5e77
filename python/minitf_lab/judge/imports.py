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
    room = Room(tuple(objects), limits=LIMITS, is_filtered=True)
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


class _Imports:
    """What the imports of a file have brought, and what names mean by them."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._meant: dict[str, str] = {}
        self._all_of: set[str] = set()

    def add(self, node: ast.Import | ast.ImportFrom) -> None:
        """Takes note of a statement."""
        is_from = isinstance(node, ast.ImportFrom)
        module = f"{'.' * node.level}{node.module or ''}." if is_from else ""
        for one in node.names:
            name = f"{module}{one.name}"
            self.names.add(name)
            if one.name == "*":
                self._all_of.add(module)
            elif is_from or one.asname:
                self._meant[one.asname or one.name] = name

    def meanings(self, first: str) -> list[str]:
        """What the first of some names with dots between them may stand for."""
        if first in self._meant:
            return [self._meant[first]]
        return [first, *(f"{module}{first}" for module in self._all_of)]


def _part_of(node: ast.expr) -> tuple[str, ast.expr] | None:
    """The name of an attribute or element, and what has it; None for other nodes."""
    match node:
        case ast.Attribute(value=whole, attr=name):
            return name, whole
        case ast.Subscript(value=whole, slice=ast.Constant(value=str(name))):
            return name, whole
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr" | "setattr"),
            args=[whole, ast.Constant(value=str(name)), *_],
        ):
            return name, whole
    return None


def _dotted(node: ast.expr) -> list[str]:
    """The names that a node is made of; the first is "()" for a nameless value."""
    parts: list[str] = []
    while found := _part_of(node):
        name, node = found
        parts.append(name)
    return [node.id if isinstance(node, ast.Name) else "()", *reversed(parts)]


def of_python(source: str) -> set[str]:
    r"""The names that a Python file uses, in full; none if it is no Python.

    >>> sorted(of_python("import os.path as p\nfrom a import b\np.join(b.c)"))
    ['a.b', 'a.b.c', 'os.path', 'os.path.join']
    >>> sorted(of_python("import a\ngetattr(a, 'b')\n(lambda: 0).c"))
    ['().c', 'a', 'a.b', 'getattr']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = _Imports()
    used: list[list[str]] = []
    for node in ast.walk(tree):  # no recursion: expressions may nest deeply
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.add(node)
        elif isinstance(node, ast.Name) or _part_of(node):
            used.append(_dotted(node))
    # What is imported in a function counts from the file's first line.
    return found.names | {
        ".".join([meaning, *rest])
        for first, *rest in used
        for meaning in found.meanings(first)
    }


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
