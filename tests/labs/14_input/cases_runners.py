"""Lab 14, task 14: queue runners."""

from collections.abc import Iterator
from typing import Any

from lab_14_input.trials import value_trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import Trial, case

EACH = object()  # as many as there are threads


def _trials(title: str, function: str, wanted: dict, **arguments: Any) -> Iterator[Trial]:
    """A call for one thread, and for three; ``wanted`` is what it returns."""
    for threads in (1, 3):
        expected = {name: threads if v is EACH else v for name, v in wanted.items()}
        given = arguments | {"threads": threads}
        yield value_trial(f"{threads} threads: {title}", function, given, expected)


@case("14.14")
def the_last_thread_closes(draw):
    """A thread that has no more leaves the queue open for those that have."""
    for count in (1, 3, 6):
        title = f"one thread has nothing, the other {count} elements, slowly"
        wanted = {"taken": [*range(count)], "error": None}
        yield value_trial(title, "uneven", {"count": count}, wanted)


@case("14.14")
def elements_in_hand(draw):
    """Threads that run one op close the queue when none holds an element any more."""
    for count, threads, failing in (
        (3, 1, ""), (6, 2, ""), (7, 3, ""), (5, 2, "close"), (5, 2, "cancel"),
    ):  # fmt: skip
        wanted = {"taken": [*range(count)], "stops": False, "error": None, "failed": []}
        title = f"{threads} threads hold {count} elements for a while"
        title += f"; the op that is to {failing} the queue fails" if failing else ""
        arguments = {"count": count, "threads": threads, "failing": failing}
        yield value_trial(title, "in_hand", arguments, wanted)


@case("14.14", over=(True, False))
def errors_of_all_kinds(draw, has_coordinator):
    """An error that is none of an op, such as that of a closed session, is one, too.

    The coordinator is told of it; without one the runner keeps it.
    """
    wanted = {"error": None, "kept": EACH, "failed": EACH}
    if has_coordinator:
        wanted = {"error": "RuntimeError", "kept": 0, "failed": 0}
    arguments = {"has_coordinator": has_coordinator}
    title = "a session that is closed"
    yield from _trials(title, "in_closed_session", wanted, **arguments)


@case("14.14", over=(0, 1))
def threads_look_by_themselves(draw, first):
    """A thread looks before each element, and ends though nothing is cancelled."""
    for threads in (1, 3):

        def check(got: Any) -> str | None:
            if got["alive"]:
                return f"{got['alive']} threads still run"
            is_late = not first and got["elements"]
            return f"{got['elements']} elements come after the stop" if is_late else None

        title = f"{threads} threads that are stopped after {first} elements"
        yield call_trial(title, check, "stopped_early", threads=threads, first=first)


@case("14.14")
def nothing_is_cancelled_before_the_stop(draw):
    """Whoever cancels waits for the stop as long as that takes."""
    wanted = {"closed": False, "alive": 0}
    yield from _trials("they wait for room, then the stop comes", "in_haste", wanted)


@case("14.14", over=("data", "error", "stop"))
def ops_that_are_run(draw, how):
    """One thread closes the queue, at the end of the data; one cancels, at the stop."""
    wanted = {"close": int(how == "data"), "cancel": 1}
    title = f"how often either op is run when they end by {how}"
    yield from _trials(title, "ops_run", wanted, how=how)


@case("14.14")
def closed_while_they_fill(draw):
    """That others close the queue is an error, which the coordinator is told."""
    wanted = {"stops": True, "error": "CancelledError"}
    yield from _trials("their queue is closed at once", "closed_by_others", wanted)


@case("14.14", over=("data", "error", "stop"))
def threads_made_again(draw, how):
    """Threads of a session end, close its queue, and are made anew as if in no other."""
    for threads in (1, 3):
        failed = threads if how == "error" else 0
        wanted = {
            "first": threads + (how == "stop"), "while": 0, "another": threads,
            "alive": 0, "closed": how != "error", "kept": failed, "after": threads,
            "then": 0, "failed": failed,
        }  # fmt: skip
        title = f"{threads} threads end by: {how}; others are made before and after"
        yield value_trial(title, "made_again", {"how": how, "threads": threads}, wanted)


@case("14.14")
def asked_for_while_some_run(draw):
    """Where some still run none are made, and the errors of others are kept."""
    for threads in (2, 3):
        wanted = {"made": 0, "then": 1, "end": threads, "failed": threads}
        title = f"one of {threads} threads has failed, and others are asked for"
        yield value_trial(title, "asked_for_again", {"threads": threads}, wanted)
