"""Lab 14, tasks 9, 10 and 12: queues."""

from typing import Any

import numpy as np
from lab_14_input.queue_model import script_trial
from lab_14_input.queue_scripts import FEWER, KINDS, MANY, scripts, told
from lab_14_input.trials import value_trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case

# ---- 14.9 -----------------------------------------------------------------------------


@case("14.9", over=KINDS)
def capacities(draw, kind):
    """As many as fit go in; whoever comes later waits until there is room."""
    for capacity in (1, 2, 3, -1, -2, -7):
        for puts in range(1, 6):
            steps = [("put",)] * puts + [("take",)] * puts
            yield told(*steps, kind=kind, capacity=capacity)
    yield from scripts(draw, 8, {"put": 3, "take": 2}, (kind,))


@case("14.9")
def batches_that_fit_in_part(draw):
    """A batch goes in row by row, as there is room; behind it others wait."""
    for capacity in (1, 2, 3, 5, -1, -3):
        for size in (1, 2, 4, 7):
            steps = [("put", size, MANY), ("put",)] + [("take",)] * (size + 1)
            yield told(*steps, capacity=capacity)
    yield told(("put", 0, MANY), ("put",), ("take",))
    yield told(
        ("put", 5, MANY), ("cancel", -1), ("take",), ("take",), ("put",), ("take",)
    )


@case("14.9", over=("FIFOQueue", "PriorityQueue"))
def fuller_than_full(draw, kind):
    """Elements that come back may be more than fit: then nothing goes in for a while."""
    for capacity in (1, 2, 3):
        for taken in range(capacity, capacity + 3):
            steps = [("take", taken + 1, MANY), *[("put",)] * taken, ("cancel", 0)]
            steps += [("put",), ("put", 2, MANY), *[("take",)] * (taken + 3)]
            yield told(*steps, kind=kind, capacity=capacity)


# ---- 14.10 ----------------------------------------------------------------------------


@case("14.10", over=(False, True))
def closed_queues(draw, fewer):
    """A closed queue gives what it has; whoever wants more gets an error.

    If fewer are allowed, it gives what there is, if there is any.
    """
    options = {"fewer": fewer}
    for left in range(5):
        for wants in (1, 2, 3, 4):
            takes = [("take", wants, options)]
            steps = [("put", left, MANY), ("close",)]
            yield told(*steps, *takes * 3, capacity=-1)
            yield told(*takes, *steps, ("take",), capacity=-1)
    yield told(("take", 3, options), ("put",), ("put", 2, MANY), capacity=1)
    # Of a shuffled queue some are taken before, and the rest is here when it is closed.
    for kept in (1, 2, 3):
        for puts in range(kept + 1, kept + 4):
            for wants in range(1, puts + 2):
                steps = [("put", puts, MANY), ("take", wants, options), ("close",)]
                steps += [("take",)] * 2
                yield told(*steps, kind="RandomShuffleQueue", capacity=9, kept=kept)


@case("14.10")
def what_goes_back_comes_first(draw):
    """Elements of a batch too large for the memory go back in front of all others."""
    side = 1 << 23
    for count in (0, 1, 3):
        shapes = [[1, side], [side, 1], *([1, 1 + i] for i in range(count))]
        wanted = ["ResourceExhaustedError", count + 2, shapes]
        arguments = {"side": side, "count": count}
        title = f"a batch of [1,{side}] and [{side},1], {count} elements behind them"
        yield value_trial(title, "batch_too_large", arguments, wanted)


@case("14.10")
def elements_that_stay(draw):
    """A RandomShuffleQueue keeps its least number as long as it is open."""
    kind = "RandomShuffleQueue"
    for kept in (1, 2, 3):
        for puts in range(kept, kept + 4):
            steps = [("put", puts, MANY), ("take",), ("take", 2), ("put",), ("close",)]
            yield told(*steps, ("take",), kind=kind, capacity=8, kept=kept)
            steps = [
                ("put", puts, MANY),
                ("take", 2, FEWER),
                ("close",),
                ("take", 9, FEWER),
            ]
            yield told(*steps, kind=kind, capacity=8, kept=kept)
    weights = {"put": 5, "take": 3, "close": 1, "cancel": 1}
    yield from scripts(draw, 10, weights, (kind,), keeps=True)


