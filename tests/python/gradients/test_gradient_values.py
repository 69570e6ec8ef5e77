"""Gradients as numbers: TensorFlow's own tests, ties, zeros, and what has none.

Central differences say nothing where a function has a kink. TensorFlow has a convention
for each such place; it stands here. The rest is in test_numeric_gradients.py.
"""

import os

import numpy as np
import pytest

import minitf as tf
from minitf.framework import op_def_library as ops

X6 = np.array([-3.0, -2, -1, 1, 2, 3])
X = X6.reshape(2, 3)
Y = np.array([[-10.0], [10]])


def gradients(function, *xs, weights=None):
    """dL/dx for every x as arrays, after a check that both modes agree."""
    with tf.Graph().as_default():
        tensors = [tf.constant(x) for x in xs]
        y = function(*tensors)
        found = tf.gradients(y, tensors, grad_ys=weights)
        with tf.Session() as session:
            in_graph = [None if g is None else session.run(g) for g in found]
    tf.enable_eager_execution()
    tensors = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    found = tape.gradient(y, tensors, output_gradients=weights)
    eager = [None if g is None else g.numpy() for g in found]
    tf.disable_eager_execution()
    for a, b in zip(in_graph, eager, strict=True):
        assert (a is None) == (b is None)
        if a is not None:  # a card's functions may differ in the last digit
            is_on_card = "CUDA_VISIBLE_DEVICES" in os.environ
            np.testing.assert_allclose(a, b, rtol=1e-14 if is_on_card else 0)
    return in_graph


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-12)


# ---- tensorflow/cc/gradients/math_grad_test.cc -----------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
def test_matmul(transpose_a, transpose_b, dtype):
    x = np.arange(1, 7, dtype=dtype).reshape((3, 2) if transpose_a else (2, 3))
    y = np.array([-1, 0.5, 2], dtype).reshape((1, 3) if transpose_b else (3, 1))
    dx, dy = gradients(lambda a, b: tf.matmul(a, b, transpose_a, transpose_b), x, y)
    if transpose_a:
        assert dx.tolist() == [[-1, -1], [0.5, 0.5], [2, 2]]
        assert dy.ravel().tolist() == [3, 7, 11]
    else:
        assert dx.tolist() == [[-1, 0.5, 2], [-1, 0.5, 2]]
        assert dy.ravel().tolist() == [5, 7, 9]
    assert dy.shape == y.shape


POSITIVE = np.array([0.5, 1, 2, 3, 5, 8])
INSIDE = np.array([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3])
UNARY = {
    "Abs": (X6, np.sign),
    "Neg": (X6, lambda x: -np.ones_like(x)),
    "Reciprocal": (X6, lambda x: -1 / x**2),
    "Square": (X6, lambda x: 2 * x),
    "Sqrt": (POSITIVE, lambda x: 0.5 / np.sqrt(x)),
    "Rsqrt": (POSITIVE, lambda x: -0.5 * x**-1.5),
    "Exp": (X6, np.exp),
    "Expm1": (X6, np.exp),
    "Log": (POSITIVE, lambda x: 1 / x),
    "Log1p": (POSITIVE, lambda x: 1 / (1 + x)),
    "Sinh": (X6, np.cosh),
    "Cosh": (X6, np.sinh),
    "Tanh": (X6, lambda x: 1 - np.tanh(x) ** 2),
    "Asinh": (X6, lambda x: 1 / np.sqrt(1 + x**2)),
    "Acosh": (POSITIVE + 1, lambda x: 1 / np.sqrt(x**2 - 1)),
    "Atanh": (INSIDE, lambda x: 1 / (1 - x**2)),
    "Sigmoid": (X6, lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "Sign": (X6, np.zeros_like),
    "Sin": (X6, np.cos),
    "Cos": (X6, lambda x: -np.sin(x)),
    "Tan": (INSIDE, lambda x: 1 / np.cos(x) ** 2),
    "Asin": (INSIDE, lambda x: 1 / np.sqrt(1 - x**2)),
    "Acos": (INSIDE, lambda x: -1 / np.sqrt(1 - x**2)),
    "Atan": (X6, lambda x: 1 / (1 + x**2)),
    "Erf": (X6, lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2))),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", UNARY)
def test_one_input(op, dtype):
    x, derivative = UNARY[op]
    x = x.reshape(2, 3).astype(dtype)
    (dx,) = gradients(lambda x: ops.call(op, [x]), x)
    assert dx.dtype == dtype
    exact = derivative(x.astype(np.float64))
    np.testing.assert_allclose(dx, exact, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_cast():
    assert gradients(lambda x: tf.cast(x, tf.float32), X)[0].tolist() == [[1] * 3] * 2
    assert gradients(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float64), X) == [None]


