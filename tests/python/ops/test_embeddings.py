"""Lookups in tables, whole or in parts, and gathering; the numbers are TensorFlow's."""

import numpy as np
import pytest

import minitf as tf

TABLE = np.array([[3, 4], [1, 0], [0, 0.5], [-6, 8], [2, 2]], np.float32)


def _close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


# ---- embedding_lookup ------------------------------------------------------------------


@pytest.mark.parametrize("ids", [[], 3, [0, 4, 0], [[1, 2], [3, 3]]])
@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("known", [True, False])
def test_a_table_in_parts_is_like_a_whole_one(ids, strategy, known, session):
    if strategy == "mod":
        parts = [TABLE[0::3], TABLE[1::3], TABLE[2::3]]
    else:
        parts = [TABLE[:2], TABLE[2:4], TABLE[4:]]
    shape = lambda part: part.shape if known else None  # noqa: E731
    tables = [tf.placeholder_with_default(part, shape(part)) for part in parts]
    ids = np.array(ids, np.int64)
    found = tf.nn.embedding_lookup(tables, ids, strategy)
    assert found.shape.is_compatible_with([*ids.shape, 2])
    _close(session.run(found), TABLE[ids])
    rows = tf.nn.embedding_lookup(tables, ids, strategy, max_norm=1.0)
    lengths = np.maximum(np.linalg.norm(TABLE, axis=1, keepdims=True), 1)
    _close(session.run(rows), (TABLE / lengths)[ids])


def test_max_norm_is_for_all_axes_of_a_row(evaluate):
    table = tf.constant(np.stack([TABLE, TABLE + 1], 1))
    expected = [
        [
            [[0.369274, 0.492366], [0.492366, 0.615457]],
            [[-0.41804, 0.557386], [-0.348366, 0.62706]],
        ]
    ]
    _close(evaluate(tf.nn.embedding_lookup(table, [[0, 3]], max_norm=1.0)), expected)


def test_a_lookup_in_variables(session):
    tables = [tf.Variable(TABLE[:3]), tf.Variable(TABLE[3:])]
    rows = tf.nn.embedding_lookup(tables, [4, 0, 4], "div")
    gradients = tf.gradients(tf.reduce_sum(rows * rows), tables)
    session.run(tf.global_variables_initializer())
    _close(session.run(rows), TABLE[[4, 0, 4]])
    first, second = session.run(gradients)
    assert first.indices.tolist() == [0] and second.indices.tolist() == [1, 1]
    _close(second.values, [[4, 4], [4, 4]])


def test_a_variable_in_parts_is_a_table(session):
    with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2)):
        table = tf.get_variable("t", initializer=tf.constant(TABLE))
    found = tf.nn.embedding_lookup(table, [4, 0, 2], "div")
    session.run(tf.global_variables_initializer())
    _close(session.run(found), TABLE[[4, 0, 2]])


def test_names_of_a_lookup():
    table = tf.Variable(TABLE)
    assert tf.nn.embedding_lookup(table, [1]).name == "embedding_lookup/Identity:0"
    assert tf.nn.embedding_lookup(table, [1], name="e").name == "e/Identity:0"
    assert tf.gather(table, [1]).name == "Gather:0"


def test_what_a_lookup_refuses():
    with pytest.raises(ValueError, match="params must be specified"):
        tf.nn.embedding_lookup(None, [1])
    with pytest.raises(ValueError, match="Need at least one param"):
        tf.nn.embedding_lookup([], [1])
    parts = [tf.constant(TABLE), tf.constant(TABLE)]
    with pytest.raises(ValueError, match="Unrecognized partition strategy: odd"):
        tf.nn.embedding_lookup(parts, [1], "odd")
    with pytest.raises((TypeError, ValueError), match="float32"):
        tf.nn.embedding_lookup(tf.constant(TABLE), [1.0])


# ---- embedding_lookup_sparse -----------------------------------------------------------


# ---- gather and gather_nd --------------------------------------------------------------

P = np.arange(12.0).reshape(2, 3, 2)
GATHERED = [  # arguments, result, gradient of the sum of squares
    (
        {"indices": [[2, 0], [1, 1]], "batch_dims": 1},
        [[[4, 5], [0, 1]], [[8, 9], [8, 9]]],
        [[[0, 2], [0, 0], [8, 10]], [[0, 0], [32, 36], [0, 0]]],
    ),
    (
        {"indices": [[1, 0], [1, 1]], "axis": 2, "batch_dims": 1},
        [[[1, 0], [3, 2], [5, 4]], [[7, 7], [9, 9], [11, 11]]],
        [[[0, 2], [4, 6], [8, 10]], [[0, 28], [0, 36], [0, 44]]],
    ),
    (
        {"indices": [[1, 0], [1, 1]], "axis": -1, "batch_dims": -1},
        [[[1, 0], [3, 2], [5, 4]], [[7, 7], [9, 9], [11, 11]]],
        [[[0, 2], [4, 6], [8, 10]], [[0, 28], [0, 36], [0, 44]]],
    ),
    (
        {"indices": [[1, 0], [2, 1]], "axis": 1},
        [
            [[[2, 3], [0, 1]], [[4, 5], [2, 3]]],
            [[[8, 9], [6, 7]], [[10, 11], [8, 9]]],
        ],
        [[[0, 2], [8, 12], [8, 10]], [[12, 14], [32, 36], [20, 22]]],
    ),
]


