"""Whose hand-in is what: folders, archives, and the downloads of gradebooks.

Each layout is a function that gets a folder and returns what it has understood, with a
sentence for each thing that it has not. Downloads:

    Gradescope  submission_metadata.yml, and a folder submission_123/ each
    Canvas      lastfirst_LATE_1234_5678_file.zip, all in one folder
    Moodle      First Last_1234_assignsubmission_file_/..., or _file_name.zip
    else        a folder or an archive each, called as the student is
"""

import errno
import os
import re
import time
import unicodedata
import zipfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from minitf_lab import project
from minitf_lab.handin import archives, intake
from minitf_lab.handin.archives import Rejected

METADATA = "submission_metadata.yml"
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)"
)
MAX_NAME = 100
MAX_MEMBERS, MAX_TOTAL = 100_000, 4 << 30  # of a download
CHUNK = 1 << 20


@dataclass
class Given:
    """What one student has handed in.

    Attributes:
        student: As the course calls him or her: a name for a folder.
        places: Folders and archives; each may be the hand-in.
        time: When, in seconds since 1970; 0 if the files themselves say it.
        is_late: Whether the gradebook says so.
        may_be_git: Whether a folder with a repository is handed in as one; else it is a
            folder like others, since a student may write any time into a commit.
    """

    student: str
    places: list[Path]
    time: float = 0
    is_late: bool = False
    may_be_git: bool = False


@dataclass
class Understood:
    """What a layout has found.

    Attributes:
        odd: Sentences about what it has not understood.
    """

    kind: str
    given: list[Given] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


def student_name(text: str) -> str:
    """A name for a folder; empty if nothing is left of it.

    >>> student_name("Ada Lovelace"), student_name("../x"), student_name("a@b.edu")
    ('Ada_Lovelace', 'x', 'a@b.edu')
    """
    text = unicodedata.normalize("NFC", text.strip())
    return re.sub(r"[^\w@.+-]+", "_", text).strip("._-+")[:MAX_NAME]


