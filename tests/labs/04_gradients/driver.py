"""What cases of lab 04 call: programs are differentiated, in a graph or on a tape.

Nothing here knows what is expected.
"""

from collections import Counter
from typing import Any

import lab_04_driver
import numpy as np

import minitf as tf
from minitf.eager import context
from minitf.framework import op_def_library

Step = dict[str, Any]


def _run_steps(program: list[Step], values: dict[str, Any]) -> None:
    """Calls the ops of ``program`` and adds their outputs to ``values``."""
    for step in program:
        inputs = [values[name] for name in step["inputs"]]
        attrs = {
            key: tf.as_dtype(value) if key in {"DstT", "T"} else value
            for key, value in step["attrs"].items()
        }
        made = op_def_library.call(step["op"], inputs, attrs)
        outputs = made if isinstance(made, (list, tuple)) else [made]
        values.update(zip(step["outputs"], outputs, strict=True))


def _feedable(value: np.ndarray, known: str) -> tf.Tensor:
    """A tensor of which that much is known while the graph is built."""
    if known == "value":
        return tf.constant(value)
    shape = {
        "shape": value.shape,
        "batch": [None, *value.shape[1:]][: value.ndim],
        "rank": [None] * value.ndim,
        "nothing": None,
    }[known]
    return tf.compat.v1.placeholder(value.dtype, shape)


def in_graph(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    ys: list[str],
    xs: list[str],
    dys: list[np.ndarray | None] | None = None,
    stopped: list[str] | None = None,
    known: dict[str, str] | None = None,
    known_dys: str = "value",
    weights: list[np.ndarray] | None = None,
) -> dict[str, Any]:
    """Differentiates a program in a graph.

    Args:
        program: Its steps.
        inputs: Values that no step makes.
        ys: What is differentiated.
        xs: With respect to what.
        dys: dL/dy for every y; ones if None.
        stopped: Values that count as constants.
        known: How much is known of an input before the graph runs: its ``value`` (as for
            those that are not named), its ``shape``, that but for the first size
            (``batch``), its ``rank`` or ``nothing``.
        known_dys: The same for the dys.
        weights: If given, the gradients are differentiated once more, with these dL/dy.

    Returns:
        ``gradients``: an array or None for each x. ``shapes``: what is known of theirs.
        ``ops``: how many nodes of each type differentiation has added. ``second``: the
        second gradients, if they were asked for.
    """
    graph = tf.Graph()
    with graph.as_default():
        values = {
            name: _feedable(value, (known or {}).get(name, "value"))
            for name, value in inputs.items()
        }
        feeds = {
            values[name]: value
            for name, value in inputs.items()
            if (known or {}).get(name, "value") != "value"
        }
        _run_steps(program, values)
        differentiated = [values[name] for name in xs]
        given = None
        if dys is not None:
            given = [None if dy is None else _feedable(dy, known_dys) for dy in dys]
            if known_dys != "value":
                feeds.update(
                    (g, dy) for g, dy in zip(given, dys, strict=True) if g is not None
                )
        before = len(graph.get_operations())
        gradients = tf.gradients(
            [values[name] for name in ys],
            differentiated,
            grad_ys=given,
            stop_gradients=[values[name] for name in stopped or []],
        )
        added = graph.get_operations()[before:]
        ops = Counter(node.type for node in added)
        result = {"ops": dict(ops)}
        fetches = {"gradients": gradients}
        if weights is not None:
            pairs = [
                (g, w) for g, w in zip(gradients, weights, strict=True) if g is not None
            ]
            fetches["second"] = tf.gradients(
                [g for g, _ in pairs],
                differentiated,
                grad_ys=[tf.constant(w) for _, w in pairs],
            )
        with tf.Session(graph=graph) as session:
            for key, tensors in fetches.items():
                there = [tensor for tensor in tensors if tensor is not None]
                found = iter(session.run(there, feeds))
                result[key] = [None if t is None else next(found) for t in tensors]
    return result


