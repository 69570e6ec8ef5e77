"""Lab 09: Winograd's transforms, one pixel or one tap at a time, and its tiles."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product

import numpy as np
from lab_09_conv.trials import (
    conv_trial,
    cropped,
    draw_geometry,
    formula,
    growing,
    near,
    numbers,
    one_call,
)
from lab_common.convolution import Geometry, counted, geometry

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import REAL, Draw

TAPS = (3, 3)


def _tile(c: int = 1, k: int = 1) -> Geometry:
    """One tile: 6x6 pixels, 4x4 places."""
    return geometry((1, 6, 6, c), (*TAPS, c, k))


def _one_pixel(draw: Draw, row: int, column: int, dtype: str) -> Trial:
    g = _tile()
    x = np.zeros(g.x, dtype)
    x[0, row, column, 0] = 1
    w = counted(g.filters, dtype)
    title = f"x is 1 at [0,{row},{column},0] only, {g.text()}"
    return conv_trial("winograd", g, x, w, title=title)


def _one_tap(draw: Draw, row: int, column: int, dtype: str) -> Trial:
    g = _tile()
    w = np.zeros(g.filters, dtype)
    w[row, column] = 1
    title = f"w is 1 at [{row},{column},0,0] only, {g.text()}"
    return conv_trial("winograd", g, counted(g.x, dtype), w, title=title)


def _any_tiles(draw: Draw, count: int, dtype: str) -> Iterator[Trial]:
    for i in range(count):
        g = _tile(draw.one_of([1, 3, 16, 17]), draw.one_of([1, 5, 17]))
        if i > count // 2:
            g = geometry((2, 9, 11, g.c), (*TAPS, g.c, g.k), padding="SAME")
        yield conv_trial("winograd", g, *numbers(draw, g, dtype))


# ---- 09.9: six pixels -----------------------------------------------------------------


@case("09.9", over=REAL)
def one_pixel_of_a_row(draw, dtype):
    """Each of the 6 pixels of a row reaches the places that see it."""
    for column in range(6):
        yield _one_pixel(draw, 0, column, dtype)


@case("09.9", over=REAL)
def one_pixel(draw, dtype):
    """Each of the 36 pixels of a tile."""
    for row in range(6):
        for column in range(6):
            yield _one_pixel(draw, row, column, dtype)


@case("09.9", over=REAL)
def tiles_of_pixels(draw, dtype):
    """Any pixels, several channels and tiles."""
    yield from _any_tiles(draw, 20, dtype)


@case("09.9")
def pixels_all_alike(draw):
    """On pixels that are all alike every place has the sum of the taps."""
    for value in (1, -3, 1000):
        g = _tile(2, 3)
        x = np.full(g.x, value, np.float32)
        title = f"all pixels are {value}, {g.text()}"
        w = draw.array(g.filters, "float32")
        yield conv_trial("winograd", g, x, w, title=title)


@case("09.9", hidden=True)
def more_tiles_of_pixels(draw):
    """Other numbers."""
    for dtype in REAL:
        yield from _any_tiles(draw, 20, dtype)


# ---- 09.10: three taps, four places ---------------------------------------------------


@case("09.10", over=REAL)
def one_tap(draw, dtype):
    """Each of the 9 taps alone shows a part of the image."""
    for row in range(3):
        for column in range(3):
            yield _one_tap(draw, row, column, dtype)


@case("09.10", over=REAL)
def tiles_of_taps(draw, dtype):
    """Any taps, several filters and tiles."""
    yield from _any_tiles(draw, 20, dtype)


@case("09.10", over=REAL)
def small_taps(draw, dtype):
    """Taps near 1e-8 and 1e-20 are not zero."""
    for scale in (1e-8, 1e-20):
        g = _tile(3, 5)
        x, w = numbers(draw, g, dtype)
        yield conv_trial("winograd", g, x, (w * scale).astype(dtype))


@case("09.10")
def turned_filters(draw):
    """A filter is neither turned nor transposed."""
    for taps in ([1, 2, 3], [1, 0, 0], [0, 0, 1]):
        for axis in (0, 1):
            g = _tile()
            w = np.zeros(g.filters, np.float32)
            w[:, 0, 0, 0] = taps
            w = np.swapaxes(w, 0, 1).copy() if axis else w
            where = "first row" if axis else "first column"
            title = f"the {where} of w is {taps}, {g.text()}"
            yield conv_trial("winograd", g, counted(g.x), w, title=title)


@case("09.10")
def one_place(draw):
    """Each of the 4x4 places, where one pixel and one tap meet."""
    for row in range(4):
        for column in range(4):
            g = _tile()
            x, w = np.zeros(g.x, np.float32), np.zeros(g.filters, np.float32)
            x[0, row + 1, column + 1, 0] = w[1, 1, 0, 0] = 1
            title = f"place [{row},{column}] alone sees a pixel, {g.text()}"
            yield conv_trial("winograd", g, x, w, title=title)


@case("09.10", hidden=True)
def more_tiles_of_taps(draw):
    """Other numbers."""
    for dtype in REAL:
        yield from _any_tiles(draw, 20, dtype)


# ---- 09.11: tiles ---------------------------------------------------------------------


def _sizes(draw: Draw, padding: str) -> Iterator[Geometry]:
    """1 to 9 places along each axis: a part of a tile, a whole one, several."""
    for h in range(3, 12):
        for w in (3, 4, 6, 7, 11):
            yield geometry((1 + h % 2, h, w, 2), (*TAPS, 2, 3), padding=padding)


@case("09.11", over=product(("winograd", "winograd2x2"), ("VALID", "SAME")))
def parts_of_tiles(draw, tier, padding):
    """Tiles that hang over the right and the lower end of the result."""
    for g in _sizes(draw, padding):
        yield conv_trial(tier, g, counted(g.x), counted(g.filters))


@case("09.11")
def tiles_of_two_by_two(draw):
    """The same functions make F(2x2, 3x3): several images, epilogues, channels."""
    for n, h, w, c, k in [(3, 7, 9, 3, 2), (2, 12, 10, 17, 33), (4, 5, 5, 1, 16)]:
        for epilogue in (False, True):
            g = geometry((n, h, w, c), (*TAPS, c, k), padding="SAME")
            x, w_ = numbers(draw, g, draw.one_of(REAL))
            yield conv_trial("winograd2x2", g, x, w_, epilogue=epilogue)


@case("09.11")
def zeros_around(draw):
    """Zeros on any side, as many as you like."""
    for pads in [
        ((1, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0)), ((0, 0), (0, 1)),
        ((2, 2), (2, 2)), ((5, 0), (0, 7)), ((0, 6), (5, 0)),
    ]:  # fmt: skip
        for c in (1, 17):
            g = geometry((2, 4, 5, c), (*TAPS, c, 2), (1, 1), "EXPLICIT", (1, 1), pads)
            yield conv_trial("winograd", g, *numbers(draw, g, "float32"))


@case("09.11")
def lanes(draw):
    """Channels and filters that fill no vector, one, and more."""
    for c in (1, 7, 8, 9, 16, 17, 33):
        for k in (1, 8, 15, 16, 17, 40):
            g = geometry((1, 5, 7, c), (*TAPS, c, k), padding="SAME")
            yield conv_trial("winograd", g, *numbers(draw, g, draw.one_of(REAL)))


@case("09.11")
def many_tiles(draw):
    """More tiles than are transformed together, through several images."""
    for n, h, w, c, k in [(3, 40, 50, 3, 2), (20, 9, 10, 5, 3), (1, 90, 70, 1, 1)]:
        for epilogue in (False, True):
            g = geometry((n, h, w, c), (*TAPS, c, k), padding="SAME")
            x, w_ = numbers(draw, g, "float32")
            yield conv_trial("winograd", g, x, w_, epilogue=epilogue)


@case("09.11")
def as_a_gradient(draw):
    """The gradient of an image is such a convolution of what comes back."""
    for n, h, w, c, k in [(1, 4, 4, 32, 32), (2, 7, 6, 33, 40)]:
        g = geometry((n, h, w, k), (*TAPS, k, c), padding="SAME")
        dy, turned = numbers(draw, g, "float32")
        filters = turned[::-1, ::-1].swapaxes(2, 3).copy()
        expected = formula(g, dy, turned)

        def check(got, expected=expected):
            return near(got, expected, 1e-5 * np.abs(expected).max())

        arguments = {"x_shape": [n, h, w, c], "w": filters, "dy": dy}
        title = f"tf.nn.conv2d_backprop_input of x [{n},{h},{w},{c}], w [3,3,{c},{k}]"
        yield one_call(title, "input_gradient", arguments, check)


@case("09.11", hidden=True)
def more_tiles(draw):
    """Other sizes, with epilogues, and pixels that are left out."""
    for g in growing(
        draw, 60,
        lambda size: draw_geometry(
            draw, 2 * size, taps=TAPS, strides=False, dilations=False
        ),
    ):  # fmt: skip
        chosen = cropped(draw, g) if draw.coin(0.3) else g
        chosen = replace(chosen, n=draw.whole(1, 3))
        x, w = numbers(draw, chosen, draw.one_of(REAL))
        yield conv_trial("winograd", chosen, x, w, epilogue=draw.coin())


@case("09.11", hidden=True)
def more_threads(draw):
    """The same bits for any number of threads."""
    for _ in range(4):
        c = draw.whole(20, 40)
        g = geometry((2, draw.whole(9, 30), draw.whole(9, 30), c), (*TAPS, c, 33),
                     padding="SAME")  # fmt: skip
        x, w = numbers(draw, g, "float32")

        def check(got):
            same = all(np.array_equal(one, got[0]) for one in got)
            return None if same else "the results differ"

        arguments = {
            "tier": "winograd", "geometry": asdict(g), "x": x, "w": w,
            "numbers": [1, 3, 5],
        }  # fmt: skip
        yield one_call(f"winograd, {g.text()}", "conv_in_threads", arguments, check)
