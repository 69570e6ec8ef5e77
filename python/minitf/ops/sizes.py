"""Sizes of axes, as numbers where they are known, and otherwise as scalar tensors.

So a graph is as short as what is known allows, and one function serves both.

Compare: tensorflow/python/ops/special_math_ops.py. Read next: ``special_math_ops.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.step_checks import Assert

_SIZES = (dtypes.int32, dtypes.int64)


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


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape of ``x + y``, from vectors that are the shapes of x and y.

    Args:
        shape_x: int32 or int64 ``[n]``.
        shape_y: of the same type, ``[m]``.

    Returns:
        A vector of ``max(n, m)`` sizes.

    Raises:
        errors.InvalidArgumentError: no tensors of these shapes broadcast.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.broadcast_dynamic_shape([2, 1], [5, 1, 3])).tolist()
    [5, 2, 3]
    """
    with name_scope(None, "BroadcastArgs", [shape_x, shape_y]) as scope:
        x = convert_to_tensor(shape_x, name="s0")
        dtypes.require_allowed("broadcast_dynamic_shape: shape_x", x.dtype, _SIZES)
        y = convert_to_tensor(shape_y, x.dtype, name="s1")
        x.shape.assert_has_rank(1)
        y.shape.assert_has_rank(1)
        lengths = [array_ops.size(item) for item in (x, y)]
        rank = math_ops.maximum(*lengths)
        x, y = (
            array_ops.concat([array_ops.ones([rank - length], x.dtype), item], 0)
            for item, length in zip((x, y), lengths, strict=True)
        )
        is_one = math_ops.equal(x, 1)
        fits = call("LogicalOr", [is_one, math_ops.equal(y, 1)])
        fits = reductions.reduce_all(call("LogicalOr", [fits, math_ops.equal(x, y)]))
        problem = ["broadcast_dynamic_shape: incompatible shapes:", x, "and", y]
        with control_dependencies([Assert(fits, problem, summarize=8)]):
            return array_ops.where(is_one, y, x, name=scope)
