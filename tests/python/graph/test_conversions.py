"""Objects of a program's own classes as tensors, and shapes of broadcast results."""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import conversions


@pytest.fixture(autouse=True)
def as_before():
    """A test leaves no conversion function behind."""
    before = [*conversions.registered]
    yield
    conversions.registered[:] = before


class Length:
    def __init__(self, meters):
        self.meters = meters


def to_tensor(value, dtype=None, name=None, as_ref=False):
    assert as_ref is False
    return tf.constant(value.meters, dtype or tf.float64, name=name)


def test_an_object_becomes_a_tensor_wherever_one_is_taken(session):
    tf.register_tensor_conversion_function(Length, to_tensor)
    x = Length(2.5)
    made = tf.convert_to_tensor(x, name="length")
    assert (made.dtype, made.name) == (tf.float64, "length:0")
    assert tf.convert_to_tensor(x, tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(x, preferred_dtype=tf.float16).dtype is tf.float16
    y = tf.constant([1.0, 2.0])
    assert session.run(tf.add(y, x)).tolist() == [3.5, 4.5]
    assert session.run(y * x).tolist() == [2.5, 5.0]
    assert session.run(tf.square(x)) == 6.25


def test_functions_are_tried_by_priority_until_one_makes_a_tensor(session):
    calls = []

    def refuse(name, result):
        def function(value, dtype=None, name=None, as_ref=False, label=name):
            calls.append(label)
            return result if result is NotImplemented else tf.constant(result)

        return function

    tf.register_tensor_conversion_function(Length, refuse("late", 3), priority=200)
    tf.register_tensor_conversion_function((str, Length), refuse("first", NotImplemented))
    tf.register_tensor_conversion_function(Length, refuse("second", 7))
    assert session.run(tf.convert_to_tensor(Length(1))) == 7
    assert calls == ["first", "second"]


def test_lists_become_constants_before_functions_of_priority_100():
    class Row(list):
        pass

    tf.register_tensor_conversion_function(Row, lambda *a, **k: tf.zeros([9]))
    assert tf.convert_to_tensor(Row([1, 2])).shape.as_list() == [2]
    tf.register_tensor_conversion_function(Row, lambda *a, **k: tf.zeros([9]), 99)
    assert tf.convert_to_tensor(Row([1, 2])).shape.as_list() == [9]


def test_what_a_function_returns_is_checked():
    tf.register_tensor_conversion_function(Length, lambda value, **options: 3)
    with pytest.raises(RuntimeError, match="returned 3; expected a tensor"):
        tf.convert_to_tensor(Length(1))
    with pytest.raises(RuntimeError, match="expected a tensor of type int32"):
        tf.convert_to_tensor(Length(1), tf.int32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Length", to_tensor), "base_type must be a type or a tuple of types"),
        (((Length, 3), to_tensor), "base_type must be a type or a tuple of types"),
        ((Length, "f"), "conversion_func must be callable, got 'f'"),
        ((float, to_tensor), "cannot register conversions for Python numeric types"),
        ((np.ndarray, to_tensor), "cannot register conversions for Python numeric types"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(TypeError, match=message):
        tf.register_tensor_conversion_function(*arguments)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([], [2, 3]),
        ([2, 1], [5, 1, 3]),
        ([4, 1, 3], [2, 1]),
        ([0], [1]),
        ([1, 0], [3, 1]),
        ([7], [7]),
    ],
)
def test_broadcast_dynamic_shape_is_that_of_numpy(x, y, dtype, session):
    shapes = [tf.placeholder(dtype, [None]) for _ in "xy"]
    shape = tf.broadcast_dynamic_shape(*shapes)
    assert shape.dtype is dtype and shape.shape.ndims == 1
    found = session.run(shape, dict(zip(shapes, (x, y), strict=True)))
    assert found.tolist() == list(np.broadcast_shapes(tuple(x), tuple(y)))
    static = tf.broadcast_static_shape(tf.TensorShape(x), tf.TensorShape(y))
    assert static.as_list() == found.tolist()


@pytest.mark.parametrize(("x", "y"), [([2], [3]), ([0], [2]), ([2, 3], [3, 2])])
def test_shapes_that_do_not_broadcast(x, y, session):
    shape = tf.broadcast_dynamic_shape(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible shapes"):
        session.run(shape)


def test_shapes_are_vectors_of_integers():
    with pytest.raises(TypeError, match="broadcast_dynamic_shape: shape_x has DataType"):
        tf.broadcast_dynamic_shape([2.0], [3.0])
    with pytest.raises(ValueError, match="must have rank 1"):
        tf.broadcast_dynamic_shape([[2]], [3])
