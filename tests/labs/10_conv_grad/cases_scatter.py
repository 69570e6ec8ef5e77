"""Lab 10, task 3: patches are added to the images that they come from."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import Conv, near, random_conv

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import REAL, Draw


def _scattered(
    conv: Conv, x: np.ndarray, patches: np.ndarray, begin: int
) -> tuple[np.ndarray, np.ndarray]:
    """The images with the patches from place ``begin`` on; the sizes of what is added."""
    result, sizes = x.astype(float), np.abs(x).astype(float)
    _, rows, columns, _ = conv.y
    r, s = conv.w[:2]
    for i, patch in enumerate(patches.reshape(len(patches), r, s, conv.x[3])):
        n, place = divmod(begin + i, rows * columns)
        p, q = divmod(place, columns)
        for a, b in itertools.product(range(r), range(s)):
            h = p * conv.stride[0] + a * conv.dilation[0] - conv.axis(0)[1]
            w = q * conv.stride[1] + b * conv.dilation[1] - conv.axis(1)[1]
            if 0 <= h < conv.x[1] and 0 <= w < conv.x[2]:
                result[n, h, w] += patch[a, b]
                sizes[n, h, w] += np.abs(patch[a, b])
    return result, sizes


def _trial(
    draw: Draw, conv: Conv, dtype: str = "float64", part: tuple[int, int] | None = None
) -> Trial:
    """Adds the patches of some places to images that are not 0."""
    count = conv.y[0] * conv.y[1] * conv.y[2]
    begin, end = part or (0, count)
    x = draw.array(conv.x, dtype)
    patches = draw.array((end - begin, conv.w[0] * conv.w[1] * conv.x[3]), dtype)
    expected, sizes = _scattered(conv, x, patches, begin)

    def check(values: list[Any]) -> Mismatch | None:
        return near(values[0], expected, sizes, dtype=dtype, what="x")

    arguments = {
        "window": conv.window(), "x": x, "patches": patches, "begin": begin, "end": end,
    }  # fmt: skip
    title = f"patches of places {begin} to {end}, {dtype}: {conv}"
    return Trial(title, [Call("scatter", arguments)], check)


@case("10.3")
def by_heart(draw):
    """Patches of 1, 2, 3 and 4, from a 2 by 2 filter on an image of 2 by 3."""
    conv = Conv((1, 2, 3, 1), (2, 2, 1, 1))
    patches = np.array([[1.0, 2, 3, 4], [10, 20, 30, 40]])
    expected = np.array([[1.0, 12, 20], [3, 34, 40]]).reshape(conv.x)

    def check(values: list[Any]) -> Mismatch | None:
        return near(values[0], expected, expected, what="x")

    arguments = {
        "window": conv.window(), "x": np.zeros(conv.x), "patches": patches, "begin": 0,
        "end": 2,
    }  # fmt: skip
    yield Trial("1 2 / 3 4 and 10 20 / 30 40", [Call("scatter", arguments)], check)


@case("10.3", over=REAL)
def patches_of_all_kinds(draw, dtype):
    """Every padding, stride and dilation; what lies outside is dropped."""
    for i in range(40):
        yield _trial(draw, random_conv(draw, 2 + i // 7), dtype)


@case("10.3", over=["VALID", "SAME", "EXPLICIT"])
def table_of_patches(draw, padding):
    """Every stride with every dilation, of odd and even filters."""
    for stride, dilation, taps in itertools.product(
        [(1, 1), (2, 1), (1, 3), (4, 4)],
        [(1, 1), (2, 1), (1, 2), (3, 2)],
        [(1, 1), (3, 2)],
    ):
        conv = Conv(
            (2, 6, 7, 3), (*taps, 3, 1), stride, dilation, padding, ((2, 1), (0, 3))
        )
        if conv.fits:
            yield _trial(draw, conv)


@case("10.3")
def far_over_the_border(draw):
    """Windows that lie almost or wholly over the border add little or nothing."""
    for zeros in [((3, 3), (0, 0)), ((0, 0), (3, 3)), ((5, 0), (0, 5)), ((4, 4), (4, 4))]:
        for dilation in [(1, 1), (1, 2), (2, 1)]:
            conv = Conv((1, 2, 3, 2), (2, 2, 2, 1), (1, 1), dilation, "EXPLICIT", zeros)
            if conv.fits:
                yield _trial(draw, conv)


def _parts(draw: Draw, count: int) -> Iterator[Trial]:
    for _ in range(count):
        conv = random_conv(draw, 6)
        count = conv.y[0] * conv.y[1] * conv.y[2]
        begin = draw.whole(0, count)
        yield _trial(draw, conv, "float64", (begin, draw.whole(begin, count)))


@case("10.3")
def parts_of_places(draw):
    """Some places only, of several images."""
    yield from _parts(draw, 40)


@case("10.3", hidden=True)
def more_parts_of_places(draw):
    """Other places."""
    yield from _parts(draw, 60)


@case("10.3", hidden=True, over=REAL)
def more_patches(draw, dtype):
    """Others of all kinds."""
    for i in range(60):
        yield _trial(draw, random_conv(draw, 2 + i // 8), dtype)


@case("10.3")
def channels_of_patches(draw):
    """One channel to seventeen, and many that fill no vector."""
    for c in (1, 2, 3, 8, 17, 131, 1021):
        for dilation in [(1, 1), (2, 2)]:
            conv = Conv((1, 5, 5, c), (2, 3, c, 1), (1, 2), dilation, "SAME")
            yield _trial(draw, conv, "float32")
