"""A hand-in is taken: the lab's files out of a folder or an archive, and nothing else.

``take`` copies the files that the manifest names, ``answers.md``, ``time.txt`` and the
receipt of ``./lab submit``. They may lie at the top, in ``work/NN_name/`` as in a
student's checkout, or one folder further down, as tools that make zips like it. Whatever
else is there is not looked at. If the lab has one file, that file alone will do. A file
in C++ may end in ``.cpp``, and a module in Python may be a notebook
(``labs/sources.py``). A byte-order mark is taken away.
"""

import hashlib
import itertools
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from minitf_lab import project
from minitf_lab.labs import questions, sources
from minitf_lab.labs.handin import archives
from minitf_lab.labs.handin.archives import Archive, Rejected
from minitf_lab.results import plain

__all__ = ["HandIn", "Rejected", "read", "take"]

TIME = "time.txt"
RECEIPT = "receipt.json"
MAX_BYTES = 200_000  # of a file, unless the manifest says otherwise
MAX_ARCHIVE = 8 << 20
MAX_ENTRIES = 1000  # of a folder, that are looked at


@dataclass(frozen=True)
class HandIn:
    """Files of a student, under fixed names in a folder of their own.

    Attributes:
        lab: Name of the lab's folder.
        folder: Where they are; None if they were only read.
        contents: The bytes of each, in fixed order; the receipt is not among them.
        receipt: What ``./lab submit`` says of them, if it made the archive.
        time: When the archive, or the newest file, was changed: seconds since 1970.
    """

    lab: str
    folder: Path | None
    contents: dict[str, bytes]
    receipt: dict = field(default_factory=dict)
    time: float = 0

    @property
    def sha256(self) -> str:
        """A hash of names and contents, however they were packed."""
        total = hashlib.sha256(f"minitf hand-in {self.lab}\n".encode())
        for name, data in self.contents.items():
            total.update(f"{name} {len(data)}\n".encode() + data)
        return total.hexdigest()

    def text(self, name: str) -> str:
        """A file as text; empty if it was not handed in."""
        return self.contents.get(name, b"").decode()

    def files_of(self, lab: project.Lab) -> dict[str, Path]:
        """For each file of the framework that the lab replaces, the one in its place."""
        return {file: self.folder / Path(file).name for file in lab.files}


def code_names(lab: project.Lab) -> list[str]:
    """Names of the files that a hand-in must have."""
    return [Path(file).name for file in lab.files]


def _possible_names(lab: project.Lab) -> list[str]:
    """All names that these files may have."""
    return [one for name in code_names(lab) for one in sources.names_of(name)]


def max_bytes(lab: project.Lab) -> int:
    """How long a file of a hand-in may be."""
    return lab.limits.get("max_bytes", MAX_BYTES)


class _Folder:
    """A folder of a student, as an archive with the same two functions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.time = 0.0

    def has(self, name: str) -> bool:
        return os.path.lexists(self._path / name)

    def read(self, name: str, limit: int) -> bytes:
        """Opens one folder after another, none of which may be a link."""
        *folders, last = PurePosixPath(name).parts
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        number = os.open(self._path, flags)
        try:
            for part in folders:
                deeper = os.open(part, flags, dir_fd=number)
                os.close(number)
                number = deeper
            data = archives.read_regular(last, limit, last, number)
            self.time = max(self.time, os.lstat(last, dir_fd=number).st_mtime)
            return data
        except NotADirectoryError as error:
            raise Rejected(f"{name}: a folder on the way to it is a link") from error
        finally:
            os.close(number)

    def tops(self) -> list[str]:
        """The folders in it, if there are not too many."""
        found = []
        with os.scandir(self._path) as entries:
            for entry in itertools.islice(entries, MAX_ENTRIES):
                if entry.is_dir(follow_symlinks=False):
                    found.append(entry.name)
        return found

    def names(self) -> list[str]:
        """What lies at its top."""
        with os.scandir(self._path) as entries:
            return [entry.name for entry in itertools.islice(entries, MAX_ENTRIES)]


_Source = _Folder | Archive


def _single(lab: project.Lab, path: Path, data: bytes) -> Archive:
    """A file of source that was handed in without an archive, whatever its stem is.

    Raises:
        Rejected: the lab has several files, or a file of another kind.
    """
    shown, needed = plain(path.name), code_names(lab)
    if len(needed) > 1:
        raise Rejected(
            f"{shown} is one file, and lab {lab.number} needs {len(needed)}: hand in a "
            f"zip with {', '.join(needed)}"
        )
    ending = path.suffix.lower()
    name = next((one for one in sources.names_of(needed[0]) if one.endswith(ending)), "")
    if not name:
        raise Rejected(f"{shown}: lab {lab.number} needs {needed[0]}, not *{ending}")
    return archives.Single(name, data)


def _open(lab: project.Lab, source: Path) -> _Source:
    """Looks at a folder, an archive, or a single file of a lab.

    Raises:
        Rejected: it is something else.
    """
    name = plain(source.name)
    if source.is_symlink():
        raise Rejected(f"{name}: it is a link; hand in the folder or file itself")
    if source.is_dir():
        return _Folder(source)
    try:
        data = archives.read_regular(source, MAX_ARCHIVE, name)
        is_source = source.suffix.lower() in sources.ENDINGS
        opened = _single(lab, source, data) if is_source else archives.open_archive(data)
        opened.time = source.lstat().st_mtime
        return opened
    except FileNotFoundError:
        raise Rejected(f"{source}: there is no such file or folder") from None
    except Rejected as error:
        text = str(error)
        raise Rejected(text if text.startswith(name) else f"{name}: {text}") from error


def _place(lab: project.Lab, source: _Source) -> str | None:
    """In which folder of the source the lab's files are; None if there are none."""
    own = ["", f"{lab.folder}/", f"work/{lab.folder}/"]
    tops = [top for top in source.tops() if top != "__MACOSX" and top[0] != "."]
    if len(tops) == 1:
        own += [f"{tops[0]}/{folder}" for folder in own]
    for folder in own:
        if any(source.has(folder + name) for name in _possible_names(lab)):
            return folder
    return None


