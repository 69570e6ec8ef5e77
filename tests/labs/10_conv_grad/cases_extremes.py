"""Lab 10, all tasks: taps far apart, huge windows, many channels, infinite numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import Conv, Pool, near, op_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import REAL, Draw

# ---- Taps that are so far apart that the distance does not fit into 32 bits ----------

FAR = 2**32


def _far_convs() -> list[tuple[Conv, Conv]]:
    """Convolutions of far taps, and others with the same numbers.

    A tap that is farther away than the image is large sees nothing, however far it is.
    """
    made = []
    for taps in [(3, 3), (5, 1), (1, 3)]:
        for distances in [(FAR, FAR), (FAR, 1), (1, FAR), (FAR // 2, FAR // 2)]:
            conv = Conv((2, 5, 4, 2), (*taps, 2, 3), dilation=distances, padding="SAME")
            same = tuple(min(one, 6) for one in distances)
            made.append((conv, replace(conv, dilation=(same[0], same[1]))))
    return made


def _far_trial(draw: Draw, conv: Conv, same: Conv, part: str, tier: str) -> Trial:
    one, dy = draw.array(conv.w if part == "input" else conv.x), draw.array(same.y)
    formula = same.input_gradient if part == "input" else same.filter_gradient
    expected, sizes = formula(one, dy), formula(np.abs(one), np.abs(dy))
    what = "dx" if part == "input" else "dw"

    def check(values: list[Any]) -> Mismatch | None:
        return near(values[0], expected, sizes, what=what)

    arguments = conv.call(part, tier, one, dy)
    title = f"the gradient {what}, tier {tier}: {conv}"
    return Trial(title, [Call("conv_gradient", arguments)], check)


@case("10.1")
def far_taps_of_images(draw):
    """Taps so far apart that only one at a time is inside of the image."""
    for conv, same in _far_convs():
        yield _far_trial(draw, conv, same, "input", "naive")


@case("10.2")
def far_taps_of_filters(draw):
    """Taps so far apart that only one at a time is inside of the image."""
    for conv, same in _far_convs():
        yield _far_trial(draw, conv, same, "filter", "naive")


@case("10.3")
def far_taps_of_patches(draw):
    """Taps so far apart that only the middle one is inside of the image."""
    for shape in [(1, 1, 1, 1), (2, 5, 4, 3)]:
        conv = Conv(shape, (3, 3, shape[3], 1), dilation=(FAR, FAR), padding="SAME")
        x, patches = draw.array(shape), draw.array((*shape[:3], 3, 3, shape[3]))
        middle = patches[:, :, :, 1, 1]

        def check(
            values: list[Any], x: np.ndarray = x, middle: np.ndarray = middle
        ) -> Mismatch | None:
            return near(values[0], x + middle, np.abs(x) + np.abs(middle), what="x")

        count = int(np.prod(shape[:3]))
        arguments = {
            "window": conv.window(), "x": x, "patches": patches.reshape(count, -1),
            "begin": 0, "end": count,
        }  # fmt: skip
        yield Trial(f"all patches: {conv}", [Call("scatter", arguments)], check)


@case("10.4")
def far_taps_of_products(draw):
    """Taps so far apart that only one at a time is inside of the image."""
    for conv, same in _far_convs():
        yield _far_trial(draw, conv, same, "input", "im2col")


@case("10.6", over=("direct", "winograd"))
def filters_that_change(draw, tier):
    """Other filters in the same memory, as after each step of training."""
    conv = Conv((1, 5, 6, 2), (3, 3, 2, 3), padding="SAME")
    ones = [draw.array(conv.w) for _ in range(3)]
    dy = draw.array(conv.y)

    def check(values: list[Any]) -> Mismatch | None:
        for got, one in zip(values[0], ones, strict=True):
            expected = conv.input_gradient(one, dy)
            sizes = conv.input_gradient(np.abs(one), np.abs(dy))
            if wrong := near(got, expected, sizes, factor=100, what="dx"):
                return wrong
        return None

    arguments = {"tier": tier, "window": conv.window(), "ones": ones, "dy": dy}
    title = f"three times dx, tier {tier}, of filters in the same memory: {conv}"
    yield Trial(title, [Call("input_gradients", arguments)], check)


# ---- Numbers that are none, beside zeros ----------------------------------------------


def _beside_zeros(draw: Draw, part: str, tier: str = "naive") -> Trial:
    """With a filter of one tap: each product is there, also that of zero and infinity."""
    conv = Conv((2, 3, 4, 2), (1, 1, 2, 3))
    shape = conv.w if part == "input" else conv.x
    one, dy = draw.array(shape, "float32", "whole"), draw.array(conv.y, "float32")
    special, zeros = (one, dy) if draw.coin() else (dy, one)
    special.ravel()[draw.whole(0, special.size - 1)] = draw.one_of([np.inf, np.nan])
    zeros[...] = np.where(draw.array(zeros.shape) < draw.one_of([0, 1e9]), 0, zeros)
    with np.errstate(all="ignore"):
        if part == "input":
            expected = sum(dy[..., None, k] * one[0, 0, :, k] for k in range(3))
        else:
            products = one[..., :, None].astype(float) * dy[..., None, :]
            expected = products.sum((0, 1, 2))[None, None]
    finite = [np.nan_to_num(np.abs(value), posinf=0) for value in (one, dy)]
    formula = conv.input_gradient if part == "input" else conv.filter_gradient
    sizes, what = formula(*finite), "dx" if part == "input" else "dw"
    arguments = conv.call(part, tier, one, dy)
    return Trial(
        f"the gradient {what}, zeros beside what is no finite number: {conv}",
        [Call("conv_gradient", arguments)],
        lambda values: near(values[0], expected, sizes, dtype=one.dtype, what=what),
    )


@case("10.1")
def special_beside_zero(draw):
    """No product is left out because one of its factors is zero."""
    yield from (_beside_zeros(draw, "input") for _ in range(20))


@case("10.2")
def special_pixels_beside_zero(draw):
    """No product is left out because one of its factors is zero."""
    yield from (_beside_zeros(draw, "filter") for _ in range(20))


@case("10.4")
def special_products_beside_zero(draw):
    """No block is left out because one of its factors is zero."""
    yield from (_beside_zeros(draw, "input", "im2col") for _ in range(20))


@case("10.5")
def special_sums_beside_zero(draw):
    """No block is left out because one of its factors is zero."""
    yield from (_beside_zeros(draw, "filter", "im2col") for _ in range(20))


# ---- Memory ---------------------------------------------------------------------------

KB = 1000


def _memory(draw: Draw, part: str) -> Trial:
    conv = Conv((1, 90, 80, 8), (5, 5, 8, 4), padding="SAME")
    one, dy = draw.array(conv.w if part == "input" else conv.x), draw.array(conv.y)
    one, dy = one.astype(np.float32), dy.astype(np.float32)
    formula = conv.input_gradient if part == "input" else conv.filter_gradient
    expected, sizes = formula(one, dy), formula(np.abs(one), np.abs(dy))
    # A block of patches of 400 kB, as much for what the product copies, some sums, and
    # what sizes are rounded up to.
    most, all_patches = 2000 * KB, 90 * 80 * 5 * 5 * 8 * 4

    def check(values: list[Any]) -> Mismatch | None:
        if wrong := near(values[0]["result"], expected, sizes, dtype=one.dtype):
            return wrong
        if values[0]["bytes"] > most:
            return Mismatch(
                f"it takes too much memory; all patches have {all_patches // KB} kB",
                expected=f"at most {most // KB} kB",
                got=f"{values[0]['bytes'] // KB} kB",
            )
        return None

    arguments = conv.call(part, "im2col", one, dy)
    call = Call("conv_gradient_memory", arguments)
    return Trial(f"memory for the gradient of the {part}: {conv}", [call], check)


@case("10.4")
def memory_of_products(draw):
    """Not all patches are there at once."""
    yield _memory(draw, "input")


@case("10.5")
def memory_of_sums(draw):
    """Not all patches of a piece are there at once."""
    yield _memory(draw, "filter")


# ---- Windows of many pixels -----------------------------------------------------------


def _wide_pools(c: int) -> list[Pool]:
    """Windows of 20 pixels to more than 256."""
    return [
        Pool((1, *image, c), window, stride, padding)
        for image, window, stride in [
            ((6, 7), (4, 5), (1, 1)), ((8, 9), (6, 6), (1, 2)), ((9, 9), (7, 5), (2, 2)),
            ((12, 11), (9, 9), (3, 1)), ((16, 33), (16, 16), (16, 17)),
            ((20, 21), (17, 19), (20, 20)), ((1, 300), (1, 257), (1, 43)),
        ]
        for padding in ("VALID", "SAME")
    ]  # fmt: skip


@case("10.7")
def maxima_of_wide_windows(draw):
    """Windows that see more pixels than any vector has numbers."""
    for c in (1, 5, 17):
        for pool in _wide_pools(c):
            x = draw.array(pool.x, draw.one_of(REAL))
            expected = [pool.maxima(x)]
            yield op_trial(str(pool), "MaxPool", [x], pool.attrs(), expected)


@case("10.8")
def gradients_of_wide_windows(draw):
    """The first maximum gets all, also of more equal ones than a byte can count."""
    for pool in _wide_pools(18):
        for dtype in ("int8", "uint8", "float32"):
            x = np.full(pool.x, 3, dtype)
            dy = np.ones(pool.y, dtype)
            inputs, attrs = [x, pool.maxima(x), dy], pool.attrs()
            expected = [pool.max_gradient(x, dy).astype(dtype)]
            yield op_trial(f"{pool}, all 3", "MaxPoolGrad", inputs, attrs, expected)


@case("10.8")
def gradients_that_change_nothing(draw):
    """One that is too small to change what is there is given away all the same."""
    row = Pool((1, 1, 4, 1), (1, 2), (1, 1))
    for dtype in REAL:
        x = np.array([0, 5, 5, 0], dtype).reshape(row.x)
        for first in (1e30, np.inf):
            dy = np.array([first, 1, 0], dtype).reshape(row.y)
            expected = [np.array([0, first, 0, 0], dtype).reshape(row.x)]
            inputs = [x, row.maxima(x), dy]
            title = f"{row}, dy {dy.ravel()}"
            yield op_trial(title, "MaxPoolGrad", inputs, row.attrs(), expected)


@case("10.8", over=REAL)
def gradients_of_tiny_numbers(draw, dtype):
    """Numbers that differ by 1e-20, or by their last bit, are not equal."""
    for size in (1e-20, 1e-8, 1.0):
        for c in (1, 17):
            pool = Pool((1, 4, 6, c), (2, 3), (2, 3))
            x = (1 + draw.array(pool.x, "float64", "plain") * 1e-3) * size
            for numbers in (x.astype(dtype), np.full(pool.x, size, dtype)):
                numbers.ravel()[1] = np.nextafter(numbers.ravel()[0], np.inf, dtype=dtype)
                dy = draw.array(pool.y, dtype)
                expected = [pool.max_gradient(numbers, dy).astype(dtype)]
                inputs = [numbers, pool.maxima(numbers), dy]
                yield op_trial(
                    str(pool),
                    "MaxPoolGrad",
                    inputs,
                    pool.attrs(),
                    expected,
                    sizes=np.abs(expected[0]),
                )


@case("10.9")
def second_of_wide_windows(draw):
    """The first maximum counts, also of more equal ones than a byte can count."""
    for pool in _wide_pools(18):
        for dtype in ("int8", "uint8", "float32"):
            x = np.full(pool.x, 3, dtype)
            ddx = np.abs(draw.array(pool.x, "float64", "whole")).astype(dtype)
            inputs, attrs = [x, pool.maxima(x), ddx], pool.attrs()
            expected = [pool.max_gradient_gradient(x, ddx)]
            yield op_trial(f"{pool}, all 3", "MaxPoolGradGrad", inputs, attrs, expected)


def _places(pool: Pool, x: np.ndarray, index: str) -> Trial:
    attrs = pool.attrs() | {"Targmax": index}
    c = pool.x[3]
    places = (pool.winners(x) * c + np.arange(c)) % x[0].size
    expected = [pool.maxima(x), places.astype(index)]
    return op_trial(f"{pool}, {index}", "MaxPoolWithArgmax", [x], attrs, expected)


@case("10.9", over=("int32", "int64"))
def places_far_in_the_image(draw, index):
    """Places that need more than 16 bits, and more than a float32 holds exactly."""
    for shape, window, stride in [
        ((1, 200, 190, 1), (9, 10), (47, 45)), ((2, 60, 200, 7), (8, 9), (13, 38)),
        ((1, 1, 70_001, 1), (1, 3), (1, 6_000)),
    ]:  # fmt: skip
        pool = Pool(shape, window, stride)
        yield _places(pool, draw.array(shape, "float32"), index)
    if index == "int32":
        return
    long = Pool((1, 1, 2**24 + 9, 1), (1, 4), (1, 2**22 + 1))
    x = np.zeros(long.x, np.float16)
    x[..., 3::4, :] = 1
    yield _places(long, x, index)


@case("10.10")
def means_of_wide_windows(draw):
    """Windows that see up to more pixels than a byte can count."""
    for pool in _wide_pools(7):
        for dtype in REAL:
            x, dy = draw.array(pool.x, dtype), draw.array(pool.y, dtype)
            sizes = np.array(pool.x, np.int32)
            yield op_trial(
                str(pool), "AvgPool", [x], pool.attrs(), [pool.means(x)],
                sizes=pool.means(np.abs(x)),
            )  # fmt: skip
            yield op_trial(
                str(pool), "AvgPoolGrad", [sizes, dy], pool.attrs(),
                [pool.mean_gradient(dy)], sizes=pool.mean_gradient(np.abs(dy)),
            )  # fmt: skip


@case("10.10")
def means_of_infinity(draw):
    """Infinity stays infinite in the mean of what else is finite."""
    for c in (1, 3, 21):
        for number in (np.inf, -np.inf, np.nan):
            pool = Pool((1, 4, 5, c), (2, 3), (1, 1), "SAME")
            x, dy = draw.array(pool.x, "float32"), draw.array(pool.y, "float32")
            x[0, 1, ::2] = dy[0, 2, 1::2] = number
            finite = [
                np.where(np.isfinite(one), one, 0)
                for one in (pool.means(np.abs(x)), pool.mean_gradient(np.abs(dy)))
            ]
            yield op_trial(
                str(pool), "AvgPool", [x], pool.attrs(), [pool.means(x)], sizes=finite[0]
            )
            yield op_trial(
                str(pool), "AvgPoolGrad", [np.array(pool.x, np.int32), dy], pool.attrs(),
                [pool.mean_gradient(dy)], sizes=finite[1],
            )  # fmt: skip
