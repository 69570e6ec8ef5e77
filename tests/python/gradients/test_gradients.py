"""tf.gradients, and gradient functions written in Python."""

import re

import numpy as np
import pytest
from runners import fresh_process

import minitf as tf
from minitf import _minitf
from minitf.framework import gradient_registry


@pytest.fixture
def register():
    """Registers gradients of ops that have none, until the test ends."""
    registered = []

    def decorate(op_type):
        registered.append(op_type)
        return tf.RegisterGradient(op_type)

    yield decorate
    for op_type in registered:
        gradient_registry._registered.pop(op_type)
        _minitf.register_gradient(op_type, None)


def test_the_chain_rule(session):
    x, a, b = tf.constant(2.0), tf.constant(3.0), tf.constant(1.0)
    f = x * tf.sin(a * x + b)
    np.testing.assert_allclose(session.run(f), 1.3139732, rtol=1e-6)
    found = session.run(tf.gradients(f, [x, a, b]))
    np.testing.assert_allclose(found, [5.1804001, 3.0156090, 1.5078045], rtol=1e-6)


def test_gradients_add_up_where_a_value_fans_out(session):
    x = tf.constant(3.0)
    assert session.run(tf.gradients(x * x + x, x)) == [7]


def test_stretched_axes_are_summed(session):
    x, y = tf.ones([2, 3]), tf.ones([2, 1])
    dx, dy = session.run(tf.gradients(x + y, [x, y]))
    assert dx.tolist() == [[1] * 3] * 2 and dy.tolist() == [[3], [3]]


