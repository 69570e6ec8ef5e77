"""What trials of lab 10 are made of: formulas in float64, by taps and by windows.

Convolutions are compared with ``lab_common.convolution``, poolings with a loop over
windows. Neither shares code or layout with minitf.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from lab_common import convolution
from lab_common.convolution import Geometry, along_axis, counted, geometry

from minitf_lab.judge.case import Call, Mismatch, Trial, close, close_within, describe
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import text_of

Pair = tuple[int, int]

# How far a sum may be off, as a part of the sum of all sizes in it.
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "float16": 2e-3}


@dataclass(frozen=True)
class Conv:
    """A convolution: images x [n,h,w,c] and filters w [r,s,c/groups,k]."""

    x: tuple[int, int, int, int]
    w: tuple[int, int, int, int]
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: str = "VALID"
    zeros: tuple[Pair, Pair] = ((0, 0), (0, 0))  # of EXPLICIT padding

    @property
    def groups(self) -> int:
        """How many there are."""
        return self.x[3] // self.w[2]

    def axis(self, i: int) -> tuple[int, int, int]:
        """Places along rows (0) or columns (1), and the zeros before and after."""
        return along_axis(
            self.x[1 + i], self.w[i], self.stride[i], self.dilation[i], self.padding,
            self.zeros[i],
        )  # fmt: skip

    @property
    def geometry(self) -> Geometry:
        """The same with each size by its name."""
        return geometry(
            self.x, self.w, self.stride, self.padding, self.dilation, self.zeros
        )

    @property
    def y(self) -> tuple[int, int, int, int]:
        """The shape of the result."""
        return (self.x[0], self.axis(0)[0], self.axis(1)[0], self.w[3])

    @property
    def fits(self) -> bool:
        """Whether there is a place at all."""
        return self.axis(0)[0] > 0 and self.axis(1)[0] > 0

    def window(self) -> dict[str, Any]:
        """As the driver takes it."""
        axes = [
            [self.stride[i], self.dilation[i], *(self.zeros[i])]
            if self.padding == "EXPLICIT"
            else [self.stride[i], self.dilation[i], 0, 0]
            for i in range(2)
        ]
        return {
            "x": list(self.x), "w": list(self.w), "rows": axes[0], "columns": axes[1],
            "padding": self.padding,
        }  # fmt: skip

    def call(
        self, part: str, tier: str, one: np.ndarray, dy: np.ndarray
    ) -> dict[str, Any]:
        """The arguments of the driver's ``conv_gradient``."""
        return {
            "part": part, "tier": tier, "window": self.window(), "one": one, "dy": dy,
        }  # fmt: skip

    def attrs(self) -> dict[str, Any]:
        """As an op takes it."""
        made = {
            "strides": [1, *self.stride, 1],
            "dilations": [1, *self.dilation, 1],
            "padding": self.padding,
        }
        if self.padding == "EXPLICIT":
            made["explicit_paddings"] = [0, 0, *self.zeros[0], *self.zeros[1], 0, 0]
        return made

    def __str__(self) -> str:
        """As reports show it."""
        text = f"x {text_of(self.x)}, w {text_of(self.w)}, {self.padding}"
        if self.padding == "EXPLICIT":
            text += f" {self.zeros[0]} {self.zeros[1]}"
        text += f", stride {self.stride[0]},{self.stride[1]}"
        if self.dilation != (1, 1):
            text += f", dilation {self.dilation[0]},{self.dilation[1]}"
        return text + (f", {self.groups} groups" if self.groups > 1 else "")

    # ---- Formulas ---------------------------------------------------------------------

    def forward(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The result y."""
        return convolution.forward(self.geometry, x, w)

    def input_gradient(self, w: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """The gradient dx."""
        return convolution.input_gradient(self.geometry, w, dy)

    def filter_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """The gradient dw."""
        return convolution.filter_gradient(self.geometry, x, dy)


def near(
    got: Any,
    expected: np.ndarray,
    sizes: np.ndarray,
    *,
    dtype: Any = "float64",
    factor: float = 1,
    what: str = "",
) -> Mismatch | None:
    """What is wrong with an array of sums.

    Args:
        got: What came back.
        expected: The sums in float64.
        sizes: Of each, the sum of the sizes of what was added.
        dtype: The type that is expected.
        factor: How much more than usual it may be off.
        what: Goes in front of the message.
    """
    wanted = expected.astype(dtype)
    bound = TOLERANCE[np.dtype(dtype).name] * factor * sizes
    return close_within(got, wanted, bound, dtype=dtype, what=what)


def gradient_trial(
    conv: Conv,
    part: str,
    tier: str,
    one: np.ndarray,
    dy: np.ndarray,
    *,
    threads: tuple[int, ...] = (1,),
    expected: np.ndarray | None = None,
    same_bits: bool = False,
    factor: float = 1,
) -> Trial:
    """A tier of one of the gradients, compared with the formula or with numbers.

    Args:
        conv: The convolution.
        part: ``input`` or ``filter``.
        tier: What computes it.
        one: The filters, or the images.
        dy: The gradient of the result.
        threads: It is called with so many, one after the other.
        expected: In place of the formula.
        same_bits: Whether all calls must give the same bits.
        factor: How much more than usual it may be off.
    """
    formula = conv.input_gradient if part == "input" else conv.filter_gradient
    sizes = formula(np.abs(one), np.abs(dy))
    wanted = formula(one, dy) if expected is None else expected
    name = "dx" if part == "input" else "dw"

    def check(values: list[Any]) -> Mismatch | None:
        for number, (count, got) in enumerate(zip(threads, values, strict=True), 1):
            what = name if threads == (1,) else f"{name} with {count} threads"
            wrong = near(got, wanted, sizes, dtype=one.dtype, factor=factor, what=what)
            if wrong:
                return wrong
            if same_bits and got.tobytes() != values[0].tobytes():
                text = (
                    f"{what}, call {number}: the result is not the same in each run. "
                    f"The sums are added in another order than in call 1, which had "
                    f"{threads[0]} threads"
                )
                return close(got, values[0], what=text) or Mismatch(text)
        return None

    arguments = conv.call(part, tier, one, dy)
    calls = [Call("conv_gradient", {**arguments, "threads": count}) for count in threads]
    label = "" if threads == (1,) else f", with {', '.join(map(str, threads))} threads"
    title = f"the gradient {name}, tier {tier}, {one.dtype.name}: {conv}{label}"
    return Trial(title, calls, check)


# Requirements M169 and M170: the filters or images, and dy, are 1, 2, 3 and so on.
GOLDEN = [
    (Conv((1, 2, 3, 1), (2, 2, 1, 1)), [1, 4, 4, 3, 10, 8], [5, 8, 14, 17]),
    (
        Conv((1, 2, 3, 3), (2, 2, 3, 3)),
        [14, 32, 50, 100, 163, 226, 167, 212, 257,
         122, 140, 158, 478, 541, 604, 437, 482, 527],
        [17, 22, 27, 22, 29, 36, 27, 36, 45, 32, 43, 54, 37, 50, 63, 42, 57, 72,
         62, 85, 108, 67, 92, 117, 72, 99, 126, 77, 106, 135, 82, 113, 144, 87, 120, 153],
    ),
    (
        Conv((1, 3, 6, 1), (2, 2, 1, 1), stride=(1, 2)),
        [1, 2, 2, 4, 3, 6, 7, 12, 11, 18, 15, 24, 12, 16, 15, 20, 18, 24],
        [161, 182, 287, 308],
    ),
    (Conv((1, 2, 2, 1), (2, 2, 1, 2)), [5, 11, 17, 23], [1, 2, 2, 4, 3, 6, 4, 8]),
    (
        Conv((1, 4, 4, 1), (1, 1, 1, 1), stride=(2, 2), padding="SAME"),
        [1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0],
        [78],
    ),
]  # fmt: skip


def golden_trials(part: str, tier: str) -> Iterator[Trial]:
    """The numbers of TensorFlow's own tests."""
    for conv, dx, dw in GOLDEN:
        if tier in {"direct", "winograd"} and not can(tier, conv):
            continue
        numbers = dx if part == "input" else dw
        shape = conv.x if part == "input" else conv.w
        expected = np.array(numbers, float).reshape(shape)
        one = counted(conv.w if part == "input" else conv.x)
        for dtype in ("float32", "float64"):
            yield gradient_trial(
                conv, part, tier, one.astype(dtype), counted(conv.y, dtype),
                expected=expected,
            )  # fmt: skip


def can(tier: str, conv: Conv) -> bool:
    """Whether a tier of the input's gradient computes this one."""
    if tier == "winograd":
        return conv.w[:2] == (3, 3) and conv.stride == conv.dilation == (1, 1)
    return tier != "direct" or conv.stride == (1, 1)


def random_conv(draw: Draw, largest: int, *, tier: str = "", groups: int = 1) -> Conv:
    """A convolution that fits: every padding, stride, dilation, odd and even filters."""
    while True:
        c = draw.one_of([1, 2, 3, 5, 17]) if groups == 1 else groups * draw.whole(1, 2)
        k = draw.one_of([1, 2, 3, 4, 17]) if groups == 1 else groups * draw.whole(1, 2)
        is_plain = tier in {"direct", "winograd"}
        taps = (3, 3) if tier == "winograd" else (draw.whole(1, 5), draw.whole(1, 4))
        pads = [(draw.whole(0, 3), draw.whole(0, 3)) for _ in range(2)]
        conv = Conv(
            (draw.whole(1, 3), draw.whole(1, largest), draw.whole(1, largest), c),
            (*taps, c // groups, k),
            (1, 1) if is_plain else (draw.whole(1, 3), draw.whole(1, 3)),
            (1, 1)
            if tier == "winograd"
            else (draw.one_of([1, 1, 2, 3]), draw.one_of([1, 1, 2])),
            draw.one_of(["SAME", "VALID", "EXPLICIT"]),
            (pads[0], pads[1]),
        )
        if conv.fits:
            return conv


def random_trial(
    draw: Draw, conv: Conv, part: str, tier: str, dtype: str, **options: Any
) -> Trial:
    """A gradient with numbers by chance."""
    one = draw.array(conv.w if part == "input" else conv.x, dtype)
    return gradient_trial(conv, part, tier, one, draw.array(conv.y, dtype), **options)


# ---- Poolings -------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """A pooling of images x [n,h,w,c] with a window."""

    x: tuple[int, int, int, int]
    window: Pair
    stride: Pair
    padding: str = "VALID"

    @property
    def conv(self) -> Conv:
        """Of the same geometry."""
        c = self.x[3]
        return Conv(self.x, (*self.window, c, c), self.stride, padding=self.padding)

    @property
    def y(self) -> tuple[int, int, int, int]:
        """The shape of the result."""
        return self.conv.y

    def attrs(self, data_format: str = "NHWC") -> dict[str, Any]:
        """As an op takes it."""
        in_order = (
            (lambda a: [1, *a, 1]) if data_format == "NHWC" else lambda a: [1, 1, *a]
        )
        made = {
            "ksize": in_order(self.window),
            "strides": in_order(self.stride),
            "padding": self.padding,
        }
        return made | ({"data_format": data_format} if data_format != "NHWC" else {})

    def __str__(self) -> str:
        """As reports show it."""
        return (
            f"x {text_of(self.x)}, window {text_of(self.window)}, stride "
            f"{text_of(self.stride)}, {self.padding}"
        )

    def pixels(self) -> Iterator[tuple[tuple[int, int, int], list[tuple[int, int, int]]]]:
        """Each window (n, p, q), and its pixels (n, h, w) inside of the image."""
        (places_h, top, _), (places_w, left, _) = self.conv.axis(0), self.conv.axis(1)
        for n, p, q in itertools.product(range(self.x[0]), range(places_h),
                                         range(places_w)):  # fmt: skip
            first = p * self.stride[0] - top, q * self.stride[1] - left
            rows = [first[0] + i for i in range(self.window[0])]
            columns = [first[1] + i for i in range(self.window[1])]
            yield (
                (n, p, q),
                [
                    (n, h, w)
                    for h in rows
                    for w in columns
                    if 0 <= h < self.x[1] and 0 <= w < self.x[2]
                ],
            )

    def winners(self, x: np.ndarray) -> np.ndarray:
        """For each window and channel the number of the first maximal pixel, n*h*w."""
        found = np.zeros(self.y, int)
        for place, pixels in self.pixels():
            seen = np.stack([x[pixel] for pixel in pixels])
            best = np.argmax(seen, 0)  # the first one; NaN before any number
            numbers = [(n * self.x[1] + h) * self.x[2] + w for n, h, w in pixels]
            found[place] = np.array(numbers)[best]
        return found

    def maxima(self, x: np.ndarray) -> np.ndarray:
        """MaxPool."""
        if x.size == 0:
            return np.zeros(self.y, x.dtype)
        flat = x.reshape(-1, self.x[3])
        return np.take_along_axis(
            flat, self.winners(x).reshape(-1, self.x[3]), 0
        ).reshape(self.y)

    def max_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """MaxPoolGrad."""
        dx = np.zeros(self.x, dy.dtype if dy.dtype.kind in "iu" else float)
        flat = dx.reshape(-1, self.x[3])
        channels = np.broadcast_to(np.arange(self.x[3]), self.y)
        np.add.at(flat, (self.winners(x), channels), dy)
        return dx

    def max_gradient_gradient(self, x: np.ndarray, ddx: np.ndarray) -> np.ndarray:
        """MaxPoolGradGrad."""
        flat = ddx.reshape(-1, self.x[3])
        return np.take_along_axis(
            flat, self.winners(x).reshape(-1, self.x[3]), 0
        ).reshape(self.y)

    def means(self, x: np.ndarray) -> np.ndarray:
        """AvgPool."""
        y = np.zeros(self.y)
        for place, pixels in self.pixels():
            y[place] = np.mean([x[pixel].astype(float) for pixel in pixels], 0)
        return y

    def mean_gradient(self, dy: np.ndarray) -> np.ndarray:
        """AvgPoolGrad."""
        dx = np.zeros(self.x)
        for place, pixels in self.pixels():
            for pixel in pixels:
                dx[pixel] += dy[place].astype(float) / len(pixels)
        return dx


def random_pool(draw: Draw, largest: int) -> Pool:
    """A pooling that fits."""
    while True:
        c = draw.one_of([1, 3, 4, 15, 16, 17, 21, 37])
        pool = Pool(
            (draw.whole(1, 2), draw.whole(1, largest), draw.whole(1, largest), c),
            (draw.whole(1, 4), draw.whole(1, 4)),
            (draw.whole(1, 4), draw.whole(1, 4)),
            draw.one_of(["SAME", "VALID"]),
        )
        if pool.conv.fits:
            return pool


def op_trial(
    title: str,
    op: str,
    inputs: list[np.ndarray],
    attrs: dict[str, Any],
    expected: list[np.ndarray],
    *,
    sizes: np.ndarray | None = None,
    threads: tuple[int, ...] = (0,),
) -> Trial:
    """An op whose outputs are known: exactly, or to some digits of ``sizes``.

    Args:
        title: What the report shows.
        op: Which one.
        inputs: Its inputs.
        attrs: Its attributes.
        expected: Its outputs.
        sizes: How large what was added up is.
        threads: It runs with so many, and gives the same bits each time.
    """

    def check(values: list[Any]) -> Mismatch | None:
        for got in values:
            if len(got) != len(expected):
                return Mismatch(f"{op} gives {len(got)} outputs, not {len(expected)}")
            for one, wanted in zip(got, expected, strict=True):
                wrong = (
                    close(one, wanted, what=op)
                    if sizes is None or inputs[-1].dtype.name not in TOLERANCE
                    else near(one, wanted, sizes, dtype=inputs[-1].dtype, what=op)
                )
                if wrong:
                    return wrong
            if got[0].tobytes() != values[0][0].tobytes():
                return Mismatch(f"{op} gives other bits with more threads")
        return None

    calls = [
        Call("run_op", {"op": op, "inputs": inputs, "attrs": attrs, "threads": count})
        for count in threads
    ]
    kinds = ", ".join(map(describe, inputs))
    return Trial(f"{op}({kinds}): {title}", calls, check)


def to_nchw(x: np.ndarray) -> np.ndarray:
    """The same images with the channels in front of the rows."""
    return np.ascontiguousarray(np.transpose(x, (0, 3, 1, 2)))
