"""Lab 03, task 7: slots and counts, driven by hand."""

from typing import Any

from lab_03_session.graphs import (
    Node,
    chain,
    const,
    controls_of,
    diamond,
    feed,
    inputs_of,
    node,
    num_outputs,
    random_graph,
)
from lab_03_session.trials import (
    check_values,
    differs,
    graph_text,
    random_request,
    request_text,
    run_set,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw


class Step:
    """One step that is driven in an order by chance, and what each move must show."""

    def __init__(self, draw: Draw, nodes: list[Node], request: dict, length: int = -1):
        self._nodes, self._request = nodes, request
        fed = [tuple(edge) for edge in request.get("feeds", [])]
        self.feeds = [float(draw.whole(100, 999)) for _ in fed]
        self._known = dict(zip(fed, self.feeds, strict=True))
        self._running = run_set(nodes, request)
        self._left = {n: self._count(n, set(fed)) for n in self._running}
        # The first one that is to run comes last.
        self.first = [nodes[n]["name"] for n in self._running[::-1] if not self._left[n]]
        self.moves: list[tuple[str, list[float]]] = []
        self.expected: list[tuple[list[float], list[str]]] = []
        ready = [n for n in self._running if not self._left[n]]
        while ready and len(self.moves) != length:
            n = ready.pop(draw.whole(0, len(ready) - 1))
            ready += self._move(draw, n)
        self.ends = length < 0

    def _count(self, n: int, fed: set) -> int:
        inputs = [edge for edge in inputs_of(self._nodes[n]) if tuple(edge) not in fed]
        return len(inputs) + sum(c in self._running for c in controls_of(self._nodes[n]))

    def _move(self, draw: Draw, n: int) -> list[int]:
        """Node ``n`` gives numbers; what that makes ready."""
        one = self._nodes[n]
        inputs = [self._known[tuple(edge)] for edge in inputs_of(one)]
        outputs = [float(draw.whole(1000, 99999)) for _ in range(num_outputs(one))]
        self.moves.append((one["name"], outputs))
        for i, value in enumerate(outputs):
            self._known.setdefault((n, i), value)
        fresh = []
        for m in self._ends_of_edges(n):
            self._left[m] -= 1
            if self._left[m] == 0:
                fresh.append(m)
        self.expected.append((inputs, [self._nodes[m]["name"] for m in fresh]))
        return fresh

    def _ends_of_edges(self, n: int) -> list[int]:
        """Where the edges of node ``n`` end: by output, and then those without one."""
        fed = {tuple(edge) for edge in self._request.get("feeds", [])}
        found = []
        for place, m in enumerate(self._running):
            for source, output in inputs_of(self._nodes[m]):
                if source == n and (source, output) not in fed:
                    found.append((0, output, place, m))
            if n in controls_of(self._nodes[m]):
                found.append((1, 0, place, m))
        return [m for *_, m in sorted(found)]

    def fault(self, got: list) -> Mismatch | None:
        """What is wrong with the answers to the moves."""
        if wrong := differs("the nodes that are ready first", got[0], self.first):
            return wrong
        for (name, _), (inputs, ready), answer in zip(
            self.moves, self.expected, got[1:], strict=False
        ):
            if wrong := differs(f"the inputs of {name}", answer[0], inputs):
                return wrong
            what = f"what is ready when {name} has run"
            if wrong := differs(what, answer[1], ready):
                return wrong
            if wrong := differs(f"outputs of {name} that PassOn leaves", answer[2], 0):
                return wrong
            what = f"inputs of {name} with elements of their own, not those passed on"
            if wrong := differs(what, answer[3], 0):
                return wrong
        if not self.ends:
            return None
        wanted = [self._known[tuple(e)] for e in self._request.get("fetches", [])]
        return check_values("the step", got[-1], wanted)


def _drive(
    draw: Draw,
    nodes: list[Node],
    request: dict,
    steps: int = 1,
    *,
    is_shared: bool = False,
) -> Trial:
    """Steps after each other, some of which are given up on the way."""
    made = [
        Step(draw, nodes, request, draw.whole(0, 5) if i % 3 == 2 else -1)
        for i in range(steps)
    ]
    arguments = {
        "nodes": nodes,
        "request": request,
        "is_shared": is_shared,
        "steps": [{"feeds": s.feeds, "moves": s.moves, "ends": s.ends} for s in made],
    }

    def check_moves(values: list[Any]) -> Mismatch | None:
        for i, (step, got) in enumerate(zip(made, values[0]["steps"], strict=True)):
            if wrong := step.fault(got):
                return Mismatch(
                    f"step {i + 1}: {wrong.message}",
                    expected=wrong.expected,
                    got=wrong.got,
                )
        return differs("the bytes that are left in use", values[0]["bytes"], 0)

    kind = ", shared" if is_shared else ""
    title = f"{graph_text(nodes)}; {request_text(nodes, request)}{kind}"
    return Trial(
        f"{title}; {steps} steps by hand", [Call("drive", arguments)], check_moves
    )


@case("03.7")
def small_steps(draw):
    """A node is ready when its last edge has come, and finds each input in its slot."""
    graphs = [
        [const("a", 1)],
        [const("a", 1), node("Sub", "b", [(0, 0), (0, 0)])],
        [const("a", 1), const("b", 2), node("Sub", "c", [(1, 0), (0, 0)])],
        [const("a", 1), const("b", 2, control=[0]), const("c", 3, control=[0, 1])],
        [const("a", 1), node("Sub", "b", [(0, 0), (0, 0)], control=[0])],
        [const("a", 1), node("IdentityN", "n", [(0, 0)] * 3),
         node("AddN", "s", [(1, 2), (1, 0), (1, 1), (1, 0)]), const("d", 2, control=[1])],
        [const("a", 1), node("NoOp", "g", control=[0]),
         node("NoOp", "h", control=[1, 0])],
    ]  # fmt: skip
    for nodes in graphs:
        last = len(nodes) - 1
        for shared in (False, True):
            fetches = [
                (n, i) for n in range(len(nodes)) for i in range(num_outputs(nodes[n]))
            ]
            yield _drive(draw, nodes, {"targets": [last]}, is_shared=shared)
            yield _drive(
                draw, nodes, {"fetches": fetches, "targets": [last]}, 4, is_shared=shared
            )


@case("03.7")
def diamonds(draw):
    """One output for many consumers, and many inputs for one."""
    for width in (1, 2, 3, 10, 40):
        nodes = diamond(width)
        request = {"feeds": [(0, 0)], "fetches": [(width + 2, 0), (1, 0), (0, 0)]}
        yield _drive(draw, nodes, request, 3, is_shared=width % 2 == 0)


@case("03.7")
def feeds_in_slots(draw):
    """A feed that nobody takes, that many take, and that is fetched."""
    nodes = [
        feed("x"),
        feed("y"),
        node("Sub", "d", [(1, 0), (0, 0)]),
        const("c", 1, control=[0]),
    ]
    for feeds in ([(0, 0), (1, 0)], [(1, 0), (0, 0)], [(1, 0), (2, 0), (0, 0)]):
        for fetches in (
            [(2, 0)],
            [(0, 0)],
            [(1, 0), (0, 0), (1, 0), (2, 0)],
            [],
            [(3, 0)],
        ):
            yield _drive(draw, nodes, {"feeds": feeds, "fetches": fetches}, 2)


@case("03.7", over=["alone", "shared"])
def random_steps(draw, kind):
    """Random graphs, driven in a random order, one step after the other."""
    for size in range(1, 50):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 3), controls=0.5)
        request = random_request(draw, nodes)
        yield _drive(draw, nodes, request, draw.whole(1, 5), is_shared=kind == "shared")


