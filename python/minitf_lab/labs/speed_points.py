"""Points for speed: calls of an answer are timed against the lab's own.

It is done last, when all cases have run, and only for tasks whose cases are right and
whose ``depends`` are: what is wrong need not be quick. Every value of a timed call is
checked; so a call that is quick and wrong is wrong.

Read next: ``judge/speed.py`` for the ratio, ``judge/stopwatch.py`` for the clock.
"""

import contextlib
import functools
import itertools
import math
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.judge import own_cases, quiet, speed
from minitf_lab.judge.case import Case, Trial
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.runner import WorkerError
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.stopwatch import Failed, Stopwatch, Time
from minitf_lab.labs import machine, python_units
from minitf_lab.labs.answers import Answer, scratch
from minitf_lab.labs.builds import build_own
from minitf_lab.labs.marks import Outcome, TaskGrade
from minitf_lab.results import Limits
from minitf_lab.speed_rule import Speed

MOST_CALLS = 1000  # of a session
ACCUSING = "policy"  # the cause that a second measurement must confirm
# All calls of an answer that are compared may take so many times as long as one case:
# while they sleep, nobody else can time anything.
CALLS_TOGETHER = 3


@dataclass(frozen=True)
class _Bench:
    """What is timed with what: a lab, an answer, and the numbers that are drawn."""

    lab: project.Lab
    answer: Answer
    limits: Limits
    seed: int
    right: Answer

    def _stopwatch(self, answer: Answer) -> Stopwatch:
        cores = sorted(os.sched_getaffinity(0))[-machine.threads_of(self.lab) :]
        return Stopwatch(
            self.lab.driver,
            answer.library,
            answer.environment,
            self.answer.box,
            cores=cores,
            devices=machine.devices_for(self.lab),
        )

    def own(self) -> Stopwatch:
        """A worker with the answer that is judged."""
        return self._stopwatch(self.answer)

    def reference(self) -> Stopwatch:
        """A worker with the lab's own answer."""
        return self._stopwatch(self.right)

    def trial(self, case: Case, number: int) -> Trial:
        """The trial of a call: the first with the numbers that nothing else draws."""
        draw = Draw(f"{case.name} {self.seed} call {number}")
        return next(iter(case.make(draw)))

    def clock(self, time: Time) -> float:
        """What counts of a call's time.

        On one core it is the time that the kernel counts for the worker: an answer gains
        nothing by sleeping, and waiting for a core that others use costs nothing. With
        five other jobs for each core, the ratios of a copy of the reference lay between
        0.89 and 1.16 by it, and between 0.53 and 1.64 by the clock on the wall. Of
        several cores the wall clock must tell whether an answer uses them.
        """
        return time.busy if machine.threads_of(self.lab) == 1 else time.seconds

    def times(self, case: Case, rule: Speed) -> speed.Times:
        """Times a case; if that would cost points, twice, and the lower ratio counts.

        Now and then a process is slow for as long as it lives, by chance: where its
        memory lies is enough. Of two, one is not.

        Raises:
            Failed: as ``session``, like the others.
        """
        firsts = itertools.count(0, MOST_CALLS)
        found = self._confirmed(case, rule, firsts)
        if rule.part(found.ratio) == 1 or speed.is_hopeless(found, rule):
            return found
        with contextlib.suppress(speed.NotMeasuredError):
            again = self._confirmed(case, rule, firsts)
            found = min(found, again, key=lambda times: times.ratio)
        return found

    def _confirmed(self, case: Case, rule: Speed, firsts: Iterator[int]) -> speed.Times:
        """As ``session``, but an accusation counts only if it comes twice.

        The second measurement has new processes and new inputs. If it finds nothing, its
        times are those that count.
        """
        try:
            return self.session(case, rule, next(firsts))
        except Failed as error:
            if error.result.cause != ACCUSING:
                raise
        return self.session(case, rule, next(firsts))

    def session(self, case: Case, rule: Speed, first: int) -> speed.Times:
        """Times a case in new processes, with inputs from the number ``first`` on.

        Raises:
            Failed: a call of the answer goes wrong.
            speed.NotMeasuredError: one of the reference does, or the machine is too busy.
        """
        with contextlib.ExitStack() as stack:
            try:
                reference = stack.enter_context(self.reference())
            except WorkerError as error:
                raise speed.NotMeasuredError(f"the lab's own answer: {error}") from error
            try:
                own = stack.enter_context(self.own())
            except WorkerError as error:
                raise Failed(error.result_of(case)) from error

            def time_reference(number: int) -> float:
                try:
                    trial = self.trial(case, first + number)
                    return self.clock(reference.time(case, trial, self.limits))
                except Failed as error:
                    raise speed.NotMeasuredError(
                        f"the lab's own answer: {error}"
                    ) from error

            left_s = 0.0

            def time_own(number: int) -> float:
                nonlocal left_s
                if number % (rule.reps + 1) == 0:  # it is measured anew
                    left_s = CALLS_TOGETHER * self.limits.seconds
                trial = self.trial(case, first + number)
                limits = Limits(max(min(self.limits.seconds, left_s), 0.0))
                time = own.time(case, trial, limits)
                left_s -= time.seconds
                return self.clock(time)

            return speed.measure(time_reference, time_own, rule)


def _right(lab: project.Lab, box: Box | None, folder: Path) -> Answer:
    """The lab's own answer, as it is timed.

    Files in Python take each other's place, since what watches over those of an answer
    takes time: 8 percent of one that asks for stack frames.
    """
    files = {file: lab.unit(file) for file in lab.files}
    if lab.is_own:
        return build_own(lab, files, folder, box)
    if not lab.python_files or not project.has_reference(lab):
        return Answer(None, {}, box=box)
    overlay = python_units.overlay_alone(lab, files, folder, "")
    return Answer(None, {"PYTHONPATH": str(overlay)}, box=box)


