"""What trials of lab 03 are made of, and what is known of graphs without minitf.

All tensors are double scalars, so ``values_of`` computes a step with plain arithmetic;
orders, needs and counts are found by looking at all nodes again and again, which is slow
and plain.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from lab_03_session.graphs import (
    CHEAP,
    QUEUE,
    Edge,
    Node,
    controls_of,
    inputs_of,
    names_of,
    node,
    num_outputs,
    random_graph,
    waiting,
)

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial
from minitf_lab.judge.draw import Draw

DEADLINE_EXCEEDED, CANCELLED, INVALID_ARGUMENT = 4, 1, 3
ABORTED, INTERNAL, DATA_LOSS = 10, 13, 15

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
    before = {n: predecessors(nodes, n) for n in left}
    order: list[int] = []
    while True:
        waiting = set(left)
        for n in left:
            if waiting.isdisjoint(before[n]):
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
        if one["op"] == "Placeholder":
            return outputs <= fed
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


def serial_order(
    nodes: list[Node], request: dict[str, Any], *, offers: bool = False
) -> list[str]:
    """The order in which one thread runs a step, by names.

    The node that became ready last runs next; of those that one node makes ready, the
    first comes first. A node's edges are those of its first output, then of its second,
    and so on, then those of nodes that only wait; each in the order of the copies.

    Args:
        nodes: The graph.
        request: What is asked for.
        offers: The thread offers to others what it would, but none is free. So it comes
            to that in the end.
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
    ready: list[int] = []
    offered: list[int] = []
    kept: list[int] = []  # the one of `ready` that takes long

    def add(fresh: list[int]) -> None:
        stay = []
        for n in fresh:
            if offers and nodes[n]["op"] not in CHEAP:
                if kept:
                    offered.append(n)
                    continue
                kept.append(n)
            stay.append(n)
        ready.extend(reversed(stay))

    add([n for n in running if pending[n] == 0])
    done = []
    while ready or offered:
        n = ready.pop() if ready else offered.pop(0)
        kept = [other for other in kept if other != n]
        done.append(nodes[n]["name"])
        fresh = []
        for *_, consumer in sorted(edges[n]):
            pending[consumer] -= 1
            if pending[consumer] == 0:
                fresh.append(consumer)
        add(fresh)
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
                f"{what}: the text of its error does not have {word!r} in it",
                expected=f"... {word} ...",
                got=result["message"],
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
            held = f"numbers that are still in use when step {i + 1} is over"
            if wrong := differs(held, result["held"], 0):
                return wrong
            if not result["others_called"]:
                others = "whom else it would have told is not told any more"
                return f"options.cancellation is cancelled after step {i + 1}: {others}"
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
    """Steps of random graphs, from small ones to large ones; most are small.

    A report shows the first graph that fails, and a small graph is easier to read.
    """
    threads = list(threads)
    for i in range(times):
        size = 2 + round(largest * (i / max(1, times - 1)) ** 2)
        nodes = random_graph(draw, size, feeds=draw.whole(0, 2))
        request = random_request(draw, nodes)
        fed = [fed_numbers(draw, request) for _ in range(draw.whole(1, 3))]
        yield run_trial(nodes, request, fed, threads[i % len(threads)])


# ---- Steps that are ended -------------------------------------------------------------

WAIT = [QUEUE, waiting("wait", 0), node("Identity", "y", [(1, 0)])]
RESCUE_MS = 3000  # when a step is ended that should have ended by itself
PATIENCE_MS = 1500  # a busy machine takes its time


def ended_with(
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
