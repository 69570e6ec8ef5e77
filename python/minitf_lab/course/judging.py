"""A hand-in is judged: its record, with a verdict for every task and every case.

``judge`` compiles the files of a hand-in, runs the public and the hidden cases on them,
and gives points as ``grade.py`` does. The numbers that the cases draw follow from the
course's key and the files, so that nobody can prepare for them and the same hand-in gets
the same record again. What is wrong with the machine, and not with the hand-in, gives a
``grader_error``, which is no mark at all.
"""

import contextlib
import hashlib
import hmac
import platform
import re
import shutil
import tempfile
import time
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.judge import quiet
from minitf_lab.judge.case import COMMON
from minitf_lab.judge.regions import find_regions
from minitf_lab.judge.runner import WorkerError
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import LIBRARY
from minitf_lab.labs import builds, grade, machine, questions, speed_points
from minitf_lab.labs.answers import Answer, scratch
from minitf_lab.labs.handin import archives, records, submit
from minitf_lab.labs.handin.intake import MAX_ARCHIVE, TIME, HandIn
from minitf_lab.labs.marks import Grade, TaskGrade
from minitf_lab.results import Result, plain

MAX_SAID = 8000  # bytes of what a compiler says, or a case
MAX_VALUE = 500  # characters of a value
NEEDED_BYTES = 256 << 20  # of the disk, for objects and a library
DECIDING = ("reference", "starter")  # folders of a lab with files of its own
NOT_DECIDING = ("README.md", "diagnoses.json")
# What a compiler has against a line, and a linker against names.
OWN_ERROR = re.compile(
    r"^\S+\.(?:cc|h|cu|cuh)(?::\d+:\d+|\(\d+\)): (?:fatal )?error"
    r"|: undefined reference to |: multiple definition of ",
    re.MULTILINE,
)
HIDDEN = "a case that students do not have"


@dataclass
class _Outcome:
    """What came of a hand-in.

    Attributes:
        graded: Points and cases; None if no case was run.
        verdict: Of every task, if no case was run.
        message: Why, in that case.
        said: What the compiler said.
        seconds: How long it took to compile.
    """

    graded: Grade | None = None
    verdict: str = ""
    message: str = ""
    said: str = ""
    seconds: float = 0
    flags: list[str] = field(default_factory=list)


class _MachineError(Exception):
    """The machine cannot judge now; the hand-in is not to blame."""


def seed_of(lab: project.Lab, sha256: str, key: bytes) -> int:
    """Which numbers the cases draw for a hand-in."""
    text = f"minitf seed\n{lab.folder}\n{sha256}".encode()
    return int.from_bytes(hmac.new(key, text, hashlib.sha256).digest()[:8]) or 1


def version() -> str:
    """Of minitf."""
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    return tomllib.loads(text)["project"]["version"]


def lab_digest(lab: project.Lab) -> str:
    """A hash of what decides on marks: manifest, cases, driver, minitf's own answer.

    Every lab's hash depends on all files in tests/labs/common.
    """
    paths = {"lab.json": lab.manifest}
    for path in sorted(lab.tests.rglob("*")):
        name = path.relative_to(lab.tests)
        is_apart = lab.is_own and len(name.parts) > 1 and name.parts[0] not in DECIDING
        is_apart = is_apart or (lab.is_own and str(name) in NOT_DECIDING)
        if path.is_file() and "__pycache__" not in path.parts and not is_apart:
            paths[f"tests/{name}"] = path
    paths |= {f"common/{path.name}": path for path in sorted(COMMON.glob("*.*"))}
    paths |= {file: lab.unit(file) for file in lab.files}
    total = hashlib.sha256()
    for name, path in paths.items():
        data = path.read_bytes()
        total.update(f"{name} {len(data)}\n".encode() + data)
    return total.hexdigest()


def _cut(text: str, limit: int = MAX_SAID) -> str:
    """``text``, plain and not too long."""
    data = plain(text).encode()
    if len(data) <= limit:
        return data.decode()
    return data[:limit].decode(errors="ignore") + "\n... more is left out"


# ---- Judging --------------------------------------------------------------------------


