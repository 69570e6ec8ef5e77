"""What trials of lab 03 are made of: graphs, and what is known of them without minitf.

A node is a dict as ``tests/labs/graph_script.h`` says. All tensors are double scalars, so
``values_of`` computes a step with plain arithmetic; orders, needs and counts are found by
looking at all nodes again and again, which is slow and plain.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial
from minitf_lab.judge.draw import Draw

Node = dict[str, Any]
Edge = tuple[int, int]

NUM_OUTPUTS = {"NoOp": 0}
WORDS = ("a", "b/c", "n-1", "W", "x.y", "layer_1/w", "0", "Add", "z_")


# ---- Graphs ---------------------------------------------------------------------------


def node(op: str, name: str, inputs: Iterable[Edge] = (), **more: Any) -> Node:
    """A node; ``more`` are its other members."""
    return {"op": op, "name": name, "inputs": list(inputs), **more}


def const(name: str, value: float, **more: Any) -> Node:
    """A constant."""
    return node("Const", name, value=np.float64(value), **more)


def feed(name: str) -> Node:
    """A placeholder."""
    return node("Placeholder", name, attrs={"dtype": "float64"})


def check(name: str, source: Edge, **more: Any) -> Node:
    """What fails for a NaN."""
    return node("CheckNumerics", name, [source], attrs={"message": "it is none"}, **more)


QUEUE = node("FIFOQueueV2", "queue", attrs={"component_types": ["float64"]})


def waiting(name: str, queue: int, **more: Any) -> Node:
    """What waits for an element of a queue."""
    attrs = {"component_types": ["float64"]}
    return node("QueueDequeueV2", name, [(queue, 0)], attrs=attrs, **more)


def num_outputs(one: Node) -> int:
    """How many outputs a node has."""
    if one["op"] == "IdentityN":
        return len(one["inputs"])
    return NUM_OUTPUTS.get(one["op"], 1)


def inputs_of(one: Node) -> list[Edge]:
    """Its inputs, when the late ones are in."""
    inputs = list(one.get("inputs", []))
    for i, source, output in one.get("late_inputs", []):
        inputs[i] = (source, output)
    return inputs


def controls_of(one: Node) -> list[int]:
    """What it waits for."""
    found = list(dict.fromkeys(one.get("control", [])))
    return found + [n for n in one.get("late_control", []) if n not in found]


def names_of(nodes: list[Node], numbers: Iterable[int]) -> list[str]:
    """Their names."""
    return [nodes[n]["name"] for n in numbers]


def draw_name(draw: Draw, number: int) -> str:
    """A name that no other node has."""
    return f"{draw.one_of(WORDS)}{number}"


def random_graph(
    draw: Draw, size: int, *, feeds: int = 0, controls: float = 0.3
) -> list[Node]:
    """Nodes in any order, some of whose edges go to those before them in the list.

    Args:
        draw: Chance.
        size: How many nodes besides the feeds.
        feeds: How many placeholders stand in front.
        controls: How many control edges there are, about, for each node.
    """
    nodes = [feed(draw_name(draw, n)) for n in range(feeds)]
    nodes.append(const(draw_name(draw, feeds), draw.whole(1, 9)))
    for number in range(feeds + 1, feeds + size):
        op = draw.one_of(
            ("Const", "Add", "Sub", "Sub", "Mul", "AddN", "IdentityN", "Identity", "NoOp")
        )
        name = draw_name(draw, number)
        if op == "Const":
            nodes.append(const(name, draw.whole(-9, 9)))
            continue
        count = {"NoOp": 0, "Identity": 1, "AddN": draw.whole(1, 4)}.get(op, 2)
        count = draw.whole(1, 3) if op == "IdentityN" else count
        nodes.append(node(op, name, [(feeds, 0)] * count))
    ranks = draw.shuffled(range(len(nodes)))  # an edge goes to a node of a higher rank
    ranks[ranks.index(0)], ranks[feeds] = ranks[feeds], 0
    sources = [n for n in range(len(nodes)) if num_outputs(nodes[n])]
    for number, one in enumerate(nodes):
        before = [n for n in sources if ranks[n] < ranks[number]]
        if one["inputs"]:
            chosen = [draw.one_of(before) for _ in one["inputs"]]
            one["late_inputs"] = [
                (i, n, draw.whole(0, num_outputs(nodes[n]) - 1))
                for i, n in enumerate(chosen)
            ]
        others = [n for n in range(len(nodes)) if ranks[n] < ranks[number]]
        if others and number >= feeds and draw.coin(controls):
            one["late_control"] = draw.shuffled(others)[: draw.whole(1, 3)]
    return nodes


def chain(length: int, op: str = "Add") -> list[Node]:
    """A feed, a one, and so many nodes in a row, each of which adds the one."""
    nodes = [feed("x"), const("one", 1)]
    for i in range(length):
        source = (0, 0) if i == 0 else (i + 1, 0)
        inputs = [source] if op == "Identity" else [source, (1, 0)]
        nodes.append(node(op, f"n{i}", inputs))
    return nodes


def diamond(width: int) -> list[Node]:
    """A feed, its square, so many nodes that take both, and their sum."""
    nodes = [feed("x"), node("Mul", "top", [(0, 0), (0, 0)])]
    nodes += [node("Sub", f"m{i}", [(1, 0), (0, 0)]) for i in range(width)]
    nodes.append(node("AddN", "y", [(2 + i, 0) for i in range(width)]))
    return nodes


# ---- What is known of them ------------------------------------------------------------


def predecessors(nodes: list[Node], number: int) -> list[int]:
    """What a node waits for, once for each edge; a loop's way back does not count."""
    one = nodes[number]
    found = []
    for source, _ in inputs_of(one):
        if (nodes[source]["op"], one["op"]) != ("NextIteration", "Merge"):
            found.append(source)
    return found + controls_of(one)


