"""Lab 09: every tier beside the formula: values, borders, epilogues, threads, memory."""

from dataclasses import asdict, replace
from itertools import product
from typing import Any

import numpy as np
from lab_09_conv.trials import (
    PADDINGS,
    WINOGRAD_ERROR,
    Wrong,
    attrs_of,
    bound_of,
    conv_trial,
    cropped,
    draw_geometry,
    for_tiers,
    formula,
    growing,
    magnitude,
    near,
    numbers,
    one_call,
    op_trial,
    options_of,
    patches_of,
)
from lab_common.convolution import Geometry, counted, geometry

from minitf_lab.judge.case import case, close, wrong_kind
from minitf_lab.judge.draw import REAL

# Requirements M160 to M162: x and w count up from 1.
GOLDEN = [
    ((1, 2, 2, 1), (2, 2, 1, 2), 1, 1, "VALID", "50,60"),
    ((1, 2, 3, 3), (1, 1, 3, 3), 1, 1, "VALID",
     "30,36,42,66,81,96,102,126,150,138,171,204,174,216,258,210,261,312"),
    ((1, 2, 3, 3), (1, 2, 3, 3), 1, 1, "VALID",
     "231,252,273,384,423,462,690,765,840,843,936,1029"),
    ((1, 2, 3, 3), (2, 2, 3, 3), 1, 1, "VALID", "2271,2367,2463,2901,3033,3165"),
    ((1, 2, 3, 3), (2, 2, 3, 3), 2, 2, "VALID", "2271,2367,2463"),
    ((1, 2, 3, 3), (2, 2, 3, 3), 2, 2, "SAME", "2271,2367,2463,1230,1305,1380"),
    ((1, 3, 6, 1), (2, 2, 1, 1), 1, 2, "VALID", "58,78,98,118,138,158"),
    ((1, 7, 7, 1), (2, 2, 1, 1), 3, 3, "VALID", "65,95,275,305"),
    ((1, 3, 3, 1), (1, 1, 1, 1), 2, 2, "SAME", "1,3,7,9"),
    ((1, 4, 4, 1), (2, 2, 1, 1), 3, 3, "SAME", "44,28,41,16"),
    ((1, 8, 8, 1), (2, 2, 1, 1), 4, 4, "SAME", "72,112,392,432"),
]  # fmt: skip


@for_tiers("naive", "im2col", "implicit", "direct")
def known_numbers(draw, tier):
    """Small convolutions give the numbers that TensorFlow's tests have."""
    for x_shape, w_shape, down, across, padding, text in GOLDEN:
        g = geometry(x_shape, w_shape, (down, across), padding)
        expected = np.array(text.split(","), np.float64)
        yield op_trial(
            g, counted(g.x), counted(g.filters), padding, tier,
            expected=expected, tolerance=1e-5,
        )  # fmt: skip


# Requirement M163, eigen_spatial_convolutions_test.cc: the sizes, strides and dilations.
EIGEN = [
    ((1, 4, 5, 7), (3, 4, 7, 10), (1, 1), "SAME", (1, 1)),
    ((10, 5, 5, 13), (3, 3, 13, 7), (1, 1), "SAME", (1, 1)),
    ((10, 5, 5, 13), (4, 4, 13, 7), (1, 1), "VALID", (1, 1)),
    ((13, 5, 5, 10), (3, 3, 10, 7), (1, 2), "VALID", (1, 1)),
    ((13, 5, 5, 10), (3, 3, 10, 7), (2, 2), "VALID", (1, 1)),
    ((3, 8, 8, 3), (2, 2, 3, 5), (4, 4), "VALID", (1, 1)),
    ((3, 7, 7, 10), (3, 3, 10, 7), (1, 1), "VALID", (2, 2)),
]


@for_tiers()
def as_eigen_is_tested(draw, tier):
    """The sizes with which TensorFlow tests Eigen's convolution."""
    for x_shape, w_shape, strides, padding, dilations in EIGEN:
        g = geometry(x_shape, w_shape, strides, padding, dilations)
        if tier == "winograd":
            g = replace(geometry(x_shape, (3, 3, *w_shape[2:]), (1, 1), padding))
        x = 11 + draw.array(g.x, "float32", "signed")
        w = 2 + draw.array(g.filters, "float32", "signed")
        yield op_trial(g, x, w, padding, tier)


