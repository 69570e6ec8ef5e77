"""``./lab course collect``: one submission of every student, in one place.

``intake.take`` copies a submission to ``COURSE/handins/LAB/STUDENT/``. The file
``handin.json`` beside it contains the student, the source, the time, the hash, and what
was set aside. ``choice.py`` contains the rule. A submission that is replaced moves to
``.earlier/``.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import choice, clock, identity, layouts, repositories, unpack
from minitf_lab.course.choice import Candidate
from minitf_lab.course.identity import shown
from minitf_lab.course.layouts import Given, Offer
from minitf_lab.course.offers import Reader, Terms
from minitf_lab.labs.handin import archives, records
from minitf_lab.labs.handin.archives import Rejected
from minitf_lab.results import plain

NOTE = "handin.json"
EARLIER = ".earlier"
MAX_NOTE = 200_000


@dataclass
class Summary:
    """What came of collecting.

    Attributes:
        taken: Students whose hand-in is new.
        unchanged: Students whose submission in the course stays.
        choices: Sentences about the choice between several submissions.
        notes: Other sentences.
        refused: Sentences about hand-ins that were not taken.
        odd: Sentences about what was not understood.
    """

    kind: str = ""
    taken: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


def folder_of(course: Path, lab: project.Lab) -> Path:
    """Where the hand-ins of a lab are."""
    return course / "handins" / lab.folder


def home_of(course: Path, lab: project.Lab, student: str) -> Path:
    """The folder of a student's submission."""
    return folder_of(course, lab) / identity.folder_name(student)


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
    student = found.get("student")
    if not isinstance(student, str) or not student:
        raise project.LabError(f"{path} is damaged: it does not say whose it is")
    if identity.folder_name(student) != folder.name and folder.parent.name != EARLIER:
        raise project.LabError(
            f"{folder}: this folder holds the hand-in of '{shown(student)}', so it must "
            f"be called {identity.folder_name(student)}"
        )
    return found


def students_of(course: Path, lab: project.Lab) -> dict[str, dict]:
    """For each student with a hand-in, what its ``handin.json`` says.

    Raises:
        LabError: there is none, or one is damaged.
    """
    top = folder_of(course, lab)
    folders = sorted(top.iterdir()) if top.is_dir() else []
    notes = [
        read_note(folder)
        for folder in folders
        if folder.is_dir() and not folder.name.startswith(".")
    ]
    found = {note["student"]: note for note in notes if note}
    if not found:
        raise project.LabError(
            f"there are no hand-ins of lab {lab.number} in {course}: "
            f"./lab course collect {lab.number} FROM brings them"
        )
    return found


def find_students(
    students: dict[str, dict], words: Iterable[str], lab: project.Lab
) -> list[str]:
    """The students with a submission whom ``words`` name.

    A word is an identity, a folder, an address, a number or a full name.

    Raises:
        LabError: a word names nobody, or several.
    """
    directory = identity.Directory(
        {name: note.get("known_as", {}) for name, note in students.items()}
    )
    found = {word: directory.find(word) for word in words}
    if missing := [shown(word) for word, name in found.items() if name is None]:
        raise project.LabError(
            f"there is no hand-in of {', '.join(missing)} for lab {lab.number}"
        )
    return [name for name in found.values() if name is not None]


