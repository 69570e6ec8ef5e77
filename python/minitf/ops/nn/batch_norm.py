"""Batch normalization in one call: moments of the batch, or given ones, and the formula.

Compare: tensorflow/python/ops/nn_impl.py, tensorflow/core/kernels/fused_batch_norm_op.cc.
Read next: ``normalization.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.nn.convolutions import is_channels_first
from minitf.ops.op_arguments import ensure_shape
from minitf.ops.reductions import reduce_mean
from minitf.ops.sizes import reshaped, sizes_of

_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


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
        x: ``[N,H,W,C]``, or ``[N,C,H,W]`` if data_format is 'NCHW'; of float16, bfloat16
            or float32.
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
        axis = 1 if is_channels_first(data_format) else 3
        x, scale, offset, mean, variance = _of_one_depth(
            x, axis, scale, offset, mean, variance
        )
        axes = [i for i in range(4) if i != axis]
        inner: list[Any] = [1, 1, 1, 1]
        inner[axis] = sizes_of(x)[axis]
        wide = math_ops.cast(x, dtypes.float32)

        if is_training:
            used_mean = reduce_mean(wide, axes, keepdims=True)
            distance = call("SquaredDifference", [wide, used_mean])
            used_variance = reduce_mean(distance, axes, keepdims=True)
            found = _batch_moments(used_mean, used_variance, wide)
        else:
            found = array_ops.stop_gradient(mean), array_ops.stop_gradient(variance)
            used_mean, used_variance = (reshaped(g, inner) for g in found)
        smallest = max(epsilon, 1.001e-5)
        factor = call("Rsqrt", [used_variance + smallest]) * reshaped(scale, inner)
        y = (wide - used_mean) * factor + reshaped(offset, inner)
        if averages:
            part = exponential_avg_factor
            found = tuple(
                old * (1 - part) + new * part
                for old, new in zip((mean, variance), found, strict=True)
            )
        return math_ops.cast(y, x.dtype), *found


def _as_images(value: Any) -> Tensor:
    """A tensor of rank 4, of a type that is computed in float32."""
    x = convert_to_tensor(value, name="x")
    dtypes.require_allowed("Value passed to parameter 'x'", x.dtype, _TYPES)
    if x.shape.ndims is None:
        return ensure_shape(x, [None] * 4)
    if x.shape.ndims != 4:
        raise ValueError(f"x must be 4-dimensional, its shape is {x.shape}")
    return x


def _of_one_depth(value: Any, axis: int, *vectors: Any) -> list[Any]:
    """The images, and the vectors that are given, with one number for each channel."""
    x = _as_images(value)
    sizes = x.shape.as_list()
    found: list[Any] = []
    for vector, name in zip(
        vectors, ("scale", "offset", "mean", "variance"), strict=True
    ):
        if vector is not None:
            vector = convert_to_tensor(vector, dtypes.float32, name=name)
            if not vector.shape.is_compatible_with([sizes[axis]]):
                raise ValueError(
                    f"{name} must have a number for each of the {sizes[axis]} channels "
                    f"of x, its shape is {vector.shape}"
                )
            sizes[axis] = vector.shape.merge_with([sizes[axis]])[0].value
        found.append(vector)
    return [x if sizes == x.shape.as_list() else ensure_shape(x, sizes), *found]


def _batch_moments(mean: Tensor, variance: Tensor, x: Tensor) -> tuple[Any, Any]:
    """The moments as vectors, the variance over n - 1; no gradient goes through them."""
    one = array_ops.ones([], x.dtype)
    channels = math_ops.maximum(array_ops.size(mean), 1)
    count = math_ops.cast(array_ops.size(x) // channels, x.dtype)
    unbiased = variance * (count / math_ops.maximum(count - one, one))
    flat = (array_ops.reshape(item, [-1]) for item in (mean, unbiased))
    return tuple(array_ops.stop_gradient(item) for item in flat)
