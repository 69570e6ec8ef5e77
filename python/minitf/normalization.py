"""Moments, and batch normalization by them.

Compare: tensorflow/python/ops/nn_impl.py. Read next: ``layers/normalization.py``.
"""

from typing import Any

from minitf import array_ops, dtypes, math_ops
from minitf.constant_op import convert_to_tensor
from minitf.math_ops import _either
from minitf.ops import call
from minitf.reductions import reduce_mean
from minitf.scopes import name_scope
from minitf.tensor import Tensor


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance over ``axes``; float16 is summed in float32."""
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
        shift = -mean * factor if offset is None else offset - mean * factor
        return x * math_ops.cast(factor, x.dtype) + math_ops.cast(shift, x.dtype)
