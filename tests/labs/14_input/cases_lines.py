"""Lab 14, task 11: the lines of a queue."""

from collections import Counter
from typing import Any

from lab_14_input.queue_model import script_trial
from lab_14_input.queue_scripts import CANCELLING, FEWER, MANY, scripts, told
from lab_14_input.trials import value_trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case


def watched(*steps: tuple, **options: Any) -> Trial:
    """As ``told``; another thread looks at the queue in each callback."""
    return told(*steps, **options, is_watched=True)


@case("14.11")
def giving_up(draw):
    """A call whose step is given up leaves its line, and the next one is served."""
    for count in (1, 2, 3):
        for which in range(count):
            waiting = [("take", 2, MANY)] * count
            steps = [*waiting, ("put",), ("cancel", which), *[("put",)] * 2 * count]
            yield watched(*steps, capacity=-1)
            steps = [*[("put", 3, MANY)] * (count + 1), ("cancel", which)]
            yield watched(*steps, *[("take",)] * 3 * count, capacity=2)


@case("14.11")
def giving_up_before_a_close(draw):
    """A Close that stands behind a call that is given up may be next."""
    for count in (1, 2, 3):
        for which in range(count):
            puts = [("put", 2 + which, MANY)] * count
            steps = [*puts, ("close",), ("put",), ("close",)]
            gives_up = [("cancel", i) for i in draw.shuffled(range(count))[: which + 1]]
            yield watched(*steps, *gives_up, *[("take",)] * 4, capacity=1)
            reactions = {count - 1: [("put",), ("take",)]}
            yield watched(*steps, *gives_up, capacity=1, reactions=reactions)
    yield from scripts(draw, 12, {"put": 5, "close": 3, "cancel": 5, "take": 1})


@case("14.11")
def given_up_before_or_after(draw):
    """Giving up a call that is done does nothing; one that was given up is refused."""
    yield watched(("put",), ("cancel", 0), ("take",), ("cancel", 1), ("take",))
    yield watched(("take",), ("cancel", 0), ("cancel", 0), ("put",), ("take",))
    yield watched(("put", 3, MANY), ("cancel", 0), ("cancel", 0), ("take", 2), capacity=2)
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
        yield watched(*steps, capacity=2)
    yield watched(("close",), ("close",), ("put",), ("take",))
    yield watched(
        ("put",), ("put",), ("close",), ("cancel", -1), ("take",), ("put",), capacity=1
    )


@case("14.11")
def closing_at_once(draw):
    """Closing may cancel those who wait to put in; who waits to take hears the end."""
    for waiting in range(4):
        puts = [("put",)] * (2 + waiting)
        steps = [*puts, ("close", CANCELLING), ("put",), *[("take",)] * 3]
        yield watched(*steps, capacity=2)
        takes = [("take",)] * waiting
        yield watched(*takes, ("put",), ("close", CANCELLING), ("take",), capacity=2)
        steps = [*puts, ("close",), *[("put",)] * waiting, ("close", CANCELLING)]
        yield watched(*steps, *[("take",)] * 3, capacity=2)
    yield watched(("put", 5, MANY), ("close", CANCELLING), ("take", 9, FEWER), capacity=2)
    yield watched(("close", CANCELLING), ("close", CANCELLING), ("take", 2, FEWER))
    yield watched(("take", 3), ("put",), ("close", CANCELLING), ("take",))


@case("14.11")
def one_event_serves_many(draw):
    """One call may end many others, in the order in which they could be served."""
    for count in (2, 3, 5):
        yield watched(*[("take",)] * count, ("put", count, MANY), capacity=1)
        puts = [("put",)] * (count + 1)
        yield watched(*puts, ("take", count, MANY), ("take",), capacity=1)
        yield watched(*[("take", 2)] * count, ("close",), capacity=1)
        yield watched(
            *puts, *[("take",)] * count, ("close",), ("take", 9, FEWER), capacity=1
        )


@case("14.11")
def callbacks_that_call_the_queue(draw):
    """Callbacks come when all is served, and may call the queue again."""
    for again in ([("put",)], [("take",)], [("close",)], [("close", CANCELLING)]):
        three = [*[("put",)] * 3, ("take", 3)]
        yield watched(*three, capacity=1, reactions={1: again})
        yield watched(*three, capacity=1, reactions={3: again})
        takes = [("take",)] * 3
        yield watched(*takes, ("put", 3, MANY), capacity=1, reactions={0: again})
        yield watched(*takes, ("close",), reactions={0: again, 3: again})
        puts = [("put",)] * 4
        yield watched(*puts, ("cancel", -1), ("take", 3), reactions={3: again})
        yield watched(*puts, ("close", CANCELLING), ("take",), reactions={2: again})
        yield watched(*puts, ("close", CANCELLING), ("take",), reactions={4: again})
        yield watched(*[("take", 2)] * 2, ("close", CANCELLING), reactions={1: again})
        taken = [("take", 3), ("put",), ("put",), ("take",), ("cancel", 0)]
        yield watched(*taken, reactions={0: again})
    yield watched(*[("take",)] * 3, ("put",), reactions={0: [("cancel", 1)]})
    yield watched(*[("put",)] * 3, ("take",), capacity=1, reactions={1: [("cancel", 2)]})


@case("14.11")
def one_thread_at_a_time(draw):
    """While a line is served, other threads wait: for the size, to close, to give up."""
    for what in ("size", "close", "cancel"):
        title = f"another thread's {what}, while an element is put in"
        yield value_trial(title, "while_locked", {"what": what}, [False, False])


@case("14.11")
def lines_by_chance(draw):
    """Any order of calls, ends and cancellations, also in callbacks."""
    weights = {"put": 4, "take": 4, "cancel": 4, "close": 1}
    yield from scripts(draw, 16, weights)
    yield from scripts(draw, 24, weights | {"cancel": 3}, reacting=True)


@case("14.11", over=range(2), hidden=True)
def longer_lines_by_chance(draw, _part):
    """Longer ones."""
    weights = {"put": 5, "take": 5, "cancel": 4, "close": 1}
    yield from scripts(draw, 16, weights, longest=50)
    yield from scripts(draw, 16, weights, longest=40, reacting=True)


def threads_trial(kind: str, capacity: int, kept: int, numbers: tuple) -> Trial:
    """Threads that put in and take: nothing is lost, nothing comes twice."""
    producers, consumers, count, batch_in, batch_out = numbers

    def check(got: Any) -> Mismatch | str | None:
        taken = [[tuple(pair) for pair in one] for one in got]
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
    return call_trial(
        title, check, "many_threads", kind=kind, capacity=capacity, kept=kept,
        producers=producers, consumers=consumers, num_elements=count, batch_in=batch_in,
        batch_out=batch_out,
    )  # fmt: skip


@case("14.11", over=("FIFOQueue", "RandomShuffleQueue"))
def four_producers_three_consumers(draw, kind):
    """Nothing is lost and nothing comes twice, whatever the threads do."""
    for batch_in, batch_out in ((1, 1), (3, 1), (1, 4), (5, 3)):
        for capacity in (4, 20):
            kept = 2 if kind == "RandomShuffleQueue" else 0
            yield threads_trial(kind, capacity, kept, (4, 3, 200, batch_in, batch_out))
