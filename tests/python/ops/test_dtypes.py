"""What an element type says about itself, and which Python values fit it."""

import numpy as np
import pytest

import minitf as tf


def test_limits_are_intensities_of_pictures():
    assert [getattr(tf, name).limits for name in ("uint8", "int8", "bool")] == [
        (0, 255),
        (0, 127),
        (0, True),
    ]
    assert tf.float32.limits == tf.float64.limits == (0, 1)
    for dtype in (tf.float16, tf.bfloat16, tf.complex64, tf.string, tf.resource):
        with pytest.raises(ValueError, match="does not have defined limits"):
            _ = dtype.limits


def test_numbers_of_a_type():
    assert (tf.int8.min, tf.uint16.max) == (-128, 65535)
    assert float(tf.bfloat16.max) == -float(tf.bfloat16.min) == 2.0**127 * 255 / 128
    with pytest.raises(TypeError, match=r"tf\.bool has no smallest number"):
        _ = tf.bool.min
    assert tf.string.as_numpy_dtype is object and not tf.string.is_quantized


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "int64"])
def test_true_is_the_number_one(dtype, eager):
    assert tf.constant([True, False], dtype).numpy().tolist() == [1, 0]
    assert (tf.constant([2, 3], dtype) + True).numpy().tolist() == [3, 4]


def test_what_is_no_bool_and_what_bools_are_not(eager):
    assert tf.constant([True, False], tf.bool).numpy().tolist() == [True, False]
    for value, dtype in ((1, tf.bool), (True, tf.string)):
        with pytest.raises(TypeError, match="Expected"):
            tf.constant(value, dtype)


def test_names_of_operators_on_bits():
    with tf.Graph().as_default() as graph:
        i = tf.constant([3, -2], name="i")
        names = [y.name for y in (i & 6, 1 | i, i ^ 1, i & i)]
        made = [op.name for op in graph.get_operations()]
    assert names == [
        "and/BitwiseAnd:0",
        "or/BitwiseOr:0",
        "xor/BitwiseXor:0",
        "and_1/BitwiseAnd:0",
    ]
    assert "and/y" in made and "or/x" in made


def test_what_stands_for_a_type():
    for value in (float, "float", np.float32, np.dtype(">f4"), 1, np.zeros(1, "f4")):
        assert tf.as_dtype(value) is tf.float32
    assert tf.as_dtype(bool) is tf.bool
    assert tf.as_dtype(object) is tf.as_dtype(np.dtype("U3")) is tf.string
    for value in (int, "int", complex, str, bytes, "str", "<f4", b"float", None, 1.5, []):
        with pytest.raises(TypeError, match="to a TensorFlow DType"):
            tf.as_dtype(value)
