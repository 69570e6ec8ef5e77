"""``./lab course collect``: the last hand-in in time of every student, in one place.

A hand-in is copied by ``intake.take`` to ``COURSE/handins/LAB/STUDENT/``, with a
``handin.json`` that says where it came from, when, and what its hash is. Collecting again
adds what is newer. What it takes the place of is kept in ``.earlier/``.
"""

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import layouts, repositories
from minitf_lab.course.layouts import Given, shown
from minitf_lab.handin import archives, intake
from minitf_lab.handin.archives import Rejected
from minitf_lab.results import plain

NOTE = "handin.json"
EARLIER = ".earlier"
MAX_NOTE = 100_000


@dataclass
class Summary:
    """What came of collecting.

    Attributes:
        taken: Students whose hand-in is new.
        unchanged: Those whose hand-in was there already, or a later one.
        refused: Sentences about hand-ins that were not taken.
        odd: Sentences about what was not understood.
    """

    kind: str = ""
    taken: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


def folder_of(course: Path, lab: project.Lab) -> Path:
    """Where the hand-ins of a lab are."""
    return course / "handins" / lab.folder


def read_note(folder: Path) -> dict:
    """What ``handin.json`` says; nothing if there is none.

    Raises:
        LabError: it is damaged.
    """
    path = folder / NOTE
    try:
        found = json.loads(archives.read_regular(path, MAX_NOTE, NOTE))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError, Rejected) as error:
        raise project.LabError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("sha256"), str):
        raise project.LabError(f"{path} is damaged: it has no hash")
    return found


def students_of(course: Path, lab: project.Lab) -> dict[str, dict]:
    """For each student with a hand-in, what its ``handin.json`` says.

    Raises:
        LabError: there is none, or one is damaged.
    """
    top = folder_of(course, lab)
    folders = sorted(top.iterdir()) if top.is_dir() else []
    found = {
        folder.name: read_note(folder)
        for folder in folders
        if folder.is_dir() and not folder.name.startswith(".")
    }
    found = {student: note for student, note in found.items() if note}
    if not found:
        raise project.LabError(
            f"there are no hand-ins of lab {lab.number} in {course}: "
            f"./lab course collect {lab.number} FROM brings them"
        )
    return found


def moment(seconds: float) -> str:
    """A time as records have it.

    >>> moment(86400)
    '1970-01-02T00:00:00Z'
    """
    try:
        found = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class _Taken:
    """One place of a student, read into a folder; or why it was not.

    Attributes:
        time: In seconds since 1970; 0 if it is not known.
    """

    place: Path
    time: float
    folder: Path | None = None
    hand_in: intake.HandIn | None = None
    reason: str = ""


