"""Whose hand-in is what: folders, archives, and the downloads of gradebooks.

Each layout is a function that gets a folder and returns what it has understood, with a
sentence for each thing that it has not. Downloads:

    Gradescope  submission_metadata.yml, and a folder submission_123/ each
    Canvas      lastfirst_LATE_1234_5678_file.zip, all in one folder
    Moodle      First Last_1234_assignsubmission_file_/..., or _file_name.zip
    else        a folder or an archive each, called as the student is
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import gradescope_metadata, identity
from minitf_lab.course.identity import shown
from minitf_lab.labs.handin import archives, intake

METADATA = gradescope_metadata.NAME
CANVAS = re.compile(
    r"(?P<name>[^_]*)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL
)
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)",
    re.DOTALL,
)
# Folders of tools, with a dot in front.
NOT_STUDENTS = {".git", ".svn", ".hg", ".idea", ".vscode", ".venv", ".Trashes"}
COPY = r"(?: \((?P<copy>\d+)\))?"  # what a browser adds to a second download


@dataclass
class Offer:
    """A folder or an archive that may be a student's submission.

    Attributes:
        path: Of the folder or archive.
        time: In seconds since 1970; None: the time of the files; 0: unknown.
        is_marked_late: Whether the gradebook says that it came late.
        may_be_git: Whether a folder with a repository is handed in as one; else it is a
            folder like others, since a student may write any time into a commit.
        source: What people call it; the path's name if empty.
    """

    path: Path
    time: float | None = None
    is_marked_late: bool = False
    may_be_git: bool = False
    source: str = ""


@dataclass
class Given:
    """What one student has handed in.

    Attributes:
        student: The student's identity.
        offers: What may count; if nothing else decides, the last one does.
        known_as: What the source says about the student besides.
        group: The identities of those who have handed in together, if there are several.
        raw: The name as the source writes it.
    """

    student: str
    offers: list[Offer]
    known_as: Mapping[str, str] = field(default_factory=dict)
    group: tuple[str, ...] = ()
    raw: str = ""


@dataclass
class Understood:
    """What a layout has found.

    Attributes:
        odd: Sentences about what it has not understood.
    """

    kind: str
    given: list[Given] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


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


def is_of_lab(lab: project.Lab, name: str) -> bool:
    """Whether a submission may have a file of this name, with any ending for code."""
    stems = {Path(file).stem for file in lab.files}
    known = {*intake.all_names(lab), intake.RECEIPT}
    return name in known or Path(name).stem in stems


# ---- Downloads ------------------------------------------------------------------------


def _gradescope(folder: Path, lab: project.Lab) -> Understood:
    """A download of Gradescope: every member of a group has handed in.

    Gradescope unpacks a zip. Other archives stay packed, beside no other file of the lab.
    """
    found = Understood("Gradescope")
    known = gradescope_metadata.read(folder / METADATA)
    for path in _entries(folder):
        if path.name == METADATA:
            continue
        one = known.pop(path.name, None)
        people = one.submitters if one else []
        names = [identity.tidy(person.identity) for person in people]
        if not names or not all(names) or not path.is_dir() or path.is_symlink():
            found.odd.append(f"{shown(path.name)}: {METADATA} does not say whose it is")
        if not path.is_dir() or path.is_symlink():
            continue
        if one and not one.time:
            found.odd.append(f"{shown(path.name)}: {METADATA} does not say when")
        group = tuple(filter(None, names)) if len(names) > 1 else ()
        parts = _offers_in(path)
        parts = parts[:1] if intake.holds(lab, path) else parts
        for name, person in zip(names, people, strict=True):
            if name:
                offers = [Offer(part.path, one.time) for part in parts]
                found.given.append(Given(name, offers, person.known_as, group))
    found.odd += [f"{shown(name)}: there is no such folder" for name in known]
    return found


class _Flat:
    """Files of many students in one folder, by student."""

    def __init__(self, kind: str, lab: project.Lab, scratch: Path) -> None:
        self._lab, self._scratch = lab, scratch / "loose"
        self.found = Understood(kind)
        self._by_name: dict[str, Given] = {}

    def _own(self, given: Given) -> Path:
        own = self._scratch / identity.folder_name(given.student)
        own.mkdir(parents=True, exist_ok=True)
        return own

    def understood(self) -> Understood:
        """All that was found; students without a file of the lab get empty folders."""
        for given in self.found.given:
            given.offers = given.offers or [Offer(self._own(given), source=given.raw)]
        return self.found

    def given(self, match: re.Match, kind: str) -> Given:
        """The student of a file's name, which holds a number of this kind."""
        raw = f"{match['name']}_{match['id']}"
        if raw not in self._by_name:
            known_as = {kind: match["id"], identity.NAME: match["name"]}
            known_as = {kind: said for kind, said in known_as.items() if said}
            self._by_name[raw] = Given(identity.tidy(raw), [], known_as, raw=raw)
            self.found.given.append(self._by_name[raw])
        return self._by_name[raw]

    def add_loose(self, given: Given, path: Path, name: str, offer: Offer) -> None:
        """Adds a file that is not packed, under the name that the student gave it."""
        if not is_of_lab(self._lab, name):
            said = f"{shown(path.name)}: lab {self._lab.number} has no such file"
            self.found.odd.append(said)
            return
        own = self._own(given)
        try:
            data = archives.read_regular(path, intake.MAX_ARCHIVE, path.name)
        except archives.Rejected as error:
            self.found.odd.append(str(error))
            return
        (own / name).write_bytes(data)
        moment = path.lstat().st_mtime
        os.utime(own / name, (moment, moment))
        if own not in [one.path for one in given.offers]:
            offer.path, offer.source = own, f"{path.name} and what lies beside it"
            given.offers.append(offer)