@case("03.7", over=[(what, i) for what in ("NoOp", "Sub", "Neg") for i in range(2)])
def one_thread_within_the_other(draw, what, first):
    """Wherever a thread is when the other one comes, a node is ready once, with all."""
    nodes = [const("a", 1), const("b", 1)]
    if what == "NoOp":
        nodes = [node("NoOp", "a"), node("NoOp", "b"), node("NoOp", "n", control=[0, 1])]
    elif what == "Sub":
        nodes.append(node("Sub", "n", [(0, 0), (1, 0)]))
    else:
        nodes.append(node("Neg", "n", [(0, 0)], control=[1]))

    def check(values: list[Any]) -> Mismatch | None:
        for ready, missing in values[0]:
            what = "how many of its inputs are missing"
            wrong = differs("how often n is ready", ready, 1)
            if wrong := wrong or differs(what, missing, 0):
                return wrong
        return None

    arguments = {"nodes": nodes, "request": {"targets": [2]}, "first": first}
    other = f"{nodes[1 - first]['name']} in the middle of {nodes[first]['name']}"
    title = f"{graph_text(nodes)}; two threads, one passes on {other}"
    yield Trial(title, [Call("pass_on_in_turns", arguments)], check)


@case("03.7")
def many_threads_at_once(draw):
    """However many threads pass on at once, a node becomes ready once."""
    for threads, count, times in (
        (1, 50, 2),
        (2, 3000, 4),
        (4, 3000, 3),
    ):
        nodes = [const(f"c{i}", 1) for i in range(count)]
        nodes.append(node("NoOp", "last", control=list(range(count))))
        request = {"targets": [count]}
        arguments = {"nodes": nodes, "request": request}
        arguments |= {"num_threads": threads, "times": times}
        title = f"{count} nodes for which one waits, passed on by {threads} threads"

        yield _at_once(title, arguments, 1)


