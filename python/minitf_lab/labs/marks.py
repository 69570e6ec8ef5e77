"""The points of a lab and of its tasks, and the results of timing them."""

from dataclasses import dataclass

from minitf_lab import project
from minitf_lab.results import Result


@dataclass(frozen=True)
class Outcome:
    """The result of timing a task.

    Attributes:
        verdict: ``ok``, ``too_slow`` if it has not all points, ``blocked`` by another
            task, ``skipped`` on this machine, or ``grader_error`` if there is no ratio
            and the answer is not to blame.
        message: In words.
        part: Of the points.
        ratio: To the time of the reference.
        low: A quarter of the pairs has a lower one.
        high: A quarter of the pairs has a higher one.
        time_ms: Of one call of the answer.
    """

    verdict: str
    message: str
    part: float = 0
    ratio: float | None = None
    low: float = 0
    high: float = 0
    time_ms: float = 0


@dataclass
class TaskGrade:
    """The points of one task.

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
    speed: Outcome | None = None

    @property
    def passed(self) -> int:
        """How many cases pass."""
        return sum(result.passed for result in self.results)


@dataclass
class Grade:
    """The points of a lab, task by task."""

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
