"""Objects of answers that were compiled before: the same text is not compiled again.

A class hands in files of which many are alike, and each task that fails is tried once
more with minitf's own answers to the others. What decides on an object is its text, how
it is compiled, what the compiler may read, and the compiler: a hash of all this is the
name under which the judge, and never a box, keeps it. An object of another text cannot
have that name, whatever a student writes.
"""

import contextlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.judge.compile_box import headers

MAX_OBJECT, MAX_ALL = 8 << 20, 1 << 30  # bytes; what was not used for longest goes
# Where Debian says which compiler and which libraries there are.
PACKAGES = Path("/var/lib/dpkg/status")


@cache
def _machine() -> str:
    """A hash of what every answer is compiled with."""
    if not PACKAGES.is_file():
        return contents.digest(contents.tools(), contents.of_files([*headers()]))
    packages, needed = PACKAGES.stat(), project.ROOT / "python" / "requirements.txt"
    return contents.digest(
        f"{packages.st_size} {packages.st_mtime_ns}",
        needed.read_bytes(),
        contents.of_files([*headers()]),
    )


def key_of(text: str, command: list[str], own_headers: list[Path], kind: str) -> str:
    """The name of what becomes of a text.

    The names of files in ``command`` do not count.
    """
    places = {command.index(option) + 1 for option in ("-o", "-MF", "-c", "-include")}
    words = [word for i, word in enumerate(command) if i not in places]
    common = Path(command[command.index("-include") + 1])
    stamps = []
    for path in (common, common.with_name(f"{common.name}.gch")):  # 90 MB: not read
        with contextlib.suppress(FileNotFoundError):
            stamps.append(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}")
    beside = [part for one in own_headers for part in (one.name, one.read_bytes())]
    return contents.digest(_machine(), kind, text, *words, *stamps, "headers", *beside)


def _folder() -> Path:
    return project.build_folder() / "labs" / "kept"


def find(key: str, target: Path) -> str | None:
    """Puts the object to ``target``; what the compiler said, None if there is none."""
    kept = _folder() / f"{key}.o"
    try:
        said = kept.with_suffix(".txt").read_text()
        shutil.copyfile(kept, target)
        os.utime(kept)
    except OSError:
        return None
    target.chmod(0o755)
    return said


def keep(key: str, made: Path, said: str) -> None:
    """Keeps an object for the next time, if there is room and it is not too large."""
    if made.stat().st_size > MAX_OBJECT:
        return
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_room(folder)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            part = Path(name) / "x"
            for suffix, data in ((".txt", said.encode()), (".o", made.read_bytes())):
                part.write_bytes(data)
                part.replace(folder / f"{key}{suffix}")  # whoever is second: the same


def _make_room(folder: Path) -> None:
    """Removes the objects that were not used for longest, if there is too much."""
    found = [(one.stat(), Path(one.path)) for one in os.scandir(folder) if one.is_file()]
    total = sum(status.st_size for status, _ in found)
    for status, path in sorted(found, key=lambda one: one[0].st_mtime):
        if total <= MAX_ALL:
            break
        path.unlink(missing_ok=True)
        total -= status.st_size
