"""What cases of lab 07 call: a pass over a graph, lives of tensors, memory plans.

A graph is data: ``nodes``, each with its ``name``, ``op``, ``inputs`` (pairs of a node's
name and the number of an output), ``waits`` (names of nodes), ``attrs`` and ``device``;
``feeds`` and ``targets``, names of nodes; ``fetches``, outputs. Nothing here knows what
is expected.
"""

from typing import Any

import lab_07_driver
import numpy as np

import minitf as tf

Net = dict[str, Any]


def run_pass(
    net: Net,
    name: str,
    settings: dict[str, Any],
    feeds: list[np.ndarray] | None = None,
) -> dict[str, Any]:
    """Runs one pass over the graph of a step, until it finds nothing more.

    Args:
        net: The user's graph, and what is asked of it.
        name: Of the pass.
        settings: ``max_constant_bytes``; ``gpus``, names of devices on which kernels of
            a GPU run; ``no_cpu`` if there is none to fold constants on; ``once`` if the
            pass is to visit the graph only once.
        feeds: If given, the graph that the pass leaves is run with these.

    Returns:
        The nodes ``before`` and ``after``; ``changes``, how many there were; ``again``,
        how many more if the pass is run again; the names of ``args``, ``retvals`` and
        ``targets``; ``values``, those of the fetches if the graph was run.
    """
    return lab_07_driver.run_pass(net, name, settings, feeds)


def lives(net: Net) -> dict[str, Any]:
    """The lives of the tensors of a step.

    Returns:
        ``nodes`` in the order in which they run; ``tensors``, each a node, the number of
        its output, and a buffer; ``buffers``, each a size, a first and a last use;
        ``num_unknown`` and ``total_bytes``; ``in_place``, for each input of each node
        whether the node may write its output there.
    """
    return lab_07_driver.lives(net)


def plan(buffers: list[tuple[int, int, int]], alignment: int) -> dict[str, Any]:
    """Places for buffers, each a size, a first and a last use.

    Returns:
        ``offsets``, and the ``size`` of it all.
    """
    offsets, size = lab_07_driver.plan([tuple(b) for b in buffers], alignment)
    return {"offsets": offsets, "size": size}


def run_with_plan(
    net: Net, feeds: list[np.ndarray], is_planned: bool, times: int
) -> list[list[np.ndarray]]:
    """What steps of a whole session fetch, one after another, with no pass before them.

    Args:
        net: The user's graph, and what is asked of it.
        feeds: A value for each feed.
        is_planned: Whether the steps run in the memory of a plan, where what is dead is
            overwritten by NaN.
        times: How many steps.
    """
    return lab_07_driver.steps(net, feeds, is_planned, times)


def peak(buffers: list[tuple[int, int, int]], alignment: int) -> int:
    """The most bytes that are alive at one time."""
    return lab_07_driver.peak([tuple(b) for b in buffers], alignment)
