"""Older functions beside those that took their place."""

import numpy as np
import pytest

import minitf as tf

X = [[1.5, -2.0], [0.25, 4.0]]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("bfloat16", tf.bfloat16),
        ("complex64", tf.complex64),
        ("complex128", tf.complex128),
    ],
)
def test_casts(name, dtype, session):
    y = getattr(tf, f"to_{name}")(X)
    assert y.dtype is dtype
    assert (
        session.run(tf.cast(tf.real(tf.cast(y, tf.complex64)), "float32")).tolist() == X
    )


def test_initialize_variables(session):
    v = tf.Variable(3.0)
    session.run(tf.initialize_variables([v]))
    assert session.run(v) == 3
    assert tf.initialize_variables([v], name="again").name == "again"


def test_relu_layer(session):
    y = tf.nn.relu_layer(X, [[1.0], [1.0]], [0.25])
    assert y.name == "relu_layer:0"
    assert session.run(y).tolist() == [[0.0], [4.5]]


@pytest.mark.parametrize("scale", [True, False])
def test_batch_norm_with_global_normalization(scale, session):
    mean, variance, beta, gamma = [0.5, 1.0], [4.0, 1.0], [1.0, 2.0], [3.0, 0.5]
    y = tf.nn.batch_norm_with_global_normalization(
        X, mean, variance, beta, gamma, 1e-3, scale
    )
    expected = (np.array(X) - mean) / np.sqrt(np.array(variance) + 1e-3)
    expected = expected * (gamma if scale else 1.0) + beta
    np.testing.assert_allclose(session.run(y), expected, rtol=1e-5)
    same = tf.nn.batch_norm_with_global_normalization(
        beta=beta,
        gamma=gamma,
        variance_epsilon=1e-3,
        scale_after_normalization=scale,
        input=X,
        mean=mean,
        variance=variance,
    )
    np.testing.assert_array_equal(*session.run([y, same]))


def test_max_pool2d_is_max_pool(session):
    x = np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1)
    y = tf.nn.max_pool2d(input=x, ksize=2, strides=2, padding="VALID")
    assert y.name == "MaxPool2d:0"
    assert session.run(y).ravel().tolist() == [5, 7, 13, 15]


@pytest.mark.parametrize("name", ["tensor_equality", "v2_tensorshape"])
def test_switches_to_tensorflow_2_are_refused(name):
    assert getattr(tf, f"disable_{name}")() is None
    with pytest.raises(tf.errors.UnimplementedError, match=f"enable_{name}: "):
        getattr(tf, f"enable_{name}")()


def test_the_behaviour_of_tensorflow_2_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="TensorFlow 1 only"):
        tf.enable_v2_behavior()