@contextlib.contextmanager
def _bench(lab: project.Lab, answer: Answer, seed: int) -> Iterator[_Bench]:
    """What times an answer; the lab's own is made for it once."""
    with scratch() as folder:
        timed = answer.timed() if answer.timed else answer
        right = _right(lab, answer.box, folder)
        yield _Bench(lab, timed, Limits(lab.time_limit_s), seed, right)


def _timed_cases(
    lab: project.Lab, task: project.Task, names: Sequence[str]
) -> list[Case]:
    """The cases that are timed, by their names.

    Raises:
        LabError: there is no such case.
    """
    known = own_cases.read(lab.tests, lab.pack)
    by_name = {case.name: case for case in known if case.task == task.number}
    for name in names:
        if name not in by_name:
            raise project.LabError(
                f"{lab.folder}/lab.json: task {task.number}: speed: there is no case "
                f"{name!r}; the task has {', '.join(by_name) or 'none'}"
            )
    return [by_name[name] for name in names]


def _is_right(grade: TaskGrade) -> bool:
    """Whether all cases of a task pass, and it has some."""
    return bool(grade.results) and grade.passed == len(grade.results) and not grade.note


def _outcome(rule: Speed, found: list[speed.Times]) -> Outcome:
    """What the times of all cases of a task come to."""

    def mean(values: list[float]) -> float:
        return math.exp(statistics.fmean(map(math.log, values)))

    ratio = mean([times.ratio for times in found])
    low = mean([times.quartiles[0] for times in found])
    high = mean([times.quartiles[1] for times in found])
    milliseconds = 1000 * sum(statistics.median(times.own) for times in found)
    part = rule.part(ratio)
    message = (
        f"{ratio:.2f} times the reference's time (half of the calls: {low:.2f} to "
        f"{high:.2f}), {milliseconds:.3g} ms a call"
    )
    if part < 1:
        message += f"; all points at {rule.ratio_full:g}, none at {rule.ratio_zero:g}"
    verdict = "ok" if part == 1 else "too_slow"
    return Outcome(verdict, message, part, ratio, low, high, milliseconds)


def _timed(bench: _Bench, grade: TaskGrade, cases: list[Case], rule: Speed) -> None:
    """Times the cases of a task that is right."""
    case = cases[0]
    try:
        found = []
        for case in cases:
            found.append(bench.times(case, rule))
        grade.speed = _outcome(rule, found)
    except speed.NotMeasuredError as error:
        grade.speed = Outcome("grader_error", f"not measured: {error}")
    except Failed as error:
        # The case has passed before, but a timed call of it is wrong.
        for number, one in enumerate(grade.results):
            if one.name == case.name:
                grade.results[number] = error.result


def is_measured(grades: list[TaskGrade]) -> bool:
    """Whether no task is without points through the machine's fault."""
    return not any(one.speed and one.speed.verdict == "grader_error" for one in grades)


def fields(outcome: Outcome) -> dict[str, Any]:
    """What a record says of a task that was to be timed; it wins over its cases."""
    found: dict[str, Any] = {"verdict": outcome.verdict, "message": outcome.message}
    if outcome.verdict == "grader_error":
        found["score"] = None
    if outcome.ratio is not None:
        found["ratio"] = round(outcome.ratio, 4)
        found["spread"] = [round(outcome.low, 4), round(outcome.high, 4)]
        found["time_ms"] = round(outcome.time_ms, 4)
    return found


def board(grades: list[TaskGrade]) -> list[dict[str, Any]]:
    """What stands in the boards of a lab; None where there is no ratio."""
    found = []
    for one in grades:
        if table := one.task.speed and one.task.speed.board:
            ratio = one.speed.ratio if one.speed else None
            value = table.value(ratio) if ratio else None
            found.append({"name": table.name, "value": value, "order": table.order})
    return found


def add(
    lab: project.Lab,
    answer: Answer,
    grades: list[TaskGrade],
    seed: int,
) -> None:
    """Says of each task with speed points what came of it, and times what can be timed.

    A task that is not among ``grades`` blocks none. ``seed`` is that of the cases.

    Raises:
        LabError: the manifest names a case that is not there, or the machine is never
            free.
    """
    known = {one.task.number: one for one in grades}
    with contextlib.ExitStack() as stack:
        make = functools.cache(lambda: stack.enter_context(_bench(lab, answer, seed)))
        for grade in grades:
            if rule := grade.task.speed:
                _add(lab, grade, rule, known, make)


def _add(
    lab: project.Lab,
    grade: TaskGrade,
    rule: Speed,
    known: dict[str, TaskGrade],
    bench: Callable[[], _Bench],
) -> None:
    """As ``add``, for one task; ``known`` has all, by number."""
    timed = _timed_cases(lab, grade.task, rule.cases)
    wrong = [n for n in rule.depends if n in known and not _is_right(known[n])]
    names = {one.name for one in grade.results}
    if grade.is_skipped:
        return
    if lacking := machine.missing_to_time(lab, rule):
        text = f"not measured: this machine has no {lacking}"
        grade.speed = Outcome("skipped", text)
    elif wrong:
        text = f"not measured: first {', '.join(wrong)} must be right"
        grade.speed = Outcome("blocked", text)
    elif _is_right(grade) and {one.name for one in timed} <= names:
        made = bench()
        with quiet.alone():
            _timed(made, grade, timed, rule)
    part = grade.speed.part if grade.speed else 0
    grade.points = int(grade.task.points * part + 1e-9)
