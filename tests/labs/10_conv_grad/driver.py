"""What cases of lab 10 call: gradients of convolutions, poolings, and their gradients.

Nothing here knows what is expected.
"""

from collections import Counter
from typing import Any

import lab_10_driver
import numpy as np

import minitf as tf
from minitf.eager import context
from minitf.framework import op_def_library

Window = dict[str, Any]


def conv_gradient(
    part: str,
    tier: str,
    window: Window,
    one: np.ndarray,
    dy: np.ndarray,
    threads: int = 1,
    stop_after: int = -1,
) -> np.ndarray:
    """The gradient of the ``input`` or the ``filter`` of a convolution.

    Args:
        part: Which of them.
        tier: What computes it.
        window: The shapes ``x`` and ``w``; of ``rows`` and ``columns`` the stride, the
            dilation and the zeros before and after; and the ``padding``.
        one: The filters, or the images.
        dy: The gradient of the result.
        threads: How many there are.
        stop_after: The work is given up after so many questions; never if negative.
    """
    return _gradient(part, tier, window, one, dy, threads, stop_after)[0]


def conv_gradient_memory(
    part: str, tier: str, window: Window, one: np.ndarray, dy: np.ndarray
) -> dict[str, Any]:
    """As ``conv_gradient``: ``result``, and ``bytes`` that it had when it asked."""
    result, most = _gradient(part, tier, window, one, dy, threads=1, stop_after=-1)
    return {"result": result, "bytes": most}


def _gradient(
    part: str, tier: str, window: Window, one: np.ndarray, dy: np.ndarray, threads: int,
    stop_after: int,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """The gradient, and the most bytes in use."""
    return lab_10_driver.gradient(
        part, tier, window["x"], window["w"], window["rows"], window["columns"],
        window["padding"], one, dy, threads, stop_after,
    )  # fmt: skip


def input_gradients(
    tier: str, window: Window, ones: list[np.ndarray], dy: np.ndarray
) -> list[np.ndarray]:
    """The gradient of the images for each of ``ones``, filters in the same memory."""
    return lab_10_driver.input_gradients(
        tier, window["x"], window["w"], window["rows"], window["columns"],
        window["padding"], ones, dy,
    )  # fmt: skip


def scatter(
    window: Window, x: np.ndarray, patches: np.ndarray, begin: int, end: int
) -> np.ndarray:
    """``x`` after the patches of places ``begin`` to ``end`` have been added to it."""
    return lab_10_driver.scatter(
        window["w"], window["rows"], window["columns"], window["padding"], x, patches,
        begin, end,
    )  # fmt: skip


def _list_of(made: Any) -> list:
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _attrs_of(attrs: dict[str, Any]) -> dict[str, Any]:
    types = {"Targmax"}
    return {k: tf.as_dtype(v) if k in types else v for k, v in attrs.items()}


def run_op(
    op: str, inputs: list[np.ndarray], attrs: dict[str, Any], threads: int = 0
) -> list[np.ndarray]:
    """The outputs of an op: at once, or if ``threads``, in a session with so many."""
    if not threads:
        with context.entered(None):
            tensors = [tf.constant(value) for value in inputs]
            made = op_def_library.call(op, tensors, _attrs_of(attrs))
            return [one.numpy() for one in _list_of(made)]
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1
    )
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        fed = [tf.placeholder(value.dtype, value.shape) for value in inputs]
        made = op_def_library.call(op, fed, _attrs_of(attrs))
        return session.run(_list_of(made), dict(zip(fed, inputs, strict=True)))


def gradients(
    op: str,
    inputs: list[np.ndarray],
    attrs: dict[str, Any],
    dy: np.ndarray,
    role: str = "graph",
    kernel: str = "",
) -> dict[str, Any]:
    """The gradients of an op's first output by all inputs.

    Args:
        op: Which one.
        inputs: Its inputs.
        attrs: Its attributes.
        dy: dL/d(output).
        role: In a ``graph``, in one that knows no shapes (``nothing``), or on a ``tape``.
        kernel: The label of the op's kernel.

    Returns:
        ``gradients``: an array or None for each input. ``ops``: how many nodes of each
        type were added in a graph; ``kernels``: the labels that convolutions among them
        ask for.
    """
    if role == "tape":
        with context.entered(None):
            tensors = [tf.constant(value) for value in inputs]
            with tf.GradientTape() as tape:
                tape.watch([t for t in tensors if t.dtype.is_floating])
                y = _list_of(op_def_library.call(op, tensors, _attrs_of(attrs)))[0]
            found = tape.gradient(y, tensors, output_gradients=tf.constant(dy))
            return {"gradients": [None if g is None else g.numpy() for g in found]}
    graph = tf.Graph()
    with graph.as_default(), tf.Session(graph=graph) as session:
        is_known = role == "graph"
        fed = [
            tf.placeholder(value.dtype, value.shape if is_known else None)
            if value.dtype.kind == "f"
            else tf.constant(value)
            for value in inputs
        ]
        with graph._kernel_label_map({op: kernel} if kernel else {}):
            y = _list_of(op_def_library.call(op, fed, _attrs_of(attrs)))[0]
        before = len(graph.get_operations())
        found = tf.gradients(y, fed, grad_ys=tf.constant(dy))
        added = graph.get_operations()[before:]
        feeds = {
            tensor: value
            for tensor, value in zip(fed, inputs, strict=True)
            if value.dtype.kind == "f"
        }
        there = iter(session.run([g for g in found if g is not None], feeds))
        labels = {
            one.node_def.attr["_kernel"].s.decode()
            if "_kernel" in one.node_def.attr
            else ""
            for one in added
            if "Conv2" in one.type
        }
        return {
            "gradients": [None if g is None else next(there) for g in found],
            "ops": dict(Counter(one.type for one in added)),
            "kernels": sorted(labels),
        }


def train(x: np.ndarray, labels: np.ndarray, weights: list[np.ndarray]) -> list[float]:
    """The losses while a tiny CNN is trained.

    Args:
        x: Images [N,8,8,1].
        labels: A class of three for each.
        weights: Filters [3,3,1,4], a bias [4], filters [3,3,4,8], and [32,3].
    """
    with tf.Graph().as_default(), tf.Session() as session:
        w1, b1, w2, w3 = (tf.Variable(value) for value in weights)
        y = tf.nn.bias_add(tf.nn.conv2d(x, w1, [1, 1, 1, 1], "SAME"), b1)
        y = tf.nn.max_pool(tf.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        y = tf.nn.relu(tf.nn.conv2d(y, w2, [1, 1, 1, 1], "SAME"))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        logits = tf.matmul(tf.reshape(y, [-1, 32]), w3)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        session.run(tf.global_variables_initializer())
        return [float(session.run([loss, step])[0]) for _ in range(60)]
