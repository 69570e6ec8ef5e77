"""Functions composed in Python against numbers that TensorFlow gave.

Each program of ``composite_samples.py`` is run with shapes that are known, with sizes or
ranks that are not, and eagerly. Its values and gradients must be the same every time.
"""

import composite_samples as samples
import numpy as np
import pytest

import minitf as tf

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
        value = samples.INPUTS.get(name)
        if isinstance(value, tuple):
            arrays[name] = np.array(value[1], value[0])
        elif value is not None:
            arrays[name] = np.array(value, np.float32)
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
            np.testing.assert_allclose(mine, np.array(other), rtol=2e-5, atol=2e-6)
            assert np.shape(mine) == np.shape(other) or np.size(other) == 0


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("sample", samples.ALL, ids=lambda sample: sample[0])
def test_values_and_gradients_in_a_graph(sample, shapes):
    program, values, slopes = sample
    actual_values, actual_slopes = run_in_graph(program, shapes)
    assert_same(actual_values, values)
    assert_same(actual_slopes, slopes)


@pytest.mark.parametrize("sample", samples.ALL, ids=lambda sample: sample[0])
def test_values_eagerly(sample, eager):
    program, values, _ = sample
    names = {name: tf.constant(array) for name, array in inputs_of(program).items()}
    assert_same([result.numpy() for result in run(program, names)], values)


@pytest.mark.parametrize("sample", samples.REFUSED, ids=lambda sample: sample[0])
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