def order_of(nodes: list[Node], chosen: Iterable[int]) -> list[int]:
    """The topological order; what is in or behind a cycle is left out."""
    left = sorted(set(chosen))
    order: list[int] = []
    while True:
        waiting = set(left)
        for n in left:
            if not any(p in waiting for p in predecessors(nodes, n)):
                order.append(n)
                left.remove(n)
                break
        else:
            return order


def ancestors_of(
    nodes: list[Node], targets: Iterable[int], fed: Iterable[Edge]
) -> list[int]:
    """What targets need, in order of number."""
    fed = set(map(tuple, fed))
    found = set(targets)

    def is_free(n: int) -> bool:
        one = nodes[n]
        outputs = {(n, i) for i in range(num_outputs(one))}
        needs = inputs_of(one) or controls_of(one) or one["op"] in STATEFUL
        return not needs and bool(outputs) and outputs <= fed

    while True:
        more = set(found)
        for n in found:
            more |= {
                source for source, i in inputs_of(nodes[n]) if (source, i) not in fed
            }
            more |= {c for c in controls_of(nodes[n]) if not is_free(c)}
        if more == found:
            return sorted(found)
        found = more


STATEFUL = {"CheckNumerics", "FIFOQueueV2", "QueueDequeueV2", "Assert"}


def run_set(nodes: list[Node], request: dict[str, Any]) -> list[int]:
    """The nodes that a step runs, in the order in which their copies are made."""
    fed = set(map(tuple, request.get("feeds", [])))
    needed = list(request.get("targets", []))
    needed += [n for n, i in request.get("fetches", []) if (n, i) not in fed]
    return order_of(nodes, ancestors_of(nodes, needed, fed))


def values_of(
    nodes: list[Node], request: dict[str, Any], fed_values: Iterable[float]
) -> list[float]:
    """What a step gives."""
    known = dict(zip(map(tuple, request.get("feeds", [])), fed_values, strict=True))
    for number in run_set(nodes, request):
        one = nodes[number]
        xs = [known[tuple(edge)] for edge in inputs_of(one)]
        for i, value in enumerate(_outputs(one, xs)):
            known.setdefault((number, i), value)
    return [known[tuple(edge)] for edge in request.get("fetches", [])]


def _outputs(one: Node, xs: list[float]) -> list[float]:
    with np.errstate(all="ignore"):
        return {
            "Const": lambda: [float(one["value"])],
            "Add": lambda: [np.float64(xs[0]) + xs[1]],
            "Sub": lambda: [np.float64(xs[0]) - xs[1]],
            "Neg": lambda: [-np.float64(xs[0])],
            "Mul": lambda: [np.float64(xs[0]) * xs[1]],
            "AddN": lambda: [np.float64(sum(xs))],
            "Identity": lambda: xs,
            "CheckNumerics": lambda: xs,
            "IdentityN": lambda: xs,
            "NoOp": list,
        }[one["op"]]()


