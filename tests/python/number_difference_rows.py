"""Rows of docs/differences.md about numbers: rounding, NaN, infinity, casts.

``tests/python/project/test_differences.py`` runs them.
"""

import numpy as np
import pytest

import minitf as tf


def winograd():
    x = np.ones([1, 8, 8, 32], np.float32)
    x[0, 0, 0, 0] = np.inf
    w = np.ones([3, 3, 32, 32], np.float32)

    def far(label):  # a place that does not see the pixel
        with tf.Graph().as_default() as graph, tf.Session() as session:
            with graph._kernel_label_map({"Conv2D": label} if label else {}):
                y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
            return session.run(y)[0, 3, 3, 0]

    assert np.isnan(far(""))
    assert far("direct") == 288


def overflow():
    x = tf.constant([[[[3e38, 1.0]]]])
    y = tf.nn.local_response_normalization(x, depth_radius=0).numpy().ravel()
    assert y == pytest.approx([0, 0.5**0.5])


def complex_numbers():
    assert np.isnan(tf.reduce_mean(tf.zeros([0], tf.complex128)).numpy())
    logs = tf.log1p(tf.constant([complex(-3e38, 0), -1], tf.complex64)).numpy()
    assert logs == pytest.approx([complex(np.log(3e38), np.pi), -np.inf])
    found = tf.sqrt(tf.constant([complex(3e38, 0.25)], tf.complex64)).numpy()
    assert found.real == pytest.approx(3e38**0.5)
    assert tf.math.reciprocal(tf.constant([complex(1, np.inf)])).numpy() == [0]
    x, y = tf.constant(2 + 0j), tf.constant(1j)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.math.xlogy(x, y)
    conjugate_of_log = -0.5j * np.pi
    assert tape.gradient(z, x).numpy() == pytest.approx(conjugate_of_log)


def erf():
    ends = tf.constant([-np.inf, np.inf], tf.float64)
    assert tf.math.erf(ends).numpy().tolist() == [-1, 1]


def nans():
    numbers = tf.constant([1, np.nan, -2, 4])
    for function in (tf.unsorted_segment_max, tf.unsorted_segment_min):
        found = function(numbers, [0, 0, 0, 1], 2).numpy()
        np.testing.assert_array_equal(found, [np.nan, 4])
    assert np.isnan(tf.nn.top_k(numbers).values.numpy()[0])
    assert np.isnan(tf.sort(numbers).numpy()[0])
    assert tf.unique(tf.constant([np.nan, 1, np.nan])).idx.numpy().tolist() == [0, 1, 0]
    for zero in (tf.nn.relu(-0.0), tf.maximum(-0.0, 0.0)):
        assert not np.signbit(zero.numpy())


def slopes():
    x = tf.constant([1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.math.reduce_euclidean_norm(x)
        dx = inner.gradient(y, x, output_gradients=tf.constant(0.0))
    assert outer.gradient(dx, x).numpy().tolist() == [0]
    x = tf.constant([0.0, 0.0, 1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.unsorted_segment_prod(x, [-7, 1, 2], 4)
        dx = inner.gradient(y, x)
    assert outer.gradient(dx, x).numpy().tolist() == [0, 0, 0]


def stretched():
    logits = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        y = tf.nn.softmax_cross_entropy_with_logits(
            labels=tf.fill([2, 4], 0.25), logits=logits
        )
    assert tape.gradient(y, logits).shape == (2, 1)


def casts():
    for size in (1, 40):
        x = tf.fill([size], -1.5)
        assert set(tf.cast(x, tf.uint8).numpy().tolist()) == {255}
        x = tf.fill([size], np.nan)
        assert set(tf.saturate_cast(x, tf.int16).numpy().tolist()) == {0}


def integers():
    assert tf.raw_ops.Round(x=tf.constant([4, -3])).numpy().tolist() == [4, -3]


def logs():
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float32, [1])
        loss = tf.losses.log_loss([0.0], p)
        assert session.run(loss, {p: [1.0]}) == pytest.approx(-np.log(1e-7))


def ties():
    x = tf.ones([1, 1, 2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool3d(x, [1, 2, 2], 1, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1, 0, 0, 0]


def black():
    x = tf.constant([1.0, 0.0, 0.25])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            hue = tf.image.rgb_to_hsv(x)[0]  # (g - b) / (r - g) / 6
        by_red = inner.gradient(hue, x)[0]  # (b - g) / (r - g)^2 / 6
    second = outer.gradient(by_red, x).numpy()
    assert second == pytest.approx([-1 / 12, -1 / 12, 1 / 6])


def rounding():
    labels = tf.constant([[0.375, 0.25]], tf.float64)
    loss = tf.losses.sigmoid_cross_entropy(labels, tf.constant([[0.2, 0.4]], tf.float64))
    assert loss.numpy() == np.float64(np.float32(loss.numpy()))


def saturation():
    x = tf.constant([2, -2], tf.int64)
    assert tf.saturate_cast(x, tf.float64).numpy().tolist() == [2, -2]
    assert tf.saturate_cast(tf.constant(3e38), tf.uint64).numpy() > 2**63
    assert tf.saturate_cast(tf.constant(3e38), tf.int64).numpy() == 2**63 - 2**39
