"""First and second gradients at the edge of an op's domain, as TensorFlow 2.21 has them.

Zeros and None are different answers: zeros say that the slope does not change.
"""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import op_def_library as ops

pytestmark = pytest.mark.usefixtures("eager")

INF, NAN = np.inf, np.nan


def twice(function, *xs, dy=None):
    """The gradients of function(*xs), and the gradients of each of them."""
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            y = function(*xs)
        first = inner.gradient(y, xs, output_gradients=dy)
    second = [None if g is None else outer.gradient(g, xs) for g in first]
    return first, second


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nothing_comes_back_where_nothing_goes_in(dtype):
    """0 times an infinite slope is 0 for the functions that TensorFlow guards."""
    x = np.array([0, -0.0, 4, INF, -1, NAN] * 3, dtype)
    zeros = np.zeros_like(x)
    for function in (tf.sqrt, tf.math.rsqrt, tf.math.reciprocal):
        with tf.GradientTape() as tape:
            t = tf.constant(x)
            tape.watch(t)
            y = function(t)
        assert not tape.gradient(y, t, output_gradients=zeros).numpy().any()
    (dx,), _ = twice(tf.norm, np.zeros((2, 3), dtype), dy=dtype(0))
    assert not dx.numpy().any()


@pytest.mark.parametrize("size", [3, 19])
def test_roots_at_0(size):
    x = np.resize(np.array([0, -0.0, 4], np.float32), size)
    expected = {
        tf.sqrt: ([INF, -INF, 0.25], [-INF, INF, -0.03125]),
        tf.math.rsqrt: ([-INF, INF, -0.0625], [INF, -INF, 0.0234375]),
    }
    for function, (first, second) in expected.items():
        (dx,), ((ddx,),) = twice(function, x)
        assert dx.numpy().tolist() == np.resize(first, size).tolist()
        assert ddx.numpy().tolist() == np.resize(second, size).tolist()


def test_powers():
    x = np.array([0, 0, -2, -2, 2, 1e30, 0, -0.0], np.float32)
    y = np.array([0, 2, 3, 0.5, 0, 2, -1, 3], np.float32)
    (dx, dy), _ = twice(tf.pow, x, y)
    np.testing.assert_array_equal(dx, np.float32([NAN, 0, 12, NAN, 0, 2e30, -INF, 0]))
    np.testing.assert_allclose(dy, [0, 0, 0, NAN, 0.6931472, INF, NAN, 0], rtol=1e-6)
    (dx, dy), _ = twice(tf.pow, x, y, dy=np.zeros(8, np.float32))
    np.testing.assert_array_equal(dx, [NAN, 0, 0, NAN, 0, 0, NAN, 0])
    np.testing.assert_array_equal(dy, [0, 0, 0, NAN, 0, NAN, NAN, 0])
    # y x^(y-1) is too large for float16, 0 times it is not.
    (dx, _), _ = twice(tf.pow, np.float16([6.5]), np.float16([6]), dy=np.float16([0]))
    assert dx.numpy().tolist() == [0]


SECOND = {
    "relu": (tf.nn.relu, [0, 0, 1, 1], [0, 0, 0, 0]),
    "relu6": (tf.nn.relu6, [0, 0, 1, 0], [0, 0, 0, 0]),
    "leaky_relu": (tf.nn.leaky_relu, [0.2, 0.2, 1, 1], [0, 0, 0, 0]),
    "elu": (tf.nn.elu, [0.36787944117144233, 1, 1, 1], [0.36787944117144233, 0, 0, 0]),
    "selu": (
        tf.nn.selu,
        [0.6467686030348141, *[1.0507009873554805] * 3],
        [0.6467686030348141, 0, 0, 0],
    ),
    "softplus": (
        tf.nn.softplus,
        [0.2689414213699951, 0.5, 0.6224593312018546, 0.9990889488055994],
        [0.19661193324148185, 0.25, 0.2350037122015945, 0.000910221180121784],
    ),
    "abs": (tf.abs, [-1, 0, 1, 1], [0, 0, 0, 0]),
    "sign": (tf.sign, [0, 0, 0, 0], None),
    "digamma": (
        tf.math.digamma,
        [INF, INF, 4.93480220054468, 0.15354517795933756],
        [NAN, NAN, -16.828796644234316, -0.023530472985855234],
    ),
    "lgamma": (
        tf.math.lgamma,
        [NAN, NAN, -1.9635100260214227, 1.8727843350984674],
        [INF, INF, 4.93480220054468, 0.15354517795933756],
    ),
}


