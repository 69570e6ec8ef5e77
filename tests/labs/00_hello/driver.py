"""What cases of lab 00 call: ApproximateEqual, at once, in a graph and as a kernel.

Nothing here knows what is expected.
"""

from typing import Any

import lab_00_driver
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


def computed(
    pairs: list[tuple[np.ndarray, np.ndarray]], dtype: str, attrs: list, ones: bool
) -> list[np.ndarray]:
    """One kernel, made with these attributes alone, for each x and y."""
    return lab_00_driver.computed(attrs, pairs, dtype, ones)


def computed_on_parts(
    whole: np.ndarray, dtype: str, attrs: list, shift: int
) -> np.ndarray:
    """X is ``whole`` without its first rows, y without its last ones."""
    return lab_00_driver.computed_on_parts(attrs, whole, dtype, shift)


def computed_at_once(
    pairs: list[tuple[np.ndarray, np.ndarray]], dtype: str, attrs: list, times: int
) -> list[np.ndarray]:
    """How often each element was true, of so many runs in a thread for each x and y."""
    counts = lab_00_driver.computed_at_once(attrs, pairs, dtype, times)
    return [np.array(one, np.int64) for one in counts]