def holds(lab: project.Lab, folder: Path) -> bool:
    """Whether a file of the lab is in a folder, at one of the places for it."""
    return _place(lab, _Folder(folder)) is not None


def _of_other_labs(lab: project.Lab, names: set[str]) -> str:
    """What to say if the files are those of another lab; else nothing."""
    for other in project.all_labs():
        theirs = set(code_names(other)) - set(code_names(lab))
        if other.folder != lab.folder and names & theirs:
            return f"; these are files of lab {other.number}"
    return ""


def _nothing_found(lab: project.Lab, source: _Source) -> Rejected:
    """Why a hand-in with none of the lab's files is not taken."""
    found = source.names()
    if not found:
        return Rejected("it is empty")
    names = {PurePosixPath(name).name: name for name in found}
    letters = {name.casefold(): name for name in _possible_names(lab)}
    for name, path in sorted(names.items()):
        exact = letters.get(name.casefold())
        if exact and name == exact:
            place = ascii(path[:80])[1:-1]
            return Rejected(f"{name} lies at {place}: hand in the folder that it is in")
        if exact:
            return _other_letters(name, exact)
    missing = ", ".join(code_names(lab))
    hint = _of_other_labs(lab, set(names))
    if any(name.lower().endswith(archives.PACKED) for name in names) and not hint:
        hint = "; it holds another archive: hand in that one"
    return Rejected(f"it has no {missing}, as lab {lab.number} needs{hint}")


def _as_written(lab: project.Lab, source: _Source, folder: str) -> None:
    """Raises Rejected if a file is there under its name in other letters, too."""
    wanted = {f"{folder}{name}".casefold(): name for name in all_names(lab)}
    prefix = folder if isinstance(source, Archive) else ""
    for name in source.names() if prefix or not folder else []:
        exact = wanted.get(name.casefold())
        if exact and name != f"{prefix}{exact}":
            raise _other_letters(PurePosixPath(name).name, exact)


def _other_letters(name: str, exact: str) -> Rejected:
    return Rejected(f"{ascii(name)[1:-1]}: the lab calls it {exact}, in these letters")


def all_names(lab: project.Lab) -> list[str]:
    """The files of a hand-in, in the order in which they are hashed."""
    return [*sorted(code_names(lab)), questions.NAME, TIME]


def _receipt(data: bytes) -> dict:
    """What a receipt says; nothing if it is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read(lab: project.Lab, source: Path) -> HandIn:
    """Reads a folder, a zip, a tar, a tar.gz, or the lab's only file; writes nothing.

    Raises:
        Rejected: it is not taken; the text says why.
    """
    try:
        return _read(lab, _open(lab, source))
    except OSError as error:
        raise Rejected(f"{plain(source.name)}: {error.strerror or error}") from error


def _read(lab: project.Lab, source: _Source) -> HandIn:
    limit = max_bytes(lab)
    place = _place(lab, source)
    receipt: dict = {}
    if place is not None and source.has(f"{place}{RECEIPT}"):
        receipt = _receipt(source.read(f"{place}{RECEIPT}", limit))
    if place is None:
        raise _nothing_found(lab, source)
    other = receipt.get("lab")
    if isinstance(other, str) and other != lab.folder:
        shown = re.sub(r"\W", "?", other[:40])
        raise Rejected(f"it was made for lab {shown}, not for {lab.folder}")
    _as_written(lab, source, place)

    contents = {}
    for name in all_names(lab):
        try:
            contents[name] = _contents(source, place, name, limit)
        except FileNotFoundError:
            if name in code_names(lab):
                raise Rejected(f"{name} is missing") from None
    return HandIn(lab.folder, None, contents, receipt, source.time)


def _contents(source: _Source, place: str, name: str, limit: int) -> bytes:
    """A file of a submission as UTF-8.

    Raises:
        FileNotFoundError: it was not handed in.
        Rejected: it is no text, too long, or there under two names.
    """
    try:
        given = sources.find(name, lambda one: source.has(f"{place}{one}"))
        is_notebook = given.endswith(".ipynb")
        most = max(limit, sources.MAX_NOTEBOOK) if is_notebook else limit
        data = sources.text_of(given, source.read(f"{place}{given}", most)).encode()
    except ValueError as error:
        raise Rejected(f"{error}") from error
    if len(data) > limit:
        raise Rejected(f"{given}: it is longer than the {limit} bytes that are taken")
    return data


def take(lab: project.Lab, source: Path, into: Path) -> HandIn:
    """Copies the files of a hand-in to the folder ``into``, which must be empty or new.

    Raises:
        Rejected: it is not taken, and nothing is written; the text says why.
        LabError: ``into`` cannot be written to.
    """
    found = read(lab, source)
    try:
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise project.LabError(f"{into}: this folder is not empty")
        files = dict(found.contents)
        if found.receipt:
            files[RECEIPT] = json.dumps(found.receipt).encode()
        for name, data in files.items():
            with (into / name).open("xb") as file:
                file.write(data)
    except OSError as error:
        raise project.LabError(f"{into}: {error.strerror or error}") from error
    return HandIn(lab.folder, into, found.contents, found.receipt, found.time)
