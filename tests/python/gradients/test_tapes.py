"""Gradient tapes, in eager mode and over graphs.

The expected values are those of tensorflow.compat.v1 2.21, or follow from the formula
that stands beside them.
"""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context
from minitf.eager.tape import stop_recording


def _values(structure):
    """The structure with plain numbers in place of tensors, which may be a graph's."""
    if isinstance(structure, dict):
        return {key: _values(item) for key, item in structure.items()}
    if isinstance(structure, (list, tuple)):
        return [_values(item) for item in structure]
    if structure is None:
        return None
    if context.executing_eagerly():
        return structure.numpy().tolist()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(structure).tolist()


@pytest.fixture(params=["graph", "eager"])
def mode(request):
    if request.param == "graph":
        yield "graph"
    else:
        with context.entered(None):
            yield "eager"


@pytest.fixture
def eager():
    with context.entered(None):
        yield


# ---- Both modes ------------------------------------------------------------------------


def test_gradients_of_what_was_watched(mode):
    x, a = tf.constant([1.0, 2.0]), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch({"x": x, "a": [a]})
        y = x * x * a
        z = y * 3.0
    found = tape.gradient({"y": y, "z": [z]}, {"x": x, "more": (a, y)})
    assert _values(found) == {"x": [16, 32], "more": [20, [4, 4]]}
    assert _values(tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0]))) == [
        4,
        80,
    ]


def test_what_was_not_watched_has_no_gradient(mode):
    x = tf.constant([3.0, 1.0])
    before = x * x
    with tf.GradientTape(persistent=True) as tape:
        unwatched = x * x
        tape.watch(x)
        y = before * 2.0
    for target in (unwatched, y, before):
        assert tape.gradient(target, x) is None
        zeros = tape.gradient(target, x, unconnected_gradients="zero")
        assert _values(zeros) == [0, 0]
    with pytest.raises(ValueError, match="nonsense"):
        tape.gradient(y, x, unconnected_gradients="nonsense")


def test_the_other_inputs_of_recorded_ops_count_when_they_were_watched(mode):
    x, w = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(w)
        y = w * x
        z = y * x
    assert tape.gradient(y, x) is None
    assert _values(tape.gradient(z, [x, w])) == [None, 4]
    assert _values(tape.gradient([x, x], x)) == 2
    with tape:
        tape.watch(x)
    assert _values(tape.gradient(z, x)) == 12


def test_a_target_may_be_its_own_source(mode):
    v = tf.Variable([3.0, 1.0])
    w = tf.Variable(2.0)
    x = tf.constant([5.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = v * v
    assert _values(tape.gradient(x, x)) == [1]
    assert _values(tape.gradient(v, v)) == [1, 1]
    weights = tf.constant([5.0, 6.0])
    assert _values(tape.gradient([v, y], v)) == [7, 3]
    assert tape.gradient(v, w) is None
    assert _values(tape.gradient(v, [v, w], output_gradients=[weights])) == [
        [5, 6],
        None,
    ]


def test_variables_are_watched_when_read_if_they_are_trainable(mode):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, name="w")
    n = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = w * v * n
    assert tape.watched_variables() == (v, w)
    assert _values(tape.gradient(y, [v, w, n])) == [6, 3, None]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        early = v * 2.0
        tape.watch(n)
        y = early * v * n
    assert _values(tape.gradient(y, [v, n])) == [None, 2]


def test_a_variable_that_only_the_inner_tape_watches(mode):
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(v)
            y = v * v * v
        dv = inner.gradient(y, v)
    assert _values(dv) == 27
    assert outer.gradient(dv, v) is None


def test_derivatives_of_derivatives(mode):
    x = tf.constant(2.0)
    with tf.GradientTape() as first:
        first.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as third:
                third.watch(x)
                y = x * x * x * x
            d1 = third.gradient(y, x)
        d2 = second.gradient(d1, x)
    d3 = first.gradient(d2, x)
    assert _values([d1, d2, d3]) == [32, 48, 48]


def test_a_tape_that_is_asked_within_itself(mode):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        dx = tape.gradient(y, x)
    assert _values(tape.gradient(dx, x)) == 12
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
        dx = tape.gradient(y, x)
        tf.square(x)
    assert _values(dx) == 12
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.gradient(y, x)


def test_a_tape_can_pause_forget_and_go_on(mode):
    x = tf.constant(2.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * y
        w = y * y * y
    with tape:
        u = w * 2.0
    assert tape.gradient(z, x) is None
    assert _values(tape.gradient(u, x)) == 384
    with tape:
        tape.reset()
        later = x * x
    assert tape.gradient([u, later], x) is None


def test_a_tape_within_a_pause_of_another(mode):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with outer.stop_recording():
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x
            dx = inner.gradient(y, x)
        z = x * 3.0
    assert _values([dx, outer.gradient(z, x)]) == [4, 3]


def test_a_tape_that_is_asked_while_it_pauses_starts_anew(mode):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            dx = tape.gradient(y, x)
        tape.watch(x)
        z = x * 3.0
    assert _values([dx, tape.gradient(z, x)]) == [4, 3]


def test_integers_have_no_gradients(mode):
    x = tf.constant(1.5)
    n = tf.constant(2)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, n])
        y = tf.cast(x, tf.int32)
        z = tf.cast(y, tf.float32) * x
        m = n * n
    assert tape.gradient(y, x) is None
    assert tape.gradient(m, n) is None
    assert _values(tape.gradient(z, x)) == 1


