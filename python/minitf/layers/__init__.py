"""``tf.layers``: weights, and the ops that use them.

There are two forms of each layer: a class whose object makes its variables at the first
call and uses them from then on, in both modes; and a function that calls such an object
once, whose variables are shared by name (``reuse``).

Compare: tensorflow/python/layers/layers.py. Read next: ``base.py``.
"""

from minitf.layers.base import Layer
from minitf.layers.convolutional import Conv2D, conv2d
from minitf.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from minitf.layers.normalization import BatchNormalization, batch_normalization
from minitf.layers.pooling import (
    AveragePooling2D,
    MaxPooling2D,
    average_pooling2d,
    max_pooling2d,
)
from minitf.layers.separable import SeparableConv2D, separable_conv2d

__all__ = [
    "AveragePooling2D",
    "BatchNormalization",
    "Conv2D",
    "Dense",
    "Dropout",
    "Flatten",
    "Layer",
    "MaxPooling2D",
    "SeparableConv2D",
    "average_pooling2d",
    "batch_normalization",
    "conv2d",
    "dense",
    "dropout",
    "flatten",
    "max_pooling2d",
    "separable_conv2d",
]


def __dir__() -> list[str]:
    return __all__
