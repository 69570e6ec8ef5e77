"""Convolutions of images: sizes, and the formula and its gradients in float64.

Cases use this file. It shares neither code nor layout with minitf.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Geometry:
    """The numbers of ``conv2d_geometry.h``."""

    n: int
    h: int
    w: int
    c: int
    r: int
    s: int
    k: int
    p: int
    q: int
    stride_h: int = 1
    stride_w: int = 1
    dilation_h: int = 1
    dilation_w: int = 1
    pad_top: int = 0
    pad_left: int = 0
    pad_bottom: int = 0
    pad_right: int = 0
    groups: int = 1

    @property
    def x(self) -> Shape:
        """The shape of the images."""
        return (self.n, self.h, self.w, self.c)

    @property
    def filters(self) -> Shape:
        """The shape of the filters."""
        return (self.r, self.s, self.c // self.groups, self.k)

    @property
    def y(self) -> Shape:
        """The shape of the result."""
        return (self.n, self.p, self.q, self.k)

    @property
    def places(self) -> int:
        """Of an image."""
        return self.p * self.q

    @property
    def patch_size(self) -> int:
        """How many numbers a filter sees."""
        return self.r * self.s * self.c // self.groups

    def text(self) -> str:
        """As a report shows it."""
        words = [
            f"x [{','.join(map(str, self.x))}]",
            f"w [{','.join(map(str, self.filters))}]",
        ]
        pairs = {
            "strides": (self.stride_h, self.stride_w),
            "dilations": (self.dilation_h, self.dilation_w),
        }
        words += [f"{name} {a},{b}" for name, (a, b) in pairs.items() if (a, b) != (1, 1)]
        zeros = (self.pad_top, self.pad_bottom, self.pad_left, self.pad_right)
        if any(zeros):
            words.append("zeros {} above, {} below, {} left, {} right".format(*zeros))
        if self.groups > 1:
            words.append(f"{self.groups} groups")
        return ", ".join(words)


def along_axis(
    size: int, taps: int, stride: int, dilation: int, padding: str, zeros: Pair
) -> tuple[int, int, int]:
    """Output positions, and zeros before and after, by requirements M144 to M146.

    There is no position where the count is not positive.
    """
    reach = (taps - 1) * dilation + 1
    if padding == "SAME":
        places = -(-size // stride)
        total = max((places - 1) * stride + reach - size, 0)
        return places, total // 2, total - total // 2
    before, after = zeros if padding == "EXPLICIT" else (0, 0)
    return (size + before + after - reach) // stride + 1, before, after


def geometry(
    x: Shape,
    w: Shape,
    strides: Pair = (1, 1),
    padding: str = "VALID",
    dilations: Pair = (1, 1),
    pads: tuple[Pair, Pair] = ((0, 0), (0, 0)),
) -> Geometry:
    """That of a convolution of images with filters of these shapes."""
    (n, h, width, c), (r, s, of_group, k) = x, w
    p, top, bottom = along_axis(h, r, strides[0], dilations[0], padding, pads[0])
    q, left, right = along_axis(width, s, strides[1], dilations[1], padding, pads[1])
    groups = c // of_group if of_group else 1
    zeros = top, left, bottom, right
    return Geometry(n, h, width, c, r, s, k, p, q, *strides, *dilations, *zeros, groups)


def counted(shape: Shape, dtype: str = "float32") -> np.ndarray:
    """The numbers 1, 2, 3 and so on, in this shape."""
    return np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(dtype)


# ---- Formulas -------------------------------------------------------------------------


def _seen(places: int, tap: int, stride: int, dilation: int, pad: int, size: int):
    """Along an axis: the output positions whose tap is in the image, and its pixels."""
    pixels = np.arange(places) * stride + tap * dilation - pad
    inside = (pixels >= 0) & (pixels < size)
    return np.flatnonzero(inside), pixels[inside]


def _taps(g: Geometry) -> Iterator[tuple[int, int, tuple, tuple]]:
    """Each tap, the positions that see a pixel by it, and these pixels, as indices."""
    images = np.arange(g.n)
    for r in range(g.r):
        p, rows = _seen(g.p, r, g.stride_h, g.dilation_h, g.pad_top, g.h)
        for s in range(g.s):
            q, columns = _seen(g.q, s, g.stride_w, g.dilation_w, g.pad_left, g.w)
            yield r, s, np.ix_(images, p, q), np.ix_(images, rows, columns)


def _groups(g: Geometry) -> Iterator[tuple[slice, slice]]:
    """The channels and the filters of each group."""
    depth, filters = g.c // g.groups, g.k // g.groups
    for i in range(g.groups):
        yield slice(i * depth, (i + 1) * depth), slice(i * filters, (i + 1) * filters)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product, with NaN for zero times infinity.

    The fast product leaves zeros out.
    """
    if np.isfinite(a).all() and np.isfinite(b).all():
        return a @ b
    return np.einsum("...ij,jk->...ik", a, b, optimize=False)


@np.errstate(all="ignore")
def forward(g: Geometry, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The result y. Taps outside of the image add nothing, even if they are infinite."""
    x, w, y = x.astype(float), w.astype(float), np.zeros(g.y)
    for r, s, places, pixels in _taps(g):
        for c, k in _groups(g):
            y[*places, k] += _product(x[pixels][..., c], w[r, s, :, k])
    return y


@np.errstate(all="ignore")
def input_gradient(g: Geometry, w: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """The gradient dx."""
    w, dy, dx = w.astype(float), dy.astype(float), np.zeros(g.x)
    for r, s, places, pixels in _taps(g):
        for c, k in _groups(g):
            dx[*pixels, c] += _product(dy[places][..., k], w[r, s, :, k].T)
    return dx


@np.errstate(all="ignore")
def filter_gradient(g: Geometry, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """The gradient dw."""
    x, dy, dw = x.astype(float), dy.astype(float), np.zeros(g.filters)
    for r, s, places, pixels in _taps(g):
        for c, k in _groups(g):
            seen, back = x[pixels][..., c], dy[places][..., k]
            dw[r, s, :, k] = np.einsum("npqc,npqk->ck", seen, back)
    return dw
