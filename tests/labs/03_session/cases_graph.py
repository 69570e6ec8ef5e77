"""Lab 03, tasks 1 to 4: orders, cycles, what a step needs, and its copy."""

import itertools
import re
from typing import Any

from lab_03_session.graphs import (
    Node,
    chain,
    const,
    controls_of,
    feed,
    inputs_of,
    names_of,
    node,
    num_outputs,
    random_graph,
)
from lab_03_session.trials import (
    ancestors_of,
    differs,
    graph_text,
    order_of,
    predecessors,
    random_request,
    request_text,
    run_set,
    value_trial,
)

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case

LONG = 60_000

# ---- 03.1 -----------------------------------------------------------------------------


def _order(nodes: list[Node], chosen: list[int]) -> Trial:
    expected = names_of(nodes, order_of(nodes, chosen))
    title = f"{graph_text(nodes)}; the order of {', '.join(names_of(nodes, chosen))}"
    return value_trial(title, "order", {"nodes": nodes, "chosen": chosen}, expected)


def _loop() -> list[Node]:
    """``while``, as far as its edges go."""
    return [
        const("zero", 0),
        node("Enter", "enter", [(0, 0)], attrs={"frame_name": "loop"}),
        node("Merge", "merge", [(1, 0), (1, 0)], late_inputs=[(1, 4, 0)]),
        node("Sub", "body", [(2, 0), (2, 0)]),
        node("NextIteration", "next", [(3, 0)]),
        node("Exit", "exit", [(2, 0)]),
    ]


@case("03.1")
def small_orders(draw):
    """A node comes after those that it takes and waits for; else the number decides."""
    four = [
        const("a", 1), const("b", 2), node("Add", "c", [(0, 0), (1, 0)]), const("d", 3),
    ]  # fmt: skip
    for chosen in itertools.permutations(range(4)):
        yield _order(four, list(chosen))
    for chosen in ([], [2], [2, 0], [3, 3, 1, 3], [2, 2, 1, 0, 0]):
        yield _order(four, chosen)
    twice = [const("a", 1), node("Sub", "b", [(0, 0), (0, 0)]), const("c", 1)]
    twice.append(node("AddN", "d", [(1, 0), (0, 0), (1, 0)], control=[1]))
    yield _order(twice, [3, 2, 1, 0])
    yield _order(twice, [3, 1])
    late = [const("a", 1, late_control=[2]), const("b", 2), const("c", 3)]
    yield _order(late, [0, 1, 2])
    yield _order(late, [0, 1])
    diamond = [const("x", 1), node("Identity", "l", [(0, 0)], late_control=[2])]
    diamond += [node("Identity", "r", [(0, 0)]), node("Add", "y", [(1, 0), (2, 0)])]
    yield _order(diamond, [0, 1, 2, 3])


@case("03.1", over=range(2))
def random_orders(draw, _part):
    """Random graphs, and parts of them, in which edges go in both directions."""
    for size in range(1, 60):
        nodes = random_graph(draw, size, controls=0.6)
        yield _order(nodes, draw.shuffled(range(len(nodes))))
        yield _order(nodes, draw.shuffled(draw.some_of(range(len(nodes)))))


@case("03.1")
def orders_of_loops(draw):
    """The way back of a loop makes no cycle, and nothing waits for it."""
    nodes = _loop()
    for chosen in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [4, 2], [2, 4, 3]):
        yield _order(nodes, chosen)


@case("03.1")
def what_never_comes(draw):
    """What is in a cycle or behind one never comes; nothing else still waits."""
    for before in range(4):
        for length in (1, 2, 5):
            nodes = _ring(draw, before, length, 2)
            for i in range(draw.whole(1, 4)):  # they come, and have to do with nothing
                nodes.append(node("NoOp", f"free{i}", control=[len(nodes) - 1][:i]))
            nodes = [*nodes, node("NoOp", "end", control=list(range(len(nodes))))]
            yield _cycle(nodes, draw.shuffled(range(len(nodes))))
    tail = [const("x", 1), node("Add", "a", [(0, 0), (0, 0)], late_inputs=[(1, 2, 0)])]
    tail.append(node("Add", "b", [(1, 0), (0, 0)]))
    yield _cycle(tail, [0, 1, 2], "a -> b -> a")


