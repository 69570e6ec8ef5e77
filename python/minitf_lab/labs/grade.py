"""Points for a lab: runs the cases of every task and adds up.

A task is worth its points times the part of its cases that pass, rounded down. It is
worth nothing if the lab has another number of cases than its manifest says. A case that
fails counts against the task whose answer makes it fail (``blame.py``). That holds for
files that keep the marks of the exercise; the tasks of other files are tested together.

The points are for the student: a course that gives marks by them reads the files as well.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge import own_cases
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import find_regions
from minitf_lab.judge.runner import Worker, WorkerError, result_of
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import (
    blame,
    builds,
    diagnoses,
    machine,
    sanitizer_text,
    speed_points,
)
from minitf_lab.labs.answers import Answer, scratch
from minitf_lab.labs.marks import Grade, TaskGrade
from minitf_lab.labs.patience import TOTAL_S, Patience
from minitf_lab.processes import shared_out
from minitf_lab.results import NOT_WRITTEN, Limits, Result

MEMORY_MB = 2000  # for one case
CASES_OF_A_WORKER = 4  # fewer take less time than another worker needs to start
SLOWER = 5  # how much longer a case may take if a sanitizer watches
# Characters, spaces left out. Shorter answers are alike by themselves: there are few ways
# to write them with the names that are given.
SHORTEST_COPY = 400

Tell = Callable[[int, int], None]  # how many cases are done, and of how many


def in_silence(done: int, total: int) -> None:
    """Tells nobody."""


def copied_tasks(lab: project.Lab, files: dict[str, Path] | None = None) -> list[str]:
    """The tasks whose answers, if not too short to say, are minitf's, word for word.

    The student's own files are meant if ``files`` are not given.
    """
    mine: dict[str, list[str]] = {}
    theirs: dict[str, list[str]] = {}
    for file, path in (files or builds.files_of(lab, "work")).items():
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
    return Worker(
        lab.driver,
        answer.library,
        answer.environment,
        answer.box,
        machine.devices_for(lab),
        is_native=bool(lab.cpp_files),
        is_guarded=answer.is_guarded or None,
    )


def check_machine(lab: project.Lab, box: Box | None) -> None:
    """Raises GraderError if the tests do not start on right answers: nobody's mistake."""
    try:
        with scratch() as folder:
            answer = Answer(None, {}, box=box)
            if lab.is_own:
                right = builds.files_of(lab, "reference")
                limited = builds.with_limits(lab, box)
                answer = builds.build_own(lab, right, folder, limited)
            with worker_of(lab, answer):
                pass
    except (project.LabError, OSError) as error:
        text = f"grader_error: lab {lab.number} with its own answers: {error}"
        raise project.GraderError(text) from error


def run_cases(
    lab: project.Lab,
    answer: Answer,
    cases: list[Case],
    task: str = "",
    seed: int = 0,
    tell: Tell = in_silence,
) -> Iterator[Result]:
    """Runs ``cases`` on all processors; the results in order.

    The answer to ``task`` is used, or that of each case if empty. After each case
    ``tell`` is called.

    Raises:
        LabError: the worker does not start.
    """
    limit = limits(lab, answer.sanitizer)
    total_s = lab.limits.get("total_s", TOTAL_S)
    patience = Patience(cases, limit.seconds, total_s)

    def run_one(worker: Worker, number: int) -> Result:
        run = functools.partial(worker.run, limits=limit, seed=seed, task=task)
        result = patience.run(number, run)
        if answer.sanitizer and result.status == "crashed":
            printed = Path(worker.printed).read_text(errors="replace")
            sanitizer_text.explain(result, printed)
        return result

    def run_some(numbers: Iterator[int]) -> Iterator[Result]:
        number = None  # taken, and without a result so far
        try:
            with worker_of(lab, answer) as worker:
                for number in numbers:
                    result = run_one(worker, number)
                    number = None
                    yield result
        except WorkerError as error:
            if not (answer.box or answer.alone):
                raise
            check_machine(lab, answer.box)
            for one in [*([] if number is None else [number]), *numbers]:
                yield error.result_of(cases[one])

    # A worker runs either kind alone, so what a hidden case has seen cannot reach what a
    # visible case prints, by whatever way.
    done: list[Result] = []
    for is_hidden in (False, True):
        chosen = [n for n, one in enumerate(cases) if one.is_hidden == is_hidden]
        before = len(done)
        done += shared_out(
            lambda numbers, chosen=chosen: run_some(chosen[number] for number in numbers),
            len(chosen),
            at_least=CASES_OF_A_WORKER,
            tell=lambda count, before=before: tell(before + count, len(cases)),
        )
    results = {result.name: result for result in done}
    return iter(patience.final([results[case.name] for case in cases]))


