"""Use that nobody planned for: forks, early ends, odd arrays, huge numbers."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import minitf as tf
from minitf.framework import op_def_library as ops


def run_alone(program, *, seconds=60):
    """The output of a Python program, which must end by itself and well."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


START = """
import os, signal, sys, threading, time
import numpy as np
import minitf as tf
a = tf.constant(np.ones((300, 300), np.float32))
y = tf.reduce_sum(tf.nn.relu(tf.matmul(a, a)))
session = tf.Session()
session.run(y)
"""


@pytest.mark.cpu_kernels  # CUDA, too, does without children of a process that used it
def test_a_child_of_a_process_that_used_its_threads():
    program = """
child = os.fork()
if child == 0:
    signal.alarm(30)
    assert session.run(y) == 300.0 ** 3
    session.close()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert session.run(y) == 300.0 ** 3
"""
    run_alone(START + program)


def test_the_end_of_a_process_whose_threads_run_steps():
    program = """
def work():
    while True:
        session.run(y)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""
    run_alone(START + program)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_leaves_the_session_usable(session):
    y = n = tf.constant(np.ones((200, 200)))
    for _ in range(100):
        y = tf.matmul(y, n) / 200.0
    session.run(y)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        start = time.monotonic()
        while time.monotonic() - start < 30:
            session.run(y)
    assert session.run(tf.constant(3)) == 3


@pytest.mark.parametrize(
    "value", [object(), [[1], [2, 3]], 10**400, 1j, np.datetime64("2020-01-01"), {}]
)
def test_a_feed_that_is_no_array_names_the_tensor(session, value):
    x = tf.placeholder(tf.float32, name="pixels")
    with pytest.raises((TypeError, ValueError), match="pixels:0"):
        session.run(x, {x: value})


def test_a_feed_that_is_no_string_names_the_tensor(session):
    x = tf.placeholder(tf.string, name="words")
    with pytest.raises(TypeError, match="words:0"):
        session.run(x, {x: [object()]})


def test_a_feed_dict_that_is_none(session):
    x = tf.placeholder(tf.float32)
    for fed in ([x], 5, "x"):
        with pytest.raises(TypeError, match="feed_dict must be a dict"):
            session.run(x, fed)


@pytest.mark.usefixtures("eager")
def test_more_axes_than_numpy_has():
    x = tf.ones([1] * 300)
    with pytest.raises(ValueError, match="rank 300"):
        x.numpy()
    assert "tf.Tensor" in repr(x)
    assert tf.size(x).numpy() == 1
    text = np.array([b"x"], object).reshape((1,) * 64)
    assert tf.size(tf.constant(text)).numpy() == 1


@pytest.mark.usefixtures("eager")
def test_numbers_that_need_many_bits():
    x = tf.constant([1, 2, 3])
    assert x[2**40 :].shape == (0,) and x[: 2**70].shape == (3,)
    for index in (2**31, 2**63, -(2**63)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="slice index"):
            _ = x[index]
    with pytest.raises(TypeError, match=r"1\.5"):
        _ = x[1.5:]
    with pytest.raises(ValueError, match="1099511627776"):
        tf.constant(1, shape=[2**40])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="no element"):
        tf.constant([], shape=[3])
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.constant(1, shape=[-1])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension -1"):
        tf.placeholder(tf.float32, [-1, 2])


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("count", [2**20, 2**31, 2**62])
def test_more_outputs_than_an_op_can_have(count):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"Split.*num_split.*{count}"
    ):
        tf.split(tf.ones([4]), count)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"num_partitions.*{count}"):
        tf.dynamic_partition([1, 2], [0, 1], count)


@pytest.mark.usefixtures("eager")
def test_floats_are_not_cut_to_the_default_type():
    numbers = tf.raw_ops.Range(
        start=np.float32(0.5), limit=np.float32(2), delta=np.float32(1)
    )
    assert numbers.numpy().tolist() == [0.5, 1.5]


@pytest.mark.usefixtures("eager")
def test_attributes_that_cannot_be_read_are_named():
    with pytest.raises(ValueError, match="attribute 'shape' of EnsureShape.*-2"):
        ops.call("EnsureShape", [[1.0]], {"shape": [-2]})


@pytest.mark.usefixtures("eager")
def test_images_without_channels():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Conv2D.*0 vs 1"):
        tf.nn.conv2d(tf.ones([1, 4, 4, 0]), tf.ones([2, 2, 1, 1]), 1, "SAME")


@pytest.mark.parametrize(
    ("gradient", "text"),
    [
        (lambda dy: tf.ones([7]), r"shape.*\(3,\).*\(7,\)"),
        (lambda dy: tf.constant([1, 2, 3]), "int32.*float32"),
        (lambda dy: "nonsense", "string.*float32"),
        (lambda dy: [dy, dy], "expected to return 1 gradients"),
    ],
)
def test_a_gradient_that_does_not_fit_its_input(gradient, text):
    @tf.custom_gradient
    def square(x):
        return x * x, gradient

    x = tf.placeholder(tf.float32, [3])
    with pytest.raises(ValueError, match=text):
        tf.gradients(square(x), x)


def test_a_gradient_function_that_raises():
    @tf.custom_gradient
    def square(x):
        def gradient(dy):
            raise KeyError("my own")

        return x * x, gradient

    x = tf.placeholder(tf.float32, [3])
    with pytest.raises(KeyError, match="my own"):
        tf.gradients(square(x), x)
    assert tf.gradients(x * x, x)[0].shape == (3,)
