"""Bad input: a clear exception, and a process that lives on."""

import numpy as np
import pytest

import minitf as tf
from minitf import _minitf
from minitf.framework import op_def_library as ops

BIG = 2**40


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.fill([BIG], 1.0),
            tf.errors.ResourceExhaustedError,
            r"no memory for a tensor of float32 \[1099511627776\]",
        ),
        (
            lambda: tf.zeros([2**20, 2**20]),
            tf.errors.ResourceExhaustedError,
            "no memory for a tensor",
        ),
        (lambda: tf.zeros([2**31, 2**31, 4]), tf.errors.InvalidArgumentError, r"2\^63"),
        (lambda: tf.fill([-1], 1.0), tf.errors.InvalidArgumentError, "-1"),
        (
            lambda: tf.reshape([1, 2, 3], [2, -1]),
            tf.errors.InvalidArgumentError,
            "multiple of 2",
        ),
        (
            lambda: tf.reshape([1, 2, 3], [-1, -1]),
            tf.errors.InvalidArgumentError,
            "Only one input size may be -1",
        ),
        (lambda: tf.gather([1, 2], [5]), tf.errors.InvalidArgumentError, "5"),
        (lambda: tf.gather([1, 2], [-1]), tf.errors.InvalidArgumentError, "-1"),
        (
            lambda: tf.constant([1]) // 0,
            tf.errors.InvalidArgumentError,
            "(?i)division by zero",
        ),
        (
            lambda: tf.constant([1]) % 0,
            tf.errors.InvalidArgumentError,
            "(?i)division by zero",
        ),
        (
            lambda: tf.concat([tf.ones([2]), tf.ones([2, 2])], 0),
            tf.errors.InvalidArgumentError,
            "should match",
        ),
        (
            lambda: tf.transpose(tf.ones([2, 2]), [0, 0]),
            tf.errors.InvalidArgumentError,
            "0 is duplicated",
        ),
        (lambda: tf.slice([1, 2], [1], [5]), tf.errors.InvalidArgumentError, "but got 5"),
        (
            lambda: tf.reduce_sum(tf.ones([2]), axis=3),
            tf.errors.InvalidArgumentError,
            "3",
        ),
        (
            lambda: tf.nn.conv2d(tf.ones([1, 3, 3, 3]), tf.ones([2, 2, 2, 1]), 1, "SAME"),
            tf.errors.InvalidArgumentError,
            "3",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=[7], logits=[[1.0, 2.0]]
            ),
            tf.errors.InvalidArgumentError,
            "7",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=[np.nan], logits=[[1.0, 2.0]]
            ),
            (TypeError, tf.errors.OpError),
            "float32",
        ),
        (lambda: tf.sin(tf.constant([1])), (TypeError, tf.errors.OpError), "int32"),
        (lambda: tf.random_normal([-3]), tf.errors.InvalidArgumentError, "-3"),
        (lambda: tf.linspace(0.0, 1.0, -1), tf.errors.InvalidArgumentError, "-1"),
        (lambda: tf.one_hot([1], -2), tf.errors.InvalidArgumentError, "-2"),
        (lambda: tf.tile([1], [-1]), tf.errors.InvalidArgumentError, "-1"),
        (lambda: tf.pad([1], [[-1, 0]]), tf.errors.InvalidArgumentError, "-1"),
        (lambda: tf.range(0, 10, 0), tf.errors.InvalidArgumentError, "delta != 0"),
        (lambda: tf.raw_ops.Print(input=1), (TypeError, tf.errors.OpError), "'data'"),
        (lambda: tf.constant(object()), ValueError, "of object"),
        (lambda: tf.constant({1: 2}), ValueError, "of dict"),
        (lambda: tf.constant([1, "a"]), ValueError, "of int, str"),
        (lambda: tf.constant([1, None]), ValueError, "of NoneType, int"),
        (lambda: tf.constant(1.5, tf.int32), TypeError, "Expected int32, got 1.5"),
        (lambda: tf.constant("a", tf.float32), TypeError, "Expected float32, got 'a'"),
        (lambda: tf.constant([300], tf.uint8), ValueError, "out of range for uint8"),
        (lambda: tf.constant([1, 2, 3], shape=[2]), TypeError, "2 elements or one, 3"),
        (lambda: tf.constant([1, 2], shape=[3]), TypeError, "3 elements or one, 2 were"),
        (lambda: tf.ones([2, 2])["a"], TypeError, "valid indices"),
        (lambda: tf.ones([2])[5], tf.errors.InvalidArgumentError, "5"),
    ],
)
def test_a_clear_exception(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert tf.add(1, 2).numpy() == 3


def test_an_op_without_a_kernel_names_those_there_are(session):
    x = tf.placeholder(tf.complex64, [2])
    y = tf.raw_ops.Where(condition=x)
    try:
        session.run(y, {x: [1j, 0]})
    except tf.errors.OpError as error:
        assert "Where" in str(error)


def test_names_that_are_taken_or_make_no_sense():
    tf.constant(1, name="x")
    with pytest.raises(ValueError, match="'x'"):
        tf.constant(1, name="x/")
    for name in ("a b", "_a", "a:0", "\u00e9"):
        with pytest.raises(ValueError, match="not a valid"):
            tf.constant(1, name=name)


def test_an_unknown_op_is_named_with_the_nearest_one():
    with pytest.raises(
        tf.errors.NotFoundError, match="Op type not registered 'MatMull'.*MatMul"
    ):
        ops.call("MatMull", [])


def test_nan_labels_are_nan_in_the_loss(session):
    loss = tf.losses.mean_squared_error([float("nan"), 1.0], [1.0, 1.0])
    assert np.isnan(session.run(loss))


def test_a_library_that_is_not_there():
    with pytest.raises(tf.errors.NotFoundError, match="nowhere.so"):
        tf.load_op_library("/nowhere.so")


def test_an_op_without_a_gradient():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    missing = [name for name in _minitf.op_names() if _minitf.gradient_kind(name) is None]
    if "Xdivy" in missing:
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(tf.math.xdivy(x, x), x)


def test_a_step_that_fails_leaves_the_session_usable(session):
    x = tf.placeholder(tf.int32, [None])
    picked = tf.gather([10, 20], x)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(picked, {x: [2]})
        assert session.run(picked, {x: [1]}).tolist() == [20]


def test_a_tensor_that_numpy_cannot_hold_is_a_type_error(eager):
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[])
    for use in (handle.numpy, handle._shared_array, lambda: np.array(handle)):
        with pytest.raises(TypeError, match="numpy has no element type for resource"):
            use()
