"""Changes of parts of variables and tensors beside numpy."""

import numpy as np
import pytest

import minitf as tf

CHANGES = {
    "update": lambda array, place, value: array.__setitem__(place, value),
    "add": lambda array, place, value: array.__setitem__(place, array[place] + value),
    "sub": lambda array, place, value: array.__setitem__(place, array[place] - value),
}


def random_case(pick, dtype):
    """An array of rank 1 to 4, places in its first axes, and updates."""
    shape = tuple(pick.integers(1, 4, pick.integers(1, 5)))
    depth = pick.integers(1, len(shape) + 1)
    array = pick.integers(0, 50, shape).astype(dtype)
    places = np.stack([pick.integers(0, size, 4) for size in shape[:depth]], -1)
    updates = pick.integers(0, 50, (4, *shape[depth:])).astype(dtype)
    return array, places, updates


def changed(kind, array, places, updates):
    """What is left after the updates, one after the other."""
    result = array.copy()
    for place, value in zip(places, updates, strict=True):
        CHANGES[kind](result, tuple(place), value)
    return result


@pytest.mark.parametrize("kind", CHANGES)
def test_random_changes_of_variables_and_tensors(session, kind):
    pick = np.random.default_rng(3)
    for dtype in ("float32", "float64", "int32", "int8", "uint8", "complex64", "float16"):
        array, places, updates = random_case(pick, dtype)
        expected = changed(kind, array, places, updates)
        v = tf.Variable(array)
        session.run(v.initializer)
        result = getattr(tf, f"scatter_nd_{kind}")(v, places, updates)
        np.testing.assert_array_equal(session.run(result), expected)
        np.testing.assert_array_equal(session.run(v), expected)
        session.run(v.initializer)
        result = getattr(v, f"scatter_nd_{kind}")(places, updates)
        np.testing.assert_array_equal(session.run(result), expected)
        result = getattr(tf, f"tensor_scatter_nd_{kind}")(array, places, updates)
        np.testing.assert_array_equal(session.run(result), expected)


def test_other_names_are_the_same_functions():
    for kind in CHANGES:
        first = getattr(tf, f"tensor_scatter_{kind}")
        assert first is getattr(tf, f"tensor_scatter_nd_{kind}")


def test_strings_and_bools_are_replaced_but_not_added(session):
    v = tf.Variable(["a", "b"])
    session.run(v.initializer)
    assert session.run(tf.scatter_nd_update(v, [[1]], ["c"])).tolist() == [b"a", b"c"]
    with pytest.raises(tf.errors.UnimplementedError, match="not defined for string"):
        session.run(tf.scatter_nd_add(v, [[1]], ["c"]))


def test_a_value_that_was_read_before_stays(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    before = tf.identity(v.read_value())
    with tf.control_dependencies([before]):
        after = tf.scatter_nd_update(v, [[0]], [5.0])
    old, new = session.run([before, after])
    assert (old.tolist(), new.tolist()) == ([1.0, 2.0], [5.0, 2.0])


def test_a_wrong_place_changes_nothing(session):
    v = tf.Variable([[1.0, 2.0]])
    session.run(v.initializer)
    change = tf.scatter_nd_update(v, [[0, 0], [0, 2]], [7.0, 7.0])
    message = r"indices\[1\] = \[0, 2\] does not index into shape \[1,2\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(change)
    assert session.run(v).tolist() == [[1.0, 2.0]]


def test_wrong_arguments():
    v = tf.Variable([[1.0, 2.0]])
    with pytest.raises(TypeError, match=r"tf.scatter_nd_add needs a variable, not 3"):
        tf.scatter_nd_add(3, [[0]], [[1.0, 1.0]])
    with pytest.raises(ValueError, match=r"updates must have shape \[1,2\]"):
        tf.scatter_nd_add(v, [[0]], [1.0])
    with pytest.raises(ValueError, match="indices must have a known rank of at least 1"):
        tf.batch_scatter_update(v, tf.placeholder(tf.int32), [[1.0]])
    with pytest.raises(TypeError, match="sparse_delta is not IndexedSlices"):
        v.batch_scatter_update([1.0])


def test_batches_of_places(session):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    session.run(v.initializer)
    change = tf.batch_scatter_update(v, [[0, 2], [1, 1]], [[7.0, 8.0], [9.0, 10.0]])
    assert session.run(change).tolist() == [[7.0, 2.0, 8.0], [4.0, 10.0, 6.0]]
    slices = tf.IndexedSlices(tf.constant([[0.5], [0.25]]), tf.constant([[2], [0]]))
    change = v.batch_scatter_update(slices)
    assert session.run(change).tolist() == [[7.0, 2.0, 0.5], [0.25, 10.0, 6.0]]
