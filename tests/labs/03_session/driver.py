"""What cases of lab 03 call: orders, what a step needs, its copy; steps; sessions.

Graphs are lists of nodes as ``tests/labs/graph_script.h`` says; types are written by
name. Nothing here knows what is expected.
"""

from typing import Any

import lab_03_driver

import minitf as tf

Node = dict[str, Any]

TYPES = {"T", "dtype", "component_types", "Tcomponents"}  # attributes that are types


def _type(name: str) -> int:
    return getattr(tf, name).as_datatype_enum


def _node(node: Node) -> Node:
    """A node with numbers in place of the names of types."""
    attrs = dict(node.get("attrs", {}))
    for key, value in attrs.items():
        if key in TYPES:
            is_list = isinstance(value, list)
            attrs[key] = [_type(one) for one in value] if is_list else _type(value)
    return node | {"attrs": attrs}


def _nodes(nodes: list[Node]) -> list[Node]:
    return [_node(node) for node in nodes]


def order(nodes: list[Node], chosen: list[int]) -> list[str]:
    """The names of these nodes in topological order."""
    return lab_03_driver.order(_nodes(nodes), chosen)


def ancestors(
    nodes: list[Node], targets: list[int], fed: list[tuple[int, int]]
) -> list[str]:
    """The names of all that ``targets`` need when outputs are fed."""
    return lab_03_driver.ancestors(_nodes(nodes), targets, fed)


def step(nodes: list[Node], request: dict[str, Any]) -> dict[str, Any]:
    """The copy that a step makes: its nodes with what they take and wait for."""
    return lab_03_driver.step(_nodes(nodes), request)


def drive(
    nodes: list[Node], request: dict[str, Any], is_shared: bool, steps: list
) -> dict[str, Any]:
    """Steps that are driven by hand.

    Returns:
        ``steps``: of each, the nodes that are ready first, then for each move the inputs
        of its node, what it made ready, how many outputs were left, and how many of the
        inputs had elements that were neither fed nor put out, then the result.
        ``bytes``: how many more are in use than before.
    """
    results, num_bytes = lab_03_driver.drive(_nodes(nodes), request, is_shared, steps)
    return {"steps": results, "bytes": num_bytes}


def pass_on_at_once(
    nodes: list[Node], request: dict[str, Any], num_threads: int, times: int
) -> list[tuple[int, int]]:
    """Passes all roots on at once.

    Returns:
        For each step how often something became ready, and how many inputs it lacked.
    """
    return lab_03_driver.pass_on_at_once(_nodes(nodes), request, num_threads, times)


def pass_on_in_turns(
    nodes: list[Node], request: dict[str, Any], first: int
) -> list[tuple[int, int]]:
    """Passes one of two roots on, and in the middle of this the other one.

    Returns:
        The same, for each instruction behind which the other one was passed on.
    """
    return lab_03_driver.pass_on_in_turns(_nodes(nodes), request, first)


def run(
    nodes: list[Node], request: dict[str, Any], num_threads: int, steps: list
) -> dict[str, Any]:
    """Steps that an executor runs.

    Returns:
        ``steps``: of each its values or its error, and which nodes ran. ``bytes``: how
        many more are in use than before.
    """
    results, num_bytes = lab_03_driver.run(_nodes(nodes), request, num_threads, steps)
    return {"steps": results, "bytes": num_bytes}


def run_at_once(
    nodes: list[Node],
    request: dict[str, Any],
    num_threads: int,
    fed: list[list[float]],
    times: int,
) -> list[dict[str, Any]]:
    """Steps of one executor in several threads at once, and again with other executors.

    Returns:
        Of each step its values or its error.
    """
    return lab_03_driver.run_at_once(_nodes(nodes), request, num_threads, fed, times)


def limits(options: dict[str, Any]) -> dict[str, Any]:
    """What the limits of a step say, and for how many ms a thread may sleep."""
    return lab_03_driver.limits(options)


def session(nodes: list[Node], actions: list[dict[str, Any]]) -> list[tuple]:
    """Runs of one session.

    Returns:
        For each run what came of it, how many executors have been made by then, and how
        many tensors have been freed with the graph locked.
    """
    prepared = [
        action | {"new": _node(action["new"])} if "new" in action else action
        for action in actions
    ]
    return lab_03_driver.session(_nodes(nodes), prepared)
