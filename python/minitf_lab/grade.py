"""Points for a lab: runs the cases of every task and adds up.

A task is worth its points times the part of its cases that pass, rounded down. It is
worth nothing if the lab has another number of cases than its manifest says. While a
task is tested, the answers to all other tasks are minitf's own: so a task stands alone.
That holds for files that keep the marks of the exercise; the tasks of other files are
tested together.

The points are for the student: a course that gives marks by them reads the files as well.
"""

import contextlib
import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from minitf_lab import (
    cuda,
    diagnoses,
    policy,
    project,
    python_units,
    speed_points,
    speed_rule,
)
from minitf_lab.answers import Answer, GraderError, build_own, is_begun
from minitf_lab.judge import own_cases, regions
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import fill_in, find_regions, has_marks
from minitf_lab.judge.runner import Worker, WorkerError
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import (
    NO_SANITIZER,
    SANITIZERS,
    build_variant,
    compose_alone,
)
from minitf_lab.patience import TOTAL_S, Patience
from minitf_lab.processes import shared_out
from minitf_lab.results import Limits, Result

MEMORY_MB = 2000  # for one case
CASES_OF_A_WORKER = 4  # fewer take less time than another worker needs to start
SLOWER = 5  # how much longer a case may take if a sanitizer watches
# Right answers by others, as folders of a lab in solutions/.
HONEST = ("honest/a", "honest/b")
# Characters, spaces left out. Shorter answers are alike by themselves: there are few ways
# to write them with the names that are given.
SHORTEST_COPY = 400


@dataclass
class TaskGrade:
    """What one task is worth.

    Attributes:
        note: Why it is worth less than its cases say; empty if it is not.
        is_skipped: Whether it cannot be run here; its points do not count then.
        speed: What came of timing it; None if it has no points for speed, or fails.
    """

    task: project.Task
    results: list[Result]
    points: int = 0
    note: str = ""
    is_skipped: bool = False
    speed: speed_points.Outcome | None = None

    @property
    def passed(self) -> int:
        """How many cases pass."""
        return sum(result.passed for result in self.results)


@dataclass
class Grade:
    """What a lab is worth, task by task."""

    lab: project.Lab
    tasks: list[TaskGrade]

    @property
    def points(self) -> int:
        """The sum over all tasks."""
        return sum(task.points for task in self.tasks)

    @property
    def max_points(self) -> int:
        """The sum over all tasks that can be run here."""
        return sum(one.task.points for one in self.tasks if not one.is_skipped)

    @property
    def failures(self) -> list[tuple[project.Task, Result]]:
        """Every case that does not pass, with its task."""
        return [
            (grade.task, result)
            for grade in self.tasks
            for result in grade.results
            if not result.passed and not grade.is_skipped
        ]


def _check_files(lab: project.Lab) -> None:
    """Raises LabError unless there is work, and its files are the student's own."""
    if not lab.work.exists():
        raise project.LabError(f"nothing to test yet: run ./lab start {lab.called}")
    for file in lab.files:
        path = lab.work / Path(file).name
        place = project.shown(path)
        if path.is_symlink():
            raise project.LabError(f"{place} is a link; an answer is a file of its own")
        if not path.is_file():
            starter = project.shown(lab.starter / path.name)
            raise project.LabError(f"{place} is missing: begin with a copy of {starter}")


def files_of(lab: project.Lab, version: str) -> dict[str, Path]:
    """For each file of the framework that the lab replaces, the one in its place.

    Args:
        lab: Which one.
        version: ``work``, ``starter``, ``reference``, or one of ``HONEST``; with files of
            its own, any folder beside them.

    Raises:
        LabError: there is no such answer, or it does not fit the exercise.
    """
    if version == "reference":
        return {file: lab.unit(file) for file in lab.files}
    if lab.is_own and version not in {"work", "starter"}:
        return {file: lab.home / version / file for file in lab.files}
    if version in HONEST:
        return {file: _whole_file(lab, version, file) for file in lab.files}
    folder = lab.work if version == "work" else lab.starter
    return {file: folder / Path(file).name for file in lab.files}


def _whole_file(lab: project.Lab, version: str, file: str) -> Path:
    """A file with an answer in solutions/, where its regions alone are kept."""
    name = Path(file).name
    kept = lab.solution / version / name
    try:
        text = fill_in((lab.starter / name).read_text(), kept.read_text())
    except (OSError, ValueError) as error:
        raise project.LabError(f"{project.shown(kept)}: {error}") from error
    path = project.build_folder() / "labs" / lab.folder / version / "files" / name
    project.put(path, text)
    return path


