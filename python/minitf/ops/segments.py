"""Reductions over segments that are made of others, and rows gathered before.

Compare: tensorflow/python/ops/math_ops.py. Read next: ``sort_ops.py``.
"""

from typing import Any

from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops, math_ops, reductions, sort_ops
from minitf.ops.op_arguments import ensure_shape
from minitf.ops.step_checks import Assert


def _members(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """How many elements each segment has, at least 1, in a shape that divides sums."""
    ids = array_ops.reshape(segment_ids, [-1])
    ones = array_ops.ones_like(ids)
    ones = math_ops.cast(ones, data.dtype)
    count = call("UnsortedSegmentSum", [ones, ids, num_segments])
    inner = array_ops.ones_like(array_ops.shape(data)[array_ops.rank(segment_ids) :])
    sizes = array_ops.concat([array_ops.reshape(num_segments, [1]), inner], 0)
    return math_ops.maximum(array_ops.reshape(count, sizes), 1)


def _divided(data: Any, segment_ids: Any, num_segments: Any, by_root: bool) -> Tensor:
    data = convert_to_tensor(data, name="data")
    segment_ids = convert_to_tensor(segment_ids, name="segment_ids")
    num_segments = convert_to_tensor(num_segments, name="num_segments")
    total = call("UnsortedSegmentSum", [data, segment_ids, num_segments])
    count = _members(data, segment_ids, math_ops.cast(num_segments, "int32"))
    if by_root:
        count = call("Sqrt", [count])
    return math_ops.truediv(total, count)


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The mean of the rows of each segment, and 0 for a segment without rows.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.unsorted_segment_mean([1.0, 3.0, 5.0], [0, 0, 2], 3)).tolist()
    [2.0, 0.0, 5.0]
    """
    with name_scope(name, "UnsortedSegmentMean", [data, segment_ids]):
        return _divided(data, segment_ids, num_segments, False)


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sum of the rows of each segment, divided by the root of their number."""
    with name_scope(name, "UnsortedSegmentSqrtN", [data, segment_ids]):
        return _divided(data, segment_ids, num_segments, True)


# ---- Of rows that are picked -----------------------------------------------------------


def dense_gradient(rows: Tensor) -> Tensor:
    """``rows``, of whose gradient no slices are left: a Reshape has none."""
    return array_ops.reshape(rows, array_ops.shape(rows))


def sorted_unique(ids: Tensor) -> tuple[Tensor, Tensor]:
    """The ids that there are, in ascending order, and which one each of ``ids`` is."""
    unique, _ = call("Unique", [sort_ops.sort(ids)])
    return unique, sort_ops.searchsorted(unique, ids)


def _of_rows(
    kind: str,
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any,
    name: str | None,
    sparse_gradient: bool,
) -> Tensor:
    usual = f"SparseSegment{kind}" + ("" if num_segments is None else "WithNumSegments")
    with name_scope(name, usual, [data, indices, segment_ids]) as scope:
        data = convert_to_tensor(data, name="data")
        indices = _vector(convert_to_tensor(indices, name="indices"))
        segment_ids = _sorted(convert_to_tensor(segment_ids, name="segment_ids"))
        sizes = _sizes_of_segments(data, indices, segment_ids, num_segments)
        if sparse_gradient:
            unique, indices = sorted_unique(indices)
            data = array_ops.gather(data, unique)
        rows = array_ops.gather(dense_gradient(data), indices)
        if num_segments is None:
            # Segments are sorted: the last id tells how many there are.
            padded = array_ops.concat([[-1], math_ops.cast(segment_ids, "int32")], 0)
            num_segments = padded[-1] + 1
        if kind == "Sum":
            inputs = [rows, segment_ids, num_segments]
            result = call("UnsortedSegmentSum", inputs, None, scope)
        else:
            result = _divided(rows, segment_ids, num_segments, kind == "SqrtN")
            result = array_ops.identity(result, name=scope)
        result.set_shape(sizes)
        return result


def _vector(tensor: Tensor) -> Tensor:
    """``tensor``, whose rank is 1; the step checks a rank that is unknown before."""
    return ensure_shape(tensor, [None]) if tensor.shape.ndims is None else tensor


def _sorted(ids: Tensor) -> Tensor:
    """``ids``, a vector, after a check that they do not decrease, from 0 up."""
    ids = _vector(ids)
    before = array_ops.concat([array_ops.zeros([1], ids.dtype), ids], 0)[:-1]
    is_sorted = reductions.reduce_all(call("LessEqual", [before, ids]))
    data = ["segment ids must be sorted and not negative, but are", ids]
    return with_dependencies([Assert(is_sorted, data, summarize=10)], ids)


def _sizes_of_segments(
    data: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Any
) -> TensorShape:
    """What is known of the result: as many rows of ``data`` as there are segments."""
    indices.shape.with_rank(1).merge_with(segment_ids.shape)
    count = None if num_segments is None else constant_value(num_segments)
    rest = data.shape.with_rank_at_least(1)[1:]
    return TensorShape([None if count is None else int(count)]).concatenate(rest)


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sum of the rows of ``data`` at ``indices``, segment by segment.

    Args:
        data: ``[n, ...]``.
        indices: ``[k]``, which rows.
        segment_ids: ``[k]``, the segment of each; sorted, from 0 up.
        name: of the scope.
        num_segments: one more than the last id if None.
        sparse_gradient: whether the gradient of ``data`` is IndexedSlices of the rows
            that were taken, in ascending order, and not a dense tensor.
    """
    return _of_rows(
        "Sum", data, indices, segment_ids, num_segments, name, sparse_gradient
    )


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """As ``sparse_segment_sum``, divided by the number of rows of the segment."""
    return _of_rows(
        "Mean", data, indices, segment_ids, num_segments, name, sparse_gradient
    )


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """As ``sparse_segment_sum``, divided by the root of the number of rows."""
    return _of_rows(
        "SqrtN", data, indices, segment_ids, num_segments, name, sparse_gradient
    )


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Elements of ``params`` along its last axis, from every batch by its own indices.

    Args:
        params: ``[..., n]``.
        indices: ``[..., k]``, with the same sizes in front.
        name: of the scope.

    Returns:
        ``[..., k]``.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.shape.ndims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return array_ops.gather(params, indices, batch_dims=indices.shape.ndims - 1)