def _at_once(title: str, arguments: dict[str, Any], expected: int) -> Trial:
    def check_counts(values: list[Any]) -> Mismatch | None:
        counts = [count for count, _ in values[0]]
        wanted = [expected] * arguments["times"]
        if wrong := differs("how often something is ready", counts, wanted):
            return wrong
        missing = [number for _, number in values[0]]
        what = "how many inputs are missing when their node is ready"
        return differs(what, missing, [0] * arguments["times"])

    return Trial(title, [Call("pass_on_at_once", arguments)], check_counts)


@case("03.7")
def two_threads_for_one_node(draw):
    """Of two threads that come to a node at the same time one sees the end, and all."""
    for count, times in ((20, 2), (1000, 4), (2000, 4)):
        pairs = []
        for i in range(count):
            first = len(pairs)
            pairs += [const(f"a{i}", 1), const(f"b{i}", 1)]
            pairs.append(node("Sub", f"n{i}", [(first, 0), (first + 1, 0)]))
        fan = [const("a", 1), const("b", 1)]
        fan += [node("NoOp", f"n{i}", control=[0, 1]) for i in range(count)]
        for nodes in (pairs, fan):
            targets = [n for n, one in enumerate(nodes) if one["name"].startswith("n")]
            arguments = {"nodes": nodes, "request": {"targets": targets}}
            arguments |= {"num_threads": 2, "times": times}
            title = f"{count} nodes, each of which waits for two threads"
            yield _at_once(title, arguments, count)


@case("03.7")
def the_last_one_gets_it(draw):
    """Who gives a tensor to its last consumer has no copy any more, whatever follows."""
    for before, behind in ((10, 50), (100, 1000), (500, 2000)):
        nodes = [const("x", 1), const("y", 1)]
        nodes += [node("NoOp", f"b{i}", control=[1]) for i in range(before)]
        # It is made ready by y while x goes on with the nodes that only wait for it.
        nodes.append(node("Neg", "n", [(0, 0)], control=[1]))
        nodes += [node("NoOp", f"a{i}", control=[0]) for i in range(behind)]
        arguments = {"nodes": nodes, "request": {"targets": list(range(2, len(nodes)))}}
        arguments |= {"num_threads": 2, "times": 20}
        title = f"a tensor for one node, and then {behind} nodes that wait"
        yield _at_once(title, arguments, before + 1 + behind)


@case("03.7", hidden=True, over=range(2))
def more_random_steps(draw, _part):
    """Larger graphs with more feeds and more waits."""
    for size in range(10, 90, 3):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 6), controls=1)
        request = random_request(draw, nodes, feeds=8)
        yield _drive(draw, nodes, request, 4, is_shared=draw.coin())


@case("03.7", hidden=True)
def rows_and_fans(draw):
    """Rows, and fans of a thousand."""
    for width in (50, 200):
        request = {"feeds": [(0, 0)], "fetches": [(width + 2, 0)]}
        yield _drive(draw, diamond(width), request, 2, is_shared=True)
    nodes = chain(100, "Sub")
    yield _drive(draw, nodes, {"feeds": [(0, 0)], "fetches": [(101, 0), (20, 0)]}, 2)
