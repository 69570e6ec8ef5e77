"""Eager mode: values at once, plain Python, and tapes."""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf import _minitf

pytestmark = pytest.mark.usefixtures("eager")


def test_values_are_there_at_once():
    assert tf.executing_eagerly()
    assert tf.matmul([[2.0]], [[3.0]]).numpy().tolist() == [[6]]
    assert tf.add([[2.0]], [[3.0]]).numpy().tolist() == [[5]]


def test_plain_python_works_on_values():
    x = tf.constant(3)
    while x < 100:
        x = x * 2
    assert int(x) == 192
    assert [int(item) for item in tf.constant([1, 2, 3])] == [1, 2, 3]
    assert len(tf.zeros([4, 2])) == 4
    assert list(range(10))[tf.constant(4)] == 4
    assert f"{tf.constant(2.5):.1f}" == "2.5"
    assert bool(tf.constant(False)) is False


def test_eager_tensors_print_their_value():
    assert str(tf.constant([1.0, 2.0])) == "tf.Tensor([1. 2.], shape=(2,), dtype=float32)"
    assert "numpy=array([1., 2.]" in repr(tf.constant([1.0, 2.0]))


def test_there_are_no_graphs():
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        tf.placeholder(tf.float32)
    with pytest.raises(AttributeError, match="meaningless when eager"):
        _ = tf.constant(1).name
    with tf.Graph().as_default():
        assert not tf.executing_eagerly()
        assert tf.placeholder(tf.float32).name == "Placeholder:0"


def test_errors_are_raised_by_the_call():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,3\].*\[4,5\]"):
        tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)division by zero"):
        tf.floordiv(1, 0)


def test_eager_must_come_before_graphs():
    tf.disable_eager_execution()
    tf.constant(1)
    with pytest.raises(ValueError, match="at program startup"):
        tf.enable_eager_execution()


# ---- Tapes -----------------------------------------------------------------------------


def test_a_tape_differentiates_what_it_watched():
    x, a, b = tf.constant(2.0), tf.constant(3.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, a, b])
        y = x * tf.sin(a * x + b)
    np.testing.assert_allclose(y, 1.3139732, rtol=1e-6)
    dx, da, db = tape.gradient(y, [x, a, b])
    np.testing.assert_allclose([dx, da, db], [5.1804001, 3.0156090, 1.5078045], rtol=1e-6)


def test_a_tape_watches_trainable_variables():
    w = tf.Variable([1.0, 2.0])
    fixed = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w) * fixed
    assert tape.watched_variables() == (w,)
    assert tape.gradient(loss, w).numpy().tolist() == [6, 12]


def test_a_tape_that_another_thread_leaves_hides_no_variable_from_the_next():
    class LeftMeanwhile(tf.GradientTape):
        def _watch_variable(self, variable):
            other = threading.Thread(target=self.__exit__, args=(None, None, None))
            other.start()
            other.join()

    w = tf.Variable(2.0)
    with LeftMeanwhile(), tf.GradientTape() as tape:
        y = w * w
    assert tape.watched_variables() == (w,)
    assert tape.gradient(y, w).numpy() == 4


def test_structures_of_sources():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch({"x": x, "y": y})
        z = x * x * y
    found = tape.gradient(z, {"y": y, "more": [x]})
    assert found["y"].numpy() == 4 and found["more"][0].numpy() == 20


def test_what_does_not_depend_has_no_gradient():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = x * x
    assert tape.gradient(z, y) is None
    zero = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy() == 0


def test_nothing_depends_on_another_graph():
    x, graph, other = tf.constant(2.0), tf.Graph(), tf.Graph()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = x * x
        with other.as_default():  # its nodes have the numbers of those below
            far = tf.constant(1.0)
            tape.watch(far)
        with graph.as_default():
            a = tf.constant(3.0)
            tape.watch(a)
            b = a * a
    none, dz, nothing = tape.gradient(z, [a, x, far])
    assert none is None and dz.numpy() == 4 and nothing is None
    with graph.as_default(), tf.Session() as session:
        for xs in ([a, x, far], [far, a, x], [x, far, a]):
            found = dict(zip(xs, tape.gradient([b, z], xs), strict=True))
            assert session.run(found[a]) == 6
            assert found[x].numpy() == 4 and found[far] is None
        assert tape.gradient(b, [far, x]) == [None, None]


def test_a_tape_is_asked_once_unless_persistent():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.gradient(y, x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, x).numpy() == 108
    assert tape.gradient(y, x).numpy() == 6


def test_second_derivatives_by_two_tapes():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        first = inner.gradient(y, x)
    assert first.numpy() == 12
    assert outer.gradient(first, x).numpy() == 12


def test_a_tape_can_pause_and_forget():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            unseen = x * x
        seen = x + unseen
        assert tape.gradient(seen, x).numpy() == 1
        tape.reset()
        assert tape.gradient(seen, x) is None


def test_nothing_is_recorded_when_nothing_is_watched():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        for _ in range(10):
            x = x * 1.5
        assert tape._tape.num_records == 0


def test_gradients_of_outputs_are_weighted():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    weights = tf.constant([1.0, 10.0])
    assert tape.gradient(y, x, output_gradients=weights).numpy().tolist() == [2, 40]


def test_tf_gradients_is_for_graphs():
    with pytest.raises(RuntimeError, match="Use tf.GradientTape instead"):
        tf.gradients(tf.constant(1.0), tf.constant(1.0))


def test_jacobian():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x).numpy().tolist() == [[2, 0], [0, 4]]


# ---- Variables -------------------------------------------------------------------------


def test_variables_are_objects():
    v = tf.Variable([[1.0, 2.0]], name="v")
    assert v.name == "v:0" and v.shape == [1, 2]
    v.assign([[3.0, 4.0]])
    v.assign_add([[1.0, 1.0]])
    v.assign_sub([[0.0, 5.0]])
    assert v.numpy().tolist() == [[4, 0]]
    assert (v + 1).numpy().tolist() == [[5, 1]]
    assert v[0, 0].numpy() == 4
    with pytest.raises(ValueError, match="incompatible"):
        v.assign([1.0])


def test_a_read_value_does_not_change_with_the_variable():
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    v.assign_add([1.0, 1.0])
    assert before.numpy().tolist() == [1, 2] and v.numpy().tolist() == [2, 3]


def test_a_variable_frees_its_memory():
    in_use = _minitf.allocator_stats()[0]
    for _ in range(5):
        v = tf.Variable(tf.zeros([1000, 1000]))
        v.assign_add(tf.ones([1000, 1000]))
    del v
    assert _minitf.allocator_stats()[0] <= in_use + 1000


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"config": 3}, TypeError, "config must be a tf.ConfigProto, but got 3"),
        (
            {"config": tf.ConfigProto(intra_op_parallelism_threads=2)},
            ValueError,
            "intra_op_parallelism_threads is 2",
        ),
        ({"device_policy": 99}, ValueError, "device_policy must be .*, not 99"),
        ({"execution_mode": 1}, ValueError, "execution_mode must be .*, not 1"),
    ],
)
def test_modes_of_eager_execution_that_there_are_not(options, error, text):
    with pytest.raises(error, match=text):
        tf.enable_eager_execution(**options)
