"""Lab 10, task 11: sums for a bias."""

import itertools
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import op_trial, to_nchw

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import REAL


def _bias(dy: np.ndarray, data_format: str = "NHWC", threads: Any = (0,)) -> Trial:
    """BiasAddGrad of dy, whose channels come last or second."""
    axis = 1 if data_format == "NCHW" else dy.ndim - 1
    others = tuple(i for i in range(dy.ndim) if i != axis)
    if dy.dtype.kind == "f":
        expected, sizes = (
            dy.astype(float).sum(others),
            np.abs(dy.astype(float)).sum(others),
        )
    else:
        expected, sizes = dy.sum(others, dtype=dy.dtype), None
    attrs = {} if data_format == "NHWC" else {"data_format": data_format}
    return op_trial(
        data_format, "BiasAddGrad", [dy], attrs, [expected], sizes=sizes, threads=threads
    )


@case("10.11")
def bias_by_heart(draw):
    """Channels last, and channels second."""
    dy = np.arange(1.0, 13).reshape(1, 2, 2, 3)
    for data_format, x in [("NHWC", dy), ("NCHW", to_nchw(dy))]:
        expected = np.array([1 + 4 + 7 + 10, 2 + 5 + 8 + 11, 3 + 6 + 9 + 12], float)
        attrs = {"data_format": data_format}
        yield op_trial(data_format, "BiasAddGrad", [x], attrs, [expected])


@case("10.11", over=("NHWC", "NCHW"))
def bias_of_all_shapes(draw, data_format):
    """Two axes to five, in all types."""
    for rank, dtype in itertools.product(
        range(2 if data_format == "NHWC" else 3, 6), (*REAL, "float16", "int32", "int64")
    ):
        for _ in range(3):
            shape = draw.shape(rank, 6 if rank < 5 else 4)
            numbers = draw.array(
                shape, "float64", "whole" if "int" in dtype else "signed"
            )
            yield _bias(numbers.astype(dtype), data_format)


@case("10.11", over=("NHWC", "NCHW"))
def bias_of_many(draw, data_format):
    """Rows of any number and channels of any number."""
    for rows, c in itertools.product(
        [1, 2, 3, 4, 5, 7, 255, 256, 257, 258, 515, 1021], [1, 3, 17]
    ):
        shape = (rows, c) if data_format == "NHWC" else (1, c, rows)
        for dtype in REAL:
            yield _bias(draw.array(shape, dtype), data_format)


@case("10.11", over=("NHWC", "NCHW"))
def bias_of_long_rows(draw, data_format):
    """Rows as long as several parts, and a little longer."""
    for count in [15, 16, 17, 4095, 4096, 4097, 4111, 4112, 8192, 9000]:
        shape = (2, count, 2) if data_format == "NHWC" else (2, 2, count)
        yield _bias(draw.array(shape, "float64"), data_format)


@case("10.11", over=("NHWC", "NCHW"))
def bias_without_losing_digits(draw, data_format):
    """A sum of many numbers keeps its digits: it is made of parts."""
    shape = (1, 40_000, 2) if data_format == "NHWC" else (1, 2, 40_000)
    dy = np.ones(shape, np.float32)
    dy.reshape(-1)[[0, -1]] = 2**27  # beside which ones are lost
    yield _bias(dy, data_format)


@case("10.11")
def bias_of_nothing(draw):
    """No rows: zeros. No channels: nothing."""
    for shape in [(0, 3), (2, 0), (0, 4, 4, 5), (2, 3, 0, 1)]:
        for data_format in ("NHWC", "NCHW")[: len(shape) - 1]:
            yield _bias(np.zeros(shape, np.float32), data_format)


@case("10.11")
def bias_of_special(draw):
    """Infinity and NaN stay in their channel."""
    for number in (np.inf, -np.inf, np.nan):
        for data_format in ("NHWC", "NCHW"):
            dy = np.ones((3, 4, 5, 4), np.float32)
            dy[1, 2, 3, 1] = number
            axis = 1 if data_format == "NCHW" else 3
            others = tuple(i for i in range(4) if i != axis)
            attrs = {"data_format": data_format}
            expected = [dy.sum(others, dtype=np.float32)]
            yield op_trial(data_format, "BiasAddGrad", [dy], attrs, expected)


@case("10.11", hidden=True, over=("NHWC", "NCHW"))
def more_bias(draw, data_format):
    """Other shapes and types, with threads."""
    for i in range(40):
        shape = tuple(draw.whole(1, 9) for _ in range(3 + i % 3))
        yield _bias(draw.array(shape, draw.one_of(REAL)), data_format)
    for shape in [(300, 40, 33), (40, 33, 300)]:
        for count in (1, 2, 3, 4):
            dy = draw.array(shape, "float32")
            yield _bias(dy, data_format, threads=(count, count))


@case("10.11")
def bias_of_many_channels(draw):
    """More channels than rows are added up at a time, and far more."""
    for c in (255, 256, 257, 511, 513, 1025):
        for rows in (1, 2, 300):
            dtype = draw.one_of(REAL)
            yield _bias(draw.array((1, rows, c), dtype))
            yield _bias(draw.array((1, c, rows), dtype), "NCHW")


@case("10.11", over=("NHWC", "NCHW"))
def bias_by_several_threads(draw, data_format):
    """Threads that add up at the same time share no memory."""
    shape = (40, 250, 30) if data_format == "NHWC" else (40, 30, 250)
    for count in (2, 3):
        yield _bias(draw.array(shape, "float32"), data_format, threads=(count,) * 2)


@case("10.11")
def bias_of_large_whole_numbers(draw):
    """Whole numbers that no floating point type holds exactly."""
    for rows in (1, 2, 255, 257, 450):
        for shape, where in [((2, rows, 3), "NHWC"), ((2, 3, rows), "NCHW")]:
            small = draw.array(shape, "float64", "whole").astype(np.int64)
            yield _bias(small * 1001 + 2**53 - 1, where)
            yield _bias((small * 101 + 2**20 + 1).astype(np.int32), where)


@case("10.11")
def bias_of_many_halves(draw):
    """Sums of halves are kept in float32: beside 2048 a half loses 1."""
    for rows in (200, 256, 5000):
        dy = np.ones((1, rows, 3), np.float16)
        dy[0, 0] = 2048
        yield _bias(dy)
        yield _bias(np.ascontiguousarray(np.transpose(dy, (0, 2, 1))), "NCHW")