class _Collector:
    """Collects one source."""

    def __init__(
        self,
        lab: project.Lab,
        course: Path,
        terms: Terms,
        given: list[Given],
        scratch: Path,
    ) -> None:
        self._lab, self._course, self._terms = lab, course, terms
        self._top = folder_of(course, lab)
        self._reader = Reader(lab, terms, given, scratch)
        self.summary = Summary(
            notes=[
                f"{shown(one)}: an extension, but no submission in this source"
                for one in self._reader.strangers
            ]
        )
        folders = self._top.iterdir() if self._top.is_dir() else []
        before = [read_note(one) for one in folders if not one.name.startswith(".")]
        known = [note["student"] for note in before if note]
        identity.refuse_alike([*known, *(one.student for one in given)])

    def take(self, given: Given) -> None:
        """Applies the rule to the submissions of a student."""
        read = self._reader.read(given)
        chosen = choice.choose(read, takes_late=self._terms.takes_all)
        for one in read:
            if one.reason:
                self.summary.refused.append(f"{shown(given.student)}: {one.reason}")
            elif one.is_late and not self._terms.takes_all and not one.is_commit:
                self.summary.refused.append(
                    f"{shown(given.student)}: {shown(one.source)} is {one.lateness}; "
                    "--late takes it if nothing came in time"
                )
        if chosen.counts:
            self._keep(given, chosen)
        else:
            self._say(given, chosen, len(read) > 1)
            rejected = [one for one in read if one.reason]
            if rejected:
                self._note_refusal(given, rejected[-1])

    def _say(self, given: Given, chosen: choice.Choice, is_worth_it: bool = True) -> None:
        said = choice.sentence(given.student, chosen, self._terms.zone)
        if said and is_worth_it:
            self.summary.choices.append(said)

    def _note(self, given: Given, one: Candidate, sha256: str) -> dict[str, Any]:
        return {
            "student": given.student,
            "known_as": dict(given.known_as),
            "group": list(given.group),
            "lab": self._lab.folder,
            "sha256": sha256,
            "submitted_at": clock.moment(one.time),
            "late": one.is_late,
            "marked_late": one.is_marked_late,
            "accepted": self._terms.accepts,
            "source": shown(one.source),
        }

    def _before(self, given: Given, before: dict) -> Candidate:
        """The submission in the course, as a candidate."""
        said = before.get("submitted_at", "")
        time = clock.seconds_of(said) if said else 0
        return Candidate(
            f"{before.get('source', '')}{choice.BEFORE}",
            time,
            self._reader.late_s(given.student, time) if not before.get("accepted") else 0,
            bool(before.get("marked_late")),
        )

    def _stays(self, old: Candidate, new: Candidate, before: dict) -> bool:
        """Whether the submission in the course stays."""
        if before.get("accepted") or self._terms.accepts:
            return not self._terms.accepts
        # Without a due date nothing is late, so the latest counts.
        if self._terms.due and old.is_late != new.is_late:
            return new.is_late
        return bool(new.time) and int(new.time) <= int(old.time)

    def _keep(self, given: Given, chosen: choice.Choice) -> None:
        """Copies the chosen submission to the course, unless the one there stays."""
        new = chosen.counts
        home = home_of(self._course, self._lab, given.student)
        before = read_note(home)
        note = self._note(given, new, new.hand_in.sha256)
        aside = [one.note(why) for one, why in chosen.aside]
        if before and "rejected" not in before:
            old = self._before(given, before)
            is_better = old.is_late and not new.is_late
            is_better |= self._terms.accepts and not before.get("accepted")
            is_same = note["sha256"] == before["sha256"] and not is_better
            if is_same or self._stays(old, new, before):
                if not is_same:
                    why = new.lateness if new.is_late and not old.is_late else "not later"
                    chosen.aside.insert(0, (new, why))
                    chosen.counts = old
                    aside.insert(0, new.note(why))
                self._say(given, chosen)
                self._add_aside(home, before, aside)
                self.summary.unchanged.append(given.student)
                return
            why = old.lateness if old.is_late and not new.is_late else "collected before"
            chosen.aside.insert(0, (old, why))
            aside.insert(0, {**old.note(why), "sha256": before["sha256"]})
        self._say(given, chosen)
        note["set_aside"] = _without_repetitions([*aside, *before.get("set_aside", [])])
        self._put(given.student, new.folder, note, before)
        self.summary.taken.append(given.student)

    def _add_aside(self, home: Path, before: dict, aside: list[dict]) -> None:
        """Adds entries to the note of the submission that stays."""
        now = _without_repetitions([*before.get("set_aside", []), *aside])
        if now != before.get("set_aside", []):
            text = _text({**before, "set_aside": now})
            records.write_file(home / NOTE, text.encode(), 0o644)

    def _note_refusal(self, given: Given, one: Candidate) -> None:
        """Remembers that nothing could be taken, if there is nothing else."""
        if read_note(home_of(self._course, self._lab, given.student)):
            return
        text = f"minitf rejected {self._lab.folder} {given.student} {one.reason}"
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        folder = self._reader.new_folder()
        note = self._note(given, one, digest) | {"rejected": one.reason}
        self._put(given.student, folder, note, {})

    def _put(self, student: str, folder: Path, note: dict, before: dict) -> None:
        """Moves a folder to its place, so that there is always a whole one."""
        name = identity.folder_name(student)
        target = self._top / name
        part = self._top / f".{name}.part"
        try:
            self._top.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(folder, part)
            (part / NOTE).write_text(_text(note))
            if target.exists():
                kept = self._top / EARLIER / f"{name}.{before['sha256'][:12]}"
                shutil.rmtree(kept, ignore_errors=True)
                kept.parent.mkdir(exist_ok=True)
                target.rename(kept)
            part.rename(target)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise project.LabError(f"{target}: {error.strerror or error}") from error


