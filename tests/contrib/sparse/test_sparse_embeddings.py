"""Lookups of several ids at a time; the numbers are TensorFlow's."""

import numpy as np
import pytest
from test_embeddings import TABLE, _close

import minitf as tf

PLACES = [[0, 0], [0, 2], [1, 1], [3, 0], [3, 1]]

IDS = [1, 3, 0, 4, 4]

WEIGHTS = [0.5, 2.0, 1.5, -1.0, 0.25]


def _sparse(values, places=PLACES, shape=(5, 4)):
    return tf.SparseTensor(places, tf.constant(values), shape)


COMBINED = {
    "sum": [[-5, 8], [3, 4], [0, 0], [4, 4]],
    "mean": [[-2.5, 4], [3, 4], [0, 0], [2, 2]],
    "sqrtn": [[-3.535534, 5.656854], [3, 4], [0, 0], [2.828427, 2.828427]],
}

WEIGHTED = {  # with max_norm=2
    "sum": (
        [[-1.9, 3.2], [1.8, 2.4], [0, 0], [-1.06066, -1.06066]],
        [[0.096, -0.072], [0.5, 0.5], [0, 0], [0.448, 0.336], [0, 0]],
    ),
    "mean": (
        [[-0.76, 1.28], [1.2, 1.6], [0, 0], [1.414214, 1.414214]],
        [[0.064, -0.048], [0.2, 0.2], [0, 0], [0.1792, 0.1344], [0, 0]],
    ),
    "sqrtn": (
        [[-0.921635, 1.552228], [1.2, 1.6], [0, 0], [-1.028991, -1.028991]],
        [[0.064, -0.048], [0.242536, 0.242536], [0, 0], [0.217312, 0.162984], [0, 0]],
    ),
}


@pytest.mark.parametrize("combiner", COMBINED)
@pytest.mark.parametrize("fast", [False, True])
def test_rows_are_combined(combiner, fast, evaluate):
    found = tf.nn.embedding_lookup_sparse(
        tf.constant(TABLE),
        _sparse(IDS),
        None,
        combiner=combiner,
        allow_fast_lookup=fast,
    )
    _close(evaluate(found), COMBINED[combiner])


@pytest.mark.parametrize("combiner", WEIGHTED)
def test_rows_are_weighted(combiner, session):
    table = tf.constant(TABLE)
    found = tf.nn.embedding_lookup_sparse(
        table, _sparse(IDS), _sparse(WEIGHTS), combiner=combiner, max_norm=2.0
    )
    rows, gradient = WEIGHTED[combiner]
    _close(session.run(found), rows)
    _close(session.run(tf.convert_to_tensor(tf.gradients(found, table)[0])), gradient)


def test_no_combiner_is_the_mean(evaluate):
    found = tf.nn.embedding_lookup_sparse(tf.constant(TABLE), _sparse(IDS), None)
    _close(evaluate(found), COMBINED["mean"])


def test_what_a_sparse_lookup_refuses():
    table = tf.constant(TABLE)
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor"):
        tf.nn.embedding_lookup_sparse(table, [1], None)
    with pytest.raises(TypeError, match="sp_weights must be either None or Sparse"):
        tf.nn.embedding_lookup_sparse(table, _sparse(IDS), WEIGHTS)
    with pytest.raises(ValueError, match="combiner must be one of"):
        tf.nn.embedding_lookup_sparse(table, _sparse(IDS), None, combiner="max")
    with pytest.raises(ValueError):
        weights = _sparse([1.0], [[0, 0]])
        tf.nn.embedding_lookup_sparse(table, _sparse(IDS), weights)


SAFE = {
    ("sum", None): [[0.5, 0], [4.5, 6], [0, 0], [-1.5, -1.5], [0, 0]],
    ("mean", None): [[1, 0], [3, 4], [0, 0], [2, 2], [0, 0]],
    ("sqrtn", None): [[1, 0], [3, 4], [0, 0], [2, 2], [0, 0]],
    ("sum", 3): [[1, 0], [3, 4], [-6, 8], [4, 4], [-6, 8]],
    ("mean", 3): [[1, 0], [3, 4], [-6, 8], [2, 2], [-6, 8]],
    ("sqrtn", 3): [[1, 0], [3, 4], [-6, 8], [2.828427, 2.828427], [-6, 8]],
}


@pytest.mark.parametrize(("combiner", "default_id"), SAFE)
def test_ids_that_are_negative_or_missing(combiner, default_id, evaluate):
    found = tf.nn.safe_embedding_lookup_sparse(
        [tf.constant(TABLE)],
        _sparse([1, -3, 0, 4, 4]),
        _sparse(WEIGHTS) if default_id is None else None,
        combiner=combiner,
        default_id=default_id,
    )
    _close(evaluate(found), SAFE[combiner, default_id])


def test_lists_of_ids_on_two_axes(evaluate):
    places = [[0, 0, 0], [0, 1, 2], [1, 2, 1]]
    ids = _sparse([1, 2, 0], places, [2, 3, 4])
    found = tf.nn.safe_embedding_lookup_sparse(tf.constant(TABLE), ids)
    expected = [[[1, 0], [0, 0.5], [0, 0]], [[0, 0], [0, 0], [3, 4]]]
    _close(evaluate(found), expected)


def test_no_name_is_answered_by_another_function():
    assert tf.nn.embedding_lookup_sparse is not tf.nn.embedding_lookup
    with pytest.raises(AttributeError):
        tf.nn.embedding_lookup_of_something  # noqa: B018


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_gradients_of_a_table_have_each_row_once_in_ascending_order(combiner, session):
    table = tf.constant(TABLE)
    ids = _sparse(np.array(IDS, np.int64))
    y = tf.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner)
    found = session.run(tf.gradients(y, table)[0])
    assert found.indices.tolist() == [0, 1, 3, 4]
    shares = {"sum": (1, 1), "mean": (0.5, 0.5), "sqrtn": (0.5**0.5, 0.5**0.5)}
    first, last = shares[combiner]
    rows = np.array([1, first, first, 2 * last])[:, np.newaxis]
    _close(found.values, np.repeat(rows, 2, axis=1))
