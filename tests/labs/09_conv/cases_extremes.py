"""Lab 09: taps that are far away, images far down the batch, sizes that are zero."""

from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np
from lab_09_conv.trials import (
    bound_of,
    conv_trial,
    for_tiers,
    formula,
    near,
    numbers,
    one_call,
    parts_trial,
    patches_of,
    same_bits,
)
from lab_common.convolution import Geometry, counted, geometry

from minitf_lab.judge.case import Trial, case, close


def _far(along: int) -> Iterator[Geometry]:
    """Convolutions of few pixels whose taps, or places, are 2^31 rows apart and more.

    Args:
        along: 0 for rows, 1 for columns.
    """
    for far in (2**31, 2**32, 2**33 + 1):
        for one_step, before, after in [
            ((1, far), 0, far),  # (stride, dilation): the second tap is far outside
            ((1, far), far, 0),  # the first one
            ((far, 1), 0, far),  # the second place
            ((far, 1), far, 1),  # the first one
        ]:
            taps, steps, gaps, pads = [1, 1], [1, 1], [1, 1], [(0, 0), (0, 0)]
            taps[along], (steps[along], gaps[along]) = 2, one_step
            pads[along] = before, after
            size = [3, 3]
            size[along] = 2
            yield geometry(
                (2, *size, 2), (*taps, 2, 3), tuple(steps), "EXPLICIT", tuple(gaps),
                tuple(pads),
            )  # fmt: skip


def _gathered(g: Geometry, x: np.ndarray) -> Trial:
    """All patches, to the bit."""
    expected = patches_of(g, x).reshape(g.n * g.places, g.patch_size)
    arguments = {"geometry": asdict(g), "x": x, "begin": 0, "end": g.n * g.places}
    return one_call(
        f"{x.dtype.name}, {g.text()}", "patches", arguments,
        lambda got: same_bits(np.reshape(got, expected.shape), expected, "the patches"),
    )  # fmt: skip


@for_tiers("naive", "im2col", "implicit", over=[(0,), (1,)])
def far_taps(draw, tier, along):
    """Rows or columns that do not fit 32 bits."""
    for g in _far(along):
        yield conv_trial(tier, g, *numbers(draw, g, "float32"))


@for_tiers(over=[("rows",), ("columns",)])
def far_inside(draw, tier, along):
    """The result begins 2^31 numbers behind the first of the image, and more."""
    for small, far in [
        (geometry((1, 7, 8, 3), (3, 3, 3, 2)), 2**28),
        (geometry((1, 6, 6, 1), (3, 3, 1, 5)), 2**33 + 1),
        (geometry((1, 9, 7, 20), (3, 3, 20, 40)), 2**25 + 3),
    ]:
        one, g = small, replace(small, h=small.h + far, pad_top=-far)
        if along == "columns":  # of a single row, so that there is no gap behind it
            one = replace(small, h=1, r=1, p=1)
            g = replace(one, w=one.w + far, pad_left=-far)
            if tier == "winograd":
                one = replace(small, h=3, p=1)
                g = replace(one, h=one.h + far, pad_top=-far)
        x, w = numbers(draw, one, "float32")
        expected, bound = formula(one, x, w), bound_of(tier, one, x, w)
        in_front = far * (one.w if g.h > one.h else 1) * one.c
        arguments = {
            "tier": tier, "geometry": asdict(g), "x": x, "w": w, "in_front": in_front,
        }  # fmt: skip
        yield one_call(
            f"{tier}, float32, {g.text()}", "conv", arguments,
            lambda got, expected=expected, bound=bound: near(got, expected, bound),
        )  # fmt: skip


@case("09.6")
def rows_of_one_image(draw):
    """Rows of an image whose numbers lie more than 2^31 behind those of the first."""
    for shape in [(2**31 + 3, 1, 2, 1), (2**20, 64, 64, 1), (2**33, 2, 1, 3)]:
        g = geometry(shape, (1, 1, shape[3], 1))
        x = counted((1, *shape[1:]))
        pieces = [(g.n - 1, 0)]
        arguments = {
            "geometry": asdict(g), "x": x, "pieces": pieces,
            "in_front": (g.n - 1) * x.size,
        }  # fmt: skip
        yield one_call(
            f"what the last image of {g.text()} has", "rows", arguments,
            lambda got, x=x: close(got["copies"][0].ravel(), x.ravel(), what="rows"),
        )  # fmt: skip


