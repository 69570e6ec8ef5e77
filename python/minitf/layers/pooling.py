"""Pooling layers.

Compare: tensorflow/python/layers/pooling.py. Read next: ``normalization.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework.tensor import Tensor
from minitf.layers.base import Layer, layer_function
from minitf.layers.convolutional import data_format_of, padding_of, pair_of
from minitf.ops.nn import pools


class _Pooling2D(Layer):
    """A pooling layer.

    Args:
        pool_size: rows and columns of a window.
        strides: of rows and columns.
        padding: 'valid' or 'same'.
        data_format: 'channels_last' or 'channels_first'.
        name: of the layer.
        options: see Layer.
    """

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
        self.pool_size = pair_of(pool_size, "pool_size")
        self.strides = pair_of(strides, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)

    def call(self, inputs: Tensor) -> Tensor:
        """``[N,H,W,C]`` to ``[N,P,Q,C]``."""
        return type(self)._function(
            inputs, self.pool_size, self.strides, self.padding, self.data_format
        )


class MaxPooling2D(_Pooling2D):
    """The largest element of each window."""

    _function = staticmethod(pools.max_pool)


class AveragePooling2D(_Pooling2D):
    """The mean of each window."""

    _function = staticmethod(pools.avg_pool)


max_pooling2d = layer_function(MaxPooling2D)


average_pooling2d = layer_function(AveragePooling2D)
