"""Lab 03, task 10: what ends a step from outside."""

from typing import Any

import numpy as np
from lab_03_session.graphs import QUEUE, check, const, feed, node, waiting
from lab_03_session.trials import (
    CANCELLED,
    DATA_LOSS,
    DEADLINE_EXCEEDED,
    INVALID_ARGUMENT,
    PATIENCE_MS,
    RESCUE_MS,
    WAIT,
    check_error,
    check_values,
    differs,
    ended_with,
    steps_trial,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case

# ---- 03.10 ----------------------------------------------------------------------------

ROW = [feed("x"), node("Identity", "n", [(0, 0)], repeat=2000)]
ALL_OF_ROW = {"feeds": [(0, 0)], "fetches": [(2000, 0)]}


@case("03.10")
def interrupted_steps(draw):
    """Once should_stop says true the step is cancelled; it is asked again each time."""
    for after in (0, 1, 5):
        step = {"feeds": [np.float64(1)], "stop_after": after}
        check_one = ended_with(CANCELLED, "the step was interrupted")
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
            ended_with(CANCELLED, "the step was interrupted"),
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
    check_one = ended_with(DEADLINE_EXCEEDED, "timeout", 30)
    yield steps_trial("2000 nodes, one of them slow", ROW, ALL_OF_ROW, [step], check_one)
    for threads in (1, 3):
        for ms in (1, 30, 120):
            step = {"deadline_ms": ms, "cancel_ms": RESCUE_MS}
            yield steps_trial(
                f"a wait for a queue, with {ms} ms for it",
                WAIT,
                {"fetches": [(2, 0)]},
                [step],
                ended_with(DEADLINE_EXCEEDED, "timeout", ms, ms + PATIENCE_MS),
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
        check_one = ended_with(CANCELLED, "the step was cancelled")

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
            check_one = ended_with(
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


@case("03.10")
def each_limit_alone(draw):
    """Deadline, should_stop and cancellation, alone and together, asked and slept for."""
    for deadline_ms in (None, -50, 25, 60_000):
        for stop in (None, False, True):
            for cancelled in (None, False, True):
                options = {"deadline_ms": deadline_ms, "stop": stop}
                options["cancelled"] = cancelled
                yield _limits_trial(options)
                if stop:
                    yield _limits_trial(options | {"stop": None, "throws": True})


SOON_MS = 200  # the longest sleep of one who has to ask again and again


def _limits_trial(options: dict[str, Any]) -> Trial:
    deadline_ms, stop = options["deadline_ms"], options["stop"]
    is_late = deadline_ms is not None and deadline_ms < 0
    throws = options.get("throws", False)
    if is_late:
        code, text = DEADLINE_EXCEEDED, "the step took longer than its timeout allows"
    elif throws:
        code, text = DATA_LOSS, "no answer"  # what it throws
    elif stop:
        code, text = CANCELLED, "the step was interrupted"
    else:
        code, text = CANCELLED, "the step was cancelled"

    def check_one(values: list[Any]) -> Mismatch | str | None:
        (got,) = values
        if is_late or stop or throws or options["cancelled"]:
            if wrong := check_error("Check", got, code, None, text):
                return wrong
        elif "code" in got:
            return f"Check says {got['message']!r}, expected that the step may go on"
        sleep = got["sleep_ms"]
        limits = [deadline_ms] if deadline_ms is not None else []
        limits += [SOON_MS] if stop is not None or throws else []
        if not limits:
            ever = f"NextCheck is {sleep} ms from now, expected never"
            return None if sleep is None else ever
        if sleep is not None and sleep <= 0 and (deadline_ms or SOON_MS) >= SOON_MS:
            return f"NextCheck is {-sleep:.0f} ms ago, and nothing is late"
        if sleep is None or sleep > max(min(limits), 0):
            soon = "never" if sleep is None else f"{sleep:.0f} ms from now"
            return f"NextCheck is {soon}, expected at most {min(limits)} ms"
        return None

    told = {key: value for key, value in options.items() if value is not None}
    title = f"a step with {told}" if told else "a step without limits"
    return Trial(title, [Call("limits", {"options": told})], check_one)


@case("03.10")
def who_asks(draw):
    """should_stop is asked by the threads that run the step, not by one that cancels."""
    for threads in (1, 2):
        step = {"cancel_ms": 20, "stop_after": 1 << 30, "deadline_ms": RESCUE_MS}
        ended = ended_with(CANCELLED, "the step was cancelled", 20)

        def check_one(i: int, result: dict, ended: Any = ended) -> Any:
            asked = result["asked_elsewhere"]
            what = "how often the thread that cancels asks should_stop"
            return ended(i, result) or differs(what, asked, 0)

        title = "a wait for a queue that another thread cancels"
        request = {"fetches": [(2, 0)]}
        yield steps_trial(title, WAIT, request, [step] * 2, check_one, threads)


@case("03.10")
def cancelled_after_failures(draw):
    """So does no harm what is cancelled after a step that failed."""
    attrs = {"Tcomponents": ["float64"]}
    nodes = [feed("x"), QUEUE, const("seven", 7)]
    nodes.append(node("QueueEnqueueV2", "put", [(1, 0), (2, 0)], attrs=attrs))
    nodes += [waiting("take", 1, control=[3]), check("guard", (0, 0), control=[4])]
    request = {"feeds": [(0, 0)], "fetches": [(4, 0)], "targets": [5]}
    for threads in (1, 2):

        def check_one(i: int, result: dict) -> Mismatch | None:
            if i % 2:
                return check_values(f"step {i + 1}", result, [7.0])
            return check_error(f"step {i + 1}", result, INVALID_ARGUMENT, "guard")

        steps = [{"feeds": [np.float64(v)]} for v in (np.nan, 1, np.nan, 1)]
        yield steps_trial(
            "steps that fail in turn, cancelled when they are over",
            nodes,
            request,
            steps,
            check_one,
            threads,
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
                ended_with(code, "", 20, 380),
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
