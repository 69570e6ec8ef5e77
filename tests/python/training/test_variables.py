"""Variables, and how they are shared by name."""

import numpy as np
import pytest

import minitf as tf


def test_a_variable_must_be_initialized_before_use(session):
    weights = tf.Variable(tf.zeros((2, 2)), name="weights")
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="uninitialized value weights"
    ):
        session.run(weights)
    session.run(tf.global_variables_initializer())
    assert str(session.run(weights)) == "[[0. 0.]\n [0. 0.]]"
    assert repr(weights) == "<tf.Variable 'weights:0' shape=(2, 2) dtype=float32>"


def test_state_is_kept_between_runs(session):
    counter = tf.Variable(0, name="counter")
    up = counter.assign_add(1)
    session.run(counter.initializer)
    assert [session.run(up) for _ in range(3)] == [1, 2, 3]
    assert counter.eval() == 3
    counter.load(10)
    assert session.run(counter.assign_sub(4)) == 6
    assert session.run(tf.assign(counter, 8)) == 8


def test_nodes_of_a_variable_have_its_name():
    v = tf.Variable([1.0], name="w")
    assert v.name == "w:0" and v.op.type == "VarHandleOp" and v.op.name == "w"
    assert v.initializer.name == "w/Assign"
    assert [op.name for op in tf.get_default_graph().get_operations()][-1] == (
        "w/Read/ReadVariableOp"
    )
    assert tf.Variable(1.0, name="w").name == "w_1:0"
    assert tf.Variable(1.0).name == "Variable:0"


def test_variables_take_part_in_arithmetic(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    results = session.run(
        [v + 1, 2 * v, -v, v[1], v @ tf.ones([2, 2]) if False else v / 2]
    )
    assert [np.asarray(r).tolist() for r in results] == [
        [2, 3],
        [2, 4],
        [-1, -2],
        2,
        [0.5, 1],
    ]


def test_initial_values_may_be_functions_and_depend_on_others(session):
    a = tf.Variable(lambda: tf.constant(3.0), name="a")
    b = tf.Variable(a.initialized_value() * 2, name="b")
    session.run(tf.global_variables_initializer())
    assert session.run([a, b]) == [3, 6]


def test_lists_of_variables():
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(1.0, name="b", trainable=False)
    c = tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    assert tf.global_variables() == [a, b]
    assert tf.trainable_variables() == [a, c]
    assert tf.local_variables() == [c]
    assert tf.global_variables("b") == [b]


def test_uninitialized_variables_are_reported(session):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    session.run(a.initializer)
    assert session.run(tf.report_uninitialized_variables()).tolist() == [b"b"]
    assert session.run([tf.is_variable_initialized(v) for v in (a, b)]) == [True, False]


def test_assigning_another_shape_is_refused():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="incompatible"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises((TypeError, ValueError), match="float32"):
        v.assign(tf.constant([1, 2]))


def test_scatter(session):
    v = tf.Variable([1.0, 2.0, 3.0])
    session.run(v.initializer)
    assert session.run(tf.scatter_add(v, [0, 2], [10.0, 20.0])).tolist() == [11, 2, 23]
    assert session.run(tf.scatter_update(v, [1], [0.0])).tolist() == [11, 0, 23]


# ---- Sharing by name -------------------------------------------------------------------


def test_a_name_may_be_used_once():
    tf.get_variable("v", [1])
    with pytest.raises(
        ValueError,
        match=(
            r"Variable v already exists, disallowed. Did you mean to set reuse=True or "
            r"reuse=tf.AUTO_REUSE in VarScope\?"
        ),
    ):
        tf.get_variable("v", [1])
    tf.reset_default_graph()
    assert tf.get_variable("v", [1]).name == "v:0"


def test_reuse_finds_what_is_there():
    with tf.variable_scope("scope"):
        v = tf.get_variable("v", [2, 3])
    with tf.variable_scope("scope", reuse=True):
        assert tf.get_variable("v", [2, 3]) is v
        assert tf.get_variable("v") is v
        with pytest.raises(ValueError, match="Variable scope/w does not exist"):
            tf.get_variable("w", [1])
        with pytest.raises(ValueError, match=r"\(3, 2\) and found shape \(2, 3\)"):
            tf.get_variable("v", [3, 2])
        with pytest.raises(ValueError, match="dtype int32 and found dtype float32"):
            tf.get_variable("v", [2, 3], tf.int32)
    for _ in range(2):
        with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
            tf.get_variable("v", [1])
    assert [x.name for x in tf.global_variables()] == ["scope/v:0", "auto/v:0"]


def test_scopes_nest_and_can_be_entered_again():
    with tf.variable_scope("a"), tf.variable_scope("b") as scope:
        assert tf.get_variable("v", []).name == "a/b/v:0"
        assert tf.get_variable_scope() is scope
    with tf.variable_scope("c"), tf.variable_scope(scope, reuse=True):
        assert tf.get_variable("v", []).name == "a/b/v:0"
    with tf.variable_scope("x"):
        tf.get_variable_scope().reuse_variables()
        with pytest.raises(ValueError, match="does not exist"):
            tf.get_variable("new", [])
    assert tf.get_variable_scope().name == ""


def test_name_scopes_do_not_matter_to_variables():
    with tf.name_scope("Replica1"):
        assert tf.get_variable("v", []).name == "v:0"
        with tf.variable_scope("s"):
            assert tf.get_variable("v", []).name == "s/v:0"
            assert tf.constant(1).name == "Replica1/s/Const:0"


def test_default_names_are_counted():
    for expected in ("block", "block_1", "block_2"):
        with tf.variable_scope(None, default_name="block"):
            assert tf.get_variable("v", []).name == f"{expected}/v:0"


def test_initializers_come_from_the_scope(session):
    with tf.variable_scope("s", initializer=tf.constant_initializer(4.0)):
        v = tf.get_variable("v", [2])
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    u = tf.get_variable("u", initializer=tf.constant([1.0, 2.0]))
    session.run(tf.global_variables_initializer())
    assert [x.tolist() for x in session.run([v, w, u])] == [[4, 4], [0, 0], [1, 2]]
    with pytest.raises(ValueError, match="do not specify shape"):
        tf.get_variable("t", [2], initializer=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="must be fully defined"):
        tf.get_variable("t", [None, 2])


def test_regularizers_make_losses(session):
    tf.get_variable(
        "v",
        [2],
        initializer=tf.ones_initializer(),
        regularizer=lambda v: tf.reduce_sum(v * v),
    )
    session.run(tf.global_variables_initializer())
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert session.run(losses) == [2]


# ---- Initializers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("initializer", "deviation"),
    [
        (tf.random_normal_initializer(0.0, 2.0, seed=1), 2.0),
        (tf.truncated_normal_initializer(0.0, 2.0, seed=1), 2.0 * 0.8796),
        (tf.random_uniform_initializer(-3.0, 3.0, seed=1), 3 / np.sqrt(3)),
        (tf.glorot_uniform_initializer(seed=1), np.sqrt(2 / (100 + 300))),
        (tf.glorot_normal_initializer(seed=1), np.sqrt(2 / (100 + 300))),
        (tf.variance_scaling_initializer(2.0, seed=1), np.sqrt(2 / 100)),
    ],
)
def test_random_initializers_have_their_deviation(session, initializer, deviation):
    values = session.run(initializer([100, 300]))
    assert values.shape == (100, 300) and values.dtype == np.float32
    assert abs(values.mean()) < 0.05 * deviation
    np.testing.assert_allclose(values.std(), deviation, rtol=0.03)


