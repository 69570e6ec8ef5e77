"""Lab 14, tasks 9, 10 and 12: queues."""

from collections.abc import Iterator
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


@case("14.9")
def the_order_of_putting_in(draw):
    """Those who wait go in in the order in which they came."""
    for capacity in (1, 2):
        steps = [("put",)] * 3 + [("put", 3, MANY)] + [("put",)] * 2 + [("take",)] * 8
        yield told(*steps, capacity=capacity)


@case("14.9")
def elements_for_those_who_wait(draw):
    """What is put in goes to whoever waits, also if it is more than the queue holds."""
    for takes in (1, 2, 4):
        steps = [("take",)] * takes + [("put", 5, MANY), ("take",), ("take",)]
        yield told(*steps, capacity=1)
    yield told(("take", 3), ("put",), ("put",), ("put",), ("put",), capacity=1)


@case("14.9", over=("FIFOQueue", "PriorityQueue"))
def fuller_than_full(draw, kind):
    """Elements that come back may be more than fit: then nothing goes in for a while."""
    for capacity in (1, 2, 3):
        for taken in range(capacity, capacity + 3):
            steps = [("take", taken + 1, MANY), *[("put",)] * taken, ("cancel", 0)]
            steps += [("put",), ("put", 2, MANY), *[("take",)] * (taken + 3)]
            yield told(*steps, kind=kind, capacity=capacity)


@case("14.9", hidden=True)
def puts_by_chance(draw):
    """Any order of calls that put in and take."""
    yield from scripts(draw, 25, {"put": 5, "take": 3, "close": 1}, longest=30)


# ---- 14.10 ----------------------------------------------------------------------------


@case("14.10")
def many_at_once(draw):
    """Whoever wants many takes them as they come, and those behind wait."""
    for size in (1, 2, 3, 5):
        steps = [("take", size, MANY), ("take",)] + [("put",)] * (size + 2)
        yield told(*steps, capacity=2)
        yield told(
            *[("put", size + 1, MANY)], ("take", size, MANY), ("take",), capacity=-1
        )
    yield told(("take", 0, MANY), ("put",), ("take", 0, {"many": True, "fewer": True}))
    yield told(("take", 10, MANY), *[("put", 3, MANY)] * 4, capacity=3)


def taken_before(options: dict) -> Iterator[Trial]:
    """A shuffled queue gives some, keeps some, and is closed: then it gives the rest."""
    kind = "RandomShuffleQueue"
    for kept in (1, 2, 3):
        for puts in range(kept + 1, kept + 4):
            for wants in range(1, puts + 2):
                steps = [("put", puts, MANY), ("take", wants, options), ("close",)]
                steps += [("take",)] * 2
                yield told(*steps, kind=kind, capacity=9, kept=kept)


@case("14.10")
def closed_queues(draw):
    """A closed queue gives what it has; whoever wants more gets an error."""
    for left in range(5):
        for wants in (1, 2, 3):
            steps = [("put", left, MANY), ("close",)] + [("take", wants)] * 3
            yield told(*steps, capacity=-1)
            steps = [("take", wants), ("put", left, MANY), ("close",), ("take",)]
            yield told(*steps, capacity=-1)
    # Some are taken before, and the rest is here when the queue is closed.
    yield from taken_before({})


@case("14.10")
def fewer_are_enough(draw):
    """If fewer are allowed, a closed queue gives what there is, if there is any."""
    for left in range(5):
        for wants in (1, 2, 3, 4):
            steps = [("put", left, MANY), ("close",)] + [("take", wants, FEWER)] * 3
            yield told(*steps, capacity=-1)
            steps = [("take", wants, FEWER), ("put", left, MANY), ("close",)]
            yield told(*steps, ("take",), capacity=-1)
    yield told(("take", 3, FEWER), ("put",), ("put", 2, MANY), capacity=1)
    yield from taken_before({"fewer": True})


