"""Gradients of branches and loops: TensorFlow's numbers, refusals, cost."""

import json

import flow_programs
import numpy as np
import pytest

import minitf as tf

GOLDEN = json.loads(flow_programs.GOLDEN.read_text())


def unoptimised():
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return config


@pytest.mark.parametrize("optimised", [True, False], ids=["passes", "no passes"])
@pytest.mark.parametrize("name", GOLDEN)
def test_a_program_gives_what_tensorflow_gives(name, optimised):
    results = flow_programs.results_of(tf, name, None if optimised else unoptimised())
    assert len(results) == len(GOLDEN[name])
    for result, golden in zip(results, GOLDEN[name], strict=True):
        assert (result is None) == (golden is None)
        if golden is not None:
            golden = (
                np.reshape(golden, np.shape(result)) if not np.size(golden) else golden
            )
            assert np.shape(result) == np.shape(golden)
            np.testing.assert_allclose(result, golden, rtol=1e-5, atol=2e-6)


# ---- Second derivatives of loops, where TensorFlow has None or an error ----------------


def powers(x, w, iterations):
    """Multiplies x by w, ``iterations`` times, by a loop."""
    body = lambda i, v: (i + 1, v * w)  # noqa: E731
    return tf.while_loop(lambda i, v: i < iterations, body, [0, x])[1]


def test_a_loop_is_differentiated_three_times(session):
    w = tf.constant(2.0)
    y = powers(tf.constant(3.0), w, 4)
    values = []
    for _ in range(3):
        (y,) = tf.gradients(y, w)
        values.append(session.run(y))
    assert values == [3 * 4 * 8.0, 3 * 12 * 4.0, 3 * 24 * 2.0]


def numeric_gradient(function, x, step=1e-6):
    columns = [
        (function(x + step * unit) - function(x - step * unit)) / (2 * step)
        for unit in np.eye(len(x))
    ]
    return np.array(columns)


def test_second_derivatives_go_through_branches_and_inner_loops(session):
    x = tf.placeholder(tf.float64, [3])

    def body(i, v):
        def inner():
            return tf.while_loop(
                lambda j, u: j < i, lambda j, u: (j + 1, tf.sin(u * x) + v), [0, v]
            )[1]

        return i + 1, tf.cond(tf.equal(i % 2, 1), lambda: v * x, inner)

    _, y = tf.while_loop(lambda i, v: i < 5, body, [0, x])
    (dx,) = tf.gradients(y, x)
    (second,) = tf.gradients(dx, x)
    at = np.array([0.3, -0.8, 1.1])
    first = numeric_gradient(lambda v: session.run(y, {x: v}).sum(), at)
    np.testing.assert_allclose(session.run(dx, {x: at}), first, rtol=1e-6)
    numeric = numeric_gradient(lambda v: session.run(dx, {x: v}).sum(), at)
    np.testing.assert_allclose(session.run(second, {x: at}), numeric, rtol=1e-6)


# ---- Graphs that were imported, and gradients written in Python ------------------------


def test_an_imported_loop_can_be_differentiated():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        w = tf.constant(3.0, name="w")
        y = tf.cond(x > 1.0, lambda: powers(x, w, 4), lambda: x)
        tf.identity(y, name="y")
    with tf.Graph().as_default(), tf.Session() as session:
        x, w, y = tf.import_graph_def(
            graph.as_graph_def(), return_elements=["x:0", "w:0", "y:0"], name="copy"
        )
        gradients = tf.gradients(y, [x, w])
        assert session.run(gradients, {x: 2.0}) == [81.0, 216.0]
        assert session.run(gradients, {x: 0.5}) == [1.0, 0.0]


def test_a_gradient_in_python_takes_what_its_turn_has_made(session):
    @tf.custom_gradient
    def cube(v):
        return v * v * v, lambda dy: dy * 3.0 * v * v * tf.constant(10.0)

    x = tf.constant(1.1)

    def body(i, v):
        return i + 1, tf.cond(tf.equal(i, 1), lambda: cube(v), lambda: v * 2.0)

    _, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
    # y = 2 * (2 * x) ** 3, and the gradient of the cube is ten times what it should be
    assert session.run(tf.gradients(y, x)[0]) == pytest.approx(10 * 48 * 1.1**2, rel=1e-6)


