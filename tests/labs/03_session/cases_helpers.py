"""Lab 03, task 11: helpers, and waiting for them."""

from typing import Any

import numpy as np
from lab_03_session.graphs import (
    QUEUE,
    Node,
    chain,
    check,
    const,
    feed,
    node,
    random_graph,
    waiting,
)
from lab_03_session.trials import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    INVALID_ARGUMENT,
    RESCUE_MS,
    WAIT,
    check_error,
    check_values,
    differs,
    ended_with,
    fed_numbers,
    random_request,
    random_runs,
    serial_order,
    steps_trial,
    values_of,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

BUSY_MS = 60  # of processor time, for one who does nothing but wait


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


@case("03.11", over=range(2))
def orders_without_help(draw, _part):
    """What is offered, and what nobody takes, runs last, in the order of offers."""
    for size in sorted([*range(2, 8)] * 4 + [*range(8, 40)]):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 2))
        yield _without_help(draw, nodes, random_request(draw, nodes))


@case("03.11")
def mixed_fans(draw):
    """So it is when one node makes many ready, of which some take long."""
    for width in range(2, 30):
        nodes = [feed("x"), node("Neg", "top", [(0, 0)])]
        for i in range(width):
            op = draw.one_of(("Neg", "Neg", "Sub", "Identity", "NoOp"))
            inputs = [(1, 0)] * {"NoOp": 0, "Sub": 2}.get(op, 1)
            nodes.append(node(op, f"m{i}", inputs, control=[] if inputs else [1]))
        for i in draw.some_of(range(width)):
            nodes.append(const(f"b{i}", i, control=[2 + i]))
        request = {"feeds": [(0, 0)], "targets": list(range(1, len(nodes)))}
        yield _without_help(draw, nodes, request)


def _without_help(draw: Draw, nodes: list[Node], request: dict) -> Trial:
    """A step in which no thread of the pool is free to help."""
    fed = fed_numbers(draw, request)
    order = serial_order(nodes, request, offers=True)
    expected = values_of(nodes, request, fed)

    def check_one(_: int, result: dict) -> Mismatch | None:
        wrong = check_values("the step", result, expected)
        return wrong or differs("the nodes that run", result["started"], order)

    feeds = [np.float64(one) for one in fed]
    # In later steps the nodes have been measured, and are not worth a thread.
    steps = [{"feeds": feeds, "watch": True, "occupied": True}]
    return steps_trial("", nodes, request, steps, check_one, 2)


@case("03.8")
def takes_by_take_next(draw):
    """The loop takes nodes by TakeNext, which notes that none worth a thread is kept."""
    for length in (2, 3, 5):
        # Each node of the row is worth a thread, and is kept when the one before has run.
        nodes = [*chain(length, "Sub"), node("Identity", "beside", [(0, 0)])]
        request = {"feeds": [(0, 0)], "targets": list(range(1, len(nodes)))}
        yield _without_help(draw, nodes, request)