def test_jacobians(mode):
    x = tf.constant([1.0, 2.0])
    scalar = tf.constant(3.0)
    other = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, scalar, other])
        y = tf.stack([x[0] * x[1], x[0] * x[0], x[1] * x[1] * x[1]])
        z = scalar * scalar
    assert _values(tape.jacobian(y, x)) == [[2, 1], [2, 0], [0, 12]]
    assert _values(tape.jacobian(z, [scalar, other])) == [6, None]
    zeros = tape.jacobian(z, other, unconnected_gradients="zero")
    assert _values(zeros) == [0, 0]
    with pytest.raises(ValueError, match="parallel_iterations"):
        tape.jacobian(y, x, parallel_iterations=0)


def test_a_jacobian_is_one_question(mode):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    assert _values(tape.jacobian(y, x)) == [
        [[[2, 3], [2, 0]], [[2, 5], [0, 2]]],
        [[[3, 0], [5, 3]], [[0, 3], [2, 8]]],
    ]
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.jacobian(y, x)


def test_jacobians_of_a_batch(mode):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] * x[:, 0], x[:, 1]], axis=1)
    assert _values(tape.batch_jacobian(y, x)) == [
        [[2, 1], [2, 0], [0, 1]],
        [[4, 3], [6, 0], [0, 1]],
        [[6, 5], [10, 0], [0, 1]],
    ]
    assert (
        _values(tape.batch_jacobian(tf.ones([3, 2]), x)) == np.zeros([3, 2, 2]).tolist()
    )
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(tf.ones([4, 4]), x)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(tf.ones([3]), x)


@pytest.mark.parametrize(
    ("error", "ask"),
    [
        (TypeError, lambda tape, y, x: tape.gradient(None, x)),
        (TypeError, lambda tape, y, x: tape.gradient(np.float32(3), x)),
        (TypeError, lambda tape, y, x: tape.gradient(y, 3.0)),
        (ValueError, lambda tape, y, x: tape.gradient(y, x, output_gradients=[1.0, 2.0])),
        (ValueError, lambda tape, y, x: tape.stop_recording().__enter__()),
        (RuntimeError, lambda tape, y, x: tf.GradientTape().gradient(y, x)),
        (RuntimeError, lambda tape, y, x: tf.GradientTape().watch(x)),
        (ValueError, lambda tape, y, x: tape.watch("abc")),
        (ValueError, lambda tape, y, x: tape.reset()),
    ],
)
def test_questions_that_make_no_sense(mode, error, ask):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(error):
        ask(tape, y, x)
    assert _values(tape.gradient(y, x)) == 2


