"""A variable as key of a feed_dict: every read of the step gets the value.

The numbers are those of TensorFlow 2.21 with reference variables, which are the default
of 1.15.
"""

import numpy as np
import pytest

import minitf as tf


@pytest.fixture
def v(session):
    variable = tf.Variable([1.0, 2.0], name="v")
    session.run(variable.initializer)
    return variable


def _keys(v):
    graph = tf.get_default_graph()
    return [v, "v:0", b"v:0", v.name, graph.get_tensor_by_name("v:0"), v.value()]


@pytest.mark.parametrize("key", range(6))
def test_a_variable_is_fed_by_object_by_name_and_by_tensor(session, v, key):
    y = v * 2.0
    fed = _keys(v)[key]
    assert session.run(y, {fed: [5.0, 6.0]}).tolist() == [10, 12]
    assert session.make_callable([y, v], [fed])([7, 8])[0].tolist() == [14, 16]
    assert y.eval({fed: np.float32([3, 4])}).tolist() == [6, 8]
    assert session.run(y).tolist() == [2, 4]


READS = {
    "variable": (lambda v: v, [5, 6]),
    "identity": (tf.identity, [5, 6]),
    "value": (lambda v: v.value(), [5, 6]),
    "read_value": (lambda v: v.read_value(), [5, 6]),
    "item": (lambda v: v[1], 6),
    "slice": (lambda v: v[:1], [5]),
    "gather": (lambda v: tf.gather(v, [1, 0]), [6, 5]),
    "gather_of_the_handle": (
        lambda v: tf.raw_ops.ResourceGather(
            resource=v.handle, indices=[1], dtype=tf.float32
        ),
        [6],
    ),
    "lookup": (lambda v: tf.nn.embedding_lookup(v, [0]), [5]),
    "shape": (tf.shape, [2]),
    "variable_shape": (lambda v: tf.raw_ops.VariableShape(input=v.handle), [2]),
    "gradient": (lambda v: tf.gradients(tf.reduce_sum(v * v), v)[0], [10, 12]),
    "cond": (lambda v: tf.cond(v[0] > 3.0, lambda: v * 2.0, lambda: v), [10, 12]),
    "loop": (
        lambda v: tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a + v), [0, v * 0.0]
        )[1],
        [15, 18],
    ),
    "initialized_value": (lambda v: v.initialized_value(), [5, 6]),
    "is_initialized": (lambda v: v.is_initialized(), True),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("initialized", [True, False])
def test_every_read_gets_what_is_fed(session, name, initialized):
    make, expected = READS[name]
    v = tf.Variable([1.0, 2.0], name="v")
    if initialized:
        session.run(v.initializer)
    fetched = make(v)
    assert np.asarray(session.run(fetched, {v: [5.0, 6.0]})).tolist() == expected
    if not initialized:
        with pytest.raises(tf.errors.FailedPreconditionError, match="value v"):
            session.run(v)


def test_the_gradient_of_a_loop_is_that_at_the_fed_point(session):
    v = tf.Variable(1.0)
    loop = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, 1.0])[1]
    assert session.run(tf.gradients(loop, v), {v: 2.0}) == [12]


def test_a_learning_rate_at_a_fed_global_step(session):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(1.0, step, 10, 0.5)
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(rate).minimize(3.0 * v)
    session.run(v.initializer)
    session.run(train, {step: 20})
    assert session.run(v) == 1 - 0.25 * 3


def test_an_optimizer_that_changes_another_variable(session):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.train.AdamOptimizer(0.5)
    train = optimizer.minimize(v * w, var_list=[w])
    session.run(tf.global_variables_initializer())
    gradient = optimizer.get_slot(w, "m")
    session.run(train, {v: 10.0})
    assert session.run(gradient) == pytest.approx(0.1 * 10)
    assert session.run(v) == 1