def _text(note: dict) -> str:
    return json.dumps(note, indent=1, sort_keys=True) + "\n"


def _without_repetitions(aside: list[dict]) -> list[dict]:
    """The entries, each once; of those for the same submission the first one."""
    found: dict[tuple, dict] = {}
    for one in aside:
        found.setdefault((one["sha256"], one["source"], one["submitted_at"]), one)
    return list(found.values())[: choice.MOST]


def collect(
    lab: project.Lab, source: Path, course: Path, terms: Terms | None = None
) -> Summary:
    """Copies the submissions of a class to the folder ``course``.

    ``source`` is a folder of students, the download of a gradebook, or a ``.txt`` file.
    Each line of a ``.txt`` file has a student and the address of a Git repository.

    Raises:
        LabError: the source cannot be read, names two students alike, or the course
            cannot be written to; what was collected before stays.
    """
    terms = terms or Terms()
    try:
        with tempfile.TemporaryDirectory(prefix="minitf-collect-") as name:
            scratch = Path(name)
            (scratch / "read").mkdir()
            found = _find(lab, source, scratch, terms.zone)
            collector = _Collector(lab, course, terms, found.given, scratch / "read")
            summary = collector.summary
            summary.kind, summary.odd = found.kind, found.odd
            for given in found.given:
                collector.take(given)
            return summary
    except OSError as error:
        raise project.LabError(f"{source}: {error.strerror or error}") from error


def _find(
    lab: project.Lab, source: Path, scratch: Path, zone: tzinfo | None
) -> layouts.Understood:
    """Whose is what in a source."""
    if source.suffix == ".txt" and source.is_file():
        return _cloned(source, scratch)
    odd: list[str] = []
    folder = source
    if not source.is_dir():
        folder = scratch / "unpacked"
        folder.mkdir()
        odd = unpack.unpack(source, folder, lab, zone)
    found = layouts.understand(folder, lab, scratch)
    found.odd = odd + found.odd
    return found


def _cloned(source: Path, scratch: Path) -> layouts.Understood:
    """The repositories of a list."""
    found = layouts.Understood("Git")
    for number, (name, address) in enumerate(repositories.read_list(source).items()):
        try:
            place = repositories.clone(address, scratch / "clones" / f"{number}")
        except Rejected as error:
            found.odd.append(f"{shown(name)}: {error}")
            continue
        offer = Offer(place, may_be_git=True, source=address)
        found.given.append(Given(identity.tidy(name), [offer], raw=name))
    found.given = layouts.join(found.given)
    return found


def print_summary(summary: Summary, lab: project.Lab) -> None:
    """Prints what came of collecting."""
    print(f"lab {lab.number}, a source of the kind {summary.kind}:")
    print(f"  {len(summary.taken)} taken, {len(summary.unchanged)} unchanged")
    parts = (
        ("note", summary.notes),
        ("choice", summary.choices),
        ("not taken", summary.refused),
        ("unclear", summary.odd),
    )
    for title, lines in parts:
        for line in lines:
            print(f"  {title}: {plain(line)}")
