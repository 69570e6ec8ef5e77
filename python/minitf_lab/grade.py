"""Points for a lab: runs the cases of every task and adds up.

A task is worth its points times the part of its cases that pass, rounded down. It is
worth nothing while a parent task has not all its points, or when the program has another
number of cases than the lab's manifest says.
"""

from dataclasses import dataclass
from pathlib import Path

from minitf_lab import cases, project

VERSIONS = {
    "work": "lab_{}_test",
    "starter": "lab_{}_starter_test",
    "reference": "lab_{}_reference_test",
    "fault": "lab_{}_fault_test",
}


@dataclass
class TaskGrade:
    """What one task is worth.

    Attributes:
        note: Why it is worth less than its cases say; empty if it is not.
    """

    task: project.Task
    results: list[cases.Result]
    points: int = 0
    note: str = ""

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
    def failures(self) -> list[tuple[project.Task, cases.Result]]:
        """Every case that does not pass, with its task."""
        return [
            (grade.task, result)
            for grade in self.tasks
            for result in grade.results
            if not result.passed
        ]


def build_program(lab: project.Lab, version: str) -> Path:
    """Builds the lab's test program with a ``version`` of its files.

    Args:
        lab: Which one.
        version: ``work``, ``starter``, ``reference`` or ``fault``.

    Raises:
        LabError: there is no work yet.
        BuildError: the files do not compile.
    """
    if version == "work" and not lab.work.exists():
        raise project.LabError(f"nothing to test yet: run ./lab start {lab.number}")
    target = VERSIONS[version].format(lab.number)
    project.build(target)
    return project.build_folder() / "labs" / target


def run_task(
    lab: project.Lab, task: project.Task, program: Path, word: str = ""
) -> list[cases.Result]:
    """Runs the cases of ``task`` whose names contain ``word``."""
    names = cases.list_cases(program, task.tests)
    chosen = [name for name in names if word.lower() in name.lower()]
    return cases.run_cases(program, chosen, lab.time_limit_s)


def grade_program(lab: project.Lab, program: Path) -> Grade:
    """Runs all cases of a lab's test program and gives points."""
    grades: dict[str, TaskGrade] = {}
    for task in lab.tasks:
        grade = TaskGrade(task, run_task(lab, task, program))
        grades[task.number] = grade
        ran = sum(result.status not in {"left", "skipped"} for result in grade.results)
        missing = [
            parent
            for parent in task.parents
            if grades[parent].points < grades[parent].task.points
        ]
        if len(grade.results) != task.cases or ran != task.cases:
            grade.note = f"{ran} of {task.cases} cases ran to their end"
        elif missing and grade.passed:
            grade.note = f"counts once task {missing[0]} is complete"
        elif not missing:
            grade.points = task.points * grade.passed // task.cases
    return Grade(lab, list(grades.values()))