@case("14.10", over=range(2), hidden=True)
def takes_by_chance(draw, _part):
    """Any order of calls, with ends and cancellations."""
    weights = {"put": 4, "take": 5, "close": 1, "cancel": 2, "take nothing": 1}
    yield from scripts(draw, 20, weights, keeps=True, longest=35)


# ---- 14.12 ----------------------------------------------------------------------------


@case("14.12")
def the_smallest_priority_first(draw):
    """Of a PriorityQueue the smallest comes first, of equal ones the oldest."""
    for priorities in (
        [3, 1, 2], [1, 1, 1], [0, -5, 7, -5], [2, 1, 2, 1, 2], [-(2**63), 2**63 - 1, 0],
    ):  # fmt: skip
        pairs = [(p, i) for i, p in enumerate(priorities)]
        events = [["enqueue_many", 1, 0, False, pairs]]
        events += [["dequeue", 2 + i, 0, False, []] for i in range(len(pairs))]
        yield script_trial("PriorityQueue", -1, events)
    yield from scripts(draw, 10, {"put": 3, "take": 2}, ("PriorityQueue",))


@case("14.12")
def elements_that_come_back(draw):
    """An element that goes back to a PriorityQueue is again before its equals."""
    for count in (2, 3, 4):
        pairs = [(5, i) for i in range(count)]
        events = [["enqueue", 1 + i, 0, False, [p]] for i, p in enumerate(pairs)]
        events.append(["dequeue_many", 20, count + 1, False, []])
        events.append(["cancel", 20, 0, False, []])
        events.append(["enqueue", 21, 0, False, [(5, 99)]])
        events += [["dequeue", 30 + i, 0, False, []] for i in range(count + 1)]
        yield script_trial("PriorityQueue", -1, events)
    weights = {"put": 4, "take": 4, "cancel": 4}
    yield from scripts(draw, 10, weights, ("PriorityQueue",))


def far_from_even(counts: np.ndarray) -> bool:
    """Whether counts differ by more than chance; it is wrong once in a million times."""
    expected = counts.sum() / len(counts)
    chi2 = float(np.sum((counts - expected) ** 2 / expected))
    degrees = len(counts) - 1
    return chi2 >= degrees + 6 * (2 * degrees) ** 0.5 + 12


def turns_trial(num_elements: int, times: int, seed: int) -> Trial:
    """Each element that is there has the same chance, every time one is taken."""

    def check(got: Any) -> Mismatch | str | None:
        inside, counts = list(range(num_elements)), np.zeros(num_elements)
        for i, taken in enumerate(got[0]):
            if taken not in inside:
                return f"element {taken} comes although it is not in the queue"
            counts[inside.index(taken)] += 1  # by age
            inside.remove(taken)
            inside.append(num_elements + i)
        if counts.sum() != times or far_from_even(counts):
            return Mismatch(
                "the oldest, the second oldest, ... do not come equally often",
                expected=f"about {times / num_elements:.0f} times each",
                got=f"{counts.astype(int).tolist()} times",
            )
        return None

    title = f"{times} of {num_elements} elements are taken, and others put in for them"
    return call_trial(
        title,
        check,
        "taken_in_turn",
        num_elements=num_elements,
        times=times,
        seeds=[seed],
    )


@case("14.12")
def elements_in_turn(draw):
    """A RandomShuffleQueue gives any element, all with the same chance."""
    for num_elements in (2, 3, 6):
        yield turns_trial(num_elements, 200, draw.whole(1, 1000))
    for num_elements, times in ((100, 600), (300, 1500)):
        yield turns_trial(num_elements, times, draw.whole(1, 1000))


@case("14.12")
def the_same_seed(draw):
    """Two queues with the same seed give their elements in the same order."""
    for seed in (1, draw.whole(2, 1000)):

        def check(got: Any) -> Mismatch | str | None:
            first, second, other = (list(one) for one in got)
            if first != second:
                message = "the second queue with this seed gives another order"
                return Mismatch(message, expected=str(first), got=str(second))
            return "queues of other seeds give the same order" if first == other else None

        yield call_trial(
            f"20 elements, seed {seed}", check, "taken_in_turn", num_elements=20,
            times=40, seeds=[seed, seed, seed + 1],
        )  # fmt: skip