BINARY = {
    "Add": (np.ones_like(X), [[3], [3]]),
    "Sub": (np.ones_like(X), [[-3], [-3]]),
    "Mul": ([[-10] * 3, [10] * 3], [[-6], [6]]),
    "Div": ([[-0.1] * 3, [0.1] * 3], [[0.06], [-0.06]]),
    "RealDiv": ([[-0.1] * 3, [0.1] * 3], [[0.06], [-0.06]]),
    "DivNoNan": ([[-0.1] * 3, [0.1] * 3], [[0.06], [-0.06]]),
    "SquaredDifference": ([[14, 16, 18], [-18, -16, -14]], [[-48], [48]]),
    "Maximum": ([[1] * 3, [0] * 3], [[0], [3]]),
    "Minimum": ([[0] * 3, [1] * 3], [[3], [0]]),
}


@pytest.mark.parametrize("op", BINARY)
def test_two_inputs(op):
    found = gradients(lambda x, y: ops.call(op, [x, y]), X, Y)
    for actual, expected in zip(found, BINARY[op], strict=True):
        close(actual, expected)


def test_pow():
    base, exponent = np.array([[1.0, 2, 3], [1, 2, 3]]), np.array([[2.0], [3]])
    dx, dy = gradients(tf.pow, base, exponent)
    close(dx, [[2, 4, 6], [3, 12, 27]])
    logs = np.log(base) * base**exponent
    np.testing.assert_allclose(dy, logs.sum(1, keepdims=True), rtol=1e-14)


def test_select():
    condition = np.array([[True, False, True], [False, False, True]])
    t, e = gradients(lambda t, e: tf.where(condition, t, e), X, -X)
    assert t.tolist() == condition.tolist() and e.tolist() == (~condition).tolist()


def test_reductions():
    assert gradients(lambda x: tf.reduce_sum(x, 0), X)[0].tolist() == [[1] * 3] * 2
    weighted = gradients(lambda x: tf.reduce_sum(x, 0), X, weights=np.array([1.0, 2, 3]))
    assert weighted[0].tolist() == [[1, 2, 3]] * 2
    close(gradients(lambda x: tf.reduce_mean(x, [0, 1]), X)[0], np.full([2, 3], 1 / 6))
    close(gradients(lambda x: tf.reduce_mean(x, 1), X)[0], np.full([2, 3], 1 / 3))
    assert gradients(lambda x: tf.reduce_max(x, 1), X)[0].tolist() == [[0, 0, 1]] * 2
    assert gradients(lambda x: tf.reduce_min(x, 1), X)[0].tolist() == [[1, 0, 0]] * 2
    product = gradients(lambda x: tf.reduce_prod(x, 1), X)[0]
    assert product.tolist() == [[2, 3, 6], [6, 3, 2]]


# ---- Ties, zeros, limits ---------------------------------------------------------------


def test_the_largest_share_a_gradient_evenly():
    x = np.array([[1.0, 3, 3], [2, 2, 2]])
    for function in (tf.reduce_max, lambda x, axis: -tf.reduce_min(-x, axis)):
        dx = gradients(lambda x, f=function: f(x, 1), x)[0]
        close(dx, [[0, 0.5, 0.5], [1 / 3] * 3])
        dx = gradients(lambda x, f=function: f(x, None), x)[0]
        assert dx.tolist() == [[0, 0.5, 0.5], [0, 0, 0]]


def test_the_largest_of_a_segment_share_a_gradient_evenly():
    x, ids = np.array([3.0, 3, 1, 5]), np.array([0, 0, 0, 2])
    expected = [0.5, 0.5, 0, 1]
    assert gradients(lambda x: tf.segment_max(x, ids), x)[0].tolist() == expected
    assert gradients(lambda x: -tf.segment_min(-x, ids), x)[0].tolist() == expected
    ids = np.array([1, 1, -1, 0])
    found = gradients(lambda x: tf.unsorted_segment_max(x, ids, 4), x)
    assert found[0].tolist() == [0.5, 0.5, 0, 1]


def test_of_two_that_are_equal_the_first_gets_the_gradient():
    x = np.array([1.0, 2])
    for function in (tf.maximum, tf.minimum):
        dx, dy = gradients(function, x, x)
        assert dx.tolist() == [1, 1] and dy.tolist() == [0, 0]


def test_at_the_kink():
    zero = np.array([0.0, -0.0])
    for function in (tf.abs, tf.nn.relu, tf.sign, tf.nn.relu6):
        assert gradients(function, zero)[0].tolist() == [0, 0]
    assert gradients(tf.nn.relu6, np.array([6.0]))[0].tolist() == [0]
    close(gradients(tf.nn.leaky_relu, zero)[0], [0.2, 0.2])
    assert gradients(tf.nn.elu, zero)[0].tolist() == [1, 1]
    assert gradients(tf.nn.softsign, zero)[0].tolist() == [1, 1]


def test_at_0_and_at_infinity():
    assert gradients(tf.sqrt, np.zeros(1))[0].tolist() == [np.inf]
    assert gradients(tf.nn.softplus, np.array([1e3, -1e3]))[0].tolist() == [1, 0]
    assert gradients(tf.sigmoid, np.array([1e3, -1e3]))[0].tolist() == [0, 0]
    zero, y = np.zeros(2), np.array([2.0, 0])
    for op, dx in {"Xdivy": [0, 0], "Xlogy": [0, 0], "DivNoNan": [0.5, 0]}.items():
        found = gradients(lambda x, y, op=op: ops.call(op, [x, y]), zero, y)
        assert found[0].tolist() == dx and found[1].tolist() == [0, 0]
    dx, dy = gradients(
        lambda x, y: ops.call("MulNoNan", [x, y]), np.array([np.inf, 3]), np.zeros(2)
    )
    assert dx.tolist() == [0, 0] and dy.tolist() == [np.inf, 3]