@case("03.11")
def waits_without_work(draw):
    """A caller that waits asks now and then, and after a failure no more."""
    for threads in (1, 2):
        step = {"stop_after": 1 << 30, "cancel_ms": 230}
        ended = ended_with(CANCELLED, "the step was cancelled", 230)

        def check_asked(i: int, result: dict, ended: Any = ended) -> Any:
            asked = result["questions"]
            often = (
                f"should_stop is asked {asked} times in 230 ms, expected 1 to 40 times"
            )
            return ended(i, result) or (None if 1 <= asked <= 40 else often)

        title = "a wait for a queue of 230 ms, with a should_stop"
        yield steps_trial(
            title, WAIT, {"fetches": [(2, 0)]}, [step], check_asked, threads
        )

    nodes = [feed("x"), check("guard", (0, 0)), node("Neg", "slow", [(0, 0)])]
    request = {"feeds": [(0, 0)], "targets": [1, 2]}
    step = {"watch": True, "meet": ["guard", "slow"], "sleep_ms": {"slow": 240}}
    failing = step | {"feeds": [np.float64(np.nan)], "stop_after": 1 << 30}
    late = step | {"feeds": [np.float64(1)], "deadline_ms": 30}

    def check_rest(i: int, result: dict) -> Mismatch | str | None:
        code = DEADLINE_EXCEEDED if i else INVALID_ARGUMENT
        wrong = check_error(f"step {i + 1}", result, code, None)
        wrong = wrong or differs(
            f"step {i + 1}: nodes that have ended when it is over",
            sorted(result["ended"]),
            sorted(result["started"]),
        )
        if wrong:
            return wrong
        if result["questions"] > 1:
            return f"should_stop is asked {result['questions']} times after the failure"
        if i and result["cpu_ms"] > BUSY_MS:
            busy = f"the caller is at work for {result['cpu_ms']:.0f} of 240 ms"
            return f"{busy}, in which it has nothing to do but to wait for a helper"
        return None

    title = "a slow node goes on in a helper when the step has failed"
    yield steps_trial(title, nodes, request, [failing, late], check_rest, 2)


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
        check_one = ended_with(DEADLINE_EXCEEDED, "timeout", 60)
        yield steps_trial(f"{slow} is slow", nodes, request, [step], check_one, 2)
    for threads in (1, 2):
        step = {"deadline_ms": 30, "cancel_ms": RESCUE_MS}
        check_one = ended_with(DEADLINE_EXCEEDED, "timeout", 30)
        yield steps_trial(
            "a wait for a queue", WAIT, {"fetches": [(2, 0)]}, [step], check_one, threads
        )


@case("03.11", over=range(2, 9, 2))
def values_with_threads(draw, threads):
    """Each node runs once, and the values are those of one thread."""
    yield from random_runs(draw, 30, [threads], largest=60)


@case("03.11")
def what_waits_is_waited_for(draw):
    """When a step has failed, each kernel that waits still comes to its end."""
    for count in (1, 2, 5):
        nodes = [feed("x"), QUEUE, *(waiting(f"w{i}", 1) for i in range(count))]
        nodes.append(check("guard", (0, 0), control=[1]))
        nodes += [node("Neg", f"b{i}", [(2 + i, 0)]) for i in range(count)]
        targets = list(range(2, len(nodes)))
        request = {"feeds": [(0, 0)], "targets": targets}
        for threads in (1, 2, 4):

            def check_one(i: int, result: dict) -> Mismatch | None:
                what = f"step {i + 1}"
                wrong = check_error(what, result, INVALID_ARGUMENT, "guard")
                return wrong or differs(
                    f"{what}: nodes that have ended when it is over",
                    sorted(result["ended"]),
                    sorted(result["started"]),
                )

            step = {"feeds": [np.float64(np.nan)], "watch": True}
            title = f"{count} nodes wait for a queue while one fails"
            yield steps_trial(title, nodes, request, [step] * 3, check_one, threads)


@case("03.11")
def steps_at_the_same_time(draw):
    """Many threads run steps of one executor, which learns how long its nodes take."""
    for width, callers in ((2, 1), (8, 2), (300, 2), (2000, 3)):
        nodes = _fan(width, 1)
        request = {"feeds": [(0, 0)], "fetches": [(width + 3, 0), (3, 0)]}
        step = {"feeds": [np.float64(1)], "occupied": True}

        def check_one(_: int, result: dict, width: int = width) -> Mismatch | None:
            return check_values("a step", result, [-2.0 * width, -2.0])

        yield steps_trial("without help", nodes, request, [step], check_one, 2)
        fed = [[float(draw.whole(1, 99)) for _ in range(3)] for _ in range(callers)]
        times = 10
        numbers = [number for steps in fed for number in steps] * times
        expected = [[width * (-number - 1), -number - 1] for number in numbers]

        def check_all(values: list[Any], expected: list = expected) -> Mismatch | None:
            for result, wanted in zip(values[0], expected, strict=True):
                if wrong := check_values("a step", result, wanted):
                    return wrong
            return None

        arguments = {"nodes": nodes, "request": request, "num_threads": 3}
        arguments |= {"fed": fed, "times": times}
        title = f"a fan of {width} nodes, run by {callers} threads at once"
        yield Trial(title, [Call("run_at_once", arguments)], check_all)


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