def shown(text: object) -> str:
    """A name out of a download, as a terminal may see it."""
    return ascii(str(text)[:MAX_NAME])[1:-1]


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, without what systems leave there."""
    skipped = {"__MACOSX", "Thumbs.db", "desktop.ini"}
    return [
        path
        for path in sorted(folder.iterdir())
        if path.name not in skipped and not path.name.startswith(".")
    ]


def is_archive(path: Path) -> bool:
    """Whether it is called like one."""
    return path.name.lower().endswith(archives.PACKED) and not path.is_dir()


# ---- Downloads ------------------------------------------------------------------------


def _gradescope(folder: Path) -> Understood:
    """A download of Gradescope; its metadata is YAML of one form, read line by line."""
    found = Understood("Gradescope")
    data = archives.read_regular(folder / METADATA, 64 << 20, METADATA)
    known: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in data.decode(errors="replace").split("\n"):
        if head := re.fullmatch(r"(submission_\d+):\s*", line):
            current = known.setdefault(head[1], {})
        elif one := re.fullmatch(r"(?:  - |    ):(name|sid|email): (.*)", line):
            current.setdefault(one[1], one[2].strip().strip("'\""))  # the first submitter
        elif made := re.fullmatch(r"  :created_at: (.*)", line):
            current["created_at"] = made[1].strip().strip("'\"")
    for path in _entries(folder):
        fields = known.pop(path.name, None)
        if path.name == METADATA:
            continue
        said = [(fields or {}).get(key, "") for key in ("email", "sid", "name")]
        student = student_name(next(filter(None, said), ""))
        if not student or not path.is_dir():
            found.odd.append(f"{shown(path.name)}: {METADATA} does not say whose it is")
            continue
        at = _time_of_gradescope(fields.get("created_at", ""))
        if not at:
            found.odd.append(f"{shown(path.name)}: {METADATA} does not say when")
        found.given.append(Given(student, [path], at))
    found.odd += [f"{shown(name)}: there is no such folder" for name in known]
    return found


def _time_of_gradescope(text: str) -> float:
    """Such as ``2026-10-01 21:05:09.123456000 Z``; 0 if it is none."""
    clock = r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d:?\d\d)"
    made = re.match(clock, text)
    if not made:
        return 0
    try:
        return seconds_of(f"{made[1]}T{made[2]}{made[3]}")
    except project.LabError:
        return 0


def _canvas(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """A download of Canvas: one folder; a student may have handed in several files."""
    found = Understood("Canvas")
    by_student: dict[str, Given] = {}
    for path in _entries(folder):
        match = CANVAS.fullmatch(path.name)
        student = student_name(f"{match['name']}_{match['id']}") if match else ""
        if not student or path.is_dir() or path.is_symlink():
            found.odd.append(f"{shown(path.name)}: no file that Canvas has named")
            continue
        given = by_student.setdefault(student, Given(student, []))
        given.is_late |= bool(match["late"])
        name = re.sub(r"-\d+(?=\.\w+$)", "", match["file"])  # a second hand-in's
        if is_archive(path):
            given.places.append(path)
        elif name in intake.all_names(lab):
            own = scratch / "canvas" / student
            own.mkdir(parents=True, exist_ok=True)
            _copy(path, own / name)
            given.places = list(dict.fromkeys([*given.places, own]))
        else:
            found.odd.append(f"{shown(path.name)}: lab {lab.number} has no such file")
    found.given = [given for given in by_student.values() if given.places]
    return found


def _copy(path: Path, target: Path) -> None:
    """Copies a file of a download, not through links."""
    target.write_bytes(archives.read_regular(path, intake.MAX_ARCHIVE, path.name))


def _moodle(folder: Path) -> Understood:
    """A download of Moodle, with folders or without."""
    found = Understood("Moodle")
    for path in _entries(folder):
        match = MOODLE.fullmatch(path.name)
        student = student_name(f"{match['name']}_{match['id']}") if match else ""
        if not student:
            found.odd.append(f"{shown(path.name)}: no name that Moodle gives")
        elif match["kind"] != "file":
            found.odd.append(f"{shown(path.name)}: a text, no files")
        else:
            found.given.append(Given(student, _places_in(path)))
    return found


def _places_in(path: Path) -> list[Path]:
    """The hand-ins in a student's folder: itself, and archives in it; or the archive."""
    if not path.is_dir() or path.is_symlink():
        return [path]
    return [path, *(one for one in _entries(path) if is_archive(one))]


def _by_name(folder: Path, lab: project.Lab) -> Understood:
    """Folders and archives that are called as the students are."""
    found = Understood("names")
    tail = re.compile(rf"[ _-]*{lab.number}_submission$")
    for path in _entries(folder):
        name = path.name
        for ending in archives.PACKED:
            if is_archive(path):
                name = re.sub(rf"{re.escape(ending)}$", "", name, flags=re.IGNORECASE)
        student = student_name(tail.sub("", name))
        if path.is_symlink() or not (path.is_dir() or is_archive(path)):
            found.odd.append(f"{shown(path.name)}: neither a folder nor an archive")
        elif not student:
            found.odd.append(f"{shown(path.name)}: its name does not say whose it is")
        else:
            found.given.append(Given(student, _places_in(path), may_be_git=True))
    return found


# ---- Choosing among them --------------------------------------------------------------


def seconds_of(text: str) -> float:
    """A moment in seconds since 1970; without a zone it is the local time.

    Raises:
        LabError: it is none.

    >>> seconds_of("1970-01-02T00:00:00Z")
    86400.0
    """
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise project.LabError(
            f"{shown(text)} is no time; write it like 2026-10-01T23:59 or, with a zone, "
            "2026-10-01T23:59+02:00"
        ) from error


