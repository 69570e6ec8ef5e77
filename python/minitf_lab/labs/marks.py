"""The points of a lab and of its tasks, and the results of timing them."""

from dataclasses import dataclass

from minitf_lab import project
from minitf_lab.results import Result


@dataclass(frozen=True)
class Outcome:
    """The result of timing a task.

    Attributes:
        verdict: One word. ``ok`` means all points, and ``too_slow`` fewer. Another task
            made it ``blocked``, or this machine made it ``skipped``. ``grader_error``
            means that there is no ratio, for which the answer is not to blame.
        message: The verdict as a sentence.
        part: The part of the points that the answer gets, from 0 to 1.
        ratio: The time of the answer over that of the reference.
        low: The lower quartile of the ratios of all pairs.
        high: The upper quartile of these ratios.
        time_ms: The time of one call of the answer, in milliseconds.
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
        note: The reason for fewer points than its cases give, or empty.
        is_skipped: Whether it cannot run on this machine. Its points do not count then.
        speed: The result of timing it, or None without points for speed.
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
