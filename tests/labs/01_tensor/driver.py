"""What cases of lab 01 call: views by scripts, shapes that broadcast, plans, reductions.

A script is a list of steps, each a name and numbers: ("slice", [axis, begin, step,
size]), ("reverse", [axis]), ("transpose", order), ("expand", shape), ("reshape", shape).
Nothing here knows what is expected.
"""

from typing import Any

import lab_01_driver
import numpy as np

import minitf as tf
from minitf.eager import context

Steps = list[tuple[str, list[int]]]


def strides(shape: list[int]) -> list[int]:
    """The strides of a tensor of ``shape``."""
    return lab_01_driver.strides(shape)


def expanded_strides(shape: list[int], expanded: list[int], mark: int) -> list[int]:
    """What is written as strides, and two numbers on each side, which were ``mark``."""
    return lab_01_driver.expanded_strides(shape, expanded, mark)


def layout(shape: list[int], steps: Steps) -> Any:
    """Sizes, strides and offset; None if a reshape would have to copy."""
    return lab_01_driver.layout(shape, steps)


def places(shape: list[int], steps: Steps, indices: list[list[int]]) -> list[int]:
    """The place of each of these indices of a view."""
    return [lab_01_driver.place_of(shape, steps, index) for index in indices]


def is_contiguous(shape: list[int], steps: Steps) -> bool:
    """Whether a view is."""
    return lab_01_driver.is_contiguous(shape, steps)


def compact(array: np.ndarray, steps: Steps, memory: str) -> dict[str, Any]:
    """The compact copy of a view of a tensor with these elements.

    Args:
        array: The elements.
        steps: Of the view.
        memory: Where the tensor has them: in its "own", in that of a caller ("borrowed"),
            or in a "part" of a larger tensor.

    Returns:
        ``elements``; whether they are ``shared`` with the tensor; whether the tensor is
        ``free`` of other users in the end; and its elements, ``after``.
    """
    elements, shared, free, after = lab_01_driver.compact(array, steps, memory)
    if array.dtype.hasobject:  # a string alone comes without an array
        elements, after = (np.asarray(value, object) for value in (elements, after))
    return {"elements": elements, "shared": shared, "free": free, "after": after}


def compact_handles(shape: list[int], steps: Steps) -> dict[str, list[int]]:
    """The compact copy of a view of a tensor of handles, of resources 0, 1, 2 and so on.

    Returns:
        The ``numbers`` of its resources; how many handles each resource has while the
        copy is ``alive``, and when both tensors are ``gone``.
    """
    numbers, alive, gone = lab_01_driver.compact_handles(shape, steps)
    return {"numbers": numbers, "alive": alive, "gone": gone}


def write_through(
    shape: list[int], steps: Steps, index: list[int], value: int, others: Steps
) -> dict[str, Any]:
    """Writes an element through one view, and reads all through another one.

    Returns:
        The elements of the ``tensor``, which were 0, 1, 2 and so on, and those of the
        ``other`` view.
    """
    tensor, other = lab_01_driver.write_through(shape, steps, index, value, others)
    return {"tensor": tensor, "other": other}


def broadcast(shapes: list[list[int]]) -> list[int]:
    """What shapes broadcast to, the first with the second, that with the third."""
    return lab_01_driver.broadcast(shapes)


def broadcast_partial(x: list[int] | None, y: list[int] | None) -> list[int] | None:
    """The same for two shapes of which not all is known: -1 is a size, None all of it."""
    return lab_01_driver.broadcast_partial(x, y)


def plan(
    output: list[int], inputs: list[list[int]], begin: int, end: int
) -> dict[str, Any]:
    """A walk over the elements [begin,end) of a result.

    Returns:
        ``places``, those in each input, for every element; ``counts``, how many elements
        each piece of a row has; ``sizes``, those of the axes.
    """
    found, counts, sizes = lab_01_driver.plan(output, inputs, begin, end)
    return {"places": found, "counts": counts, "sizes": sizes}


def reduction_steps(
    shape: list[int], axes: np.ndarray, keep_dims: bool
) -> dict[str, Any]:
    """The plan of a reduction.

    Returns:
        ``output``, ``num_reduced``, the merged ``axes``, the ``steps``, and the axes that
        are ``left`` after each of them.
    """
    output, num_reduced, merged, steps, left = lab_01_driver.reduction_steps(
        shape, axes, keep_dims
    )
    return {
        "output": output, "num_reduced": num_reduced, "axes": merged, "steps": steps,
        "left": left,
    }  # fmt: skip


def reduce(op: str, x: np.ndarray, axes: list[int], keep_dims: bool) -> np.ndarray:
    """``tf.reduce_sum`` and the like."""
    with context.entered(None):
        function = getattr(tf, f"reduce_{op}")
        return function(tf.constant(x), axes, keepdims=keep_dims).numpy()


def add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``x + y``."""
    with context.entered(None):
        return (tf.constant(x) + tf.constant(y)).numpy()
