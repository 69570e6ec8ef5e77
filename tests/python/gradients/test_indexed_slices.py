"""tf.IndexedSlices: from gradients through clipping, sessions and Python's functions.

The numbers are TensorFlow's (2.21, compat.v1).
"""

import warnings

import numpy as np
import pytest

import minitf as tf
from minitf.framework.indexed_slices import (
    IndexedSlicesValue,
    convert_n_to_tensor_or_indexed_slices,
)

VALUES = [[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]
DENSE = [[0.0, 0.0], [9.0, 12.0], [0.0, 0.0]]
TABLE = np.arange(8.0).reshape(4, 2)


def _slices(values=VALUES):
    return tf.IndexedSlices(
        tf.constant(values), tf.constant([1, 0, 1]), tf.constant([3, 2])
    )


def _gradient(function, table=TABLE, **options):
    """The gradient of the sum of ``function(table)``, and the table."""
    x = tf.constant(table)
    return tf.gradients(function(x), x, **options)[0], x


# ---- The class -------------------------------------------------------------------------


def test_what_it_knows():
    slices = _slices()
    assert slices.dtype is tf.float32
    assert slices.shape == [3, 2] == slices.get_shape()
    assert slices.op is slices.values.op
    assert slices.name == slices.values.name
    assert slices.graph is tf.get_default_graph()
    assert slices.device == ""
    assert tf.is_tensor(slices)
    doubled = tf.identity(slices.values)
    assert doubled.op in slices.consumers()
    without = tf.IndexedSlices(slices.values, slices.indices)
    assert without.dense_shape is None and without.shape.ndims is None
    assert repr(without).startswith("IndexedSlices(indices=Tensor(")
    assert "dense_shape" not in repr(without) and "dense_shape" in repr(slices)


def test_as_a_tensor(evaluate):
    np.testing.assert_array_equal(evaluate(tf.convert_to_tensor(_slices())), DENSE)
    np.testing.assert_array_equal(evaluate(tf.ones([3, 2]) + _slices()), np.add(DENSE, 1))
    np.testing.assert_array_equal(evaluate(tf.reduce_sum(_slices(), 0)), [9, 12])
    np.testing.assert_array_equal(
        evaluate(tf.add_n([_slices(), DENSE])), np.add(DENSE, DENSE)
    )


def test_as_a_tensor_without_a_shape():
    slices = tf.IndexedSlices(tf.constant(VALUES), tf.constant([1, 0, 1]))
    with pytest.raises(ValueError, match="IndexedSlices without dense_shape"):
        tf.convert_to_tensor(slices)
    with pytest.raises(ValueError, match="requested dtype float64"):
        tf.convert_to_tensor(_slices(), tf.float64)


def test_a_warning_before_much_memory_is_taken():
    values, places = tf.constant([[1.0]]), tf.constant([0])
    with pytest.warns(UserWarning, match="dense Tensor with 200000000 elements"):
        shape = tf.constant([200_000_000, 1])
        tf.convert_to_tensor(tf.IndexedSlices(values, places, shape))
    with pytest.warns(UserWarning, match="of unknown shape"):
        shape = tf.placeholder(tf.int32, [2])
        tf.convert_to_tensor(tf.IndexedSlices(values, places, shape))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.convert_to_tensor(_slices())


def test_functions_of_slices_that_give_slices(session):
    for made, values in (
        (-_slices(), np.negative(VALUES)),
        (tf.scalar_mul(2.0, _slices()), np.multiply(VALUES, 2)),
        (tf.cast(_slices(), tf.int32), VALUES),
        (tf.identity(_slices()), VALUES),
    ):
        assert isinstance(made, tf.IndexedSlices)
        found = session.run(made)
        np.testing.assert_array_equal(found.values, values)
        assert found.indices.tolist() == [1, 0, 1]


def test_convert_to_tensor_or_indexed_slices():
    slices = _slices()
    assert tf.convert_to_tensor_or_indexed_slices(slices) is slices
    assert tf.convert_to_tensor_or_indexed_slices(slices, tf.float32) is slices
    assert tf.convert_to_tensor_or_indexed_slices(1.0).shape == []
    with pytest.raises(ValueError, match="requested dtype int32"):
        tf.convert_to_tensor_or_indexed_slices(slices, tf.int32)
    several = convert_n_to_tensor_or_indexed_slices([slices, None, 2], name="x")
    assert several[:2] == [slices, None] and several[2].name == "x_2:0"
    with pytest.raises(TypeError, match="must be iterable"):
        convert_n_to_tensor_or_indexed_slices(3)


def test_spec():
    spec = tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [3])
    assert spec.is_compatible_with(_slices())
    assert not tf.IndexedSlicesSpec([3, 3]).is_compatible_with(_slices())
    assert spec == tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [3])
    assert spec != tf.IndexedSlicesSpec() and len({spec, spec}) == 1
    assert spec.value_type is tf.IndexedSlices
    with pytest.raises(ValueError):
        tf.IndexedSlicesSpec(indices_shape=[2, 2])