def serial_order(nodes: list[Node], request: dict[str, Any]) -> list[str]:
    """The order in which one thread runs a step, by names.

    The node that became ready last runs next; of those that one node makes ready, the
    first comes first. A node's edges are those of its first output, then of its second,
    and so on, then those of nodes that only wait; each in the order of the copies.
    """
    running = run_set(nodes, request)
    fed = set(map(tuple, request.get("feeds", [])))
    place = {n: i for i, n in enumerate(running)}
    edges: dict[int, list] = {n: [] for n in running}
    pending = dict.fromkeys(running, 0)
    for n in running:
        for slot, (source, output) in enumerate(inputs_of(nodes[n])):
            if (source, output) not in fed:
                edges[source].append((output, place[n], slot, n))
                pending[n] += 1
        for source in controls_of(nodes[n]):
            if source in place:
                edges[source].append((1 << 20, place[n], 0, n))
                pending[n] += 1
    ready = [n for n in reversed(running) if pending[n] == 0]
    done = []
    while ready:
        n = ready.pop()
        done.append(nodes[n]["name"])
        fresh = []
        for *_, consumer in sorted(edges[n]):
            pending[consumer] -= 1
            if pending[consumer] == 0:
                fresh.append(consumer)
        ready += reversed(fresh)
    return done


def random_request(
    draw: Draw, nodes: list[Node], *, targets: bool = True, feeds: int = 2
) -> dict[str, Any]:
    """Feeds, all placeholders among them, fetches and targets."""
    edges = [(n, i) for n, one in enumerate(nodes) for i in range(num_outputs(one))]
    fed = [edge for edge in edges if nodes[edge[0]]["op"] == "Placeholder"]
    others = [edge for edge in edges if edge not in fed]
    fed += draw.shuffled(others)[: draw.whole(0, feeds)]
    request: dict[str, Any] = {
        "feeds": draw.shuffled(fed),
        "fetches": [draw.one_of(edges) for _ in range(draw.whole(1, 4))],
    }
    if targets and draw.coin():
        runnable = [n for n, one in enumerate(nodes) if one["op"] != "Placeholder"]
        request["targets"] = [draw.one_of(runnable)]
    return request


def fed_numbers(draw: Draw, request: dict[str, Any]) -> list[float]:
    """A number for each feed."""
    return [float(draw.whole(-20, 20)) + 0.5 for _ in request.get("feeds", [])]


# ---- Trials ---------------------------------------------------------------------------


def graph_text(nodes: list[Node]) -> str:
    """A graph as a report shows it, as far as it is small."""
    lines = []
    for one in nodes[:12]:
        sources = [f"{nodes[n]['name']}:{i}" for n, i in inputs_of(one)]
        sources += [f"^{nodes[n]['name']}" for n in controls_of(one)]
        lines.append(f"{one['name']} = {one['op']}({', '.join(sources)})")
    if len(nodes) > 12:
        lines.append(f"and {len(nodes) - 12} more nodes")
    return "; ".join(lines)


def request_text(nodes: list[Node], request: dict[str, Any]) -> str:
    """What is asked for."""
    parts = []
    for key in ("feeds", "fetches"):
        edges = [f"{nodes[n]['name']}:{i}" for n, i in request.get(key, [])]
        parts.append(f"{key} {', '.join(edges) or 'nothing'}")
    if request.get("targets"):
        parts.append(f"targets {', '.join(names_of(nodes, request['targets']))}")
    return ", ".join(parts)


def differs(what: str, got: Any, expected: Any) -> Mismatch | None:
    """A mismatch unless the two are equal."""
    if isinstance(got, Raised):
        return Mismatch(f"{what}: it raised {got.type}: {got.message}")
    if got == expected:
        return None
    return Mismatch(f"{what}: wrong", expected=str(expected)[:400], got=str(got)[:400])


def value_trial(title: str, function: str, arguments: dict, expected: Any) -> Trial:
    """A call that gives a value; it may not raise."""

    def check_value(values: list[Any]) -> Mismatch | None:
        return differs(function, values[0], expected)

    return Trial(title, [Call(function, arguments)], check_value)


def check_values(what: str, result: dict, expected: list[float]) -> Mismatch | None:
    """What is wrong with the fetches of a step."""
    if "values" not in result:
        return Mismatch(f"{what} failed: {result.get('message')}")
    got = [float(np.asarray(one)) for one in result["values"]]
    return differs(f"{what}: its fetches", got, [float(one) for one in expected])


