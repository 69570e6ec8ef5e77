"""SparseTensors as strings; the values and texts are TensorFlow's."""

import numpy as np
import pytest
from test_serialized_tensors import refused, string_of

import minitf as tf
from minitf.framework import messages

# (indices, values, dense_shape) and the three strings.
ROW = (
    ([[1, 2]], [3.0], [4, 5]),
    [
        b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x10'
        b"\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
        b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\0\0@@',
        b'\x08\t\x12\x04\x12\x02\x08\x02"\x10\x04\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0',
    ],
)

# Rows of a SparseTensor [3, 5] with "abc" at [1, 2] and "d" at [1, 3].
EMPTY_ROW = [
    b"\x08\t\x12\x06\x12\x00\x12\x02\x08\x01",
    b"\x08\x07\x12\x02\x12\x00",
    b'\x08\t\x12\x04\x12\x02\x08\x01"\x08\x05\0\0\0\0\0\0\0',
]

ROWS = [
    EMPTY_ROW,
    [
        b'\x08\t\x12\x08\x12\x02\x08\x02\x12\x02\x08\x01"\x10'
        b"\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0",
        b'\x08\x07\x12\x04\x12\x02\x08\x02"\x06\x03\x01abcd',
        EMPTY_ROW[2],
    ],
    EMPTY_ROW,
]


def sparse_value(session, sparse):
    return [part.tolist() for part in session.run(sparse)]


def test_a_sparse_tensor_is_three_strings(session):
    parts, strings = ROW
    serialized = tf.serialize_sparse(tf.SparseTensor(*parts))
    assert serialized.shape.as_list() == [3] and serialized.dtype == tf.string
    assert session.run(serialized).tolist() == strings
    value = tf.SparseTensorValue(*[np.array(part) for part in parts])
    double = messages.get("TensorProto").FromString(
        session.run(tf.io.serialize_sparse(value))[1]
    )
    assert double.tensor_content == np.float64(3).tobytes()


def test_rows_are_three_strings_each(session):
    sparse = tf.SparseTensor([[1, 2], [1, 3]], ["abc", "d"], [3, 5])
    serialized = tf.serialize_many_sparse(sparse)
    assert serialized.shape.as_list() == [None, 3]
    assert session.run(serialized).tolist() == ROWS


def test_they_come_back(session):
    batch = tf.deserialize_many_sparse(ROWS, tf.string, rank=1)
    assert batch.indices.shape.as_list() == [None, 2]
    assert batch.dense_shape.shape.as_list() == [2]
    expected = [[[1, 2], [1, 3]], [b"abc", b"d"], [3, 5]]
    assert sparse_value(session, batch) == expected


def test_axes_are_as_long_as_the_longest(session):
    other = tf.serialize_sparse(tf.SparseTensor([[0, 6], [1, 0]], [3.0, 4.0], [2, 7]))
    batch = tf.io.deserialize_many_sparse(tf.stack([ROW[1], other]), tf.float32)
    expected = [[[0, 1, 2], [1, 0, 6], [1, 1, 0]], [3.0, 3.0, 4.0], [2, 4, 7]]
    assert sparse_value(session, batch) == expected


def test_no_sparse_tensor():
    for function in (tf.serialize_sparse, tf.serialize_many_sparse):
        with pytest.raises(TypeError, match="input must be a SparseTensor, got"):
            function([1, 2])


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("a", "b", "c"), r"serialized_sparse\[0\]: could not parse .*TensorProto: 'a'"),
        (("", "", ""), "element type number 0"),
        (([[1.0]], [1.0], [5]), "the indices should be int64, but are float32"),
        (([[1]], [1.0], [5.0]), "the shape should be int64, but are float32"),
        (([1], [1.0], [5]), r"indices should be a matrix but received shape \[1\]"),
        (([[1]], [[1.0]], [5]), r"values should be a vector .* shape \[1,1\]"),
        (([[1]], [1.0], [[5]]), r"shape should be a vector .* shape \[1,1\]"),
        (([[1]], [1.0, 2.0], [5]), "there are 1 places, but 2 values"),
        (([[1]], [1.0], [5, 6]), "places have 1 numbers, but the shape has 2"),
        (([[1]], [1.0], [-5]), "-5"),
        (([[1]], [1], [5]), r"of float32, but the values of SparseTensor\[0\] are int64"),
    ],
)
def test_strings_that_are_no_sparse_tensor(session, parts, text):
    def string(part):
        if isinstance(part, str):
            return tf.constant(part)
        is_real = isinstance(np.array(part).reshape(-1)[0], np.floating)
        return string_of(part, np.float32 if is_real else np.int64)

    batch = tf.deserialize_many_sparse([[string(part) for part in parts]], tf.float32)
    refused(session, batch, text)


def test_strings_of_another_shape(session):
    strings = tf.placeholder(tf.string)
    batch = tf.deserialize_many_sparse(strings, tf.float32)
    refused(session, batch, r"3 as the last .* shape is \[1\]", {strings: ["a"]})
    refused(session, batch, r"its shape is \[1,2\]", {strings: [["a", "b"]]})
    refused(session, batch, "got 0", {strings: np.zeros([0, 3], object)})
    with pytest.raises(ValueError, match=r"3 as the last .* shape is \[1,2\]"):
        tf.deserialize_many_sparse([["a", "b"]], tf.float32)
    two = tf.stack([ROW[1], tf.serialize_sparse(tf.SparseTensor([[1]], [1.0], [4]))])
    batch = tf.deserialize_many_sparse(two, tf.float32)
    refused(session, batch, r"prior to SparseTensor\[1\] was 2, but its rank is 1")


def test_rows_that_cannot_be_taken_apart(session):
    flat = tf.serialize_many_sparse(tf.SparseTensor([[1]], [1.0], [4]))
    refused(session, flat, "SerializeManySparse.*should be > 1, but saw rank: 1")
    outside = tf.serialize_many_sparse(tf.SparseTensor([[4, 0]], [1.0], [4, 4]))
    refused(session, outside, r"indices\[0\] = \[4,0\] is out of bounds")


def test_places_of_a_serialized_sparse_tensor_lie_within_its_shape(session):
    parts = [np.int64([[5, -7]]), np.float32([1]), np.int64([2, 2])]
    strings = [[session.run(tf.io.serialize_tensor(part)) for part in parts]]
    sparse = tf.deserialize_many_sparse(strings, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="-7. is out of bounds"):
        session.run(sparse)
