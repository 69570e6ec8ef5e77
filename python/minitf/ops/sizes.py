"""Sizes of axes, as numbers where they are known, and otherwise as scalar tensors.

So a graph is as short as what is known allows, and one function serves both.

Compare: tensorflow/python/ops/special_math_ops.py. Read next: ``special_math_ops.py``.
"""

from typing import Any

from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops


def sizes_of(x: Tensor) -> list[Any]:
    """The size of each axis: a number where it is known, or else a scalar tensor."""
    known = x.shape.as_list()
    if None not in known:
        return known
    shape = array_ops.shape(x)
    return [shape[i] if size is None else size for i, size in enumerate(known)]


def product(sizes: list[Any]) -> Any:
    """The product of sizes, as a number or a scalar tensor."""
    total = sizes[0]
    for size in sizes[1:]:
        total = total * size
    return total


def reshaped(x: Tensor, sizes: list[Any]) -> Tensor:
    """``x`` in a shape of numbers and scalar tensors."""
    if all(isinstance(size, int) for size in sizes):
        return array_ops.reshape(x, sizes)
    result = array_ops.reshape(x, array_ops.stack(sizes))
    known = [size if isinstance(size, int) else None for size in sizes]
    result.set_shape(TensorShape(known))
    return result
