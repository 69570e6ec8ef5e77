"""SparseFeature, sparse_merge and sparse_reorder; the values are TensorFlow 2.21's."""

import numpy as np
import pytest

import minitf as tf


def example(**features):
    kinds = {
        int: lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
        float: lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
    }
    made = {name: kinds[type(values[0])](values) for name, values in features.items()}
    features = tf.train.Features(feature=made)
    return tf.train.Example(features=features).SerializeToString()


EXAMPLES = [
    example(ix=[7, 1, 3], val=[0.5, 0.1, 0.3]),
    example(iy=[2]),
    example(ix=[9], val=[0.9], iy=[1]),
]
BY_IX = tf.SparseFeature("ix", "val", tf.float32, 10)


def check(session, sparse, indices, values, shape):
    found = session.run(sparse)
    assert found.indices.tolist() == indices
    np.testing.assert_array_equal(found.values, np.array(values, found.values.dtype))
    assert found.dense_shape.tolist() == shape


def test_values_are_put_where_the_other_feature_says(session):
    parsed = tf.parse_example(EXAMPLES, {"s": BY_IX})
    assert list(parsed) == ["s"]
    places = [[0, 1], [0, 3], [0, 7], [2, 9]]
    check(session, parsed["s"], places, [0.1, 0.3, 0.5, 0.9], [3, 10])


def test_its_parts_can_be_asked_for_too(session):
    features = {"s": BY_IX, "ix": tf.VarLenFeature(tf.int64)}
    parsed = tf.parse_example(EXAMPLES, features)
    check(session, parsed["ix"], [[0, 0], [0, 1], [0, 2], [2, 0]], [7, 1, 3, 9], [3, 3])


def test_there_may_be_several_axes(session):
    feature = tf.SparseFeature(["ix", "ix"], "val", tf.float32, [10, 20])
    parsed = tf.parse_example(EXAMPLES[:1], {"s": feature})
    places = [[0, 1, 1], [0, 3, 3], [0, 7, 7]]
    check(session, parsed["s"], places, [0.1, 0.3, 0.5], [1, 10, 20])


def test_one_example_has_no_axis_of_rows(session):
    one = tf.parse_single_example(EXAMPLES[0], {"s": BY_IX})["s"]
    check(session, one, [[1], [3], [7]], [0.1, 0.3, 0.5], [10])
    as_it_is = tf.SparseFeature("ix", "val", tf.float32, 10, already_sorted=True)
    one = tf.parse_single_example(EXAMPLES[0], {"s": as_it_is})["s"]
    check(session, one, [[7], [1], [3]], [0.5, 0.1, 0.3], [10])


def test_mistakes(session):
    with pytest.raises(ValueError, match="Conflicting type int64 vs float32 for feature"):
        tf.parse_example(EXAMPLES, {"s": tf.SparseFeature("ix", "ix", tf.float32, 10)})
    with pytest.raises(ValueError, match="needs feature ix as a VarLenFeature"):
        tf.parse_example(EXAMPLES, {"s": BY_IX, "ix": tf.FixedLenFeature([], tf.int64)})
    with pytest.raises(ValueError, match="Missing index_key for SparseFeature s"):
        tf.parse_example(EXAMPLES, {"s": tf.SparseFeature("", "val", tf.float32, 10)})
    with pytest.raises(ValueError, match="equal lengths, got 2 and 1"):
        two = tf.SparseFeature(["ix", "ix"], "val", tf.float32, [10])
        tf.parse_example(EXAMPLES, {"s": two})
    uneven = tf.parse_example([example(ix=[1, 2], val=[0.5])], {"s": BY_IX})["s"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 values.* has 2"):
        session.run(uneven)


def test_reorder(session):
    places = [[1, 0, 2], [0, 1, 1], [0, 0, 2]]
    sparse = tf.sparse_reorder(tf.SparseTensor(places, [1, 2, 3], [2, 2, 3]))
    check(session, sparse, places[::-1], [3, 2, 1], [2, 2, 3])
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros([0], np.int32), [2, 2])
    check(session, tf.sparse_reorder(empty), [], [], [2, 2])


@pytest.mark.parametrize(
    ("values", "sizes"),
    [([[1.0], [2.0]], [2, 2]), ([1.0], [2, 2]), ([1.0, 2.0], [2, 2, 2])],
)
def test_parts_that_do_not_fit_fail_in_the_step(session, values, sizes):
    parts = tf.placeholder(tf.int64), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    ordered = tf.sparse_reorder(tf.SparseTensor(*parts))
    places = [[1, 0], [0, 1]]
    found = session.run(
        ordered, dict(zip(parts, (places, [1.0, 2.0], [2, 2]), strict=True))
    )
    assert found.values.tolist() == [2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\["):
        session.run(ordered, dict(zip(parts, (places, values, sizes), strict=True)))


def test_a_branch_may_give_sparse_tensors(session):
    pred = tf.placeholder(tf.bool, [])
    one = tf.SparseTensor([[0, 1]], [5], [2, 2])
    two = tf.SparseTensor([[0, 0], [1, 1]], [6, 7], [2, 2])
    chosen = tf.cond(pred, lambda: {"x": one}, lambda: {"x": two})["x"]
    dense = tf.sparse_tensor_to_dense(chosen)
    assert session.run(dense, {pred: True}).tolist() == [[0, 5], [0, 0]]
    assert session.run(dense, {pred: False}).tolist() == [[6, 0], [0, 7]]


def test_sparse_tensors_are_printed_with_their_values(session, capfd):
    sparse = tf.SparseTensor([[0, 1]], [5], [2, 2])
    session.run(tf.print(sparse, {"in": [sparse]}))
    text = "SparseTensor(indices=[[0 1]], values=[5], shape=[2 2])"
    assert capfd.readouterr().err == f"{text} {{'in': [{text}]}}\n"