@case("03.1")
def long_orders(draw):
    """Rows of tens of thousands of nodes, and as many that wait for one."""
    names = ["n", *(f"n_{i}" for i in range(1, LONG))]
    nodes = [node("NoOp", "n", repeat=LONG)]
    for chosen in (range(LONG), range(LONG - 1, -1, -1)):
        yield value_trial(
            f"{LONG} nodes in a row",
            "order",
            {"nodes": nodes, "chosen": list(chosen)},
            names,
        )
    wide = [const("x", 1), *(node("Identity", f"i{n}", [(0, 0)]) for n in range(2000))]
    wide.append(node("NoOp", "last", control=list(range(1, 2001))))
    names = names_of(wide, range(len(wide)))
    yield value_trial(
        "2000 nodes between two",
        "order",
        {"nodes": wide, "chosen": list(range(len(wide) - 1, -1, -1))},
        names,
    )


@case("03.1", hidden=True, over=range(2))
def more_random_orders(draw, _part):
    """Larger random graphs."""
    for size in range(20, 110, 3):
        nodes = random_graph(draw, size, controls=draw.one_of([0.1, 0.5, 1]))
        yield _order(nodes, draw.shuffled(range(len(nodes))))
        yield _order(nodes, draw.shuffled(draw.some_of(range(len(nodes)))))


# ---- 03.2 -----------------------------------------------------------------------------

MOST_NAMED = 20


def _cycle_fault(nodes: list[Node], message: str) -> str | None:
    """What is wrong with the cycle that an error names."""
    head, _, text = message.partition("the graph has a cycle: ")
    if head or not text:
        return f"the error is {message!r}, expected 'the graph has a cycle: ...'"
    more = re.search(r"\((\d+) more\) -> ", text)
    names = text.replace(more[0], "").split(" -> ") if more else text.split(" -> ")
    numbers = {one["name"]: i for i, one in enumerate(nodes)}
    if unknown := [name for name in names if name not in numbers]:
        return f"the cycle {text} has {unknown[0]!r}, which is no node"
    cycle = [numbers[name] for name in names]
    if len(cycle) < 2 or cycle[0] != cycle[-1]:
        return f"the cycle {text} does not end where it begins"
    if len(set(cycle)) != len(cycle) - 1:
        return f"the cycle {text} goes through a node twice"
    if cycle[0] != min(cycle):
        return f"the cycle {text} does not begin with the node that was added first"
    pairs = [
        (a, b)
        for i, (a, b) in enumerate(itertools.pairwise(cycle))
        if not (more and i == MOST_NAMED - 1)
    ]
    for a, b in pairs:
        if a not in predecessors(nodes, b):
            there = f"{nodes[b]['name']} does not wait for {nodes[a]['name']}"
            return f"the cycle {text} is none: {there}"
    return None


def _cycle(
    nodes: list[Node], chosen: list[int], text: str = "", title: str = ""
) -> Trial:
    def check(values: list[Any]) -> Mismatch | str | None:
        (got,) = values
        if not isinstance(got, Raised):
            return f"the order is {got}, expected an error"
        if text:
            return differs("the error", got.message, f"the graph has a cycle: {text}")
        return differs("its kind", got.type, "InvalidArgumentError") or _cycle_fault(
            nodes, got.message
        )

    if not title:
        names = ", ".join(names_of(nodes, chosen[:20]))
        title = f"{graph_text(nodes)}; the order of {names}"
    arguments = {"nodes": nodes, "chosen": chosen}
    return Trial(title, [Call("order", arguments, may_raise=True)], check)


def _ring(draw: Any, before: int, length: int, behind: int) -> list[Node]:
    """A ring of nodes, with rows that lead into it and out of it, numbered by chance."""
    count = before + length + behind
    names = draw.shuffled(range(count))
    nodes = [node("NoOp", f"n{i}") for i in range(count)]
    for i in range(1, count):
        nodes[names[i]]["late_control"] = [names[i - 1]]
    ring = [names[before + i] for i in range(length)]
    nodes[ring[0]].setdefault("late_control", []).append(ring[-1])
    return nodes