@case("14.10", over=("FIFOQueue", "PriorityQueue"))
def what_was_taken_goes_back(draw, kind):
    """Elements of a call that fails are in their places again."""
    for taken in (1, 2, 3):
        puts = [("put",)] * taken
        steps = [("take", taken + 1, MANY), *puts, ("close",)]
        yield told(*steps, *[("take",)] * (taken + 1), kind=kind, capacity=-1)
        steps = [("take", taken + 1, MANY), *puts, ("cancel", 0)]
        yield told(*steps, ("put",), *[("take",)] * (taken + 1), kind=kind, capacity=-1)
    weights = {"put": 4, "take": 4, "cancel": 3}
    yield from scripts(draw, 12, weights, (kind,))


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
def first_in_first_out(draw):
    """Elements of a FIFOQueue come in the order in which they went in."""
    for count in (1, 2, 5, 9):
        yield told(("put", count, MANY), *[("take",)] * count, capacity=-1)
    yield from scripts(draw, 8, {"put": 3, "take": 2}, ("FIFOQueue",))


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


def mixed_trial(num_elements: int, times: int, position: int) -> Trial:
    """Each element comes with the same chance at a place, for so many seeds."""

    def check(got: Any) -> Mismatch | str | None:
        orders = np.asarray(got)
        if orders.shape != (times, num_elements):
            return f"the orders have the shape {orders.shape}"
        everything = list(range(num_elements))
        if any(sorted(order) != everything for order in orders.tolist()):
            return "an element is lost, or comes twice"
        counts = np.bincount(orders[:, position], minlength=num_elements)
        if not far_from_even(counts):
            return None
        return Mismatch(
            f"at place {position} elements do not come with the same chance",
            expected=f"about {times / num_elements:.0f} times each",
            got=f"{counts.tolist()} times",
        )

    title = f"place {position} of {num_elements} elements, for {times} seeds"
    return call_trial(
        title, check, "orders_taken", num_elements=num_elements,
        seeds=list(range(1, times + 1)),
    )  # fmt: skip


@case("14.12")
def every_element_has_a_chance(draw):
    """A RandomShuffleQueue gives any element, all with the same chance."""
    for num_elements in (2, 3, 5, 8):
        for position in {0, num_elements // 2, num_elements - 1}:
            yield mixed_trial(num_elements, 400, position)


def turns_trial(num_elements: int, times: int, seed: int) -> Trial:
    """Each element that is there has the same chance, every time one is taken."""

    def check(got: Any) -> Mismatch | str | None:
        inside, counts = list(range(num_elements)), np.zeros(num_elements)
        for i, taken in enumerate(got):
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
        title, check, "taken_in_turn", num_elements=num_elements, times=times, seed=seed
    )


@case("14.12")
def elements_in_turn(draw):
    """So it is, when elements are put in and taken in turn."""
    for num_elements in (2, 3, 6):
        yield turns_trial(num_elements, 200, draw.whole(1, 1000))
    for num_elements, times in ((100, 600), (300, 1500)):
        yield turns_trial(num_elements, times, draw.whole(1, 1000))


@case("14.12")
def the_same_seed(draw):
    """Two queues with the same seed give their elements in the same order."""
    for seed in (1, draw.whole(2, 1000)):

        def check(got: Any) -> Mismatch | str | None:
            first, second, other = np.asarray(got).tolist()
            if first != second:
                message = "the second queue with this seed gives another order"
                return Mismatch(message, expected=str(first), got=str(second))
            return "queues of other seeds give the same order" if first == other else None

        yield call_trial(
            f"20 elements, seed {seed}", check, "orders_taken", num_elements=20,
            seeds=[seed, seed, seed + 1],
        )  # fmt: skip


@case("14.12")
def nothing_twice(draw):
    """A RandomShuffleQueue gives each element once."""
    yield from scripts(draw, 12, {"put": 3, "take": 2}, ("RandomShuffleQueue",))


@case("14.12", hidden=True)
def chances_of_more_elements(draw):
    """So for more elements."""
    yield mixed_trial(16, 800, 0)
    yield mixed_trial(11, 800, 6)
    yield turns_trial(11, 600, draw.whole(1, 1000))