CHANGES = {
    "initializer": lambda v: v.initializer,
    "assign": lambda v: v.assign([8.0, 9.0]),
    "assign_add": lambda v: v.assign_add([8.0, 9.0]),
    "assign_of_any_shape": lambda v: tf.assign(v, [8.0], validate_shape=False),
    "scatter": lambda v: tf.scatter_update(v, [0], [9.0]),
    "slice": lambda v: v[:1].assign([9.0]),
    "train": lambda v: tf.train.GradientDescentOptimizer(1.0).minimize(v * v),
    "train_rows": lambda v: tf.train.AdagradOptimizer(1.0).minimize(tf.gather(v, [0])),
    "destroy": lambda v: tf.raw_ops.DestroyResourceOp(resource=v.handle),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_op_that_changes_a_fed_variable_fails(session, name):
    v = tf.Variable([1.0, 2.0], name="v")
    change = CHANGES[name](v)
    session.run(tf.global_variables_initializer())
    match = "variable 'v' is fed, and no op can change it in this step"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(change, {v: [5.0, 6.0]})
    assert session.run(v).tolist() == [1, 2]


def test_nothing_runs_of_a_step_that_changes_a_fed_variable(session):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    session.run(tf.global_variables_initializer())
    with tf.control_dependencies([w.assign_add(1.0)]):
        change = v.assign_add(1.0)
    not_taken = tf.cond(v > 3.0, lambda: v + 1.0, lambda: v.assign(0.0) + 0.0)
    for fetch in (change, not_taken):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is fed, and no op"):
            session.run(fetch, {v: 5.0})
    assert session.run([v, w]) == [1, 2]


def test_a_read_after_an_assignment_is_fed_alone(session, v):
    assigned = v.assign([8.0, 9.0])
    values = session.run([assigned, v + 0.0], {assigned: [5.0, 6.0]})
    assert np.array(values).tolist() == [[5, 6], [1, 2]]


def test_a_fed_value_has_the_type_and_the_shape_of_the_variable(session, v):
    match = (
        r"Cannot feed value of shape \(3,\) for Tensor 'v:0', which has shape '\(2,\)'"
    )
    with pytest.raises(ValueError, match=match):
        session.run(v * 2.0, {v: [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="for Tensor 'v:0', which has type float32"):
        session.run(v * 2.0, {v: ["a", "b"]})
    with pytest.raises(TypeError, match="'v' refers to an Operation, not a Tensor"):
        session.run(v * 2.0, {"v": [1.0, 2.0]})


def test_a_variable_of_any_shape_takes_any_shape(session):
    v = tf.Variable([1.0, 2.0], validate_shape=False)
    assert session.run([tf.shape(v), v * 2.0], {v: np.ones([1, 3])})[0].tolist() == [1, 3]


def test_texts_are_fed_to_a_variable(session):
    v = tf.Variable(["a", "b"])
    fed = session.run(tf.identity(v), {v: ["ä", "c"]})
    assert fed.tolist() == ["ä".encode(), b"c"]


def test_parts_of_a_variable_are_fed_one_by_one(session):
    whole = tf.get_variable(
        "whole",
        [4],
        partitioner=tf.fixed_size_partitioner(2),
        initializer=tf.ones_initializer(),
    )
    first, second = whole
    session.run(tf.global_variables_initializer())
    y = tf.convert_to_tensor(whole) * 2.0
    assert session.run(y, {first: [5.0, 6.0]}).tolist() == [10, 12, 2, 2]
    assert session.run(y, {second: [7.0, 8.0], first: [0.0, 0.0]}).tolist() == [
        0,
        0,
        14,
        16,
    ]
    fed = [1.0, 2.0, 3.0, 4.0]
    assert session.run(y, {whole: fed}).tolist() == [2, 4, 6, 8]
    assert session.make_callable(y, [whole])(fed).tolist() == [2, 4, 6, 8]
    with pytest.raises(ValueError, match="PartitionedVariable 'whole', which has shape"):
        session.run(y, {whole: [1.0, 2.0]})


def test_a_variable_that_is_reused(session):
    with tf.variable_scope("s"):
        v = tf.get_variable("v", initializer=1.0)
    with tf.variable_scope("s", reuse=True):
        y = tf.get_variable("v") * 3.0
    assert session.run(y, {v: 5.0}) == 15
    assert session.run(y, {"s/v:0": 6.0}) == 18


@pytest.mark.parametrize("device", ["/cpu:1", "/gpu:0"])
def test_a_variable_on_another_device(device):
    with tf.device(device):
        v = tf.get_variable("v", initializer=[1, 2])
    y = v + 1
    loop = tf.while_loop(lambda i: i < 5, lambda i: i + v[0], [0])
    config = tf.ConfigProto(device_count={"CPU": 2, "GPU": 1})
    with tf.Session(config=config) as session:
        assert session.run(y, {v: [5, 6]}).tolist() == [6, 7]
        assert session.run(loop, {v: [3, 6]}) == 6


def test_a_variable_with_a_caching_device(session):
    with tf.variable_scope("s", caching_device="/cpu:0"):
        v = tf.get_variable("v", initializer=1.0)
    assert session.run(v + 1.0, {v: 5.0}) == 6


def test_a_variable_of_an_imported_graph(session):
    tf.identity(tf.Variable(1.0, name="v") * 2.0, name="y")
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="m")
        with tf.Session() as other:
            assert other.run("m/y:0", {"m/v:0": 5.0}) == 10
            assert graph.get_tensor_by_name("m/v:0").dtype == tf.resource


def test_a_placeholder_of_a_handle_is_no_variable(session, v):
    handle = tf.placeholder(tf.resource, [])
    read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    match = "for Tensor 'Placeholder:0', which has type resource"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(read, {handle: 1.0})


def test_a_feed_changes_no_array_of_the_caller(session):
    v = tf.Variable(np.zeros(1000, np.float32))
    fed = np.ones(1000, np.float32)
    y = tf.exp(v) + v
    out = session.run([y, v], {v: fed})[1]
    out += 1
    assert (fed == 1).all()


def test_a_step_with_a_variable_is_compiled_once(session, v):
    y = v * 2.0
    for i in range(5):
        assert session.run(y, {v: [i, i]}).tolist() == [2 * i, 2 * i]
    made = session._core.num_executors_made
    session.run(y, {v: [9, 9]})
    assert session._core.num_executors_made == made
