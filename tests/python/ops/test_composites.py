"""Functions composed in Python against numbers that TensorFlow gave.

Each program of ``composites.json`` is run with shapes that are known, with sizes or ranks
that are not, and eagerly. Its values and gradients must be the same every time. Beside it
stand its values, a complex number as a pair, and for each floating-point input that it
names, in alphabetical order, the gradient of their sum.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import minitf as tf

DATA = json.loads(Path(__file__).with_name("composites.json").read_text())

SHAPES = {
    "known": lambda array: array.shape,
    "sizes": lambda array: [None] * array.ndim,
    "rank": lambda array: None,
}


def flat(result):
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in flat(item)]
    return [result]


def inputs_of(program):
    """The arrays that a program names, in alphabetical order."""
    arrays = {}
    for name in sorted(compile(program, "program", "eval").co_names):
        value = DATA["inputs"].get(name)
        if value is None:
            continue
        dtype, value = value if isinstance(value[0], str) else ("float32", value)
        array = np.array(value, "float32" if dtype == "complex64" else dtype)
        # A complex number is a pair.
        arrays[name] = array.view(dtype)[..., 0] if dtype == "complex64" else array
    return arrays


def run(program, names):
    return flat(eval(program, {"tf": tf, "np": np, "inf": np.inf, **names}))


def run_in_graph(program, shapes):
    """The values of a program and the gradients of their sum."""
    with tf.Graph().as_default():
        arrays = inputs_of(program)
        names = {
            name: tf.placeholder(array.dtype, SHAPES[shapes](array))
            for name, array in arrays.items()
        }
        results = run(program, names)
        real = [x for x in names.values() if x.dtype.is_floating]
        ys = [y for y in results if y.dtype.is_floating]
        gradients = tf.gradients(ys, real) if real and ys else []
        feed = dict(zip(names.values(), arrays.values(), strict=True))
        with tf.Session() as session:
            values = session.run(results, feed)
            slopes = [None if g is None else session.run(g, feed) for g in gradients]
        for value, result in zip(values, results, strict=True):
            assert result.shape.is_compatible_with(value.shape)
        return values, slopes


def assert_same(actual, expected):
    assert len(actual) == len(expected)
    for mine, other in zip(actual, expected, strict=True):
        assert (mine is None) == (other is None)
        if other is not None:
            if np.iscomplexobj(mine):
                mine = np.stack([mine.real, mine.imag], axis=-1)
            np.testing.assert_allclose(mine, np.array(other), rtol=2e-5, atol=2e-6)
            assert np.shape(mine) == np.shape(other) or np.size(other) == 0


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("sample", DATA["samples"], ids=lambda sample: sample[0])
def test_values_and_gradients_in_a_graph(sample, shapes):
    program, values, slopes = sample
    actual_values, actual_slopes = run_in_graph(program, shapes)
    assert_same(actual_values, values)
    assert_same(actual_slopes, slopes)


@pytest.mark.parametrize("sample", DATA["samples"], ids=lambda sample: sample[0])
def test_values_eagerly(sample, eager):
    program, values, _ = sample
    names = {name: tf.constant(array) for name, array in inputs_of(program).items()}
    assert_same([result.numpy() for result in run(program, names)], values)


@pytest.mark.parametrize("sample", DATA["refused"], ids=lambda sample: sample[0])
def test_what_does_not_fit_is_refused_as_early_as_it_is_known(sample):
    program, (known, in_step, at_once) = sample
    for shapes, kind in (("known", known), ("rank", in_step)):
        with pytest.raises((ValueError, TypeError, tf.errors.OpError)) as caught:
            run_in_graph(program, shapes)
        assert caught.type.__name__ == kind
    tf.enable_eager_execution()
    names = {name: tf.constant(array) for name, array in inputs_of(program).items()}
    with pytest.raises((ValueError, TypeError, tf.errors.OpError)) as caught:
        run(program, names)
    assert caught.type.__name__ == at_once


def test_repeats_must_be_as_many_as_the_slices_or_one():
    with pytest.raises(ValueError, match="3 repeats for the 2 slices along axis 0"):
        tf.repeat(tf.ones([2, 3]), [1, 2, 3], axis=0)
    with pytest.raises(TypeError, match="repeats are integers"):
        tf.repeat(tf.ones([2, 3]), 1.5)


def test_the_2_norm_of_matrices_says_what_it_would_need():
    with pytest.raises(tf.errors.UnimplementedError, match="singular values"):
        tf.norm(tf.ones([2, 3]), 2, axis=[0, 1])


def test_limits_do_not_stretch_what_they_clip():
    with pytest.raises(ValueError, match="compatible"):
        tf.clip_by_value(tf.zeros([3]), tf.zeros([2, 3]), 1.0)


def test_what_needs_a_graph_says_so(eager):
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        tf.parallel_stack([1.0, 2.0])


def test_a_tensor_without_slices_unstacks_into_nothing(eager):
    assert tf.unstack(tf.zeros([0, 2])) == []


def test_layers_name_the_axes_that_they_miss():
    with pytest.raises(ValueError, match="min_ndim=2, found ndim=1"):
        tf.layers.dense(tf.zeros([3]), 2)
    with pytest.raises(ValueError, match="min_ndim=1, found ndim=0"):
        tf.layers.flatten(tf.zeros([]))
    with pytest.raises(ValueError, match="Invalid axis: 2"):
        tf.layers.batch_normalization(tf.zeros([2, 3]), axis=2)
    with pytest.raises(ValueError, match="undefined `axis` dimension -1"):
        tf.layers.batch_normalization(tf.placeholder(tf.float32, [2, None]))


def test_what_accumulate_n_is_told_is_checked():
    x = tf.ones([2])
    with pytest.raises(TypeError, match="tensor_dtype is tf.int32"):
        tf.accumulate_n([x, x], tensor_dtype=tf.int32)
    with pytest.raises(ValueError, match="not compatible"):
        tf.accumulate_n([x, x], shape=[3])
    assert tf.accumulate_n([tf.placeholder(tf.float32)] * 2, [3]).shape == [3]


def test_boundaries_have_the_type_of_what_they_bound():
    with pytest.raises(ValueError, match="same dtype as x"):
        tf.train.piecewise_constant(tf.constant(3), [1.5], [1.0, 2.0])


def test_noise_has_the_sizes_of_the_input_where_none_is_given(session):
    x = tf.placeholder(tf.float32, [None, 3])
    dropped = session.run(tf.nn.dropout(x, 0.5, [None, 1]), {x: np.ones([50, 3])})
    assert {tuple(row) for row in dropped.tolist()} == {(0, 0, 0), (2, 2, 2)}


def test_a_softmax_over_an_axis_that_is_not_there_says_so():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be in the range"):
        tf.nn.softmax(tf.zeros([]), axis=0)


def test_a_stretched_input_of_the_cross_entropy_has_a_gradient_of_its_shape(session):
    logits = tf.placeholder(tf.float32, [None, None])
    labels = tf.placeholder(tf.float32, [None, None])
    feed = {logits: [[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]], labels: [[0.25, 0.75]]}
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits)
    whole = tf.nn.softmax_cross_entropy_with_logits_v2(tf.tile(labels, [3, 1]), logits)
    for found, expected in zip(
        session.run(tf.gradients(loss, [logits, labels]), feed),
        session.run(tf.gradients(whole, [logits, labels]), feed),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_one_weight_counts_all_elements_eagerly(eager):
    # TensorFlow's own formula for a graph counts the elements of each example.
    labels, predictions = [[0.0, 1.0, 0.5]] * 2, [[0.25, 0.5, 0.75], [0.125, 1.0, 0.5]]
    loss = tf.losses.mean_pairwise_squared_error(labels, predictions)
    np.testing.assert_allclose(loss.numpy(), 0.15520833, rtol=1e-6)