# ---- Where the new nodes are -----------------------------------------------------------


def test_nodes_of_a_gradient_belong_to_their_loop(session):
    x = tf.constant(2.0)
    y = powers(x, x, 3)
    (dx,) = tf.gradients(y, x)
    graph = session.graph
    assert graph.is_fetchable(dx)
    pops = [op for op in graph.get_operations() if op.type == "StackPopV2"]
    assert pops
    for op in [*pops, *(op for op in graph.get_operations() if op.type == "StackPushV2")]:
        assert not graph.is_fetchable(op.outputs[0])
        with pytest.raises(ValueError, match="is in a while loop"):
            _ = op.outputs[0] + 1.0


def test_a_gradient_in_a_body_is_a_tensor_of_the_iteration(session):
    def body(i, v):
        (dv,) = tf.gradients(v * v, v)
        return i + 1, dv + tf.cond(dv > 5.0, lambda: dv, lambda: tf.zeros_like(dv))

    _, y = tf.while_loop(lambda i, v: i < 2, body, [0, 2.0])
    assert session.run(y) == 16.0


def test_devices_of_a_loop_are_those_of_its_gradient():
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        with tf.device("/gpu:0"):
            y = powers(x, x, 3)
        (dx,) = tf.gradients(y, x)
        config = tf.ConfigProto(device_count={"GPU": 1}, allow_soft_placement=True)
        with tf.Session(config=config) as session:
            assert session.run(dx) == 32.0


# ---- What is refused -------------------------------------------------------------------


def test_what_has_no_gradient_says_so(session):
    x = tf.constant(2.0)
    kept = []

    def body(i, v):
        kept.append(v * x)
        return i + 1, kept[0]

    _, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.gradients(y, kept)
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.gradients(kept, x)
    assert tf.gradients(x * 2.0, kept) == [None]  # which depends on no loop

    with pytest.raises(tf.errors.UnimplementedError, match="node 'while_1/"):
        tf.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, *tf.gradients(v * v, x)), [0, x]
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot differentiate"):
        tf.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, *tf.gradients(y, x)), [0, x]
        )


# ---- Cost ------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel_iterations", [1, 32])
def test_a_thousand_turns(session, parallel_iterations):
    x = tf.placeholder(tf.float32, [100])
    _, y = tf.while_loop(
        lambda i, v: i < 1000,
        lambda i, v: (i + 1, tf.sin(v) + 0.001 * x),
        [0, x],
        parallel_iterations=parallel_iterations,
    )
    (dx,) = tf.gradients(y, x)
    at = flow_programs.waves(100)
    value, slope = at.astype(np.float64), np.ones(100)
    for _ in range(1000):
        slope = np.cos(value) * slope + 0.001
        value = np.sin(value) + 0.001 * at
    for _ in range(3):
        np.testing.assert_allclose(session.run(dx, {x: at}), slope, rtol=1e-3, atol=1e-5)


def test_a_tensor_on_a_stack_is_not_written_over(session):
    """What is pushed would be overwritten in place, if nobody else had it."""
    x = tf.placeholder(tf.float32, [1000])

    def body(i, v):
        a = v + 1.0
        b = a * a
        return i + 1, tf.sqrt(b) * 0.5 + b * 0.01

    _, y = tf.while_loop(lambda i, v: i < 5, body, [0, x])
    (dx,) = tf.gradients(y, x)
    at = np.linspace(0.1, 1.0, 1000).astype(np.float32)
    value, slope = at.astype(np.float64), np.ones(1000)
    for _ in range(5):
        a = value + 1
        slope, value = slope * (0.5 + 0.02 * a), 0.5 * a + 0.01 * a * a
    np.testing.assert_allclose(session.run(dx, {x: at}), slope, rtol=1e-5)
