"""cuBLAS and cuDNN under the ops of cards: without them, and on a card.

Which calls go to the libraries is tested in ``tests/kernels/gpu/vendor_ops_test.cc``
and ``vendor_nn_test.cc``.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf

PROGRAM = """
import minitf as tf
with tf.device("/gpu:0"), tf.get_default_graph()._kernel_label_map({labels}):
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.matmul(tf.matmul(x, x), x, name="product")
with tf.Session() as session:
    print(session.run(y, {{x: [[1, 1], [1, 1]]}}).tolist())
"""


def _run(labels, **environment):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(labels=labels)],
        env=os.environ | {"MINITF_GPU": "emulate"} | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_why_our_kernels_compute_is_logged_once():
    done = _run({}, MINITF_VLOG="1")
    assert done.stdout == "[[4.0, 4.0], [4.0, 4.0]]\n", done.stderr
    reason = "No cuBLAS and cuDNN for card 0: the card is emulated"
    assert done.stderr.count(reason) == 1


def test_who_asks_for_a_library_that_is_not_there_learns_why():
    message = _run({"MatMul": "cublas"}).stderr
    assert "UnimplementedError" in message
    assert "the kernel 'cublas' does not compute this: the card is emulated" in message
    assert "MatMul" in message


def _on_card_and_cpu(ops, label, arrays, compute):
    """What ``compute`` makes of arrays by kernels ``label`` of a card, and on the CPU."""
    with tf.Graph().as_default() as graph:
        # Fed, since constants are computed before the step, on the CPU.
        inputs = [tf.placeholder(array.dtype, array.shape) for array in arrays]
        with tf.device("/gpu:0"), graph._kernel_label_map(dict.fromkeys(ops, label)):
            card = compute(*inputs)
        with tf.device("/cpu:0"):
            cpu = compute(*inputs)
        with tf.Session() as session:
            return session.run([card, cpu], dict(zip(inputs, arrays, strict=True)))


@pytest.fixture(scope="module")
def libraries():
    """Skips a test where there is no card, or no library for it."""
    if not tf.test.is_gpu_available():
        pytest.skip("this machine has no card for cuBLAS and cuDNN")
    try:
        one = np.ones([1, 1], np.float32)
        _on_card_and_cpu(["MatMul"], "cublas", [one], lambda x: tf.matmul(x, x))
    except tf.errors.UnimplementedError as error:
        pytest.skip(error.message)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products_by_cublas_are_those_of_the_cpu(dtype, transpose_a, transpose_b):
    random = np.random.default_rng(1)
    a = random.normal(size=(70, 33) if transpose_a else (33, 70)).astype(dtype)
    b = random.normal(size=(65, 70) if transpose_b else (70, 65)).astype(dtype)

    def compute(a, b):
        return tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)

    card, cpu = _on_card_and_cpu(["MatMul"], "cublas", [a, b], compute)
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(card, cpu, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("libraries")
def test_float32_is_not_rounded_to_tf32():
    # tf32 has 10 bits of fraction, so it would take the numbers for 1.
    number = np.float32(1 + 2**-12)
    matrix = np.full([32, 32], number)
    found = _on_card_and_cpu(["MatMul"], "cublas", [matrix, matrix], tf.matmul)
    np.testing.assert_allclose(found[0], np.full([32, 32], 32 * number**2), rtol=1e-5)

    images = np.full([2, 8, 8, 32], number)
    filters = np.full([1, 1, 32, 32], number)

    def convolve(x, w):
        return tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID")

    found = _on_card_and_cpu(["Conv2D"], "cudnn", [images, filters], convolve)
    np.testing.assert_allclose(found[0], 32 * number**2 + 0 * images, rtol=1e-5)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_convolutions_by_cudnn_are_those_of_the_cpu(
    dtype, data_format, padding, stride, dilation
):
    random = np.random.default_rng(2)
    images = random.normal(size=(3, 16, 15, 8)).astype(dtype)
    filters = random.normal(size=(3, 2, 8, 12)).astype(dtype)
    if data_format == "NCHW":
        images = images.transpose(0, 3, 1, 2)

    def list_of(size):
        return [1, size, size, 1] if data_format == "NHWC" else [1, 1, size, size]

    def compute(x, w):
        y = tf.nn.conv2d(
            x,
            w,
            list_of(stride),
            padding,
            data_format=data_format,
            dilations=list_of(dilation),
        )
        return [y, *tf.gradients(tf.reduce_sum(y * y), [x, w])]

    ops = ["Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"]
    found = _on_card_and_cpu(ops, "cudnn", [images, filters], compute)
    tolerance = 1e-9 if dtype == "float64" else 1e-3
    for card, cpu in zip(*found, strict=True):
        largest = abs(cpu).max()
        np.testing.assert_allclose(card, cpu, rtol=tolerance, atol=tolerance * largest)


# Rows, taps and stride: no zeros, or equally many before and after the image.
POOLINGS = [("VALID", 9, 2, 2), ("SAME", 9, 3, 2), ("SAME", 8, 5, 1), ("VALID", 7, 1, 3)]


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("padding", "rows", "taps", "stride"), POOLINGS)
def test_poolings_by_cudnn_are_those_of_the_cpu(
    dtype, data_format, padding, rows, taps, stride
):
    random = np.random.default_rng(3)
    # All negative, so that a zero of the padding would be the largest.
    images = random.uniform(-2, -1, size=(3, rows, 7, 8)).astype(dtype)
    window, strides = [1, taps, 3, 1], [1, stride, 1, 1]
    if data_format == "NCHW":
        images = images.transpose(0, 3, 1, 2)
        window, strides = [1, 1, taps, 3], [1, 1, stride, 1]

    def compute(x):
        settings = (window, strides, padding, data_format)
        mean = tf.nn.avg_pool(x, *settings)
        slope = tf.gradients(tf.reduce_sum(mean * mean), x)[0]
        return [tf.nn.max_pool(x, *settings), mean, slope]

    ops = ["MaxPool", "AvgPool", "AvgPoolGrad"]
    found = _on_card_and_cpu(ops, "cudnn", [images], compute)
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    for card, cpu in zip(*found, strict=True):
        np.testing.assert_allclose(card, cpu, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("libraries")
def test_nan_is_the_largest_for_cudnn_and_the_first_of_equal_maxima_gets_the_gradient():
    def pool(x):
        return tf.nn.max_pool(x, [1, 1, 4, 1], [1, 1, 4, 1], "VALID")

    numbers = [1, np.nan, 3, np.nan, 4, -np.inf, 4, 0]
    images = np.array(numbers, np.float32).reshape([1, 1, 8, 1])
    found = _on_card_and_cpu(["MaxPool"], "cudnn", [images], pool)
    np.testing.assert_array_equal(found[0].ravel(), [np.nan, 4])

    def slope(x):
        return tf.gradients(pool(x), x)[0]

    found = _on_card_and_cpu(["MaxPool"], "", [images], slope)
    np.testing.assert_array_equal(found[0].ravel(), [0, 1, 0, 0, 1, 0, 0, 0])


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 10), (2, 3, 1500), (70_000, 3), (4, 1)])
def test_softmax_by_cudnn_is_that_of_the_cpu(dtype, shape):
    logits = np.random.default_rng(4).normal(size=shape, scale=100).astype(dtype)

    def compute(x):
        return [tf.nn.softmax(x), tf.nn.log_softmax(x)]

    found = _on_card_and_cpu(["Softmax", "LogSoftmax"], "cudnn", [logits], compute)
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    for card, cpu in zip(*found, strict=True):
        np.testing.assert_allclose(card, cpu, rtol=tolerance, atol=tolerance)