def build_answer(
    lab: project.Lab, files: dict[str, Path], folder: Path, sanitizer: str = ""
) -> Answer:
    """Makes files of a lab ready to be run.

    Args:
        lab: Which one.
        files: As ``files_of`` gives them.
        folder: Where what is made goes.
        sanitizer: Which one of ``SANITIZERS`` watches the files in C++, if any.

    Raises:
        BuildError: a file does not compile.
        LabError: a file includes what an answer must not.
    """
    if lab.is_own:
        return build_own(lab, files, folder, sanitizer=sanitizer)
    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    environment = watch.environment() if sanitizer else {}
    folders = watch.folders()
    if lab.python_files:
        folders = [python_units.overlay_of(lab, files, folder / "overlay"), *folders]
    if folders:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    whole = tuple(
        files[file].name
        for file in lab.python_files
        if not has_marks(files[file], project.ROOT / file)
    )

    def timed() -> Answer:
        return build_for_marks(lab, files, folder / "timed", None)

    made = Answer(None, environment, whole, sanitizer=sanitizer, timed=timed)
    if not lab.cpp_files:
        return made
    answers = {file: files[file] for file in lab.cpp_files}
    variant = build_variant(answers, folder, preset=watch.preset, flags=watch.flags)
    library, whole = variant.library, whole + variant.whole
    return replace(made, library=library, whole=whole, warnings=variant.warnings)


def build_for_marks(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    box: Box | None,
    task: str = "",
) -> Answer:
    """Makes files of a lab ready to be run in a box, with no right answer beside them.

    Args:
        lab: Which one.
        files: As ``files_of`` gives them.
        folder: Where what is made goes.
        box: Where it is compiled, and is to be run.
        task: If given, minitf's answers take the place of those to all other tasks.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    box = replace(
        box,
        compile_s=lab.limits.get("compile_s", 0),
        compile_mem_mb=lab.limits.get("compile_mem_mb", 0),
    )
    if lab.is_own:
        return build_own(lab, files, folder, box, task)

    def alone(one: str) -> Answer | None:
        if not is_begun(lab, files, one):
            return None
        return build_for_marks(lab, files, folder / one, box, one)

    def has_task(file: str) -> bool:
        return task in regions.tasks_in_order((project.ROOT / file).read_text())

    used = {file: files[file] for file in lab.files if not task or has_task(file)}
    whole = tuple(
        path.name
        for file, path in used.items()
        if not regions.has_marks(path, project.ROOT / file)
    )
    environment = {}
    python_files = [file for file in lab.python_files if file in used]
    if python_files:
        part = replace(lab, files=python_files)
        overlay = python_units.overlay_alone(part, used, folder / "overlay", task)
        environment["PYTHONPATH"] = str(overlay)
    answer = Answer(None, environment, whole, box=box, alone=None if task else alone)
    cpp_files = {file: used[file] for file in lab.cpp_files if file in used}
    objects: dict[str, Path] = {}
    if cpp_files:
        compose = functools.partial(compose_alone, task=task)
        variant = build_variant(cpp_files, folder, compose=compose, box=box)
        answer = replace(answer, library=variant.library, warnings=variant.warnings)
        objects = variant.objects
    if task or not box:
        return answer
    return replace(answer, audit=policy.audit(lab, used, objects, box))


def drivers_of(lab: project.Lab) -> list[str]:
    """The targets of the build for a lab: the guard, and its driver if it is in C++."""
    if lab.is_own:
        return []
    is_cpp = (lab.tests / "driver.cc").exists()
    return ["lab_guard", *([f"lab_{lab.number}_driver"] if is_cpp else [])]


def build_framework(lab: project.Lab, sanitizer: str = "") -> None:
    """Builds all that a lab's cases need besides its own files."""
    preset = SANITIZERS.get(sanitizer, NO_SANITIZER).preset
    project.build("minitf", "_minitf", *drivers_of(lab), preset=preset, is_shown=True)


def made_folder(lab: project.Lab) -> Path:
    """Where what is made of answers to a lab goes: two may have the same name."""
    place = hashlib.sha256(os.fsencode(lab.home or "")).hexdigest()[:8]
    name = f"{lab.folder}-{place}" if lab.home else lab.folder
    return project.build_folder() / "labs" / name


def build_version(
    lab: project.Lab, version: str, sanitizer: str = "", box: Box | None = None
) -> Answer:
    """Makes the student's files, or others as ``files_of`` names them, ready.

    Args:
        lab: Which one.
        version: As for ``files_of``.
        sanitizer: Which one of ``SANITIZERS`` watches, if any.
        box: Where it is compiled and run; a sanitizer needs more than a box has.

    Raises:
        LabError: there is no work yet, or it is not the student's own.
        BuildError: the files do not compile.
    """
    if version == "work":
        _check_files(lab)
    elif version != "starter" and not project.has_reference(lab):
        raise project.LabError(f"there is no answer to lab {lab.number} here as source")
    build_framework(lab, sanitizer)
    folder = made_folder(lab) / version / sanitizer
    if not project.has_reference(lab):
        from minitf_lab import bare  # which needs this module

        return bare.build(lab, files_of(lab, version), folder / "bare", sanitizer, box)
    if box and not sanitizer:
        return build_for_marks(lab, files_of(lab, version), folder / "box", box)
    return build_answer(lab, files_of(lab, version), folder, sanitizer)


