"""Counting: how many values there are in each of a row of bins.

Compare: tensorflow/python/ops/histogram_ops.py, bincount_ops.py. Read next:
``segments.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.op_arguments import ensure_shape, require_type
from minitf.ops.step_checks import Assert
from minitf.ops.value_assertions import assert_non_negative


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the bin of each value, of ``nbins`` equal ones.

    Args:
        values: numbers.
        value_range: ``[2]``, where the bins begin and end. What is beyond goes to the
            first or to the last bin.
        nbins: how many bins, above 0.
        dtype: int32 or int64.
        name: of the scope.

    Raises:
        ValueError, errors.InvalidArgumentError: the range does not increase, or begins
            at -infinity; there are no bins; a value is NaN.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     bins = tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 9.0], [0.0, 5.0], 5)
    ...     session.run(bins).tolist()
    [0, 0, 1, 4]
    """
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        low, high, nbins = _range_of_bins(value_range, nbins)
        part = math_ops.truediv(values - low, high - low)
        place = call("Floor", [math_ops.cast(nbins, part.dtype) * part])
        last = math_ops.cast(nbins - 1, place.dtype)
        place = math_ops.minimum(math_ops.maximum(_numbers(place), 0.0), last)
        return math_ops.cast(place, as_dtype(dtype))


def _range_of_bins(
    value_range: Any, nbins: Any, dtype: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The two ends of the range, and how many bins there are, once all are valid."""
    value_range = convert_to_tensor(value_range, dtype, name="value_range")
    nbins = convert_to_tensor(nbins, dtypes.int32, name="nbins")
    if nbins.shape.ndims != 0:
        nbins = ensure_shape(nbins, [])
    known = constant_value(nbins)
    if known is not None and known <= 0:
        raise ValueError(f"nbins must be positive, but got {known}")
    low, high = array_ops.unstack(ensure_shape(value_range, [2]))
    is_range = call("Less", [low, high])
    if low.dtype.is_floating:
        is_finite = call("IsFinite", [low])
        is_range = call("LogicalAnd", [is_range, is_finite])
    message = "value_range[0] must be finite and less than value_range[1], but got"
    checks = [
        Assert(is_range, [message, value_range]),
        Assert(nbins > 0, ["nbins must be positive, but got", nbins]),
    ]
    return with_dependencies(checks, low), high, nbins


def _numbers(places: Tensor) -> Tensor:
    """``places``, of which none is NaN."""
    is_number = reductions.reduce_all(math_ops.equal(places, places))
    message = "values of a histogram must not be NaN, nor infinite in an infinite range"
    return with_dependencies([Assert(is_number, [message])], places)


def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values there are in each of ``nbins`` equal bins.

    The arguments are those of ``histogram_fixed_width_bins``; the result is ``[nbins]``.
    Places are computed in float64, so a value next to a border may be in another bin.
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        values = array_ops.reshape(convert_to_tensor(values, name="values"), [-1])
        types = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
        require_type(values, "values", types)
        if isinstance(value_range, Tensor):
            require_type(value_range, "value_range", [values.dtype])
        low, high, count = _range_of_bins(value_range, nbins, values.dtype)
        above = math_ops.cast(math_ops.maximum(values, low) - low, dtypes.float64)
        width = math_ops.cast(high - low, dtypes.float64) / math_ops.to_double(count)
        last = math_ops.to_double(count - 1)
        place = math_ops.minimum(_numbers(above / width), last)
        bins = math_ops.cast(place, dtypes.int32)
        ones = array_ops.ones_like(bins, dtype=as_dtype(dtype))
        return call("UnsortedSegmentSum", [ones, bins, count], None, scope)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Tensor:
    """How often each whole number from 0 up is in ``arr``, or the sum of its weights.

    Args:
        arr: whole numbers that are not negative.
        weights: in the shape of ``arr``; each counts as 1 if None.
        minlength: the result has at least so many elements.
        maxlength: numbers from here on are left out.
        dtype: of the counts, if there are no weights.
    """
    with name_scope(None, "bincount", [arr]):
        numbers = array_ops.reshape(convert_to_tensor(arr, dtypes.int32, "arr"), [-1])
        check = assert_non_negative(numbers, message="Input arr must be non-negative")
        with control_dependencies([] if check is None else [check]):
            numbers = array_ops.identity(numbers)
        is_there = math_ops.minimum(array_ops.size(numbers), 1)
        padded = array_ops.concat([numbers, [0]], 0)
        size = is_there * (reductions.reduce_max(padded) + 1)
        if minlength is not None:
            size = math_ops.maximum(convert_to_tensor(minlength, dtypes.int32), size)
        if maxlength is not None:
            size = math_ops.minimum(convert_to_tensor(maxlength, dtypes.int32), size)
            beyond = call("GreaterEqual", [numbers, size])
            # A negative segment is none.
            numbers = array_ops.where(beyond, -array_ops.ones_like(numbers), numbers)
        if weights is None:
            weights = array_ops.ones_like(numbers, dtype=as_dtype(dtype))
        else:
            weights = array_ops.reshape(convert_to_tensor(weights, name="weights"), [-1])
        return call("UnsortedSegmentSum", [weights, numbers, size])
