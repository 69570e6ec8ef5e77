"""Reductions: sums, means and extremes over axes.

``axis`` is an axis or a list of them, counted from the end if negative; None means all.
With ``keepdims`` the axes stay, with size 1.

Compare: tensorflow/python/ops/math_ops.py, reduce_sum. Read next: ``nn_ops.py``.
"""

from typing import Any

from minitf import array_ops
from minitf.constant_op import convert_to_tensor
from minitf.math_ops import _either, cast
from minitf.math_ops import range as range_op
from minitf.ops import call
from minitf.tensor import Tensor


def _reduce(
    op_type: str, x: Any, axis: Any, keepdims: Any, name: str | None, old: tuple[Any, Any]
) -> Tensor:
    """Calls a reduction. ``old`` are the arguments' former names."""
    axis = _either(axis, old[0], "axis", "reduction_indices")
    keepdims = _either(keepdims, old[1], "keepdims", "keep_dims", False)
    x = convert_to_tensor(x, name="input")
    if axis is None:
        rank = x.shape.ndims
        axis = list(range(rank)) if rank is not None else range_op(0, call("Rank", [x]))
        if rank == 0:
            axis = convert_to_tensor([], "int32")
    return call(op_type, [x, axis], {"keep_dims": bool(keepdims)}, name)


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
reduce_euclidean_norm = _reduction(
    "EuclideanNorm", "The square root of the sum of squares over axes."
)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean square distance from the mean, over axes."""
    x = convert_to_tensor(input_tensor)
    distance = x - reduce_mean(x, axis, keepdims=True)
    return reduce_mean(
        call("Square", [distance]), axis, keepdims, name or "reduce_variance"
    )


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the variance, over axes."""
    return call(
        "Sqrt",
        [reduce_variance(input_tensor, axis, keepdims)],
        None,
        name or "reduce_std",
    )


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
    x = convert_to_tensor(input_tensor)
    largest = reduce_max(x, axis, keepdims=True)
    finite = array_ops.where(
        call("IsFinite", [largest]), largest, array_ops.zeros_like(largest)
    )
    largest = array_ops.stop_gradient(finite)
    total = call("Log", [reduce_sum(call("Exp", [x - largest]), axis, keepdims)])
    if not keepdims:
        largest = array_ops.reshape(largest, array_ops.shape(total))
    return call("AddV2", [total, largest], None, name or "ReduceLogSumExp")


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = "int64",
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """How many elements are not 0, over axes."""
    x = convert_to_tensor(_either(input_tensor, input, "input_tensor", "input"))
    is_nonzero = call("NotEqual", [x, array_ops.zeros_like(x)])
    total = _reduce(
        "Sum",
        cast(is_nonzero, "int64"),
        axis,
        keepdims,
        name or "count_nonzero",
        (reduction_indices, keep_dims),
    )
    return cast(total, dtype)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm over axes: 'euclidean', 1, 2, or any p; infinity for the largest."""
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    x = convert_to_tensor(tensor)
    size = call("Abs", [x])
    if ord in ("euclidean", "fro", 2):
        total = reduce_sum(call("Square", [x]), axis, keepdims)
        return call("Sqrt", [total], None, name or "norm")
    if ord == float("inf"):
        return reduce_max(size, axis, keepdims, name or "norm")
    if ord == 1:
        return reduce_sum(size, axis, keepdims, name or "norm")
    if not isinstance(ord, (int, float)) or ord <= 0:
        raise ValueError(
            f"'ord' must be a supported norm: 'euclidean', a number above 0 or "
            f"infinity, got {ord!r}"
        )
    total = reduce_sum(
        call("Pow", [size, convert_to_tensor(ord, x.dtype)]), axis, keepdims
    )
    return call(
        "Pow", [total, convert_to_tensor(1.0 / ord, x.dtype)], None, name or "norm"
    )


# ---- Clipping by norms -----------------------------------------------------------------


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Tensor:
    """``t``, made shorter if its Euclidean norm over ``axes`` is above ``clip_norm``."""
    t = convert_to_tensor(t)
    length = reduce_sum(t * t, axes, keepdims=True)
    is_long = call("Greater", [length, array_ops.zeros_like(length)])
    safe = array_ops.where(is_long, length, array_ops.ones_like(length))
    root = array_ops.where(is_long, call("Sqrt", [safe]), length)
    limit = convert_to_tensor(clip_norm, t.dtype)
    return call(
        "RealDiv",
        [t * limit, call("Maximum", [root, limit])],
        None,
        name or "clip_by_norm",
    )


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """``t``, made shorter if its norm per element is above the limit."""
    t = convert_to_tensor(t)
    count = cast(array_ops.size(t), t.dtype)
    average = norm(t) / count
    limit = convert_to_tensor(clip_norm, t.dtype)
    return call(
        "RealDiv",
        [t * limit, call("Maximum", [average, limit])],
        None,
        name or "clip_by_average_norm",
    )


def global_norm(t_list: list[Any], name: str | None = None) -> Tensor | None:
    """The Euclidean norm of all tensors of a list together; None counts as nothing."""
    squares = [2 * call("L2Loss", [t]) for t in t_list if t is not None]
    if not squares:
        return None
    return call("Sqrt", [call("AddN", [squares])], None, name or "global_norm")


def clip_by_global_norm(
    t_list: list[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """All tensors of a list, made shorter by one factor if their global norm is too long.

    Returns:
        The list of tensors, with None where there was None, and the global norm.
    """
    del name
    length = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    if length is None:
        return list(t_list), None
    limit = convert_to_tensor(clip_norm, length.dtype)
    factor = limit / call("Maximum", [length, limit])
    # A norm that is not finite makes everything NaN, so that nobody trains on with it.
    scale = factor + (length - length)
    return [None if t is None else convert_to_tensor(t) * scale for t in t_list], length


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are 0."""
    x = convert_to_tensor(value)
    is_zero = call("Equal", [x, array_ops.zeros_like(x)])
    return reduce_mean(cast(is_zero, "float32"), name=name or "zero_fraction")