@case("03.2")
def small_cycles(draw):
    """The only cycle, in the direction of its edges, from the node added first."""
    a, b, c = (const(name, 1) for name in "abc")
    yield _cycle([a | {"late_control": [0]}], [0], "a -> a")
    yield _cycle(
        [a | {"late_control": [1]}, b | {"late_control": [0]}], [0, 1], "a -> b -> a"
    )
    around = [
        a | {"late_control": [1]},
        b | {"late_control": [2]},
        c | {"late_control": [0]},
    ]
    yield _cycle(around, [0, 1, 2], "a -> c -> b -> a")
    around = [
        a | {"late_control": [2]},
        b | {"late_control": [0]},
        c | {"late_control": [1]},
    ]
    yield _cycle(around, [2, 0, 1], "a -> b -> c -> a")
    tail = [const("x", 1), node("Add", "a", [(0, 0), (0, 0)], late_inputs=[(1, 2, 0)])]
    tail += [node("Add", "b", [(1, 0), (0, 0)]), node("Add", "after", [(2, 0), (0, 0)])]
    yield _cycle(tail, [0, 1, 2, 3], "a -> b -> a")
    first = [node("NoOp", "last", late_control=[1]), node("NoOp", "a", late_control=[2])]
    first.append(node("NoOp", "b", late_control=[1]))
    yield _cycle(first, [0, 1, 2], "a -> b -> a")
    loop = _loop()
    loop[2]["late_control"] = [4]
    yield _cycle(loop, list(range(6)), "merge -> body -> next -> merge")


@case("03.2", over=range(2))
def rings(draw, _part):
    """A ring with rows that lead into it and out of it; its numbers go any way."""
    for length in range(1, 12):
        for before, behind in [
            (0, 0),
            (0, 3),
            (3, 0),
            (draw.whole(0, 6), draw.whole(1, 6)),
        ]:
            nodes = _ring(draw, before, length, behind)
            yield _cycle(nodes, draw.shuffled(range(len(nodes))))


@case("03.2")
def long_rings(draw):
    """Of a long cycle the first nodes are named, and how many more there are."""
    for length in (19, 20, 21, 25, 40):
        nodes = [
            node("NoOp", f"n{i}", late_control=[(i - 1) % length]) for i in range(length)
        ]
        named = [f"n{i}" for i in range(min(length, MOST_NAMED))]
        more = [f"({length - MOST_NAMED} more)"] if length > MOST_NAMED else []
        yield _cycle(nodes, list(range(length)), " -> ".join([*named, *more, "n0"]))
    nodes = [node("NoOp", "n", repeat=LONG, late_control=[LONG - 1])]
    named = [
        "n",
        *(f"n_{i}" for i in range(1, MOST_NAMED)),
        f"({LONG - MOST_NAMED} more)",
        "n",
    ]
    text = " -> ".join(named)
    yield _cycle(nodes, list(range(LONG)), text, title=f"a ring of {LONG} nodes")


@case("03.2", hidden=True)
def random_cycles(draw):
    """Random graphs with many cycles; any of them may be named."""
    for size in range(3, 60):
        nodes = random_graph(draw, size, controls=0.5)
        for _ in range(draw.whole(1, 4)):
            one = nodes[draw.whole(0, len(nodes) - 1)]
            more = [draw.whole(0, len(nodes) - 1)]
            one["late_control"] = sorted({*one.get("late_control", []), *more})
        chosen = draw.shuffled(range(len(nodes)))
        if len(order_of(nodes, chosen)) < len(nodes):
            yield _cycle(nodes, chosen)


# ---- 03.3 -----------------------------------------------------------------------------


def _ancestors(
    nodes: list[Node], targets: list[int], fed: list[tuple[int, int]]
) -> Trial:
    expected = names_of(nodes, ancestors_of(nodes, targets, fed))
    feeds = [f"{nodes[n]['name']}:{i}" for n, i in fed]
    title = (
        f"{graph_text(nodes)}; what {', '.join(names_of(nodes, targets))} need when "
        f"{', '.join(feeds) or 'nothing'} is fed"
    )
    arguments = {"nodes": nodes, "targets": targets, "fed": fed}
    return value_trial(title, "ancestors", arguments, expected)


@case("03.3")
def small_needs(draw):
    """Backwards from the targets, and not past an output that is fed."""
    nodes = [
        const("a", 1), const("other", 2), node("IdentityN", "b", [(0, 0), (0, 0)]),
        node("Add", "c", [(2, 0), (2, 1)]), node("Sub", "d", [(3, 0), (2, 0)]),
        node("NoOp", "e", control=[3]), node("Add", "f", [(1, 0), (1, 0)], control=[5]),
    ]  # fmt: skip
    for targets in ([], [0], [3], [4], [6], [4, 0, 4], [6, 1]):
        for fed in ([], [(0, 0)], [(2, 0)], [(2, 1)], [(2, 0), (2, 1)], [(3, 0)]):
            yield _ancestors(nodes, targets, fed)
    yield _ancestors(nodes, [4], [(2, 0), (2, 0), (3, 0)])
    yield _ancestors(nodes, [4], [(4, 0)])
    yield _ancestors(nodes, [6, 4], [(3, 0), (2, 1), (1, 0), (2, 0)])