# ---- Sessions and structures -----------------------------------------------------------


def test_fetching_and_feeding(session):
    values = tf.placeholder(tf.float32, [None, 2])
    slices = tf.IndexedSlices(values, tf.placeholder(tf.int64, [None]))
    fed = IndexedSlicesValue(np.ones((1, 2), np.float32), [5], None)
    found = session.run({"s": slices}, {slices: fed})["s"]
    assert isinstance(found, IndexedSlicesValue)
    assert found.values.tolist() == [[1, 1]] and found.indices.tolist() == [5]
    assert found.dense_shape is None
    whole = _slices().eval(session=session)
    assert whole.dense_shape.tolist() == [3, 2]
    with pytest.raises(TypeError, match="the value fed for IndexedSlices"):
        session.run(slices, {slices: 3.0})


def test_in_cond_and_while_loop(session):
    yes = tf.placeholder(tf.bool, [])
    chosen = tf.cond(yes, _slices, lambda: _slices(np.ones((3, 2), np.float32)))
    assert session.run(chosen, {yes: False}).values.tolist() == [[1, 1]] * 3
    _, turned = tf.while_loop(
        lambda i, _: i < 3, lambda i, s: (i + 1, tf.scalar_mul(2.0, s)), [0, _slices()]
    )
    np.testing.assert_array_equal(session.run(turned).values, np.multiply(VALUES, 8))


# ---- Gradients -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "indices", "values"),
    [
        (lambda x: tf.gather(x, [1, 3, 1]), [1, 3, 1], [[1, 1]] * 3),
        (lambda x: tf.gather(x, [[1], [3]]), [1, 3], [[1, 1]] * 2),
        (lambda x: tf.gather_nd(x, [[2], [2]]), [2, 2], [[1, 1]] * 2),
        (lambda x: tf.gather(-x, [1]), [1], [[-1, -1]]),
        (lambda x: tf.gather(tf.identity(x), [1]), [1], [[1, 1]]),
        (lambda x: tf.gather(tf.cast(x, tf.float32), [1]), [1], [[1, 1]]),
        (
            lambda x: tf.gather(x, [0, 1]) + tf.gather(x, tf.constant([2, 1], tf.int64)),
            None,
            [[1, 1]] * 4,
        ),
    ],
)
def test_the_gradient_of_a_lookup_is_slices(function, indices, values, session):
    gradient, _ = _gradient(function)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.shape == [4, 2] and gradient.dtype is tf.float64
    found = session.run(gradient)
    if indices is None:
        assert sorted(found.indices.tolist()) == [0, 1, 1, 2]
        assert found.indices.dtype == np.int64
    else:
        assert found.indices.tolist() == indices
    np.testing.assert_array_equal(found.values, values)


def test_a_lookup_in_joined_tables(session):
    tables = [tf.constant(TABLE[:1]), tf.placeholder_with_default(TABLE[1:], None)]
    rows = tf.gather(tf.concat(tables, 0), [3, 0, 1, 3])
    first, second = session.run(tf.gradients(rows * [1.0, 2.0], tables))
    assert first.indices.tolist() == [0] and second.indices.tolist() == [2, 0, 2]
    assert first.values.tolist() == [[1, 2]] and second.values.tolist() == [[1, 2]] * 3
    assert second.dense_shape.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: tf.gather(x, [1, 1]) * 3 + x[:2], [[1, 1], [7, 7], [0, 0], [0, 0]]),
        (lambda x: tf.gather(2 * x, [0, 3]), [[2, 2], [0, 0], [0, 0], [2, 2]]),
        (lambda x: tf.gather(x, [1], axis=1), [[0, 1]] * 4),
        (lambda x: tf.gather(tf.reshape(x, [2, 4]), [1]), [[0, 0]] * 2 + [[1, 1]] * 2),
    ],
)
def test_what_is_not_only_looked_up_has_a_dense_gradient(function, expected, session):
    gradient, _ = _gradient(function)
    assert not isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(session.run(gradient), expected)


