"""Batch normalization in one call: moments of the batch, or given ones, and the formula.

Compare: tensorflow/python/ops/nn_impl.py. Read next: ``normalization.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import Dimension
from minitf.ops.nn.convolutions import is_channels_first

_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)
_SMALLEST_EPSILON = 1.001e-5  # that of cuDNN, and a little more


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
        name: of the node.
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
    x = _as_images(x)
    channels = x.shape[1 if is_channels_first(data_format) else 3]
    vectors = {"scale": scale, "offset": offset, "mean": mean, "variance": variance}
    outputs = call(
        "FusedBatchNormV3",
        [x, *(_of_channels(value, key, channels) for key, value in vectors.items())],
        {
            "epsilon": epsilon if epsilon > _SMALLEST_EPSILON else _SMALLEST_EPSILON,
            "exponential_avg_factor": exponential_avg_factor,
            "data_format": data_format,
            "is_training": bool(is_training),
        },
        name,
    )
    return outputs.y, outputs.batch_mean, outputs.batch_variance


def _as_images(value: Any) -> Tensor:
    """A tensor of rank 4, if that is known, of a type that the op takes."""
    x = convert_to_tensor(value, name="input")
    dtypes.require_allowed("Value passed to parameter 'x'", x.dtype, _TYPES)
    if x.shape.ndims not in (4, None):
        raise ValueError(f"x must be 4-dimensional, its shape is {x.shape}")
    return x


def _of_channels(value: Any, name: str, channels: Dimension) -> Tensor:
    """A vector with a number for each channel; one that is not given is empty."""
    if value is None:
        return constant([], dtypes.float32)
    vector = convert_to_tensor(value, dtypes.float32, name=name)
    if not vector.shape.is_compatible_with([channels]):
        raise ValueError(
            f"{name} must have a number for each of the {channels} channels of x, its "
            f"shape is {vector.shape}"
        )
    return vector
