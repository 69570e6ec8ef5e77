"""Lab 03, task 9: steps that fail."""

from collections.abc import Iterator

import numpy as np
from lab_03_session.graphs import (
    CHECKED,
    QUEUE,
    Node,
    careless,
    check,
    feed,
    graph_with_guard,
    node,
    waiting,
)
from lab_03_session.trials import (
    ABORTED,
    INTERNAL,
    INVALID_ARGUMENT,
    check_error,
    check_values,
    differs,
    predecessors,
    steps_trial,
    values_of,
)

from minitf_lab.judge.case import Mismatch, Trial, case


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
                return check_error("the step", result, INVALID_ARGUMENT, "guard", CHECKED)

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
                    f"step {i + 1}", result, INVALID_ARGUMENT, "guard", CHECKED
                )

            fed = [np.float64(i if i % 3 == 2 else np.nan) for i in range(9)]
            steps = [{"feeds": [value]} for value in fed]
            yield steps_trial("", nodes, request, steps, check_one, threads)


@case("03.9")
def outputs_of_a_failure(draw):
    """What a node gave before it failed is not in use when the step is over."""
    for how in ("fails", "no_second", "wrong_type"):
        nodes, request = careless(how)
        for threads in (1, 3):

            def check_one(i: int, result: dict, how: str = how) -> Mismatch | None:
                code = ABORTED if how == "fails" else INTERNAL
                return check_error(f"step {i + 1}", result, code, "careless")

            steps = [{"feeds": [np.float64(2)]}] * 2
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
                return check_error("the step", result, INVALID_ARGUMENT, "guard", CHECKED)

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
    """Others who send and receive for this step learn why it failed.

    So they do when there are kernels that wait in it, or branches.
    """
    nodes = [feed("x"), check("guard", (0, 0)), node("Neg", "y", [(1, 0)])]
    put = {"Tcomponents": ["float64"]}
    waits = [*nodes, QUEUE, node("QueueEnqueueV2", "put", [(3, 0), (0, 0)], attrs=put)]
    waits.append(waiting("take", 3, control=[4]))
    branch = [*nodes, node("Less", "less", [(0, 0), (0, 0)])]
    branch.append(node("Switch", "switch", [(0, 0), (3, 0)]))
    for graph in (nodes, waits, branch):
        yield from _aborted(graph, list(range(3, len(graph))))


def _aborted(nodes: list[Node], targets: list[int]) -> Iterator[Trial]:
    request = {"feeds": [(0, 0)], "fetches": [(2, 0)], "targets": targets}

    def check_one(i: int, result: dict) -> Mismatch | None:
        if i == 1:
            wrong = check_values("the step", result, [-2.0])
            return wrong or differs("what a Send gets afterwards", result["sent"], "")
        wrong = check_error("the step", result, INVALID_ARGUMENT, "guard", CHECKED)
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


@case("03.9")
def failures_while_it_fails(draw):
    """What is ended may cancel the step in the same thread; the first failure counts."""
    nodes = [feed("x"), node("TestBell", "bell"), check("guard", (0, 0))]
    nodes.append(node("NoOp", "end", control=[1, 2]))
    request = {"feeds": [(0, 0)], "targets": [3]}
    for threads in (1, 3):
        for transfers in (False, True):

            def check_one(i: int, result: dict) -> Mismatch | None:
                what = f"step {i + 1}"
                return check_error(what, result, INVALID_ARGUMENT, "guard", CHECKED)

            step = {"feeds": [np.float64(np.nan)], "rings": True, "transfers": transfers}
            what = "kernel and rendezvous" if transfers else "kernel"
            title = f"a {what} that cancel the step when it has failed"
            yield steps_trial(title, nodes, request, [step] * 3, check_one, threads)


def _alone(nodes: list[Node], request: dict, code: int) -> Trial:
    """A step that fails in one thread."""

    def check_one(i: int, result: dict) -> Mismatch | None:
        return check_error(f"step {i + 1}", result, code, None)

    return steps_trial("", nodes, request, [{"feeds": [np.float64(np.nan)]}], check_one)


