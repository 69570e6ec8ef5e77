"""Optimizers and learning rates, against the formulas written out in numpy."""

import itertools

import numpy as np
import pytest

import minitf as tf


def test_one_step_of_gradient_descent(session):
    w = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    step = optimizer.minimize(2.0 * w)
    session.run(tf.global_variables_initializer())
    session.run(step)
    np.testing.assert_allclose(session.run(w), 0.8, rtol=1e-6)


class Formulas:
    """The rules of the optimizers for one array and its gradients."""

    @staticmethod
    def descent(w, gradients):
        for g in gradients:
            w = w - 0.1 * g
            yield w

    @staticmethod
    def momentum(w, gradients, nesterov=False):
        m = 0
        for g in gradients:
            m = 0.9 * m + g
            w = w - 0.1 * (g + 0.9 * m if nesterov else m)
            yield w

    @staticmethod
    def adam(w, gradients):
        m = v = 0
        for t, g in enumerate(gradients, 1):
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            w = w - rate * m / (np.sqrt(v) + 1e-8)
            yield w

    @staticmethod
    def adagrad(w, gradients):
        a = 0.1
        for g in gradients:
            a = a + g * g
            w = w - 0.1 * g / np.sqrt(a)
            yield w

    @staticmethod
    def rmsprop(w, gradients):
        s, m = 1.0, 0
        for g in gradients:
            s = 0.9 * s + 0.1 * g * g
            m = 0.5 * m + 0.1 * g / np.sqrt(s + 1e-10)
            w = w - m
            yield w


OPTIMIZERS = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}


def _expected(name, start, gradients):
    if name == "nesterov":
        return list(Formulas.momentum(start, gradients, nesterov=True))
    return list(getattr(Formulas, name)(start, gradients))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_follow_their_formulas_in_a_graph(session, name):
    rng = np.random.default_rng(3)
    start, gradients = rng.normal(size=(2, 3)), rng.normal(size=(20, 2, 3))
    w = tf.Variable(start, dtype=tf.float64)
    fed = tf.placeholder(tf.float64, [2, 3])
    optimizer = OPTIMIZERS[name]()
    count = tf.train.create_global_step()
    step = optimizer.apply_gradients([(fed, w)], global_step=count)
    session.run(tf.global_variables_initializer())
    for gradient, expected in zip(
        gradients, _expected(name, start, gradients), strict=True
    ):
        session.run(step, {fed: gradient})
        np.testing.assert_allclose(session.run(w), expected, rtol=1e-4, atol=1e-5)
    assert session.run(count) == 20 == tf.train.global_step(session, count)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_follow_their_formulas_eagerly(eager, name):
    rng = np.random.default_rng(4)
    start, gradients = rng.normal(size=(3,)), rng.normal(size=(10, 3))
    w = tf.Variable(start, dtype=tf.float64)
    optimizer = OPTIMIZERS[name]()
    for gradient, expected in zip(
        gradients, _expected(name, start, gradients), strict=True
    ):
        optimizer.minimize(lambda g=gradient: tf.reduce_sum(w * g))
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_slots_lie_beside_their_variables(session):
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(w * w))
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(w, "m").name == "w/Adam:0"
    assert optimizer.get_slot(w, "v").name == "w/Adam_1:0"
    names = [v.name for v in tf.global_variables()]
    assert names == ["w:0", "beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0"]
    assert tf.trainable_variables() == [w]
    assert len(optimizer.variables()) == 4


def test_what_cannot_be_minimized():
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.minimize(tf.constant(1.0))
    tf.Variable(1.0)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])


def test_constraints_are_applied(session):
    w = tf.Variable([1.0, -5.0], constraint=lambda x: tf.clip_by_value(x, -2.0, 2.0))
    step = tf.train.GradientDescentOptimizer(1.0).minimize(-10.0 * tf.reduce_sum(w))
    session.run(tf.global_variables_initializer())
    session.run(step)
    assert session.run(w).tolist() == [2, 2]


def test_the_end_of_a_step_is_a_node_where_the_count_is():
    class Ended(tf.train.GradientDescentOptimizer):
        def _finish(self, update_ops, name_scope):
            with tf.control_dependencies(update_ops):
                return tf.constant(1.0, name=name_scope)

    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            count = tf.train.get_or_create_global_step()
        pairs = [(tf.constant(1.0), tf.Variable(1.0))]
        steps = [Ended(0.1).apply_gradients(pairs, global_step=n) for n in (None, count)]
        assert [step.type for step in steps] == ["Const", "AssignAddVariableOp"]
        assert graph.get_collection("train_op") == steps
        assert steps[1].device == "/cpu:1"


def test_a_linear_fit_learns(session):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 1)).astype(np.float32)
    x = tf.placeholder(tf.float32, [None, 1])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(x, 1, name="line"))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    losses = [
        session.run([loss, step], {x: points, y: 3 * points - 1})[0] for _ in range(100)
    ]
    assert all(b <= a for a, b in itertools.pairwise(losses[:50]))
    kernel, bias = session.run(tf.trainable_variables())
    np.testing.assert_allclose([kernel[0, 0], bias[0]], [3, -1], atol=1e-2)


