"""What programs do with layers and indices beside the usual: names, variables, types."""

import numpy as np
import pytest

import minitf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        return session.run(fetches)


def test_variables_are_indices_and_bounds():
    v, x = tf.Variable(1), tf.constant([[1, 2, 3], [4, 5, 6]])
    row, column, rows, one = run([x[v], x[:, v], x[:v], x[0, v : v + 1]])
    assert (row.tolist(), column.tolist()) == ([4, 5, 6], [2, 5])
    assert (rows.tolist(), one.tolist()) == ([[1, 2, 3]], [2])
    with pytest.raises(TypeError, match="valid indices"):
        x[tf.Variable(1.0)]


def test_a_gradient_has_the_shape_of_its_x():
    x = tf.placeholder(tf.float32, [None, 3])
    for y in (tf.reduce_prod(x, 1), tf.slice(x, [0, 1], [-1, 1])):
        assert tf.gradients(y, x)[0].shape.as_list() == [None, 3]
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    for y in (v * 2, v + v):
        with pytest.raises(ValueError, match=r"calculated input gradient.*\(2, 2\)"):
            tf.gradients(y, v, grad_ys=tf.ones([2]))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("shape", [[8, 3, 3, 2], [8, 2]])
def test_batch_normalization_of_16_bits_keeps_its_variables_in_32(dtype, shape):
    x = np.random.default_rng(0).normal(300, 2, shape).astype(np.float32)
    x = run(tf.cast(tf.cast(x, dtype), tf.float32))
    y = tf.layers.batch_normalization(tf.cast(x, dtype), training=True)
    assert y.dtype is dtype
    assert {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
    axes = tuple(range(x.ndim - 1))
    mean, variance = x.mean(axes, np.float64), x.var(axes, dtype=np.float64)
    expected = (x - mean) / np.sqrt(variance + 1e-3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(tf.cast(y, tf.float32))
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        moved = session.run(tf.global_variables()[2])
    np.testing.assert_allclose(found, expected, atol=0.02)
    np.testing.assert_allclose(moved, 0.01 * mean, rtol=1e-5)


def test_a_layer_that_is_not_trained_has_no_updates():
    layer = tf.layers.BatchNormalization(trainable=False)
    layer(tf.ones([2, 3]), training=True)
    assert layer.updates == tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []


@pytest.mark.parametrize("layer", [tf.layers.batch_normalization, tf.layers.dropout])
def test_training_is_a_bool_a_variable_or_nothing(layer):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    usual = run(layer(x, training=False))
    for training in (None, 0, np.False_, tf.Variable(False, trainable=False)):
        np.testing.assert_array_equal(run(layer(x, training=training)), usual)
    for training in (1, np.True_, tf.Variable(True, trainable=False)):
        assert (run(layer(x, training=training)) != usual).any()
    for wrong in ("no", 2, [True], lambda: True):
        with pytest.raises(TypeError, match="training must be a bool or a scalar tensor"):
            layer(x, training=wrong)


def test_initializers_have_names():
    x = tf.ones([1, 2])
    y = tf.layers.dense(x, 2, kernel_initializer="ones", bias_initializer="Ones")
    assert run(y).tolist() == [[3, 3]]
    y = tf.layers.dense(x, 2, kernel_initializer="GlorotUniform")
    assert (np.abs(run(y)) < 2 * np.sqrt(1.5)).all()
    for wrong in ("nonsense", "np", "constant_op"):
        with pytest.raises(ValueError, match=f"no initializer '{wrong}', but constant"):
            tf.layers.dense(x, 2, kernel_initializer=wrong)


def test_the_axis_of_batch_normalization_may_stand_in_a_list():
    x = tf.constant(np.random.default_rng(0).normal(size=[2, 3, 4, 5]).astype("f"))
    for axis in (1, 3, -1):
        alone = tf.layers.batch_normalization(x, axis, training=True)
        listed = tf.layers.batch_normalization(x, [axis], training=True)
        np.testing.assert_array_equal(run(alone), run(listed))
    for axes in ([1, 2], []):
        with pytest.raises(tf.errors.UnimplementedError, match="no such axis"):
            tf.layers.batch_normalization(x, axes)


def test_other_arguments():
    x = tf.ones([2, 3])
    assert len(tf.split(x, x.shape[1], axis=1)) == 3
    with pytest.raises(ValueError, match="`data_format` argument must be one of"):
        tf.layers.flatten(x, data_format="foo")


def test_the_variables_of_mean_per_class_accuracy():
    value, update = tf.metrics.mean_per_class_accuracy([0, 1, 1, 1], [0, 1, 0, 0], 2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        found = {v.op.name: session.run(v).tolist() for v in tf.local_variables()}
        assert session.run(value) == pytest.approx(2 / 3)
    assert found == {"mean_accuracy/total": [1, 3], "mean_accuracy/count": [1, 1]}


def test_a_layer_of_ones_own_has_losses():
    class Sized(tf.layers.Layer):
        def call(self, inputs):
            self.add_loss([tf.reduce_sum(inputs), tf.constant(1.0)])
            return inputs

    layer = Sized()
    layer(tf.ones([2, 2]))
    assert run(layer.losses) == [4, 1]
    assert layer.losses == tf.losses.get_regularization_losses()