def check_error(
    what: str, result: dict, code: int, node_name: str | None, *words: str
) -> Mismatch | None:
    """What is wrong with the error of a step."""
    if "code" not in result:
        return Mismatch(f"{what} gave {result.get('values')}, expected an error")
    if wrong := differs(f"{what}: the code of its error", result["code"], code):
        return Mismatch(
            wrong.message + f" ({result['message']})",
            expected=wrong.expected,
            got=wrong.got,
        )
    if node_name is not None and (
        wrong := differs(f"{what}: the node in its error", result["node"], node_name)
    ):
        return wrong
    for word in words:
        if word not in result["message"]:
            return Mismatch(
                f"{what}: its error does not say {word!r}", got=result["message"]
            )
    return differs(f"{what}: the number of its fetches", result["num_fetches"], 0)


def check_runs(
    nodes: list[Node], request: dict[str, Any], result: dict, threads: int
) -> Mismatch | None:
    """What is wrong with the nodes that ran: which, how often, in which order."""
    started = result["started"]
    if threads == 1:
        return differs("the nodes that run", started, serial_order(nodes, request))
    running = run_set(nodes, request)
    if wrong := differs(
        "the nodes that run", sorted(started), sorted(names_of(nodes, running))
    ):
        return wrong
    place = {name: i for i, name in enumerate(started)}
    fed = set(map(tuple, request.get("feeds", [])))
    for n in running:
        taken = [source for source, i in inputs_of(nodes[n]) if (source, i) not in fed]
        for before in taken + controls_of(nodes[n]):
            first, second = nodes[before]["name"], nodes[n]["name"]
            if first in place and place[first] > place[second]:
                return Mismatch(f"{second} runs before {first}, for which it waits")
    return None


def run_trial(
    nodes: list[Node],
    request: dict[str, Any],
    fed: list[list[float]],
    threads: int,
    title: str = "",
    *,
    watch: bool = True,
) -> Trial:
    """Steps of one executor, which must give what arithmetic gives."""
    steps = [{"feeds": [np.float64(f) for f in one], "watch": watch} for one in fed]
    arguments = {
        "nodes": nodes,
        "request": request,
        "num_threads": threads,
        "steps": steps,
    }
    expected = [values_of(nodes, request, one) for one in fed]

    def check_steps(values: list[Any]) -> Mismatch | None:
        (got,) = values
        for i, (result, wanted) in enumerate(zip(got["steps"], expected, strict=True)):
            if wrong := check_values(f"step {i + 1}", result, wanted):
                return wrong
            if watch and (wrong := check_runs(nodes, request, result, threads)):
                return wrong
        return differs("the bytes that the steps leave in use", got["bytes"], 0)

    title = title or f"{graph_text(nodes)}; {request_text(nodes, request)}"
    return Trial(f"{title}; {threads} threads", [Call("run", arguments)], check_steps)


def steps_trial(
    title: str,
    nodes: list[Node],
    request: dict[str, Any],
    steps: list[dict[str, Any]],
    check_one: Callable[[int, dict], Mismatch | str | None],
    threads: int = 1,
) -> Trial:
    """Steps of which ``check_one`` says what is wrong, given a number and a result."""

    def check_all(values: list[Any]) -> Mismatch | str | None:
        (got,) = values
        for i, result in enumerate(got["steps"]):
            if wrong := check_one(i, result):
                return wrong
        if any("QueueDequeue" in one["op"] for one in nodes):
            return None  # a queue has memory of its own
        return differs("the bytes that the steps leave in use", got["bytes"], 0)

    arguments = {
        "nodes": nodes,
        "request": request,
        "num_threads": threads,
        "steps": steps,
    }
    title = title or f"{graph_text(nodes)}; {request_text(nodes, request)}"
    return Trial(f"{title}; {threads} threads", [Call("run", arguments)], check_all)


def random_runs(
    draw: Draw, times: int, threads: Iterable[int], largest: int = 24
) -> Iterator[Trial]:
    """Steps of random graphs, from small ones to large ones."""
    threads = list(threads)
    for i in range(times):
        nodes = random_graph(draw, 2 + i * largest // times, feeds=draw.whole(0, 2))
        request = random_request(draw, nodes)
        fed = [fed_numbers(draw, request) for _ in range(draw.whole(1, 3))]
        yield run_trial(nodes, request, fed, threads[i % len(threads)])
