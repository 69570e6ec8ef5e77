"""Lab 09: patches, gathered as a whole or in parts; how many at a time, and when none."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from itertools import product
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
    parts_trial,
    patches_of,
)
from lab_common.convolution import Geometry, counted, geometry

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 09.2: patches --------------------------------------------------------------------


def _patches_trial(g: Geometry, x: np.ndarray, begin: int, end: int) -> Trial:
    expected = patches_of(g, x)[begin:end].reshape(end - begin, g.patch_size)

    def check(got: Any) -> Any:
        return close(got, expected, what="the patches")

    arguments = {"geometry": asdict(g), "x": x, "begin": begin, "end": end}
    title = f"{x.dtype.name}, places [{begin},{end}) of {g.n * g.places}, {g.text()}"
    return one_call(title, "patches", arguments, check)


@case("09.2")
def patches_by_heart(draw):
    """A 2x2 filter on 3x3 pixels, and on 4x4."""
    for size in (3, 4):
        g = geometry((1, size, size, 1), (2, 2, 1, 1))
        yield _patches_trial(g, counted(g.x), 0, g.places)
    for padding, stride in [("SAME", 1), ("SAME", 2), ("VALID", 3)]:
        g = geometry((1, 4, 5, 2), (2, 2, 2, 1), (stride, stride), padding)
        yield _patches_trial(g, counted(g.x), 0, g.places)


@case("09.2")
def extracted_patches(draw):
    """``tf.extract_image_patches`` of 1 to 16 gives nine patches, and so on."""
    for dtype, rate in [("float32", 1), ("int32", 1), ("float64", 2), ("uint8", 1)]:
        g = geometry((1, 4, 4, 1), (2, 2, 1, 1), dilations=(rate, rate))
        x = counted(g.x, dtype)
        expected = patches_of(g, x).reshape(1, g.p, g.q, 4)

        def check(got, expected=expected):
            return close(got, expected)

        attrs = {
            "ksizes": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "rates": [1, rate, rate, 1],
            "padding": "VALID",
        }  # fmt: skip
        title = f"tf.extract_image_patches of {dtype} [1,4,4,1], 2x2, rate {rate}"
        yield one_call(title, "extract_patches", {"x": x, "attrs": attrs}, check)


def _random_patches(draw: Draw, g: Geometry, dtype: str) -> Trial:
    x = counted(g.x, dtype) if draw.coin() else draw.array(g.x, dtype, "plain")
    places = g.n * g.places
    begin = 0 if draw.coin(0.3) else draw.whole(0, places)
    end = places if draw.coin(0.3) else draw.whole(begin, places)
    return _patches_trial(g, x, begin, end)


@case("09.2", over=product(PADDINGS, ("float32", "float64")))
def some_patches(draw, padding, dtype):
    """Places [begin,end) of any convolution, through several images."""
    for g in growing(draw, 60, lambda size: draw_geometry(draw, size, padding=padding)):
        yield _random_patches(draw, g, dtype)


@case("09.2")
def patches_of_whole_numbers(draw):
    """Elements of any type are copied as they are."""
    for i in range(40):
        g = draw_geometry(draw, i // 6)
        dtype = draw.one_of(["int64", "uint8", "float16"])
        x = (draw.array(g.x, "float64", "plain") * 100).astype(dtype)
        if dtype == "int64":
            # Numbers of all sizes, most of which have more bits than a double.
            x = (x * 0x1234567890ABC7) ^ (x << draw.whole(0, 56))
        yield _patches_trial(g, x, 0, g.n * g.places)


@case("09.2")
def long_rows(draw):
    """Rows of a filter with few numbers below them, and with many."""
    for c, s in [(1, 1), (1, 33), (16, 2), (11, 3), (32, 1), (33, 1), (70, 3)]:
        for dilation in (1, 2):
            g = geometry((1, 2, s * dilation + 1, c), (2, s, c, 1), (1, 1), "SAME",
                         (1, dilation))  # fmt: skip
            yield _patches_trial(g, counted(g.x), 0, g.places)


@case("09.2")
def patches_beyond(draw):
    """Places that see nothing but zeros; pixels that are left out."""
    for g in [
        geometry(
            (1, 2, 2, 1), (1, 1, 1, 1), (1, 1), "EXPLICIT", (1, 1), ((3, 2), (2, 3))
        ),
        geometry(
            (1, 2, 2, 2), (2, 2, 2, 1), (1, 1), "EXPLICIT", (1, 1), ((4, 4), (4, 4))
        ),
        geometry((1, 1, 1, 1), (3, 3, 1, 1), (1, 1), "SAME", (5, 5)),
    ]:
        yield _patches_trial(g, counted(g.x), 0, g.places)
    for i in range(40):
        g = cropped(draw, draw_geometry(draw, i // 6))
        yield _random_patches(draw, g, "float32")


@case("09.2", hidden=True, over=[("float32",), ("float64",), ("int64",)])
def more_patches(draw, dtype):
    """Other sizes."""
    for g in growing(draw, 80, lambda size: draw_geometry(draw, size)):
        yield _random_patches(draw, cropped(draw, g) if draw.coin(0.3) else g, dtype)


# ---- 09.3: how many, and when none ----------------------------------------------------


def _pixels_trial(title: str, geometries: Iterable[Geometry]) -> Trial:
    chosen = list(geometries)

    def check(got: Any) -> Mismatch | None:
        for g, one in zip(chosen, got, strict=True):
            x = counted(g.x, "float64")
            expected = np.array_equal(patches_of(g, x).ravel(), x.ravel())
            # Larger filters and steps at a single place: to gather is right as well.
            is_open = expected and (g.r, g.s, g.stride_h, g.stride_w) != (1, 1, 1, 1)
            if one != expected and not is_open:
                return Mismatch(f"wrong: {g.text()}", "", str(expected), str(one))
        return None

    arguments = {"geometries": [asdict(g) for g in chosen]}
    return one_call(title, "are_all_pixels", arguments, check)


@case("09.3")
def pixels(draw):
    """A filter of one tap that goes to every pixel: nothing has to be gathered."""
    one = geometry((2, 3, 4, 5), (1, 1, 5, 2))
    yield _pixels_trial("a filter of 1x1", [one])
    yield _pixels_trial(
        "filters of more than 1x1, with as many places as pixels or not",
        [
            geometry((2, 3, 4, 5), taps, padding=padding)
            for taps in [(1, 2, 5, 2), (2, 1, 5, 2), (3, 3, 5, 2)]
            for padding in PADDINGS[:2]
        ],
    )
    yield _pixels_trial(
        "strides",
        [
            geometry((2, 3, 4, 5), (1, 1, 5, 2), strides, padding)
            for strides in [(1, 2), (2, 1), (2, 2)]
            for padding in PADDINGS[:2]
        ],
    )
    yield _pixels_trial(
        "strides, with so many zeros that there are as many places as pixels",
        [
            geometry((1, 3, 4, 2), (1, 1, 2, 1), strides, "EXPLICIT", (1, 1), pads)
            for strides, pads in [
                ((2, 1), ((0, 2), (0, 0))),
                ((2, 1), ((2, 0), (0, 0))),
                ((1, 2), ((0, 0), (0, 3))),
                ((1, 3), ((0, 0), (6, 0))),
                ((2, 2), ((0, 2), (0, 3))),
            ]
        ],
    )
    yield _pixels_trial(
        "images of one pixel, filters of one channel",
        [geometry((2, 1, 1, 5), (1, 1, 5, 2)), geometry((2, 4, 4, 1), (1, 1, 1, 1))],
    )


@case("09.3")
def padded_pixels(draw):
    """Zeros around the image have patches too."""
    pads = [((1, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 0), (2, 0)), ((0, 0), (0, 3)),
            ((1, 1), (1, 1))]  # fmt: skip
    yield _pixels_trial(
        "filters of 1x1, with zeros on some sides",
        [
            geometry((1, 3, 4, 2), (1, 1, 2, 1), (1, 1), "EXPLICIT", (1, 1), pad)
            for pad in pads
        ],
    )
    yield _pixels_trial(
        "filters of 1x1, any sizes and dilations",
        [
            draw_geometry(draw, 3, taps=(1, 1), strides=draw.coin(), padding=padding)
            for padding in PADDINGS * 8
        ],
    )
    left_out = [cropped(draw, draw_geometry(draw, 3, taps=(1, 1))) for _ in range(40)]
    yield _pixels_trial("filters of 1x1, pixels left out", left_out)
    shifted = geometry((2, 4, 4, 2), (1, 1, 2, 3))
    yield _pixels_trial(
        "as many zeros on one side as pixels left out on the other",
        [
            replace(shifted, pad_left=1, pad_right=-1),
            replace(shifted, pad_left=-1, pad_right=1),
            replace(shifted, pad_top=1, pad_bottom=-1),
            replace(shifted, pad_top=-2, pad_bottom=2),
        ],
    )
    yield _pixels_trial(
        "more rows and fewer columns, or the other way round",
        [
            replace(
                geometry((2, h, w, 2), (1, 1, 2, 3)), p=w, q=h, pad_bottom=w - h,
                pad_right=h - w,
            )
            for h, w in [(2, 3), (3, 2), (1, 6), (6, 1)]
        ],
    )  # fmt: skip


KB_400, MB_64 = 400_000, 64_000_000


def _count(patch_size: int, dtype: str) -> int:
    """By the handout: what fits 400 kB, from 16 to 1024; at most 64 MB; at least 1."""
    size = max(1, patch_size) * np.dtype(dtype).itemsize
    most = MB_64 // size
    count = KB_400 // size
    if count > 1024:
        return 1024
    if count < 16:
        count = 16 if most >= 16 else most
    return max(1, count)


def _sized(r: int, s: int, c: int) -> Geometry:
    return replace(geometry((1, r, s, c), (r, s, c, 1)))


def _count_trial(title: str, sizes: Iterable[tuple[int, int, int]], dtype: str) -> Trial:
    geometries = [_sized(*size) for size in sizes]

    def check(got: Any) -> Mismatch | None:
        for g, one in zip(geometries, got, strict=True):
            expected = _count(g.patch_size, dtype)
            if one != expected:
                text = f"patches of {g.r} x {g.s} x {g.c} numbers ({dtype})"
                return Mismatch(text, "", str(expected), str(one))
        return None

    arguments = {"geometries": [asdict(g) for g in geometries], "dtype": dtype}
    return one_call(f"{title}, {dtype}", "at_a_time", arguments, check)


@case("09.3", over=[("float32",), ("float64",)])
def at_a_time(draw, dtype):
    """As many patches as fit 400 kB, within bounds."""
    bytes_each = np.dtype(dtype).itemsize
    yield _count_trial("patches of 3x3", [(3, 3, c) for c in (32, 64, 100, 128)], dtype)
    yield _count_trial(
        "small patches", [(1, 1, 1), (1, 1, 3), (2, 2, 5), (3, 3, 3)], dtype
    )
    edges = [KB_400 // bytes_each // n for n in (1025, 1024, 1023, 17, 16, 15, 2)]
    yield _count_trial(
        "patches near the bounds",
        [(1, 1, c + d) for c in edges for d in (-1, 0, 1)],
        dtype,
    )
    huge = [MB_64 // bytes_each // n for n in (17, 16, 15, 2, 1)]
    yield _count_trial(
        "huge patches", [(1, 1, c + d) for c in huge for d in (-1, 0, 1)], dtype
    )
    yield _count_trial(
        "patches without channels", [(3, 3, 0), (1, 1, 0), (20, 30, 0)], dtype
    )
    yield _count_trial(
        "patches whose bytes do not fit 32 bits",
        [(1, 2**i, 2**j) for i in (0, 7) for j in (22, 23, 24, 29, 30, 31, 40)],
        dtype,
    )


@case("09.3", hidden=True)
def more_at_a_time(draw):
    """Other sizes."""
    for dtype in ("float32", "float64"):
        sizes = [
            (draw.whole(1, 9), draw.whole(1, 9), 2 ** draw.whole(0, 22))
            for _ in range(60)
        ]
        yield _count_trial("any patches", sizes, dtype)


@case("09.3", hidden=True)
def more_pixels(draw):
    """Other convolutions."""
    yield _pixels_trial(
        "small filters",
        [
            draw_geometry(draw, 2, taps=(draw.whole(1, 2), draw.whole(1, 2)))
            for _ in range(80)
        ],
    )
    yield _pixels_trial(
        "filters of 1x1", [draw_geometry(draw, 3, taps=(1, 1)) for _ in range(80)]
    )


# ---- 09.5: in parts -------------------------------------------------------------------


def _cuts(draw: Draw, size: int) -> list[tuple[int, int]]:
    """The whole, each third, and some."""
    cuts = [(0, size), (0, size // 3), (size // 3, size - size // 3), (size // 2, size)]
    for _ in range(4):
        first = draw.whole(0, size - 1)
        cuts.append((first, draw.whole(first + 1, size)))
    return [cut for cut in cuts if cut[0] < cut[1]]


@case("09.5")
def parts_by_heart(draw):
    """Any part of the patches of 2x2 and 3x3 filters on few pixels."""
    for taps, padding in [((2, 2), "VALID"), ((3, 3), "SAME"), ((1, 4), "SAME")]:
        g = geometry((1, 3, 4, 2), (*taps, 2, 1), padding=padding)
        size = g.patch_size
        cuts = [(i, j) for i in range(size) for j in range(i + 1, size + 1)]
        for place in range(g.places):
            yield parts_trial(g, counted(g.x), place, cuts)


@case("09.5", over=product(PADDINGS, ("float32", "float64")))
def parts(draw, padding, dtype):
    """Parts that begin and end in the middle of a row, of a tap, of the zeros."""
    for g in growing(draw, 60, lambda size: draw_geometry(draw, size, padding=padding)):
        x = draw.array(g.x, dtype, "plain")
        place = draw.whole(0, g.n * g.places - 1)
        yield parts_trial(g, x, place, _cuts(draw, g.patch_size))


@case("09.5")
def parts_beyond(draw):
    """Where pixels are left out, and where there is nothing but zeros."""
    for i in range(60):
        g = cropped(draw, draw_geometry(draw, i // 9))
        x = draw.array(g.x, "float32", "plain")
        place = draw.whole(0, g.n * g.places - 1)
        yield parts_trial(g, x, place, _cuts(draw, g.patch_size))


@case("09.5", over=REAL)
def deep_patches(draw, dtype):
    """Patches that are longer than what is multiplied at a time (512 numbers)."""
    for x_shape, taps in [
        ((1, 2, 3, 600), (1, 1)), ((2, 5, 7, 70), (3, 3)), ((1, 6, 6, 45), (5, 5)),
        ((1, 3, 9, 300), (1, 4)), ((3, 6, 9, 129), (2, 2)),
    ]:  # fmt: skip
        g = geometry(x_shape, (*taps, x_shape[3], 5), padding=draw.one_of(PADDINGS[:2]))
        yield conv_trial("implicit", g, *numbers(draw, g, dtype, "whole"))


@case("09.5", hidden=True)
def more_parts(draw):
    """Other sizes."""
    for g in growing(draw, 100, lambda size: draw_geometry(draw, size)):
        x = draw.array(g.x, "float64", "plain")
        place = draw.whole(0, g.n * g.places - 1)
        yield parts_trial(g, x, place, _cuts(draw, g.patch_size))
