"""What cases of lab 06 call to apply gradients; and what all calls need.

Nothing here knows what is expected.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import minitf as tf
from minitf.eager import context

Gradient = Any  # an array, a pair of values and indices, or None


@contextmanager
def mode_of(mode: str) -> Iterator[tf.Graph | None]:
    """A graph of its own, or eager mode."""
    if mode == "eager":
        with context.entered(None):
            yield None
    else:
        graph = tf.Graph()
        with graph.as_default():
            yield graph


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if isinstance(error, NotImplementedError) and "not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


# ---- Optimizers -----------------------------------------------------------------------

SETTINGS = ("learning_rate", "momentum", "decay", "beta1", "beta2", "epsilon")


def optimizer_of(kind: str, options: dict[str, Any], as_what: str = "number") -> Any:
    """An optimizer whose settings are numbers, functions, variables or tensors.

    A ``tensor`` or a ``variable`` has the type of the number, a ``double`` is of
    float64, and a ``whole`` of int32; ``numpy`` is a number of NumPy, of float64.
    Settings that are ``turned`` are numbers, and the class lists them, and its slots,
    from the last to the first.
    """

    def form(name: str, value: Any) -> Any:
        if name not in SETTINGS or as_what in ("number", "turned"):
            return value
        if as_what == "function":
            return lambda: value
        if as_what == "variable":
            return tf.Variable(value, trainable=False, name=name)
        if as_what == "whole":
            return tf.constant(int(value))
        if as_what == "numpy":
            return np.float64(value)
        return tf.constant(value, "float64" if as_what == "double" else None)

    given = {name: form(name, value) for name, value in options.items()}
    optimizer = getattr(tf.train, f"{kind}Optimizer")
    return (_turned(optimizer) if as_what == "turned" else optimizer)(**given)


def _turned(optimizer: type) -> type:
    """The class, with its settings and slots in the other order."""
    listed = ("_SETTINGS", "_SLOTS")
    turned = {
        name: dict(reversed(list(getattr(optimizer, name).items()))) for name in listed
    }
    return type(f"Turned{optimizer.__name__}", (optimizer,), turned)


def as_slices(gradient: Gradient, shape: Any) -> Any:
    """A gradient as a tensor or IndexedSlices of that shape, or None."""
    if not isinstance(gradient, tuple):
        return None if gradient is None else tf.constant(gradient)
    values, indices = (tf.constant(part) for part in gradient)
    return tf.IndexedSlices(values, indices, tf.constant(shape, "int64"))


def _placeholders(gradient: Gradient) -> Any:
    if gradient is None:
        return None
    if not isinstance(gradient, tuple):
        return tf.placeholder(gradient.dtype, gradient.shape)
    values, indices = gradient
    return tf.IndexedSlices(
        tf.placeholder(values.dtype, [None, *values.shape[1:]]),
        tf.placeholder(indices.dtype, [None]),
    )


def _feeds(placeholder: Any, gradient: Gradient) -> dict[Any, np.ndarray]:
    if gradient is None:
        return {}
    if not isinstance(gradient, tuple):
        return {placeholder: gradient}
    return {placeholder.values: gradient[0], placeholder.indices: gradient[1]}


def train(
    kind: str,
    options: dict[str, Any],
    starts: list[np.ndarray],
    steps: list[list[Gradient]],
    mode: str = "graph",
    as_what: str = "number",
) -> dict[str, Any]:
    """Takes steps with the gradients given, with settings as ``optimizer_of`` has them.

    Returns:
        ``values`` after the last step and at some before; the count of steps; the names
        of ``slots``, and of all ``variables`` of the optimizer.
    """
    values = []
    shown = [i for i in range(len(steps)) if i in (0, 1, 9) or i == len(steps) - 1]
    with mode_of(mode):
        variables = [tf.Variable(start, name=f"w{i}") for i, start in enumerate(starts)]
        count = tf.Variable(0, name="count", trainable=False)
        optimizer = optimizer_of(kind, options, as_what)
        if mode == "eager":
            for i, gradients in enumerate(steps):
                pairs = [
                    (as_slices(gradient, start.shape), variable)
                    for gradient, variable, start in zip(
                        gradients, variables, starts, strict=True
                    )
                ]
                optimizer.apply_gradients(pairs, global_step=count)
                if i in shown:
                    values.append([v.numpy() for v in variables])
            num_steps = int(count.numpy())
        else:
            places = [_placeholders(gradient) for gradient in steps[0]]
            step = optimizer.apply_gradients(
                list(zip(places, variables, strict=True)), global_step=count
            )
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for i, gradients in enumerate(steps):
                    feeds: dict[Any, np.ndarray] = {}
                    for place, gradient in zip(places, gradients, strict=True):
                        feeds |= _feeds(place, gradient)
                    session.run(step, feeds)
                    if i in shown:
                        values.append(session.run(variables))
                num_steps = int(session.run(count))
        return {
            "values": values,
            "steps": num_steps,
            "slots": optimizer.get_slot_names(),
            "slots_of_w0": {
                name: getattr(optimizer.get_slot(variables[0], name), "name", None)
                for name in optimizer.get_slot_names()
            },
            "variables": [v.name for v in optimizer.variables()],
        }


def two_graphs(kind: str, options: dict[str, Any], num_steps: list[int]) -> list[Any]:
    """One optimizer, used in several graphs; for each, how far w came from 1."""
    optimizer = optimizer_of(kind, options, "number")
    values = []
    for count in num_steps:
        with tf.Graph().as_default(), tf.Session() as session:
            variable = tf.Variable(np.ones([2]), name="w")
            step = optimizer.apply_gradients(
                [(tf.constant([1.0, -2.0], "float64"), variable)]
            )
            session.run(tf.global_variables_initializer())
            for _ in range(count):
                session.run(step)
            values.append(session.run(variable))
    return values
