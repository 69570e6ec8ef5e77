"""What the answer of a check depends on, as a hash: the key of its verdict.

A key is made of contents only, never of the folder that the checkout is in: of files with
all of ours that they include, of the tools, and of how they are called.
"""

import hashlib
import json
import platform
import re
import shlex
import subprocess
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

from minitf_lab import project

INCLUDE = re.compile(rb'^\s*(?:#\s*include|import)\s*"([^"]+)"', re.MULTILINE)
# The project itself, without what a build or a run leaves behind.
TREE = (
    *("minitf", "kernels", "python", "exercises", "solutions", "tests", "docs", "cmake"),
    *("README.md", "CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "lab"),
    *(".clang-format", ".clang-tidy"),
)
# Packages that bring what our sources include, or that read or compile them.
# Where the build puts what it makes of a lab's matmul.cu in kernels/gpu: matmul.cu.cc.
TRANSLATED = "minitf_gpu_lab.dir"
PACKAGES = re.compile(r"-dev\b|^(g\+\+|gcc|cpp|clang|llvm|binutils|cmake|ninja|protobuf)")


def digest(*parts: str | bytes) -> str:
    """A hash of ``parts``.

    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data) + data)
    return total.hexdigest()


def _place(path: Path) -> str:
    """How a file is called in a key: from the top folder, wherever that is."""
    return str(path.relative_to(project.ROOT))


def _included(path: Path) -> list[Path]:
    """The files of ours that ``path`` includes: each is named from the top folder."""
    found = []
    for name in INCLUDE.findall(path.read_bytes()):
        # The header of a message is made of its .proto.
        source = project.ROOT / re.sub(r"\.pb\.h$", ".proto", name.decode())
        if source.is_file():  # GoogleTest's headers are the system's
            found.append(source)
    return found


def with_includes(*paths: Path) -> list[Path]:
    """``paths``, and every file of ours that they include, however far down."""
    found = dict.fromkeys(paths)
    waiting = list(paths)
    while waiting:
        for path in _included(waiting.pop()):
            if path not in found:
                found[path] = None
                waiting.append(path)
    return [*paths, *sorted(set(found) - set(paths))]


def of_files(paths: list[Path]) -> str:
    """A hash of the names and the contents of files."""
    return digest(*(part for path in paths for part in (_place(path), path.read_bytes())))


def library_sources() -> set[Path]:
    """The .cc files of minitf and of its tests, but those that a lab hands out."""
    handed_out = {project.ROOT / file for lab in project.all_labs() for file in lab.files}
    tops = [project.ROOT / name for name in ("minitf", "kernels", "python/bindings")]
    tops += [project.ROOT / "tests" / name for name in ("minitf", "kernels", "contrib")]
    return {path for top in tops for path in top.rglob("*.cc")} - handed_out


def kernel_sources() -> set[Path]:
    """Those of them that compute on the CPU, and their tests."""
    tops = [project.ROOT / "kernels" / "cpu", project.ROOT / "tests" / "kernels"]
    return {p for p in library_sources() if any(p.is_relative_to(top) for top in tops)}


def tree(*, without: str = "", leave_out: Collection[Path] = ()) -> str:
    """A hash of all files of the project but some.

    Files whose names end in ``without``, and those in ``leave_out``, do not count.
    """
    paths = []
    for name in TREE:
        top = project.ROOT / name
        inside = sorted(top.rglob("*")) if top.is_dir() else [top]
        paths += [path for path in inside if path.is_file()]
    made = re.compile(r"/__pycache__/|\.so$|\.pyc$")
    kept = [
        path
        for path in paths
        if not made.search(str(path))
        and not (without and path.name.endswith(without))
        and path not in leave_out
    ]
    return of_files(kept)


def _output(*command: str) -> str:
    """What a program prints; nothing if it is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


@cache
def tools() -> str:
    """A hash of the compilers, the libraries, Python's packages and the processor."""
    listed = _output("dpkg-query", "-W", "-f", "${Package} ${Version}\n").split("\n")
    try:
        processor = Path("/proc/cpuinfo").read_text()
    except OSError:
        processor = ""
    # What -march=native compiles for.
    flags = re.search(r"^(flags|Features)\s*:.*$", processor, re.MULTILINE)
    return digest(
        "\n".join(package for package in listed if PACKAGES.search(package)),
        *(_output(name, "--version") for name in ("c++", "clang++")),
        (project.ROOT / "python" / "requirements.txt").read_bytes(),
        platform.machine() + platform.python_version(),
        flags[0] if flags else "",
    )


def members(source: Path) -> list[Path]:
    """The files that are compiled as ``source``: those of a group, or it alone.

    >>> members(Path("/b/minitf_gpu_lab.dir/matmul.cu.cc"))[0].name
    'matmul.cu'
    """
    if source.parent.name == TRANSLATED:
        return [project.ROOT / "kernels" / "gpu" / source.stem]
    if not source.name.startswith("unity_"):
        return [source]
    names = re.findall(r'^#include "(.+)"$', source.read_text(), re.MULTILINE)
    return [Path(name) for name in names]


def compile_flags(preset: str) -> dict[str, list[str]]:
    """How each file of a configured build is compiled, alone or in a group, by its path.

    The launcher, the compiler, the input and the output are left out.
    """
    return _flags_in((project.build_folder(preset) / "compile_commands.json").read_text())


@lru_cache(maxsize=2)  # to take it apart takes long, and each key asks for it
def _flags_in(commands: str) -> dict[str, list[str]]:
    found = {}
    for entry in json.loads(commands):
        words = shlex.split(entry["command"])
        first = next(
            number
            for number, word in enumerate(words)
            if re.search(r"(\+\+|/cc|gcc|clang)(-\d+)?$", word)
        )
        flags = words[first + 1 :]
        for option in ("-o", "-c"):
            if option in flags:
                at = flags.index(option)
                del flags[at : at + 2]
        found |= {str(path): flags for path in members(Path(entry["file"]))}
    return found


def of_flags(flags: list[str]) -> str:
    """A hash of flags, wherever the checkout is."""
    return digest(*(flag.replace(str(project.ROOT), "") for flag in flags))
