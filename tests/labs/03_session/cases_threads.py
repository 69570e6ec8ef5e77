"""Lab 03, tasks 10 and 11: what ends a step from outside, and helpers."""

from typing import Any

import numpy as np
from lab_03_session.trials import (
    QUEUE,
    Node,
    chain,
    check_error,
    check_values,
    const,
    differs,
    feed,
    node,
    random_runs,
    serial_order,
    steps_trial,
    values_of,
    waiting,
)

from minitf_lab.judge.case import Mismatch, Trial, case

DEADLINE_EXCEEDED, CANCELLED = 4, 1
RESCUE_MS = 3000  # when a step is ended that should have ended by itself
PATIENCE_MS = 1500  # a busy machine takes its time


def _ended(
    code: int, word: str, least_ms: float = 0, most_ms: float = PATIENCE_MS
) -> Any:
    """A check that a step was ended, and not much too late."""

    def check_one(i: int, result: dict) -> Mismatch | str | None:
        if wrong := check_error(f"step {i + 1}", result, code, None, word):
            return wrong
        if not least_ms <= result["ms"] <= most_ms:
            took = f"step {i + 1} ends after {result['ms']:.0f} ms"
            return f"{took}, expected {least_ms} or a little more"
        return None

    return check_one


# ---- 03.10 ----------------------------------------------------------------------------

ROW = [feed("x"), node("Identity", "n", [(0, 0)], repeat=2000)]
ALL_OF_ROW = {"feeds": [(0, 0)], "fetches": [(2000, 0)]}
WAIT = [QUEUE, waiting("wait", 0), node("Identity", "y", [(1, 0)])]


@case("03.10")
def interrupted_steps(draw):
    """Once should_stop says true the step is cancelled; it is asked again each time."""
    for after in (0, 1, 5):
        step = {"feeds": [np.float64(1)], "stop_after": after}
        check_one = _ended(CANCELLED, "the step was interrupted")
        yield steps_trial(
            f"2000 nodes, stopped at question {after + 1}",
            ROW,
            ALL_OF_ROW,
            [step],
            check_one,
        )
    for threads in (1, 2):
        step = {"stop_after": 2, "deadline_ms": RESCUE_MS}
        yield steps_trial(
            "a wait for a queue, stopped at the third question",
            WAIT,
            {"fetches": [(2, 0)]},
            [step],
            _ended(CANCELLED, "the step was interrupted"),
            threads,
        )


@case("03.10")
def deadlines(draw):
    """A step that is late fails, whether it computes or waits."""
    step = {
        "feeds": [np.float64(1)],
        "watch": True,
        "deadline_ms": 30,
        "sleep_ms": {"n_7": 50},
    }
    check_one = _ended(DEADLINE_EXCEEDED, "timeout", 30)
    yield steps_trial("2000 nodes, one of them slow", ROW, ALL_OF_ROW, [step], check_one)
    for threads in (1, 3):
        for ms in (1, 30, 120):
            step = {"deadline_ms": ms, "cancel_ms": RESCUE_MS}
            yield steps_trial(
                f"a wait for a queue, with {ms} ms for it",
                WAIT,
                {"fetches": [(2, 0)]},
                [step],
                _ended(DEADLINE_EXCEEDED, "timeout", ms, ms + PATIENCE_MS),
                threads,
            )


@case("03.10")
def deadlines_that_are_met(draw):
    """A step that is in time gives its values, asked however often."""
    for threads in (1, 2):
        for limits in (
            {"deadline_ms": 5000},
            {"stop_after": 1 << 30},
            {"alone": True},
            {},
        ):
            step = {"feeds": [np.float64(3)], **limits}

            def check_one(_: int, result: dict) -> Mismatch | None:
                return check_values("the step", result, [3.0])

            title = f"2000 nodes, with {limits or 'no limits'}"
            yield steps_trial(title, ROW, ALL_OF_ROW, [step, step], check_one, threads)


@case("03.10")
def cancelled_steps(draw):
    """A step is cancelled while it computes, while it waits, and before it begins."""
    for at in ("n_1", "n_700"):
        step = {"feeds": [np.float64(1)], "watch": True, "cancel_at": at}
        check_one = _ended(CANCELLED, "the step was cancelled")

        def check_early(
            i: int, result: dict, at: str = at, check_one: Any = check_one
        ) -> Any:
            late = len(result["started"]) - int(at[2:])
            many = f"{late} nodes run after it was cancelled at {at}"
            return check_one(i, result) or (many if late > 500 else None)

        yield steps_trial(
            f"2000 nodes, cancelled at {at}", ROW, ALL_OF_ROW, [step], check_early
        )
    for threads in (1, 2):
        for how in ({"cancel_ms": 20}, {"cancelled": True}):
            check_one = _ended(
                CANCELLED, "the step was cancelled", how.get("cancel_ms", 0)
            )

            def check_start(
                i: int, result: dict, how: dict = how, check_one: Any = check_one
            ) -> Any:
                none = differs("the nodes that run", result["started"], [])
                return check_one(i, result) or (none if "cancelled" in how else None)

            step = {**how, "deadline_ms": RESCUE_MS, "watch": True}
            title = f"a wait for a queue with {how}"
            request = {"fetches": [(2, 0)]}
            yield steps_trial(title, WAIT, request, [step, step], check_start, threads)