def test_a_tape_in_a_graph_knows_loops_of_the_session():
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    (dx,) = tape.gradient(y, [x])
    with tf.Session() as session:
        assert session.run(dx, {x: [1.0, 5.0, 7.0]}).tolist() == [2, 10, 14]


@pytest.mark.parametrize("kind", ["start", "factor", "both"])
def test_a_tape_knows_loops_of_a_graph(kind):
    # tf.gradients gives the same.
    with tf.Graph().as_default(), tf.Session() as session:
        x, one = tf.constant(2.0), tf.constant(1.0)
        start = one if kind == "factor" else x
        factor = tf.constant(3.0) if kind == "start" else x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            _, y = tf.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a * factor), [0, start]
            )
            z = y * x
        for target in (y, z):
            found = session.run([tape.gradient(target, x), *tf.gradients(target, x)])
            assert found[0] == found[1]
        expected = {"start": 27, "factor": 12, "both": 32}[kind]
        assert session.run(tape.gradient(y, x)) == expected


@pytest.mark.parametrize("what", ["jacobian", "pause", "reset", "watch", "nothing"])
def test_what_stopped_a_tape_stops_it_still_when_it_goes_on(mode, what):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        if what != "watch":
            tape.watch(x)
        y = x * x
        with stop_recording():
            if what == "jacobian":
                assert _values(tape.jacobian(y, x)) == 4
            elif what == "pause":
                with tape.stop_recording():
                    pass
            elif what == "reset":
                tape.reset()
                tape.watch(x)
            elif what == "watch":
                tape.watch(x)
            constant = x * x
        z = constant * x
    assert tape.gradient(constant, x) is None
    assert _values(tape.gradient(z, x)) == 4


def test_a_tape_that_is_left_while_all_are_stopped_stays_so(mode):
    x = tf.constant(2.0)
    tape = tf.GradientTape(persistent=True)
    tape.__enter__()
    tape.watch(x)
    with stop_recording():
        tape.__exit__(None, None, None)
    assert tape.gradient(x * x, x) is None


# ---- Eager mode only -------------------------------------------------------------------


def test_a_tape_that_another_thread_leaves_is_told_of_no_variable(eager):
    v = tf.Variable(2.0, use_resource=True)
    tape = tf.GradientTape()
    tape.__enter__()
    other = threading.Thread(target=lambda: tape.__exit__(None, None, None))
    other.start()
    other.join()
    v.read_value()
    assert not tape.watched_variables()


def test_tapes_of_threads_do_not_mix(eager):
    v = tf.Variable(3.0)
    results = []

    def work():
        with context.entered(None):
            v.read_value()
            with tf.GradientTape() as tape:
                y = v * v
            results.append(tape.gradient(y, v).numpy())

    with tf.GradientTape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert results == [6]
    assert tape.watched_variables() == ()


def test_what_happens_to_an_array_later_does_not_matter(eager):
    array = np.array([1.0, 2.0, 3.0], np.float32)
    factor = np.array([1.0, 2.0, 3.0], np.float32)
    x = tf.convert_to_tensor(array)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = x * factor
    array[:] = 100
    factor[:] = 50
    assert _values([x, tape.gradient(y, x), tape.gradient(z, x)]) == [
        [1, 2, 3],
        [2, 4, 6],
        [1, 2, 3],
    ]


def test_dlpack_copies_when_asked(eager):
    array = np.array([1.0, 2.0], np.float32)
    copied, borrowed = tf.from_dlpack(array, copy=True), tf.from_dlpack(array)
    array[0] = 9
    assert _values([copied, borrowed]) == [[1, 2], [9, 2]]
    x = tf.constant([1.0, 2.0])
    out = tf.from_dlpack(x.__dlpack__(copy=True))
    assert out._address() != x._address()
    with pytest.raises(tf.errors.InvalidArgumentError, match="copy is false"):
        tf.from_dlpack(np.ones([2, 3]).T, copy=False)
    with pytest.raises(BufferError, match="stream 1"):
        x.__dlpack__(stream=1)


def test_control_dependencies_call_functions_in_eager_mode(eager):
    log = []
    with tf.control_dependencies([lambda: log.append(1), tf.constant(1)]):
        assert log == [1]