@for_tiers(over=product(REAL, PADDINGS))
def values(draw, tier, dtype, padding):
    """Any sizes, strides and dilations: each number of the result is the formula's."""
    options = options_of(tier)
    for g in growing(
        draw, 45, lambda size: draw_geometry(draw, size, padding=padding, **options)
    ):
        kind = "signed" if tier == "winograd" or draw.coin() else "whole"
        yield conv_trial(tier, g, *numbers(draw, g, dtype, kind))


def _shapes(tier: str) -> list[Geometry]:
    """Shapes that are somebody's pitfall."""
    found = [
        geometry((1, 1, 1, 1), (1, 1, 1, 1)),
        geometry((2, 3, 4, 5), (1, 1, 5, 3)),
        geometry((2, 4, 3, 2), (4, 3, 2, 3)),
        geometry((1, 5, 6, 2), (2, 4, 2, 2), padding="SAME"),
        geometry((1, 6, 5, 2), (4, 2, 2, 2), (2, 1), "SAME"),
        geometry((2, 7, 5, 1), (2, 1, 1, 3), (3, 2)),
        geometry((1, 1, 9, 3), (1, 3, 3, 2)),
        geometry((1, 9, 1, 3), (3, 1, 3, 2)),
        geometry((1, 2, 2, 3), (5, 5, 3, 2), padding="SAME"),
        geometry((1, 2, 3, 1), (3, 3, 1, 2), (1, 1), "SAME", (4, 3)),
        geometry((1, 3, 3, 2), (2, 2, 2, 2), (1, 1), "EXPLICIT", (1, 1),
                 ((4, 0), (0, 5))),
        geometry((2, 3, 3, 2), (1, 1, 2, 2), (1, 1), "EXPLICIT", (1, 1),
                 ((1, 2), (0, 1))),
        geometry((2, 4, 4, 2), (1, 1, 2, 3), (1, 1), "EXPLICIT", (1, 1),
                 ((0, 0), (1, -1))),
        geometry((2, 5, 4, 2), (1, 1, 2, 3), (2, 2), "SAME"),
        geometry((1, 3, 40, 2), (2, 3, 2, 37)),
    ]  # fmt: skip
    if tier == "winograd":
        return [
            geometry((2, g.h, g.w, g.c), (3, 3, g.c, g.k), padding="SAME") for g in found
        ]
    return found


@for_tiers()
def pitfalls(draw, tier):
    """1x1, a filter as large as the image, even ones, strides larger than the filter."""
    for g in _shapes(tier):
        for dtype in REAL:
            x = counted(g.x, dtype) - g.n * g.h * g.w * g.c // 2
            yield conv_trial(tier, g, x, counted(g.filters, dtype))


@for_tiers()
def left_out_pixels(draw, tier):
    """Fewer than no zeros: the result begins inside of the image, as for a gradient."""
    for g in growing(
        draw,
        30,
        lambda size: cropped(draw, draw_geometry(draw, size, **options_of(tier))),
    ):
        yield conv_trial(tier, g, *numbers(draw, g, "float32"))


@for_tiers()
def epilogues(draw, tier):
    """``rows_done`` gets each row once, when it is complete."""
    for g in growing(
        draw, 40, lambda size: draw_geometry(draw, size, **options_of(tier))
    ):
        dtype = draw.one_of(REAL)
        yield conv_trial(tier, g, *numbers(draw, g, dtype), epilogue=True)
    large = geometry((3, 40, 42, 8), (3, 3, 8, 70), padding="SAME")
    for threads in (1, 2, 3, 4):
        yield conv_trial(
            tier, large, *numbers(draw, large, "float32"), threads=threads, epilogue=True
        )


def _threads_trial(draw, tier: str, g: Geometry, dtype: str) -> Any:
    x, w = numbers(draw, g, dtype)
    expected, bound = formula(g, x, w), bound_of(tier, g, x, w)
    every = [1, 2, 3, 4, 1]

    def check(got: Any) -> Wrong:
        if wrong := near(got[0], expected, bound, "1 thread", dtype):
            return wrong
        for number, other in zip(every[1:], got[1:], strict=True):
            if wrong := close(other, got[0], what=f"{number} threads beside 1"):
                return wrong
        return None

    arguments = {"tier": tier, "geometry": asdict(g), "x": x, "w": w, "numbers": every}
    title = f"{tier}, {dtype}, {g.text()}, 1 to 4 threads"
    return one_call(title, "conv_in_threads", arguments, check)


