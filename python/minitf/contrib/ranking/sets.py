"""Sets of classes, one for each example: ids in rows, and which of them count.

The rows of labels may have different lengths, and an id may be there twice. A set is a
tensor of sorted ids ``[...,n]`` and a mask. The mask is true for the first of equal ids,
and false for padding.

Compare: tensorflow/core/kernels/set_kernels.cc. Read next: ``rates.py``.
"""

from typing import Any, NamedTuple

import numpy as np

from minitf.control_flow.control_flow_ops import cond
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions, sort_ops
from minitf.ops.step_checks import Assert

_INTEGERS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8)
# Padding of a row. No class has this id.
_FILL = np.iinfo(np.int64).min


class Rows(NamedTuple):
    """Ids of classes ``[...,n]``, and which of them are there."""

    ids: Tensor
    is_there: Tensor


def rows_of(labels: Any, predictions: Tensor, argument: str = "labels") -> Rows:
    """The labels as int64 rows, of the rank of ``predictions``.

    Args:
        labels: a tensor or a sparse tensor of integers ``[D1,...,DN,n]``; or
            ``[D1,...,DN]``, where n is 1.
        predictions: ``[D1,...,DN,k]``.
        argument: the name of ``labels`` in an error.

    Raises:
        TypeError: the labels are no integers.
        ValueError: the shapes do not fit.
        errors.InvalidArgumentError: the same, in the step.
    """
    is_sparse = isinstance(labels, (SparseTensor, SparseTensorValue))
    if is_sparse:
        indices, shape = (
            math_ops.cast(convert_to_tensor(item), dtypes.int64)
            for item in (labels.indices, labels.dense_shape)
        )
        values = _as_ids(labels.values, argument)
        ones = array_ops.ones_like(values)
        ids, counts = (
            call("ScatterNd", [indices, item, shape]) for item in (values, ones)
        )
        is_there = math_ops.equal(counts, 1)
    else:
        ids = _as_ids(labels, argument)
        is_there = math_ops.equal(ids, ids)
    ids, is_there = (_with_last_axis(x, predictions) for x in (ids, is_there))
    ids = _require_same_rows(ids, predictions)
    return Rows(ids, is_there)


def _as_ids(values: Any, argument: str) -> Tensor:
    values = convert_to_tensor(values, name=argument)
    dtypes.require_allowed(f"{argument}: classes", values.dtype, _INTEGERS)
    return math_ops.cast(values, dtypes.int64)


def _with_last_axis(x: Tensor, predictions: Tensor) -> Tensor:
    """``x``, with an axis of size 1 behind it if it has one axis less."""
    ranks = x.shape.ndims, predictions.shape.ndims
    if None in ranks:
        is_short = math_ops.equal(array_ops.rank(predictions), array_ops.rank(x) + 1)
        return cond(is_short, lambda: array_ops.expand_dims(x, -1), lambda: x)
    if ranks[0] == ranks[1]:
        return x
    if ranks[0] + 1 == ranks[1]:
        return array_ops.expand_dims(x, -1)
    raise ValueError(
        f"Unexpected labels shape {x.shape} for predictions shape {predictions.shape}."
    )


def _require_same_rows(x: Tensor, y: Tensor) -> Tensor:
    """``x``, whose shape without the last axis must be that of ``y``."""
    x.shape[:-1].assert_is_compatible_with(y.shape[:-1])
    if x.shape[:-1].is_fully_defined() and y.shape[:-1].is_fully_defined():
        return x
    sizes = [array_ops.shape(item)[:-1] for item in (x, y)]
    length = math_ops.equal(*(array_ops.size(item) for item in sizes))
    problem = ["the rows of labels and of predictions differ:", *sizes]
    with control_dependencies([Assert(length, problem)]):
        fits = reductions.reduce_all(math_ops.equal(*sizes))
    with control_dependencies([Assert(fits, problem)]):
        return array_ops.identity(x)


def as_sets(rows: Rows, class_id: int | None = None) -> Rows:
    """The sorted ids of each row, without those that are there twice.

    Args:
        rows: ids, and which of them are there.
        class_id: the only class that stays; all classes if None.
    """
    ids = array_ops.where(rows.is_there, rows.ids, array_ops.ones_like(rows.ids) * _FILL)
    ids = sort_ops.sort(ids)
    is_new = call("NotEqual", [ids[..., 1:], ids[..., :-1]])
    is_new = array_ops.concat([call("Equal", [ids[..., :1], ids[..., :1]]), is_new], -1)
    is_new = call("LogicalAnd", [is_new, call("NotEqual", [ids, _FILL])])
    if class_id is not None:
        is_new = call("LogicalAnd", [is_new, math_ops.equal(ids, class_id)])
    return Rows(ids, is_new)


def count(mask: Tensor, axis: Any = -1) -> Tensor:
    """How often a mask is true along ``axis``, as float64."""
    return reductions.reduce_sum(math_ops.cast(mask, dtypes.float64), axis)


def is_in(ids: Tensor, rows: Rows) -> Tensor:
    """Whether each id ``[...,k]`` is in the row ``[...,n]`` beside it."""
    same = math_ops.equal(
        array_ops.expand_dims(ids, -1), array_ops.expand_dims(rows.ids, -2)
    )
    there = array_ops.expand_dims(rows.is_there, -2)
    return reductions.reduce_any(call("LogicalAnd", [same, there]), -1)
