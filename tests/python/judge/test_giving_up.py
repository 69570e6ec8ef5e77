"""Long work ends soon when nobody wants it any more, and cannot take for ever."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

SIZE = 9000  # a product of matrices of that size takes 10 s and more
SOON_S = 6


def product(session_config=None):
    x = tf.fill([SIZE, SIZE], 1.0)
    return tf.matmul(x, x), tf.Session(config=session_config)


def seconds_until(error, work):
    start = time.monotonic()
    with pytest.raises(error):
        work()
    return time.monotonic() - start


def test_a_step_ends_at_its_time_limit():
    with tf.Graph().as_default():
        y, session = product()
        options = tf.RunOptions(timeout_in_ms=700)
        took = seconds_until(
            tf.errors.DeadlineExceededError, lambda: session.run(y.op, options=options)
        )
        session.close()
    assert took < SOON_S


def test_a_session_has_a_time_limit_for_all_its_steps():
    with tf.Graph().as_default():
        y, session = product(tf.ConfigProto(operation_timeout_in_ms=700))
        took = seconds_until(tf.errors.DeadlineExceededError, lambda: session.run(y.op))
        session.close()
    assert took < SOON_S


def test_closing_a_session_ends_its_steps():
    with tf.Graph().as_default():
        y, session = product()
        threading.Timer(0.7, session.close).start()
        took = seconds_until(tf.errors.CancelledError, lambda: session.run(y.op))
    assert took < SOON_S


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("eager", [False, True])
def test_ctrl_c_ends_a_product(eager):
    press = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    if eager:
        with context.entered(None):
            x = tf.fill([SIZE, SIZE], 1.0)
            press.start()
            took = seconds_until(KeyboardInterrupt, lambda: tf.matmul(x, x))
    else:
        with tf.Graph().as_default():
            y, session = product()
            press.start()
            took = seconds_until(KeyboardInterrupt, lambda: session.run(y.op))
            session.close()
    assert took < SOON_S


def test_a_convolution_and_a_pooling_end_at_a_time_limit():
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.fill([1, 1500, 1500, 8], 1.0)
        pooled = tf.nn.max_pool(image, [1, 999, 999, 1], [1, 1, 1, 1], "SAME")
        filtered = tf.nn.conv2d(
            image, tf.fill([99, 99, 8, 64], 1.0), [1, 1, 1, 1], "SAME"
        )
        for y in (pooled, filtered, tf.gradients(pooled, image)[0]):
            options = tf.RunOptions(timeout_in_ms=500)
            took = seconds_until(
                tf.errors.DeadlineExceededError,
                lambda y=y, options=options: session.run(y.op, options=options),
            )
            assert took < SOON_S


def test_a_window_costs_what_it_sees_of_the_image():
    huge = 2**31 - 1
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.constant(x)
        for kind, value in (("max", 15.0), ("avg", 7.5)):
            pool = getattr(tf.nn, f"{kind}_pool")
            y = pool(image, [1, huge, huge, 1], [1, huge, huge, 1], "SAME")
            (dx,) = tf.gradients(y, image)
            start = time.monotonic()
            got, gradient = session.run([y, dx])
            assert time.monotonic() - start < 5
            assert got.ravel().tolist() == [value]
            assert gradient.sum() == 1.0
        _, places = tf.nn.max_pool_with_argmax(
            image, [1, huge, huge, 1], [1, huge, huge, 1], "SAME"
        )
        assert session.run(places).ravel().tolist() == [15]


@pytest.mark.parametrize("radius", [33, 40, 99, 100, 2**31 - 1])
def test_lrn_sums_many_channels_right_and_fast(radius):
    x = np.random.RandomState(1).uniform(-1, 1, [2, 1, 1, 201]).astype(np.float32)
    sums = np.stack(
        [
            np.square(x[..., max(0, c - radius) : c + radius + 1], dtype=np.float64).sum(
                -1
            )
            for c in range(201)
        ],
        -1,
    )
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.lrn(tf.constant(x), depth_radius=radius, alpha=0.1, beta=0.75)
        np.testing.assert_allclose(session.run(y), x * (1 + 0.1 * sums) ** -0.75, 1e-5)
        wide = tf.nn.lrn(tf.ones([1, 1, 1, 200_000]), depth_radius=radius)
        start = time.monotonic()
        session.run(wide)
        assert time.monotonic() - start < 5


def test_passes_take_steps_in_proportion_to_the_edges():
    num = 15_000
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default([1.0], [1])
        joined = tf.concat([tf.identity(tf.sin(x)) for _ in range(num)], 0)
        waits = tf.group(*[tf.no_op() for _ in range(num)])
        with tf.control_dependencies([tf.no_op() for _ in range(100)]):
            total = tf.add_n([x + 1.0 for _ in range(num // 10)])
        start = time.monotonic()
        values, _, summed = session.run([joined, waits, total])
        assert time.monotonic() - start < 15
    assert values.shape == (num,)
    assert summed.tolist() == [num // 10 * 2.0]


def test_one_node_may_wait_for_very_many():
    num = 40_000
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default(1.0, [])
        waits = tf.group(*[tf.identity(tf.sin(x)) for _ in range(num)])
        start = time.monotonic()
        session.run(waits)
        assert time.monotonic() - start < 4


def test_a_wait_that_passes_shorten_is_still_one():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(0.0, use_resource=True)
        adds = [tf.identity(tf.identity(v.assign_add(1.0))) * 1.0 for _ in range(100)]
        nothing = [tf.no_op() for _ in range(50)]
        with tf.control_dependencies(adds + adds[:50] + nothing):
            total = v.read_value()
        session.run(v.initializer)
        assert session.run(total) == 100.0


def test_a_pool_that_cannot_be_completed_is_an_error():
    program = """
import minitf as tf
try:
    tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=400))
except tf.errors.ResourceExhaustedError as error:
    print(error)
with tf.Session() as session:
    print(session.run(tf.constant(2) + 3))
"""
    limit = 2_000_000 << 10
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("a pool needs 400 threads, and the system allows only ")
    assert lines[1] == "5"


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_the_wait_for_a_queue():
    with context.entered(None):
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert seconds_until(KeyboardInterrupt, queue.dequeue) < SOON_S


def test_who_waits_for_a_queue_lets_others_fill_it():
    with context.entered(None):
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])

        def fill():
            with context.entered(None):
                queue.enqueue(7.0)

        threading.Timer(0.2, fill).start()
        assert queue.dequeue().numpy() == 7.0
