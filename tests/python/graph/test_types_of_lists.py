"""Which type a tensor has that is made of a list, as TensorFlow 2.21 gives it."""

import numpy as np
import pytest

import minitf as tf


class Array:
    """An object that is an array to NumPy, as a column of a table is."""

    def __init__(self, dtype):
        self._array = np.array([1, 2], dtype)

    def __array__(self, dtype=None, copy=None):
        return self._array


# In eager mode, and in a graph.
TYPES = [
    ([np.float64(1)], "float64", "float32"),
    ([np.float64(1), 2.0], "float64", "float32"),
    ([2.0, np.float64(1)], "float32", "float32"),
    ([np.float32(1), np.float64(2)], "float32", "float32"),
    ([np.float64(1), np.float32(2)], "float64", "float32"),
    ([np.float16(1), 2.0], "float16", "float32"),
    ([2.0, np.float16(1)], "float32", "float32"),
    ([np.float16(1)], "float16", "float16"),
    ([np.int64(1)], "int32", "int32"),
    ([2, np.int64(1)], "int32", "int32"),
    ([np.uint8(1)], "int32", "uint8"),
    ([np.int8(1), 2], "int32", "int32"),
    ([np.int64(2**40)], "int64", "int64"),
    ([1, 2**40], "int64", "int64"),
    ([1, 2.0], "float32", "float32"),
    ([np.int64(1), 2.0], "float32", "float32"),
    ([1, np.float64(2)], "float32", "float32"),
    ([np.array(1.0), np.array(2.0)], "float64", "float32"),
    ([np.array(1)], "int32", "int32"),
    ([[np.float64(1)], [2.0]], "float64", "float32"),
    ([[1.0, 2.0], np.zeros(2)], "float32", "float32"),
    ([np.complex64(1)], "complex128", "complex64"),
    ([np.complex128(1)], "complex128", "complex128"),
    ([np.bool_(True)], "bool", "bool"),
    (np.float64(1), "float64", "float64"),
    (np.int64(1), "int64", "int64"),
    (Array("float64"), "float64", "float64"),
    (Array("int64"), "int64", "int64"),
    (Array("uint8"), "uint8", "uint8"),
]
# In a graph, TensorFlow makes no constant of a list of arrays, but stacks them.
STACKED = [
    ([np.zeros(2), np.ones(2)], "float64", "float64"),
    ((np.zeros(1), np.ones(1)), "float64", "float64"),
    ([np.arange(2), np.arange(2)], "int32", "int64"),
    ([np.zeros(2, np.uint8)], "int32", "uint8"),
    ([np.zeros(2, np.float16)], "float16", "float16"),
    ([np.zeros(2, np.int32)], "int32", "int32"),
    ([np.zeros(2, np.complex128)], "complex128", "complex128"),
    ([np.array([True])], "bool", "bool"),
]


@pytest.mark.parametrize("number", range(len(TYPES)))
def test_type_of_a_constant(number, eager):
    value, in_eager, in_graph = TYPES[number]
    for make in (tf.constant, tf.convert_to_tensor):
        assert make(value).dtype.name == in_eager
    with tf.Graph().as_default():
        for make in (tf.constant, tf.convert_to_tensor):
            assert make(value).dtype.name == in_graph


@pytest.mark.parametrize("number", range(len(STACKED)))
def test_type_of_stacked_arrays(number, eager):
    value, in_eager, in_graph = STACKED[number]
    assert tf.stack(value).dtype.name == in_eager
    with tf.Graph().as_default():
        assert tf.stack(value).dtype.name == in_graph