def understand(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """Finds out which layout a folder has, and whose is what.

    Raises:
        LabError: the folder cannot be read.
    """
    entries = _entries(folder)
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        inner = _entries(entries[0])
        is_download = any(one.name == METADATA for one in inner)
        # Tools that make zips put a folder around all; it may be a student's, though.
        is_around = folder.is_relative_to(scratch) and not intake.holds(lab, entries[0])
        if is_download or is_around:
            folder, entries = entries[0], inner
    names = [path.name for path in entries]
    if METADATA in names:
        found = _gradescope(folder)
    elif any("_assignsubmission_" in name for name in names):
        found = _moodle(folder)
    elif sum(bool(CANVAS.fullmatch(name)) for name in names) * 2 > len(names):
        found = _canvas(folder, lab, scratch)
    else:
        found = _by_name(folder, lab)
    _keep_apart(found)
    return found


def _keep_apart(found: Understood) -> None:
    """Leaves out students whose names cannot be told apart, and says so."""
    by_name: dict[str, list[Given]] = {}
    for given in found.given:
        by_name.setdefault(given.student.casefold(), []).append(given)
    found.given = []
    for name, alike in by_name.items():
        if len({one.student for one in alike}) == 1:
            first = alike[0]  # several files of one student
            first.places = [place for one in alike for place in one.places]
            found.given.append(first)
        else:
            places = ", ".join(shown(one.places[0].name) for one in alike)
            found.odd.append(f"{places}: all of them would be called {name}")


def unpack(path: Path, into: Path) -> list[str]:
    """Unpacks the zip of a download: files of students that are not too large.

    Returns:
        A sentence for each member that was left out.

    Raises:
        Rejected: it is no zip, or one that no gradebook makes.
    """
    odd: list[str] = []
    try:
        with zipfile.ZipFile(path) as file:
            infos = file.infolist()
            if len(infos) > MAX_MEMBERS or sum(i.file_size for i in infos) > MAX_TOTAL:
                raise Rejected(f"{path.name}: it holds more than a class hands in")
            for info in infos:
                if not info.is_dir() and (said := _unpack_one(file, info, into)):
                    odd.append(f"{shown(info.filename)}: {said}")
    except FileNotFoundError:
        raise Rejected(f"{path}: there is no such file or folder") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Rejected(f"{path.name}: it is no zip, or it is broken: {error}") from error
    return odd


def _unpack_one(file: zipfile.ZipFile, info: zipfile.ZipInfo, into: Path) -> str:
    """Unpacks one member; why not, if it was left out."""
    mode = info.external_attr >> 16 if info.create_system == 3 else 0
    if mode & 0o170000 not in {0, 0o100000}:
        return "it is no plain file"
    if info.file_size > intake.MAX_ARCHIVE:
        return f"it is longer than {intake.MAX_ARCHIVE} bytes"
    if info.flag_bits & 1:
        return "it is encrypted"
    try:
        target = into / archives.checked_name(info.orig_filename)
        target.parent.mkdir(parents=True, exist_ok=True)
        out = target.open("xb")
    except Rejected as error:
        return str(error)
    except OSError as error:
        return _left_out(error, into)
    try:
        with file.open(info) as source, out:
            while part := source.read(CHUNK):
                out.write(part)
        _set_time(target, info)
    except OSError as error:
        target.unlink()
        return _left_out(error, into)
    except Exception as error:  # zipfile raises half a dozen types
        target.unlink()
        return f"it is broken: {error}"
    return ""


def _left_out(error: OSError, into: Path) -> str:
    """Why a member was left out; a full disk is no fault of it."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        raise project.LabError(f"{into}: {error.strerror}") from error
    return error.strerror or str(error)


def _set_time(target: Path, info: zipfile.ZipInfo) -> None:
    """Gives a file the time that its member has, which is a local one."""
    try:
        moment = time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        moment = 0
    os.utime(target, (moment, moment))
