"""The shape of a variable's value is what its static shape says.

Results with ``validate_shape=False`` are those of TensorFlow 2.21 with reference
variables, which are the default of 1.15.
"""

import numpy as np
import pytest

import minitf as tf

ANOTHER = [[7.0, 8.0, 9.0], [[7.0, 8.0]], 7.0, np.zeros([0])]


@pytest.fixture
def fed():
    return tf.placeholder(tf.float32)


@pytest.mark.parametrize("value", ANOTHER)
@pytest.mark.parametrize("initialized", [True, False])
def test_a_value_of_another_shape_is_refused_when_the_step_runs(
    session, fed, value, initialized
):
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    ops = [
        v.assign(fed),
        tf.assign(v, fed),
        tf.assign(v, fed, validate_shape=True),
        tf.raw_ops.AssignVariableOp(resource=v.handle, value=fed),
    ]
    if initialized:
        session.run(v.initializer)
        ops += [v.assign_add(fed), tf.assign_sub(v, fed)]
    for op in ops:
        with pytest.raises(tf.errors.InvalidArgumentError, match="variable 'v'.*shape"):
            session.run(op, {fed: value})
    if initialized:
        assert session.run(v).tolist() == [1, 2]
        assert session.run(tf.shape(v)).tolist() == [2]
    assert session.run(ops[0], {fed: [7.0, 8.0]}).tolist() == [7, 8]


def test_the_error_names_both_shapes(session, fed):
    v = tf.Variable([1.0, 2.0], name="v")
    match = r"variable 'v' has shape \[2\], the new value has shape \[3\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(v.assign(fed), {fed: [1.0, 2.0, 3.0]})


def test_a_value_of_another_static_shape_is_refused_in_the_graph():
    v = tf.Variable([1.0, 2.0])
    for value in ANOTHER:
        with pytest.raises(ValueError, match="incompatible"):
            v.assign(tf.constant(value, tf.float32))
        with pytest.raises(ValueError, match="shape"):
            tf.raw_ops.AssignVariableOp(
                resource=v.handle, value=tf.constant(value, tf.float32)
            )


@pytest.mark.usefixtures("eager")
def test_a_value_of_another_shape_is_refused_in_eager_mode():
    v = tf.Variable([1.0, 2.0], name="v")
    with pytest.raises(ValueError, match="incompatible"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="incompatible"):
        tf.assign(v, [1.0], validate_shape=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="variable 'v' has"):
        tf.raw_ops.AssignVariableOp(resource=v.handle, value=[1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=[1.0, 2.0, 3.0])
    assert v.numpy().tolist() == [1, 2]


def test_a_known_shape_may_be_left_without_validation(session):
    v = tf.Variable(tf.ones([2, 3]))
    session.run(v.initializer)
    wider = tf.assign(v, np.ones([2, 4], np.float32), validate_shape=False)
    assert wider.shape == (2, 4)
    assert session.run(wider).shape == (2, 4)
    assert session.run(v).shape == (2, 4)
    assert v.shape == (2, 3), "as in TensorFlow"
    assert session.run(v * 2.0).tolist() == [[2.0] * 4] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        session.run(v.assign_add(tf.ones([2, 3])))


def test_a_value_of_unknown_shape_without_validation(session, fed):
    v = tf.Variable(tf.ones([2, 3]))
    assigned = tf.assign(v, fed, validate_shape=False)
    assert assigned.shape.ndims is None
    assert session.run(assigned, {fed: [1.0]}).tolist() == [1]
    assert session.run(assigned, {fed: [[1.0]]}).tolist() == [[1]]


def test_a_variable_without_static_shape(session, fed):
    v = tf.Variable(tf.ones([2, 3]), validate_shape=False)
    session.run(v.initializer)
    same, other = v.assign(fed), tf.assign(v, fed, validate_shape=False)
    assert v.shape.ndims is None and same.shape.ndims is None
    match = r"has shape \[2,3\], the new value has shape \[1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(same, {fed: [1.0]})
    assert session.run(other, {fed: [1.0]}).tolist() == [1]
    assert session.run(same, {fed: [2.0]}).tolist() == [2]
    assert session.run(tf.shape(v)).tolist() == [1]
    session.run(v.initializer)
    assert session.run(tf.shape(v)).tolist() == [2, 3]


def test_a_variable_whose_shape_is_known_in_part(session, fed):
    v = tf.Variable(tf.ones([2, 3]), shape=[None, 3])
    session.run(v.initializer)
    assert v.shape.as_list() == [None, 3]
    assert session.run(v.assign(fed), {fed: np.ones([4, 3])}).shape == (4, 3)
    match = r"has shape \[\?,3\], the new value has shape \[3,4\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(v.assign(fed), {fed: np.ones([3, 4])})


def _zeros(shape, dtype=None, partition_info=None):
    return tf.zeros([3])


def test_an_initial_value_of_another_shape_than_declared():
    with pytest.raises(ValueError, match=r"'w:0': the initial value has shape \(3,\)"):
        tf.get_variable("w", [2], initializer=_zeros)
    with pytest.raises(ValueError, match=r"expected \(2,\)"):
        tf.Variable([1.0, 2.0, 3.0], shape=[2])
    with pytest.raises(ValueError, match="incompatible"):
        tf.Variable([1.0, 2.0, 3.0], expected_shape=[2])
    assert tf.get_variable("x", [3], initializer=_zeros).shape == (3,)
    free = tf.get_variable("y", [2], initializer=_zeros, validate_shape=False)
    assert free.shape.ndims is None


@pytest.mark.parametrize("shape", [None, [None, 2]])
def test_an_initial_value_of_unknown_shape(session, shape):
    value = tf.placeholder_with_default(tf.ones([3, 2]), shape)
    with pytest.raises(ValueError, match="initial_value must have a shape specified"):
        tf.Variable(value)
    with pytest.raises(ValueError, match="initial_value must have a shape specified"):
        tf.get_variable("v", [3, 2], initializer=lambda *args, **kwargs: value)
    v = tf.Variable(value, validate_shape=False)
    session.run(v.initializer)
    assert session.run(v).shape == (3, 2)


def test_one_variable_has_one_shape(session):
    attrs = {"dtype": tf.float32, "shared_name": "shared"}
    first = tf.raw_ops.VarHandleOp(shape=[2], **attrs)
    second = tf.raw_ops.VarHandleOp(shape=[3], **attrs)
    session.run(tf.raw_ops.AssignVariableOp(resource=first, value=[1.0, 2.0]))
    match = r"variable 'shared' was declared with shape \[2\], and now with shape \[3\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        session.run(tf.raw_ops.ReadVariableOp(resource=second, dtype=tf.float32))