def judge(
    lab: project.Lab, hand_in: HandIn, key: bytes, *, box: Box | None = None
) -> dict[str, Any]:
    """The signed record of a hand-in.

    What the cases of the lab need must be built. ``box`` contains the student's code, if
    anything does.
    """
    begin = time.monotonic()
    status = "graded"
    lab = machine.timed_here(lab)
    # Nothing is timed on this machine meanwhile, but by this process.
    has_speed = any(task.speed for task in lab.tasks)
    with scratch() as folder:
        try:
            with quiet.at_work() if has_speed else contextlib.nullcontext():
                outcome = _outcome(lab, hand_in, key, folder, box)
            if outcome.graded and all(one.is_skipped for one in outcome.graded.tasks):
                status = "grader_error"  # another machine can run it
        except (_MachineError, Exception) as error:  # whatever it is, it is ours
            status = "grader_error"
            said = f"{error}" or type(error).__name__
            outcome = _Outcome(verdict="grader_error", message=_relative(said, folder))
    if outcome.graded and not speed_points.is_measured(outcome.graded.tasks):
        status = "grader_error"
    outcome.flags += _flags_of(lab, hand_in)
    record = _record(lab, key, hand_in, status, outcome, box)
    record["execution_time"] = round(time.monotonic() - begin, 3)
    return records.sign(record, key)


def refused(
    lab: project.Lab, sha256: str, reason: str, key: bytes, status: str = "rejected"
) -> dict[str, Any]:
    """The signed record of what intake did not take, or what could not be judged.

    ``reason`` is for the student; ``status`` is ``rejected`` or ``grader_error``.
    """
    lab = machine.timed_here(lab)
    outcome = _Outcome(verdict=status, message=reason)
    record = _record(lab, key, HandIn(lab.folder, None, {}), status, outcome, None)
    record["submission"] |= {"id": sha256[:12], "sha256": sha256}
    return records.sign(record, key)


def digest_of(path: Path) -> str:
    """A hash of what was handed in but not taken, as far as it can be read."""
    total = hashlib.sha256(path.name.encode(errors="replace"))
    with contextlib.suppress(project.LabError, OSError):
        total.update(archives.read_regular(path, MAX_ARCHIVE, path.name))
    return total.hexdigest()


def _relative(text: str, folder: Path, hand_in: HandIn | None = None) -> str:
    """``text`` without the folders of this machine."""
    places = [folder, hand_in.folder if hand_in else None, project.ROOT]
    for place in places:
        if place:
            text = text.replace(f"{place}/", "")
    return re.sub(r"(?<![\w.])/(?:tmp|home|root|var)/[\w./-]*/", "", text)


def _has_own_marks(lab: project.Lab) -> bool:
    """Whether minitf's own answers are marked as answers to the lab's tasks."""
    numbers = {task.number for task in lab.tasks}
    texts = [lab.unit(file).read_text() for file in lab.files]
    return {region.task for text in texts for region in find_regions(text)} <= numbers


def _own_messages(said: str) -> str:
    r"""What a compiler said, without messages about files of the machine: it quotes them.

    >>> _own_messages("a.cc:1: x\n/etc/x:1:1: y\n   1 | z\na.cc:2:1: w")
    'a.cc:1: x\n(a message about a file that is not yours)\na.cc:2:1: w'
    """
    kept: list[str] = []
    is_own = True
    for line in said.split("\n"):
        if re.match(r"/\S*:\d+", line) or (is_own and re.match(r"/\S+: ", line)):
            if is_own:
                kept.append("(a message about a file that is not yours)")
            is_own = False
        elif re.match(
            r"[^\s/]\S*:\d+|In file included|[^\s/]\S*: (In|At) |\.\.\. ", line
        ):
            is_own = True
        if is_own:
            kept.append(line)
    return "\n".join(kept)


