"""Lab 09: the image as the left matrix: rows with zeros, slivers of filters, runs."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from lab_09_conv.trials import (
    PADDINGS,
    conv_trial,
    cropped,
    draw_geometry,
    growing,
    numbers,
    one_call,
)
from lab_common.convolution import Geometry, counted, geometry

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 09.6: rows with zeros ------------------------------------------------------------


def _reach(taps: int, dilation: int) -> int:
    return (taps - 1) * dilation + 1


def _at_a_time(g: Geometry, dtype: str) -> int:
    """By the handout: rows of the result whose pixels fit 200 kB; 1 to P."""
    width = (g.q - 1) * g.stride_w + _reach(g.s, g.dilation_w)
    row_bytes = width * g.c * np.dtype(dtype).itemsize
    rows = 200_000 // (row_bytes + 1)
    count = 0
    while _reach(g.r, g.dilation_h) + count * g.stride_h <= rows and count < g.p:
        count += 1
    return max(1, count)


def _expected_rows(g: Geometry, x: np.ndarray, image: int, first: int, at_a_time: int):
    """With zeros wherever there is no pixel."""
    height = (at_a_time - 1) * g.stride_h + _reach(g.r, g.dilation_h)
    width = (g.q - 1) * g.stride_w + _reach(g.s, g.dilation_w)
    rows = np.zeros((height, width, g.c), x.dtype)
    top = first * g.stride_h - g.pad_top
    for i in range(height):
        for j in range(width):
            row, column = top + i, j - g.pad_left
            if 0 <= row < g.h and 0 <= column < g.w:
                rows[i, j] = x[image, row, column]
    return rows


def _rows_trial(g: Geometry, x: np.ndarray, pieces: list[tuple[int, int]]) -> Trial:
    at_a_time = _at_a_time(g, x.dtype.name)
    expected = [_expected_rows(g, x, *piece, at_a_time) for piece in pieces]

    def check(got: Any) -> Any:
        if got["at_a_time"] != at_a_time:
            return Mismatch(
                "rows of the result at a time", "", str(at_a_time), str(got["at_a_time"])
            )
        for (image, first), rows, copy in zip(
            pieces, expected, got["copies"], strict=True
        ):
            what = f"image {image}, what rows from {first} on see"
            if copy.size == rows.size:
                copy = copy.reshape(rows.shape)
            if wrong := close(copy, rows, what=what):
                return wrong
        return None

    arguments = {"geometry": asdict(g), "x": x, "pieces": pieces}
    title = f"{x.dtype.name}, {g.text()}, images and rows {pieces}"
    return one_call(title, "rows", arguments, check)


def _random_rows(draw: Draw, g: Geometry, dtype: str) -> Trial:
    pieces = [(0, 0)]
    pieces += [(draw.whole(0, g.n - 1), draw.whole(0, g.p - 1)) for _ in range(2)]
    return _rows_trial(g, draw.array(g.x, dtype, "plain"), pieces)


@case("09.6")
def rows_by_heart(draw):
    """Rows of 3x3 pixels, with zeros on all sides, on some, and on none."""
    for padding in PADDINGS[:2]:
        g = geometry((2, 3, 3, 1), (3, 3, 1, 1), padding=padding)
        yield _rows_trial(g, counted(g.x), [(0, 0), (1, 0)])
    for pads in [((1, 0), (0, 0)), ((0, 2), (0, 0)), ((0, 0), (2, 0)), ((0, 0), (0, 1))]:
        g = geometry((1, 3, 4, 2), (2, 2, 2, 1), (1, 1), "EXPLICIT", (1, 1), pads)
        yield _rows_trial(g, counted(g.x), [(0, 0)])


@case("09.6", over=PADDINGS)
def rows_of(draw, padding):
    """Any sizes, strides and dilations."""
    for g in growing(draw, 60, lambda size: draw_geometry(draw, size, padding=padding)):
        yield _random_rows(draw, g, draw.one_of(REAL))


@case("09.6")
def rows_left_out(draw):
    """Where the result begins inside of the image, or far outside of it."""
    for i in range(60):
        g = cropped(draw, draw_geometry(draw, i // 9))
        yield _random_rows(draw, g, "float32")
    for pads in [((5, 5), (5, 5)), ((0, 7), (9, 0)), ((6, 0), (0, 8))]:
        g = geometry((1, 2, 3, 2), (2, 2, 2, 1), (1, 1), "EXPLICIT", (1, 1), pads)
        yield _random_rows(draw, g, "float64")


@case("09.6")
def far_rows(draw):
    """Rows of the result that begin 2^31 rows of the image further down."""
    for far in (2**31, 2**32, 2**33 + 1):
        for pads in [(0, far), (far, 0)]:
            g = geometry((1, 1, 3, 2), (1, 1, 2, 1), (far, 1), "EXPLICIT", (1, 1),
                         (pads, (0, 0)))  # fmt: skip
            yield _rows_trial(g, counted(g.x), [(0, 0), (0, 1)])


def _large(draw: Draw) -> Geometry:
    """With more rows than are copied at a time; some have hardly room for one."""
    c = draw.one_of([1, 40, 200, 1000])
    r, dilation, stride = draw.whole(1, 4), draw.whole(1, 2), draw.whole(1, 3)
    width = max(3, draw.whole(20_000, 60_000) // c)
    g = geometry((1, 3 * r * dilation, width, c), (r, 2, c, 1), (stride, 1), "SAME",
                 (dilation, 1))  # fmt: skip
    # Few pixels, and as many rows of the result as are wanted.
    return replace(g, h=1, p=draw.whole(1, 60))


@case("09.6")
def rows_that_fit(draw):
    """As many rows as fit 200 kB, at least one, and no more than there are."""
    for width, c in [(100, 10), (500, 10), (999, 50), (500, 100), (1000, 100)]:
        for r, stride, gap in [(1, 1, 1), (3, 1, 1), (5, 2, 1), (3, 4, 1), (3, 1, 5)]:
            g = geometry((1, 1, width, c), (1, 1, c, 1))
            g = replace(g, r=r, stride_h=stride, dilation_h=gap, p=40)
            for dtype in REAL:
                yield _rows_trial(g, counted(g.x, dtype), [])
    # Rows whose bytes do not fit 32 bits; few pixels, and many places.
    for q in (2**28, 2**29, 2**30 + 5, 2**31):
        for dtype in REAL:
            g = replace(geometry((1, 1, 1, 4), (1, 1, 4, 1)), p=40, q=q)
            yield _rows_trial(g, counted(g.x, dtype), [])
    # Rows of 624 and 3124 bytes, and of a few more: 320 and 64 rows fit, to the byte.
    for size in (155, 156, 157, 780, 781, 782):
        g = replace(geometry((1, 1, size, 1), (1, 1, 1, 1)), p=400)
        yield _rows_trial(g, counted(g.x), [])


@case("09.6", hidden=True)
def more_rows(draw):
    """Other sizes."""
    for g in growing(draw, 80, lambda size: draw_geometry(draw, size)):
        chosen = cropped(draw, g) if draw.coin(0.3) else g
        yield _random_rows(draw, chosen, draw.one_of(REAL))


@case("09.6", hidden=True)
def more_rows_that_fit(draw):
    """Other large images."""
    for _ in range(40):
        g = _large(draw)
        yield _rows_trial(g, counted(g.x, draw.one_of(REAL)), [])


# ---- 09.7: slivers and runs -----------------------------------------------------------


@case("09.7", over=REAL)
def filters_in_slivers(draw, dtype):
    """1 to 100 filters: less than a sliver, whole ones, and a rest."""
    for k in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 65, 100]:
        g = geometry((1, 3, 4, 2), (2, 2, 2, k))
        yield conv_trial("direct", g, *numbers(draw, g, dtype, "whole"))


@case("09.7")
def one_tap_of_one_filter(draw):
    """Each number of the filters is multiplied by the pixel that it sees."""
    for w_shape, dilations in [
        ((2, 3, 1, 1), (1, 1)), ((3, 2, 2, 1), (1, 1)), ((2, 3, 2, 40), (1, 1)),
        ((2, 3, 2, 1), (1, 2)), ((3, 2, 2, 3), (2, 1)), ((2, 2, 3, 2), (3, 2)),
    ]:  # fmt: skip
        for at in range(0, int(np.prod(w_shape)), 1 + w_shape[3] // 8):
            g = geometry((1, 7, 8, w_shape[2]), w_shape, dilations=dilations)
            w = np.zeros(g.filters, np.float32)
            w.ravel()[at] = 1
            index = ",".join(map(str, np.unravel_index(at, w_shape)))
            yield conv_trial(
                "direct",
                g,
                counted(g.x),
                w,
                title=f"{g.text()}, w is 1 at [{index}] only",
            )


@case("09.7", over=[(1, 1), (1, 2), (2, 1), (3, 3)])
def runs(draw, rows, columns):
    """Taps side by side are one run, others are a run each."""
    for size in range(32):
        r, s, c = draw.whole(1, 4), draw.whole(1, 4), draw.one_of([1, 2, 3, 5])
        h, w = (r - 1) * rows + 1 + size // 8, (s - 1) * columns + 1 + size // 8
        g = geometry((2, h, w, c), (r, s, c, draw.whole(1, 20)), (1, 1), "VALID",
                     (rows, columns))  # fmt: skip
        dtype = draw.one_of(REAL)
        yield conv_trial("direct", g, *numbers(draw, g, dtype, "whole"))


@case("09.7")
def runs_far_apart(draw):
    """The last run begins more than 65536 numbers behind the first."""
    for x_shape, taps, dilations in [
        ((1, 4, 500, 70), (3, 2), (1, 1)), ((1, 12, 300, 41), (2, 1), (10, 1)),
        ((1, 2, 900, 100), (1, 2), (1, 800)),
    ]:  # fmt: skip
        g = geometry(x_shape, (*taps, x_shape[3], 2), (1, 7), "VALID", dilations)
        yield conv_trial("direct", g, *numbers(draw, g, "float32", "whole"))


@case("09.7")
def runs_with_zeros(draw):
    """Rows are as long as what they see, zeros included."""
    for g in growing(draw, 40, lambda size: draw_geometry(draw, size, filters=40)):
        yield conv_trial("direct", g, *numbers(draw, g, "float32", "whole"))


@case("09.7", hidden=True)
def more_runs(draw):
    """Other sizes."""
    for g in growing(draw, 60, lambda size: draw_geometry(draw, size, filters=80)):
        yield conv_trial("direct", g, *numbers(draw, g, draw.one_of(REAL), "whole"))


# ---- 09.8: the image as the left matrix -----------------------------------------------


@case("09.8", over=REAL)
def rows_of_any_length(draw, dtype):
    """1 to 45 places in a row: less than a panel, whole ones, and a rest."""
    for q in [*range(1, 17), 20, 27, 28, 29, 42, 43, 45]:
        stride, k = draw.whole(1, 2), draw.one_of([1, 5, 16, 33, 70])
        g = geometry((1, 3, (q - 1) * stride + 2, 2), (2, 2, 2, k), (1, stride))
        yield conv_trial("direct", g, *numbers(draw, g, dtype, "whole"))


@case("09.8")
def pieces_of_images(draw):
    """Images that are computed in several pieces, of which the last may be smaller."""
    for shape, taps, stride in [
        ((1, 40, 60, 33), (3, 3), 1), ((2, 31, 50, 40), (2, 1), 2),
        ((1, 30, 41, 70), (1, 1), 1), ((1, 37, 30, 101), (3, 2), 3),
    ]:  # fmt: skip
        for dtype in REAL:
            g = geometry(shape, (*taps, shape[3], 3), (stride, 1), "SAME")
            x, w = numbers(draw, g, dtype, "whole")
            yield conv_trial("direct", g, x, w, epilogue=draw.coin())


@case("09.8", hidden=True)
def more_pieces(draw):
    """Other large images."""
    for _ in range(10):
        c = draw.one_of([30, 65, 100])
        shape = (draw.whole(1, 2), draw.whole(20, 50), draw.whole(20, 50), c)
        g = geometry(shape, (draw.whole(1, 3), draw.whole(1, 3), c, draw.whole(1, 40)),
                     (draw.whole(1, 2), draw.whole(1, 2)), "SAME")  # fmt: skip
        x, w = numbers(draw, g, draw.one_of(REAL), "whole")
        yield conv_trial(
            "direct", g, x, w, epilogue=draw.coin(), threads=draw.whole(1, 3)
        )
