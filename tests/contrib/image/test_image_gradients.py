"""Gradients of resizing."""

import numpy as np

import minitf as tf


def test_resizing_to_neighbours_is_linear(eager):
    images = tf.constant(np.arange(4, dtype=np.float32).reshape([1, 2, 2, 1]))
    with tf.GradientTape() as outer:
        outer.watch(images)
        with tf.GradientTape() as inner:
            inner.watch(images)
            y = tf.image.resize_nearest_neighbor(images, [3, 3])
        dx = inner.gradient(y, images)
    assert dx.numpy().ravel().tolist() == [4, 2, 2, 1]
    assert outer.gradient(dx, images) is None

    with tf.GradientTape() as tape:
        grads = tf.ones([1, 3, 3, 1])
        tape.watch(grads)
        back = tf.raw_ops.ResizeNearestNeighborGrad(grads=grads, size=[2, 2]) * images
    expected = [0, 0, 1, 0, 0, 1, 2, 2, 3]
    assert tape.gradient(back, grads).numpy().ravel().tolist() == expected
