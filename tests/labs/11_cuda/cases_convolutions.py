"""Lab 11: convolutions, from the formula, from shared memory and as products."""

import numpy as np
from lab_11_cuda.trials import (
    Conv,
    Counts,
    Options,
    conv_arguments,
    conv_inputs,
    conv_of,
    conv_trial,
    draw_conv,
    same,
    same_in_every_order,
)
from lab_common.tasks import for_tasks

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import REAL

TASKS = {
    "direct": "11.9",
    "input": "11.10",
    "filter": "11.11",
    "shared": "11.12",
    "im2col": "11.13",
    "tiles": "11.14",
}
FROM_FORMULA = ("direct", "input", "filter")


def of_kernels(*kernels, hidden=False):
    """Cases for each of these kernels, or for all."""
    tasks = [(TASKS[kernel], (kernel,)) for kernel in kernels or TASKS]
    return for_tasks(tasks, hidden=hidden)


def types_of(kernel):
    """Of the numbers that a kernel takes; those but the formula's have one type."""
    return REAL if kernel in FROM_FORMULA else ("float32",)


def drawn(draw, kernel, g, dtype="float32", kind="signed", **more):
    """With numbers by chance."""
    a, b, _ = conv_inputs(draw, g, kernel, dtype, kind)
    return conv_trial(g, kernel, a, b, **more)


