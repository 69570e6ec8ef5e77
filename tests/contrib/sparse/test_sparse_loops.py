"""SparseTensors in tf.while_loop and tf.cond; the values are TensorFlow 2.21's."""

import numpy as np
import pytest

import minitf as tf


def one_value():
    return tf.SparseTensor([[0, 1]], [5], [2, 2])


def grown(sparse):
    """``sparse`` with one more value, in a new row."""
    row = tf.shape(sparse.values, out_type=tf.int64)[0]
    return tf.SparseTensor(
        tf.concat([sparse.indices, [tf.stack([row, 0])]], 0),
        tf.concat([sparse.values, sparse.values[-1:] + 1], 0),
        sparse.dense_shape + 1,
    )


def plain(value):
    if isinstance(value, tf.SparseTensorValue):
        return tuple(part.tolist() for part in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([plain(item) for item in value])
    return value.tolist()


AFTER_TWO = ([[0, 1], [1, 0], [2, 0]], [5, 6, 7], [4, 4])
AFTER_THREE = ([[0, 1], [1, 0], [2, 0], [3, 0]], [5, 6, 7, 8], [5, 5])


def loop(limit=3, invariants=None, **options):
    return tf.while_loop(
        lambda i, s: i < limit,
        lambda i, s: (i + 1, grown(s)),
        (0, one_value()),
        shape_invariants=invariants,
        **options,
    )


def shapes(sparse):
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return [part.shape.as_list() for part in parts]


def test_a_variable_of_a_loop_may_be_sparse(session):
    result = loop()
    assert shapes(result[1]) == [[None, 2], [None], [2]]
    assert plain(session.run(result)) == (3, AFTER_THREE)
    assert plain(session.run(loop(0))) == (0, ([[0, 1]], [5], [2, 2]))


def test_an_invariant_is_the_shape_of_the_sizes(session):
    result = loop(invariants=(tf.TensorShape([]), tf.TensorShape([2])))
    assert shapes(result[1]) == [[None, 2], [None], [2]]
    assert plain(session.run(result)) == (3, AFTER_THREE)
    result = loop(invariants=(tf.TensorShape([]), tf.TensorShape([None])))
    assert shapes(result[1]) == [[None, None], [None], [None]]
    assert plain(session.run(result)) == (3, AFTER_THREE)
    result = loop(invariants=(tf.TensorShape([]), tf.TensorShape(None)))
    assert plain(session.run(result)) == (3, AFTER_THREE)


def test_an_invariant_that_does_not_hold(session):
    with pytest.raises(
        ValueError, match=r"shape \(1, 2\), but .* invariant is \(\?, 3\)"
    ):
        loop(invariants=(tf.TensorShape([]), tf.TensorShape([3])))
    with pytest.raises(ValueError, match=r"1 dimension; got \(2, 2\) with 2 dimensions"):
        loop(invariants=(tf.TensorShape([]), tf.TensorShape([2, 2])))
    with pytest.raises(ValueError, match="has 1 shapes for 2 loop variables"):
        loop(invariants=[tf.TensorShape([])])


def test_variables_may_be_nested(session):
    def body(i, d):
        return i + 1, {"b": (d["b"][0] + 1,), "a": [grown(d["a"][0])]}

    start = {"a": [one_value()], "b": (tf.constant(1),)}
    result = tf.while_loop(lambda i, d: i < 2, body, (0, start))
    assert plain(session.run(result)) == (2, {"a": [AFTER_TWO], "b": (3,)})


def test_a_single_sparse_variable(session):
    def goes_on(s):
        return s.dense_shape[0] < 5

    (result,) = tf.while_loop(goes_on, grown, [one_value()])
    assert plain(session.run(result)) == AFTER_THREE
    result = tf.while_loop(goes_on, grown, [one_value()], maximum_iterations=2)
    assert plain(session.run(result)) == AFTER_TWO


def test_loops_and_branches_within_loops(session):
    def inner(i, s):
        iterations = tf.while_loop(
            lambda j, t: j < 2, lambda j, t: (j + 1, grown(t)), (0, s)
        )
        return i + 1, iterations[1]

    result = tf.while_loop(lambda i, s: i < 1, inner, (0, one_value()))
    assert plain(session.run(result)) == (1, AFTER_TWO)

    def sometimes(i, s):
        return i + 1, tf.cond(i > 0, lambda: grown(s), lambda: s)

    result = tf.while_loop(lambda i, s: i < 3, sometimes, (0, one_value()))
    assert plain(session.run(result)) == (3, AFTER_TWO)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda s: s.values, ValueError, "same nested structure"),
        (lambda s: [s, s], ValueError, "same nested structure"),
        (
            lambda s: tf.SparseTensor(s.indices[:, :1], s.values, s.dense_shape[:1]),
            ValueError,
            r"enters the loop with shape \(\?, 2\), but has shape \(\?, 1\)",
        ),
        (
            lambda s: tf.SparseTensor(s.indices, tf.to_float(s.values), s.dense_shape),
            TypeError,
            "with type int32, but has type float32",
        ),
    ],
)
def test_a_body_must_return_what_it_takes(change, error, text):
    with pytest.raises(error, match=text):
        tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, change(s)), (0, one_value())
        )


def test_a_sparse_tensor_value_is_a_tuple_of_three(session):
    start = tf.SparseTensorValue(*map(np.array, ([[0, 1]], [5], [2, 2])))

    def body(i, s):
        assert isinstance(s, tf.SparseTensorValue)
        return i + 1, tf.SparseTensorValue(s.indices, s.values * 2, s.dense_shape)

    result = tf.while_loop(lambda i, s: i < 3, body, (0, start))
    assert plain(session.run(result)) == (3, ([[0, 1]], [40], [2, 2]))


def test_an_eager_loop(eager):
    iterations, sparse = loop()
    assert iterations.numpy() == 3 and isinstance(sparse, tf.SparseTensor)
    parts = [sparse.indices, sparse.values, sparse.dense_shape]
    assert tuple(part.numpy().tolist() for part in parts) == AFTER_THREE


def test_branches_must_both_be_sparse():
    pred = tf.placeholder(tf.bool, [])
    with pytest.raises(ValueError, match="same nested structure"):
        tf.cond(pred, one_value, lambda: tf.constant(1))
