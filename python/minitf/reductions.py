"""Reductions: sums, means and extremes over axes.

``axis`` is an axis or a list of them, counted from the end if negative; None means all.
With ``keepdims`` the axes stay, with size 1.

Compare: tensorflow/python/ops/math_ops.py, reduce_sum. Read next: ``nn_ops.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf import array_ops, dtypes
from minitf.constant_op import convert_to_tensor
from minitf.math_ops import _either, cast, conj, real
from minitf.math_ops import range as range_op
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor


def _reduce(
    op_type: str, x: Any, axis: Any, keepdims: Any, name: str | None, old: tuple[Any, Any]
) -> Tensor:
    """Calls a reduction. ``old`` are the arguments' former names."""
    axis = _either(axis, old[0], "axis", "reduction_indices")
    keepdims = _either(keepdims, old[1], "keepdims", "keep_dims", False)
    if not isinstance(x, Tensor):
        with name_scope(name, op_type, [x]) as scope:
            x = convert_to_tensor(x, name="input")
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


# ---- Clipping by norms -----------------------------------------------------------------


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Tensor:
    """``t``, made shorter if its Euclidean norm over ``axes`` is above ``clip_norm``."""
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        length = reduce_sum(t * t, axes, keepdims=True)
        is_long = length > 0
        safe = array_ops.where(is_long, length, array_ops.ones_like(length))
        root = array_ops.where(is_long, call("Sqrt", [safe]), length)
        clipped = (t * clip_norm) / call("Maximum", [root, clip_norm])
        return array_ops.identity(clipped, scope)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """``t``, made shorter if its norm per element is above the limit."""
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        elements = cast(array_ops.size(t), t.dtype)
        per_element = call("Rsqrt", [reduce_sum(t * t)]) * elements
        limit = convert_to_tensor(1.0, t.dtype) / clip_norm
        clipped = t * clip_norm * call("Minimum", [per_element, limit])
        return array_ops.identity(clipped, scope)


def global_norm(t_list: list[Any], name: str | None = None) -> Tensor | None:
    """The Euclidean norm of all tensors of a list together; None counts as nothing."""
    with name_scope(name, "global_norm", t_list):
        squares = [2 * call("L2Loss", [t]) for t in t_list if t is not None]
        if not squares:
            return None
        return call("Sqrt", [call("AddN", [squares])], None, "global_norm")


def clip_by_global_norm(
    t_list: list[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """All tensors of a list, made shorter by one factor if their global norm is too long.

    Returns:
        The list of tensors, with None where there was None, and the global norm.
    """
    if isinstance(t_list, Tensor) or not isinstance(t_list, Sequence):
        raise TypeError("t_list should be a sequence")
    length = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    if length is None:
        return list(t_list), None
    with name_scope(name, "clip_by_global_norm", [t_list, clip_norm]) as scope:
        limit = convert_to_tensor(clip_norm, length.dtype)
        factor = limit / call("Maximum", [length, limit])
        # A norm that is not finite makes all NaN, so that nobody trains on with it.
        scale = factor + (length - length)
        clipped = [
            None
            if t is None
            else array_ops.identity(convert_to_tensor(t) * scale, f"{scope}_{i}")
            for i, t in enumerate(t_list)
        ]
    return clipped, length


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are 0."""
    with name_scope(name, "zero_fraction", [value]):
        x = convert_to_tensor(value, name="value")
        is_zero = call("Equal", [x, array_ops.zeros([], x.dtype)])
        return reduce_mean(cast(is_zero, "float32"), name="fraction")
