"""Moments, of numbers that weigh the same or not, and batch normalization by them.

Compare: tensorflow/python/ops/nn_impl.py. Read next: ``layers/normalization.py``.
"""

import math
from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _either
from minitf.ops.reductions import reduce_mean, reduce_prod, reduce_sum


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance over ``axes``; float16 is summed in float32.

    ``shift`` is unused, as in TensorFlow 1.15: the squares that are summed are those of
    distances to the mean, which need none.
    """
    del shift
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    with name_scope(name, "moments", [x]):
        x = convert_to_tensor(x)
        wide = math_ops.cast(x, dtypes.float32) if x.dtype is dtypes.half else x
        mean = reduce_mean(wide, axes, keepdims=True, name="mean")
        distance = call("SquaredDifference", [wide, array_ops.stop_gradient(mean)])
        variance = reduce_mean(distance, axes, keepdims=True, name="variance")
        if not keepdims:
            mean = array_ops.squeeze(mean, axes)
            variance = array_ops.squeeze(variance, axes)
        return math_ops.cast(mean, x.dtype), math_ops.cast(variance, x.dtype)


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance over ``axes`` of numbers that occur so often.

    Args:
        x: float16 is summed in float32.
        axes: one or several.
        frequency_weights: of a shape that can be stretched to that of x.
        name: of the scope.
        keep_dims: a former name of keepdims.
        keepdims: whether the axes stay, with size 1.
    """
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        wide = math_ops.cast(x, dtypes.float32) if x.dtype is dtypes.half else x
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        weights = math_ops.cast(weights, wide.dtype)
        total = reduce_sum(weights * wide, axes, True, "weighted_input_sum")
        each = weights + array_ops.zeros_like(wide)
        of_weights = reduce_sum(each, axes, True, "sum_of_weights")
        mean = call("DivNoNan", [total, of_weights], None, "div_no_nan")
        distance = weights * call("SquaredDifference", [wide, mean])
        distances = reduce_sum(distance, axes, True, "weighted_distsq")
        variance = call("DivNoNan", [distances, of_weights], None, "div_no_nan")
        if not keepdims:
            mean = array_ops.squeeze(mean, axes)
            variance = array_ops.squeeze(variance, axes)
        return math_ops.cast(mean, x.dtype), math_ops.cast(variance, x.dtype)


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What ``normalize_moments`` makes the mean and the variance of.

    Args:
        x: a tensor.
        axes: a list.
        shift: is subtracted from x first; near the mean it keeps the sums exact.
        keep_dims: a former name of keepdims.
        name: of the scope.
        keepdims: whether the axes stay, with size 1.

    Returns:
        The number of elements, their sum, the sum of their squares, and the shift.
    """
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    axes = sorted(set(axes))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        count = _count(x, axes)
        if shift is None:
            distance, square = x, call("Square", [x])
        else:
            shift = convert_to_tensor(shift, x.dtype, name="shift")
            distance, square = x - shift, call("SquaredDifference", [x, shift])
        total = reduce_sum(distance, axes, keepdims, "mean_ss")
        squares = reduce_sum(square, axes, keepdims, "var_ss")
        return count, total, squares, shift


def _count(x: Tensor, axes: list[int]) -> Tensor:
    """The number of elements along axes, in the type of ``x``."""
    sizes = x.shape.as_list() if x.shape.ndims is not None else []
    known = [sizes[axis] for axis in axes if -len(sizes) <= axis < len(sizes)]
    if len(known) == len(axes) and None not in known:
        return constant(math.prod(known), x.dtype)
    rank = array_ops.rank(x)
    places = [axis + rank if axis < 0 else axis for axis in axes]
    dynamic = math_ops.cast(array_ops.shape(x), x.dtype)
    return reduce_prod(array_ops.gather(dynamic, places), name="count")


def normalize_moments(
    counts: Any,
    mean_ss: Any,
    variance_ss: Any,
    shift: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance from what ``sufficient_statistics`` gives."""
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = call("Reciprocal", [counts], None, "divisor")
        own = "mean" if shift is None else "shifted_mean"
        near = mean = call("Mul", [mean_ss, divisor], None, own)
        if shift is not None:
            mean = call("AddV2", [near, shift], None, "mean")
        squares = call("Mul", [variance_ss, divisor])
        variance = call("Sub", [squares, call("Square", [near])], None, "variance")
        return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """The formula scale * (x - mean) / sqrt(variance + epsilon) + offset."""
    with name_scope(name, "batchnorm", [x]):
        x = convert_to_tensor(x)
        factor = call("Rsqrt", [convert_to_tensor(variance) + variance_epsilon])
        if scale is not None:
            factor = factor * scale
        scaled = x * math_ops.cast(factor, x.dtype)
        shift = -mean * factor if offset is None else offset - mean * factor
        return scaled + math_ops.cast(shift, x.dtype)
