"""Convolutions over three axes whose sizes are known only in the step."""

import numpy as np
import pytest

import minitf as tf

X = np.random.RandomState(1).uniform(-1, 1, [2, 5, 4, 3, 2]).astype(np.float32)
FILTER = np.random.RandomState(2).uniform(-1, 1, [3, 2, 2, 2, 4]).astype(np.float32)


def by_hand(x, w, stride, rate):
    """A convolution without padding; stride and rate are those of planes."""
    out = (x.shape[1] - (w.shape[0] - 1) * rate - 1) // stride + 1
    rows, columns = x.shape[2] - w.shape[1] + 1, x.shape[3] - w.shape[2] + 1
    y = np.zeros([x.shape[0], out, rows, columns, w.shape[4]], np.float64)
    for plane, row, column in np.ndindex(out, rows, columns):
        for tap in range(w.shape[0]):
            seen = x[:, plane * stride + tap * rate]
            seen = seen[:, row : row + w.shape[1], column : column + w.shape[2]]
            y[:, plane, row, column] += np.tensordot(seen, w[tap], 3)
    return y


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("stride", "rate"), [(1, 1), (2, 1), (1, 2)])
def test_a_filter_that_is_fed(session, known, stride, rate):
    x = tf.placeholder(tf.float32, X.shape if known else None)
    w = tf.placeholder(tf.float32, FILTER.shape if known else None)
    y = tf.nn.conv3d(x, w, [1, stride, 1, 1, 1], "VALID", dilations=[1, rate, 1, 1, 1])
    wanted = by_hand(X, FILTER, stride, rate)
    assert session.run(y, {x: X, w: FILTER}) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
def test_the_transpose_is_the_gradient(session, padding, stride):
    x, w = tf.constant(X), tf.placeholder(tf.float32, None)
    strides = [1, stride, stride, 1, 1]
    y = tf.nn.conv3d(x, w, strides, padding)
    dy = tf.cos(y)
    gradient = tf.gradients(y, x, dy)[0]
    transposed = tf.nn.conv3d_transpose(dy, w, X.shape, strides, padding)
    assert transposed.shape.as_list() == list(X.shape)
    one, other = session.run([gradient, transposed], {w: FILTER})
    assert other == pytest.approx(one, abs=1e-5)


def test_channels_that_do_not_fit():
    x, w = tf.placeholder(tf.float32, [1, 2, 2, 2, 2]), tf.ones([2, 1, 1, 1, 2])
    with pytest.raises(ValueError, match="output_shape says 3 channels"):
        tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 3], 2)


def test_channels_that_turn_out_not_to_fit(session):
    x = tf.placeholder(tf.float32, None)
    w = tf.placeholder(tf.float32, None)
    y = tf.nn.conv3d(x, w, [1] * 5, "SAME")
    back = tf.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], [1] * 5)
    # To Conv2D, one channel for two would be a filter for groups.
    for result, sizes in ((y, [1, 1, 1, 1, 2]), (back, [1, 1, 1, 1, 4])):
        feed = {x: np.ones([1, 2, 2, 2, 2]), w: np.ones(sizes)}
        with pytest.raises(tf.errors.InvalidArgumentError, match="channels of input"):
            session.run(result, feed)