@case("03.10")
def cancelled_afterwards(draw):
    """What is cancelled when a step is over does no harm to the next one."""
    # The queue's own wait makes the step one that can wait; an element is put in first.
    nodes = [QUEUE, const("seven", 7)]
    attrs = {"Tcomponents": ["float64"]}
    nodes.append(node("QueueEnqueueV2", "put", [(0, 0), (1, 0)], attrs=attrs))
    nodes += [waiting("take", 0, control=[2]), node("Identity", "y", [(3, 0)])]
    for threads in (1, 2, 4):

        def check_one(i: int, result: dict) -> Mismatch | None:
            return check_values(f"step {i + 1}", result, [7.0])

        title = "steps that are cancelled when they are over"
        yield steps_trial(
            title, nodes, {"fetches": [(4, 0)]}, [{}] * 6, check_one, threads
        )


@case("03.10", hidden=True)
def the_first_limit_counts(draw):
    """Of a deadline, a cancellation and an interruption, whichever comes first."""
    for threads in (1, 2):
        for first, code in (("deadline_ms", DEADLINE_EXCEEDED), ("cancel_ms", CANCELLED)):
            step = {"deadline_ms": 400, "cancel_ms": 400, first: 20}
            yield steps_trial(
                f"a wait for a queue with {step}",
                WAIT,
                {"fetches": [(2, 0)]},
                [step],
                _ended(code, "", 20, 380),
                threads,
            )


@case("03.10", hidden=True)
def steps_after_limits(draw):
    """A step that was ended leaves the executor as new."""
    step = {"feeds": [np.float64(2)]}
    steps = [step | {"stop_after": 3}, step, step | {"cancelled": True}, step]

    def check_one(i: int, result: dict) -> Mismatch | None:
        if i % 2:
            return check_values(f"step {i + 1}", result, [2.0])
        return check_error(f"step {i + 1}", result, CANCELLED, None, "the step was")

    for threads in (1, 4):
        yield steps_trial("2000 nodes", ROW, ALL_OF_ROW, steps, check_one, threads)


# ---- 03.11 ----------------------------------------------------------------------------


def _fan(width: int, depth: int = 0) -> list[Node]:
    """A feed, a row of ``depth`` nodes, and so many nodes that take its end."""
    nodes = [feed("x"), const("one", 1)]
    for i in range(depth):
        nodes.append(node("Neg", f"row{i}", [(0, 0) if i == 0 else (1 + i, 0)]))
    source = (1 + depth, 0) if depth else (0, 0)
    nodes += [node("Sub", f"m{i}", [source, (1, 0)]) for i in range(width)]
    nodes.append(node("AddN", "sum", [(2 + depth + i, 0) for i in range(width)]))
    return nodes


def _meeting(nodes: list[Node], meet: list[str], threads: int, what: str) -> Trial:
    request = {"feeds": [(0, 0)], "fetches": [(len(nodes) - 1, 0)]}
    steps = [{"feeds": [np.float64(5)], "watch": True, "meet": meet}]

    def check_one(_: int, result: dict) -> Mismatch | str | None:
        if wrong := check_values("the step", result, values_of(nodes, request, [5.0])):
            return wrong
        return (
            None if result["met"] else f"{', '.join(meet)} have not run at the same time"
        )

    return steps_trial(what, nodes, request, steps, check_one, threads)


@case("03.11")
def nodes_that_run_at_once(draw):
    """As many nodes that take long as there are threads run at the same time."""
    for threads in (2, 3, 4, 8):
        meet = [f"m{i}" for i in range(threads)]
        for depth in (0, 2):
            title = f"{threads} nodes behind {depth} in a row"
            yield _meeting(_fan(threads, depth), meet, threads, title)
    for threads in (4, 8):
        yield _meeting(_fan(2), ["m0", "m1"], threads, "2 nodes for more threads")


