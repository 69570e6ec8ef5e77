"""Graphs of lab 03: nodes, and graphs by chance.

A node is a dict as ``tests/labs/graph_script.h`` says.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from minitf_lab.judge.draw import Draw

Node = dict[str, Any]
Edge = tuple[int, int]

NUM_OUTPUTS = {"NoOp": 0, "TestPair": 2, "TestCareless": 2, "Switch": 2}
WORDS = ("a", "b/c", "n-1", "W", "x.y", "layer_1/w", "0", "Add", "z_")
CHECKED = "the guard has seen it"  # what the error of `check` says
CHEAP = {"Const", "Identity", "IdentityN", "NoOp", "Placeholder"}  # not worth a thread


def node(op: str, name: str, inputs: Iterable[Edge] = (), **more: Any) -> Node:
    """A node; ``more`` are its other members."""
    return {"op": op, "name": name, "inputs": list(inputs), **more}


def const(name: str, value: float, **more: Any) -> Node:
    """A constant."""
    return node("Const", name, value=np.float64(value), **more)


def feed(name: str, **more: Any) -> Node:
    """A placeholder."""
    return node("Placeholder", name, attrs={"dtype": "float64"}, **more)


def check(name: str, source: Edge, **more: Any) -> Node:
    """What fails for a NaN."""
    return node("CheckNumerics", name, [source], attrs={"message": CHECKED}, **more)


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


def graph_with_guard(draw: Draw, size: int) -> tuple[list[Node], int]:
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


def careless(how: str) -> tuple[list[Node], dict[str, Any]]:
    """A graph with a node that is right for 0 alone, and what is asked for."""
    nodes = [feed("x"), node("TestCareless", "careless", [(0, 0)], attrs={"how": how})]
    nodes += [node("Neg", "y", [(1, 0)]), node("Neg", "z", [(1, 1)])]
    return nodes, {"feeds": [(0, 0)], "fetches": [(2, 0), (3, 0)]}