def test_lookups_in_branches_and_loops(session):
    x, yes = tf.constant(TABLE), tf.placeholder(tf.bool, [])
    chosen = tf.cond(yes, lambda: tf.gather(x, [1, 1]), lambda: 3 * tf.gather(x, [0, 2]))
    slices = tf.gradients(chosen, x)[0]
    assert session.run(slices.indices, {yes: True}).tolist() == [1, 1]
    assert session.run(slices.indices, {yes: False}).tolist() == [0, 2]
    dense = tf.convert_to_tensor(slices)
    expected = [[0, 0], [2, 2], [0, 0], [0, 0]]
    np.testing.assert_array_equal(session.run(dense, {yes: True}), expected)
    expected = [[3, 3], [0, 0], [3, 3], [0, 0]]
    np.testing.assert_array_equal(session.run(dense, {yes: False}), expected)

    _, total = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(x, [i, 1]) ** 2)),
        [0, tf.constant(0.0, tf.float64)],
    )
    dense = tf.convert_to_tensor(tf.gradients(total, x)[0])
    np.testing.assert_array_equal(session.run(dense), 2 * TABLE * [[1], [4], [1], [0]])


def test_of_a_table_looked_up_in_one_branch_few_rows_change(session):
    table, yes = tf.get_variable("table", initializer=TABLE), tf.placeholder(tf.bool, [])
    nothing = tf.zeros([1, 2], tf.float64)

    def looked_up():
        return tf.cond(yes, lambda: tf.gather(table, [2]), lambda: nothing)

    rows = tf.cond(yes, looked_up, lambda: nothing)
    assert rows.shape == [1, 2]
    train = tf.train.MomentumOptimizer(1.0, 0.5).minimize(tf.reduce_sum(rows))
    session.run(tf.global_variables_initializer())
    for fed, taken in ((True, 1), (False, 1), (True, 2.5)):
        # A row that no slice names keeps its momentum, and does not move by it.
        session.run(train, {yes: fed})
        expected = TABLE - taken * np.array([[0], [0], [1], [0]])
        np.testing.assert_array_equal(session.run(table), expected)


def test_unknown_shapes(session):
    x, ids = tf.placeholder(tf.float64, None), tf.placeholder(tf.int32, None)
    gradient = tf.gradients(tf.square(tf.gather(x, ids)), x)[0]
    for places in ([1, 1], [[0], [3]], 2, []):
        feed = {x: TABLE, ids: np.array(places, np.int32)}
        found = session.run(gradient, feed)
        assert found.indices.tolist() == np.ravel(places).tolist()
        expected = 2 * TABLE[np.ravel(places).astype(int)]
        np.testing.assert_array_equal(found.values, expected)
        assert found.dense_shape.tolist() == [4, 2]


def test_second_derivatives_through_slices(session):
    first, x = _gradient(lambda x: tf.gather(x, [1, 3, 1]) ** 3)
    second = tf.gradients(first.values, x)[0]
    assert isinstance(second, tf.IndexedSlices)
    np.testing.assert_allclose(session.run(second.values), 6 * TABLE[[1, 3, 1]])
    dense = tf.gradients(tf.convert_to_tensor(first) * [[0.0], [1], [2], [3]], x)[0]
    expected = 6 * TABLE * np.reshape([0, 2, 0, 3], (4, 1))
    np.testing.assert_allclose(session.run(tf.convert_to_tensor(dense)), expected)


def test_the_gradient_of_a_variable_that_was_looked_up(session):
    w = tf.Variable(TABLE, name="w")
    gradient = tf.gradients(tf.gather(w, [[2, 2]]) ** 2, w)[0]
    assert gradient.shape == [4, 2] and gradient.values.shape == [2, 2]
    session.run(w.initializer)
    assert session.run(gradient).values.tolist() == [[8, 10], [8, 10]]


def test_on_a_tape(eager):
    w, x = tf.Variable(TABLE), tf.constant(TABLE)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.gather(w, [1, 1]) * tf.gather(x, [0, 1]) ** 3)
        first = tape.gradient(loss, x)
    of_w = tape.gradient(loss, w)
    assert isinstance(of_w, tf.IndexedSlices) and of_w.indices.numpy().tolist() == [1, 1]
    np.testing.assert_allclose(of_w.values.numpy(), TABLE[[0, 1]] ** 3)
    second = tf.convert_to_tensor(outer.gradient(first.values, x))
    expected = [[0, 18], [6 * 2 * 2, 6 * 3 * 3], [0, 0], [0, 0]]
    np.testing.assert_allclose(second.numpy(), expected)