@case("03.11")
def rows_side_by_side(draw):
    """Two rows of nodes go on in two threads."""
    for length in (2, 6):
        nodes = [feed("x")]
        for row in "ab":
            for i in range(length):
                nodes.append(
                    node("Neg", f"{row}{i}", [(len(nodes) - 1, 0) if i else (0, 0)])
                )
        nodes.append(node("Sub", "y", [(length, 0), (2 * length, 0)]))
        for at in range(length):
            title = f"two rows of {length} nodes"
            yield _meeting(nodes, [f"a{at}", f"b{at}"], 2, title)


@case("03.11")
def what_is_not_worth_a_thread(draw):
    """A row, and nodes that take no time, stay with the caller, in their order."""
    cheap = [feed("x")]
    for row in range(6):
        cheap.append(node("Identity", f"c{row}", [(0, 0)]))
        cheap.append(node("Identity", f"d{row}", [(len(cheap) - 1, 0)]))
        cheap.append(node("NoOp", f"e{row}", control=[len(cheap) - 1]))
    beside = [feed("x"), const("one", 1), node("Sub", "a", [(0, 0), (1, 0)])]
    beside += [node("Identity", "c", [(0, 0)]), node("Identity", "d", [(3, 0)])]
    for nodes in (cheap, chain(40, "Sub"), beside):
        request = {"feeds": [(0, 0)], "targets": list(range(1, len(nodes)))}
        order = serial_order(nodes, request)

        def check_one(_: int, result: dict, order: list = order) -> Mismatch | None:
            wrong = differs("the nodes that run", result["started"], order)
            who = sorted(set(result["threads"]))
            return wrong or differs("the threads that work", who, [0])

        # No helper is free: so what is offered comes behind what is not.
        steps = [{"feeds": [np.float64(5)], "watch": True, "occupied": True}]
        yield steps_trial("", nodes, request, steps, check_one, 4)


@case("03.11")
def the_caller_waits(draw):
    """A step ends when its last node has ended, in whichever thread that is."""
    for slow in ("m0", "m1", "m2"):
        for threads in (2, 3):
            nodes = _fan(3)
            request = {"feeds": [(0, 0)], "fetches": [(5, 0)], "targets": [2, 3, 4]}
            steps = [
                {"feeds": [np.float64(5)], "watch": True, "sleep_ms": {slow: 30}}
            ] * 2

            def check_one(
                _: int, result: dict, nodes: list = nodes, request: dict = request
            ) -> Any:
                wrong = check_values("the step", result, values_of(nodes, request, [5.0]))
                return wrong or differs(
                    "the nodes that run",
                    sorted(result["started"]),
                    sorted(result["ended"]),
                )

            yield steps_trial(
                f"{slow} is slow", nodes, request, steps, check_one, threads
            )


@case("03.11")
def limits_while_others_work(draw):
    """The caller asks for limits while it waits for helpers and for queues."""
    nodes = _fan(2)
    request = {"feeds": [(0, 0)], "fetches": [(4, 0)]}
    for slow in ("m0", "m1"):
        step = {
            "feeds": [np.float64(5)],
            "watch": True,
            "sleep_ms": {slow: 150},
            "deadline_ms": 60,
        }
        check_one = _ended(DEADLINE_EXCEEDED, "timeout", 60)
        yield steps_trial(f"{slow} is slow", nodes, request, [step], check_one, 2)
    for threads in (1, 2):
        step = {"deadline_ms": 30, "cancel_ms": RESCUE_MS}
        check_one = _ended(DEADLINE_EXCEEDED, "timeout", 30)
        yield steps_trial(
            "a wait for a queue", WAIT, {"fetches": [(2, 0)]}, [step], check_one, threads
        )


@case("03.11", over=range(2, 9, 2))
def values_with_threads(draw, threads):
    """Each node runs once, and the values are those of one thread."""
    yield from random_runs(draw, 30, [threads], largest=60)


@case("03.11", hidden=True, over=range(3, 9, 2))
def more_values_with_threads(draw, threads):
    """Larger graphs."""
    yield from random_runs(draw, 25, [threads], largest=150)


@case("03.11", hidden=True)
def fans_of_many(draw):
    """A fan of hundreds, summed again and again."""
    for width in (50, 400):
        nodes = _fan(width)
        request = {"feeds": [(0, 0)], "fetches": [(width + 2, 0)]}

        def check_one(
            i: int, result: dict, nodes: list = nodes, request: dict = request
        ) -> Any:
            return check_values("the step", result, values_of(nodes, request, [float(i)]))

        steps = [{"feeds": [np.float64(i)]} for i in range(15)]
        for threads in (2, 4, 8):
            yield steps_trial(
                f"a fan of {width}", nodes, request, steps, check_one, threads
            )
