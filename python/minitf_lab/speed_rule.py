"""Speed points in a lab's manifest: which cases are timed, and what a ratio is worth.

A ratio is the time of an answer over the time of minitf's own, on the same inputs:

    "speed": {"case": "large_products", "ratio_full": 1.5, "ratio_zero": 6.0}

gives all points of the task at 1.5 or less and none at 6 or more.
"""

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minitf_lab import cuda

if TYPE_CHECKING:
    from minitf_lab.project import Lab

# A step of marks must be wider than what an honest copy of the reference differs by.
SMALLEST_GAP = 1.25


@dataclass(frozen=True)
class Board:
    """A table of the class.

    Attributes:
        order: ``desc``, where the value is how many times as fast as the reference an
            answer is, or ``asc``, where it is the ratio itself.
    """

    name: str
    order: str = "desc"

    def value(self, ratio: float) -> float:
        """What stands in the table."""
        return round(ratio if self.order == "asc" else 1 / ratio, 3)


@dataclass(frozen=True)
class Speed:
    """The rule of one task.

    Attributes:
        cases: Those that are timed; the ratio is the geometric mean of theirs.
        ratio_full: All points at this ratio, or at a lower one.
        ratio_zero: No points at this one, or at a higher one.
        reps: How many pairs of calls are timed.
        curve: Between the two: ``log`` has equal factors cost equally much.
        depends: Tasks that must be right before anything is timed.
        needs: What a machine must have; else the task does not count.
    """

    cases: tuple[str, ...]
    ratio_full: float
    ratio_zero: float
    reps: int = 9
    curve: str = "log"
    depends: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    board: Board | None = None

    def part(self, ratio: float) -> float:
        """Which part of the points a ratio is worth.

        >>> rule = Speed(("a",), 1.5, 6.0)
        >>> rule.part(1.2), rule.part(3.0), rule.part(7.0)
        (1.0, 0.5, 0.0)
        """
        full, zero = self.ratio_full, self.ratio_zero
        if ratio <= full or ratio >= zero:
            return float(ratio <= full)
        if self.curve == "log":
            return math.log(zero / ratio) / math.log(zero / full)
        return (zero - ratio) / (zero - full)


def _names(values: dict[str, Any], name: str) -> tuple[str, ...]:
    """A list of different words, as a tuple."""
    found = values.get(name, [])
    if len(set(found)) < len(found):
        raise ValueError(f"{name} has the same name twice: {', '.join(found)}")
    return tuple(found)


def read(values: dict[str, Any]) -> Speed:
    """The rule of a task, of a table that ``manifest.py`` has let pass.

    Raises:
        ValueError: with what is wrong, and what was expected.
    """
    if ("case" in values) == ("cases" in values):
        raise ValueError("expected a case or cases, one of the two")
    values = dict(values)
    if "case" in values:
        values["cases"] = [values.pop("case")]
    lists = {name: _names(values, name) for name in ("cases", "depends", "needs")}
    board = Board(**values["board"]) if "board" in values else None
    rule = Speed(**{**values, **lists, "board": board})
    if rule.ratio_zero < SMALLEST_GAP * rule.ratio_full:
        raise ValueError(
            f"ratio_zero is {rule.ratio_zero:g}, expected {SMALLEST_GAP} times "
            f"ratio_full ({SMALLEST_GAP * rule.ratio_full:g}) or more: noise would decide"
        )
    return rule


def check_lab(lab: "Lab") -> None:
    """Checks what the rules of a lab say of each other.

    Raises:
        ValueError: the text names the task.
    """
    plain = [task.number for task in lab.tasks if task.speed is None]
    boards = []
    for task in lab.tasks:
        if task.speed is None:
            continue
        for one in task.speed.depends:
            if one not in plain:
                raise ValueError(
                    f"tasks.{task.number}.speed: depends has {one!r}, expected tasks "
                    f"without speed: {', '.join(plain) or 'there are none'}"
                )
        if task.speed.board:
            boards.append(task.speed.board.name)
    if len(set(boards)) < len(boards):
        raise ValueError(f"two boards have the same name: {', '.join(boards)}")


# ---- The machine ----------------------------------------------------------------------


def threads_of(lab: "Lab") -> int:
    """On how many cores the calls of a lab are timed."""
    return int(lab.limits.get("threads", 1))


def missing(lab: "Lab", rule: Speed, cpuinfo: str = "/proc/cpuinfo") -> str:
    """What this machine lacks to time a task; empty if it has all."""
    words: set[str] = set()
    if set(rule.needs) - {"cuda"}:
        words = set(Path(cpuinfo).read_text(errors="replace").split())
    for one in rule.needs:
        if one == "cuda" and not cuda.devices():
            return "GPU"
        if one != "cuda" and one not in words:
            return one
    cores = len(os.sched_getaffinity(0))
    if cores < threads_of(lab):
        return f"{threads_of(lab)} cores (it has {cores})"
    return ""


def for_machine(lab: "Lab") -> "Lab":
    """The lab with no points for the tasks that this machine cannot time."""
    tasks = [
        replace(task, points=0) if task.speed and missing(lab, task.speed) else task
        for task in lab.tasks
    ]
    return replace(lab, tasks=tasks)