def test_powers_of_numbers_that_are_not_positive():
    dx, dy = gradients(tf.pow, np.array([0.0, -2, -2, 0]), np.array([2.0, 3, 2, 1]))
    assert dx.tolist() == [0, 12, -4, 1]
    assert dy.tolist() == [0, 0, 0, 0], "no logarithm, no gradient"


def test_products_with_zeros():
    x = np.array([[0.0, 2, 3], [0, 0, 3], [4, 2, 3]])
    expected = [[6, 0, 0], [0, 0, 0], [6, 12, 8]]
    assert gradients(lambda x: tf.reduce_prod(x, 1), x)[0].tolist() == expected
    column = gradients(lambda x: tf.segment_prod(x, [0, 0, 1]), x.T)[0]
    assert column.tolist() == [[2, 0, 2], [0, 0, 4], [1, 1, 1]]
    # Where x is 0, cumprod passes nothing back, as in TensorFlow.
    assert gradients(tf.cumprod, np.array([2.0, 0, 3]))[0].tolist() == [1, 0, 0]


def test_clipping():
    t = np.array([-3.0, -1, 0, 1, 3])
    dt, low, high = gradients(ops_clip, t, np.array(-1.0), np.array(1.0))
    assert dt.tolist() == [0, 1, 1, 1, 0] and low == 1 and high == 1


def ops_clip(t, low, high):
    return ops.call("ClipByValue", [t, low, high])


def test_the_first_maximum_of_a_window_gets_the_gradient():
    x = np.ones([1, 1, 3, 1])
    dx = gradients(lambda x: tf.nn.max_pool(x, [1, 1, 2, 1], [1, 1, 1, 1], "VALID"), x)
    assert dx[0].ravel().tolist() == [1, 1, 0]


def test_nan_stays_nan():
    x = np.array([1.0, np.nan])
    assert np.isnan(gradients(tf.reduce_max, x)[0]).any()
    assert np.isnan(gradients(tf.square, x)[0]).tolist() == [False, True]


# ---- Half precision --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_halves_have_gradients_of_their_own_type(dtype):
    x = tf.constant([[1.0, 2], [4, 8]])
    half = tf.cast(x, dtype)
    y = tf.reduce_mean(tf.square(half) * half, 1) + tf.reduce_max(half)
    dx, dhalf = tf.gradients(y, [x, half])
    assert dx.dtype == tf.float32 and dhalf.dtype == dtype
    with tf.Session() as session:
        assert session.run(dx).tolist() == [[1.5, 6], [24, 98]]


# ---- What has no gradient --------------------------------------------------------------


def test_a_gradient_may_be_forbidden(session):
    x = tf.constant(1.0)
    y = tf.raw_ops.PreventGradient(input=x, message="not through here")
    assert session.run(y) == 1
    with pytest.raises((LookupError, tf.errors.OpError), match="not through here"):
        tf.gradients(y, x)


@pytest.mark.parametrize(
    "function",
    [
        tf.floor,
        tf.ceil,
        tf.round,
        tf.rint,
        tf.zeros_like,
        tf.ones_like,
        tf.stop_gradient,
        lambda x: x // 2,
        lambda x: tf.cast(x > 1, tf.float64),
        lambda x: tf.cast(tf.argmax(x), tf.float64),
        lambda x: tf.cast(tf.shape(x), tf.float64),
        lambda x: tf.linspace(x[0], x[1], 3),
        lambda x: tf.range(x[0], x[1], 1.0),
    ],
)
def test_what_does_not_change_smoothly_has_none(function):
    with tf.Graph().as_default():
        x = tf.constant([1.0, 3], tf.float64)
        assert tf.gradients(function(x), x) == [None]


def test_gradients_of_what_is_behind_a_handle(evaluate):
    with tf.variable_scope("scope"):
        v = tf.get_variable(
            "v", initializer=np.arange(6.0).reshape(3, 2), dtype=tf.float64
        )

    def loss():
        rows = tf.raw_ops.ResourceGather(
            resource=v.handle, indices=[[2, 0], [2, 1]], dtype=tf.float64
        )
        return tf.reduce_sum(rows) + tf.reduce_sum(v * v)

    if tf.executing_eagerly():
        # The op does not make a tape watch, as in TensorFlow: only reading v does.
        with tf.GradientTape() as tape:
            y = loss()
        assert tape.gradient(y, v).numpy().tolist() == [[0, 2], [4, 6], [8, 10]]
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = loss()
        dv = tape.gradient(y, v)
    else:
        dv = tf.gradients(loss(), v)[0]
    assert evaluate(dv).tolist() == [[1, 3], [5, 7], [10, 12]]
