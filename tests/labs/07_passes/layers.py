"""Layers of networks for tasks 10 and 11: products, factors and biases."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trials import FUSING, pass_trial

from minitf_lab.judge.case import Trial
from minitf_lab.judge.draw import Draw

LAYOUTS = ("MatMul", "NHWC", "NCHW")


class Layer:
    """A product of a feed and constant weights, to which more is added."""

    def __init__(
        self,
        draw: Draw,
        layout: str,
        dtype: str = "float32",
        *,
        size: int = 3,
        channels: int = 3,
        **attrs: Any,
    ) -> None:
        self.net, self.layout, self.channels = Net(), layout, channels
        self.draw, self.dtype = draw, dtype
        waits = attrs.pop("waits", [])
        if layout == "MatMul":
            shapes = [(size, size), (size, channels)]
            op, self.shape = layout, (size, channels)
        else:
            image = [2, size, size]
            image.insert(3 if layout == "NHWC" else 1, size)
            shapes = [tuple(image), (1 + draw.whole(0, 1), 2, size, channels)]
            image[3 if layout == "NHWC" else 1] = channels
            op, self.shape = "Conv2D", tuple(image)
            attrs = {"strides": [1] * 4, "padding": "SAME", "data_format": layout} | attrs
        if attrs.get("transpose_b"):
            shapes[1] = shapes[1][::-1]
        if attrs.get("transpose_a"):
            shapes[0] = shapes[0][::-1]
        self.x = self.net.feed(draw.array(shapes[0], dtype))
        self.w = self.net.const(draw.array(shapes[1], dtype), name="w")
        self.last = self.net.call(
            op, self.x, self.w, name="product", waits=waits, **attrs
        )

    def numbers(self, shape: tuple[int, ...]) -> np.ndarray:
        """Factors or offsets."""
        return self.draw.array(shape, self.dtype, "signed")

    def by_channel(self) -> tuple[int, ...]:
        """The shape of one number a channel."""
        k = self.channels
        return (k, 1, 1) if self.layout == "NCHW" else (k,)

    def scaled(self, scale: np.ndarray | str, **others: Any) -> "Layer":
        """Times a factor; on any side."""
        c = scale if isinstance(scale, str) else self.net.const(scale, name="scale")
        pair = [self.last, c]
        self.last = self.net.call("Mul", *self.draw.shuffled(pair), name="mul", **others)
        return self

    def biased(self, op: str, bias: np.ndarray | str, **others: Any) -> "Layer":
        """Plus a bias, by BiasAdd or a sum."""
        b = bias if isinstance(bias, str) else self.net.const(bias, name="bias")
        pair = [self.last, b]
        if op == "BiasAdd":
            layout = "NHWC" if self.layout == "MatMul" else self.layout
            others = {"data_format": layout} | others
        elif self.draw.coin():
            pair.reverse()
        self.last = self.net.call(op, *pair, name="sum", **others)
        return self

    def trial(self, *expectations: Any, **settings: Any) -> Trial:
        """What the pass makes of it."""
        if not self.net.fetches:
            self.net.fetch(self.last)
        settings = {"tolerance": 10, "runs": True} | settings
        return pass_trial(self.net, FUSING, *expectations, **settings)


def is_factor_of_channels(shape: tuple[int, ...], layer: Layer) -> bool:
    """Whether numbers of this shape give every channel one, or all of them the same."""
    try:
        whole = np.broadcast_shapes(shape, layer.shape)
    except ValueError:
        return False
    if whole != layer.shape:
        return False
    axis = 1 if layer.layout == "NCHW" else len(layer.shape) - 1
    padded = (1,) * (len(layer.shape) - len(shape)) + shape
    return all(n == 1 for i, n in enumerate(padded) if i != axis)


def shapes_beside(layer: Layer) -> Iterator[tuple[int, ...]]:
    """All shapes that stretch to the layer's, or are it."""
    rank = len(layer.shape)
    for length in range(rank + 1):
        for ones in itertools.product((False, True), repeat=length):
            tail = layer.shape[rank - length :]
            yield tuple(1 if one else n for one, n in zip(ones, tail, strict=True))
