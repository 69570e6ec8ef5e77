"""Training with a caching device: what changes a variable reads the variable itself.

A copy on the caching device may be from before the last change. TensorFlow reads it.
"""

import pytest

import minitf as tf

SLOW = 2  # steps in one run: the second one must see what the first one did


@pytest.fixture(autouse=True)
def caching_scope():
    with (
        tf.Graph().as_default(),
        tf.variable_scope("cached", caching_device="/cpu:0"),
    ):
        yield


def after(*steps):
    """The last of some steps in one run, each of which waits for the one before."""
    done = None
    for step in steps:
        with tf.control_dependencies([] if done is None else [done]):
            done = step()
    return done


def run(step, fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        return session.run(fetches)


def test_a_moving_average_follows_the_variable():
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    average = tf.train.ExponentialMovingAverage(0.5)
    step = after(lambda: v.assign(4.0), lambda: average.apply([v]))
    assert run(step, average.average(v)) == 2.0


def test_a_moving_average_goes_on_from_itself():
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    average = tf.train.ExponentialMovingAverage(0.5)
    steps = [lambda: average.apply([v])] * SLOW
    step = after(lambda: v.assign(4.0), *steps)
    assert run(step, average.average(v)) == 3.0


def test_a_debiased_average_goes_on_from_itself():
    tensor = tf.constant(8.0)
    average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
    step = after(*[lambda: average.apply([tensor])] * SLOW)
    assert run(step, average.average(tensor)) == 8.0


def test_the_averages_of_batch_normalization_go_on_from_themselves():
    layer = tf.layers.BatchNormalization(momentum=0.5)
    x = tf.constant([[4.0], [4.0]])

    def step():
        before = len(layer.updates)
        layer(x, training=True)
        return tf.group(*layer.updates[before:])

    assert run(after(*[step] * SLOW), layer.moving_mean) == 3.0


def test_rows_of_adam_go_on_from_the_slots():
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]))
    optimizer = tf.train.AdamOptimizer(0.1)
    step = after(*[lambda: optimizer.apply_gradients([(rows, w)])] * SLOW)
    slots = [optimizer.get_slot(w, name) for name in ("m", "v")]
    m, v, value = run(step, [*slots, w])
    assert m.ravel() == pytest.approx([0, 0.19])
    assert v.ravel() == pytest.approx([0, 0.001999], rel=1e-4)
    assert value.ravel() == pytest.approx([0, -0.2], rel=1e-4)
