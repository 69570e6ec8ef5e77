"""Assertions: what is checked when a graph is built, in the step, and in eager mode."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

PAIRS = {
    "assert_equal": ([1, 2], [1, 3]),
    "assert_none_equal": ([3, 1], [3, 2]),
    "assert_less": ([2, 3], [2, 2]),
    "assert_less_equal": ([1, 2], [1, 1]),
    "assert_greater": ([0, 1], [0, 2]),
    "assert_greater_equal": ([1, 2], [1, 3]),
}
SIGNS = {
    "assert_negative": ([-1.0], [0.0]),
    "assert_positive": ([1.0], [0.0]),
    "assert_non_negative": ([0.0], [-1.0]),
    "assert_non_positive": ([0.0], [1.0]),
}
Failure = tf.errors.InvalidArgumentError


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, session):
    right, wrong = PAIRS[name]
    check = getattr(tf, name)
    session.run(check([1, 2], right))
    with pytest.raises(Failure, match=r"said\nCondition x .* y did not hold"):
        check([1, 2], wrong, message="said")
    x = tf.placeholder(tf.int32)
    later = check(x, wrong, data=["seen", x])
    session.run(check(x, right), {x: [1, 2]})
    with pytest.raises(Failure, match="seen"):
        session.run(later, {x: [1, 2]})
    with context.entered(None):
        assert check([1, 2], right) is None
        with pytest.raises(Failure, match="(?s)Indices of first 1 different.*x values"):
            check([1, 2], wrong)


@pytest.mark.parametrize("name", SIGNS)
def test_signs(name, session):
    right, wrong = SIGNS[name]
    session.run(getattr(tf, name)(right))
    session.run(getattr(tf.debugging, name)(np.zeros([0])))
    with pytest.raises(Failure, match="0 did not hold element-wise"):
        getattr(tf, name)(wrong)


def test_near(session):
    session.run(tf.assert_near([1.0, 2.0], [1.0, 2.0000002]))
    with pytest.raises(Failure, match="not equal to tolerance"):
        session.run(tf.assert_near([1.0], [1.1]))
    session.run(tf.assert_near([1.0], [1.1], rtol=0.2))


def test_ranks(session):
    x = tf.placeholder(tf.float32)
    assert tf.assert_rank([[1.0]], 2).type == "NoOp"
    with pytest.raises(ValueError, match="must have rank  1.*Received rank 2, shape"):
        tf.assert_rank([[1.0]], 1, message="said")
    with pytest.raises(ValueError, match="must have rank at least 3"):
        tf.assert_rank_at_least([[1.0]], 3)
    with pytest.raises(ValueError, match=r"must have rank in \(0, 1\)"):
        tf.assert_rank_in([[1.0]], (0, 1))
    with pytest.raises(ValueError, match="Rank must be a scalar"):
        tf.assert_rank([[1.0]], [1, 2])
    checks = [tf.assert_rank(x, 1), tf.assert_rank_at_least(x, 1)]
    session.run([*checks, tf.assert_rank_in(x, (0, 1))], {x: [1.0]})
    for check in checks:
        with pytest.raises(Failure, match="must have rank"):
            session.run(check, {x: 1.0})


def test_types():
    with pytest.raises(TypeError, match="to be integer type"):
        tf.assert_integer([1.0])
    with pytest.raises(TypeError, match="must be of type tf.int32"):
        tf.assert_type([1.0], tf.int32)
    with pytest.raises(ValueError, match="Expected scalar shape"):
        tf.assert_scalar([1.0])
    with pytest.raises(TypeError, match="'proper' iterable"):
        tf.assert_proper_iterable("text")
    with pytest.raises(ValueError, match="Expected floating point type, got int32"):
        tf.assert_same_float_dtype([tf.constant(1)])
    assert tf.assert_same_float_dtype([tf.constant(1.0)]) is tf.float32
    assert tf.is_numeric_tensor(tf.constant(1)) and not tf.is_numeric_tensor(1)
    tf.assert_proper_iterable([1])


def test_shapes_by_symbols(session):
    x, y = tf.zeros([2, 3]), tf.placeholder(tf.float32)
    session.run(tf.debugging.assert_shapes([(x, ("N", "D")), (x, (..., 3))]))
    with pytest.raises(ValueError, match=r"dimension -1: .* size 2 \(N\)"):
        tf.debugging.assert_shapes([(x, ("N", "N"))])
    check = tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D",))])
    session.run(check, {y: [1.0, 2.0, 3.0]})
    with pytest.raises(Failure, match="must have size"):
        session.run(check, {y: [1.0]})
