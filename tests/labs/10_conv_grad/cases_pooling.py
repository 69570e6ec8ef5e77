"""Lab 10, tasks 7 to 10: poolings and their gradients."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import Pool, counted, op_trial, random_pool, to_nchw

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import REAL, Draw

# Kinds of numbers in which maxima may be: with ties, with infinities and NaN.
KINDS = ("signed", "whole", "special")
WHOLE_TYPES = ("int8", "uint8", "int16", "int32", "int64")

# Requirement M177: x is 1, 2, 3 and so on.
GOLDEN_MAX = [
    (Pool((1, 3, 3, 3), (2, 2), (2, 2)), [13, 14, 15]),
    (Pool((1, 2, 3, 3), (2, 2), (2, 2), "SAME"), [13, 14, 15, 16, 17, 18]),
    (Pool((1, 2, 2, 1), (1, 2), (1, 1), "SAME"), [2, 2, 4, 4]),
    (Pool((1, 4, 4, 1), (2, 2), (1, 2)), [6, 8, 10, 12, 14, 16]),
    (Pool((1, 4, 4, 1), (2, 2), (2, 1)), [6, 7, 8, 14, 15, 16]),
    (Pool((1, 7, 7, 1), (2, 2), (3, 3)), [9, 12, 30, 33]),
]
# Requirement M178.
GOLDEN_AVG = [
    (Pool((1, 3, 3, 3), (2, 2), (2, 2)), [7, 8, 9]),
    (Pool((1, 2, 4, 3), (2, 2), (2, 2), "SAME"), [8.5, 9.5, 10.5, 14.5, 15.5, 16.5]),
    (Pool((1, 2, 2, 1), (1, 2), (1, 1), "SAME"), [1.5, 2, 3.5, 4]),
    (Pool((1, 7, 7, 1), (2, 2), (3, 3)), [5, 8, 26, 29]),
]
# Requirement M180: window 2 by 2 on 4 by 4, stride 1.
OVERLAPPING = Pool((1, 4, 4, 1), (2, 2), (1, 1))
BACKPROP = [11, 12, 13, 15, 16, 17, 19, 20, 21]
GOLDEN_GRADIENT = [
    ([1] * 16, [11, 12, 13, 0, 15, 16, 17, 0, 19, 20, 21, 0, 0, 0, 0, 0]),
    (
        [1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1],
        [11, 0, 25, 0, 0, 31, 0, 17, 19, 0, 41, 0, 0, 0, 0, 0],
    ),
]
WINDOWS = [(1, 1), (2, 2), (3, 3), (2, 3), (1, 4)]
STRIDES = [(1, 1), (2, 2), (2, 1), (3, 4)]


def _whole(draw: Draw, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Whole numbers of a type, with ties; negative ones if there are any."""
    numbers = draw.array(shape, "float64", "whole") * draw.one_of([1, 7, 31])
    return (np.abs(numbers) if dtype == "uint8" else numbers).astype(dtype)


def _max(
    pool: Pool, x: np.ndarray, threads: tuple[int, ...] = (0,), what: str = ""
) -> Trial:
    return op_trial(
        f"{pool}{what}", "MaxPool", [x], pool.attrs(), [pool.maxima(x)], threads=threads
    )


def _max_grad(
    pool: Pool, x: np.ndarray, dy: np.ndarray, threads: tuple[int, ...] = (0,)
) -> Trial:
    expected = pool.max_gradient(x, dy).astype(dy.dtype)
    sizes = pool.max_gradient(x, np.abs(dy)) if np.all(np.isfinite(dy)) else None
    return op_trial(
        f"{pool}", "MaxPoolGrad", [x, pool.maxima(x), dy], pool.attrs(), [expected],
        sizes=sizes, threads=threads,
    )  # fmt: skip


def _max_grad_grad(
    pool: Pool, x: np.ndarray, ddx: np.ndarray, threads: Any = (0,)
) -> Trial:
    expected = pool.max_gradient_gradient(x, ddx)
    inputs = [x, pool.maxima(x), ddx]
    return op_trial(
        f"{pool}", "MaxPoolGradGrad", inputs, pool.attrs(), [expected], threads=threads
    )


