"""Speed points in a lab's manifest: which cases are timed, and what a ratio is worth.

A ratio is the time of an answer over the time of minitf's own, on the same inputs:

    "speed": {"case": "large_products", "ratio_full": 1.5, "ratio_zero": 6.0}

gives all points of the task at 1.5 or less and none at 6 or more.
"""

import math
from dataclasses import dataclass
from typing import Any

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


def check_lab(rules: dict[str, Speed | None]) -> None:
    """Checks what the rules of a lab's tasks, by number, require of each other.

    Raises:
        ValueError: the text names the task.
    """
    plain = [number for number, rule in rules.items() if rule is None]
    boards = []
    for number, rule in rules.items():
        if rule is None:
            continue
        for one in rule.depends:
            if one not in plain:
                raise ValueError(
                    f"tasks.{number}.speed: depends has {one!r}, expected tasks "
                    f"without speed: {', '.join(plain) or 'there are none'}"
                )
        if rule.board:
            boards.append(rule.board.name)
    if len(set(boards)) < len(boards):
        raise ValueError(f"two boards have the same name: {', '.join(boards)}")
