"""Functions made of others, against numbers of TensorFlow, in both modes."""

import json
from pathlib import Path

import numpy as np
import pytest
from names_cases import CASES, ramp

import minitf as tf
from minitf.eager import context

GOLDEN = json.loads((Path(__file__).parents[1] / "names_golden.json").read_text())


def parts_of(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def call(text, x):
    names = {"tf": tf, "x": x, "ramp": ramp}
    return parts_of(eval(text, names))


def check(found, expected):
    assert len(found) == len(expected)
    for value, wanted in zip(found, expected, strict=True):
        value = np.asarray(value)
        assert value.dtype.name == wanted["dtype"]
        assert list(value.shape) == wanted["shape"]
        np.testing.assert_allclose(
            value.reshape(-1), wanted["values"], rtol=2e-5, atol=2e-6
        )


def test_every_case_has_its_numbers():
    assert list(GOLDEN) == [text for _, text in CASES]


@pytest.mark.parametrize(("shape", "text"), CASES, ids=[text for _, text in CASES])
def test_a_graph_gives_the_numbers(shape, text, session):
    x = tf.constant(ramp(*shape))
    results = call(text, x)
    check(session.run(results), GOLDEN[text]["results"])
    for result, wanted in zip(results, GOLDEN[text]["results"], strict=True):
        assert result.shape.is_compatible_with(wanted["shape"])
    smooth = [y for y in results[:1] if y.dtype.is_floating]
    gradient = tf.gradients([y * y for y in smooth], x)[0] if smooth else None
    expected = GOLDEN[text]["gradient"]
    assert (gradient is None) == (expected is None)
    if gradient is not None:
        found = session.run(tf.convert_to_tensor(gradient))
        np.testing.assert_allclose(found.reshape(-1), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("shape", "text"), CASES, ids=[text for _, text in CASES])
def test_eager_mode_gives_the_numbers(shape, text):
    with context.entered(None):
        results = call(text, tf.constant(ramp(*shape)))
        check([result.numpy() for result in results], GOLDEN[text]["results"])


@pytest.mark.parametrize(("shape", "text"), CASES, ids=[text for _, text in CASES])
def test_a_shape_need_not_be_known(shape, text, session):
    x = tf.placeholder(tf.float32, [None] * len(shape))
    found = session.run(call(text, x), {x: ramp(*shape)})
    check(found, GOLDEN[text]["results"])
