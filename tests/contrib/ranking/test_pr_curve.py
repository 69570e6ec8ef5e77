"""The area under a curve of precision over recall, by careful interpolation."""

import numpy as np
import pytest

import minitf as tf


def area(session, labels, scores, **options):
    value, update = tf.metrics.auc(
        labels,
        scores,
        curve="PR",
        summation_method="careful_interpolation",
        **options,
    )
    session.run(tf.local_variables_initializer())
    first = session.run(update)
    assert session.run(value) == first
    return first


def integral(hits, false_alarms, labels):
    """The same, by small steps along the lines between the points."""
    total = 0.0
    for i in range(len(hits) - 1):
        t = np.linspace(0, 1, 20001)
        tp = hits[i + 1] + t * (hits[i] - hits[i + 1])
        fp = false_alarms[i + 1] + t * (false_alarms[i] - false_alarms[i + 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = tp / (tp + fp)
        if np.isnan(precision[0]):
            precision[0] = precision[1]
        heights = (precision[1:] + precision[:-1]) / 2
        total += np.sum(heights * np.diff(tp)) / labels
    return total


@pytest.mark.parametrize("seed", range(5))
def test_random_scores(seed, session):
    rng = np.random.RandomState(seed)
    labels = rng.rand(50) < 0.3
    scores = np.clip(rng.rand(50) + labels * 0.2, 0, 1).astype(np.float32)
    weights = rng.rand(50).astype(np.float32) if seed % 2 else None
    each = np.ones(50) if weights is None else weights
    limits = np.array([-1e-7, 0.25, 0.5, 0.75, 1 + 1e-7])
    above = scores[None] > limits[:, None]
    hits, alarms = (above & labels) @ each, (above & ~labels) @ each
    expected = integral(hits, alarms, each[labels].sum())
    found = area(session, labels, scores, weights=weights, num_thresholds=5)
    assert found == pytest.approx(expected, rel=1e-4)


def test_perfect_scores_have_the_area_1(session):
    assert area(session, [0, 0, 1, 1], [0.0, 0.1, 0.9, 1.0]) == pytest.approx(1)


def test_without_positive_labels_the_area_is_0(session):
    assert area(session, [0, 0], [0.3, 0.6]) == 0


def test_the_two_results_are_named(session):
    result = tf.metrics.auc(
        [1], [0.5], curve="PR", summation_method="careful_interpolation"
    )
    assert [x.name for x in result] == [
        "auc/interpolate_pr_auc:0",
        "auc/interpolate_pr_auc_1:0",
    ]


def test_of_a_roc_curve_it_is_the_trapezoidal_rule(session):
    labels, scores = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    results = []
    for method in ("trapezoidal", "careful_interpolation"):
        _, update = tf.metrics.auc(labels, scores, summation_method=method)
        session.run(tf.local_variables_initializer())
        results.append(session.run(update))
    assert results[0] == results[1] == pytest.approx(1)