def _outcome(
    lab: project.Lab, hand_in: HandIn, key: bytes, folder: Path, box: Box | None
) -> _Outcome:
    """Compiles and runs; what is the hand-in's fault is an outcome, not an error.

    Raises:
        _MachineError: the machine fails.
    """
    if not (project.build_folder() / LIBRARY).exists():
        raise _MachineError("minitf is not built here: run ./lab build")
    _check_disk(folder)
    outcome = _Outcome()
    begin = time.monotonic()
    try:
        answer = _build_twice(lab, hand_in, folder, box)
    except project.BuildError as error:
        _check_disk(folder)
        outcome.verdict = error.verdict
        outcome.said = _cut(_own_messages(_relative(str(error), folder, hand_in)))
        outcome.message = "it does not compile"
        return outcome
    except project.GraderError as error:
        raise _MachineError(str(error)) from error
    except project.LabError as error:
        _check_disk(folder)
        outcome.verdict = "policy" if "includes" in str(error) else "compile_error"
        outcome.message = _cut(_relative(str(error), folder, hand_in))
        return outcome
    finally:
        outcome.seconds = round(time.monotonic() - begin, 3)
    outcome.said = _cut(_own_messages(_relative(answer.warnings, folder, hand_in)))
    outcome.flags += answer.audit.flags
    outcome.flags += [f"{name} has lost the exercise's marks" for name in answer.whole]
    if lab.home and not _has_own_marks(lab):
        # The marks are those of another lab, whose tasks are not asked for.
        answer = replace(answer, whole=tuple(hand_in.contents))
    seed = seed_of(lab, hand_in.sha256, key)
    _check_device(lab, folder, box)
    try:
        outcome.graded = grade.grade_answer(lab, answer, hidden_seed=seed)
        skipped = [one for one in outcome.graded.tasks if one.is_skipped]
        outcome.flags += [f"task {one.task.number}: {one.note}" for one in skipped]
    except WorkerError as error:
        _check_disk(folder)
        grade.check_machine(lab, box)
        outcome.verdict = error.verdict
        outcome.message = _cut(_relative(str(error), folder, hand_in))
    return outcome


def _build_twice(
    lab: project.Lab, hand_in: HandIn, folder: Path, box: Box | None
) -> Answer:
    """Makes the files of a hand-in ready, once more if the compiler does not say why not.

    What a compiler says can be forged, and its end can be caused, by what it compiles. So
    neither says whose fault it is: that minitf's own answer compiles, in the same box and
    right after, shows that the machine can.

    Raises:
        BuildError: the files do not compile.
        _MachineError: neither does minitf's own answer.
    """
    files = hand_in.files_of(lab)
    try:
        return _build(lab, files, folder, box)
    except project.BuildError as error:
        if OWN_ERROR.search(error.said):
            raise
        try:
            _build(lab, builds.files_of(lab, "reference"), folder / "control", box)
        except project.BuildError as fault:
            said = _cut(str(fault) or fault.verdict, MAX_VALUE)
            text = f"the lab's own answer does not compile here either: {said}"
            raise _MachineError(text) from fault
        if error.verdict == "compile_timeout":
            raise
    return _build(lab, files, folder / "again", box)


def _build(
    lab: project.Lab, files: dict[str, Path], folder: Path, box: Box | None
) -> Answer:
    """Makes files of a lab ready; in a box, no right answer is beside them."""
    if box is None:
        return builds.build_answer(lab, files, folder)
    return builds.build_for_marks(lab, files, folder, box)


def _check_device(lab: project.Lab, folder: Path, box: Box | None) -> None:
    """Raises _MachineError if the lab's own answer is not right on a device of here."""
    if not (lab.is_own and machine.devices_for(lab)):
        return
    answer = _build(lab, builds.files_of(lab, "reference"), folder / "right", box)
    if failures := grade.grade_answer(lab, answer).failures:
        said = failures[0][1]
        raise _MachineError(
            f"the lab's own answer fails here: {said.name}: {said.message}"
        )


def _check_disk(folder: Path) -> None:
    """Raises _MachineError if there is no room: then nothing that was said counts."""
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise _MachineError(
            f"the disk of {tempfile.gettempdir()} is full: {free >> 20} MB are left, "
            f"{NEEDED_BYTES >> 20} MB are needed"
        )
    (folder / "trial").write_bytes(bytes(4096))  # there may be a quota


# ---- The record -----------------------------------------------------------------------


def verdict_of(result: Result) -> str:
    """The one word of a record for what became of a case."""
    raised = re.match(r"it raised (\w+)", result.message)
    if result.status == "failed" and not result.cause and raised:
        return "memory_limit" if raised[1] in {"MemoryError", "bad_alloc"} else "raised"
    return result.verdict


def _case(result: Result, is_hidden: bool) -> dict[str, Any]:
    """A case of a record; of a hidden one no more than its verdict."""
    found: dict[str, Any] = {"id": result.name, "verdict": verdict_of(result)}
    found["visibility"] = "hidden" if is_hidden else "visible"
    if is_hidden or result.passed:
        return found
    details = result.details
    called = {"shape": "case", "first_index": "index"}
    for name in (*called, "expected", "got", "diagnosis"):
        if text := details.get(called.get(name, name)):
            found[name] = _cut(text, MAX_VALUE)
    if counts := re.fullmatch(r"(\d+) of (\d+)", details.get("differ", "")):
        found["n_bad"], found["n"] = int(counts[1]), int(counts[2])
    found |= {k: float(details[k]) for k in ("max_abs", "max_rel") if k in details}
    message = "\n".join(filter(None, [result.message, details.get("around", "")]))
    found |= {"message": _cut(message), "printed": _cut(result.printed)}
    return found


