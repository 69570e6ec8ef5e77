"""Lab 14, task 11: the lines of a queue."""

from typing import Any

from lab_14_input.queue_scripts import CANCELLING, FEWER, MANY, scripts, told
from lab_14_input.trials import value_trial

from minitf_lab.judge.case import Trial, case


def watched(*steps: tuple, **options: Any) -> Trial:
    """As ``told``; another thread looks at the queue in each callback."""
    return told(*steps, **options, is_watched=True)


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
