"""What tools say of the source, without running it.

Each check returns what is wrong, as text; nothing if all is well.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

from minitf_lab import project

CPP_FOLDERS = ["minitf", "kernels", "tests", "python", "exercises"]
# These files look different from ours for a reason.
NOT_FORMATTED = ["tests/data"]


class ToolError(Exception):
    """The tool of a check is not installed."""


def _run(*command: str) -> str:
    """What ``command`` prints if it fails."""
    done = subprocess.run(command, cwd=project.ROOT, capture_output=True, text=True)
    return (
        "" if done.returncode == 0 else f"{done.stdout}{done.stderr}".strip() or "failed"
    )


def _tool(name: str) -> str:
    """A program of the environment."""
    return str(Path(sys.executable).parent / name)


def cpp_files(*endings: str) -> list[str]:
    """Our sources with one of these endings, as paths from the top folder."""
    found = []
    for folder in CPP_FOLDERS:
        for path in sorted((project.ROOT / folder).rglob("*")):
            name = str(path.relative_to(project.ROOT))
            if path.suffix in endings and not name.startswith(tuple(NOT_FORMATTED)):
                found.append(name)
    return found


def style() -> str:
    """The rules that no formatter knows."""
    return _run(sys.executable, "tests/check_style.py")


def docs() -> str:
    """The commands and code blocks of the documents."""
    return _run(sys.executable, "tests/check_docs.py")


def clang_format() -> str:
    """The layout of C++."""
    return _run(
        _tool("clang-format"), "--dry-run", "-Werror", *cpp_files(".h", ".cc", ".cu")
    )


def ruff_check() -> str:
    """Python: names, imports, docstrings, likely bugs."""
    return _run(_tool("ruff"), "check", "--quiet", ".")


def ruff_format() -> str:
    """The layout of Python."""
    return _run(_tool("ruff"), "format", "--check", ".")


def _digest(names: list[str]) -> str:
    """A hash of the contents of files."""
    total = hashlib.sha256()
    for name in names:
        total.update(name.encode() + b"\0" + (project.ROOT / name).read_bytes())
    return total.hexdigest()


def clang_tidy() -> str:
    """C++: names, size of functions, likely bugs, in minitf/ and kernels/.

    A file that was clean is not read again before it, or any header, changes. Tests are
    left out: GoogleTest's macros take clang-tidy 20 seconds a file.
    """
    tidy = shutil.which("clang-tidy")
    if tidy is None or shutil.which("clang++") is None:
        raise ToolError("clang-tidy and clang are not installed (./lab doctor)")
    configure = _run("cmake", "--preset", "lint", "-DCMAKE_CXX_CLANG_TIDY=")
    if configure:
        return configure
    # The messages' headers are made by the build.
    headers = _run("ninja", "-C", "build/lint", "--quiet", "minitf_protos_generated")
    if headers:
        return headers
    stamps = project.ROOT / ".lab" / "tidy"
    stamps.mkdir(parents=True, exist_ok=True)
    common = _digest([".clang-tidy", *cpp_files(".h")])

    def check(name: str) -> str:
        stamp = stamps / hashlib.sha256((common + _digest([name])).encode()).hexdigest()
        if stamp.exists():
            return ""
        problem = _run(tidy, "--quiet", "-p", "build/lint", name)
        if not problem:
            stamp.touch()
        return problem

    sources = [
        name for name in cpp_files(".cc") if name.startswith(("minitf/", "kernels/"))
    ]
    with ThreadPoolExecutor(cpu_count()) as pool:
        return "\n".join(filter(None, pool.map(check, sources)))


CHECKS: dict[str, Callable[[], str]] = {
    "style": style,
    "clang-format": clang_format,
    "ruff check": ruff_check,
    "ruff format": ruff_format,
    "documents": docs,
    "clang-tidy": clang_tidy,
}
