"""Lab 03, task 8: the loop of the executor."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_03_session.graphs import (
    CHECKED,
    careless,
    chain,
    check,
    const,
    diamond,
    feed,
    graph_with_guard,
    node,
)
from lab_03_session.trials import (
    ABORTED,
    CANCELLED,
    DEADLINE_EXCEEDED,
    INTERNAL,
    INVALID_ARGUMENT,
    check_error,
    check_values,
    differs,
    random_runs,
    run_trial,
    serial_order,
    steps_trial,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

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


def _failure_trials(draw: Draw, times: int) -> Iterator[Trial]:
    for i in range(times):
        nodes, guard = graph_with_guard(draw, 2 + i)
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
                "'guard'",
                CHECKED,
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
        "sleep_ms": {names[3]: 110},
        "deadline_ms": 90,
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


@case("03.8")
def limits_after_the_last_node(draw):
    """A deadline that passes while the last node runs has passed for the step."""
    for length in (1, 4):
        nodes = chain(length)
        request = {"feeds": [(0, 0)], "fetches": [(length + 1, 0)]}
        for threads in (1, 2):
            slow = {"feeds": [np.float64(1)], "watch": True, "deadline_ms": 20}
            slow["sleep_ms"] = {f"n{length - 1}": 40}

            def check_one(_: int, result: dict) -> Mismatch | None:
                return check_error("the step", result, DEADLINE_EXCEEDED, None, "timeout")

            title = f"{length} nodes in a row, of which the last is slow"
            yield steps_trial(title, nodes, request, [slow], check_one, threads)


@case("03.8")
def limits_of_small_steps(draw):
    """Nodes are counted on from step to step, so that small steps ask, too."""
    for length in (1, 10, 30):
        nodes = chain(length)
        num_steps = 300 // (length + 1)
        arguments = {
            "nodes": nodes,
            "request": {"feeds": [(0, 0)], "fetches": [(length + 1, 0)]},
            "num_threads": 1,
            "steps": [{"feeds": [np.float64(1)], "stop_after": 0}] * num_steps,
        }

        def check_some(values: list[Any], length: int = length) -> Mismatch | str | None:
            steps = values[0]["steps"]
            if any(one["questions"] for one in steps):
                return None
            return (
                f"{len(steps)} steps of {length + 1} nodes, and should_stop is not asked"
            )

        title = f"{num_steps} steps of {length + 1} nodes, to be interrupted"
        yield Trial(title, [Call("run", arguments)], check_some)


@case("03.8", over=["fails", "fails_inside", "no_second", "nothing", "wrong_type"])
def outputs_are_checked(draw, how):
    """The error of a kernel comes before that of its outputs; both say at which node."""
    code, text = {
        "fails": (ABORTED, "careless"),
        "fails_inside": (ABORTED, "careless"),
        "no_second": (INTERNAL, "output 1 has no value"),
        "nothing": (INTERNAL, "output 0 has no value"),
        "wrong_type": (INTERNAL, "output 1 is"),
    }[how]
    nodes, request = careless(how)
    for threads in (1, 2):

        def check_one(i: int, result: dict) -> Mismatch | None:
            if i % 2 == 0:
                return check_values(f"step {i + 1}", result, [0.0, 0.0])
            what = f"step {i + 1}"
            return check_error(what, result, code, "careless", text, "'careless'")

        steps = [{"feeds": [np.float64(x)]} for x in (0, 2, 0, 2)]
        yield steps_trial("", nodes, request, steps, check_one, threads)


@case("03.8")
def outputs_of_a_helper(draw):
    """What a node gave that fails in another thread is gone when the step is over."""
    nodes = [feed("x"), node("Neg", "beside", [(0, 0)])]
    attrs = {"how": "slow_end"}
    nodes.append(node("TestCareless", "careless", [(0, 0)], attrs=attrs))
    nodes.append(node("NoOp", "end", control=[1, 2]))
    request = {"feeds": [(0, 0)], "targets": [3]}

    def check_one(i: int, result: dict) -> Mismatch | None:
        return check_error(f"step {i + 1}", result, ABORTED, "careless", "careless")

    # The caller keeps the first of the two.
    step = {"feeds": [np.float64(2)], "watch": True, "meet": ["beside", "careless"]}
    title = "a failure, and another node at the same time"
    yield steps_trial(title, nodes, request, [step] * 2, check_one, 2)


@case("03.8", hidden=True)
def more_failures(draw):
    """Failures in larger graphs."""
    yield from _failure_trials(draw, 50)


@case("03.8", hidden=True)
def more_random_runs(draw):
    """Larger graphs with 1 to 8 threads."""
    yield from random_runs(draw, 60, range(1, 9), largest=80)