@case("03.9")
def nothing_begins_while_it_fails(draw):
    """While what waits is being ended, no other thread begins a node."""
    nodes = [feed("x"), node("TestBell", "bell"), check("guard", (0, 0))]
    nodes += [node("Neg", "a", [(0, 0)]), node("Neg", "b", [(3, 0)])]
    nodes += [node("Neg", "c", [(4, 0)]), node("NoOp", "end", control=[1, 2, 5])]
    request = {"feeds": [(0, 0)], "targets": [6]}
    yield _alone(nodes, request, INVALID_ARGUMENT)
    for transfers in (False, True):

        def check_one(i: int, result: dict) -> Mismatch | str | None:
            what = f"step {i + 1}"
            wrong = check_error(what, result, INVALID_ARGUMENT, "guard", CHECKED)
            if wrong or not result["met"]:
                return wrong
            begun = sorted({"b", "c"} & set(result["started"]))
            return f"{begun[0]} begins after guard has failed" if begun else None

        step = {"feeds": [np.float64(np.nan)], "rings": True, "transfers": transfers}
        step |= {"watch": True, "meet": ["guard", "a"], "until_rings": ["a"]}
        title = "a kernel that takes its time to end when another one has failed"
        steps = [step | {"ring_ms": 30}] * 2
        yield steps_trial(title, nodes, request, steps, check_one, 2)


@case("03.9")
def two_failures_at_once(draw):
    """Of two nodes that fail at the same moment one counts, everywhere."""
    nodes = [feed("x"), node("TestTwin", "a", [(0, 0)]), node("TestTwin", "b", [(0, 0)])]
    nodes.append(node("NoOp", "end", control=[1, 2]))
    request = {"feeds": [(0, 0)], "targets": [3]}
    yield _alone(nodes, request, ABORTED)

    def check_one(i: int, result: dict) -> Mismatch | None:
        what = f"step {i + 1}"
        wrong = check_error(what, result, ABORTED, None, "one of two")
        sent = f"{what}: what a Send gets afterwards"
        return wrong or differs(sent, result["sent"], result["message"])

    steps = [{"feeds": [np.float64(1)], "transfers": True}] * 80
    title = "80 steps of two nodes that fail at once"
    yield steps_trial(title, nodes, request, steps, check_one, 2)


def _branches(count: int) -> list[Node]:
    """A feed x, and conditions, each of which sends x one way or the other."""
    nodes = [feed("x")]
    for i in range(count):
        nodes.append(node("Placeholder", f"p{i}", attrs={"dtype": "bool"}))
        nodes.append(node("Switch", f"s{i}", [(0, 0), (len(nodes) - 1, 0)]))
    return nodes


@case("03.9")
def fetches_in_branches(draw):
    """A fetch in a branch that was not taken fails the step, which leaves nothing."""
    for count in (1, 2, 3):
        nodes = _branches(count)
        switches = [2 * i + 2 for i in range(count)]
        feeds = [(0, 0), *((n - 1, 0) for n in switches)]
        for i in range(6):
            fetches = [(n, draw.whole(0, 1)) for n in draw.some_of(switches, 1)]
            fetches = draw.shuffled([*fetches, *([(0, 0)] if draw.coin() else [])])
            taken = [[draw.coin() for _ in range(count)] for _ in range(8)]

            def check_one(
                i: int, result: dict, taken: list = taken, fetches: list = fetches
            ) -> Mismatch | None:
                dead = [
                    k
                    for k, (n, output) in enumerate(fetches)
                    if n and taken[i][n // 2 - 1] != bool(output)
                ]
                what = f"step {i + 1}"
                if not dead:
                    return check_values(what, result, [float(i)] * len(fetches))
                text = f"Retval[{dead[0]}] does not have value"
                return check_error(what, result, INVALID_ARGUMENT, None, text)

            steps = [
                {"feeds": [np.float64(k), *map(np.bool_, way)]}
                for k, way in enumerate(taken)
            ]
            request = {"feeds": feeds, "fetches": fetches}
            yield steps_trial("", nodes, request, steps, check_one, 1 + i % 3)


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
        nodes, guard = graph_with_guard(draw, size)
        nodes.append(QUEUE)
        queue = len(nodes) - 1
        before = [n for n in range(guard) if guard not in predecessors(nodes, n)]
        nodes.append(waiting("wait", queue, control=draw.shuffled(before)[:1]))
        nodes.append(node("Identity", "after_wait", [(queue + 1, 0)]))
        request = {"feeds": [(0, 0)], "targets": [guard, queue + 2, queue - 1]}

        def check_one(_: int, result: dict) -> Mismatch | None:
            return check_error("the step", result, INVALID_ARGUMENT, "guard", CHECKED)

        steps = [{"feeds": [np.float64(np.nan)], "cancel_ms": 4000}] * 2
        yield steps_trial("", nodes, request, steps, check_one, draw.whole(1, 4))