def test_what_does_not_depend_has_no_gradient(session):
    x, y = tf.constant(1.0), tf.constant([1.0, 2.0])
    assert tf.gradients(x * 2, y) == [None]
    zero = tf.gradients(x * 2, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert session.run(zero[0]).tolist() == [0, 0]
    assert tf.gradients(x * 2, y, unconnected_gradients="zero")[0] is not None


def test_weights_and_several_ys(session):
    x = tf.constant([1.0, 2.0])
    weighted = tf.gradients([x * x, 3 * x], x, grad_ys=[tf.constant([1.0, 10.0]), None])
    assert session.run(weighted[0]).tolist() == [2 + 3, 40 + 3]
    with pytest.raises(ValueError, match="Passed 1 grad_ys for 2 ys"):
        tf.gradients([x, x], x, grad_ys=[x])


def test_all_is_of_one_graph():
    x = tf.constant(3.0)
    y = x * x
    with tf.Graph().as_default():  # its first node has the number of x
        other = tf.constant(5.0)
        for asked in (
            lambda: tf.gradients(y, other),
            lambda: tf.gradients([y, other], x),
            lambda: tf.gradients(y, x, grad_ys=other),
            lambda: tf.gradients(y, x, stop_gradients=[other]),
        ):
            with pytest.raises(ValueError, match="must be from the same graph"):
                asked()
        gradient = tf.gradients(y, x, grad_ys=10.0)[0]
    with tf.Session(graph=x.graph) as session:
        assert gradient.graph is x.graph and session.run(gradient) == 60


def test_stopped_values_are_constants(session):
    x = tf.constant(3.0)
    y = x * x
    z = y + x
    assert session.run(tf.gradients(z, x, stop_gradients=[y])) == [1]
    assert session.run(tf.gradients(tf.stop_gradient(y) * x, x)) == [9]


def test_gradients_of_variables(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    assert session.run(tf.gradients(v * v, v)[0]).tolist() == [2, 4]


def test_nodes_are_named_after_what_they_differentiate():
    x = tf.constant(1.0, name="x")
    gradient = tf.gradients(tf.exp(x, name="y"), x)[0]
    assert gradient.name.startswith("gradients/y_grad/")
    assert tf.gradients(tf.exp(x, name="z"), x)[0].name.startswith("gradients_1/z_grad/")


def test_hessians(session):
    x = tf.constant([1.0, 2.0])
    found = session.run(tf.hessians(tf.reduce_sum(x * x * x), x)[0])
    assert found.tolist() == [[6, 0], [0, 12]]


@pytest.mark.parametrize("shape", [None, [None, None], [None, 1]])
def test_hessians_of_a_shape_that_only_the_step_knows(session, shape):
    x = tf.placeholder(tf.float32, shape)
    hessian = tf.hessians(tf.reduce_sum(x * x * x) + x[0, 0] * x[1, 0], x)[0]
    found = session.run(hessian, {x: [[1.0], [2.0]]})
    assert found.shape == (2, 1, 2, 1)
    assert found.reshape(2, 2).tolist() == [[6, 1], [1, 12]]


# ---- In Python -------------------------------------------------------------------------

# It takes the place of C++'s for the rest of the process: it has one of its own.
SIN_GRAD = '''\
import numpy as np

import minitf as tf
from minitf.ops import math_ops
from minitf.framework import op_def_library as ops

@ops.RegisterGradient("Sin")
def _SinGrad(op, grad):
  """Returns grad * cos(x)."""
  x = op.inputs[0]
  with ops.control_dependencies([grad]):
    x = math_ops.conj(x)
    return grad * math_ops.cos(x)

session = tf.InteractiveSession()
'''


def with_sin_grad(code):
    """What a process prints in which the gradient of Sin is that of Python."""
    return fresh_process(SIN_GRAD + code)


def test_the_gradient_of_sin_in_python():
    printed = with_sin_grad("""
x = tf.constant([-3.0, -2, -1, 1, 2, 3])
print(tf.gradients(tf.sin(x), x)[0].eval().tolist())
cos = next(op for op in tf.get_default_graph().get_operations() if op.type == "Cos")
print(cos.origin, len(cos.control_inputs))
z = np.array([1 + 2j, -0.5 - 1j])
y = tf.constant(z)
print(tf.gradients(tf.sin(y), y, grad_ys=tf.ones_like(y))[0].eval().tolist())
""")
    slopes, origin, complex_slopes = printed.splitlines()
    expected = [-0.98999250, -0.41614684, 0.54030231]
    expected += reversed(expected)
    np.testing.assert_allclose(eval(slopes), expected, rtol=1e-6)
    assert re.fullmatch(r"<string>:\d+ 1", origin)
    z = np.array([1 + 2j, -0.5 - 1j])
    np.testing.assert_allclose(eval(complex_slopes), np.cos(np.conj(z)), rtol=1e-6)


def test_a_python_gradient_may_wait_for_one_in_slices():
    printed = with_sin_grad("""
x = tf.constant([1.0, 2.0, 3.0])
y = tf.gather(tf.sin(x), [2, 0, 2])
gradient = tf.gradients(y, x, grad_ys=tf.constant([1.0, 10.0, 100.0]))[0]
print(tf.convert_to_tensor(gradient).eval().tolist())
""")
    expected = [10 * np.cos(1), 0, 101 * np.cos(3)]
    np.testing.assert_allclose(eval(printed), expected, rtol=1e-6)


def test_the_same_function_serves_the_tape(eager, register):
    calls = []

    @register("Rint")
    def _rint_grad(op, grad):
        calls.append((op.type, op.get_attr("T")))
        return grad * tf.sinh(op.inputs[0])

    x = tf.constant([0.5, 1.0])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.raw_ops.Rint(x=x)
        dy = tape.gradient(y, x)
    np.testing.assert_allclose(dy, np.sinh([0.5, 1.0]), rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(dy, x), np.cosh([0.5, 1.0]), rtol=1e-6)
    assert calls[0] == ("Rint", tf.float32)


def test_mistakes_of_a_python_gradient_are_reported(session, register):
    @register("Round")
    def _wrong(op, grad):
        return [grad, grad]

    x = tf.constant(1.0)
    with pytest.raises(
        ValueError, match=r"Num gradients 2 generated for op .*Round.* num inputs 1"
    ):
        tf.gradients(tf.raw_ops.Round(x=x), x)

    @register("Ceil")
    def _raises(op, grad):
        raise ZeroDivisionError("from the user")

    with pytest.raises(ZeroDivisionError, match="from the user"):
        tf.gradients(tf.ceil(x), x)


def test_registering_twice_is_refused():
    tf.RegisterGradient("SomeOpOfMine")(lambda op, grad: None)
    with pytest.raises(
        KeyError, match="Registering two gradient with name 'SomeOpOfMine'"
    ):
        tf.RegisterGradient("SomeOpOfMine")(lambda op, grad: None)
    with pytest.raises(TypeError, match="must be a string"):
        tf.RegisterGradient(3)


def test_not_differentiable_ops_pass_nothing(session):
    x = tf.constant([1.0, 3.0])
    assert tf.gradients(tf.cast(tf.argmax(x), tf.float32), x) == [None]


def test_custom_gradients(evaluate):
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: dy * 100.0

    x = tf.constant([1.0, 2.0])
    if tf.executing_eagerly():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x) * 2
        gradient = tape.gradient(y, x)
    else:
        y = clipped(x) * 2
        gradient = tf.gradients(y, x)[0]
    assert evaluate(y).tolist() == [2, 4]
    assert evaluate(gradient).tolist() == [200, 200]


def test_numeric_gradients(session):
    x = tf.placeholder(tf.float64, [2, 3])
    w = tf.placeholder(tf.float64, [3, 2])
    y = tf.tanh(tf.matmul(x, w))
    error = tf.test.compute_gradient_error([x, w], [[2, 3], [3, 2]], y, [2, 2])
    assert error < 1e-6
    symbolic, numeric = tf.test.compute_gradient(x, [2, 3], x * x, [2, 3])
    np.testing.assert_allclose(symbolic, numeric, atol=1e-8)
    assert symbolic.shape == (6, 6)
