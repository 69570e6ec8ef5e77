"""Reductions, running sums, segments and ArgMax against numpy, for every type."""

import itertools

import numpy as np
import pytest
from numbers_for_ops import as_array, check, numbers, types_of, wide

import minitf as tf
from minitf.framework import op_def_library as ops

pytestmark = pytest.mark.usefixtures("eager")


def _mean(x, axis, keepdims):
    mean = np.mean(x, axis=axis, keepdims=keepdims)
    if x.dtype.kind not in "iu":
        return mean
    total = np.sum(x.astype(np.int64), axis=axis, keepdims=keepdims)
    count = x.size // max(total.size, 1)
    return (np.sign(total) * (np.abs(total) // max(count, 1))).astype(x.dtype)


def _norm(x, axis, keepdims):
    squares = np.sum(np.abs(wide(x) * 1.0) ** 2, axis=axis, keepdims=keepdims)
    root = np.sqrt(squares)
    return root.astype(x.dtype) if x.dtype.kind in "iu" else root


REDUCTIONS = {
    "Sum": lambda x, **k: np.sum(x, dtype=x.dtype, **k),
    "Prod": lambda x, **k: np.prod(x, dtype=x.dtype, **k),
    "Mean": _mean,
    "EuclideanNorm": _norm,
    "Max": np.max,
    "Min": np.min,
    "Any": np.any,
    "All": np.all,
}
SHAPES = [(), (5,), (2, 3), (2, 3, 4), (1, 3, 1, 2), (3, 1, 1), (2, 2, 2, 2, 2)]


def all_axes(rank):
    """Every set of axes, some of them counted from the end and in another order."""
    for count in range(rank + 1):
        for axes in itertools.combinations(range(rank), count):
            yield axes
            if axes:
                yield tuple(axis - rank for axis in reversed(axes))


def reduced(op, x, axes, **attrs):
    return ops.call(op, [x, np.array(axes, np.int32)], attrs)


@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op):
    for name in ["bool"] if op in ("Any", "All") else types_of(op):
        for shape in SHAPES if name in ("float32", "int32", "bool") else [(2, 3, 4)]:
            x, array = numbers(len(shape), name, shape, -2, 2)
            for axes, keep in itertools.product(all_axes(len(shape)), (False, True)):
                expected = REDUCTIONS[op](wide(array), axis=axes, keepdims=keep)
                message = f"{op}, {name}, {shape}, {axes}"
                check(reduced(op, x, axes, keep_dims=keep), expected, name, 10, message)


def test_axes_are_a_scalar_or_a_vector_of_either_type():
    x = np.arange(6.0).reshape(2, 3)
    for axis in (np.int32(1), np.int64(-1), [1], np.array([1], np.int64)):
        assert ops.call("Sum", [x, axis]).numpy().tolist() == [3, 12]


def test_wide_and_long_tensors():
    for shape, axes in [
        ((3000, 70), (0,)),
        ((3000, 70), (1,)),
        ((3000, 70), (0, 1)),
        ((50, 60, 70), (1,)),
        ((50, 60, 70), (0, 2)),
        ((2, 100003), (1,)),
    ]:
        x, array = numbers(1, "float64", shape)
        for op in ("Sum", "Mean", "Max", "Min"):
            expected = REDUCTIONS[op](array, axis=axes, keepdims=False)
            np.testing.assert_allclose(
                reduced(op, x, axes), expected, rtol=1e-10, atol=1e-9
            )


def test_sums_of_many_small_numbers_keep_their_digits():
    n = 1 << 20
    assert reduced("Sum", np.full(n, 0.1, np.float32), 0).numpy() == pytest.approx(
        0.1 * n, rel=1e-5
    )
    half = tf.cast(tf.fill([4096], 1.0), tf.float16)
    assert reduced("Sum", half, 0).numpy() == 4096
    assert reduced("Mean", half, 0).numpy() == 1
    assert as_array(reduced("Sum", tf.cast(tf.ones([1000]), tf.bfloat16), 0)) == 1000


def test_nothing_is_reduced_at_once_however_large_its_other_axes_are():
    """TensorFlow's results too; a tensor between two steps would have 2^35 elements."""
    empty = tf.reshape(tf.zeros([0]), [2**33, 3, 0])
    for op, expected in (("Sum", 0), ("Prod", 1), ("Max", -np.inf), ("Min", np.inf)):
        assert reduced(op, empty, (0, 2)).numpy().tolist() == [expected] * 3, op
    assert np.isnan(reduced("Mean", empty, (0, 2)).numpy()).all()
    larger = tf.reshape(tf.zeros([0]), [0, 3, 2**40, 2**40])
    assert reduced("Sum", larger, (0, 2, 3)).numpy().tolist() == [0] * 3


def test_reductions_of_nothing():
    empty = np.zeros([2, 0, 3])
    for op, expected in {
        "Sum": 0,
        "Prod": 1,
        "Max": -np.inf,
        "Min": np.inf,
        "EuclideanNorm": 0,
    }.items():
        assert reduced(op, empty, 1).numpy().tolist() == [[expected] * 3] * 2, op
        assert reduced(op, empty, 2).shape == [2, 0]
        assert reduced(op, empty, (0, 2), keep_dims=True).shape == [1, 0, 1]
    assert np.isnan(reduced("Mean", empty, 1).numpy()).all()
    for name in ("int32", "uint8", "int64"):
        x = np.zeros([0], name)
        assert reduced("Max", x, 0).numpy() == np.iinfo(name).min
        assert reduced("Min", x, 0).numpy() == np.iinfo(name).max
        assert reduced("Mean", x, 0).numpy() == 0
    assert reduced("Any", np.zeros([0], bool), 0).numpy() == np.False_
    assert reduced("All", np.zeros([0], bool), 0).numpy() == np.True_


def test_no_axes_change_nothing_but_the_norm():
    x = np.array([[-1.0, 2], [3, -4]])
    for op in ("Sum", "Mean", "Prod", "Max", "Min"):
        assert reduced(op, x, []).numpy().tolist() == x.tolist()
    assert reduced("EuclideanNorm", x, []).numpy().tolist() == np.abs(x).tolist()


def test_what_is_not_a_number_stays():
    x = np.array([[1, np.nan, 2], [np.nan, 4, 5], [7, 8, np.nan], [1, 2, 3.0]])
    for op in ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"):
        for axis in (0, 1):
            expected = np.isnan(x).any(axis)
            assert (np.isnan(reduced(op, x, axis).numpy()) == expected).all(), (op, axis)
        long = np.ones(1000, np.float32)
        long[777] = np.nan
        assert np.isnan(reduced(op, long, 0).numpy()), op


def test_axes_that_are_not_there():
    for axes in (2, -3, [0, 5]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="axis|[Ii]nvalid"):
            reduced("Sum", np.ones([2, 3]), axes)
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        reduced("Sum", np.ones([2, 3]), [1, -1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        reduced("Sum", np.float32(1), 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        reduced("Sum", np.ones([2, 3]), [[0]])


def test_integers_of_a_small_type_wrap_around():
    assert reduced("Sum", np.full(3, 100, np.int8), 0).numpy() == 300 - 256
    assert reduced("Prod", np.full(3, 100, np.uint8), 0).numpy() == 100**3 % 256
    assert reduced("Mean", np.full(3, 100, np.int8), 0).numpy() == 100
    assert reduced("Sum", np.full(2, 2**63, np.uint64), 0).numpy() == 0
    assert reduced("Max", np.array([1, 2**63], np.uint64), 0).numpy() == 2**63


# ---- Running sums and products ---------------------------------------------------------


def running(function, x, axis, exclusive, reverse, start):
    x = np.flip(x, axis) if reverse else x
    result = function(x, axis=axis, dtype=x.dtype)
    if exclusive:
        result = np.roll(result, 1, axis)
        first = [slice(None)] * x.ndim
        first[axis] = slice(0, 1)
        result[tuple(first)] = start
    return np.flip(result, axis) if reverse else result


@pytest.mark.parametrize(
    ("op", "function", "start"), [("Cumsum", np.cumsum, 0), ("Cumprod", np.cumprod, 1)]
)
def test_running_sums_and_products(op, function, start):
    for name in types_of(op):
        for shape in [(5,), (2, 3, 4), (1, 1), (0, 3), (3, 0), (300, 3)]:
            if op == "Cumprod" and shape[0] > 100:
                continue
            x, array = numbers(3, name, shape, -2, 2)
            for axis in range(-len(shape), len(shape)):
                for exclusive, reverse in itertools.product((False, True), repeat=2):
                    attrs = {"exclusive": exclusive, "reverse": reverse}
                    expected = running(
                        function, wide(array), axis, exclusive, reverse, start
                    )
                    result = ops.call(op, [x, np.int32(axis)], attrs)
                    check(result, expected, name, 40, f"{op}, {name}, {shape}, {axis}")


def test_a_running_sum_needs_an_axis_that_is_there():
    for x, axis in [(np.ones([2, 3]), 2), (np.ones([2, 3]), -3), (np.float64(1), 0)]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.call("Cumsum", [x, np.int32(axis)])


# ---- Segments --------------------------------------------------------------------------


def joined(function, x, ids, count, empty):
    """Rows of x with the same id joined by a function; other segments are `empty`."""
    rows = x.reshape(ids.size, *x.shape[ids.ndim :])
    result = np.full((count, *rows.shape[1:]), empty, x.dtype)
    for i in range(count):
        chosen = rows[ids.ravel() == i]
        if len(chosen):
            result[i] = function(chosen, axis=0)
    return result


def _segment_mean(x, axis):
    return _mean(x, axis, False)


SEGMENTS = {
    "Sum": (np.sum, 0),
    "Prod": (np.prod, 1),
    "Mean": (_segment_mean, 0),
    "Max": (np.max, 0),
    "Min": (np.min, 0),
}


@pytest.mark.parametrize("by", SEGMENTS)
def test_segments(by):
    function, empty = SEGMENTS[by]
    for name in types_of("Segment" + by):
        for ids in ([0, 0, 1, 1, 1], [0, 2, 2, 2, 5], [3, 3, 3, 3, 3]):
            for rest in ((), (3,), (2, 0), (2, 3)):
                ids = np.array(ids, np.int64 if len(rest) == 1 else np.int32)
                x, array = numbers(5, name, (5, *rest), -2, 2)
                expected = joined(function, wide(array), ids, ids[-1] + 1, empty)
                result = ops.call("Segment" + by, [x, ids])
                check(result, expected, name, 10, f"{by}, {name}, {ids}, {rest}", 12)
    empty = ops.call("Segment" + by, [np.ones([0, 2]), np.zeros(0, np.int32)])
    assert empty.shape == [0, 2]


def limits(name, by):
    """What UnsortedSegmentMax and UnsortedSegmentMin give for a segment without rows."""
    if "int" in name:
        return np.iinfo(name).min if by == "Max" else np.iinfo(name).max
    highest = {"float16": 65504, "bfloat16": 3.3895313892515355e38}.get(name)
    highest = highest or float(np.finfo(name).max)
    return -highest if by == "Max" else highest


@pytest.mark.parametrize("by", ["Sum", "Prod", "Max", "Min"])
def test_unsorted_segments(by):
    function, empty = SEGMENTS[by]
    op = "UnsortedSegment" + by
    for name in types_of(op):
        nothing = limits(name, by) if by in ("Max", "Min") else empty
        for ids, count in [
            (np.array([1, 0, 3, 1]), 5),
            (np.array([1, -1, 3, -7]), 4),
            (np.array([[1, 0], [2, 2]]), 3),
            (np.array(2), 3),
            (np.zeros([0], np.int32), 2),
        ]:
            x, array = numbers(6, name, (*ids.shape, 3), -2, 2)
            expected = joined(function, wide(array), ids, count, nothing)
            result = ops.call(op, [x, ids, np.int32(count)])
            check(result, expected, name, 10, f"{by}, {name}, {ids}")
    assert ops.call(op, [np.ones([0, 2]), np.zeros(0, np.int32), 0]).shape == [0, 2]


def test_means_of_many_rows_of_a_small_type():
    for name in ("uint8", "int8", "uint16"):
        x = np.full([300, 2], 3, name)
        x[:200] = 0
        # The sum is 300, which wraps around in 8 bits; 300 rows are more than they hold.
        total = int(np.sum(x[:, 0], dtype=name))
        found = ops.call("SegmentMean", [x, np.zeros(300, np.int32)]).numpy()
        assert found.tolist() == [[int(total / 300)] * 2], name
        found = ops.call("SegmentMean", [x[:256], np.zeros(256, np.int32)]).numpy()
        assert found.shape == (1, 2)


def test_segment_ids_that_make_no_sense():
    x = np.ones([3, 2])
    for ids, message in [([1, 0, 2], "not increasing"), ([-1, 0, 1], ">= 0")]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            ops.call("SegmentSum", [x, ids])
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
        ops.call("SegmentSum", [x, [0, 1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        ops.call("UnsortedSegmentSum", [x, [0, 1, 2], 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not start with"):
        ops.call("UnsortedSegmentSum", [x, [0, 1], 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        ops.call("UnsortedSegmentSum", [x, [0, 1, 1], -1])
    nan = np.array([1.0, np.nan, 3])
    for op in ("SegmentMax", "SegmentMin", "SegmentSum"):
        found = ops.call(op, [nan, [0, 0, 1]]).numpy()
        assert np.isnan(found[0]) and found[1] == 3


# ---- Where the largest is --------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "function"), [("ArgMax", np.argmax), ("ArgMin", np.argmin)]
)
def test_arg_max_and_arg_min(op, function):
    for name in types_of(op):
        if "complex" in name:
            continue
        for shape in [(7,), (2, 3), (3, 1, 4), (2, 300)]:
            x, array = numbers(8, name, shape, -3, 3)  # integers have ties
            for axis in range(-len(shape), len(shape)):
                for out in ("int32", "int64"):
                    result = ops.call(op, [x, np.int32(axis)], {"output_type": out})
                    expected = function(array, axis)
                    check(result, expected, out, 1, f"{name}, {shape}, {axis}")
    assert ops.call(op, [np.ones([0, 2]), 1]).shape == [0]
    for x, axis in [(np.ones([2, 3]), 2), (np.float64(1), 0), (np.ones([2, 0]), 1)]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.call(op, [x, axis])
    assert ops.call(op, [np.array([1.0, 1, 1]), 0]).numpy() == 0
