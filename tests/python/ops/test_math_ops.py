"""Products of many matrices, Cast, Select, AddN, clipping and sequences."""

import itertools

import numpy as np
import pytest
from numbers_for_ops import as_array, check, numbers, types_of, wide

import minitf as tf
from minitf.framework import op_def_library as ops

pytestmark = pytest.mark.usefixtures("eager")

# ---- Products of matrices --------------------------------------------------------------


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


BATCHES = [
    ((), ()),
    ((2,), (2,)),
    ((2, 3), (2, 3)),
    ((2,), ()),
    ((), (3,)),
    ((1, 3), (2, 1)),
    ((2, 1), (3,)),
    ((0,), (1,)),
]
MATRICES = [(2, 3, 4), (1, 1, 1), (3, 0, 2), (0, 2, 3), (17, 33, 9)]


@pytest.mark.parametrize("op", ["BatchMatMul", "BatchMatMulV2"])
def test_products_of_many_matrices(op):
    for name in types_of(op):
        for (x_batch, y_batch), (m, k, n) in itertools.product(BATCHES, MATRICES):
            broadcasts = x_batch != y_batch
            if (op == "BatchMatMul" and broadcasts) or (m > 9 and "16" in name):
                continue
            for adj_x, adj_y in itertools.product((False, True), repeat=2):
                x_shape = (*x_batch, *((k, m) if adj_x else (m, k)))
                y_shape = (*y_batch, *((n, k) if adj_y else (k, n)))
                x, x_array = numbers(1, name, x_shape, -2, 2)
                y, y_array = numbers(2, name, y_shape, -2, 2)
                a, b = wide(x_array), wide(y_array)
                expected = (adjoint(a) if adj_x else a) @ (adjoint(b) if adj_y else b)
                result = ops.call(op, [x, y], {"adj_x": adj_x, "adj_y": adj_y})
                check(result, expected, name, 40, f"{name}, {x_shape}, {y_shape}")


