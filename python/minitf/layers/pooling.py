"""Pooling layers, over one, two or three axes.

Compare: tensorflow/python/layers/pooling.py. Read next: ``normalization.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework.tensor import Tensor
from minitf.layers.base import Layer, layer_function
from minitf.layers.convolutional import data_format_of, numbers_of, padding_of
from minitf.ops import array_ops
from minitf.ops.nn import pools
from minitf.ops.nn.convolutions import is_channels_first


class Pooling(Layer):
    """A pooling layer. Derived classes say how many axes a window has.

    Args:
        pool_size: the sizes of a window, or one size for all axes.
        strides: of each axis, or one number for all.
        padding: 'valid' or 'same'.
        data_format: 'channels_last' or 'channels_first'.
        name: of the layer.
        options: see Layer.
    """

    _axes: int
    _function: Callable

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **options: Any,
    ):
        super().__init__(name=name, **options)
        self.pool_size = numbers_of(pool_size, self._axes, "pool_size")
        self.strides = numbers_of(strides, self._axes, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format, self._axes)

    def call(self, inputs: Tensor) -> Tensor:
        """Applies the layer: images ``[N,H,W,C]`` become ``[N,P,Q,C]``."""
        return type(self)._function(
            inputs, self.pool_size, self.strides, self.padding, self.data_format
        )


def _pooling(name: str, axes: int, function: Callable, doc: str) -> type[Pooling]:
    members = {"_axes": axes, "_function": staticmethod(function), "__doc__": doc}
    return type(name, (Pooling,), {**members, "__module__": __name__})


def _over_rows(pool: Callable) -> Callable:
    """Pools rows as images with columns of one element."""

    def pool_rows(
        x: Tensor, window: list, strides: list, padding: str, data_format: str
    ) -> Tensor:
        is_first = is_channels_first(data_format)
        axis = 3 if is_first else 2
        images = array_ops.expand_dims(x, axis)
        layout = "NCHW" if is_first else "NHWC"
        pooled = pool(images, [*window, 1], [*strides, 1], padding, layout)
        return array_ops.squeeze(pooled, [axis])

    return pool_rows


_LARGEST = "The largest element of each window{}. See ``Pooling`` for the arguments."
_MEAN = "The mean of each window{}. See ``Pooling`` for the arguments."

MaxPooling1D = _pooling(
    "MaxPooling1D", 1, _over_rows(pools.max_pool), _LARGEST.format(" of a row")
)
MaxPooling2D = _pooling("MaxPooling2D", 2, pools.max_pool, _LARGEST.format(""))
MaxPooling3D = _pooling(
    "MaxPooling3D", 3, pools.max_pool3d, _LARGEST.format(" of planes")
)
AveragePooling1D = _pooling(
    "AveragePooling1D", 1, _over_rows(pools.avg_pool), _MEAN.format(" of a row")
)
AveragePooling2D = _pooling("AveragePooling2D", 2, pools.avg_pool, _MEAN.format(""))
AveragePooling3D = _pooling(
    "AveragePooling3D", 3, pools.avg_pool3d, _MEAN.format(" of planes")
)

max_pooling1d = layer_function(MaxPooling1D)
max_pooling2d = layer_function(MaxPooling2D)
max_pooling3d = layer_function(MaxPooling3D)
average_pooling1d = layer_function(AveragePooling1D)
average_pooling2d = layer_function(AveragePooling2D)
average_pooling3d = layer_function(AveragePooling3D)
