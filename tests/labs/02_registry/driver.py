"""What cases of lab 02 call: parsers, a table of names, kernels, rules of shapes.

A shape is a list of sizes, -1 for one that is not known, or None if its rank is not.
Nothing here knows what is expected.
"""

from typing import Any

import lab_02_driver
import numpy as np

import minitf as tf
from minitf.eager import context
from minitf.framework import op_def_library

Sizes = list[int] | None
UNKNOWN = -1


def _tried(function: Any, *arguments: Any) -> Any:
    """The value of a call, or ``{"error": type, "message": text}``."""
    try:
        return function(*arguments)
    except (tf.errors.OpError, ValueError, TypeError) as error:
        return {"error": type(error).__name__, "message": str(error)}


# ---- Texts ----------------------------------------------------------------------------


def scan(text: str, steps: list[list[str]]) -> list:
    """The values of steps such as ["word"], ["consume", ","], ["list", "[", "]", ...]."""
    return lab_02_driver.scan(text, steps)


def value(kind: str, text: str) -> tuple:
    """The kind of a value that was read, and the value."""
    return lab_02_driver.parsed_value(kind, text)


def attr(spec: str) -> dict[str, Any]:
    """What an attribute of REGISTER_OP means."""
    return lab_02_driver.parsed_attr(spec)


def op(name: str, calls: list[tuple[str, str]]) -> dict[str, Any]:
    """The definition that calls such as ("input", "x: T") and ("shape_fn", "") make."""
    return lab_02_driver.built_op(name, calls)


# ---- Tables ---------------------------------------------------------------------------


def table(kind: str, script: list[list]) -> list:
    """Calls of a table of numbers: what each gives, and how many numbers are alive."""
    made = lab_02_driver.Table(kind)
    values = [_tried(getattr(made, name), *arguments) for name, *arguments in script]
    return [*values, made.num_alive()]


def table_from_threads(num_threads: int, keys: list[str]) -> tuple:
    """How often each key could be added, and whether every thread found it then."""
    made = lab_02_driver.Table("op")
    added, all_found = made.add_from_threads(num_threads, keys)
    return added, all_found, made.keys()


def get_ends(num_turns: int) -> bool:
    """Whether calls of Get end while another thread comes between them so often."""
    return lab_02_driver.get_ends_while_others_write(num_turns)


def get_waits(key: str) -> bool:
    """Whether a call of Get waits until the lock of a table is free."""
    return lab_02_driver.get_waits_for_lock(key)


def nearest(name: str, candidates: list[str]) -> list[str]:
    """The nearest name, and the words that an error says of it."""
    return [
        lab_02_driver.nearest_name(name, candidates),
        lab_02_driver.did_you_mean(name, candidates),
    ]


def find_op(name: str) -> str:
    """The name of the op of that name."""
    return lab_02_driver.find_op(name)


def kernels(op: str, registered: list[list], calls: list[list]) -> list:
    """Registers kernels and looks some up.

    Args:
        op: Of which op; no other call may name it.
        registered: Device, types, label and priority of each.
        calls: Device, types, label (or None), and attributes that are no types: a
            number, a text, or a list of types.
    """
    added = [_tried(lab_02_driver.register_kernel, op, *one) for one in registered]
    return [added, [_tried(lab_02_driver.found_kernel, op, *one) for one in calls]]


# ---- PowerDifference ------------------------------------------------------------------


def power_def() -> dict[str, Any]:
    """The definition."""
    return lab_02_driver.power_difference_def()


def power_shape(shapes: list[Sizes]) -> Sizes:
    """What its shape function says of x, y and pow."""
    return lab_02_driver.power_difference_shape(shapes)


def power(
    x: np.ndarray, y: np.ndarray, pow: np.ndarray, place: str = "eager"
) -> dict[str, Any]:
    """Runs the op as it is defined.

    Args:
        x: The first input.
        y: The second.
        pow: The third.
        place: ``eager``, ``graph``, or ``unknown``: in a graph that knows no shapes.

    Returns:
        Its ``value``, and the ``shape`` that was known before it ran.
    """
    lab_02_driver.redefine_power_difference()
    arrays = [x, y, pow]
    if place == "eager":
        with context.entered(None):
            inputs = [tf.constant(array) for array in arrays]
            found = op_def_library.call("PowerDifference", inputs).numpy()
            return {"value": found, "inputs": [one.numpy() for one in inputs]}
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [
            tf.compat.v1.placeholder(a.dtype, a.shape if place == "graph" else None)
            for a in arrays
        ]
        z = op_def_library.call("PowerDifference", inputs)
        found = session.run(z, dict(zip(inputs, arrays, strict=True)))
        return {"value": found, "shape": _sizes(z.shape), "inputs": arrays}


# ---- Shapes ---------------------------------------------------------------------------


def merged(x: Sizes, y: Sizes) -> dict[str, Any]:
    """Whether two shapes are compatible, and what they know together."""
    is_compatible = lab_02_driver.is_compatible(x, y)
    shape = _tried(lab_02_driver.merged, x, y)
    return {"compatible": is_compatible, "merged": shape}


def _sizes(shape: tf.TensorShape) -> Sizes:
    """A shape as a list."""
    if shape.rank is None:
        return None
    return [UNKNOWN if size is None else size for size in shape.as_list()]


def matmul(a: Sizes, b: Sizes, transpose_a: bool, transpose_b: bool) -> Sizes:
    """The shape of a product."""
    return lab_02_driver.matmul_sizes(a, b, transpose_a, transpose_b)


def batch_matmul(x: Sizes, y: Sizes, adj_x: bool, adj_y: bool, broadcasts: bool) -> Sizes:
    """The shape of many products."""
    return lab_02_driver.batch_matmul_sizes(x, y, adj_x, adj_y, broadcasts)


def concat(xs: list[Sizes], axis: int) -> Sizes:
    """The shape of what is joined along an axis."""
    return lab_02_driver.joined_sizes(xs, axis, False)


def pack(xs: list[Sizes], axis: int) -> Sizes:
    """The shape of what is joined along a new axis."""
    return lab_02_driver.joined_sizes(xs, axis, True)


def reshape(x: Sizes, sizes: list[int]) -> Sizes:
    """The shape after a reshape."""
    return lab_02_driver.reshaped_sizes(x, sizes)


def windows(rows: list[list]) -> list:
    """For each size, taps, padding, stride, dilation, zeros: places, zeros around."""
    return [_tried(lab_02_driver.window, *row) for row in rows]


def convolution(
    x: Sizes,
    w: Sizes,
    format: str,
    padding: str,
    strides: list[int],
    dilations: list[int],
    zeros: list[int],
) -> dict[str, Any]:
    """The ``output``, the ``images`` [n,h,w,c], the ``zeros`` and the ``groups``."""
    return lab_02_driver.convolution(x, w, format, padding, strides, dilations, zeros)
