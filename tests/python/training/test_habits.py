"""Small things that programs do out of habit, as TensorFlow answers them."""

import copy
import pickle

import numpy as np
import pytest

import minitf as tf


def test_the_global_step_may_be_any_variable_of_that_name():
    with tf.Graph().as_default():
        assert tf.train.get_global_step() is None
        step = tf.Variable(0, trainable=False, name="global_step")
        assert tf.train.get_global_step() is step
        assert tf.train.get_or_create_global_step() is step
    with tf.Graph().as_default():
        tf.Variable(0.5, name="global_step")
        with pytest.raises(TypeError, match="does not have integer type"):
            tf.train.get_global_step()


def test_optimizers_tell_their_names():
    assert tf.train.AdamOptimizer().get_name() == "Adam"
    assert tf.train.GradientDescentOptimizer(0.1, name="mine").get_name() == "mine"


def test_an_activity_regularizer_counts_for_an_example():
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.layers.Dense(
            2,
            kernel_initializer=tf.ones_initializer(),
            activity_regularizer=tf.reduce_sum,
        )
        layer(tf.ones([4, 3]))
        session.run(tf.global_variables_initializer())
        assert session.run(layer.losses) == [6.0]
        assert tf.losses.get_regularization_losses() == layer.losses
        assert layer.losses[0].name == "dense/ActivityRegularizer/truediv:0"


@pytest.mark.parametrize(
    "name", ["elu", "exponential", "relu", "selu", "sigmoid", "softplus", "softsign",
             "tanh", "softmax", "linear"],
)  # fmt: skip
def test_activations_may_be_names(name):
    functions = {"exponential": tf.exp, "linear": tf.identity, "softmax": tf.nn.softmax}
    function = functions.get(name) or getattr(tf.nn, name)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.linspace(-2, 2, 6).reshape(2, 3), tf.float32)
        identity = tf.constant_initializer(np.eye(3))
        found = tf.layers.dense(x, 3, activation=name, kernel_initializer=identity)
        session.run(tf.global_variables_initializer())
        found, expected = session.run([found, function(x)])
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_layers_refuse_what_they_cannot_do():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="no activation 'rely', but elu"):
            tf.layers.dense(tf.ones([2, 3]), 3, activation="rely")
        for layer in (tf.layers.conv2d, tf.layers.separable_conv2d):
            with pytest.raises(ValueError, match="in conjunction with `dilation_rate"):
                layer(tf.ones([1, 9, 9, 1]), 1, 3, strides=2, dilation_rate=2)


def test_the_former_order_of_concat_is_refused(eager):
    a = tf.ones([2, 2])
    with pytest.raises((ValueError, TypeError), match="rank 0|int32"):
        tf.concat(0, [a, a])
    with pytest.raises((ValueError, TypeError), match="rank 0|int32"):
        tf.concat(0, [[[1, 2]], [[3, 4]]])
    assert tf.concat([[1, 2]], 0).numpy().tolist() == [1, 2]


def test_errors_can_be_sent_to_another_process():
    for error in (
        tf.errors.NotFoundError(None, None, "gone"),
        tf.errors.OpError(None, None, "of some kind", tf.errors.ABORTED),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.message, again.error_code) == (error.message, error.error_code)
        assert again.node_name == error.node_name


# ---- Variables in eager mode ---------------------------------------------------------


def test_a_copy_of_a_variable_has_a_value_of_its_own(eager):
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    twice = copy.deepcopy([v, v])
    assert twice[0] is twice[1] is not v
    read = pickle.loads(pickle.dumps(v))
    for one in (twice[0], read):
        assert (one.name, one.trainable, one.dtype) == (v.name, False, tf.float32)
        one.assign([9.0, 9.0])
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_variable_of_a_graph_stays_what_it_is():
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        assert copy.deepcopy(v) is v
        with pytest.raises(
            NotImplementedError, match="cannot be pickled: fetch its value"
        ):
            pickle.dumps(v)


def test_a_variable_is_not_lost_by_an_operator(eager):
    for sign in ("+", "-", "*", "/", "**"):
        v = tf.Variable(2.0)
        with pytest.raises(RuntimeError, match=r"Use `variable.assign"):
            exec(f"v {sign}= 3.0", {"v": v})
    with tf.Graph().as_default():
        space = {"v": tf.Variable(2.0)}
        exec("v += 3.0", space)
        assert isinstance(space["v"], tf.Tensor)


# ---- Tensors -------------------------------------------------------------------------


def test_what_is_no_index_is_refused(eager):
    x = tf.range(10)
    for index in (
        tf.constant(2.7),
        tf.constant(2, tf.uint8),
        tf.constant([1, 2]),
        slice(tf.constant(1), tf.constant(5.0)),
        np.array([1, 2]),
        1.5,
    ):
        with pytest.raises(TypeError, match="Only integers, slices"):
            x[index]
    for index in (tf.constant(2), np.int64(2), np.array(2), tf.Dimension(2), 2):
        assert x[index].numpy() == 2


def test_how_tensors_are_shown(eager):
    assert f"{tf.constant(0.1)} {tf.constant(2)}" == "0.10000000149011612 2"
    assert f"{tf.constant(0.5):.3f} {tf.constant([1, 2])}" == "0.500 [1 2]"
    assert repr(tf.constant(0.5)).endswith("dtype=float32, numpy=0.5>")
    assert repr(tf.constant(True)).endswith("numpy=True>")
    assert repr(tf.constant(b"a")).endswith("numpy=b'a'>")
    assert "numpy=\narray([[1, 2],\n" in repr(tf.constant([[1, 2], [3, 4]]))
    assert "numpy=array([1, 2], " in repr(tf.constant([1, 2]))
    assert repr(tf.Variable(1)).endswith("dtype=int32, numpy=1>")


def test_ranges_of_floats_end_where_they_should(eager):
    """As many numbers as float32 says: 0.3 / 0.1 is a little more than 3 in float64."""
    for limit, delta, size in (
        (0.3, 0.1, 3), (0.6, 0.2, 3), (1.2, 0.4, 3), (0.6, 0.1, 6), (1.1, 0.1, 11),
        (1.0, 0.3, 4), (0.0, 0.5, 0),
    ):  # fmt: skip
        found = tf.range(0.0, limit, delta)
        assert found.shape == [size]
        expected = np.arange(size) * delta
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert tf.range(np.float64(0), np.float64(0.3), np.float64(0.1)).shape == [3]


def test_constants_stand_below_the_node_that_needs_them():
    with tf.Graph().as_default(), tf.Session() as session:
        rate = tf.placeholder_with_default(1e-3, [], name="rate")
        assert rate.op.inputs[0].name == "rate/input:0"
        for name in ("input", "logits", "a"):
            assert tf.placeholder(tf.float32, name=name).name == f"{name}:0"
        assert tf.nn.softmax([1.0, 2.0]).op.inputs[0].name == "Const:0"
        assert tf.transpose([[1, 2]]).op.inputs[0].name == "transpose/a:0"
        printed = tf.Print(tf.constant(1.0), [2.0])
        assert printed.op.inputs[1].name == "Print/data_0:0"
        assert session.run(rate) == np.float32(1e-3)
