"""100 steps of optimizers, as TensorFlow takes them.

What TensorFlow 2.21 (``compat.v1``) gives is in ``golden_steps.json``: the two variables
after steps 1, 2, 10 and 100. With a Python that has TensorFlow, this writes it:

    python tests/labs/06_training/golden_steps.py
"""

import json
import pathlib
from typing import Any

import numpy as np

GOLDEN = pathlib.Path(__file__).with_name("golden_steps.json")
NUM_STEPS = 100
SHOWN = (1, 2, 10, 100)
OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("GradientDescent", {"learning_rate": 0.05}),
    "momentum": ("Momentum", {"learning_rate": 0.02, "momentum": 0.9}),
    "nesterov": (
        "Momentum",
        {"learning_rate": 0.02, "momentum": 0.9, "use_nesterov": True},
    ),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "rmsprop": ("RMSProp", {"learning_rate": 0.01, "momentum": 0.5}),
    "centered": ("RMSProp", {"learning_rate": 0.01, "decay": 0.8, "centered": True}),
    "adam": ("Adam", {"learning_rate": 0.01}),
}


def starts(dtype: str) -> list[np.ndarray]:
    """The first values of both variables: eighths, which every type has."""
    return [
        (np.arange(6, dtype=dtype).reshape(2, 3) - 2) / 8,
        (5 - np.arange(8, dtype=dtype).reshape(4, 2)) / 8,
    ]


def gradients(step: int, dtype: str) -> list[Any]:
    """The gradients of both variables in a step, from 0.

    That of the second is of some rows, of which one comes twice: values and row numbers.
    """
    numbers = (np.arange(12) * 13 + step * 7) % 19 - 9
    values = (numbers / 8).astype(dtype)
    dense, rest = values[:6].reshape(2, 3), values[6:12].reshape(3, 2)
    rows = np.array([step % 4, (step * 3 + 1) % 4, step % 4], np.int32)
    return [dense, (rest, rows)]


def take(tf: Any, name: str, dtype: str) -> list[list[Any]]:
    """Both variables, at each step of ``SHOWN``."""
    kind, options = OPTIMIZERS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(start, use_resource=True) for start in starts(dtype)]
        dense = tf.placeholder(dtype, [2, 3])
        values = tf.placeholder(dtype, [None, 2])
        rows = tf.placeholder(tf.int32, [None])
        second = tf.IndexedSlices(values, rows, [4, 2])
        optimizer = getattr(tf.train, f"{kind}Optimizer")(**options)
        step = optimizer.apply_gradients(zip([dense, second], variables, strict=True))
        session.run(tf.global_variables_initializer())
        shown = []
        for i in range(NUM_STEPS):
            one, other = gradients(i, dtype)
            session.run(step, {dense: one, values: other[0], rows: other[1]})
            if i + 1 in SHOWN:
                shown.append([v.tolist() for v in session.run(variables)])
    return shown


def write_golden() -> None:
    """Takes all steps with TensorFlow."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    lines = [
        f'"{name} {dtype}": {json.dumps(take(tf, name, dtype))}'
        for name in OPTIMIZERS
        for dtype in ("float32", "float64")
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write_golden()