@case("09.2", over=[(0,), (1,)])
def far_patches(draw, along):
    """Taps and places that are 2^31 rows away, and more."""
    for g in _far(along):
        yield _gathered(g, counted(g.x))


@case("09.2")
def patches_of_one_image(draw):
    """Places of an image whose numbers lie more than 2^31 behind those of the first."""
    for shape in [(2**31 + 3, 1, 2, 1), (2**20, 64, 64, 1), (2**33, 1, 1, 3)]:
        g = geometry(shape, (1, 2 if shape[2] > 1 else 1, shape[3], 1))
        one = geometry((1, *shape[1:]), g.filters)
        x = counted(one.x)
        expected = patches_of(one, x).reshape(one.places, g.patch_size)
        arguments = {
            "geometry": asdict(g), "x": x, "begin": (g.n - 1) * g.places,
            "end": g.n * g.places, "in_front": (g.n - 1) * x.size,
        }  # fmt: skip
        yield one_call(
            f"the last of {g.text()}", "patches", arguments,
            lambda got, expected=expected: close(got, expected, what="the patches"),
        )  # fmt: skip


@case("09.2")
def patches_to_the_bit(draw):
    """Negative zeros stay negative, and what is no number is copied, too."""
    for dtype in ("float32", "float64", "float16"):
        g = geometry((2, 3, 4, 3), (2, 2, 3, 1), padding="SAME")
        x = draw.array(g.x, "float64", "plain").astype(dtype)
        x.ravel()[::3] = -0.0
        x.ravel()[5::11] = -np.inf
        yield _gathered(g, x)


@case("09.2")
def patches_of_many_channels(draw):
    """Taps of 1000 numbers and more."""
    for c in (1023, 1024, 1025, 5000, 70_000):
        g = geometry((1, 1, 2, c), (1, 1, c, 1))
        yield _gathered(g, counted(g.x))


@case("09.2")
def no_patches(draw):
    """Without pixels, places or images there is nothing to write."""
    for shape, padding in [
        ((1, 0, 3, 2), "SAME"), ((2, 3, 0, 2), "SAME"), ((0, 3, 3, 2), "SAME"),
        ((2, 3, 3, 0), "SAME"), ((2, 1, 1, 1), "VALID"),
    ]:  # fmt: skip
        g = geometry(shape, (2, 2, shape[3], 1), padding=padding)
        x = counted(g.x)
        yield _gathered(g, x)


def _halves(g: Geometry) -> list[tuple[int, int]]:
    """The whole of a patch, and each half."""
    size = g.patch_size
    return [(0, size), (0, size // 2), (size // 2, size)]


@case("09.5", over=[(0,), (1,)])
def far_parts(draw, along):
    """Parts of patches whose taps are 2^31 rows or columns apart."""
    for g in _far(along):
        for place in range(g.n * g.places):
            yield parts_trial(g, counted(g.x), place, _halves(g))


@case("09.5")
def parts_to_the_bit(draw):
    """Negative zeros stay negative."""
    for dtype in ("float32", "float64"):
        g = geometry((2, 3, 4, 3), (2, 2, 3, 1), padding="SAME")
        x = draw.array(g.x, dtype, "plain")
        x.ravel()[::2] = -0.0
        for place in range(g.n * g.places):
            yield parts_trial(g, x, place, _halves(g))


@case("09.5")
def parts_of_large_filters(draw):
    """Filters of more rows or columns than a usual one."""
    for taps in [(7, 7), (11, 3), (3, 11), (16, 1), (1, 19), (9, 9)]:
        g = geometry((1, *taps, 2), (*taps, 2, 1))
        yield parts_trial(g, counted(g.x), 0, _halves(g))