class Network:
    def __init__(self):
        self.conv = tf.layers.Conv2D(
            4,
            3,
            padding="same",
            activation=tf.nn.relu,
            name="conv",
            kernel_initializer=tf.glorot_uniform_initializer(seed=1),
        )
        self.dense = tf.layers.Dense(
            3, name="out", kernel_initializer=tf.glorot_uniform_initializer(seed=2)
        )

    def __call__(self, x):
        x = tf.layers.max_pooling2d(self.conv(x), 2, 2)
        return self.dense(tf.layers.flatten(x))


def test_a_network_learns_alike_in_both_modes():
    rng = np.random.default_rng(5)
    images = rng.normal(size=(32, 8, 8, 1)).astype(np.float32)
    labels = rng.integers(0, 3, 32)

    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (
            tf.placeholder(tf.float32, [None, 8, 8, 1]),
            tf.placeholder(tf.int64, [None]),
        )
        loss = tf.losses.sparse_softmax_cross_entropy(y, Network()(x))
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        session.run(tf.global_variables_initializer())
        start = session.run(tf.trainable_variables())
        static = [session.run([loss, step], {x: images, y: labels})[0] for _ in range(20)]

    tf.reset_default_graph()
    tf.enable_eager_execution()
    network, optimizer = Network(), tf.train.AdamOptimizer(0.01)
    network(images[:1])
    variables = network.conv.weights + network.dense.weights
    for variable, value in zip(variables, start, strict=True):
        variable.assign(value)
    eager = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.losses.sparse_softmax_cross_entropy(labels, network(images))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables, strict=True)
        )
        eager.append(float(loss))
    assert static[-1] < 0.8 * static[0]
    np.testing.assert_allclose(static, eager, atol=1e-4)


# ---- Learning rates --------------------------------------------------------------------

RATES = {
    "exponential": (
        lambda s: tf.train.exponential_decay(0.1, s, 10, 0.9),
        lambda s: 0.1 * 0.9 ** (s / 10),
    ),
    "staircase": (
        lambda s: tf.train.exponential_decay(0.1, s, 10, 0.9, staircase=True),
        lambda s: 0.1 * 0.9 ** (s // 10),
    ),
    "polynomial": (
        lambda s: tf.train.polynomial_decay(0.1, s, 20, 0.01, 2.0),
        lambda s: 0.09 * (1 - min(s, 20) / 20) ** 2 + 0.01,
    ),
    "piecewise": (
        lambda s: tf.train.piecewise_constant(s, [5, 10], [1.0, 0.5, 0.1]),
        lambda s: 1.0 if s <= 5 else 0.5 if s <= 10 else 0.1,
    ),
    "inverse": (
        lambda s: tf.train.inverse_time_decay(0.1, s, 10, 0.5),
        lambda s: 0.1 / (1 + 0.5 * s / 10),
    ),
    "natural": (
        lambda s: tf.train.natural_exp_decay(0.1, s, 10, 0.5),
        lambda s: 0.1 * np.exp(-0.5 * s / 10),
    ),
    "cosine": (
        lambda s: tf.train.cosine_decay(0.1, s, 20, 0.1),
        lambda s: 0.1 * (0.9 * 0.5 * (1 + np.cos(np.pi * min(s, 20) / 20)) + 0.1),
    ),
}


@pytest.mark.parametrize("name", RATES)
def test_learning_rates_at_their_boundaries(session, name):
    make, expected = RATES[name]
    step = tf.placeholder(tf.int64, [])
    rate = make(step)
    for s in (0, 5, 6, 9, 10, 11, 19, 20, 21, 100):
        np.testing.assert_allclose(session.run(rate, {step: s}), expected(s), rtol=1e-5)


def test_an_eager_rate_is_a_function(eager):
    step = tf.Variable(0, dtype=tf.int64, trainable=False)
    rate = tf.train.exponential_decay(0.1, step, 1, 0.5)
    w = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    for expected in (0.9, 0.85, 0.825):
        optimizer.minimize(lambda: w * 1.0, global_step=step)
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-6)


def test_moving_averages(session):
    v = tf.Variable(0.0, name="v")
    average = tf.train.ExponentialMovingAverage(0.9)
    update = average.apply([v])
    session.run(tf.global_variables_initializer())
    v.load(10.0)
    session.run(update)
    np.testing.assert_allclose(session.run(average.average(v)), 1.0, rtol=1e-6)
    assert average.average(v).name == "v/ExponentialMovingAverage:0"


def test_clipping_by_the_global_norm(evaluate):
    clipped, norm = tf.clip_by_global_norm(
        [tf.constant([3.0]), None, tf.constant([4.0])], 2.5
    )
    assert clipped[1] is None
    np.testing.assert_allclose(
        [evaluate(x) for x in (clipped[0][0], clipped[2][0], norm)],
        [1.5, 2, 5],
        rtol=1e-6,
    )