@of_kernels()
def values(draw, kernel):
    """Any strides, dilations and zeros: each number is the formula's."""
    for i in range(24):
        dtype = draw.one_of(types_of(kernel))
        yield drawn(draw, kernel, draw_conv(draw, i // 6), dtype)


# Shapes that are somebody's pitfall.
PITFALLS = [
    conv_of((1, 1, 1, 1), (1, 1, 1)),
    conv_of((2, 3, 4, 5), (1, 1, 3)),
    conv_of((2, 4, 3, 2), (4, 3, 3)),
    same((1, 5, 6, 2), (2, 4, 2)),
    same((1, 6, 5, 2), (4, 2, 2), (2, 1)),
    conv_of((2, 7, 5, 1), (2, 1, 3), (3, 2)),
    conv_of((1, 1, 9, 3), (1, 3, 2)),
    conv_of((1, 9, 1, 3), (3, 1, 2)),
    same((1, 2, 2, 3), (5, 5, 2)),
    conv_of((1, 9, 8, 2), (2, 2, 3), (4, 3)),
    conv_of((1, 4, 4, 1), (3, 3, 2), (1, 1), (1, 1), (2, 2, 2, 2)),
    conv_of((1, 6, 7, 2), (2, 3, 2), (1, 2), (3, 2)),
    conv_of((1, 3, 3, 2), (2, 2, 2), zeros=(4, 0, 0, 5)),
]


@of_kernels()
def pitfalls(draw, kernel):
    """One pixel, one row, even filters, filters beyond the image, zeros all around."""
    for g in PITFALLS:
        yield drawn(draw, kernel, g, types_of(kernel)[0])


@of_kernels()
def numbers_by_heart(draw, kernel):
    """Numbers that count up from 1: what is at the wrong place shows."""
    for g in (conv_of((1, 3, 3, 1), (2, 2, 1)), same((1, 3, 3, 2), (2, 2, 2)),
              conv_of((2, 4, 5, 2), (3, 2, 3), (2, 1))):  # fmt: skip
        a, b, _ = conv_inputs(draw, g, kernel, "float32")
        a = np.arange(1, a.size + 1, dtype=np.float32).reshape(a.shape)
        b = np.arange(1, b.size + 1, dtype=np.float32).reshape(b.shape)
        yield conv_trial(g, kernel, a, b)


@of_kernels(*FROM_FORMULA)
def groups(draw, kernel):
    """Channels and filters in groups, down to one channel in each."""
    for i in range(9):
        g = draw_conv(draw, 1 + i // 4, groups=draw.whole(2, 4), channels=3)
        yield drawn(draw, kernel, g, draw.one_of(REAL))
    for g in (conv_of((1, 4, 5, 6), (2, 2, 6), groups=6),
              conv_of((2, 3, 4, 4), (2, 2, 8), groups=4)):  # fmt: skip
        yield drawn(draw, kernel, g)


@of_kernels(*FROM_FORMULA)
def more_numbers_than_threads(draw, kernel):
    """Results of more numbers than a small grid has threads."""
    for g in (
        same((2, 12, 11, 9), (3, 3, 7)),
        conv_of((1, 9, 9, 20), (2, 2, 30)),
        same((1, 30, 36, 2), (1, 1, 2)),
    ):
        yield drawn(draw, kernel, g)


@of_kernels()
def no_numbers(draw, kernel):
    """Without images, without channels and without places."""
    if kernel == "filter":
        for x in ((0, 4, 4, 2), (1, 1, 1, 2)):
            yield drawn(draw, kernel, conv_of(x, (2, 2, 3)))
        return
    yield drawn(draw, kernel, conv_of((1, 2, 2, 1), (1, 1, 1)))  # so few, to begin with
    yield drawn(draw, kernel, conv_of((0, 4, 4, 2), (2, 2, 3)))
    if kernel == "input":
        yield drawn(draw, kernel, conv_of((1, 2, 2, 2), (3, 3, 2)))
    else:
        yield drawn(draw, kernel, conv_of((2, 4, 4, 0), (2, 2, 3)))


@of_kernels("direct", "shared", "im2col", "tiles")
def special_pixels(draw, kernel):
    """Infinities and numbers that are none reach the places that see them alone."""
    for g in (
        same((1, 4, 5, 2), (3, 3, 2)),
        conv_of((1, 11, 10, 5), (3, 2, 3), (2, 1)),
        same((2, 9, 9, 4), (3, 3, 4)),
    ):
        x, w, _ = conv_inputs(draw, g, kernel, "float32", "plain")
        for value in (np.nan, np.inf):
            spoiled = x.copy()
            spoiled.reshape(-1)[draw.whole(0, x.size - 1)] = value
            yield conv_trial(g, kernel, spoiled, w)


@of_kernels(*FROM_FORMULA)
def nothing_times_infinity(draw, kernel):
    """Taps outside of the image are left out, also those with an infinite weight."""
    for g in (
        same((1, 4, 5, 2), (3, 3, 2)),
        conv_of((2, 5, 4, 2), (3, 2, 2), (2, 1), zeros=(2, 1, 1, 1)),
        same((1, 3, 3, 4), (3, 3, 4), groups=2),
    ):
        a, b, _ = conv_inputs(draw, g, kernel, "float64", "plain")
        for one in (a, b):
            before = one.copy()
            for _ in range(3):
                one.reshape(-1)[draw.whole(0, one.size - 1)] = np.inf
            yield conv_trial(g, kernel, a.copy(), b.copy())
            one[...] = before


@of_kernels()
def zeros_under_infinite_taps(draw, kernel):
    """Inside of the image, zero times infinity is no number and belongs to the sum."""
    for g in (conv_of((1, 4, 5, 2), (3, 3, 2)), conv_of((2, 9, 5, 5), (2, 2, 3), (2, 1))):
        for which in range(2):
            inputs = [*conv_inputs(draw, g, kernel, "float32", "plain")[:2]]
            inputs[1 - which][draw.array(inputs[1 - which].shape, "bool")] = 0
            spoiled = inputs[which].reshape(-1)
            spoiled[draw.whole(0, spoiled.size - 1)] = np.inf
            yield conv_trial(g, kernel, *inputs)


@of_kernels("direct", "shared", "im2col", "tiles")
def special_weights(draw, kernel):
    """An infinite weight meets the pixels of its own channel alone."""
    for c in (1, 2, 3, 4, 5, 7):
        g = conv_of((1, 5, 4, c), (2, 2, 3))
        for channel in range(c):
            x, w, _ = conv_inputs(draw, g, kernel, "float32", "plain")
            w[draw.whole(0, 1), draw.whole(0, 1), channel, draw.whole(0, 2)] = np.inf
            yield conv_trial(g, kernel, x, w)


@of_kernels()
def small_images(draw, kernel):
    """Images of few rows and columns, under filters and strides of any size."""
    for h, w in ((1, 1), (1, 2), (2, 1), (1, 4), (3, 1), (2, 3)):
        for taps, strides in (((3, 3), (2, 2)), ((3, 1), (3, 1)), ((2, 4), (1, 3))):
            yield drawn(draw, kernel, same((2, h, w, 2), (*taps, 3), strides))


@of_kernels("input", "filter")
def special_gradients(draw, kernel):
    """Infinities and numbers that are none go where their place has looked alone."""
    for g in (conv_of((1, 5, 5, 2), (2, 2, 3), (2, 2)), same((2, 5, 4, 2), (3, 3, 2))):
        a, b, _ = conv_inputs(draw, g, kernel, "float64", "plain")
        dy = (a if kernel == "input" else b).reshape(-1)
        dy[draw.whole(0, dy.size - 1)] = np.inf
        yield conv_trial(g, kernel, a, b)


@of_kernels()
def the_same_bits_each_time(draw, kernel):
    """Sums do not depend on which thread is first."""
    g = same((2, 6, 5, 4), (3, 3, 5))
    a, b, shape = conv_inputs(draw, g, kernel, "float32")
    yield same_in_every_order(
        f"{kernel}, {g.text()}", "conv", conv_arguments(g, kernel, a, b, shape)
    )


@of_kernels(hidden=True)
def more_values(draw, kernel):
    """Other convolutions, in other orders of threads."""
    for i in range(12):
        options = Options(seed=i, preempt=10 * (i % 2))
        dtype = draw.one_of(types_of(kernel))
        yield drawn(draw, kernel, draw_conv(draw, 1 + i // 4), dtype, options=options)


# ---- What is counted ------------------------------------------------------------------


@case("11.9")
def neighbours_have_neighbouring_filters(draw):
    """The lanes of a warp have filters side by side: they use whole sectors."""
    for g in (conv_of((1, 3, 3, 2), (2, 2, 32)), same((1, 4, 3, 3), (3, 3, 64)),
              conv_of((1, 9, 8, 1), (2, 2, 32))):  # fmt: skip
        yield drawn(draw, "direct", g, counts=Counts())


@case("11.10")
def neighbours_have_neighbouring_channels(draw):
    """The lanes of a warp have channels side by side: they write whole sectors."""
    for g in (conv_of((1, 3, 3, 32), (2, 2, 3)), same((1, 9, 4, 64), (3, 3, 2))):
        yield drawn(draw, "input", g, counts=Counts(("global-store",)))


@case("11.11")
def neighbours_have_neighbouring_filters_there(draw):
    """The lanes of a warp have filters side by side: they use whole sectors."""
    for g in (conv_of((1, 3, 3, 2), (2, 2, 32)), same((2, 3, 3, 2), (3, 3, 64)),
              conv_of((1, 2, 2, 32), (1, 1, 64))):  # fmt: skip
        yield drawn(draw, "filter", g, counts=Counts())


@of_kernels(*FROM_FORMULA)
def each_number_is_stored_once(draw, kernel):
    """A thread adds up in a register, and stores its sum once."""
    for g in (same((2, 5, 4, 3), (3, 3, 4)), conv_of((2, 7, 8, 18), (2, 2, 21))):
        a, b, shape = conv_inputs(draw, g, kernel, "float32")
        counts = Counts((), stored=4 * int(np.prod(shape)))
        yield conv_trial(g, kernel, a, b, counts=counts)


# ---- From shared memory ---------------------------------------------------------------


def _parts(g: Conv) -> tuple[int, int]:
    """Bytes of the image, and of filters, that all blocks load."""
    rows = 7 * g.stride_h + (g.r - 1) * g.dilation_h + 1
    columns = 7 * g.stride_w + (g.s - 1) * g.dilation_w + 1
    tiles = -(-g.p // 8) * -(-g.q // 8) * g.n
    image = -(-g.k // 32) * tiles * rows * columns * g.c * 4
    filters = tiles * 8 * g.r * g.s * g.c * g.k * 4
    return image, filters


@case("11.12")
def pixels_once_for_a_block(draw):
    """A block loads its part of the image once, and lanes meet in no bank."""
    for g in (
        same((1, 8, 8, 4), (3, 3, 32)),
        same((1, 16, 16, 8), (3, 3, 32)),
        conv_of((2, 10, 10, 4), (3, 3, 64)),
    ):
        image, filters = _parts(g)
        counts = Counts(
            ("global-store",),
            loaded=image + filters,
            stored=4 * g.n * g.p * g.q * g.k,
            shared=True,
        )
        yield drawn(draw, "shared", g, counts=counts)


@case("11.12")
def filters_in_whole_sectors(draw):
    """The lanes of a warp have filters side by side."""
    g = conv_of((1, 8, 8, 32), (1, 1, 32))
    counts = Counts(("global-load", "global-store"), shared=True)
    yield drawn(draw, "shared", g, counts=counts)


@case("11.12")
def many_tiles(draw):
    """Several tiles of places and of filters, the last ones not full."""
    for g in (
        same((1, 9, 8, 1), (3, 3, 33)),
        same((2, 17, 7, 3), (2, 2, 31)),
        conv_of((1, 20, 19, 5), (3, 3, 40), (2, 2)),
        conv_of((1, 24, 10, 9), (2, 3, 2), (1, 1), (2, 3), (3, 0, 0, 4)),
    ):
        yield drawn(draw, "shared", g)


@case("11.12")
def many_channels(draw):
    """Channels in portions of 4, the last one not full."""
    for channels in (3, 4, 5, 8, 9, 13):
        yield drawn(draw, "shared", same((1, 5, 6, channels), (3, 3, 2)))


# ---- As products ----------------------------------------------------------------------


@of_kernels("im2col", "tiles")
def patches_as_they_are(draw, kernel):
    """Filters that pick one number each: the result is the matrix of patches."""
    for g in (
        conv_of((1, 3, 4, 2), (2, 2, 8)),
        same((2, 4, 3, 3), (2, 3, 18)),
        conv_of((1, 7, 6, 1), (3, 3, 9), (2, 3), (1, 1), (1, 0, 2, 0)),
        same((1, 5, 5, 4), (3, 3, 36)),
    ):
        x, w, _ = conv_inputs(draw, g, kernel, "float32")
        yield conv_trial(g, kernel, x, np.eye(g.k, dtype=np.float32).reshape(w.shape))


@of_kernels("im2col", "tiles")
def channels_by_four_and_not(draw, kernel):
    """As many channels as can be read at once, and others."""
    for channels in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20):
        yield drawn(draw, kernel, same((1, 4, 5, channels), (3, 3, 5)))
        yield drawn(draw, kernel, conv_of((1, 5, 4, channels), (2, 1, 3), (2, 1)))


@of_kernels("im2col", "tiles")
def more_places_than_a_tile(draw, kernel):
    """More places and more filters than one tile has, and a grid that goes on."""
    for g in (same((2, 9, 9, 4), (3, 3, 66)), conv_of((3, 8, 7, 3), (2, 2, 10))):
        yield drawn(draw, kernel, g)


@case("11.13")
def lines_behind_the_last(draw):
    """The tiles of a product ask for more places than there are; these have no image."""
    for g in (conv_of((1, 3, 3, 2), (2, 2, 3)), same((3, 5, 5, 4), (3, 3, 4))):
        yield drawn(draw, "tiles", g)


@case("11.13")
def patches_in_whole_sectors(draw):
    """Neighbouring threads write neighbouring numbers of the matrix of patches."""
    for g in (conv_of((1, 5, 5, 32), (2, 2, 4)), same((1, 6, 6, 16), (3, 3, 8))):
        numbers = g.n * g.p * g.q * (g.r * g.s * g.c + g.k)
        counts = Counts(("global-store",), stored=4 * numbers, banks=False)
        yield drawn(draw, "im2col", g, counts=counts)


def _requests(g: Conv) -> float:
    """How often warps ask for numbers if four come at a time, in tiles of 64 by 64."""
    depth = -(-g.r * g.s * g.c // 16)
    tiles = -(-g.n * g.p * g.q // 64) * -(-g.k // 64)
    return tiles * depth * 2 * (64 * 16 / 4 / 32)


@case("11.14")
def four_numbers_at_a_time(draw):
    """Where channels are a multiple of four, a thread loads four at once."""
    for g in (same((1, 8, 8, 4), (3, 3, 64)), conv_of((1, 9, 9, 16), (2, 2, 64))):
        counts = Counts((), requests=_requests(g), banks=False)
        yield drawn(draw, "tiles", g, counts=counts)


@case("11.14")
def images_that_begin_anywhere(draw):
    """Channels by four, but not at a multiple of 16 bytes: one by one, or it is wrong."""
    for g in (same((1, 4, 5, 4), (3, 3, 5)), conv_of((2, 3, 4, 8), (2, 2, 3))):
        yield drawn(draw, "tiles", g, shift=draw.whole(1, 3))
    yield drawn(draw, "tiles", conv_of((2, 4, 4, 0), (2, 2, 3)), shift=4)  # no channels


@case("11.14")
def nothing_beyond_the_patch(draw):
    """Patches whose length is no multiple of 4, with infinite numbers beyond."""
    for g in (
        conv_of((1, 4, 4, 1), (1, 3, 2)),
        conv_of((1, 5, 4, 3), (2, 3, 2)),
        conv_of((1, 6, 6, 5), (1, 1, 3)),
        same((1, 4, 4, 7), (3, 1, 2)),
    ):
        x, w, _ = conv_inputs(draw, g, "tiles", "float32", "plain")
        spoiled = x.copy()
        spoiled[..., -1, -1, :] = np.inf
        yield conv_trial(g, "tiles", spoiled, w)
