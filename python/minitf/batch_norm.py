"""Batch normalization in one call: moments of the batch, or given ones, and the formula.

Compare: tensorflow/python/ops/nn_impl.py, tensorflow/core/kernels/fused_batch_norm_op.cc.
Read next: ``normalization.py``.
"""

from typing import Any

import numpy as np

from minitf import array_ops, dtypes, math_ops
from minitf.constant_op import convert_to_tensor
from minitf.convolutions import is_channels_first
from minitf.ops import call
from minitf.reductions import reduce_mean
from minitf.scopes import name_scope
from minitf.tensor import Tensor


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: Any = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization: y = scale * (x - mean) / sqrt(variance + epsilon) + offset.

    Args:
        x: ``[N,H,W,C]``, or ``[N,C,H,W]`` if data_format is 'NCHW'.
        scale: ``[C]``.
        offset: ``[C]``.
        mean: ``[C]``; not needed to train with an exponential_avg_factor of 1.
        variance: ``[C]``, likewise.
        epsilon: what keeps the root from 0; not below 1.001e-5.
        data_format: the order of the axes.
        is_training: whether to take the moments of the batch, or those given.
        name: of the scope.
        exponential_avg_factor: how much of the new moments goes into those returned.

    Returns:
        ``(y, mean, variance)``: in training those of the batch, with the variance over
        n - 1 elements, or their average with those given; otherwise those given.
    """
    if not isinstance(is_training, (bool, int, np.bool_)):
        raise TypeError(f"is_training must be True or False, not {is_training!r}")
    averages = exponential_avg_factor != 1.0
    if (not is_training or averages) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False "
            f"or `exponential_avg_factor` != 1.0, they are {mean} and {variance}"
        )
    with name_scope(name, "FusedBatchNorm", [x, scale, offset]):
        x = convert_to_tensor(x, name="x")
        wide = x if x.dtype is dtypes.float64 else math_ops.cast(x, dtypes.float32)
        scale = convert_to_tensor(scale, wide.dtype, name="scale")
        offset = convert_to_tensor(offset, wide.dtype, name="offset")
        if x.shape.ndims is None:
            raise ValueError("x must be of known rank")
        if x.shape.ndims != 4:
            raise ValueError(f"x must be 4-dimensional, its shape is {x.shape}")
        axis = 1 if is_channels_first(data_format) else x.shape.ndims - 1
        axes = [i for i in range(x.shape.ndims) if i != axis]
        inner = [1] * x.shape.ndims
        inner[axis] = -1

        if is_training:
            used_mean = reduce_mean(wide, axes, keepdims=True)
            distance = call("SquaredDifference", [wide, used_mean])
            used_variance = reduce_mean(distance, axes, keepdims=True)
            found = _batch_moments(used_mean, used_variance, wide)
        else:
            given = [
                array_ops.stop_gradient(convert_to_tensor(item, wide.dtype))
                for item in (mean, variance)
            ]
            used_mean, used_variance = (array_ops.reshape(g, inner) for g in given)
            found = tuple(given)
        smallest = max(epsilon, 1.001e-5)
        factor = call("Rsqrt", [used_variance + smallest]) * array_ops.reshape(
            scale, inner
        )
        y = (wide - used_mean) * factor + array_ops.reshape(offset, inner)
        if averages:
            part = exponential_avg_factor
            found = tuple(
                old * (1 - part) + new * part
                for old, new in zip((mean, variance), found, strict=True)
            )
        return math_ops.cast(y, x.dtype), *found


def _batch_moments(mean: Tensor, variance: Tensor, x: Tensor) -> tuple[Any, Any]:
    """The moments as vectors, the variance over n - 1; no gradient goes through them."""
    one = array_ops.ones([], x.dtype)
    channels = math_ops.maximum(array_ops.size(mean), 1)
    count = math_ops.cast(array_ops.size(x) // channels, x.dtype)
    unbiased = variance * (count / math_ops.maximum(count - one, one))
    flat = (array_ops.reshape(item, [-1]) for item in (mean, unbiased))
    return tuple(array_ops.stop_gradient(item) for item in flat)