@case("03.3")
def waiting_for_what_is_fed(draw):
    """Only a node that gives fed outputs, and does nothing else, is not waited for."""
    sources = [
        feed("x"), const("c", 1), node("IdentityN", "n", [(0, 0), (1, 0)]),
        node("FIFOQueueV2", "queue", attrs={"component_types": ["float64"]}),
        node("NoOp", "nothing"), const("waits", 2, control=[1]),
        node("CheckNumerics", "state", [(0, 0)], attrs={"message": ""}),
        feed("later", control=[1]),
    ]  # fmt: skip
    fed = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (5, 0), (6, 0), (7, 0)]
    for n in range(len(sources)):
        nodes = [*sources, const("y", 3, control=[n])]
        yield _ancestors(nodes, [8], [])
        yield _ancestors(nodes, [8], fed)
        for some in ([(2, 0)], [(0, 0)], [(1, 0)], [(max(n, 5), 0)]):
            yield _ancestors(nodes, [8], some)
        yield _ancestors(nodes, [8, n], fed)
    pair = [node("TestPair", "pair"), node("NoOp", "y", control=[0])]
    pair.append(node("Neg", "z", [(0, 1)], control=[0]))
    for fed in ([], [(0, 0)], [(0, 1)], [(0, 0), (0, 1)], [(0, 1), (0, 0)]):
        yield _ancestors(pair, [1], fed)
        yield _ancestors(pair, [2], fed)


@case("03.3", over=range(2))
def random_needs(draw, _part):
    """Random targets and feeds of random graphs."""
    for size in range(1, 60):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 3), controls=0.5)
        edges = [(n, i) for n, one in enumerate(nodes) for i in range(num_outputs(one))]
        for count in (0, 1, 3, len(edges) // 3):
            targets = [draw.whole(0, len(nodes) - 1) for _ in range(draw.whole(1, 3))]
            yield _ancestors(nodes, targets, draw.shuffled(edges)[:count])


@case("03.3")
def needs_of_loops(draw):
    """The way back of a loop is needed like any other input."""
    nodes = _loop()
    for target in range(len(nodes)):
        for fed in ([], [(0, 0)], [(1, 0)], [(2, 0)], [(3, 0)], [(4, 0)]):
            yield _ancestors(nodes, [target], fed)


@case("03.3")
def long_needs(draw):
    """Rows of tens of thousands of nodes, which a recursion has no stack for."""
    names = ["n", *(f"n_{i}" for i in range(1, LONG))]
    for op in ("NoOp", "Identity"):
        row = node(op, "n", [(0, 0)] if op == "Identity" else [], repeat=LONG)
        nodes = [const("c", 1), row] if op == "Identity" else [row]
        expected = ["c", *names] if op == "Identity" else names
        arguments = {"nodes": nodes, "targets": [len(expected) - 1], "fed": []}
        yield value_trial(f"{LONG} nodes {op} in a row", "ancestors", arguments, expected)


@case("03.3", hidden=True, over=range(2))
def more_random_needs(draw, _part):
    """Other random graphs, with many feeds."""
    for size in range(2, 80, 2):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 5), controls=1)
        edges = [(n, i) for n, one in enumerate(nodes) for i in range(num_outputs(one))]
        for count in (0, 2, len(edges) // 2, len(edges)):
            targets = draw.some_of(range(len(nodes)), 1)[:4]
            yield _ancestors(nodes, targets, draw.shuffled(edges)[:count])


# ---- 03.4 -----------------------------------------------------------------------------


def _step_fault(nodes: list[Node], request: dict, got: dict) -> Mismatch | None:
    """What is wrong with a step's copy."""
    feeds, fetches = request.get("feeds", []), request.get("fetches", [])
    copies = {name: (op, inputs, waits) for name, op, inputs, waits in got["nodes"]}
    if wrong := differs("the number of _Args", len(got["args"]), len(feeds)):
        return wrong
    fed = {tuple(edge): got["args"][i] for i, edge in enumerate(feeds)}

    def reach(edge: tuple[int, int]) -> str:
        n, i = edge
        return f"{fed[(n, i)]}:0" if (n, i) in fed else f"{nodes[n]['name']}:{i}"

    running = run_set(nodes, request)
    ends = {"_Arg", "_Retval"}
    kept = [name for name, (op, *_) in copies.items() if op not in ends]
    if wrong := differs("the nodes of the copy", kept, names_of(nodes, running)):
        return wrong
    for n in running:
        name = nodes[n]["name"]
        _, inputs, waits = copies[name]
        wanted = [reach(edge) for edge in inputs_of(nodes[n])]
        if wrong := differs(f"what {name} takes in the copy", inputs, wanted):
            return wrong
        wanted = sorted(
            names_of(nodes, (c for c in controls_of(nodes[n]) if c in running))
        )
        if wrong := differs(f"what {name} waits for in the copy", sorted(waits), wanted):
            return wrong
    taken = [copies[name][1] for name in got["retvals"]]
    wanted = [[reach(tuple(edge))] for edge in fetches]
    if wrong := differs("what the _Retvals take", taken, wanted):
        return wrong
    targets = names_of(nodes, request.get("targets", []))
    return differs("the targets", got["targets"], targets) or differs(
        "the number of nodes of the user's graph", got["num_user_nodes"], len(nodes)
    )


def _step(nodes: list[Node], request: dict) -> Trial:
    def check(values: list[Any]) -> Mismatch | None:
        return _step_fault(nodes, request, values[0])

    title = f"{graph_text(nodes)}; {request_text(nodes, request)}"
    return Trial(title, [Call("step", {"nodes": nodes, "request": request})], check)


@case("03.4")
def small_copies(draw):
    """Feeds come in through _Arg, fetches go out through _Retval; no more is there."""
    nodes = [
        feed("x"), node("Mul", "y", [(0, 0), (0, 0)]), node("Add", "z", [(0, 0), (1, 0)]),
        node("Sub", "w", [(1, 0), (1, 0)]), node("IdentityN", "n", [(1, 0), (2, 0)]),
        node("Sub", "v", [(4, 0), (4, 1)], control=[0, 3]),
    ]  # fmt: skip
    outputs = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (5, 0)]
    for fetches in ([], [(2, 0)], [(0, 0)], [(5, 0)], [(1, 0), (5, 0), (1, 0)]):
        for feeds in ([(0, 0)], [(4, 1), (0, 0)], [(4, 0), (1, 0), (0, 0)], outputs):
            yield _step(nodes, {"feeds": feeds, "fetches": fetches})
            yield _step(nodes, {"feeds": feeds, "fetches": fetches, "targets": [3]})


