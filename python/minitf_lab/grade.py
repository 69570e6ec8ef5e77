"""Points for a lab: runs the cases of every task and adds up.

A task is worth its points times the part of its cases that pass, rounded down. It is
worth nothing while a parent task has not all its points, or when the program has another
number of cases than the lab's manifest says.

The cases and the student's code share a process, so these points are for the student. A
course that gives marks by them reads the files as well.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import cases, project, python_units

MEMORY_MB = 1000  # for one process of a lab's test program

# The programs in C++.
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


def _check_files(lab: project.Lab) -> None:
    """Raises LabError unless there is work, and its files are the student's own."""
    if not lab.work.exists():
        raise project.LabError(f"nothing to test yet: run ./lab start {lab.number}")
    for file in lab.files:
        path = lab.work / Path(file).name
        place = path.relative_to(project.ROOT)
        if path.is_symlink():
            raise project.LabError(f"{place} is a link; an answer is a file of its own")
        if not path.is_file():
            starter = (lab.starter / path.name).relative_to(project.ROOT)
            raise project.LabError(f"{place} is missing: begin with a copy of {starter}")


def _check_includes(lab: project.Lab, target: str) -> None:
    """Raises LabError if the student's files include a source that is not theirs."""
    done = subprocess.run(
        ["ninja", "-C", str(project.build_folder()), "-t", "deps"],
        capture_output=True,
        text=True,
    )
    is_ours = False
    for line in done.stdout.split("\n"):
        if not line.startswith(" "):
            is_ours = f"/{target}_objects.dir/" in line
            continue
        path = (project.build_folder() / line.strip()).resolve()
        is_theirs = path.is_relative_to(lab.work)
        if is_ours and path.suffix in {".cc", ".cpp", ".patch"} and not is_theirs:
            raise project.LabError(
                f"a file in {lab.work.relative_to(project.ROOT)} includes {path.name} of "
                f"{path.parent}; an answer includes headers only"
            )


def _python_program(lab: project.Lab, version: str) -> Path:
    """Makes the program of the lab's cases in Python, and imports its files once."""
    project.build("minitf", "_minitf")
    folder = project.build_folder() / "labs" / lab.folder
    files = {"work": lab.work, "starter": lab.starter, "fault": folder / "fault"}
    place = folder / f"python_{version}"
    program = python_units.write_program(lab, place, files.get(version))
    python_units.check(program, cases.Limits(cases.LIST_LIMIT_S, MEMORY_MB))
    return program


def build_programs(lab: project.Lab, version: str) -> list[Path]:
    """Builds the lab's test programs with a ``version`` of its files.

    There is one for the cases in C++ and one for those in Python. In each, files of the
    other language are the framework's.

    Args:
        lab: Which one.
        version: ``work``, ``starter``, ``reference`` or ``fault``.

    Raises:
        LabError: there is no work yet, or it is not the student's own.
        BuildError: the files do not compile, or cannot be imported.
    """
    if version == "work":
        _check_files(lab)
    programs = []
    if lab.cpp_files:
        target = VERSIONS[version].format(lab.number)
        project.build(target, is_limited=version in {"work", "fault"})
        if version == "work":
            _check_includes(lab, target)
        programs.append(project.build_folder() / "labs" / target)
    if lab.python_files:
        programs.append(_python_program(lab, version))
    return programs


def limits(lab: project.Lab) -> cases.Limits:
    """What a run of the lab's test program may use."""
    return cases.Limits(lab.time_limit_s, MEMORY_MB)


def has_word(name: str, word: str) -> bool:
    """Whether a part of ``name`` begins like ``word``, in capitals or not.

    >>> has_word("SinGrad.IsTheCosine", "sin"), has_word("Log.DifferencesIn", "sin")
    (True, False)
    """
    starts = (
        m.start() for m in re.finditer(f"(?={re.escape(word)})", name, re.IGNORECASE)
    )
    return any(
        i == 0 or not name[i].islower() or not name[i - 1].isalpha() for i in starts
    )


def run_tasks(
    lab: project.Lab, programs: list[Path], word: str = ""
) -> Iterator[tuple[project.Task, list[cases.Result]]]:
    """Runs the cases whose names have ``word`` in them, task by task.

    Raises:
        LabError: a program does not start.
    """
    listed = [(program, cases.list_cases(program)) for program in programs]
    for task in lab.tasks:
        results = []
        for program, names in listed:
            chosen = [name for name in names if task.owns(name) and has_word(name, word)]
            results += cases.run_alone(program, chosen, limits(lab))
        yield task, results


def grade_programs(lab: project.Lab, programs: list[Path]) -> Grade:
    """Runs all cases of a lab's test programs and gives points.

    Raises:
        LabError: a program does not start.
    """
    grades: dict[str, TaskGrade] = {}
    for task, results in run_tasks(lab, programs):
        grade = TaskGrade(task, results)
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