@for_tiers()
def threads(draw, tier):
    """The bits are the same for any number of threads, and in every run."""
    taps = (3, 3) if tier == "winograd" else (2, 3)
    for n, size, c, k in [
        (1, 17, 8, 24),
        (3, 14, 17, 16),
        (2, 24, 8, 33),
        (5, 9, 32, 32),
    ]:
        g = geometry((n, size, size + 1, c), (*taps, c, k), padding="SAME")
        yield _threads_trial(draw, tier, g, draw.one_of(REAL))
    if tier != "winograd":
        pixels = geometry((2, 31, 30, 40), (1, 1, 40, 32))
        yield _threads_trial(draw, tier, pixels, "float32")


@for_tiers("naive", "im2col", "implicit", "direct", over=[("nan",), ("inf",)])
def special_pixels(draw, tier, kind):
    """An infinite pixel, or one that is no number, reaches the places that see it."""
    for g in growing(draw, 40, lambda size: draw_geometry(draw, size)):
        x, w = numbers(draw, g, "float32")
        for _ in range(draw.whole(1, 2)):
            x.ravel()[draw.whole(0, x.size - 1)] = float(kind) * draw.one_of([1, -1])
        yield conv_trial(
            tier, g, x, w, title=f"{kind} among the pixels, {g.text()}",
            epilogue=draw.coin(0.3),
        )  # fmt: skip