class _Collector:
    """Collects one source."""

    def __init__(
        self, lab: project.Lab, course: Path, due: float, takes_late: bool, scratch: Path
    ) -> None:
        self._lab, self._due, self._takes_late = lab, due, takes_late
        self._top = folder_of(course, lab)
        self._scratch = scratch
        self._count = 0
        self.summary = Summary()

    def _new_folder(self) -> Path:
        self._count += 1
        return self._scratch / f"{self._count}"

    def _read(self, given: Given, place: Path) -> _Taken:
        """Reads one place of a student."""
        found = _Taken(place, given.time)
        try:
            source = place
            if given.may_be_git and place.is_dir() and repositories.is_repository(place):
                source = self._new_folder()
                source.mkdir()
                bound = 0 if self._takes_late else self._due
                found.time = repositories.check_out(place, self._lab, bound, source)
            found.folder = self._new_folder()
            found.hand_in = intake.take(self._lab, source, found.folder)
            found.time = found.time or found.hand_in.time
        except Rejected as error:
            found.reason = f"{error}"
        return found

    def take(self, given: Given) -> None:
        """Takes the last hand-in of a student that is in time."""
        read = [self._read(given, place) for place in given.places]
        if len(read) > 1 and given.places[0].is_dir():
            # Either the folder is the hand-in, or the archives in it are.
            read = read[:1] if read[0].hand_in else read[1:]
        late = [one for one in read if self._due and one.time > self._due]
        if not self._takes_late:
            for one in late:
                by = (one.time - self._due) / 3600
                self.summary.refused.append(
                    f"{given.student}: {shown(one.place.name)} came {by:.1f} hours after "
                    "the due date; --late takes it"
                )
            read = [one for one in read if one not in late]
        good = sorted((one for one in read if one.hand_in), key=lambda one: one.time)
        for one in read:
            if one.reason:
                self.summary.refused.append(f"{given.student}: {one.reason}")
        if good:
            self._keep(given, good[-1])
        elif read:
            self._note_refusal(given, read[-1])

    def _note(self, given: Given, one: _Taken, sha256: str) -> dict:
        is_late = given.is_late or bool(self._due and one.time > self._due)
        return {
            "student": given.student,
            "lab": self._lab.folder,
            "sha256": sha256,
            "submitted_at": moment(one.time) if one.time else "",
            "late": is_late,
            "source": shown(one.place.name),
        }

    def _keep(self, given: Given, one: _Taken) -> None:
        """Puts a hand-in in its place, if what is there is not newer."""
        note = self._note(given, one, one.hand_in.sha256)
        before = read_note(self._top / given.student)
        if before and "rejected" not in before:
            is_newer = note["submitted_at"] > before.get("submitted_at", "")
            is_same = note["sha256"] == before["sha256"]
            if is_same or not (is_newer or not note["submitted_at"]):
                self.summary.unchanged.append(given.student)
                return
        self._put(given.student, one.folder, note, before)
        self.summary.taken.append(given.student)

    def _note_refusal(self, given: Given, one: _Taken) -> None:
        """Remembers that nothing could be taken, if there is nothing else."""
        if read_note(self._top / given.student):
            return
        text = f"minitf rejected {self._lab.folder} {given.student} {one.reason}"
        note = self._note(given, one, hashlib.sha256(text.encode()).hexdigest())
        folder = self._new_folder()
        folder.mkdir()
        self._put(given.student, folder, note | {"rejected": one.reason}, {})

    def _put(self, student: str, folder: Path, note: dict, before: dict) -> None:
        """Moves a folder to its place, so that there is always a whole one."""
        text = json.dumps(note, indent=1, sort_keys=True) + "\n"
        target = self._top / student
        part = self._top / f".{student}.part"
        try:
            self._top.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(folder, part)
            (part / NOTE).write_text(text)
            if target.exists():
                kept = self._top / EARLIER / f"{student}.{before['sha256'][:12]}"
                shutil.rmtree(kept, ignore_errors=True)
                kept.parent.mkdir(exist_ok=True)
                target.rename(kept)
            part.rename(target)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise project.LabError(f"{target}: {error.strerror or error}") from error


def collect(
    lab: project.Lab, source: Path, course: Path, *, due: str = "", late: bool = False
) -> Summary:
    """Takes the hand-ins of a class.

    Args:
        lab: Which one.
        source: A folder of students, the download of a gradebook, packed or not, or a
            ``.txt`` with lines of students and addresses of Git repositories.
        course: Where to.
        due: When they were due; any time if empty.
        late: Whether what came later is taken too, and marked.

    Raises:
        LabError: the source cannot be read, or the course not be written to; what was
            collected before stays.
    """
    limit = layouts.seconds_of(due) if due else 0
    try:
        with tempfile.TemporaryDirectory(prefix="minitf-collect-") as name:
            scratch = Path(name)
            (scratch / "read").mkdir()
            collector = _Collector(lab, course, limit, late, scratch / "read")
            found = _find(lab, source, scratch)
            summary = collector.summary
            summary.kind, summary.odd = found.kind, found.odd
            for given in found.given:
                collector.take(given)
            return summary
    except OSError as error:
        raise project.LabError(f"{source}: {error.strerror or error}") from error


def _find(lab: project.Lab, source: Path, scratch: Path) -> layouts.Understood:
    """Whose is what in a source."""
    if source.suffix == ".txt" and source.is_file():
        return _cloned(source, scratch)
    odd: list[str] = []
    folder = source
    if not source.is_dir():
        folder = scratch / "unpacked"
        folder.mkdir()
        odd = layouts.unpack(source, folder)
    found = layouts.understand(folder, lab, scratch)
    found.odd = odd + found.odd
    return found


def _cloned(source: Path, scratch: Path) -> layouts.Understood:
    """The repositories of a list."""
    found = layouts.Understood("Git")
    for number, (name, address) in enumerate(repositories.read_list(source).items()):
        student = layouts.student_name(name)
        try:
            place = repositories.clone(address, scratch / "clones" / f"{number}")
        except Rejected as error:
            found.odd.append(f"{shown(name)}: {error}")
            continue
        found.given.append(Given(student, [place], may_be_git=True))
    return found


def print_summary(summary: Summary, lab: project.Lab) -> None:
    """Prints what came of collecting."""
    print(f"lab {lab.number}, a source of the kind {summary.kind}:")
    print(f"  {len(summary.taken)} taken, {len(summary.unchanged)} unchanged")
    for title, lines in (("not taken", summary.refused), ("unclear", summary.odd)):
        for line in lines:
            print(f"  {title}: {plain(line)}")