@pytest.mark.parametrize("name", SECOND)
def test_first_and_second(name):
    function, expected, expected_second = SECOND[name]
    (dx,), ((ddx,),) = twice(function, np.array([-1, 0, 0.5, 7]))
    np.testing.assert_allclose(dx, expected, rtol=1e-7)
    if expected_second is None:
        assert ddx is None
    else:
        np.testing.assert_allclose(ddx, expected_second, rtol=1e-7)


def test_the_second_gradient_of_a_largest_number_is_0():
    x = np.arange(9.0, dtype=np.float32).reshape(1, 3, 3, 1)
    window = ([1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    (dx,), ((ddx,),) = twice(lambda x: tf.nn.max_pool(x, *window), x)
    assert dx.numpy().ravel().tolist() == [0, 0, 0, 0, 1, 1, 0, 1, 1]
    assert not ddx.numpy().any() and ddx.shape == x.shape
    # d(dy)/d(ddx) and beyond: the gradients of the gradient ops have zeros, too.
    (dx, dy, _), _ = twice(
        lambda *inputs: ops.call(
            "MaxPoolGrad",
            list(inputs),
            {"ksize": window[0], "strides": window[1], "padding": window[2]},
        ),
        x,
        x[:, 1:, 1:],
        np.ones((1, 2, 2, 1), np.float32),
    )
    assert not dx.numpy().any() and not dy.numpy().any()


def test_what_is_not_finite_comes_through_a_rectifier():
    dy = np.array([INF, NAN, 1, -1] * 5, np.float32)
    x = np.array([0, -1, -1, -1] * 5, np.float32)
    for op in ("ReluGrad", "Relu6Grad"):
        found = ops.call(op, [dy, x]).numpy()
        np.testing.assert_array_equal(found, [NAN, NAN, 0, 0] * 5)
        assert np.signbit(found[3]) and not np.signbit(found[2])


def test_zeta():
    x, q = np.array([2.0, 3]), np.array([0.7, 2])
    (dx, dq), (_, (ddx, ddq)) = twice(tf.math.zeta, x, q)
    assert dx is None
    np.testing.assert_allclose(dq, [-6.434992874190923, -0.24696970113341465], rtol=1e-13)
    np.testing.assert_allclose(ddx, [-3.2174964370954613, -0.08232323371113821])
    np.testing.assert_allclose(ddq, [25.879149678427744, 0.4431330617204393], rtol=1e-13)


def test_complex_signs_and_sizes():
    x = np.array([3 + 4j, 0, -1j])
    (dx,), ((ddx,),) = twice(tf.sign, x)
    assert not dx.numpy().any() and ddx is None
    (dx,), _ = twice(tf.abs, x)
    np.testing.assert_allclose(dx, [0.6 + 0.8j, 0, -1j])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_second_gradients_beyond_the_domain_are_0_where_nothing_goes_in(dtype):
    samples = {tf.asin: 1.5, tf.acos: -2.0, tf.math.log1p: -1.0, tf.atanh: 1.0}
    for function, edge in samples.items():
        x = np.array([0.25, edge] * 9, dtype)
        _, ((ddx,),) = twice(function, x, dy=np.zeros_like(x))
        assert not ddx.numpy().any()


def test_quotients_of_nothing():
    none, large = np.zeros(0, np.float32), np.float32(3e38)
    _, (_, (_, ddy)) = twice(tf.math.xdivy, none, large)
    assert ddy.numpy() == 0


def test_the_second_gradient_of_tan_in_float16():
    _, ((ddx,),) = twice(tf.tan, np.array([1.5, -2.0], np.float16))
    assert ddx.numpy().tolist() == pytest.approx([5.64e3, 25.2], rel=0.03)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_selu_is_flat_at_its_lower_end(dtype):
    x = tf.constant([-INF, -100.0] * 9, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.selu(x)
    assert not tf.cast(tape.gradient(y, x), tf.float32).numpy().any()