@case("09.11")
def special_pixels_of_tiles(draw):
    """An infinite pixel reaches the tiles of 4x4 places that see it, and no other."""
    options = options_of("winograd")
    for size in range(24):
        g = draw_geometry(draw, size // 4, **options)
        x, w = numbers(draw, g, "float32")
        finite = formula(g, x, w)
        bound = bound_of("winograd", g, x, w)
        x.ravel()[draw.whole(0, x.size - 1)] = draw.one_of([np.nan, np.inf])
        seen = ~np.isfinite(patches_of(g, x)).all((1, 2)).reshape(g.n, g.p, g.q)
        tiles = np.zeros((g.n, g.p, g.q), bool)
        for n, p, q in np.argwhere(seen):
            tiles[n, p // 4 * 4 : p // 4 * 4 + 4, q // 4 * 4 : q // 4 * 4 + 4] = True

        def check(got, finite=finite, bound=bound, seen=seen, tiles=tiles):
            if wrong := wrong_kind(got, "float32", finite.shape):
                return wrong
            expected = np.where(tiles[..., None], np.nan, finite)
            shown = np.where(tiles[..., None], np.nan, got)
            if wrong := near(shown.astype(np.float32), expected, bound, "other tiles"):
                return wrong
            if np.isfinite(got[seen]).any():
                return "a place that sees the pixel is a finite number"
            return None

        arguments = {"tier": "winograd", "geometry": asdict(g), "x": x, "w": w}
        title = f"winograd, float32, one pixel is no finite number, {g.text()}"
        yield one_call(title, "conv", arguments, check)


@for_tiers("naive", "im2col", "implicit", "direct", over=[("nan",), ("inf",)])
def special_beside_zero(draw, tier, kind):
    """What is inside of the image is multiplied, even if pixel or weight is zero."""
    for g in growing(draw, 20, lambda size: draw_geometry(draw, size)):
        where = draw.one_of(["pixels", "weights"])
        # A place has to see all taps: else it may have multiplied zeros outside, or not.
        chosen = g if where == "pixels" else geometry(g.x, (1, 1, g.c, g.k))
        x, w = numbers(draw, chosen, "float32", "whole")
        special = x if where == "pixels" else w
        special.ravel()[draw.whole(0, special.size - 1)] = float(kind)
        title = f"{kind} among the {where}, many zeros, {chosen.text()}"
        yield conv_trial(tier, chosen, x, w, title=title)


@for_tiers(over=[("nan",), ("inf",)])
def special_weights(draw, tier, kind):
    """A weight that is no finite number reaches all places of its filter."""
    options = options_of(tier)
    for g in growing(
        draw, 20, lambda size: draw_geometry(draw, size, padding="VALID", **options)
    ):
        x, w = numbers(draw, g, "float32")
        place = tuple(draw.whole(0, size - 1) for size in w.shape)
        w[place] = 0
        finite = w.copy()
        w[place] = float(kind)
        expected, bound = formula(g, x, w), bound_of(tier, g, x, finite)

        def check(got: Any, expected=expected, bound=bound) -> Wrong:
            if wrong := wrong_kind(got, "float32", expected.shape):
                return wrong
            special = ~np.isfinite(expected)
            if np.isfinite(np.asarray(got)[special]).any():
                return "a place of this filter is a finite number"
            # Tiles may make NaN of an infinity.
            shown = np.where(special, np.nan, got).astype(np.float32)
            return near(shown, np.where(special, np.nan, expected), bound, "the others")

        arguments = {"tier": tier, "geometry": asdict(g), "x": x, "w": w}
        title = f"{tier}, {kind} at {list(place)} of the filters, {g.text()}"
        yield one_call(title, "conv", arguments, check)


@for_tiers()
def long_and_many(draw, tier):
    """Rows of more than 256 places, more than 256 filters, more than 256 channels."""
    taps = (3, 3) if tier == "winograd" else (2, 3)
    for x_shape, k in [
        ((1, 4, 400, 1), 2), ((1, 400, 4, 1), 2), ((2, 4, 5, 2), 300),
        ((2, 4, 5, 300), 2),
    ]:  # fmt: skip
        g = geometry(x_shape, (*taps, x_shape[3], k), padding="SAME")
        yield conv_trial(tier, g, *numbers(draw, g, draw.one_of(REAL)))


@for_tiers()
def tiny_and_huge(draw, tier):
    """Numbers near 1e-20 and 1e15."""
    for kinds in [("tiny", "huge"), ("huge", "tiny"), ("tiny", "signed")]:
        for size in (2, 4):
            g = draw_geometry(draw, size, **options_of(tier))
            dtype = draw.one_of(REAL)
            x = draw.array(g.x, dtype, kinds[0])
            yield conv_trial(tier, g, x, draw.array(g.filters, dtype, kinds[1]))


@for_tiers()
def nothing(draw, tier):
    """Without images there is no result; without channels it is zero."""
    taps = (3, 3) if tier == "winograd" else (2, 3)
    for x_shape, k in [
        ((1, 3, 3, 1), 1), ((0, 5, 6, 2), 3), ((0, 3, 3, 1), 1), ((2, 5, 6, 0), 3),
        ((1, 3, 3, 0), 40),
    ]:  # fmt: skip
        g = geometry(x_shape, (*taps, x_shape[3], k))
        x, w = numbers(draw, g, "float32")
        if g.n > 0:
            yield conv_trial(tier, g, x, w, epilogue=True)
        yield op_trial(g, x, w, "VALID", tier)


# ---- Networks -------------------------------------------------------------------------


def _pooled(y: np.ndarray) -> np.ndarray:
    n, h, w, c = y.shape
    y = y[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c)
    return np.asarray(y.max((2, 4)))


@for_tiers()
def network(draw, tier):
    """LeNet's two convolutions, poolings and products give what numpy gives."""
    taps, paddings = (5, 5), ["SAME", "VALID"]
    if tier == "winograd":
        taps, paddings = (3, 3), ["SAME", "SAME"]
    for n, channels in [(1, (2, 3)), (3, (6, 16))]:
        x = draw.array((n, 28, 28, 1), "float32", "signed")
        shapes = [(*taps, 1, channels[0]), (*taps, channels[0], channels[1])]
        size = (5 if tier != "winograd" else 7) ** 2 * channels[1]
        weights = [
            (draw.array(shape, "float32", "signed") / np.sqrt(np.prod(shape[:-1])))
            for shape in [*shapes, (size, 12), (12, 10)]
        ]
        weights = [w.astype(np.float32) for w in weights]
        y = x.astype(np.float64)
        for w, padding in zip(weights[:2], paddings, strict=True):
            g = geometry(y.shape, w.shape, padding=padding)
            y = _pooled(np.tanh(formula(g, y, w)))
        expected = np.tanh(y.reshape(n, -1) @ weights[2]) @ weights[3]

        def check(got, expected=expected):
            return near(got, expected, 2e-5)

        arguments = {"x": x, "weights": weights, "paddings": paddings, "tier": tier}
        title = f"{n} images 28x28, {channels[0]} and {channels[1]} channels, by {tier}"
        yield one_call(title, "network", arguments, check)


# ---- Of one tier ----------------------------------------------------------------------


@case("09.1", over=[(2, "float32"), (3, "float64"), (5, "float32")])
def groups(draw, count, dtype):
    """Channels in groups: each filter sees those of its own group."""
    for g in growing(
        draw, 40,
        lambda size: draw_geometry(draw, size, groups=count, channels=(1, 2, 4)),
    ):  # fmt: skip
        yield conv_trial("naive", g, *numbers(draw, g, dtype, "whole"))


@case("09.1")
def depthwise(draw):
    """``tf.nn.depthwise_conv2d`` filters each channel apart."""
    for size in range(24):
        g = draw_geometry(draw, size // 4, padding=draw.one_of(PADDINGS[:2]), filters=3)
        stride = g.stride_h
        padding = draw.one_of(PADDINGS[:2])
        shape = (g.n, g.h + 3 * g.r, g.w + 3 * g.s, g.c)
        g = geometry(shape, (g.r, g.s, 1, g.c * g.k), (stride, stride), padding)
        x, w = numbers(draw, g, "float32", "whole")
        expected, bound = formula(g, x, w), bound_of("naive", g, x, w)

        def check(got, expected=expected, bound=bound):
            return near(got, expected, bound)

        attrs = {"strides": attrs_of(g, padding)["strides"], "padding": padding}
        filters = w.reshape(g.r, g.s, g.c, g.k // g.c)
        title = f"tf.nn.depthwise_conv2d, {padding}, {g.text()}"
        arguments = {"x": x, "w": filters, "attrs": attrs}
        yield one_call(title, "depthwise_conv2d", arguments, check)


# ---- For marks ------------------------------------------------------------------------


@for_tiers(hidden=True, over=product(REAL))
def more_values(draw, tier, dtype):
    """Other sizes, paddings and numbers."""
    for g in growing(
        draw, 60, lambda size: draw_geometry(draw, size, **options_of(tier))
    ):
        trial = {"epilogue": draw.coin(0.3), "threads": draw.whole(1, 4)}
        yield conv_trial(tier, g, *numbers(draw, g, dtype), **trial)


@for_tiers(hidden=True)
def more_left_out(draw, tier):
    """Zeros on one side, pixels left out on the other."""
    for g in growing(
        draw, 40, lambda size: draw_geometry(draw, size, **options_of(tier))
    ):
        chosen = cropped(draw, g)
        yield conv_trial(tier, chosen, *numbers(draw, chosen, draw.one_of(REAL)))


@for_tiers("naive", "im2col", "implicit", "direct", hidden=True)
def more_special(draw, tier):
    """Infinities and no numbers among the pixels."""
    for g in growing(draw, 40, lambda size: draw_geometry(draw, size)):
        x, w = draw.array(g.x, "float64", "special"), draw.array(g.filters, "float64")
        yield conv_trial(tier, g, x, w, title=f"special pixels, {g.text()}")


@for_tiers(hidden=True)
def more_filters(draw, tier):
    """Many filters, many channels."""
    options = options_of(tier)
    for _ in range(12):
        g = draw_geometry(draw, 3, channels=(1, 16, 33, 70), filters=100, **options)
        yield conv_trial(tier, g, *numbers(draw, g, draw.one_of(REAL)))


@case("09.11", hidden=True)
def error_of_winograd(draw):
    """The error stays below what the head of the file says, over a whole image."""
    for dtype in (*REAL, "float32"):
        for c in (64, 256):
            g = geometry((1, 21, 22, c), (3, 3, c, 8), padding="SAME")
            x, w = numbers(draw, g, dtype)
            limit = WINOGRAD_ERROR[dtype] * magnitude(g, x, w).max()
            expected = formula(g, x, w)

            def check(got, expected=expected, limit=limit, dtype=dtype):
                return near(got, expected, limit, dtype=dtype)

            arguments = {"tier": "winograd", "geometry": asdict(g), "x": x, "w": w}
            yield one_call(f"winograd, {dtype}, {g.text()}", "conv", arguments, check)
