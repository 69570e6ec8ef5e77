"""Checks that run in a step, and switch_case."""

import numpy as np
import pytest

import minitf as tf


def test_assert_says_what_it_was_told_to(session):
    x = tf.placeholder(tf.int32, [None])
    check = tf.Assert(tf.reduce_all(x > 0), ["x must be positive:", x], summarize=2)
    with tf.control_dependencies([check]):
        y = x * 2
    assert session.run(y, {x: [1, 2]}).tolist() == [2, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x must be positive:.*-1"):
        session.run(y, {x: [-1, 2]})
    with pytest.raises(TypeError, match="list of tensors"):
        tf.Assert(True, "text")


def test_assert_fails_at_once_in_eager_mode():
    tf.enable_eager_execution()
    try:
        assert tf.Assert(True, ["good"]) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            tf.Assert(False, ["bad"])
    finally:
        tf.disable_eager_execution()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_tensor_that_is_not_finite_fails_the_step(session, bad):
    x = tf.placeholder(tf.float32, [2])
    y = tf.verify_tensor_all_finite(x, "x went wrong")
    assert session.run(y, {x: [1, 2]}).tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="x went wrong"):
        session.run(y, {x: [1, bad]})
    with pytest.raises(ValueError, match="one of t and x"):
        tf.verify_tensor_all_finite(x, "m", x=x)


def test_switch_case_takes_the_branch_with_the_number(session):
    index = tf.placeholder(tf.int32, [])
    branches = [lambda: tf.constant(10), lambda: tf.constant(11), lambda: tf.constant(12)]
    chosen = tf.switch_case(index, branches)
    found = [session.run(chosen, {index: i}) for i in (0, 1, 2, 7, -1)]
    assert found == [10, 11, 12, 12, 12]

    by_number = {1: branches[0], 0: branches[1]}
    chosen = tf.switch_case(index, by_number, default=lambda: tf.constant(0))
    assert [session.run(chosen, {index: i}) for i in (1, 0, 2)] == [10, 11, 0]


def test_switch_case_refuses_what_is_no_branch():
    index = tf.constant(0)
    with pytest.raises(ValueError, match="at least one item in branch_fns"):
        tf.switch_case(index, [])
    with pytest.raises(TypeError, match="key must be a Python `int`, got <class 'str'>"):
        tf.switch_case(index, {"a": lambda: 1})
    with pytest.raises(TypeError, match="fn for key 0 must be callable"):
        tf.switch_case(index, {0: 1})
    for numbers in ([1, 1], [0, 2], [-1, 0]):
        with pytest.raises(ValueError, match=r"range of \[0 to 2\) but found"):
            tf.switch_case(index, [(number, lambda: 1) for number in numbers])
    for wrong in (0, tf.constant(0, tf.int64)):
        with pytest.raises(TypeError, match="branch_index must be an int32 Tensor, got"):
            tf.switch_case(wrong, [lambda: 1])


def test_all_tensors_of_a_graph_can_be_checked(session):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.log(x, name="y")
    tf.constant(1)
    check = tf.add_check_numerics_ops()
    checked = [
        op.get_attr("message")
        for op in x.graph.get_operations()
        if op.type == "CheckNumerics"
    ]
    assert checked == [b"x:0", b"y:0"] and check.type == "NoOp"
    assert session.run([y, check], {x: 1.0}) == [0, None]
    with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 : Tensor had NaN"):
        session.run(check, {x: -1.0})
    tf.cond(x > 0, lambda: x + 1, lambda: x)
    with pytest.raises(ValueError, match="does not go with branches and loops"):
        tf.add_check_numerics_ops()


def test_numbers_are_copied_to_a_check_only_if_it_fails(session):
    x = tf.placeholder(tf.float32, [2])
    check = tf.Assert(tf.reduce_all(x > 0), ["not positive:", x], name="check")
    assert (check.name, check.type) == ("check/AssertGuard/Merge", "Merge")
    assert tf.Assert(True, ["text"]).name == "Assert/Assert"
    assert tf.assert_less(x, 9.0).name == "assert_less/Assert/AssertGuard/Merge"
    session.run(check, {x: [1, 2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive:.*-2"):
        session.run(check, {x: [1, -2]})
    assert tf.verify_tensor_all_finite(x, "m").name == "VerifyFinite/control_dependency:0"
