"""What waits for what: gradients under control dependencies, assignments in a chain."""

import pytest

import minitf as tf


def value_after(fetch, variable):
    """What a step gives, and the variable behind it."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(fetch)
        return found, session.run(variable)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


LOSSES = {
    "sum": lambda x: tf.reduce_sum(x * x),
    "mean": lambda x: tf.reduce_mean(tf.square(x)),
    "product": lambda x: tf.matmul([x], [[y] for y in tf.unstack(x)]),
    "of itself": lambda x: x,
    "loop": lambda x: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x]
    )[1],
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: x),
    "rows": lambda x: tf.gather(x, [0, 2, 0]),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_wait_for_what_surrounds_them(name):
    x = tf.Variable([1.0, 2.0, 3.0])
    count = tf.Variable(0.0)
    loss = LOSSES[name](x)
    with tf.control_dependencies([tf.assign_add(count, 1.0)]):
        gradient = tf.convert_to_tensor(tf.gradients(loss, x)[0])
    plain = tf.convert_to_tensor(tf.gradients(loss, x)[0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        expected = session.run(plain)
        assert session.run(count) == 0
        for step in range(1, 3):
            assert session.run(gradient).tolist() == expected.tolist()
            assert session.run(count) == step


def test_optimizers_wait_as_in_tutorials():
    """Means of losses are brought up to date before the gradients are computed."""
    weights, mean = tf.Variable([1.0, 2.0]), tf.Variable(0.0, trainable=False)
    loss = tf.reduce_sum(weights * weights)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with tf.control_dependencies([mean.assign(loss)]):
        pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs)
    assert value_after(train, mean) == (None, 5.0)


def test_gradients_in_a_branch_wait_within_it():
    count = tf.Variable(0.0)
    x = tf.constant(3.0)

    def slope():
        y = x * x
        with tf.control_dependencies([tf.assign_add(count, 1.0)]):
            return tf.gradients(y, x)[0]

    for pred, expected in ((True, (6.0, 1.0)), (False, (3.0, 0.0))):
        fetch = tf.cond(tf.constant(pred), slope, lambda: x)
        assert value_after(fetch, count) == expected


CHAINS = {
    "function of function": (lambda v: tf.assign_add(tf.assign(v, 5.0), 1.0), 6),
    "method of method": (lambda v: v.assign(10.0).assign_sub(1.0), 9),
    "of three": (lambda v: v.assign_add(1.0).assign_add(2.0).assign_sub(4.0), 2),
    "the same method": (lambda v: v.assign(7.0).assign(2.0), 2),
    "read": (lambda v: tf.assign(v, 100.0).read_value(), 100),
    "value": (lambda v: v.assign(8.0).value(), 8),
    "without reading": (lambda v: v.assign(4.0).assign_add(1.0, read_value=False), 5),
}


@pytest.mark.parametrize("name", CHAINS)
def test_assignments_in_a_chain_are_all_made(name):
    v = tf.Variable(3.0)
    make, expected = CHAINS[name]
    found, after = value_after(make(v), v)
    assert after == expected and found in (None, expected)


def test_slices_are_changed_after_the_assignment():
    v = tf.Variable([1.0, 2.0])
    delta = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    for fetch in (
        tf.scatter_add(v.assign([5.0, 5.0]), [0], [1.0]),
        v.assign([5.0, 5.0]).scatter_add(delta),
    ):
        assert value_after(fetch, v)[1].tolist() == [6.0, 5.0]
    found, _ = value_after(v.assign([3.0, 4.0]).sparse_read([1]), v)
    assert found.tolist() == [4.0]


def test_what_an_assignment_gives_is_shown_as_the_variable():
    v = tf.Variable(1.0, name="v")
    changed = v.assign(2.0)
    assert (changed.name, changed.dtype, changed.shape) == ("v:0", tf.float32, [])
    assert repr(changed) == repr(v)


def test_no_gradients_come_into_a_graph_that_is_finished(graph):
    x = tf.constant(1.0)
    y = x * x
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.gradients(y, x)