def _test(one: TaskGrade, hidden: set[str], lab: project.Lab) -> dict[str, Any]:
    """A task of a record."""
    cases = [_case(result, result.name in hidden) for result in one.results]
    wrong = next((case for case in cases if case["verdict"] != "ok"), {})
    is_seen = any(case["visibility"] == "visible" for case in cases) or not cases
    message = wrong.get("message", HIDDEN if wrong else "")
    otherwise = "skipped" if one.is_skipped else "grader_error" if one.note else "ok"
    found = _unrun(one.task, wrong.get("verdict", otherwise), one.note or message) | {
        "points": 0 if one.is_skipped else one.task.points,
        "score": one.points,
        "visibility": "visible" if is_seen else one.task.visibility or lab.visibility,
        "cases": cases,
        # Hidden cases too: so not exactly.
        "time_ms": round(1000 * sum(result.seconds for result in one.results), -1),
        "mem_mb": max((result.memory_mb for result in one.results), default=0),
        "hint": one.task.doc if wrong else "",
        "printed": wrong.get("printed", ""),
    }
    return found | (speed_points.fields(one.speed) if one.speed else {})


def _unrun(task: project.Task, verdict: str, message: str) -> dict[str, Any]:
    """A task of a record if no case was run."""
    return {
        "id": task.number,
        "title": task.title,
        "points": task.points,
        "score": None if verdict == "grader_error" else 0,
        "verdict": verdict,
        "visibility": "visible",
        "cases": [],
        "time_ms": 0,
        "mem_mb": 0,
        "message": message,
        "hint": "",
        "printed": "",
    }


def _record(
    lab: project.Lab,
    key: bytes,
    hand_in: HandIn,
    status: str,
    outcome: _Outcome,
    box: Box | None,
) -> dict[str, Any]:
    """The record, not signed yet."""
    tests = [_unrun(task, outcome.verdict, outcome.message) for task in lab.tasks]
    score = 0 if status != "grader_error" else None
    max_score = lab.points
    if outcome.graded:
        hidden = {
            one.name for one in grade.cases_of(lab, with_hidden=True) if one.is_hidden
        }
        tests = [_test(one, hidden, lab) for one in outcome.graded.tasks]
        score = None
        if status == "graded":
            score, max_score = outcome.graded.points, outcome.graded.max_points
    is_built = outcome.verdict not in {"compile_error", "compile_timeout", "policy"}
    return {
        "schema": records.SCHEMA,
        "lab": {
            "id": lab.folder,
            "sha256": lab_digest(lab),
            "version": lab.version,
            "pack": lab.pack_id,
        },
        "grader": {
            "version": version(),
            "sandbox": getattr(box, "kind", "none"),
            "host": platform.node(),
        },
        "submission": {
            "id": hand_in.sha256[:12],
            "sha256": hand_in.sha256,
            "submitted_at": "",
            "files": list(hand_in.contents),
        },
        "seed_id": records.key_id(key),
        "status": status,
        "score": score,
        "max_score": max_score,
        "tests": tests,
        "board": speed_points.board(outcome.graded.tasks) if outcome.graded else [],
        "flags": outcome.flags,
        "build": {
            "ok": is_built,
            "messages": outcome.said,
            "seconds": outcome.seconds,
        },
        "execution_time": 0,
    }


def _flags_of(lab: project.Lab, hand_in: HandIn) -> list[str]:
    """What an instructor may want to look at; it changes no mark."""
    found = []
    if hand_in.folder:
        copied = grade.copied_tasks(lab, hand_in.files_of(lab))
        found += [f"task {task}: minitf's own answer, word for word" for task in copied]
    if not hand_in.receipt:
        found.append("there is no receipt: it was not made by ./lab submit")
    elif hand_in.receipt.get("sha256") != hand_in.sha256:
        found.append("the receipt is of other files: something was changed after it")
    elif hand_in.receipt.get("version") != lab.version:
        found.append("it was made with another version of the lab")
    hours = submit.hours_of(hand_in.text(TIME))
    found.append("hours are not said" if hours is None else f"hours: {hours:g}")
    for question in questions.read(hand_in.text(questions.NAME)):
        said = questions.verdict(lab, question)
        found.append(f"question {_cut(question.number, 10)}: {said}")
    return found
