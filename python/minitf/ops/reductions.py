"""Reductions: sums, means and extremes over axes.

``axis`` is an axis or a list of them, counted from the end if negative; None means all.
With ``keepdims`` the axes stay, with size 1.

Compare: tensorflow/python/ops/math_ops.py, reduce_sum. Read next: ``ops/nn/nn_ops.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes, op_def_registry
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor, is_tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import _either, cast, conj, real
from minitf.ops.math_ops import range as range_op


def _reduce(
    op_type: str, x: Any, axis: Any, keepdims: Any, name: str | None, old: tuple[Any, Any]
) -> Tensor:
    """Calls a reduction. ``old`` are the arguments' former names."""
    axis = _either(axis, old[0], "axis", "reduction_indices")
    keepdims = _either(keepdims, old[1], "keepdims", "keep_dims", False)
    if not isinstance(x, Tensor):
        with name_scope(name, op_type, [x]) as scope:
            wanted = (
                None if is_tensor(x) else op_def_registry.get(op_type).inputs[0].dtype
            )
            x = convert_to_tensor(x, wanted, "input")
            return _reduce(op_type, x, axis, keepdims, scope, (None, None))
    attrs = {"keep_dims": bool(keepdims)}
    if axis is not None:
        return call(op_type, [x, axis], attrs, name)
    rank = x.shape.ndims
    if rank:
        axis = convert_to_tensor(np.arange(rank, dtype=np.int32))
    else:
        axis = range_op(0, array_ops.rank(x))
    result = call(op_type, [x, axis], attrs, name)
    if not rank and not keepdims:
        result.set_shape([])
    return result


def _reduction(op_type: str, doc: str) -> Any:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Tensor:
        return _reduce(
            op_type, input_tensor, axis, keepdims, name, (reduction_indices, keep_dims)
        )

    reduce.__doc__ = doc
    reduce.__name__ = reduce.__qualname__ = f"reduce_{op_type.lower()}"
    return reduce


reduce_sum = _reduction("Sum", "The sum over axes.")
reduce_mean = _reduction("Mean", "The mean over axes.")
reduce_prod = _reduction("Prod", "The product over axes.")
reduce_max = _reduction("Max", "The largest element over axes.")
reduce_min = _reduction("Min", "The smallest element over axes.")
reduce_all = _reduction("All", "Whether all elements over axes are true.")
reduce_any = _reduction("Any", "Whether any element over axes is true.")


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over axes."""
    return _reduce("EuclideanNorm", input_tensor, axis, keepdims, name, (None, None))


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean square distance from the mean, over axes."""
    with name_scope(name, "reduce_variance", [input_tensor]):
        x = convert_to_tensor(input_tensor)
        means = reduce_mean(x, axis, keepdims=True)
        if x.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex, got {x.dtype!r}")
        distance = x - means
        if x.dtype.is_complex:
            squares = real(conj(distance) * distance)
        else:
            squares = call("Square", [distance])
        return reduce_mean(squares, axis, keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the variance, over axes."""
    with name_scope(name, "reduce_std", [input_tensor]):
        return call("Sqrt", [reduce_variance(input_tensor, axis, keepdims)])


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow: the largest x is taken out first."""
    axis = _either(axis, reduction_indices, "axis", "reduction_indices")
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        x = convert_to_tensor(input_tensor, name="input_tensor")
        largest = reduce_max(x, axis, keepdims=True)
        finite = array_ops.where(
            call("IsFinite", [largest]), largest, array_ops.zeros_like(largest)
        )
        largest = array_ops.stop_gradient(finite)
        total = call("Log", [reduce_sum(call("Exp", [x - largest]), axis, keepdims)])
        if not keepdims:
            largest = array_ops.reshape(largest, array_ops.shape(total))
        return call("AddV2", [total, largest], None, scope)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """How many elements are not 0, over axes."""
    old = (reduction_indices, keep_dims)
    with name_scope(name, "count_nonzero", [input_tensor]):
        x = convert_to_tensor(_either(input_tensor, input, "input_tensor", "input"))
        is_nonzero = call("NotEqual", [x, array_ops.zeros([], x.dtype)])
        total = _reduce("Sum", cast(is_nonzero, "int64"), axis, keepdims, None, old)
        return cast(total, dtype)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are 0."""
    with name_scope(name, "zero_fraction", [value]):
        x = convert_to_tensor(value, name="value")
        is_zero = call("Equal", [x, array_ops.zeros([], x.dtype)])
        return reduce_mean(cast(is_zero, "float32"), name="fraction")