def test_python_gradients_take_and_give_slices(evaluate):
    seen = []

    @tf.custom_gradient
    def same(x):
        def grad(dy):
            seen.append(dy)
            return tf.IndexedSlices(dy.values * 5, dy.indices, dy.dense_shape)

        return tf.identity(x), grad

    x = tf.constant(TABLE)
    if tf.executing_eagerly():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(same(x), [1, 2])
        gradient = tape.gradient(y, x)
    else:
        gradient = tf.gradients(tf.gather(same(x), [1, 2]), x)[0]
    assert isinstance(seen[0], tf.IndexedSlices)
    assert isinstance(gradient, tf.IndexedSlices)
    expected = [[0, 0], [5, 5], [5, 5], [0, 0]]
    np.testing.assert_array_equal(evaluate(tf.convert_to_tensor(gradient)), expected)


def test_a_gradient_must_say_its_shape():
    @tf.custom_gradient
    def function(x):
        return tf.identity(x), lambda dy: tf.IndexedSlices(dy, tf.constant([0]))

    x = tf.constant([[1.0]])
    with pytest.raises(ValueError, match="dense_shape"):
        tf.gradients(function(x), x)


# ---- Clipping --------------------------------------------------------------------------


def test_the_global_norm_takes_values_as_they_are(evaluate):
    others = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    norm = tf.global_norm([_slices(), None, others])
    np.testing.assert_allclose(evaluate(norm), 14.6969385, rtol=1e-6)
    assert evaluate(tf.global_norm([None])) == 0
    with pytest.raises(TypeError, match="t_list should be a sequence"):
        tf.global_norm(others)


def test_clipping_by_the_global_norm_keeps_slices(session):
    others = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    clipped, _ = tf.clip_by_global_norm([_slices(), None, others], 2.0)
    assert clipped[1] is None
    found = session.run(clipped[0])
    expected = [[0.4082483, 0.5443311], [0, 0], [0.8164966, 1.0886621]]
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)
    assert found.indices.tolist() == [1, 0, 1] and found.dense_shape.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (
            lambda x: tf.clip_by_norm(x, 2.0),
            [[0.5366563, 0.7155418], [0, 0], [1.0733126, 1.4310836]],
        ),
        (
            lambda x: tf.clip_by_norm(x, 2.0, axes=[1]),
            [[1.2, 1.6], [0, 0], [1.2, 1.6]],
        ),
        (lambda x: tf.clip_by_value(x, 1.0, 5.0), [[3, 4], [1, 1], [5, 5]]),
    ],
)
def test_clipping_keeps_slices(function, values, session):
    found = session.run(function(_slices()))
    np.testing.assert_allclose(found.values, values, rtol=1e-6)
    assert found.indices.tolist() == [1, 0, 1]


def test_clipping_by_the_average_norm_makes_dense(evaluate):
    found = tf.clip_by_average_norm(_slices(), 0.5)
    expected = [[0, 0], [1.8, 2.4], [0, 0]]
    np.testing.assert_allclose(evaluate(found), expected, rtol=1e-6)


# ---- Changes of variables --------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("add", [12, 20]),
        ("sub", [-6, -4]),
        ("mul", [54, 256]),
        ("div", [3 / 18, 8 / 32]),
        ("max", [6, 8]),
        ("min", [3, 4]),
        ("update", [6, 8]),
    ],
)
def test_methods_of_variables(kind, row, evaluate):
    w = tf.Variable([[1.0, 1.0], [3.0, 8.0], [2.0, 2.0]])
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0], [6.0, 8.0]]), tf.constant([1, 1]))
    changed = getattr(w, f"scatter_{kind}")(slices)
    if tf.executing_eagerly():
        assert changed is w
    np.testing.assert_allclose(evaluate(changed.value()), [[1, 1], row, [2, 2]])
    with pytest.raises(TypeError, match="sparse_delta is not IndexedSlices"):
        getattr(w, f"scatter_{kind}")([[1.0]])


def test_functions_of_variables_return_the_new_value(session):
    w = tf.Variable([1.0, 2.0])
    changed = tf.scatter_add(w, [1], [5.0])
    session.run(w.initializer)
    assert session.run(changed).tolist() == [1, 7]
    assert w.sparse_read([1]).eval(session=session).tolist() == [7]
    assert w.gather_nd([[0]]).eval(session=session).tolist() == [1]