def test_orthogonal_and_identity(session):
    q = session.run(tf.orthogonal_initializer(seed=3)([4, 6]))
    np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-6)
    q = session.run(tf.orthogonal_initializer(seed=3)([2, 3]))
    known = [[0.757108, 0.079780, 0.648400], [-0.086578, 0.996014, -0.021457]]
    np.testing.assert_allclose(q, known, atol=1e-5)
    q = session.run(tf.orthogonal_initializer(2.0, seed=3)([2, 1, 2]))
    known = [[[1.988988, -0.209589]], [[0.209589, 1.988988]]]
    np.testing.assert_allclose(q, known, atol=1e-5)
    assert session.run(tf.initializers.identity(2.0)([2, 3])).tolist() == [
        [2, 0, 0],
        [0, 2, 0],
    ]


# ---- Random numbers --------------------------------------------------------------------


def test_seeds_make_programs_repeatable():
    def numbers(graph_seed, op_seed):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(graph_seed)
            x, y = (tf.random_uniform([4], seed=op_seed) for _ in range(2))
            first = session.run([x, y])
            second = session.run([x, y])
        assert not np.array_equal(first[0], second[0])
        return first

    for seeds in ((1, None), (None, 5), (1, 5)):
        a, b = numbers(*seeds), numbers(*seeds)
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(*numbers(1, None))
    assert not np.array_equal(numbers(None, None), numbers(None, None))


def test_the_rule_of_seeds():
    assert tf.get_seed(None) == (None, None)
    assert tf.get_seed(7) == (87654321, 7)
    tf.set_random_seed(3)
    assert tf.get_seed(7) == (3, 7)
    assert tf.get_seed(None) == (3, 0)
    tf.constant(1)
    assert tf.get_seed(None) == (3, 1)
    tf.set_random_seed(0)
    assert tf.get_seed(0) == (0, 2**31 - 1)


def test_eager_random_numbers_differ_and_repeat(eager):
    assert not np.array_equal(tf.random_normal([4]), tf.random_normal([4]))
    tf.set_random_seed(5)
    first = [tf.random_uniform([3]).numpy() for _ in range(2)]
    tf.set_random_seed(5)
    second = [tf.random_uniform([3]).numpy() for _ in range(2)]
    np.testing.assert_array_equal(first, second)
    tf.set_random_seed(None)


def test_ranges_of_random_numbers(evaluate):
    x = evaluate(tf.random_uniform([1000], 5, 8, tf.int32, seed=1))
    assert set(x.tolist()) == {5, 6, 7}
    y = evaluate(tf.truncated_normal([1000], seed=1))
    assert np.abs(y).max() <= 2
    z = evaluate(tf.random_shuffle(tf.range(10), seed=1))
    assert sorted(z.tolist()) == list(range(10))
    with pytest.raises(ValueError, match="Must specify maxval for integer"):
        tf.random_uniform([2], dtype=tf.int32)


def test_a_variable_may_be_fetched_by_the_name_of_its_tensor(session):
    v = tf.Variable(3.0, name="v")
    session.run(v.initializer)
    assert session.run("v:0") == 3
    assert session.run(tf.get_default_graph().get_tensor_by_name("v:0")) == 3
    handle = tf.get_default_graph().get_operation_by_name("v")
    assert session.run(handle) is None


def test_a_default_name_is_counted_apart_for_ops_and_for_variables():
    with tf.variable_scope(None, "m"):
        tf.constant(1)
    with tf.name_scope("m"):
        pass
    with tf.variable_scope(None, "m") as scope:
        assert (scope.name, tf.constant(1).name) == ("m_1", "m_2/Const:0")
