"""SparseTensors that are fed and parsed."""

import pytest
from test_parsing import Fixed, Steps

import minitf as tf


def test_sparse_tensors_are_fed_and_made_dense(session):
    x = tf.sparse_placeholder(tf.float32)
    dense = tf.sparse_tensor_to_dense(x, default_value=-1)
    value = tf.SparseTensorValue([[0, 1], [1, 0]], [5, 6], [2, 2])
    found, back = session.run([dense, x], {x: value})
    assert found.tolist() == [[-1, 5], [6, -1]]
    assert back.values.tolist() == [5, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        session.run(dense, {x: tf.SparseTensorValue([[1, 0], [0, 1]], [5, 6], [2, 2])})
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        session.run(dense, {x: tf.SparseTensorValue([[2, 0]], [5], [2, 2])})


def test_features_are_of_the_types_of_examples():
    one = tf.placeholder(tf.string, [])
    fixed, listed = Fixed([3], tf.int32), tf.VarLenFeature(tf.float64)
    steps = Steps([], tf.int32)
    cases = [
        (lambda: tf.parse_single_example(one, {"a": fixed}), "int32"),
        (lambda: tf.parse_single_example(one, {"a": listed}), "float64"),
        (lambda: tf.parse_example([one], {"a": fixed}), "int32"),
        (lambda: tf.parse_single_sequence_example(one, {"a": listed}), "float64"),
        (lambda: tf.parse_single_sequence_example(one, None, {"a": steps}), "int32"),
    ]
    allowed = "not in list of allowed values: float32, int64, string"
    for call, name in cases:
        with pytest.raises(TypeError, match=f"'a' has DataType {name} {allowed}"):
            call()
