"""What cases of lab 00 call: ApproximateEqual, at once and in a graph.

Nothing here knows what is expected.
"""

from typing import Any

import numpy as np

import minitf as tf
from minitf.eager import context
from minitf.framework import op_def_library


def at_once(
    x: np.ndarray, y: np.ndarray, dtype: str, attrs: dict[str, Any]
) -> np.ndarray:
    """The op, called eagerly on numbers of the type."""
    with context.entered(None):
        inputs = [tf.cast(tf.constant(array), dtype) for array in (x, y)]
        return op_def_library.call("ApproximateEqual", inputs, attrs).numpy()


def in_a_graph(
    x: np.ndarray, y: np.ndarray, several: list[dict[str, Any]]
) -> list[np.ndarray]:
    """A graph with a node for each of ``several`` settings, all of which are run."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.compat.v1.placeholder(array.dtype, array.shape) for array in (x, y)]
        nodes = [
            op_def_library.call("ApproximateEqual", inputs, attrs) for attrs in several
        ]
        return session.run(nodes, dict(zip(inputs, (x, y), strict=True)))


def in_steps(feeds: list[list[np.ndarray]], attrs: dict[str, Any]) -> list[np.ndarray]:
    """A graph with one node, run once for each x and y."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.compat.v1.placeholder(tf.float64, [None]) for _ in range(2)]
        node = op_def_library.call("ApproximateEqual", inputs, attrs)
        return [session.run(node, dict(zip(inputs, one, strict=True))) for one in feeds]