def _canvas(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """A download of Canvas: one folder; a student may have handed in several files.

    The files have the time of the download. Canvas alone says who is late.
    """
    flat = _Flat("Canvas", lab, scratch)
    matches = [(path, CANVAS.fullmatch(path.name)) for path in _entries(folder)]

    def upload(one: tuple[Path, re.Match | None]) -> int:
        return int(one[1]["upload"]) if one[1] else 0

    for path, match in sorted(matches, key=upload):
        if not match or path.is_dir() or path.is_symlink():
            flat.found.odd.append(f"{shown(path.name)}: no file that Canvas has named")
            continue
        given = flat.given(match, identity.CANVAS_ID)
        offer = Offer(path, 0, bool(match["late"]))
        name = re.sub(r"-\d+(?=\.\w+$)", "", match["file"])  # a second hand-in's
        if is_archive(path):
            given.offers.append(offer)
        else:
            flat.add_loose(given, path, name, offer)
    return flat.understood()


def _moodle(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """A download of Moodle, with folders or without."""
    flat = _Flat("Moodle", lab, scratch)
    for path in _entries(folder):
        match = MOODLE.fullmatch(path.name)
        if not match:
            flat.found.odd.append(f"{shown(path.name)}: no name that Moodle gives")
            continue
        if match["kind"] != "file":
            flat.found.odd.append(f"{shown(path.name)}: a text, no files")
            continue
        given = flat.given(match, identity.MOODLE_ID)
        if path.is_dir() or path.is_symlink() or is_archive(path):
            given.offers += _offers_in(path)
        else:
            flat.add_loose(given, path, match["file"], Offer(path))
    return flat.understood()


def _offers_in(path: Path, *, may_be_git: bool = False) -> list[Offer]:
    """The hand-ins in a student's folder: itself, and archives in it; or the archive."""
    first = Offer(path, may_be_git=may_be_git)
    if not path.is_dir() or path.is_symlink():
        return [first]
    return [first, *(Offer(one) for one in _entries(path) if is_archive(one))]


def _student_of(path: Path, lab: project.Lab) -> str:
    """The name of a student in that of a folder or an archive.

    One ending goes, and then what ``./lab submit`` calls its zip.
    """
    name = path.name
    if is_archive(path):
        endings = [one for one in archives.PACKED if name.lower().endswith(one)]
        name = name[: -len(max(endings, key=len))]
    return re.sub(rf"(^|[ _-]){lab.number}_submission{COPY}$", "", name)


def _by_name(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """Folders and archives that are called as the students are.

    In the zip of a class the files of a checkout count, not its commits: students zip
    what they have, and Git ignores ``work/`` in many checkouts.
    """
    found = Understood("names")
    for path in _entries(folder):
        raw = _student_of(path, lab)
        student = identity.tidy(raw)
        if path.is_symlink() or not (path.is_dir() or is_archive(path)):
            found.odd.append(f"{shown(path.name)}: neither a folder nor an archive")
        elif not identity.squash(student):
            found.odd.append(f"{shown(path.name)}: its name does not say whose it is")
        else:
            is_zipped = path.is_relative_to(scratch) and path.is_dir()
            is_git = not (is_zipped and intake.holds(lab, path))
            offers = _offers_in(path, may_be_git=is_git)
            found.given.append(Given(student, offers, raw=raw))
    _name_copies(found)
    for path in sorted(folder.glob(".*")):
        if path.name not in NOT_STUDENTS and (path.is_dir() or is_archive(path)):
            found.odd.append(f"{shown(path.name)}: a name with a dot in front; rename it")
    return found


def _name_copies(found: Understood) -> None:
    """Says which students may be a browser's second download of another's."""
    names = {given.student for given in found.given}
    for name in sorted(names):
        first = re.sub(r" \(\d+\)$", "", name)
        if first != name and first in names:
            found.odd.append(
                f"{shown(name)}: taken as another student than {shown(first)}; if it is "
                "a second download, put both into one folder"
            )


# ---- Choosing among them --------------------------------------------------------------


def understand(folder: Path, lab: project.Lab, scratch: Path) -> Understood:
    """Finds out which layout a folder has, and whose is what.

    Raises:
        LabError: the folder cannot be read, or names two students alike.
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
        found = _gradescope(folder, lab)
    elif any("_assignsubmission_" in name for name in names):
        found = _moodle(folder, lab, scratch)
    elif sum(bool(CANVAS.fullmatch(name)) for name in names) * 2 > len(names):
        found = _canvas(folder, lab, scratch)
    else:
        found = _by_name(folder, lab, scratch)
    found.given = join(found.given)
    return found


def join(given: list[Given]) -> list[Given]:
    """One entry for each student; the same name for two students is refused.

    Raises:
        LabError: the source says different things of one name, or names two students
            alike.
    """
    by_name: dict[str, Given] = {}
    for one in given:
        first = by_name.setdefault(one.student, one)
        if first is one:
            continue
        if (first.raw, dict(first.known_as)) != (one.raw, dict(one.known_as)) or (
            # A full name alone does not tell people apart.
            set(one.known_as) == {identity.NAME} and not one.raw
        ):
            raise project.LabError(
                f"two students are called '{shown(one.student)}': {_about(first)} and "
                f"{_about(one)}; nothing was taken: rename one of them"
            )
        paths = [offer.path for offer in first.offers]
        first.offers += [offer for offer in one.offers if offer.path not in paths]
        first.group = first.group or one.group
    identity.refuse_alike(by_name)
    return list(by_name.values())


def _about(given: Given) -> str:
    """A student's names and file, for a message."""
    said = [given.raw, *given.known_as.values(), given.offers[0].path.name]
    return f"'{', '.join(shown(one) for one in dict.fromkeys(said) if one)}'"
