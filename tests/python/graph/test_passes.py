"""Steps whose graphs the passes rewrite: what fails goes on failing, numbers stay."""

import os
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf

PLANNED = """
import numpy as np
import minitf as tf

x = tf.placeholder(tf.float32, [64, 64])
row = tf.placeholder(tf.float32, [64])
one = tf.placeholder(tf.float32)
s = x - 3.0
t = row - 3.0
u = row * 2.0
names = tf.identity(s) - s
shapes = tf.matmul(t + tf.constant([[1.0]]), names)
unknown = tf.matmul(tf.reshape(u + one, [1, 64]), names)
z = tf.matmul(shapes, names) + tf.matmul(unknown, names)
config = tf.ConfigProto(inter_op_parallelism_threads=1)
config.graph_options.rewrite_options.minitf_memory_plan = 2
config.graph_options.optimizer_options.opt_level = -1
with tf.Session(config=config) as session:
    for _ in range(3):
        session.run(z, {x: np.ones([64, 64]), row: np.ones(64), one: 1.0})
"""


def run(fetch, feeds, level):
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    with tf.Session(config=config) as session:
        return session.run(fetch, feeds)


@pytest.mark.parametrize("level", [-1, 0])
def test_transposes_that_cancel_fail_for_other_ranks(level):
    x = tf.placeholder(tf.float32)
    z = tf.identity(tf.transpose(tf.transpose(x, [1, 0]), [1, 0]))
    assert run(z, {x: np.ones([2, 3])}, level).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(z, {x: np.ones([2, 3, 4])}, level)


@pytest.mark.parametrize("level", [-1, 0])
def test_products_of_transposes_fail_for_other_ranks(level):
    x = tf.placeholder(tf.float32)
    w = tf.constant(np.ones([2, 3, 3], np.float32))
    z = tf.identity(tf.matmul(tf.transpose(x, [0, 2, 1]), w))
    assert run(z, {x: np.ones([2, 3, 3])}, level).shape == (2, 3, 3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(z, {x: np.ones([5, 2, 3, 3])}, level)


@pytest.mark.parametrize("level", [-1, 0])
def test_weights_do_not_vanish(level):
    x = tf.placeholder(tf.float32, [1, 1])
    z = tf.identity(tf.matmul(x, tf.constant([[1e-30]])) * tf.constant(1e-30))
    np.testing.assert_allclose(run(z, {x: [[1e30]]}, level), [[1e-30]], rtol=1e-5)


def test_a_negative_zero_is_another_attribute():
    x = tf.placeholder(tf.float32, [1])
    slopes = [tf.nn.leaky_relu(x, alpha=alpha) for alpha in (0.0, -0.0)]
    values = run([tf.identity(one) for one in slopes], {x: [-1.0]}, 0)
    assert [bool(np.signbit(one[0])) for one in values] == [True, False]


def test_a_plan_has_a_place_for_every_tensor():
    done = subprocess.run(
        [sys.executable, "-c", PLANNED],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"MINITF_VLOG": "2", "PYTHONPATH": ":".join(sys.path)},
    )
    assert "no place for" not in done.stderr


def test_sums_of_products_within_a_loop_are_left_alone():
    """Factors that are joined need a constant, which would stand outside of the loop."""
    a = np.arange(12, dtype=np.float32).reshape(2, 6)
    b = np.arange(10, dtype=np.float32).reshape(2, 5)

    def step(i, total):
        terms = [
            tf.matmul(total[:2] * k, tf.constant(b), transpose_a=True) for k in range(4)
        ]
        return i + 1, total + tf.reduce_sum(tf.add_n(terms)) * 1e-3

    with tf.Graph().as_default(), tf.Session() as session:
        loop = tf.while_loop(lambda i, _: i < 2, step, [0, tf.constant(a)])
        got = session.run(loop)[1]
    expected = a
    for _ in range(2):
        terms = sum((expected * k).T @ b for k in range(4))
        expected = expected + np.float32(terms.sum() * 1e-3)
    np.testing.assert_allclose(got, expected, rtol=1e-4)
