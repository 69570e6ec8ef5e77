"""``./lab course grade``: a class is judged, one process for each hand-in.

What is done is known by its record: ``results/LAB/SHA256.json``, written as a whole by
the process that judged. So it may be stopped or killed at any time and started again.
Equal hand-ins are judged once. The process holds a lock on the name of the record, so two
of them never judge the same files, even if the one that started the first was killed.

When all is judged, each student gets a record of his or her own in ``records/LAB/``.
"""

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import collect, identity, judging, packs
from minitf_lab.labs.answers import SCRATCH
from minitf_lab.labs.handin import records

MAX_TRIES = 3
MORE_SECONDS = 900  # than the cases of a lab may take together
LOCKS = ".locks"
ABOUT = ("known_as", "group", "marked_late")  # of a note, that its record has too


@dataclass(frozen=True)
class Place:
    """Where the records of a lab are."""

    course: Path
    lab: project.Lab

    def result(self, sha256: str) -> Path:
        """The record of a hand-in, whoever has made it."""
        return self.course / "results" / self.lab.folder / f"{sha256}.json"

    @property
    def pack(self) -> Path:
        """The private cases of the course, if there are any."""
        return packs.path_of(self.course, self.lab)

    def record(self, student: str) -> Path:
        """The record of a student."""
        name = f"{identity.folder_name(student)}.json"
        return self.course / "records" / self.lab.folder / name


@dataclass(frozen=True)
class Options:
    """How a class is judged.

    Attributes:
        jobs: How many hand-ins at the same time.
        again: Also those that have a record.
        outdated: Also those whose record is of an earlier version of the lab or pack.
        only: These students; all if empty.
        no_sandbox: Whether nothing contains the code of students.
        is_shown: Whether each is named when it is done.
    """

    jobs: int = 1
    again: bool = False
    outdated: bool = False
    only: tuple[str, ...] = ()
    no_sandbox: bool = False
    is_shown: bool = False


@dataclass
class Progress:
    """What came of a class.

    Attributes:
        judged: How many hand-ins were judged now.
        known: How many had been before.
        stale: Students whose record is of an earlier version of the lab.
        failed: For each that the machine could not judge, why.
        points: Of each student; None if they are not known.
        changed: For each student whose record says other points now, those of before.
    """

    judged: int = 0
    known: int = 0
    stale: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    points: dict[str, float | None] = field(default_factory=dict)
    changed: dict[str, float | None] = field(default_factory=dict)


@contextlib.contextmanager
def locked(path: Path, said: str = "") -> Iterator[None]:
    """Holds a lock called like ``path``, a file that need not be there.

    It waits for another process, or raises an error that says ``said``, if that is given.

    Raises:
        LabError: another process has it, or it cannot be made.
    """
    lock = path.parent / LOCKS / path.name
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise project.LabError(f"{lock}: {error.strerror or error}") from error
    try:
        fcntl.flock(number, fcntl.LOCK_EX | (fcntl.LOCK_NB if said else 0))
        yield
    except BlockingIOError:
        raise project.LabError(said) from None
    finally:
        os.close(number)


def is_judged(path: Path, key: bytes) -> bool:
    """Whether there is a record, and it is not of a failure of the machine.

    Raises:
        RecordError: there is one that this key has not signed.
    """
    if not os.path.lexists(path):
        return False
    record = records.read(path, key)
    if f"{record['submission']['sha256']}.json" != path.name:
        raise records.RecordError(f"{path.name}: it is of another hand-in")
    return record["status"] != "grader_error"


def _words(place: Place, student: str, sha256: str) -> list[str]:
    """The words of ``./lab`` that judge a hand-in."""
    lab = str(place.lab.home or place.lab.folder)
    folder = collect.home_of(place.course, place.lab, student)
    out = place.result(sha256)
    words = ["judge", lab, str(folder), "--out", str(out), "--keep", "--no-build"]
    return [*words, "--pack", str(place.pack)] if os.path.lexists(place.pack) else words


