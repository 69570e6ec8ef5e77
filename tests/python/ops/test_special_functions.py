"""Gamma functions and the Hurwitz zeta function at the edges, and their gradients."""

import numpy as np
import pytest

import minitf as tf

INF, NAN = np.inf, np.nan
# TensorFlow's values at (0, 1), (-1, 1), (1, 0), (nan, 1), (inf, 1), (1, inf), (2, -1.5).
EDGES = {
    "polygamma": [-0.5772157, NAN, INF, NAN, INF, 0, -0.23620405],
}


@pytest.mark.parametrize("name", EDGES)
def test_at_the_edges(name, session):
    a = tf.constant([0, -1, 1, NAN, INF, 1, 2], tf.float64)
    x = tf.constant([1, 1, 0, 1, 1, INF, -1.5], tf.float64)
    found = session.run(getattr(tf, name)(a, x))
    np.testing.assert_allclose(found, EDGES[name], rtol=1e-6)


def test_next_to_a_number(session):
    tiny = np.float32(1e-45)
    found = session.run(tf.math.nextafter([0.0, 1.0, -1.0, 2.0], [1.0, 2.0, 0.0, 2.0]))
    assert found.tolist() == [tiny, 1 + 2**-23, -1 + 2**-24, 2]


@pytest.mark.parametrize(("name", "order"), [("zeta", 2.0), ("polygamma", 1.0)])
def test_gradients_by_what_is_no_order(name, order, session):
    x = tf.constant([0.7, 1.5, 3.0], tf.float64)
    y = getattr(tf, name)(tf.constant(order, tf.float64), x)
    step = 1e-5
    function = getattr(tf, name)
    nearby = [function(tf.constant(order, tf.float64), x + d) for d in (step, -step)]
    expected = session.run((nearby[0] - nearby[1]) / (2 * step))
    np.testing.assert_allclose(session.run(tf.gradients(y, x)[0]), expected, rtol=1e-6)
    a = tf.constant([order] * 3, tf.float64)
    assert tf.gradients(function(a, x), a) == [None]


def test_second_derivatives(session):
    x = tf.constant([0.7, 1.5, 3.0], tf.float64)
    third = tf.lgamma(x)
    for _ in range(3):
        third = tf.gradients(third, x)[0]
    expected = session.run(tf.polygamma(tf.constant(2.0, tf.float64), x))
    np.testing.assert_allclose(session.run(third), expected)
    a = tf.constant([1.0], tf.float64)
    first = tf.gradients(tf.igamma(a, x), a)[0]
    with pytest.raises((LookupError, tf.errors.NotFoundError), match="IgammaGradA"):
        tf.gradients(first, a)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_zeta_of_a_large_order_is_its_first_term(dtype, session):
    order = tf.constant([3e38, 1e10, INF, 3e38, 100, 100], dtype)
    q = tf.constant([2, 1.5, 2, 1, 1, 1e30], dtype)
    assert session.run(tf.zeta(order, q)).tolist() == [0, 0, 0, 1, 1, 0]
