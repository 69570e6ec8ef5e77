"""While loops whose nodes are on several devices: values and gradients.

Sessions have three CPUs and two emulated GPUs, without soft placement.
"""

import numpy as np
import pytest

import minitf as tf


def _session():
    config = tf.ConfigProto(device_count={"CPU": 3, "GPU": 2})
    return tf.Session(config=config)


def _last_gpu():
    with _session() as session:
        kinds = [device.device_type for device in session.list_devices()]
    return f"/gpu:{kinds.count('GPU') - 1}"


_GPU = _last_gpu()  # "/gpu:1", or "/gpu:0" where the environment gives one GPU
_PLACES = [
    ("/cpu:1", "/cpu:0"),
    ("/cpu:0", "/cpu:1"),
    ("/gpu:0", "/cpu:0"),
    ("/cpu:0", _GPU),
    ("/gpu:0", _GPU),
]


def _on(device, make):
    with tf.device(device):
        return make()


def _loop(step, n=3):
    return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, step(a)), [0, 1.0])[1]


def _values(*fetches):
    with _session() as session:
        session.run(tf.global_variables_initializer())
        return [float(value) for value in session.run(list(fetches))]


@pytest.mark.parametrize(("home", "loop"), _PLACES)
def test_a_loop_reads_a_variable_of_another_device(home, loop):
    v = _on(home, lambda: tf.get_variable("v", initializer=2.0))
    y = _on(loop, lambda: _loop(lambda a: a * v))
    z = _on(loop, lambda: _loop(lambda a: a + v))
    dy, dz = (tf.gradients(out, v)[0] for out in (y, z))
    assert _values(y, dy, z, dz) == [8, 12, 7, 3]


@pytest.mark.parametrize(("home", "loop"), _PLACES)
def test_nested_loops_read_a_variable_of_another_device(home, loop):
    v = _on(home, lambda: tf.get_variable("v", initializer=2.0))
    y = _on(loop, lambda: _loop(lambda a: _loop_from(a, v)))
    assert _values(y, tf.gradients(y, v)[0]) == [64, 192]


def _loop_from(a, v):
    return tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * v), [0, a])[1]


@pytest.mark.parametrize(("one", "other"), _PLACES)
def test_a_body_on_two_devices(one, other):
    v = tf.get_variable("v", initializer=2.0)

    def step(a):
        product = _on(one, lambda: a * v)
        return _on(other, lambda: product + tf.square(v))

    y = _on(one, lambda: _loop(step))
    # 1 -> v + v^2 -> v^2 + v^3 + v^2 -> v^3 + v^4 + v^3 + v^2
    assert _values(y, tf.gradients(y, v)[0]) == [36, 24 + 32 + 4]


@pytest.mark.parametrize(("one", "other"), _PLACES)
def test_branches_in_a_loop_are_on_two_devices(one, other):
    v = tf.get_variable("v", initializer=2.0)

    def step(a):
        return tf.cond(
            a < 3.0, lambda: _on(one, lambda: a * v), lambda: _on(other, lambda: a - v)
        )

    y = _on(one, lambda: _loop(step, 4))  # 2, 4, 2, 4: v, v^2, v^2 - v, v^3 - v^2
    assert _values(y, tf.gradients(y, v)[0]) == [4, 3 * 4 - 2 * 2]


def test_two_variables_on_two_devices_and_a_condition_on_a_third():
    v = _on("/cpu:1", lambda: tf.get_variable("v", initializer=2.0))
    w = _on("/gpu:0", lambda: tf.get_variable("w", initializer=3.0))

    def condition(i, a):
        return _on("/cpu:2", lambda: tf.logical_and(i < 5, a < 30.0))

    def body(i, a):
        return i + 1, a * v + w

    i, y = tf.while_loop(condition, body, [0, 1.0])  # 5, 13, 29, 61
    dv, dw = tf.gradients(y, [v, w])
    assert _values(i, y, dv, dw) == [4, 61, 4 * 8 + 3 * (3 * 4 + 2 * 2 + 1), 15]


def test_a_loop_without_an_iteration():
    v = _on("/cpu:1", lambda: tf.get_variable("v", initializer=2.0))
    y = _on("/cpu:0", lambda: _loop(lambda a: _on("/gpu:0", lambda: a * v), 0))
    assert _values(y, tf.gradients(y, v)[0]) == [1, 0]


def test_a_loop_in_a_branch_that_is_not_taken():
    v = _on("/cpu:1", lambda: tf.get_variable("v", initializer=2.0))
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0.0, lambda: _loop(lambda a: _on("/gpu:0", lambda: a * v)), lambda: x + v
    )
    gradient = tf.gradients(y, v)[0]
    with _session() as session:
        session.run(v.initializer)
        assert session.run([y, gradient], {x: 1.0}) == [8, 12]
        assert session.run([y, gradient], {x: -1.0}) == [1, 1]


def test_an_assignment_in_a_loop_on_another_device():
    v = _on("/cpu:1", lambda: tf.get_variable("v", initializer=0.0))

    def body(i):
        with tf.control_dependencies([v.assign_add(tf.cast(i, tf.float32))]):
            return _on("/cpu:2", lambda: i + 1)

    loop = _on("/cpu:0", lambda: tf.while_loop(lambda i: i < 5, body, [0]))
    with _session() as session:
        session.run(v.initializer)
        assert session.run(loop) == 5
        assert session.run(v) == 10


def test_large_values_go_around_many_times():
    v = _on("/gpu:0", lambda: tf.get_variable("v", initializer=np.full(1000, 0.5, "f")))

    def body(i, a):
        return i + 1, _on(_GPU, lambda: tf.sin(a)) + _on("/cpu:1", lambda: a * v)

    start = np.linspace(-2, 2, 1000, dtype=np.float32)
    y = _on("/cpu:0", lambda: tf.while_loop(lambda i, a: i < 50, body, [0, start]))[1]
    expected = start.astype(np.float64)
    for _ in range(50):
        expected = np.sin(expected) + 0.5 * expected
    with _session() as session:
        session.run(v.initializer)
        for _ in range(3):
            np.testing.assert_allclose(session.run(y), expected, rtol=1e-4, atol=1e-5)
