"""tf.roll beside numpy.roll."""

import numpy as np
import pytest

import minitf as tf

TYPES = ("float32", "float64", "float16", "int8", "int64", "uint16", "bool", "complex64")


def random_case(pick):
    """An array of rank 1 to 5, shifts, and axes of which some occur twice."""
    rank = pick.integers(1, 6)
    shape = tuple(pick.integers(0 if pick.random() < 0.1 else 1, 4, rank))
    array = pick.integers(0, 100, shape).astype(pick.choice(TYPES))
    count = pick.integers(0, 4)
    return array, pick.integers(-9, 10, count), pick.integers(-rank, rank, count)


@pytest.mark.parametrize("is_known", [True, False])
def test_random_arrays_shifts_and_axes(session, is_known):
    pick = np.random.default_rng(5)
    for _ in range(100):
        array, shifts, axes = random_case(pick)
        if is_known:
            y, feed = tf.roll(array, shifts, axes), {}
        else:
            inputs = [tf.placeholder(a.dtype) for a in (array, shifts, axes)]
            y, feed = (
                tf.roll(*inputs),
                dict(zip(inputs, (array, shifts, axes), strict=True)),
            )
        expected = array
        for shift, axis in zip(shifts, axes, strict=True):
            expected = np.roll(expected, shift, axis)
        np.testing.assert_array_equal(session.run(y, feed), expected)


def test_strings_and_the_name_in_manip(session):
    assert tf.manip.roll is tf.roll
    rolled = session.run(tf.manip.roll([["a", "b", "c"]], shift=1, axis=1, name="r"))
    assert rolled.tolist() == [[b"c", b"a", b"b"]]


def test_the_sum_of_extreme_shifts_does_not_overflow(session):
    high, low = 2**63 - 1, -(2**63)
    for shifts in ([high, high], [low, low], [high, low, 1]):
        rolled = session.run(tf.roll([0, 1, 2], np.array(shifts), [0] * len(shifts)))
        assert rolled.tolist() == np.roll([0, 1, 2], sum(shifts) % 3).tolist()


def test_gradient_rolls_back_also_for_the_least_shift(session):
    x = tf.constant([1.0, 2.0, 3.0])
    weights = tf.constant([1.0, 10.0, 100.0])
    for shift in (1, -(2**31)):
        y = tf.roll(x, tf.constant(shift, tf.int32), 0) * weights
        [dx] = session.run(tf.gradients(y, x))
        assert dx.tolist() == np.roll([1.0, 10.0, 100.0], -shift % 3).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 1, 0), "input must be 1-D or higher, got"),
        (([1.0], [1, 2], [0]), "shift and axis must have the same shape, got"),
        (([1.0], [[1]], [[0]]), "shift must be a scalar or a vector, got shape"),
        (([1.0], 1, 1), "axis"),
        (([1.0], 1, -2), "axis"),
    ],
)
def test_wrong_arguments_are_refused_in_graph_and_step(session, arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.roll(*arguments)
    arrays = [np.asarray(argument) for argument in arguments]
    inputs = [tf.placeholder(array.dtype) for array in arrays]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(tf.roll(*inputs), dict(zip(inputs, arrays, strict=True)))