def copied_tasks(lab: project.Lab, files: dict[str, Path] | None = None) -> list[str]:
    """The tasks whose answers, if not too short to say, are minitf's, word for word.

    Args:
        lab: Which one.
        files: As ``files_of`` gives them; the student's own if not given.
    """
    mine: dict[str, list[str]] = {}
    theirs: dict[str, list[str]] = {}
    for file, path in (files or files_of(lab, "work")).items():
        for words, source in ((mine, path), (theirs, lab.unit(file))):
            with contextlib.suppress(ValueError, OSError):
                for region in find_regions(source.read_text()):
                    words.setdefault(region.task, []).extend(region.words)
    return [
        task
        for task, words in mine.items()
        if words == theirs.get(task) and len("".join(words)) >= SHORTEST_COPY
    ]


def limits(lab: project.Lab, sanitizer: str = "") -> Limits:
    """What a case of the lab may use, watched by a sanitizer or not."""
    if sanitizer:
        return Limits(lab.time_limit_s * SLOWER)
    given = lab.limits
    return Limits(
        lab.time_limit_s,
        given.get("mem_mb", MEMORY_MB),
        given.get("threads", 0),
        given.get("output_kb", 0),
    )


def cases_of(lab: project.Lab, *, with_hidden: bool = False) -> list[Case]:
    """All cases of the lab that students get, or all that there are, by task."""
    found = own_cases.read(lab.tests, lab.pack)
    return [one for one in found if with_hidden or not one.is_hidden]


def has_word(name: str, word: str) -> bool:
    """Whether a part of ``name`` begins like ``word``, in capitals or not.

    >>> has_word("unary-Sin_float32", "sin"), has_word("using_log", "sin")
    (True, False)
    """
    return any(
        name[match.start() - 1 : match.start()] in {"", "_", "-"}
        for match in re.finditer(f"(?={re.escape(word)})", name, re.IGNORECASE)
    )


def worker_of(lab: project.Lab, answer: Answer) -> Worker:
    """A process that runs cases of ``lab`` on ``answer``."""
    devices = cuda.devices() if cuda.is_needed(lab) else []
    return Worker(lab.driver, answer.library, answer.environment, answer.box, devices)


def check_machine(lab: project.Lab, box: Box | None) -> None:
    """Raises GraderError if the tests do not start on right answers: nobody's mistake."""
    try:
        with tempfile.TemporaryDirectory(prefix="minitf-judge-") as name:
            os.chmod(name, 0o755)
            answer = Answer(None, {}, box=box)
            if lab.is_own:
                answer = build_own(lab, files_of(lab, "reference"), Path(name), box)
            with worker_of(lab, answer):
                pass
    except (project.LabError, OSError) as error:
        text = f"grader_error: lab {lab.number} with its own answers: {error}"
        raise GraderError(text) from error


def _not_started(case: Case, error: WorkerError) -> Result:
    """What becomes of a case if the answer cannot even be loaded."""
    details = {"claim": case.claim}
    return Result(case.name, error.status, str(error), details, cause=error.cause)


def run_cases(
    lab: project.Lab, answer: Answer, cases: list[Case], task: str = "", seed: int = 0
) -> Iterator[Result]:
    """Runs ``cases`` on all processors; the results in order.

    Args:
        lab: Which one.
        answer: Of whom.
        cases: Of the lab.
        task: Whose answer is used; that of each case if empty.
        seed: Which numbers the cases draw.

    Raises:
        LabError: the worker does not start.
    """
    limit = limits(lab, answer.sanitizer)
    total_s = lab.limits.get("total_s", TOTAL_S)
    patience = Patience(cases, limit.seconds, total_s)

    def run_one(worker: Worker, number: int) -> Result:
        run = functools.partial(worker.run, limits=limit, seed=seed, task=task)
        return patience.run(number, run)

    def run_some(numbers: Iterator[int]) -> Iterator[Result]:
        with worker_of(lab, answer) as worker:
            for number in numbers:
                yield run_one(worker, number)

    def run_some_boxed(numbers: Iterator[int]) -> Iterator[Result]:
        number = None  # taken, and without a result so far
        try:
            with worker_of(lab, answer) as worker:
                for number in numbers:
                    result = run_one(worker, number)
                    number = None
                    yield result
        except WorkerError as error:
            check_machine(lab, answer.box)
            for one in [*([] if number is None else [number]), *numbers]:
                yield _not_started(cases[one], error)

    run = run_some_boxed if answer.box or answer.alone else run_some
    done = shared_out(run, len(cases), at_least=CASES_OF_A_WORKER)
    results = {result.name: result for result in done}
    return iter(patience.final([results[case.name] for case in cases]))