def on_tape(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    ys: list[str],
    xs: list[str],
    dys: list[np.ndarray | None] | None = None,
    weights: list[np.ndarray] | None = None,
) -> dict[str, Any]:
    """The same on an eager tape: what ``in_graph`` calls ``gradients`` and ``second``."""
    with context.entered(None):
        values = {name: tf.constant(value) for name, value in inputs.items()}
        watched = [values[name] for name in xs if name in values]
        with tf.GradientTape() as outer:
            outer.watch(watched)
            with tf.GradientTape() as tape:
                tape.watch(watched)
                _run_steps(program, values)
            differentiated = [values[name] for name in xs]
            gradients = tape.gradient(
                [values[name] for name in ys],
                differentiated,
                output_gradients=None if dys is None else [tf.constant(d) for d in dys],
            )
        result = {"gradients": [None if g is None else g.numpy() for g in gradients]}
        if weights is not None:
            pairs = [
                (g, w) for g, w in zip(gradients, weights, strict=True) if g is not None
            ]
            second = outer.gradient(
                [g for g, _ in pairs],
                differentiated,
                output_gradients=[tf.constant(w) for _, w in pairs],
            )
            result["second"] = [None if g is None else g.numpy() for g in second]
        return result


def of_rows(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    y: str,
    xs: list[str],
    rows: list[int],
    weights: np.ndarray,
) -> dict[str, Any]:
    """The gradients of the sum of some rows of ``y``, each times ``weights``.

    Returns:
        ``gradients``: all of each. ``are_slices``: whether it came in slices.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        values = {name: tf.constant(value) for name, value in inputs.items()}
        _run_steps(program, values)
        found = tf.gradients(
            tf.gather(values[y], rows),
            [values[name] for name in xs],
            grad_ys=tf.constant(weights),
        )
        return {
            "gradients": session.run([tf.convert_to_tensor(one) for one in found]),
            "are_slices": [isinstance(one, tf.IndexedSlices) for one in found],
        }


def of_lookups(x: np.ndarray, rows: list[list[int]], num_dense: int) -> dict[str, Any]:
    """The gradient of the sum of some rows of ``x``, plus so many times the sum of all.

    Returns:
        ``dense``: all of it. ``num_rows``: how many slices it came in; None if in none.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.constant(x)
        total = tf.add_n(
            [tf.reduce_sum(tf.gather(value, indices)) for indices in rows]
            + [tf.reduce_sum(value) for _ in range(num_dense)]
        )
        (gradient,) = tf.gradients(total, value)
        is_sliced = isinstance(gradient, tf.IndexedSlices)
        found = session.run([tf.convert_to_tensor(gradient)])
        num_rows = len(session.run(gradient.indices)) if is_sliced else None
        return {"dense": found[0], "num_rows": num_rows}


def of_loop(x: np.ndarray, turns: int) -> list[np.ndarray]:
    """The gradient of ``x`` multiplied by itself so many times in a loop."""
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.constant(x)
        _, power = tf.while_loop(
            lambda i, _: i < turns, lambda i, p: (i + 1, p * value), (0, value)
        )
        return session.run(tf.gradients(power, value))


def of_a_call(
    op: str, inputs: list[np.ndarray], attrs: dict[str, Any], dy: np.ndarray
) -> list[np.ndarray | None]:
    """What the gradient function of ``op`` itself returns, without a sweep."""
    return lab_04_driver.registered_gradient(op, inputs, attrs, dy)


def sweep_over(
    types: list[str], calls: list[dict[str, Any]], request: dict[str, list[int]]
) -> dict[str, Any]:
    """Goes back through calls that compute nothing, as ``scribe.h`` says."""
    return lab_04_driver.sweep_over(types, calls, request)


def error_of(op: str) -> str:
    """The text of the error if a call of ``op`` is differentiated."""
    with tf.Graph().as_default():
        x = tf.constant(np.array([3.0, 1.0]))
        y = op_def_library.call(op, [x])
        y = y[0] if isinstance(y, (list, tuple)) else y
        try:
            tf.gradients(y, x)
        except (LookupError, tf.errors.OpError) as error:
            return str(error)
    return ""