def _chosen(place: Place, only: tuple[str, ...]) -> dict[str, dict]:
    """What is known of the hand-ins of these students, of all if none is named.

    Raises:
        LabError: somebody who is named has handed in nothing.
    """
    students = collect.students_of(place.course, place.lab)
    chosen = collect.find_students(students, only, place.lab) or students
    return {name: note for name, note in students.items() if name in chosen}


def versions(place: Place, key: bytes) -> tuple[str, str]:
    """Which version of the lab, and which pack, hand-ins are judged with now."""
    pack = packs.id_of(place.lab, place.pack, key)
    return judging.lab_digest(place.lab), pack


def versions_of(record: dict) -> tuple[str, str]:
    """Those that a hand-in was judged with."""
    return record["lab"].get("sha256", ""), record["lab"].get("pack", "")


def waiting(place: Place, key: bytes, options: Options | None = None) -> dict[str, str]:
    """For each hand-in that is to be judged, one of its students.

    Raises:
        LabError: there are no hand-ins, or a record or the pack is not as it should be.
    """
    options = options or Options()
    now = versions(place, key)
    found: dict[str, str] = {}
    wrong = []
    for student, note in _chosen(place, options.only).items():
        if "rejected" in note:
            continue
        path = place.result(note["sha256"])
        try:
            is_done = is_judged(path, key)
            if is_done and options.outdated:
                is_done = versions_of(records.read(path, key)) == now
            if options.again or not is_done:
                found.setdefault(note["sha256"], student)
        except records.RecordError as error:
            wrong.append(str(error))
    if wrong:
        text = "\n  ".join(dict.fromkeys(wrong))
        raise project.LabError(
            f"these records are not this course's, so nothing was judged:\n  {text}\n"
            "move them away to have their hand-ins judged again"
        )
    return found


def commands(place: Place, key: bytes, options: Options, more: list[str]) -> list[str]:
    """Lines for a shell, each of which judges one hand-in that is waiting."""
    lab = str(project.ROOT / "lab")
    more = ["--key", str(place.course / "key"), *_more(options), *more]
    return [
        shlex.join([lab, *_words(place, student, sha256), *more])
        for sha256, student in waiting(place, key, options).items()
    ]


def _more(options: Options) -> list[str]:
    """Words that every judge gets."""
    words = ["--again"] if options.again or options.outdated else []
    return [*words, "--no-sandbox"] if options.no_sandbox else words


def _judge_one(
    place: Place, student: str, sha256: str, key: bytes, options: Options
) -> str:
    """Judges a hand-in in a process of its own; what the machine did wrong, if it did."""
    command = [sys.executable, "-m", "minitf_lab", *_words(place, student, sha256)]
    command += ["--key", "-", "--share", str(options.jobs)]
    command += _more(options)
    most = place.lab.time_limit_s * sum(task.cases for task in place.lab.tasks)
    said = ""
    for _ in range(MAX_TRIES):
        try:
            done = subprocess.run(
                command,
                input=key.hex() + "\n",
                capture_output=True,
                text=True,
                errors="replace",
                timeout=most + MORE_SECONDS,
            )
        except subprocess.TimeoutExpired:
            said = f"it was not judged within {most + MORE_SECONDS:g} s"
            continue
        except OSError as error:
            said = f"the judge cannot be started: {error}"
            continue
        said = _failure(place.result(sha256), key, done)
        if not said:
            break
    return said


def _failure(path: Path, key: bytes, done: subprocess.CompletedProcess) -> str:
    """Why there is no mark yet; empty if there is one."""
    if done.returncode != 0:
        lines = done.stderr.strip().split("\n")
        return lines[-1][:500] or f"the judge ended with status {done.returncode}"
    try:
        record = records.read(path, key)
    except records.RecordError as error:
        return str(error)
    return records.failure(record) if record["status"] == "grader_error" else ""