@pytest.mark.parametrize(("arguments", "result", "gradient"), GATHERED)
@pytest.mark.parametrize("known", [True, False])
def test_gather_and_its_gradient(arguments, result, gradient, known, session):
    params = tf.placeholder_with_default(P, P.shape if known else None)
    found = tf.gather(params, **arguments)
    assert found.shape.is_compatible_with(np.shape(result))
    _close(session.run(found), result)
    _close(session.run(tf.gradients(found * found, params)[0]), gradient)


def test_gather_with_batches_on_a_tape(eager):
    arguments, result, gradient = GATHERED[0]
    params = tf.constant(P)
    with tf.GradientTape() as tape:
        tape.watch(params)
        found = tf.gather(params, **arguments)
        loss = tf.reduce_sum(found * found)
    _close(found.numpy(), result)
    _close(tape.gradient(loss, params).numpy(), gradient)


def test_gather_along_an_axis_that_is_fed(session):
    params, axis = tf.constant(P), tf.placeholder(tf.int32, [])
    found = tf.gather(params, [[1, 0], [1, 1]], axis=axis)
    gradient = tf.gradients(found * found, params)[0]
    for i in (0, 1, 2, -1):
        _close(session.run(found, {axis: i}), np.take(P, [[1, 0], [1, 1]], i))
        expected = 2 * P * np.reshape([1, 3, 0][: P.shape[i]], np.roll([-1, 1, 1], i))
        _close(session.run(gradient, {axis: i}), expected)


def test_gather_nd_of_batches(evaluate):
    places = [[[1, 1], [0, 1]], [[2, 1], [2, 1]]]
    found = tf.gather_nd(tf.constant(P), places, batch_dims=1)
    _close(evaluate(found), [[3, 1], [11, 11]])
    for batch_dims, kind, message in (
        (-1, ValueError, "does not allow negative batch_dims"),
        (3, ValueError, "must be less than rank"),
        (1.5, TypeError, "batch_dims must be an int"),
    ):
        with pytest.raises(kind, match=message):
            tf.gather_nd(tf.constant(P), places, batch_dims=batch_dims)


def test_gradient_of_gather_nd_of_batches(session):
    params = tf.placeholder_with_default(P, None)
    places = [[[1, 1], [0, 1]], [[2, 1], [2, 1]]]
    found = tf.gather_nd(params, places, batch_dims=1)
    expected = [[[0, 2], [0, 6], [0, 0]], [[0, 0], [0, 0], [0, 44]]]
    _close(session.run(tf.gradients(found * found, params)[0]), expected)


def test_batch_gather(evaluate):
    found = tf.batch_gather(tf.constant(P), [[2, 0], [1, 1]])
    _close(evaluate(found), GATHERED[0][1])


def test_a_variable_is_not_read_as_a_whole(session):
    table = tf.Variable(TABLE)
    assert tf.gather(table, [1]).op.type == "ResourceGather"
    after = tf.gather(table.assign_add(tf.ones_like(TABLE)), [1])
    session.run(tf.global_variables_initializer())
    _close(session.run(after), [[2, 1]])
    with pytest.raises(ValueError, match=r"batch_dims \(1\) must be less than"):
        tf.gather(table, [1], axis=0, batch_dims=1)


@pytest.mark.parametrize("name", ["sum", "mean", "sqrt_n"])
def test_gradients_of_segments_of_rows_are_dense_or_sorted_slices(name, eager):
    table = tf.constant(TABLE)
    function = getattr(tf.sparse, f"segment_{name}")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(table)
        dense = function(table, [3, 1, 3], [0, 0, 1])
        sparse = function(table, [3, 1, 3], [0, 0, 1], sparse_gradient=True)
    _close(dense.numpy(), sparse.numpy())
    share = {"sum": 1, "mean": 0.5, "sqrt_n": 0.5**0.5}[name]
    slopes = np.zeros_like(TABLE)
    slopes[1], slopes[3] = share, share + 1
    _close(tape.gradient(dense, table).numpy(), slopes)
    slices = tape.gradient(sparse, table)
    assert slices.indices.numpy().tolist() == [1, 3]
    _close(slices.values.numpy(), slopes[[1, 3]])
