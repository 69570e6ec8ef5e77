"""A copy of minitf's sources, in which a document is followed to the letter.

docs/adding_an_op.md and its like say which files a change touches, "and no other". So a
test makes the change in a copy, and asks for two things: that the checks of style have
nothing to say of it, the rooms among them, and that no file has changed but those that
the document names.
"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = (
    Path(os.environ.get("MINITF_BUILD", ROOT / "build" / "release")) / "python/minitf"
)
# What tests/check_style.py reads, and what sources may name in comments.
READ = ("minitf", "kernels", "python", "tests", "exercises", "docs")
NAMED = ("solutions", "cmake", "README.md", "CMakeLists.txt")
MADE = shutil.ignore_patterns("__pycache__", "*.so", "*.pyc")
TABLE = re.compile(
    r"^\| (?:folder or )?file \| what \|\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE
)


class SourceCopy:
    """A copy of the sources in a folder of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in READ:
            shutil.copytree(ROOT / name, folder / name, ignore=MADE)
        for name in NAMED:
            (folder / name).symlink_to(ROOT / name)

    def write(self, name: str, text: str) -> None:
        """A new file, or a new text for one."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def insert(self, name: str, place: str, text: str) -> None:
        """Puts ``text`` in front of the last ``place`` in a file."""
        before, found, after = (self.folder / name).read_text().rpartition(place)
        assert found, f"{name} has no line {place!r}"
        self.write(name, before + text + place + after)

    def findings(self) -> set[str]:
        """What the checks of style say of the copy and not of the original."""
        found = _style_of(self.folder)
        return found - _style_of(ROOT) if found else found

    def changed(self) -> set[str]:
        """The files that are not as in the original."""
        names = set()
        for top in READ:
            for path in (self.folder / top).rglob("*"):
                name = str(path.relative_to(self.folder))
                is_made = "__pycache__" in path.parts
                if path.is_file() and not is_made and not _is_same(path, ROOT / name):
                    names.add(name)
        return names


def _style_of(folder: Path) -> set[str]:
    """What the checks of style say."""
    done = subprocess.run(
        [sys.executable, "tests/check_style.py"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    return set(done.stdout.splitlines())


def _is_same(path: Path, other: Path) -> bool:
    return other.exists() and filecmp.cmp(path, other, shallow=False)


def named_by(guide: Path, name: str) -> set[str]:
    """The files and folders that ``guide`` says are touched, with NAME filled in."""
    rows = TABLE.search(guide.read_text())["rows"].splitlines()
    firsts = (row.split("|")[1] for row in rows)
    files = (file for first in firsts for file in re.findall(r"`([^`]+)`", first))
    return {file.replace("NAME", name) for file in files}


def definitions_with(library: Path, package: Path) -> str:
    """docs/ops.pbtxt as ``./lab gen`` writes it where ``library`` is a part of minitf."""
    program = (
        "import ctypes, sys\n"
        "ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)\n"
        "import minitf\n"
        "from minitf import _minitf as m\n"
        "print(''.join(m.op_def_text(name) for name in m.op_names()), end='')\n"
    )
    path = os.pathsep.join([str(ROOT / "python"), str(package.parent)])
    return subprocess.run(
        [sys.executable, "-c", program, str(library)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def compile_files(folder: Path, names: list[str], output: str, *flags: str) -> Path:
    """Compiles files of ``folder`` as one, with its headers first, and links them."""
    eigen = "/usr/include/eigen3"
    command = ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}", f"-I{ROOT}", "-isystem", eigen]
    source = folder / f"{output}_files.cc"
    source.write_text("".join(f'#include "{folder / name}"\n' for name in names))
    command += [str(source), "-o", str(folder / output), *flags]
    command += [f"-L{LIBRARY}", "-lminitf", f"-Wl,-rpath,{LIBRARY}", "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / output