def _not_begun(case: Case) -> Result:
    """What becomes of a case whose task is as it was handed out."""
    text = f"task {case.task} is not written yet"
    return Result(case.name, "not written", text, {"claim": case.claim})


def _each_alone(
    lab: project.Lab, answer: Answer, cases: list[Case], results: list[Result], seed: int
) -> list[Result]:
    """``results``, with the cases that fail run again without the other tasks' faults.

    What passes with all of the student's answers needs none of minitf's. Only if several
    tasks have wrong cases, each of them is built with minitf's answers to the others.
    """
    wrong: dict[str, list[int]] = {}
    for number, (case, result) in enumerate(zip(cases, results, strict=True)):
        if not result.passed:
            wrong.setdefault(case.task, []).append(number)
    are_all = {case.task for case in cases} >= {task.number for task in lab.tasks}
    if answer.alone is None or (are_all and len(wrong) < 2):
        return results
    results = list(results)
    for task, numbers in wrong.items():
        try:
            alone = answer.alone(task)
        except project.BuildError:
            continue  # what it is tested with is the whole answer then
        if alone is None:  # whatever the other tasks have led to
            for number in numbers:
                results[number] = _not_begun(cases[number])
            continue
        if alone is answer:
            continue
        again = run_cases(lab, alone, [cases[n] for n in numbers], "all", seed)
        for number, result in zip(numbers, again, strict=True):
            results[number] = result
    return results


def run_tasks(
    lab: project.Lab,
    answer: Answer,
    word: str = "",
    task: str = "",
    *,
    hidden_seed: int | None = None,
) -> Iterator[tuple[project.Task, list[Result]]]:
    """Runs the cases whose names have ``word`` in them, task by task.

    Args:
        lab: Which one.
        answer: Of whom.
        word: Part of the names of cases.
        task: Only of this task; of all if empty.
        hidden_seed: If given, the hidden cases are run too, and this says which numbers
            all of them draw.

    Raises:
        LabError: the worker does not start.
    """
    chosen = [
        case
        for case in cases_of(lab, with_hidden=hidden_seed is not None)
        if has_word(case.name, word) and task in {"", case.task}
    ]
    skipped = {one.number: cuda.missing(lab, one) for one in lab.tasks}
    asked = [case for case in chosen if skipped.get(case.task) is not None]
    aside = {
        case: Result(case.name, "skipped", why)
        for case in asked
        if (why := skipped[case.task])
    }
    for case in asked:
        if case not in aside and case.task in answer.audit.refused:
            aside[case] = answer.audit.result(case)
    chosen = [case for case in asked if case not in aside]
    used = "all" if answer.whole or answer.box or answer.alone else ""
    results = [*run_cases(lab, answer, chosen, used, hidden_seed or 0)] if chosen else []
    if answer.alone and not answer.whole:
        results = _each_alone(lab, answer, chosen, results, hidden_seed or 0)
    diagnoses.explain(lab, results)
    by_task: dict[str, list[Result]] = {}
    for case, result in zip(chosen, results, strict=True):
        by_task.setdefault(case.task, []).append(result)
    for case, result in aside.items():
        by_task.setdefault(case.task, []).append(result)
    for one in lab.tasks:
        yield one, by_task.get(one.number, [])


def grade_answer(
    lab: project.Lab, answer: Answer, hidden_seed: int | None = None
) -> Grade:
    """Runs cases and gives points by them.

    Args:
        lab: Which one.
        answer: Of whom.
        hidden_seed: As for ``run_tasks``; if not given, the cases are those that students
            have, and there must be as many as the manifest says.

    Raises:
        LabError: the worker does not start.
    """
    lab = speed_rule.for_machine(lab)
    grades = []
    for task, results in run_tasks(lab, answer, hidden_seed=hidden_seed):
        if hidden_seed is not None:
            task = replace(task, cases=len(results))
        grade = TaskGrade(task, results)
        if why := cuda.missing(lab, task):
            grade.note, grade.is_skipped = why, True
        elif len(results) != task.cases:
            grade.note = f"there are {len(results)} of {task.cases} cases"
        elif results:
            grade.points = task.points * grade.passed // task.cases
        grades.append(grade)
    speed_points.add(lab, answer, grades, hidden_seed or 0)
    return Grade(lab, grades)
