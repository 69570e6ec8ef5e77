"""Which task pays for a failing case: the task whose answer makes the case fail.

Cases run with all of a student's answers. A mistake in one task can fail the cases of
another task. Each failing case therefore runs once more, with minitf's answers to all
tasks but its own. If the case passes then, another task is to blame. That task is charged
with the case, unless it has a failing case of its own: one mistake costs once.
"""

from collections.abc import Callable
from dataclasses import replace

from minitf_lab.judge.case import Case
from minitf_lab.results import Result

# Runs cases with the student's answer to one task, and minitf's to all others. Returns
# None if the task is not begun, or if that answer does not compile without the rest.
RunAlone = Callable[[str, list[Case]], list[Result] | None]
# What a report says of a case that failed with all answers: from its result then, and its
# result with the answer to one task alone.
Told = Callable[[Case, Result, Result], Result]
# For a task, the case of another task that it is charged with, and the result.
Charged = dict[str, tuple[Case, Result]]
TRIES = 3  # of a case that fails with all answers: a race does not fail each time


def _charge(case: Case, result: Result, task: str) -> Result:
    """The result of a case of another task, as ``task`` is charged with it."""
    message = (
        f"with this answer to task {task}, and minitf's to all other tasks, a case of "
        f"task {case.task} fails: {result.message}"
    )
    return replace(result, message=message, charged_from=case.task)


def _rerun(
    task: str, numbers: list[int], cases: list[Case], run: RunAlone
) -> dict[int, Result]:
    """The results of cases of ``task`` with its answer alone; of a race, the worst."""
    found: dict[int, Result] = {}
    for _ in range(TRIES):
        left = [n for n in numbers if n not in found or found[n].passed]
        again = (left and run(task, [cases[n] for n in left])) or []
        found |= dict(zip(left, again, strict=False))
    return found


def culprits(
    strays: list[Case], tasks: list[str], at_fault: set[str], run: RunAlone
) -> Charged:
    """Finds the tasks whose answers fail ``strays``, which their own tasks pass.

    Of each task, the first of ``strays`` decides. Tasks ``at_fault`` have failing cases
    of their own: these are tried first, and are charged with nothing more.
    """
    left = list({case.task: case for case in reversed(strays)}.values())
    charged = {}
    for task in sorted(tasks, key=lambda one: one not in at_fault):
        mine = [case for case in left if case.task != task]
        results = run(task, mine) if mine else []
        failed = [
            (case, result)
            for case, result in zip(mine, results or [], strict=False)
            if result.status not in {"passed", "not written"}
        ]
        if failed and task not in at_fault:
            charged[task] = failed[0]
        found = {case.name for case, _ in failed}
        left = [case for case in left if case.name not in found]
    return charged


def settle(
    cases: list[Case],
    results: list[Result],
    tasks: list[str],
    run: RunAlone,
    told: Told = lambda case, first, alone: alone,
) -> tuple[list[Result], Charged]:
    """Gives each failing case to the task that makes it fail.

    Args:
        cases: Those that were run, with all of the student's answers.
        results: What came of them, in order.
        tasks: The tasks that may be charged with cases of other tasks.
        run: Runs cases with the answer to one task.
        told: Makes the result that is reported; else that is the one of the answer alone.

    Returns:
        A result for each case, that of the case's own task alone; and what tasks are
        charged with besides.
    """
    settled, strays = list(results), []
    wrong: dict[str, list[int]] = {}
    for number, (case, result) in enumerate(zip(cases, results, strict=True)):
        if not result.passed:
            wrong.setdefault(case.task, []).append(number)
    for task, numbers in wrong.items():
        for number, result in _rerun(task, numbers, cases, run).items():
            settled[number] = told(cases[number], results[number], result)
            if result.passed:
                strays.append(cases[number])
    if not strays:
        return settled, {}
    pairs = zip(cases, settled, strict=True)
    at_fault = {case.task for case, result in pairs if not result.passed}
    firsts = {result.name: result for result in results}
    charged = culprits(strays, tasks, at_fault, run)
    for task, (case, alone) in charged.items():
        charged[task] = case, _charge(case, told(case, firsts[case.name], alone), task)
    return settled, charged
