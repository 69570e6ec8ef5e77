"""Sorting, and searching in what is sorted.

Compare: tensorflow/python/ops/sort_ops.py, array_ops.py (searchsorted). Read next:
``clip_ops.py``.
"""

from typing import Any, NamedTuple

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.step_checks import Assert


def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """``values`` in order along ``axis``.

    Args:
        values: numbers.
        axis: the axis along which to sort.
        direction: 'ASCENDING' or 'DESCENDING'.
        name: of the scope.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.sort([3, 1, 2])).tolist()
    [1, 2, 3]
    """
    with name_scope(name, "sort", [values]):
        return _sorted(values, axis, direction, 0)


def argsort(
    values: Any,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Where the elements of the sorted ``values`` come from, as indices along ``axis``.

    Equal elements stay in their order, whether ``stable`` asks for it or not.
    """
    del stable
    with name_scope(name, "argsort", [values]):
        return _sorted(values, axis, direction, 1)


def _sorted(values: Any, axis: Any, direction: str, output: int) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Direction must be either 'ASCENDING' or 'DESCENDING', not {direction!r}"
        )
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is None:
        raise ValueError("axis must be a constant scalar")
    values = convert_to_tensor(values, name="values")
    rank = values.shape.ndims
    if rank == 0:
        raise ValueError("values must have at least one axis, is a scalar")
    axis = int(known)
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for values of rank {rank}")
    if axis == -1 or (rank is not None and axis == rank - 1):
        return _sorted_last(values, direction, output)
    order = _swap_of_axes(values, axis)
    moved = _sorted_last(array_ops.transpose(values, order), direction, output)
    return array_ops.transpose(moved, order)


def _swap_of_axes(x: Tensor, axis: int) -> Any:
    """The order of axes in which ``axis`` and the last one change places."""
    if x.shape.ndims is not None:
        order = list(range(x.shape.ndims))
        order[axis], order[-1] = order[-1], order[axis]
        return order
    rank = array_ops.rank(x)
    is_axis = rank > max(axis, -axis - 1)
    data = [f"axis {axis} is out of range for values of rank", rank]
    rank = with_dependencies([Assert(is_axis, data)], rank)
    place = axis if axis >= 0 else rank + axis
    parts = [
        math_ops.range(0, place),
        array_ops.reshape(rank - 1, [1]),
        math_ops.range(place + 1, math_ops.maximum(rank - 1, place + 1)),
        array_ops.reshape(place, [1]),
    ]
    # An axis that is the last one already must not be there twice.
    return array_ops.concat(parts, 0)[:rank]


def _sorted_last(values: Tensor, direction: str, output: int) -> Tensor:
    """TopKV2 with all elements gives the largest first; the smallest by the opposite."""
    if values.dtype in (dtypes.uint16, dtypes.uint32):
        wide = math_ops.cast(values, dtypes.int64)
        found = _sorted_last(wide, direction, output)
        return found if output == 1 else math_ops.cast(found, values.dtype)
    count = array_ops.shape(values)[-1]
    if direction == "DESCENDING":
        return call("TopKV2", [values, count])[output]
    if not values.dtype.is_integer:
        found = call("TopKV2", [-values, count])
        return -found[0] if output == 0 else found[1]
    # The opposite of an integer may not exist; its distance from the largest one does.
    top = values.dtype.max if values.dtype.is_unsigned else -1
    found = call("TopKV2", [top - values, count])
    return found[1] if output == 1 else top - found[0]


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where ``values`` would go in the sorted rows of the last axis.

    Args:
        sorted_sequence: ``[..., n]``, sorted along the last axis.
        values: ``[..., m]``, with the same sizes in front.
        side: 'left' to go before equal elements, 'right' to go behind them.
        out_type: int32 or int64.
        name: of the node.

    Returns:
        Indices from 0 to n, in the shape of ``values``.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.searchsorted([1, 3, 3, 7], [3, 8])).tolist()
    [1, 4]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    rows = convert_to_tensor(sorted_sequence, name="sorted_sequence")
    values = convert_to_tensor(values, name="values")
    shape = array_ops.shape(values)
    inputs = [_as_matrix(rows), _as_matrix(values)]
    op_type = "LowerBound" if side == "left" else "UpperBound"
    found = call(op_type, inputs, {"out_type": out_type}, name)
    result = array_ops.reshape(found, shape)
    result.set_shape(values.shape)
    return result


def _as_matrix(x: Tensor) -> Tensor:
    """All axes but the last as one."""
    if x.shape.is_fully_defined():
        *front, last = x.shape.as_list()
        return array_ops.reshape(x, [int(np.prod(front)), last])
    sizes = array_ops.shape(x)
    front = reductions.reduce_prod(sizes[:-1])
    return array_ops.reshape(x, array_ops.stack([front, sizes[-1]]))


class _UniqueWithCounts(NamedTuple):
    y: Tensor
    idx: Tensor
    count: Tensor


def unique_with_counts(
    x: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> Any:
    """The distinct elements of a vector, where each element is among them, and how often.

    Args:
        x: a vector.
        out_idx: the type of the indices and counts.
        name: of the scope.

    Returns:
        A namedtuple ``(y, idx, count)``.
    """
    with name_scope(name, "UniqueWithCounts", [x]):
        y, idx = array_ops.unique(x, out_idx)
        ones = array_ops.ones_like(idx)
        count = call("UnsortedSegmentSum", [ones, idx, array_ops.size(y)])
        return _UniqueWithCounts(y, idx, math_ops.cast(count, out_idx))
