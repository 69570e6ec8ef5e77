"""SparseTensors that are fed."""

import pytest

import minitf as tf


def test_a_sparse_tensor_of_known_shape_is_fed_without_it(session):
    x = tf.sparse_placeholder(tf.float32, [2, 2])
    dense = tf.sparse_tensor_to_dense(x)
    assert session.run(dense, {x: ([[0, 1]], [3.0])}).tolist() == [[0, 3], [0, 0]]
    value = tf.SparseTensorValue([[0, 1]], [3.0], [1, 2])
    assert session.run(dense, {x: value}).tolist() == [[0, 3]]
    assert session.make_callable(dense, [x])(value).tolist() == [[0, 3]]
    unknown = tf.sparse_placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
        session.run(unknown, {unknown: ([[0, 1]], [3.0])})
    for value in (3, ([[0, 1]],)):
        with pytest.raises(TypeError, match="must be .indices, values, dense_shape."):
            session.run(dense, {x: value})


def test_a_callable_takes_a_sparse_tensor(session):
    x = tf.placeholder(tf.float32, [])
    sparse = tf.sparse_placeholder(tf.float32)
    total = session.make_callable(tf.reduce_sum(sparse.values) + x, [sparse, x])
    assert total(([[0]], [2.0], [1]), 3.0) == 5
