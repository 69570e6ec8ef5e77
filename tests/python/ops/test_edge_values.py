"""Values at the edge of a type: what TensorFlow 2.21 gives, written down.

Where TensorFlow takes denormal numbers for 0, the numbers of IEEE 754 stand here.
"""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import op_def_library as ops

pytestmark = pytest.mark.usefixtures("eager")

INF, NAN = np.inf, np.nan


def same(found, expected):
    """Asserts that both have the same numbers and the same signs, of zeros too."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    signs = np.signbit(found)[numbers], np.signbit(expected)[numbers]
    np.testing.assert_array_equal(*signs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_roots_and_logarithms_at_the_edges(dtype):
    limits = np.finfo(dtype)
    x = np.array([0, -0.0, INF, -1, NAN, limits.max, limits.tiny / 4], dtype)
    x = np.concatenate([x, [limits.smallest_subnormal], x[:3]]).astype(dtype)
    with np.errstate(all="ignore"):
        same(tf.sqrt(x), np.sqrt(x))
        same(tf.math.rsqrt(x), 1 / np.sqrt(x))
        np.testing.assert_allclose(tf.math.log(x), np.log(x), rtol=4 * limits.eps)
    exponents = np.array([-1e9, -INF, INF, NAN, 0, -0.0, 800, -800, 1], dtype)
    e = dtype(np.e)
    np.testing.assert_allclose(
        tf.exp(exponents), [0, 0, INF, NAN, 1, 1, INF, 0, e], rtol=4 * limits.eps
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_limit_of_0_takes_the_sign_off_a_zero(dtype):
    zeros = np.full(19, -0.0, dtype)
    for function in (tf.nn.relu, tf.nn.relu6, lambda x: tf.clip_by_value(x, 0, 3)):
        same(function(tf.constant(zeros)), np.zeros(19, dtype))
    same(tf.nn.relu(tf.constant([NAN, -INF, INF], dtype)), [NAN, 0, INF])
    same(tf.nn.relu6(tf.constant([NAN, -INF, INF], dtype)), [NAN, 0, 6])


def test_clipping_between_limits_that_cross():
    t = tf.constant([-1.0, 2, 5, NAN])
    same(ops.call("ClipByValue", [t, 3.0, 1.0]), [3, 3, 3, NAN])
    below = ops.call("ClipByValue", [t, [1.0, 3, 4, 0], [-1.0, 0, 2, 1]])
    same(below, [1, 3, 4, NAN])
    same(ops.call("ClipByValue", [t, NAN, 3.0]), [-1, 2, 3, NAN])


def test_logarithms_of_complex_numbers_near_1():
    x = np.array(
        [1e-10j, -1 + 1e-10j, 3 - 4j, -0.3 + 0.2j, -2 + 0j, -0.5, 1e-12 - 3e-13j]
    )
    expected = [
        1e-10j,
        -23.025850929940457 + 1.5707963267948966j,
        1.7328679513998633 - 0.7853981633974482j,
        -0.3174391362179848 + 0.27829965900511144j,
        3.141592653589793j,
        -0.6931471805599453,
        9.999999999995e-13 - 2.9999999999970004e-13j,
    ]
    np.testing.assert_allclose(tf.math.log1p(x), expected, rtol=1e-13, atol=1e-19)
    same(tf.square(tf.constant([1e-10 + 1e-10j])).numpy().real, [0])


def test_derivatives_of_the_gamma_function():
    x = np.array([0.5, 1, 1.5, 3, 20, -0.5, -2.5])
    expected = {
        0: [-1.9635100260214227, -0.5772156649015323, 0.03648997397857645,
            0.9227843350984675, 2.970523992242149, 0.03648997397857645,
            1.1031566406452433],
        1: [4.93480220054468, 1.6449340668482266, 0.9348022005446793,
            0.39493406684822646, 0.051270822935203124, 8.934802200544679,
            9.539246644989124],
        2: [-16.828796644234316, -2.404113806319188, -0.8287966442343201,
            -0.15411380631918856, -0.0026281224023146543, -0.82879664423432,
            -0.1082040516417282],
        5: [7691.113548602433, 122.08116743813383, 11.113548602435495,
            0.20616743813389665, 8.484266206158227e-06, 15371.113548602436,
            15382.140048026304],
    }  # fmt: skip
    for n, values in expected.items():
        found = tf.math.polygamma(np.float64(n), x)
        np.testing.assert_allclose(found, values, rtol=4e-14, err_msg=str(n))
    np.testing.assert_allclose(tf.math.digamma(x), expected[0], rtol=4e-14)
    orders = np.array([0.5, -1, 1, 1, 2, 1])
    places = np.array([1, 1, 0, -1, -2, INF])
    same(tf.math.polygamma(orders, places), [NAN, NAN, INF, INF, NAN, 0])
    x = np.array([1, 2, 2, 3, 1.5, 0.5, 2, 3, 2.5, 50, 2, 2])
    q = np.array([1, 1, 0.25, 4, 2, 1, -0.5, -1, -0.5, 3, -2, INF])
    expected = [INF, 1.6449340668482266, 17.197329154507113, 0.04001986612255725]
    expected += [1.6123753486854886, NAN, 8.934802200544679, NAN, NAN]
    expected += [1.392956357970704e-24, INF, 0]
    np.testing.assert_allclose(tf.math.zeta(x, q), expected, rtol=2e-14)


def test_quotients_of_16_bits_are_rounded_before_they_are_cut():
    for dtype in (tf.bfloat16, tf.float16):
        x = tf.cast([1.0, 1, 10000, 7, -7], dtype)
        y = tf.cast([0.1, 0.3, 88.5, 2, 2], dtype)
        floor = tf.cast(tf.math.floordiv(x, y), tf.float32)
        assert floor.numpy().tolist() == [10, 3, 113, 3, -4]
        cut = tf.cast(ops.call("TruncateDiv", [x, y]), tf.float32)
        assert cut.numpy().tolist() == [10, 3, 113, 3, -3]


def test_the_lowest_integer_divided_by_minus_1():
    for dtype in (np.int32, np.int64):
        low = np.iinfo(dtype).min
        x, y = np.array([low, low, 7, -7], dtype), np.array([-1, 1, -2, 2], dtype)
        expected = {
            "Div": [low, low, -3, -3],
            "TruncateDiv": [low, low, -3, -3],
            "FloorDiv": [low, low, -4, -4],
            "Mod": [0, 0, 1, -1],
            "TruncateMod": [0, 0, 1, -1],
            "FloorMod": [0, 0, -1, 1],
        }
        for op, values in expected.items():
            assert ops.call(op, [x, y]).numpy().tolist() == values, op
            with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
                ops.call(op, [x, np.zeros(4, dtype)])
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
            tf.pow(x, y)


# What a number becomes that an integer does not hold: TensorFlow's answer where it
# converts one number, or where its vector instructions agree with that.
CASTS = {
    "int8": [0, 0, 0, -1, -128, 127, 44, -44, 0, 0, 0],
    "uint8": [0, 0, 0, 255, 128, 127, 44, 212, 0, 0, 0],
    "int16": [0, 0, 0, -1, 128, -129, 300, -300, 0, 0, 0],
    "uint16": [0, 0, 0, 65535, 128, 65407, 300, 65236, 0, 0, 0],
    "int32": [-(2**31)] * 3 + [-1, 128, -129, 300, -300] + [-(2**31)] * 3,
    "uint32": [0] * 3 + [2**32 - 1, 128, 2**32 - 129, 300, 2**32 - 300, 3 * 10**9, 0, 0],
    "int64": [-(2**63)] * 3 + [-1, 128, -129, 300, -300, 3 * 10**9] + [-(2**63)] * 2,
    "uint64": [2**63] * 3
    + [2**64 - 1, 128, 2**64 - 129, 300, 2**64 - 300, 3 * 10**9, 10**19, 2**63],
}


@pytest.mark.parametrize("name", CASTS)
def test_casts_of_what_an_integer_does_not_hold(name):
    numbers = [INF, -INF, NAN, -1.9, 128, -129, 300, -300, 3e9, 1e19, -1e30]
    expected = np.array(CASTS[name], name)
    for dtype in (np.float32, np.float64):
        x = np.array(numbers, dtype)
        wanted = expected.copy()
        if name == "uint64":
            wanted[9] = int(x[9])
        for size in (1, 3, 11):
            for begin in range(0, 12 - size):
                found = tf.cast(x[begin : begin + size], name).numpy()
                assert found.tolist() == wanted[begin : begin + size].tolist()
        many = tf.cast(np.tile(x, 9), name).numpy()
        assert many.tolist() == np.tile(wanted, 9).tolist()
    assert not tf.cast(np.array([2j, 0]), tf.bool).numpy().any(), "the real part counts"


def test_arg_max_passes_over_what_is_not_a_number():
    for row, largest, smallest in [
        ([NAN, 1, 2, NAN], 2, 1),
        ([3, NAN, 3], 0, 0),
        ([INF, NAN, 1], 0, 2),
        ([-INF, NAN], 0, 0),
        ([NAN, NAN], 0, 0),
    ]:
        for dtype in (np.float32, np.float64):
            x = np.array(row, dtype)
            assert tf.argmax(x).numpy() == largest, row
            assert tf.argmin(x).numpy() == smallest, row


def test_in_top_k_says_no_where_a_prediction_is_not_finite():
    rows = [[0.1, 0.3, 0.2], [NAN, 0.5, 0.2], [INF, 1, 2], [1, 1, 1], [-INF, 0, 1]]
    predictions = np.array(rows, np.float32)
    for target, expected in enumerate(
        [[True, False, False, True, False], [True, False, False, True, False]]
    ):
        targets = np.full(5, target, np.int32)
        found = tf.nn.in_top_k(predictions, targets, 3 if target == 0 else 2)
        assert found.numpy().tolist() == expected
    outside = tf.nn.in_top_k(predictions, np.array([3, -1, 0, 9, 9], np.int32), 1)
    assert not outside.numpy().any()


def test_sums_of_nothing_and_of_zeros():
    same(tf.reduce_sum(tf.constant([[-0.0], [-0.0]]), 1), [-0.0, -0.0])
    same(tf.reduce_sum(tf.constant([[-0.0, -0.0]]), 1), [0.0])
    same(tf.reduce_sum(tf.zeros([2, 0]), 1), [0.0, 0])
    same(tf.reduce_prod(tf.zeros([2, 0]), 1), [1.0, 1])
    same(tf.reduce_max(tf.zeros([2, 0]), 1), [-INF, -INF])
    same(tf.reduce_mean(tf.zeros([2, 0]), 1), [NAN, NAN])


def test_a_zero_that_is_added_keeps_its_meaning():
    """-0 + 0 is 0, also where a session simplifies the step."""
    x = np.array([-0.0, 0, 1, NAN], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.placeholder(tf.float32, [4])
        found = session.run([a + 0.0, 0.0 + a, a - 0.0, a + -0.0, a - -0.0], {a: x})
    plus, minus = np.array([0.0, 0, 1, NAN]), np.array([-0.0, 0, 1, NAN])
    for result, expected in zip(found, [plus, plus, minus, minus, plus], strict=True):
        same(result, expected)
