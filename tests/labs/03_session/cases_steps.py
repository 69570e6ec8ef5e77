"""Lab 03, tasks 8 and 9: the loop of the executor, and steps that fail."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_03_session.trials import (
    QUEUE,
    Node,
    chain,
    check,
    check_error,
    check_values,
    const,
    diamond,
    differs,
    feed,
    node,
    num_outputs,
    predecessors,
    random_graph,
    random_runs,
    run_trial,
    serial_order,
    steps_trial,
    values_of,
    waiting,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

INVALID_ARGUMENT, DEADLINE_EXCEEDED, CANCELLED = 3, 4, 1

# ---- 03.8 -----------------------------------------------------------------------------


@case("03.8")
def small_runs(draw):
    """One thread runs what became ready last, and of several the first."""
    graphs = [
        [const("a", 1)],
        [const("a", 1), const("b", 2), node("Sub", "c", [(1, 0), (0, 0)])],
        [const("a", 1), node("Identity", "b", [(0, 0)]), node("Identity", "c", [(1, 0)]),
         node("Identity", "d", [(0, 0)]), node("AddN", "e", [(3, 0), (2, 0)])],
        [const("a", 1), node("NoOp", "g", control=[0]), const("b", 2, control=[1])],
    ]  # fmt: skip
    for nodes in graphs:
        last = len(nodes) - 1
        yield run_trial(nodes, {"fetches": [(last, 0)]}, [[], []], 1)
        yield run_trial(nodes, {"fetches": [(0, 0)], "targets": [last]}, [[]], 1)
    for width in (1, 2, 5, 30):
        request = {"feeds": [(0, 0)], "fetches": [(width + 2, 0)]}
        yield run_trial(diamond(width), request, [[2.0], [3.0]], 1)
    yield run_trial(chain(3), {"targets": [4], "feeds": [(0, 0)]}, [[1.0]], 1)
    yield run_trial(chain(3), {}, [[]], 1)


@case("03.8", over=range(2))
def random_runs_of_one_thread(draw, _part):
    """Random graphs: their values, and the order in which their nodes run."""
    yield from random_runs(draw, 60, [1])


@case("03.8")
def random_runs_of_many_threads(draw):
    """Each node runs once in 2 to 8 threads, after what it waits for; equal values."""
    yield from random_runs(draw, 60, range(2, 9))


@case("03.8")
def long_rows(draw):
    """Ten thousand nodes in a row, without recursion."""
    for op, threads in (("Neg", 1), ("Neg", 4), ("Identity", 1)):
        nodes = [
            feed("x"),
            node(op, "n", [(0, 0)], repeat=10_000),
        ]
        last = nodes[1]["repeat"]
        arguments = {
            "nodes": nodes,
            "request": {"feeds": [(0, 0)], "fetches": [(last, 0)]},
            "num_threads": threads,
            "steps": [{"feeds": [np.float64(3)]}, {"feeds": [np.float64(-7)]}],
        }

        def check_both(values: list[Any]) -> Mismatch | None:
            first, second = values[0]["steps"]
            return check_values("step 1", first, [3]) or check_values(
                "step 2", second, [-7]
            )

        yield Trial(f"{last} nodes {op} in a row", [Call("run", arguments)], check_both)


def _with_check(draw: Draw, size: int) -> tuple[list[Node], int]:
    """A random graph and the number of a node in it that fails if a NaN is fed."""
    nodes = random_graph(draw, size, feeds=1, controls=0.3)
    nodes.append(check("guard", (0, 0), control=[draw.whole(0, size - 1)]))
    guard = len(nodes) - 1
    for i in range(draw.whole(1, 6)):
        source = draw.one_of(
            [guard, draw.one_of([n for n in range(size) if num_outputs(nodes[n])])]
        )
        nodes.append(
            node(
                "Identity",
                f"behind{i}",
                [(source, 0)],
                control=[guard][: draw.whole(0, 1)],
            )
        )
    nodes.append(node("NoOp", "end", control=list(range(guard, len(nodes)))))
    return nodes, guard


def _failure_trials(draw: Draw, times: int) -> Iterator[Trial]:
    for i in range(times):
        nodes, guard = _with_check(draw, 2 + i)
        request = {
            "feeds": [(0, 0)],
            "fetches": [(guard, 0)],
            "targets": [len(nodes) - 1],
        }
        order = serial_order(nodes, request)
        until = order[: order.index("guard") + 1]

        def check_one(
            i: int, result: dict, order: list = order, until: list = until
        ) -> Any:
            if i % 2:
                return check_values("the step that is fed 4", result, [4.0]) or differs(
                    "the nodes that run", result["started"], order
                )
            wrong = check_error(
                "the step that is fed a NaN",
                result,
                INVALID_ARGUMENT,
                "guard",
                "guard",
                "it is none",
            )
            return wrong or differs("the nodes that run", result["started"], until)

        steps = [
            {"feeds": [np.float64(v)], "watch": True} for v in (np.nan, 4, np.nan, 4)
        ]
        yield steps_trial("", nodes, request, steps, check_one)


@case("03.8")
def nothing_runs_after_a_failure(draw):
    """The error names the node, and nothing is started after it."""
    yield from _failure_trials(draw, 25)


@case("03.8")
def what_is_not_needed_does_not_fail(draw):
    """A node that would fail and that nobody asks for is not run."""
    nodes = [
        feed("x"),
        const("a", 1),
        check("guard", (0, 0)),
        node("Add", "y", [(0, 0), (1, 0)]),
    ]
    nodes.append(node("Add", "z", [(2, 0), (3, 0)]))
    for threads in (1, 4):
        request = {"feeds": [(0, 0)], "fetches": [(1, 0)]}
        yield run_trial(nodes, request, [[np.nan], [1.0]], threads)
        request = {"feeds": [(2, 0), (0, 0)], "fetches": [(4, 0)]}
        yield run_trial(nodes, request, [[5.0, 2.0]], threads)
    nodes = [feed("x"), node("Add", "y", [(0, 0), (0, 0)])]

    def check_one(_: int, result: dict) -> Mismatch | None:
        return check_error("the step", result, INVALID_ARGUMENT, "x", "x")

    request = {"fetches": [(1, 0)]}
    yield steps_trial(
        "a placeholder that is not fed", nodes, request, [{}, {}], check_one
    )


@case("03.8")
def limits_are_looked_at(draw):
    """After each node while there is a deadline, now and then else."""
    nodes = chain(60)
    request = {"feeds": [(0, 0)], "fetches": [(61, 0)]}
    names = serial_order(nodes, request)

    def check_deadline(_: int, result: dict) -> Mismatch | None:
        wrong = check_error("the step", result, DEADLINE_EXCEEDED, None, "timeout")
        return wrong or differs("the nodes that run", result["started"], names[:4])

    slow = {
        "watch": True,
        "feeds": [np.float64(1)],
        "sleep_ms": {names[3]: 60},
        "deadline_ms": 40,
    }
    yield steps_trial(
        "60 nodes in a row, of which the fourth is slow",
        nodes,
        request,
        [slow],
        check_deadline,
    )
    nodes = chain(1000)
    request = {"feeds": [(0, 0)], "fetches": [(1001, 0)]}

    def check_stop(_: int, result: dict) -> Mismatch | str | None:
        wrong = check_error("the step", result, CANCELLED, None, "interrupted")
        count = len(result["started"])
        late = f"{count} nodes have run before the step ends, expected less than 500"
        return wrong or (late if count >= 500 else None)

    step = {"watch": True, "feeds": [np.float64(1)], "stop_after": 0}
    yield steps_trial(
        "1000 nodes in a row, interrupted", nodes, request, [step], check_stop
    )


@case("03.8", hidden=True)
def more_failures(draw):
    """Failures in larger graphs."""
    yield from _failure_trials(draw, 50)


@case("03.8", hidden=True)
def more_random_runs(draw):
    """Larger graphs with 1 to 8 threads."""
    yield from random_runs(draw, 60, range(1, 9), largest=80)


# ---- 03.9 -----------------------------------------------------------------------------


@case("03.9")
def the_first_failure_counts(draw):
    """What waits is given up, and says so; the step says why."""
    for count in (0, 1, 3):
        for threads in (1, 2, 4):
            nodes = [feed("x"), QUEUE, *(waiting(f"w{i}", 1) for i in range(count))]
            nodes.append(check("guard", (0, 0), control=[1]))
            nodes += [node("Identity", f"b{i}", [(2 + i, 0)]) for i in range(count)]
            targets = [2 + count, *range(3 + count, 3 + 2 * count)]
            request = {"feeds": [(0, 0)], "targets": targets}

            def check_one(_: int, result: dict) -> Mismatch | None:
                return check_error(
                    "the step", result, INVALID_ARGUMENT, "guard", "it is none"
                )

            steps = [{"feeds": [np.float64(np.nan)], "cancel_ms": 4000}] * 3
            title = f"{count} nodes wait for a queue while one fails"
            yield steps_trial(title, nodes, request, steps, check_one, threads)


@case("03.9")
def the_next_step_is_as_new(draw):
    """After a step that failed one that does not gives its values, and so in turn."""
    nodes = [feed("x"), check("guard", (0, 0)), node("Mul", "y", [(0, 0), (0, 0)])]
    nodes += [node("Add", "z", [(1, 0), (2, 0)]), node("NoOp", "end", control=[3])]
    for fetches in ([(3, 0)], [(2, 0), (1, 0), (3, 0), (0, 0)]):
        for threads in (1, 2, 8):
            request = {"feeds": [(0, 0)], "fetches": fetches, "targets": [4]}

            def check_one(
                i: int, result: dict, request: dict = request
            ) -> Mismatch | None:
                if i % 3 == 2:
                    wanted = values_of(nodes, request, [float(i)])
                    return check_values(f"step {i + 1}", result, wanted)
                return check_error(
                    f"step {i + 1}", result, INVALID_ARGUMENT, "guard", "it is none"
                )

            fed = [np.float64(i if i % 3 == 2 else np.nan) for i in range(9)]
            steps = [{"feeds": [value]} for value in fed]
            yield steps_trial("", nodes, request, steps, check_one, threads)


@case("03.9")
def nothing_is_left_behind(draw):
    """However far a step came, it leaves no tensor in use."""
    for at in (0, 1, 5, 19):
        nodes = [feed("x"), check("guard", (0, 0))]
        nodes += [
            node("Neg", f"n{i}", [(0, 0) if i == 0 else (1 + i, 0)]) for i in range(20)
        ]
        nodes[1]["late_control"] = [2 + at]
        nodes.append(node("AddN", "sum", [(n, 0) for n in range(1, 22)]))
        for threads in (1, 3):
            request = {"feeds": [(0, 0)], "fetches": [(22, 0), (10, 0)]}

            def check_one(_: int, result: dict) -> Mismatch | None:
                return check_error(
                    "the step", result, INVALID_ARGUMENT, "guard", "it is none"
                )

            steps = [{"feeds": [np.float64(np.nan)]}] * 4
            yield steps_trial(
                f"a failure after {at + 1} nodes",
                nodes,
                request,
                steps,
                check_one,
                threads,
            )


@case("03.9")
def transfers_are_aborted(draw):
    """Others who send and receive for this step learn why it failed."""
    nodes = [feed("x"), check("guard", (0, 0)), node("Neg", "y", [(1, 0)])]
    request = {"feeds": [(0, 0)], "fetches": [(2, 0)]}

    def check_one(i: int, result: dict) -> Mismatch | None:
        if i == 1:
            wrong = check_values("the step", result, [-2.0])
            return wrong or differs("what a Send gets afterwards", result["sent"], "")
        wrong = check_error("the step", result, INVALID_ARGUMENT, "guard", "it is none")
        return wrong or differs(
            "what a Send gets afterwards", result["sent"], result["message"]
        )

    for threads in (1, 2):
        steps = [
            {"feeds": [np.float64(v)], "transfers": True} for v in (np.nan, 2, np.nan)
        ]
        yield steps_trial(
            "a step with a rendezvous", nodes, request, steps, check_one, threads
        )


@case("03.9", hidden=True, over=[1, 2, 8])
def many_failures(draw, threads):
    """Of many nodes that fail the error names one, with its own text."""
    for count in (2, 5, 20):
        nodes = [feed("x")]
        for i in range(count):
            message = {"message": f"guard {i} is content no more"}
            nodes.append(node("CheckNumerics", f"guard{i}", [(0, 0)], attrs=message))
        nodes.append(node("AddN", "sum", [(1 + i, 0) for i in range(count)]))
        request = {"feeds": [(0, 0)], "fetches": [(count + 1, 0)]}

        def check_one(i: int, result: dict, count: int = count) -> Mismatch | None:
            if i % 2:
                return check_values("the step", result, [2.0 * count])
            number = str(result.get("node", "")).removeprefix("guard")
            return check_error(
                "the step",
                result,
                INVALID_ARGUMENT,
                None,
                f"guard {number} is",
                f"'guard{number}'",
            )

        steps = [{"feeds": [np.float64(v)]} for v in (np.nan, 2) * 10]
        yield steps_trial("", nodes, request, steps, check_one, threads)


@case("03.9", hidden=True)
def waits_in_random_graphs(draw):
    """A failure ends the step, wherever in the graph something waits."""
    for size in range(2, 30, 2):
        nodes, guard = _with_check(draw, size)
        nodes.append(QUEUE)
        queue = len(nodes) - 1
        before = [n for n in range(guard) if guard not in predecessors(nodes, n)]
        nodes.append(waiting("wait", queue, control=draw.shuffled(before)[:1]))
        nodes.append(node("Identity", "after_wait", [(queue + 1, 0)]))
        request = {"feeds": [(0, 0)], "targets": [guard, queue + 2, queue - 1]}

        def check_one(_: int, result: dict) -> Mismatch | None:
            return check_error(
                "the step", result, INVALID_ARGUMENT, "guard", "it is none"
            )

        steps = [{"feeds": [np.float64(np.nan)], "cancel_ms": 4000}] * 2
        yield steps_trial("", nodes, request, steps, check_one, draw.whole(1, 4))