def grade(place: Place, key: bytes, options: Options | None = None) -> Progress:
    """Judges what is waiting, and writes the records of the students.

    Raises:
        LabError: as ``waiting``; or another process does the same.
    """
    options = options or Options()
    top = place.result("all")
    said = f"another ./lab course grade {place.lab.number} is at work on {place.course}"
    with locked(top, said):
        _clear(place)
        todo = waiting(place, key, options)
        students = _chosen(place, options.only)
        found = Progress(known=len({n["sha256"] for n in students.values()} - set(todo)))
        _judge_all(place, key, options, todo, found)
        now = versions(place, key)
        for student, note in students.items():
            before = _points_of(place, key, student)
            record = _write_record(place, key, student, note)
            found.points[student] = record["score"]
            if before and before != [record["score"]]:
                found.changed[student] = before[0]
            if record["status"] != "rejected" and versions_of(record) != now:
                found.stale.append(student)
        return found


def _points_of(place: Place, key: bytes, student: str) -> list[float | None]:
    """The points that a student's record says so far; nothing if there is none."""
    try:
        return [records.read(place.record(student), key)["score"]]
    except records.RecordError:
        return []


def _judge_all(
    place: Place, key: bytes, options: Options, todo: dict[str, str], found: Progress
) -> None:
    """Judges hand-ins, some at the same time; none is begun after an error."""
    with ThreadPoolExecutor(options.jobs) as pool:
        running = {
            pool.submit(_judge_one, place, student, sha256, key, options): student
            for sha256, student in todo.items()
        }
        try:
            for number, one in enumerate(as_completed(running), start=1):
                student = running[one]
                if error := one.result():
                    found.failed[student] = error
                else:
                    found.judged += 1
                if options.is_shown:
                    state = "not judged" if error else "judged"
                    said = f"{number} of {len(todo)}: {identity.shown(student)} {state}"
                    print(f"  {said}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _clear(place: Place) -> None:
    """Removes what judges that were killed have left: parts of records, and objects."""
    left = [*place.result("x").parent.glob(".*.json.*")]
    left += Path(tempfile.gettempdir()).glob(f"{SCRATCH}*")
    for path in left:
        number = re.search(r"(?:\.json\.|judge-)(\d+)[.-]", path.name)
        if number and not Path(f"/proc/{number[1]}").exists():
            with contextlib.suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                elif path.is_file():
                    path.unlink()


def _write_record(place: Place, key: bytes, student: str, note: dict) -> dict:
    """Writes the record of a student, unless it is there."""
    sha256 = note["sha256"]
    if "rejected" in note:
        record = judging.refused(place.lab, sha256, note["rejected"], key)
    else:
        try:
            record = records.read(place.result(sha256), key)
        except records.RecordError as error:
            record = judging.refused(place.lab, sha256, str(error), key, "grader_error")
    about = {name: note[name] for name in ABOUT if note.get(name)}
    about |= {"id": student, "submitted_at": note.get("submitted_at", "")}
    own = records.signed_copy(record, key, **about)
    path = place.record(student)
    with contextlib.suppress(records.RecordError):
        if records.read(path, key) == own:
            return own
    records.write(path, own)
    return own


def _said(points: float | None) -> str:
    return "none" if points is None else f"{points:g}"


def print_progress(found: Progress, lab: project.Lab) -> None:
    """Prints what came of a class."""
    known = [score for score in found.points.values() if score is not None]
    mean = sum(known) / len(known) if known else 0
    print(f"lab {lab.number}: {found.judged} judged now, {found.known} known before")
    print(
        f"{len(known)} of {len(found.points)} students have points, {mean:.1f} on average"
    )
    if found.stale:
        print(
            f"{len(found.stale)} records are of an earlier version of the lab, or of "
            "other private cases: --outdated judges these anew"
        )
    for student, before in sorted(found.changed.items()):
        now = found.points[student]
        points = f"{_said(before)}, now {_said(now)}"
        print(f"  other points than before: {identity.shown(student)}: {points}")
    for student, error in sorted(found.failed.items()):
        shown = identity.shown(student)
        print(f"  not judged, through no fault of its own: {shown}: {error}")