@case("03.4")
def fed_and_fetched(draw):
    """What is fed and fetched goes straight through; its node runs only as a target."""
    nodes = [const("a", 1), node("Sub", "b", [(0, 0), (0, 0)])]
    nodes.append(node("IdentityN", "n", [(0, 0), (1, 0)]))
    for fetches in ([(1, 0)], [(2, 0)], [(2, 1)], [(2, 0), (2, 1)], [(1, 0), (1, 0)]):
        for feeds in ([(1, 0)], [(2, 0)], [(2, 1)], [(2, 1), (2, 0)], [(1, 0), (2, 0)]):
            yield _step(nodes, {"feeds": feeds, "fetches": fetches})
            yield _step(nodes, {"feeds": feeds, "fetches": fetches, "targets": [2]})


@case("03.4")
def copies_of_loops(draw):
    """The edge back of a loop is set in the end."""
    nodes = _loop()
    for feeds in ([], [(0, 0)], [(1, 0)]):
        yield _step(nodes, {"feeds": feeds, "fetches": [(5, 0)]})


@case("03.4", over=range(2))
def random_copies(draw, _part):
    """Random requests to random graphs."""
    for size in range(1, 40):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 3), controls=0.6)
        for _ in range(3):
            yield _step(nodes, random_request(draw, nodes, feeds=5))


@case("03.4", hidden=True)
def more_random_copies(draw):
    """Other requests, with more feeds."""
    for size in range(2, 60):
        nodes = random_graph(draw, size, feeds=draw.whole(0, 3), controls=1)
        for feeds in (0, 4, 20):
            yield _step(nodes, random_request(draw, nodes, feeds=feeds))


@case("03.4", hidden=True)
def copies_of_rows(draw):
    """A row that is fed in the middle is copied from there on."""
    for length in range(1, 30):
        nodes = chain(length)
        at = draw.whole(2, length + 1)
        yield _step(nodes, {"feeds": [(at, 0)], "fetches": [(length + 1, 0), (at, 0)]})