def _not_begun(case: Case) -> Result:
    """What becomes of a case whose task is as it was handed out."""
    return result_of(case, "not written", f"task {case.task} is not written yet")


def _unwritten(lab: project.Lab, result: Result) -> list[str]:
    """The task whose code a case has met where it is not written; empty if it has not."""
    found = NOT_WRITTEN.search(result.message) if result.status == "not written" else None
    return [one.number for one in lab.tasks if found and f" {one.number} " in found[0]]


def _told(lab: project.Lab, case: Case, first: Result, alone: Result) -> Result:
    """What a report says of a case that failed, and was run with one task's answer alone.

    The second run can read minitf's answers to other tasks. So each text comes from the
    first run or from the grader, also if the answer claims that a task is not written.
    """
    if alone.passed:
        return replace(first, status="passed", message="", details={}, printed="",
                       symptom="", cause="")  # fmt: skip
    names = _unwritten(lab, alone)
    if case.task in names:
        said = first if case.task in _unwritten(lab, first) else _not_begun(case)
        return replace(said, seconds=alone.seconds, memory_mb=alone.memory_mb)
    if names:
        message = f"it runs the code of task {names[0]}, which this task is to do without"
        return replace(first, status="failed", message=message, cause="")
    if first.status == "not written":
        message = "it fails beside right answers to the other tasks, too"
        return replace(first, status="failed", message=message, symptom=alone.symptom)
    return replace(first, symptom=alone.symptom)


def _need_more(
    lab: project.Lab, box: Box | None, task: str, cases: list[Case], seed: int
) -> list[Case]:
    """The cases in which minitf's own answer to a task runs more than the lab names.

    The code that a case runs can depend on the numbers that it draws.
    """
    with scratch() as folder:
        reference = builds.files_of(lab, "reference")
        right = builds.build_for_marks(lab, reference, folder, box, task)
        results = run_cases(lab, right, cases, "all", seed)
        pairs = zip(cases, results, strict=True)
        return [case for case, result in pairs if not result.passed]


def _alone(lab: project.Lab, answer: Answer, seed: int) -> blame.RunAlone:
    """Returns a function that runs cases with a student's answer to one task alone.

    The cases of that task have only those others that the lab names in ``uses``. Cases
    that need more have all of them, and so have the cases of other tasks.
    """

    @functools.cache
    def built(task: str, with_all: bool) -> Answer | None:
        try:
            return answer.alone(task, with_all=True) if with_all else answer.alone(task)
        except project.BuildError:
            return answer  # the task is tested with the whole answer then

    def run(task: str, cases: list[Case]) -> list[Result] | None:
        if answer.alone is None:  # the answers to the other tasks are switched
            return [*run_cases(lab, answer, cases, task, seed)]
        is_limited = lab.helpers(task) is not None and project.has_reference(lab)
        are_own = all(case.task == task for case in cases)
        alone = built(task, is_limited and not are_own)
        if alone is answer:
            return None
        if alone is None:  # whatever the other tasks have led to
            return [_not_begun(case) for case in cases]
        results = [*run_cases(lab, alone, cases, "all", seed)]
        met = [
            case
            for case, result in zip(cases, results, strict=True)
            if set(_unwritten(lab, result)) - {task}
        ]
        if not (met and is_limited and are_own):
            return results
        if more := _need_more(lab, alone.box, task, met, seed):
            found = run_cases(lab, built(task, True), more, "all", seed)
            again = {result.name: result for result in found}
            results = [again.get(result.name, result) for result in results]
        return results

    return run


