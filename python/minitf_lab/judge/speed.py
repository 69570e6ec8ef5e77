"""How many times as long as the reference an answer takes, from calls that alternate.

Each pair of calls has inputs of its own, the same for both sides, and the side that
begins changes (ABBA): what makes the machine slower for a while meets both alike, and a
steady drift cancels out. The ratio is the median of the pairs' ratios, and its spread the
two quartiles. The ratio of the two medians would lose what the two calls of a pair have
in common: for a copy of the reference, with five other jobs for each core, it lay between
0.85 and 1.24 where the median of the ratios lay between 0.89 and 1.16.

Whether the machine is too busy is judged by the reference's times alone. An answer cannot
change these, since it stands still then; by its own times it could, and would never be
too slow.
"""

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from minitf_lab.speed_rule import Speed

MAX_TRIES = 3
# How far the quartiles of the reference's times may be apart, as a part of the median.
MAX_SPREAD = 0.25
SHORTEST_S = 0.0005  # of the reference: less is mostly the way to it and back
# After so many pairs that are each so many times too slow, no more are needed.
ENOUGH, HOPELESS = 2, 2.0


class NotMeasuredError(Exception):
    """There is no ratio, and the answer is not to blame."""


@dataclass
class Times:
    """Of one case: seconds of each pair of calls."""

    reference: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Of each pair."""
        return [
            own / max(reference, 1e-9)
            for own, reference in zip(self.own, self.reference, strict=True)
        ]

    @property
    def ratio(self) -> float:
        """The median."""
        return statistics.median(self.ratios)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between which half of the ratios lie."""
        low, _, high = quartiles(self.ratios)
        return low, high

    @property
    def spread(self) -> float:
        """How unsteady the machine is."""
        low, middle, high = quartiles(self.reference)
        return (high - low) / middle if middle else 0.0


def quartiles(values: list[float]) -> tuple[float, float, float]:
    """The values below which a quarter, a half and three quarters of them lie.

    >>> quartiles([5.0, 1.0, 2.0, 3.0, 4.0])
    (2.0, 3.0, 4.0)
    """
    if len(values) < 2:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


# The time of the reference, or of the answer, for the inputs of this number.
Call = Callable[[int], float]


def alternate(reference: Call, own: Call, reps: int, first: int = 0) -> Iterator[Times]:
    """The times after each pair, of ``reps`` pairs; one pair before is not counted."""
    reference(first)
    own(first)
    times = Times()
    for pair in range(1, reps + 1):
        if pair % 2:
            times.reference.append(reference(first + pair))
            times.own.append(own(first + pair))
        else:
            times.own.append(own(first + pair))
            times.reference.append(reference(first + pair))
        yield times


def is_too_noisy(times: Times, rule: Speed) -> bool:
    """Whether the machine is too busy, and the points could be others without that."""
    low, high = times.quartiles
    return times.spread > MAX_SPREAD and rule.part(low) != rule.part(high)


def is_hopeless(times: Times, rule: Speed) -> bool:
    """Whether no load of the machine explains that it is so slow."""
    far = HOPELESS * rule.ratio_zero
    return len(times.own) >= ENOUGH and min(times.ratios) > far


def measure(reference: Call, own: Call, rule: Speed) -> Times:
    """Times pairs of calls, again if the machine is too busy.

    Raises:
        NotMeasuredError: it is so each time, or the reference is too quick for any clock.
    """
    for attempt in range(MAX_TRIES):
        # Inputs are never used again.
        for times in alternate(reference, own, rule.reps, attempt * (rule.reps + 1)):
            if is_hopeless(times, rule):
                return times
        if statistics.median(times.reference) < SHORTEST_S:
            raise NotMeasuredError(
                f"minitf's own answer takes {statistics.median(times.reference):.1g} s, "
                f"expected {SHORTEST_S:g} s or more: the case's inputs are too small"
            )
        if not is_too_noisy(times, rule):
            return times
    raise NotMeasuredError(
        f"the machine is too busy: of {MAX_TRIES} times, the time of minitf's own answer "
        f"varied by {times.spread:.0%} the last time, expected at most {MAX_SPREAD:.0%}"
    )