def _argmax(
    pool: Pool, x: np.ndarray, index: str = "int64", batch: bool = False
) -> Trial:
    _, h, w, c = pool.x
    places = pool.winners(x) * c + np.arange(c)
    if not batch:
        places = places % max(h * w * c, 1)
    attrs = pool.attrs() | {"Targmax": index, "include_batch_in_index": batch}
    return op_trial(
        f"{pool}, {index}{', counted in the batch' if batch else ''}",
        "MaxPoolWithArgmax", [x], attrs, [pool.maxima(x), places.astype(index)],
    )  # fmt: skip


def _pools(draw: Draw, count: int) -> Iterator[Pool]:
    for i in range(count):
        yield random_pool(draw, 2 + i * 7 // count)


def _table() -> Iterator[Pool]:
    for window, stride, padding in itertools.product(WINDOWS, STRIDES, ["VALID", "SAME"]):
        yield Pool((2, 5, 7, 3), window, stride, padding)


# ---- 10.7 -----------------------------------------------------------------------------


@case("10.7")
def golden_maxima(draw):
    """The numbers of TensorFlow's tests."""
    for pool, numbers in GOLDEN_MAX:
        for dtype in REAL:
            expected = np.array(numbers, dtype).reshape(pool.y)
            x = counted(pool.x, dtype)
            yield op_trial(str(pool), "MaxPool", [x], pool.attrs(), [expected])
    attrs = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
    expected = np.array([2, 4, 6, 8, 10], np.float32).reshape(1, 1, 1, 5)
    x = counted((1, 1, 1, 10))
    yield op_trial("a window of two channels", "MaxPool", [x], attrs, [expected])


@case("10.7", over=KINDS)
def maxima(draw, kind):
    """Every window, stride and padding, in both types."""
    for pool in _pools(draw, 25):
        for dtype in REAL:
            yield _max(pool, draw.array(pool.x, dtype, kind))


@case("10.7")
def maxima_by_table(draw):
    """Odd and even windows, larger and smaller than the stride."""
    for pool in _table():
        yield _max(pool, draw.array(pool.x, "float32"))


@case("10.7")
def maxima_below_zero(draw):
    """Padding is no number: where all are negative, so is the maximum."""
    for pool in [Pool((1, 2, 2, 1), (3, 3), (1, 1), "SAME"), *_pools(draw, 20)]:
        for dtype in (*REAL, "float16"):
            yield _max(
                pool, -np.abs(draw.array(pool.x, dtype)) - 1, what=", all negative"
            )
        yield _max(pool, np.full(pool.x, -np.inf, np.float32), what=", all -inf")
        yield _max(pool, np.full(pool.x, -128, np.int8), what=", all -128")


@case("10.7", over=WHOLE_TYPES)
def maxima_of_integers(draw, dtype):
    """Whole numbers of every type."""
    for pool in _pools(draw, 12):
        yield _max(pool, _whole(draw, pool.x, dtype))
    if dtype != "uint8":
        least = np.iinfo(dtype).min
        pool = Pool((1, 3, 3, 19), (2, 2), (1, 1), "SAME")
        yield _max(pool, np.full(pool.x, least, dtype))


@case("10.7")
def maxima_of_nan(draw):
    """NaN is larger than any number, wherever in the window it stands."""
    pool = Pool((1, 3, 3, 20), (3, 3), (1, 1))
    for place in range(9):
        x = draw.array(pool.x, "float32")
        x.reshape(9, 20)[place, 3:] = np.nan
        yield _max(pool, x)
        both = x.copy()
        both.reshape(9, 20)[(place + 4) % 9] = np.inf
        yield _max(pool, both)


@case("10.7")
def maxima_of_channels(draw):
    """Channels of any number; one to seventy."""
    for c in [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 70]:
        pool = Pool((1, 3, 4, c), (2, 3), (1, 1), "SAME")
        for dtype in ("float64", "float32", "float16"):
            yield _max(pool, draw.array(pool.x, dtype))


@case("10.7")
def maxima_of_huge_windows(draw):
    """A window that is larger than the image sees all of it."""
    for x in [(1, 1, 1, 3), (2, 3, 2, 5), (1, 7, 1, 2)]:
        pool = Pool(x, (9, 8), (2, 2), "SAME")
        yield _max(pool, draw.array(x, "float32") - 3)


@case("10.7")
def maxima_by_threads(draw):
    """The same bits with one thread to four."""
    for x in [(3, 17, 19, 33), (1, 40, 41, 16)]:
        pool = Pool(x, (3, 3), (2, 2), "SAME")
        yield _max(pool, draw.array(x, "float32", "special"), threads=(1, 2, 3, 4))


@case("10.7")
def maxima_in_nchw(draw):
    """Channels may come in front of the rows."""
    for pool in _pools(draw, 8):
        x = draw.array(pool.x, "float32")
        attrs = pool.attrs("NCHW")
        expected = to_nchw(pool.maxima(x))
        yield op_trial(f"{pool}, NCHW", "MaxPool", [to_nchw(x)], attrs, [expected])


@case("10.7")
def maxima_of_nothing(draw):
    """No images, no channels, no pixels; and one of each."""
    for x in [(0, 3, 3, 2), (2, 3, 3, 0), (1, 0, 2, 1), (1, 1, 1, 1)]:
        yield _max(Pool(x, (2, 2), (1, 1), "SAME"), np.zeros(x, np.float32))


@case("10.7", hidden=True, over=KINDS)
def more_maxima(draw, kind):
    """Others of all kinds."""
    for pool in _pools(draw, 30):
        yield _max(pool, draw.array(pool.x, draw.one_of(REAL), kind))
        yield _max(pool, _whole(draw, pool.x, draw.one_of(WHOLE_TYPES)))


# ---- 10.8 -----------------------------------------------------------------------------


@case("10.8")
def golden_gradient(draw):
    """The numbers of TensorFlow's tests: the first of several maxima gets all."""
    for numbers, gradient in GOLDEN_GRADIENT:
        pool = OVERLAPPING
        for dtype in REAL:
            x = np.array(numbers, dtype).reshape(pool.x)
            dy = np.array(BACKPROP, dtype).reshape(pool.y)
            expected = np.array(gradient, dtype).reshape(pool.x)
            inputs = [x, pool.maxima(x), dy]
            yield op_trial(str(pool), "MaxPoolGrad", inputs, pool.attrs(), [expected])


@case("10.8", over=KINDS)
def gradients_of_maxima(draw, kind):
    """Every window, stride and padding; ties have one winner."""
    for pool in _pools(draw, 25):
        for dtype in REAL:
            yield _max_grad(
                pool, draw.array(pool.x, dtype, kind), draw.array(pool.y, dtype)
            )


@case("10.8")
def gradients_by_table(draw):
    """Windows that overlap add up; pixels that no window sees get 0."""
    for pool in _table():
        x, dy = (draw.array(shape, "float64", "whole") for shape in (pool.x, pool.y))
        yield _max_grad(pool, x, dy)


@case("10.8")
def all_the_same(draw):
    """Where all numbers are the same, the first pixel wins."""
    for pool in [*_pools(draw, 20)]:
        for number in (0.0, 1.0, -2.0, -np.inf, np.inf, np.nan):
            x = np.full(pool.x, number, np.float32)
            yield _max_grad(pool, x, draw.array(pool.y, "float32"))


@case("10.8")
def gradients_of_infinity(draw):
    """What dy holds goes to one place, be it infinite or not a number; others get 0."""
    for pool in [Pool((1, 4, 4, 19), (2, 2), (2, 2)), Pool((1, 3, 5, 3), (2, 2), (3, 3))]:
        for number in (np.inf, -np.inf, np.nan):
            x = draw.array(pool.x, "float32", "whole")
            yield _max_grad(pool, x, np.full(pool.y, number, np.float32))


@case("10.8", over=("int8", "int32", "int64", "float16"))
def gradients_of_types(draw, dtype):
    """Whole numbers and halves."""
    for pool in _pools(draw, 12):
        x = _whole(draw, pool.x, dtype)
        yield _max_grad(pool, x, draw.array(pool.y, "float64", "whole").astype(dtype))


@case("10.8")
def gradients_of_channels(draw):
    """Channels of any number."""
    for c in [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 70]:
        pool = Pool((1, 3, 4, c), (2, 3), (1, 1), "SAME")
        for dtype in REAL:
            x, dy = draw.array(pool.x, dtype, "whole"), draw.array(pool.y, dtype)
            yield _max_grad(pool, x, dy)


@case("10.8")
def gradients_by_threads(draw):
    """The same bits with one thread to four."""
    for x in [(3, 17, 19, 33), (5, 20, 21, 16)]:
        pool = Pool(x, (3, 3), (2, 2), "SAME")
        numbers, dy = draw.array(x, "float32", "whole"), draw.array(pool.y, "float32")
        yield _max_grad(pool, numbers, dy, threads=(1, 2, 3, 4))


@case("10.8")
def gradients_in_nchw(draw):
    """Channels may come in front of the rows."""
    for pool in _pools(draw, 8):
        x, dy = draw.array(pool.x, "float64", "whole"), draw.array(pool.y, "float64")
        inputs = [to_nchw(one) for one in (x, pool.maxima(x), dy)]
        expected = to_nchw(pool.max_gradient(x, dy))
        sizes = to_nchw(pool.max_gradient(x, np.abs(dy)))
        attrs = pool.attrs("NCHW")
        title = f"{pool}, NCHW"
        yield op_trial(title, "MaxPoolGrad", inputs, attrs, [expected], sizes=sizes)


@case("10.8")
def gradients_of_a_window_across_channels(draw):
    """The window may lie across the channels."""
    for c, depth in [(4, 2), (9, 3), (5, 5)]:
        x = draw.array((2, 2, 3, c), "float32", "whole")
        parts = x.reshape(2, 2, 3, c // depth, depth)
        y = parts.max(-1)
        dy = draw.array(y.shape, "float32")
        expected = np.zeros(parts.shape, np.float32)
        np.put_along_axis(expected, np.argmax(parts, -1)[..., None], dy[..., None], -1)
        attrs = {
            "ksize": [1, 1, 1, depth], "strides": [1, 1, 1, depth], "padding": "VALID",
        }  # fmt: skip
        title = f"a window of {depth} of {c} channels"
        inputs = [x, y, dy]
        yield op_trial(title, "MaxPoolGrad", inputs, attrs, [expected.reshape(x.shape)])


@case("10.8", hidden=True, over=KINDS)
def more_gradients(draw, kind):
    """Others of all kinds."""
    for pool in _pools(draw, 40):
        dtype = draw.one_of(REAL)
        yield _max_grad(pool, draw.array(pool.x, dtype, kind), draw.array(pool.y, dtype))


# ---- 10.9 -----------------------------------------------------------------------------


@case("10.9", over=KINDS)
def from_the_place_to_the_window(draw, kind):
    """Each window gets the number of its first maximum."""
    for pool in _pools(draw, 25):
        for dtype in REAL:
            x, ddx = draw.array(pool.x, dtype, kind), draw.array(pool.x, dtype)
            yield _max_grad_grad(pool, x, ddx)


@case("10.9")
def second_by_table(draw):
    """Odd and even windows, larger and smaller than the stride."""
    for pool in _table():
        x, ddx = draw.array(pool.x, "float64", "whole"), draw.array(pool.x)
        yield _max_grad_grad(pool, x, ddx)


@case("10.9")
def second_of_ties(draw):
    """Of equal numbers the first counts, of channels of any number."""
    for c in [1, 3, 15, 16, 17, 33]:
        for number in (0.0, -np.inf, np.nan, 2.0):
            pool = Pool((1, 4, 4, c), (2, 3), (1, 2), "SAME")
            x = np.full(pool.x, number, np.float32)
            yield _max_grad_grad(pool, x, draw.array(pool.x, "float32", "special"))


@case("10.9")
def second_by_threads(draw):
    """The same bits with one thread to four."""
    pool = Pool((3, 17, 19, 33), (3, 3), (2, 2), "SAME")
    x, ddx = draw.array(pool.x, "float32", "whole"), draw.array(pool.x, "float32")
    yield _max_grad_grad(pool, x, ddx, threads=(1, 2, 3, 4))


@case("10.9", over=("int32", "int64"))
def places_of_maxima(draw, index):
    """MaxPoolWithArgmax: where the first maximum stands, in the image or in the batch."""
    for pool in [Pool((2, 2, 2, 1), (2, 2), (1, 1)), *_pools(draw, 20)]:
        for kind, batch in itertools.product(KINDS, (False, True)):
            x = draw.array(pool.x, "float32", kind)
            yield _argmax(pool, x, index, batch)
        yield _argmax(pool, -np.abs(draw.array(pool.x, "float64")), index)


@case("10.9")
def places_of_ties(draw):
    """All numbers alike: the first pixel of the window that is inside."""
    for pool in _table():
        for number in (0.0, -3.0, -np.inf, np.nan):
            yield _argmax(pool, np.full(pool.x, number, np.float32), batch=True)


@case("10.9", hidden=True, over=KINDS)
def more_places(draw, kind):
    """Others of all kinds."""
    for pool in _pools(draw, 30):
        x = draw.array(pool.x, draw.one_of(REAL), kind)
        yield _argmax(pool, x, draw.one_of(["int32", "int64"]), draw.coin())
        yield _max_grad_grad(pool, x, draw.array(pool.x, x.dtype.name))


# ---- 10.10 ----------------------------------------------------------------------------


def _avg(pool: Pool, x: np.ndarray, threads: tuple[int, ...] = (0,)) -> Trial:
    return op_trial(
        str(pool), "AvgPool", [x], pool.attrs(), [pool.means(x)],
        sizes=pool.means(np.abs(x)), threads=threads,
    )  # fmt: skip


def _avg_grad(pool: Pool, dy: np.ndarray, threads: tuple[int, ...] = (0,)) -> Trial:
    sizes = np.array(pool.x, np.int32)
    return op_trial(
        str(pool), "AvgPoolGrad", [sizes, dy], pool.attrs(), [pool.mean_gradient(dy)],
        sizes=pool.mean_gradient(np.abs(dy)), threads=threads,
    )  # fmt: skip


@case("10.10")
def golden_means(draw):
    """The numbers of TensorFlow's tests: padding is not counted."""
    for pool, numbers in GOLDEN_AVG:
        for dtype in REAL:
            expected = np.array(numbers, dtype).reshape(pool.y)
            x = counted(pool.x, dtype)
            yield op_trial(str(pool), "AvgPool", [x], pool.attrs(), [expected])


@case("10.10", over=(*REAL, "float16"))
def means(draw, dtype):
    """Every window, stride and padding."""
    for pool in _pools(draw, 30):
        yield _avg(pool, draw.array(pool.x, dtype))


@case("10.10")
def means_by_table(draw):
    """Odd and even windows, larger and smaller than the stride."""
    for pool in _table():
        yield _avg(pool, draw.array(pool.x, "float64"))


@case("10.10", over=(*REAL, "float16"))
def shares_of_means(draw, dtype):
    """The gradient: each pixel of a window gets its share, from every window."""
    for pool in _pools(draw, 30):
        yield _avg_grad(pool, draw.array(pool.y, dtype))


@case("10.10")
def shares_by_table(draw):
    """Windows that overlap add up; pixels that no window sees get 0."""
    for pool in _table():
        yield _avg_grad(pool, draw.array(pool.y, "float64"))


@case("10.10")
def means_of_channels(draw):
    """Channels of any number."""
    for c in [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 70]:
        pool = Pool((1, 3, 4, c), (2, 3), (1, 1), "SAME")
        for dtype in REAL:
            yield _avg(pool, draw.array(pool.x, dtype))
            yield _avg_grad(pool, draw.array(pool.y, dtype))


@case("10.10")
def means_by_threads(draw):
    """The same bits with one thread to four."""
    for x in [(3, 17, 19, 33), (5, 20, 21, 16)]:
        pool = Pool(x, (3, 3), (2, 2), "SAME")
        yield _avg(pool, draw.array(pool.x, "float32"), threads=(1, 2, 3, 4))
        yield _avg_grad(pool, draw.array(pool.y, "float32"), threads=(1, 2, 3, 4))


@case("10.10")
def means_in_nchw(draw):
    """Channels may come in front of the rows."""
    for pool in _pools(draw, 8):
        x = draw.array(pool.x, "float64")
        attrs = pool.attrs("NCHW")
        sizes = to_nchw(pool.means(np.abs(x)))
        expected = [to_nchw(pool.means(x))]
        yield op_trial(f"{pool}", "AvgPool", [to_nchw(x)], attrs, expected, sizes=sizes)


@case("10.10", hidden=True, over=REAL)
def more_means(draw, dtype):
    """Others of all kinds."""
    for pool in _pools(draw, 40):
        yield _avg(pool, draw.array(pool.x, dtype))
        yield _avg_grad(pool, draw.array(pool.y, dtype))
