"""Lab 14, tasks 9 to 12: queues."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_14_input.queue_model import Script, script_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

KINDS = ("FIFOQueue", "PriorityQueue", "RandomShuffleQueue")


def scripts(
    draw: Draw,
    count: int,
    weights: dict[str, int],
    kinds: tuple[str, ...] = KINDS,
    *,
    longest: int = 20,
    keeps: bool = False,
) -> Iterator[Trial]:
    """Scripts by chance, from short to long, of queues of all kinds and capacities."""
    for i in range(count):
        script = Script(draw)
        kind = draw.one_of(kinds)
        kept = draw.whole(0, 3) if kind == "RandomShuffleQueue" and keeps else 0
        capacity = draw.one_of([-1, kept + 1, kept + 2, kept + 4])
        for _ in range(3 + i * longest // count):
            script.add(weights)
        yield script_trial(kind, capacity, script.events, kept, 1 + draw.whole(0, 99))


def told(
    *steps: tuple, kind: str = "FIFOQueue", capacity: int = 2, kept: int = 0
) -> Trial:
    """A script of steps such as ("put", 2), by their names and arguments.

    ("cancel", -1) gives up the last call, ("cancel", -2) the one before.
    """
    script = Script()
    numbers: list[int] = []
    for name, *arguments in steps:
        options = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        if name == "cancel":
            script.cancel(numbers[arguments[0]])
        else:
            numbers.append(getattr(script, name)(*arguments, **options))
    return script_trial(kind, capacity, script.events, kept)


MANY, FEWER, CANCELLING = {"many": True}, {"fewer": True}, {"cancelling": True}


# ---- 14.9 -----------------------------------------------------------------------------


@case("14.9", over=KINDS)
def capacities(draw, kind):
    """As many as fit go in; whoever comes later waits until there is room."""
    for capacity in (1, 2, 3, -1):
        for puts in range(1, 6):
            steps = [("put",)] * puts + [("take",)] * puts
            yield told(*steps, kind=kind, capacity=capacity)
    yield from scripts(draw, 8, {"put": 3, "take": 2}, (kind,))


@case("14.9")
def batches_that_fit_in_part(draw):
    """A batch goes in row by row, as there is room; behind it others wait."""
    for capacity in (1, 2, 3, 5, -1):
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


@case("14.10")
def closed_queues(draw):
    """A closed queue gives what it has; whoever wants more gets an error."""
    for left in range(5):
        for wants in (1, 2, 3):
            steps = [("put", left, MANY), ("close",)] + [("take", wants)] * 3
            yield told(*steps, capacity=-1)
            steps = [("take", wants), ("put", left, MANY), ("close",), ("take",)]
            yield told(*steps, capacity=-1)


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


# ---- 14.11 ----------------------------------------------------------------------------


@case("14.11")
def giving_up(draw):
    """A call whose step is given up leaves its line, and the next one is served."""
    for count in (1, 2, 3):
        for which in range(count):
            waiting = [("take", 2, MANY)] * count
            steps = [*waiting, ("put",), ("cancel", which), *[("put",)] * 2 * count]
            yield told(*steps, capacity=-1)
            steps = [*[("put", 3, MANY)] * (count + 1), ("cancel", which)]
            yield told(*steps, *[("take",)] * 3 * count, capacity=2)


@case("14.11")
def given_up_before_or_after(draw):
    """Giving up a call that is done does nothing; one that was given up is refused."""
    yield told(("put",), ("cancel", 0), ("take",), ("cancel", 1), ("take",))
    yield told(("take",), ("cancel", 0), ("cancel", 0), ("put",), ("take",))
    yield told(("put", 3, MANY), ("cancel", 0), ("cancel", 0), ("take", 2), capacity=2)
    for kind in ("enqueue", "dequeue"):
        pairs = [(1, 1)] if kind == "enqueue" else []
        events = [["cancel", 1, 0, False, []], [kind, 1, 0, False, pairs]]
        events += [["enqueue", 2, 0, False, [(2, 2)]], ["dequeue", 3, 0, False, []]]
        yield script_trial("FIFOQueue", 2, events)


@case("14.11")
def closing_in_turn(draw):
    """Closing waits for those who wanted to put something in before it."""
    for waiting in range(4):
        puts = [("put",)] * (2 + waiting)
        steps = [*puts, ("close",), ("put",), *[("take",)] * (4 + waiting)]
        yield told(*steps, capacity=2)
    yield told(("close",), ("close",), ("put",), ("take",))
    yield told(
        ("put",), ("put",), ("close",), ("cancel", -1), ("take",), ("put",), capacity=1
    )


@case("14.11")
def closing_at_once(draw):
    """Closing may cancel those who wait to put in; who waits to take hears the end."""
    for waiting in range(4):
        puts = [("put",)] * (2 + waiting)
        steps = [*puts, ("close", CANCELLING), ("put",), *[("take",)] * 3]
        yield told(*steps, capacity=2)
        takes = [("take",)] * waiting
        yield told(*takes, ("put",), ("close", CANCELLING), ("take",), capacity=2)
    yield told(("put", 5, MANY), ("close", CANCELLING), ("take", 9, FEWER), capacity=2)
    yield told(("close", CANCELLING), ("close", CANCELLING), ("take", 2, FEWER))
    yield told(("take", 3), ("put",), ("close", CANCELLING), ("take",))


@case("14.11")
def one_event_serves_many(draw):
    """One call may end many others, in the order in which they could be served."""
    for count in (2, 3, 5):
        yield told(*[("take",)] * count, ("put", count, MANY), capacity=1)
        puts = [("put",)] * (count + 1)
        yield told(*puts, ("take", count, MANY), ("take",), capacity=1)
        yield told(*[("take", 2)] * count, ("close",), capacity=1)
        yield told(
            *puts, *[("take",)] * count, ("close",), ("take", 9, FEWER), capacity=1
        )


@case("14.11")
def lines_by_chance(draw):
    """Any order of calls, ends and cancellations."""
    weights = {"put": 4, "take": 4, "cancel": 4, "close": 1}
    yield from scripts(draw, 16, weights)


@case("14.11", over=range(2), hidden=True)
def longer_lines_by_chance(draw, _part):
    """Longer ones."""
    weights = {"put": 5, "take": 5, "cancel": 4, "close": 1}
    yield from scripts(draw, 16, weights, longest=50)


def threads_trial(kind: str, capacity: int, kept: int, numbers: tuple) -> Trial:
    """Threads that put in and take: nothing is lost, nothing comes twice."""
    producers, consumers, count, batch_in, batch_out = numbers
    arguments = {
        "kind": kind, "capacity": capacity, "kept": kept, "producers": producers,
        "consumers": consumers, "num_elements": count, "batch_in": batch_in,
        "batch_out": batch_out,
    }  # fmt: skip

    def check(values: list[Any]) -> Mismatch | str | None:
        taken = [[tuple(pair) for pair in one] for one in values[0]]
        found = Counter(pair for one in taken for pair in one)
        wanted = {(p, i) for p in range(producers) for i in range(count)}
        twice = [pair for pair, n in found.items() if n > 1]
        lost = sorted(wanted - set(found))
        if twice:
            return f"{len(twice)} elements come twice, such as {twice[0]}"
        if lost:
            return f"{len(lost)} elements are lost, such as {lost[0]}"
        if set(found) - wanted:
            return f"there are elements that nobody put in: {set(found) - wanted}"
        if kind != "FIFOQueue":
            return None
        for one in taken:
            for producer in range(producers):
                order = [i for p, i in one if p == producer]
                if order != sorted(order):
                    return f"elements of producer {producer} come out of order"
        return None

    title = (
        f"{kind} of capacity {capacity}, {producers} producers of {count} elements, "
        f"{batch_in} at once, {consumers} consumers, {batch_out} at once"
    )
    return Trial(title, [Call("many_threads", arguments)], check)


@case("14.11", over=("FIFOQueue", "RandomShuffleQueue"))
def four_producers_three_consumers(draw, kind):
    """Nothing is lost and nothing comes twice, whatever the threads do."""
    for batch_in, batch_out in ((1, 1), (3, 1), (1, 4), (5, 3)):
        for capacity in (4, 20):
            kept = 2 if kind == "RandomShuffleQueue" else 0
            yield threads_trial(kind, capacity, kept, (4, 3, 200, batch_in, batch_out))


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


def mixed_trial(num_elements: int, times: int, position: int) -> Trial:
    """Each element comes with the same chance at a place, for so many seeds."""

    def check(values: list[Any]) -> Mismatch | str | None:
        orders = np.asarray(values[0])
        if orders.shape != (times, num_elements):
            return f"the orders have the shape {orders.shape}"
        everything = list(range(num_elements))
        if any(sorted(order) != everything for order in orders.tolist()):
            return "an element is lost, or comes twice"
        counts = np.bincount(orders[:, position], minlength=num_elements)
        expected = times / num_elements
        chi2 = float(np.sum((counts - expected) ** 2 / expected))
        degrees = num_elements - 1
        limit = degrees + 6 * (2 * degrees) ** 0.5
        if chi2 < limit:
            return None
        return Mismatch(
            f"at place {position} elements do not come with the same chance",
            expected=f"about {expected:.0f} times each",
            got=f"{counts.tolist()} times",
        )

    arguments = {
        "capacity": num_elements + 1, "kept": 0, "num_elements": num_elements,
        "times": times,
    }  # fmt: skip
    title = f"place {position} of {num_elements} elements, for {times} seeds"
    return Trial(title, [Call("first_taken", arguments)], check)


@case("14.12")
def every_element_has_a_chance(draw):
    """A RandomShuffleQueue gives any element, all with the same chance."""
    for num_elements in (2, 3, 5, 8):
        for position in {0, num_elements // 2, num_elements - 1}:
            yield mixed_trial(num_elements, 400, position)


@case("14.12")
def nothing_twice(draw):
    """A RandomShuffleQueue gives each element once."""
    yield from scripts(draw, 12, {"put": 3, "take": 2}, ("RandomShuffleQueue",))


@case("14.12", hidden=True)
def chances_of_more_elements(draw):
    """So for more elements."""
    yield mixed_trial(16, 800, 0)
    yield mixed_trial(11, 800, 6)
