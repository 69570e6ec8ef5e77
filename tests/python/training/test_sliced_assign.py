"""``v[1:, 0].assign(value)`` beside NumPy's ``v[1:, 0] = value``."""

import numpy as np
import pytest

import minitf as tf

TYPES = (np.float32, np.float64, np.int32, np.int64, np.bool_, np.complex64, np.uint8)


def _bound(rng: np.random.Generator, size: int) -> int | None:
    return None if rng.random() < 0.3 else int(rng.integers(-size - 2, size + 3))


def _random_key(rng: np.random.Generator, sizes: tuple[int, ...]) -> tuple:
    """Something between brackets: slices and numbers, an ellipsis, new axes."""
    items: list = []
    for size in sizes[: rng.integers(0, len(sizes) + 1)]:
        if size > 0 and rng.random() < 0.3:
            items.append(int(rng.integers(-size, size)))
        else:
            step = int(rng.choice([-3, -2, -1, 1, 2, 3]))
            items.append(slice(_bound(rng, size), _bound(rng, size), step))
        if rng.random() < 0.1:
            items.append(None)
    if rng.random() < 0.3:
        items.append(Ellipsis)
    return tuple(items) or (Ellipsis,)


@pytest.mark.parametrize("seed", range(60))
def test_slices_are_set_as_in_numpy(session, seed):
    rng = np.random.default_rng(seed)
    sizes = tuple(int(n) for n in rng.integers(0, 6, rng.integers(1, 6)))
    dtype = TYPES[seed % len(TYPES)]
    before = rng.integers(0, 100, sizes).astype(dtype)
    variable = tf.Variable(before)
    session.run(variable.initializer)
    expected = before.copy()
    for _ in range(5):
        key = _random_key(rng, sizes)
        value = rng.integers(0, 100, expected[key].shape).astype(dtype)
        expected[key] = value
        after = session.run(variable[key].assign(value))
        np.testing.assert_array_equal(after, expected, f"{key} of {sizes}")
        np.testing.assert_array_equal(session.run(variable), expected)


def test_what_was_read_before_stays(session):
    variable = tf.Variable(np.zeros((3, 2), np.float32))
    session.run(variable.initializer)
    read = variable.read_value()
    with tf.control_dependencies([read]):
        change = variable[1].assign([1.0, 2.0], name="change")
    former, after = session.run([read, change])
    assert former.tolist() == [[0, 0]] * 3 and after.tolist() == [[0, 0], [1, 2], [0, 0]]
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert "change" in names


def test_places_may_be_computed(session):
    variable = tf.Variable(np.zeros((2, 3), np.float32))
    session.run(variable.initializer)
    row, value = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32)
    change = variable[row, 1:].assign(value)
    session.run(change, {row: 1, value: [5, 6]})
    assert session.run(variable).tolist() == [[0, 0, 0], [0, 5, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must have shape \[2\]"):
        session.run(change, {row: 1, value: [5, 6, 7]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 2 of axis 0|bounds"):
        session.run(change, {row: 2, value: [5, 6]})
    assert session.run(variable).tolist() == [[0, 0, 0], [0, 5, 6]]


def test_the_long_form_names_the_variable(session):
    variable, other = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([1.0])
    session.run(tf.global_variables_initializer())
    part = tf.strided_slice(variable, [0], [2], var=variable)
    assert session.run(part.assign([8.0, 9.0])).tolist() == [8, 9, 3]
    with pytest.raises(ValueError, match="must be the value of var"):
        tf.strided_slice(variable, [0], [1], var=other)
    with pytest.raises(ValueError, match="must be the value of var"):
        tf.strided_slice(tf.constant([1.0]), [0], [1], var=variable)


def test_what_can_not_be_set():
    with pytest.raises(ValueError, match="only supported for variables"):
        tf.constant([1.0, 2.0])[0].assign(3.0)
    assert not hasattr(tf.constant([1.0]), "assign")
    variable = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"value must have shape \[2\], got \[3\]"):
        variable[1:].assign([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        variable[1:].assign(["a", "b"])


@pytest.mark.parametrize("known", [True, False])
def test_begin_end_and_strides_are_equally_long(session, known):
    variable = tf.Variable([1.0, 2.0, 3.0])
    session.run(variable.initializer)
    parts = ([0], [1], [1] * 50)
    if not known:
        parts = [tf.placeholder_with_default(part, None) for part in parts]
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="equally long"
    ):
        change = tf.raw_ops.ResourceStridedSliceAssign(
            ref=variable.handle,
            begin=parts[0],
            end=parts[1],
            strides=parts[2],
            value=[1.0],
        )
        session.run(change)


def test_a_variable_without_a_value(session):
    change = tf.Variable([1.0, 2.0])[0].assign(3.0)
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(change)