def _tell_places(cases: list[Case], results: list[Result]) -> None:
    """Says of each result that students see where its case is written."""
    for case, result in zip(cases, results, strict=True):
        if case.file and not case.is_hidden:
            result.details["see"] = f"{project.shown(Path(case.file))}:{case.line}"


def run_tasks(
    lab: project.Lab,
    answer: Answer,
    word: str = "",
    task: str = "",
    *,
    hidden_seed: int | None = None,
    tell: Tell = in_silence,
) -> Iterator[tuple[project.Task, list[Result]]]:
    """Runs the cases whose names have ``word`` in them, task by task.

    Each case runs with all of the student's answers. A case that fails is charged to the
    task that makes it fail (``blame.py``). In practice, minitf's answers stand beside the
    student's: each case first runs with the answer to its own task alone. If all cases of
    the lab pass, they run once more with all of the student's answers.

    Only cases of ``task`` run, if it is given. With ``hidden_seed`` the hidden cases run
    too, and all cases draw their numbers by it. After each case ``tell`` is called.

    Raises:
        LabError: the worker does not start.
    """
    chosen = [
        case
        for case in cases_of(lab, with_hidden=hidden_seed is not None)
        if has_word(case.name, word) and task in {"", case.task}
    ]
    skipped = {one.number: machine.missing(lab, one) for one in lab.tasks}
    asked = [case for case in chosen if skipped.get(case.task) is not None]
    aside = {}
    for case in asked:
        if why := skipped[case.task]:
            aside[case] = Result(case.name, "skipped", why)
        elif case.task in answer.audit.refused:
            aside[case] = answer.audit.result(case)
    chosen = [case for case in asked if case not in aside]
    used = "all" if answer.whole or answer.box or answer.alone else ""
    seed = hidden_seed or 0
    results = [*run_cases(lab, answer, chosen, used, seed, tell)] if chosen else []
    is_all = not word and not task
    can_switch = not used and not lab.is_own and not answer.sanitizer
    if is_all and can_switch and all(result.passed for result in results):
        used = "all"
        results = [*run_cases(lab, answer, chosen, used, seed, tell)]
    charged: blame.Charged = {}
    if used and not answer.whole and len(lab.tasks) > 1:
        suspects = [task for task, why in skipped.items() if is_all and not why]
        run = _alone(lab, answer, seed)
        told = [functools.partial(_told, lab)] if answer.box else []
        results, charged = blame.settle(chosen, results, suspects, run, *told)
    diagnoses.explain(lab, results)
    _tell_places(chosen, results)
    for case, result in charged.values():
        _tell_places([case], [result])
    of_tasks = [
        *((case.task, result) for case, result in zip(chosen, results, strict=True)),
        *((case.task, result) for case, result in aside.items()),
        *((number, result) for number, (_, result) in charged.items()),
    ]
    for one in lab.tasks:
        yield one, [result for number, result in of_tasks if number == one.number]


def grade_answer(
    lab: project.Lab,
    answer: Answer,
    hidden_seed: int | None = None,
    tell: Tell = in_silence,
) -> Grade:
    """Runs cases and gives points by them.

    Without ``hidden_seed`` the cases are those that students have. There must be as many
    as the manifest says then.

    Raises:
        LabError: the worker does not start; GraderError if a task has no cases.
    """
    lab = machine.timed_here(lab)
    grades = []
    for task, results in run_tasks(lab, answer, hidden_seed=hidden_seed, tell=tell):
        own = sum(not result.charged_from for result in results)
        if hidden_seed is not None and task.cases and not own:
            raise project.GraderError(
                f"task {task.number}: there are 0 of {task.cases} cases"
            )
        expected = task.cases if hidden_seed is None else own
        task = replace(task, cases=len(results) if own == expected else expected)
        grade = TaskGrade(task, results)
        if why := machine.missing(lab, task):
            grade.note, grade.is_skipped = why, True
        elif own != expected:
            grade.note = f"there are {own} of {expected} cases"
        elif results:
            grade.points = task.points * grade.passed // task.cases
        grades.append(grade)
    speed_points.add(lab, answer, grades, hidden_seed or 0)
    return Grade(lab, grades)