def test_matrices_that_do_not_fit():
    for x, y in [
        ((2, 3), (2, 3)),
        ((3,), (3, 2)),
        ((2, 2, 3), (3, 3, 2)),
        ((2, 2, 3), (3, 2)),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.call("BatchMatMul", [np.ones(x), np.ones(y)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("BatchMatMulV2", [np.ones([2, 2, 3]), np.ones([3, 3, 2])])


# ---- Cast ------------------------------------------------------------------------------

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool", *INTEGERS, *FLOATS, *COMPLEX]


def converted(array, name):
    """As numpy converts; what numpy warns about is not asked for here."""
    name = "float32" if name == "bfloat16" else name
    if array.dtype.kind == "c" and "complex" not in name and name != "bool":
        array = array.real
    return array.astype(name)


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("source", ALL)
def test_cast(source, to):
    values = [0, 1, 2, 3, 77, 100] if source.startswith("u") else [0, 1, -2, 3, -77, 100]
    low, high = (0, 9) if "uint" in source + to else (-9, 9)
    x = tf.cast(tf.constant(values if "uint" not in to else np.abs(values)), source)
    check(tf.cast(x, to), converted(as_array(x), to), to, 1, "whole numbers")
    x, array = numbers(4, source, (300,), low, high)  # more than one packet
    expected = converted(array, to)
    check(tf.cast(x, to), expected, to, 4, "fractions")
    assert tf.cast(tf.zeros([0, 2], source), to).shape == [0, 2]


def test_cast_rounds_toward_zero():
    x = np.array([1.9, -1.9, 0.5, -0.5, 1e9 + 0.5])
    for name in ("int32", "int64"):
        assert tf.cast(x, name).numpy().tolist() == [1, -1, 0, 0, 10**9]


@pytest.mark.parametrize("source", FLOATS + COMPLEX)
@pytest.mark.parametrize("to", INTEGERS)
def test_what_an_integer_cannot_hold_does_not_crash(source, to):
    odd = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, -1.0, 300.7, 2.0**63, 7] * 5)
    x = tf.cast(tf.constant(odd), source)
    found = tf.cast(x, to).numpy()
    assert found.shape == odd.shape and (found[8::9] == 7).all()
    # The same number gives the same integer wherever it stands.
    assert (found.reshape(5, 9) == found[:9]).all()


def test_integers_lose_their_upper_bits():
    x = np.array([300, -1, 2**31, 2**40 + 5])
    assert tf.cast(x, tf.uint8).numpy().tolist() == [44, 255, 0, 5]
    assert tf.cast(x, tf.int8).numpy().tolist() == [44, -1, 0, 5]
    assert tf.cast(x, tf.int32).numpy().tolist() == [300, -1, -(2**31), 5]
    assert tf.cast(np.array([2**64 - 1], np.uint64), tf.int64).numpy() == -1
    assert tf.cast(x, tf.bool).numpy().all()


def test_floats_that_are_too_large_for_a_type_are_infinite():
    x = np.array([1e6, -1e6, 1e300, np.nan])
    half = tf.cast(x, tf.float16).numpy()
    assert half[:3].tolist() == [np.inf, -np.inf, np.inf] and np.isnan(half[3])
    single = tf.cast(x, tf.float32).numpy()
    assert single[2] == np.inf and np.isnan(single[3])
    short = as_array(tf.cast(x, tf.bfloat16))
    assert short[2] == np.inf and np.isnan(short[3])
    # Half way between two bfloat16: to the even one.
    x = tf.constant([1 + 2**-8, 1 + 3 * 2**-8], tf.float32)
    assert as_array(tf.cast(x, tf.bfloat16)).tolist() == [1, 1 + 2**-6]


def test_bool_is_what_is_not_0():
    x = np.array([0.0, -0.0, 0.1, np.nan, np.inf])
    assert tf.cast(x, tf.bool).numpy().tolist() == [False, False, True, True, True]
    # Of complex numbers it is the real part, as in TensorFlow.
    x = [0j, 1j, 1 + 0j, np.nan + 0j]
    assert tf.cast(x, tf.bool).numpy().tolist() == [False, False, True, True]
    assert tf.cast([True, False], tf.complex64).numpy().tolist() == [1, 0]


def test_strings_are_not_cast():
    with pytest.raises(tf.errors.OpError):
        tf.cast(["1"], tf.int32)


# ---- Select ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_select(name):
    for shape in [(), (4,), (2, 3), (2, 3, 2), (0, 3), (1000, 3)]:
        t, t_array = numbers(1, name, shape)
        e, e_array = numbers(2, name, shape)
        for condition_shape in {shape, (), shape[:1]}:
            condition, chosen = numbers(3, "bool", condition_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (len(shape) - chosen.ndim))
            expected = np.where(chosen, t_array, e_array)
            check(ops.call("Select", [condition, t, e]), expected, name)


@pytest.mark.parametrize("name", ALL)
def test_select_that_broadcasts(name):
    for shapes in [
        ((2, 3), (2, 3), (2, 3)),
        ((3,), (2, 1), (1, 3)),
        ((), (4,), ()),
        ((2, 1, 1), (3, 1), (2,)),
        ((0, 1), (3,), ()),
    ]:
        condition, chosen = numbers(3, "bool", shapes[0])
        t, t_array = numbers(1, name, shapes[1])
        e, e_array = numbers(2, name, shapes[2])
        result = ops.call("SelectV2", [condition, t, e])
        check(result, np.where(chosen, t_array, e_array), name)


def test_select_of_strings_and_of_shapes_that_do_not_fit():
    t, e = tf.constant(["a", "b"]), tf.constant(["c", "d"])
    for op in ("Select", "SelectV2"):
        found = ops.call(op, [[True, False], t, e])
        assert found.numpy().tolist() == [b"a", b"d"]
    one, two = np.ones([2, 3]), np.ones([3, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("Select", [True, one, two])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("Select", [[True] * 3, one, one])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("SelectV2", [[True] * 4, one, one])


# ---- Adding, clipping ------------------------------------------------------------------


def test_add_n():
    for name in types_of("AddN"):
        for count, shape in itertools.product(
            (1, 2, 3, 9), [(), (2, 3), (0, 2), (5000,)]
        ):
            pairs = [numbers(i, name, shape, -2, 2) for i in range(count)]
            arrays = [wide(array) for _, array in pairs]
            expected = np.sum(arrays, axis=0, dtype=arrays[0].dtype)
            result = ops.call("AddN", [[x for x, _ in pairs]])
            check(result, expected, name, 10, f"{name}, {count}, {shape}", 6 * count)
    x = tf.constant([1.0, 2])
    assert ops.call("AddN", [[x, x]]).numpy().tolist() == [2, 4]
    assert x.numpy().tolist() == [1, 2], "the sum is not in the place of an input"
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("AddN", [[np.ones(2), np.ones(3)]])


def test_clip_by_value():
    for name in types_of("ClipByValue"):
        for shape in [(), (7,), (2, 3), (0,), (5000,)]:
            x, array = numbers(1, name, shape, -9, 9)
            low = tf.cast(1, name)
            high = tf.cast(5, name)
            expected = np.clip(wide(array), 1, 5)
            check(ops.call("ClipByValue", [x, low, high]), expected, name)
    t, low, high = np.zeros(3), np.array([1.0, -2, -2]), np.array([2.0, -1, 2])
    assert ops.call("ClipByValue", [t, low, high]).numpy().tolist() == [1, -1, 0]
    assert np.isnan(ops.call("ClipByValue", [[np.nan], 0.0, 1.0]).numpy()).all()
    with pytest.raises(tf.errors.InvalidArgumentError):
        ops.call("ClipByValue", [np.ones(3), np.ones(2), 1.0])


# ---- Sequences -------------------------------------------------------------------------


def test_ranges():
    for name in types_of("Range", "Tidx"):
        for start, limit, delta in [
            (0, 5, 1),
            (1, 10, 3),
            (5, 0, -2),
            (3, 3, 1),
            (3, 3, -1),
        ]:
            if delta < 0 and name.startswith("u"):
                continue
            arguments = [tf.cast(value, name) for value in (start, limit, delta)]
            check(ops.call("Range", arguments), np.arange(start, limit, delta), name)
    assert tf.range(0.0, 1.0, 0.3).shape == [4]
    for arguments in [(0, 5, 0), (5, 2, 1), (2, 5, -1)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="[Rr]equires"):
            tf.range(*arguments)
    with pytest.raises(tf.errors.OpError):
        tf.range(0, 2**62, 1)
    with pytest.raises(tf.errors.OpError):
        tf.range(0.0, np.inf, 1.0)
    assert tf.range(np.int64(2**62), np.int64(2**62 + 2)).numpy().tolist() == [
        2**62,
        2**62 + 1,
    ]


def test_numbers_at_equal_distances():
    for name in types_of("LinSpace"):
        for start, stop, num in [(0, 1, 5), (1, -3, 9), (2, 2, 3), (7, 9, 1), (-1, 1, 2)]:
            bounds = [tf.cast(value, name) for value in (start, stop)]
            for index in (np.int32, np.int64):
                result = ops.call("LinSpace", [*bounds, index(num)])
                check(result, np.linspace(start, stop, num), name, 2)
    assert tf.linspace(0.1, 0.7, 7).numpy()[-1] == np.float32(0.7), "the end is exact"
    for num in (0, -1):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linspace(0.0, 1.0, num)


def test_sizes_that_are_fed_are_checked_though_the_shapes_agree(session):
    sizes = tf.placeholder(tf.int32, [1])
    y = tf.reshape(tf.constant([1.0, 2.0, 3.0, 4.0]), sizes)
    assert session.run(y, {sizes: [4]}).tolist() == [1, 2, 3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="100"):
        session.run(y, {sizes: [100]})
