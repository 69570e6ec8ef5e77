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

if TYPE_CHECKING:
    from minitf_lab.project import Lab

# A step of marks must be wider than what an honest copy of the reference differs by.
SMALLEST_GAP = 1.25
FEWEST_REPS, MOST_REPS = 5, 25
MOST_THREADS = 64
CURVES, ORDERS = ("log", "linear"), ("desc", "asc")
# What a task may need of a machine: instructions as /proc/cpuinfo names them, and gpu.
FEATURES = ("avx2", "avx512f", "fma", "asimd")
GPU = "gpu"
GPU_DEVICE = "/dev/nvidia0"


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


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _names(value: Any, what: str) -> tuple[str, ...]:
    """A list of different words, as a tuple."""
    is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if not is_list or len(set(value)) < len(value):
        raise ValueError(f"{what} is a list of different names, not {value!r}")
    return tuple(value)


def _board(value: Any) -> Board:
    if not isinstance(value, dict) or not {"name"} <= set(value) <= {"name", "order"}:
        raise ValueError(f"board has a name and an order, not {value!r}")
    board = Board(**value)
    if not isinstance(board.name, str) or not 0 < len(board.name.strip()) <= 60:
        raise ValueError(f"the board's name has 1 to 60 characters: {board.name!r}")
    if board.order not in ORDERS:
        raise ValueError(f"the board's order is desc or asc, not {board.order!r}")
    return board


def read(values: Any) -> Speed:
    """The rule that a manifest gives a task.

    Raises:
        ValueError: with what is wrong, and what was expected.
    """
    if not isinstance(values, dict):
        raise ValueError(f"it is a table, not {values!r}")
    values = dict(values)
    if ("case" in values) == ("cases" in values):
        raise ValueError("it names a case or cases, one of the two")
    if "case" in values:
        values["cases"] = [values.pop("case")]
    known = set(Speed.__dataclass_fields__)
    if odd := sorted(set(values) - known):
        raise ValueError(f"it has no {odd[0]}; it has case, {', '.join(sorted(known))}")
    for name in ("ratio_full", "ratio_zero"):
        if not _is_number(values.get(name)) or values[name] <= 0:
            raise ValueError(f"{name} is a number above 0, not {values.get(name)!r}")
    for name in {"cases", "depends", "needs"} & set(values):
        values[name] = _names(values[name], name)
    if "board" in values:
        values["board"] = _board(values["board"])
    rule = Speed(**values)
    _check(rule)
    return rule


def _check(rule: Speed) -> None:
    """Raises ValueError unless the values of a rule make sense."""
    if not rule.cases:
        raise ValueError("cases is empty: which one is timed?")
    if rule.ratio_zero < SMALLEST_GAP * rule.ratio_full:
        raise ValueError(
            f"ratio_zero is {rule.ratio_zero:g}, expected {SMALLEST_GAP} times "
            f"ratio_full ({SMALLEST_GAP * rule.ratio_full:g}) or more: noise would decide"
        )
    if type(rule.reps) is not int or not FEWEST_REPS <= rule.reps <= MOST_REPS:
        raise ValueError(f"reps is {FEWEST_REPS} to {MOST_REPS}, not {rule.reps!r}")
    if rule.curve not in CURVES:
        raise ValueError(f"curve is log or linear, not {rule.curve!r}")
    if odd := [one for one in rule.needs if one not in (*FEATURES, GPU)]:
        known = ", ".join((*FEATURES, GPU))
        raise ValueError(f"needs has {odd[0]!r}; known are {known}")


def check_lab(lab: "Lab") -> None:
    """Checks what the rules of a lab say of each other.

    Raises:
        ValueError: the text names the task.
    """
    threads = lab.limits.get("threads", 1)
    if type(threads) is not int or not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"limits: threads is 1 to {MOST_THREADS}, not {threads!r}")
    plain = [task.number for task in lab.tasks if task.speed is None]
    boards = []
    for task in lab.tasks:
        if task.speed is None:
            continue
        for one in task.speed.depends:
            if one not in plain:
                raise ValueError(
                    f"task {task.number}: speed: depends has {one!r}, expected tasks "
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
    if set(rule.needs) - {GPU}:
        words = set(Path(cpuinfo).read_text(errors="replace").split())
    for one in rule.needs:
        is_there = os.path.exists(GPU_DEVICE) if one == GPU else one in words
        if not is_there:
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
