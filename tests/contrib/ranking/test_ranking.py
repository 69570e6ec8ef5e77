"""Metrics of rankings, against counts that are made here with sets of Python."""

import numpy as np
import pytest

import minitf as tf

RNG = np.random.RandomState(3)


def updated(session, result):
    """The value after one batch, and after the same batch again."""
    session.run(tf.local_variables_initializer())
    value, update = result
    first = session.run(update)
    assert session.run(value) == pytest.approx(first, nan_ok=True)
    return first, session.run(update)


def rates(labels, chosen, weights, class_id=None):
    """Precision and recall of rows of labels and of chosen classes."""
    hits = wrong = missed = 0.0
    for row, picked, weight in zip(labels, chosen, weights, strict=True):
        row, picked = set(row), set(picked)
        if class_id is not None:
            row, picked = row & {class_id}, picked & {class_id}
        hits += weight * len(row & picked)
        wrong += weight * len(picked - row)
        missed += weight * len(row - picked)
    with np.errstate(invalid="ignore"):
        return np.divide(hits, hits + wrong), np.divide(hits, hits + missed)


@pytest.mark.parametrize("case", range(12))
def test_precision_and_recall_of_random_rows(case, session):
    count, classes, k = RNG.randint(1, 6), 7, RNG.randint(1, 5)
    labels = RNG.randint(-1, classes + 1, [count, RNG.randint(1, 5)])
    scores = RNG.randn(count, classes).astype(np.float32)
    chosen = np.argsort(-scores)[:, :k]
    weights = RNG.rand(count) if case % 2 else np.ones(count)
    class_id = RNG.randint(0, classes) if case % 3 == 0 else None
    given = weights if case % 2 else None
    expected = rates(labels, chosen, weights, class_id)
    for kind, number in zip(("precision", "recall"), expected, strict=True):
        at_k = getattr(tf.metrics, f"{kind}_at_k")
        at_top_k = getattr(tf.metrics, f"{kind}_at_top_k")
        ids = tf.constant(labels, tf.int64)
        for metric in (
            at_k(ids, scores, k, class_id, given),
            at_top_k(ids, chosen, k, class_id, given),
        ):
            assert updated(session, metric) == pytest.approx([number] * 2, nan_ok=True)


def test_labels_that_are_there_twice_count_once(session):
    metric = tf.metrics.recall_at_top_k([[1, 1, 2]], [[1, 1, 5]])
    assert updated(session, metric) == (0.5, 0.5)
    metric = tf.metrics.precision_at_top_k([[1, 1, 2]], [[1, 1, 5]])
    assert updated(session, metric) == (0.5, 0.5)


def test_sparse_labels_are_rows_of_different_lengths(session):
    labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [4, 1, 0], [3, 2])
    chosen = [[1, 2], [0, 3], [0, 0]]
    assert updated(session, tf.metrics.recall_at_top_k(labels, chosen))[0] == 2 / 3
    assert updated(session, tf.metrics.precision_at_top_k(labels, chosen))[0] == 2 / 5
    with_classes = tf.metrics.recall_at_top_k(labels, chosen, class_id=0)
    assert updated(session, with_classes)[0] == 1.0


def test_one_label_for_each_example(session):
    scores = [[0.1, 0.9, 0.2], [0.5, 0.1, 0.4]]
    assert updated(session, tf.metrics.recall_at_k([1, 2], scores, 1)) == (0.5, 0.5)
    assert updated(session, tf.metrics.recall_at_k([1, 2], scores, 2)) == (1.0, 1.0)


def test_ranks_that_only_the_step_knows(session):
    labels, chosen = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
    value, update = tf.metrics.precision_at_top_k(labels, chosen)
    session.run(tf.local_variables_initializer())
    assert session.run(update, {labels: [1, 2], chosen: [[1], [0]]}) == 0.5
    assert session.run(update, {labels: [[1, 0], [2, 0]], chosen: [[1], [0]]}) == 0.75
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows of labels and of"):
        session.run(update, {labels: [[1], [2], [3]], chosen: [[1], [0]]})
    assert session.run(value) == 0.75


def test_average_precision_by_hand(session):
    scores = [[0.4, 0.3, 0.2, 0.1]]
    # Classes 0, 1, 2 are chosen; 0 and 2 are right, at places 1 and 3.
    metric = tf.metrics.average_precision_at_k(tf.constant([[0, 2]], tf.int64), scores, 3)
    assert updated(session, metric)[0] == pytest.approx((1 + 2 / 3) / 2)
    # The dense labels -1 and 9 do not count.
    labels = tf.constant([[2, -1, 9]], tf.int64)
    metric = tf.metrics.average_precision_at_k(labels, scores, 3, weights=2.0)
    assert updated(session, metric) == pytest.approx([1 / 3, 1 / 3])


def test_names_and_collections():
    metric = tf.metrics.precision_at_k(
        tf.constant([[1]], tf.int64),
        [[0.5, 0.1]],
        2,
        class_id=1,
        metrics_collections=["m"],
        updates_collections=["u"],
    )
    assert [x.name for x in metric] == [
        "precision_at_2_class1:0",
        "precision_at_2_class1/update:0",
    ]
    assert tf.get_collection("m") == [metric[0]]
    assert tf.get_collection("u") == [metric[1]]
    assert [v.name for v in tf.local_variables()] == [
        "precision_at_2_class1/true_positive_at_2_class1:0",
        "precision_at_2_class1/false_positive_at_2_class1:0",
    ]


def test_former_names_have_the_same_values(session, caplog):
    labels, scores = tf.constant([[1]], tf.int64), [[0.5, 0.1, 0.2]]
    metric = tf.metrics.sparse_precision_at_k(labels, scores, k=3)
    assert updated(session, metric)[0] == pytest.approx(1 / 3)
    metric = tf.metrics.sparse_average_precision_at_k(labels, scores, k=3)
    assert updated(session, metric)[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: tf.metrics.precision_at_k([[1.5]], [[0.1, 0.2]], 1),
            TypeError,
            "labels: classes has DataType float32",
        ),
        (
            lambda: tf.metrics.recall_at_top_k([[1]], [[0.5]]),
            TypeError,
            "predictions_idx: classes has DataType float32",
        ),
        (
            lambda: tf.metrics.recall_at_top_k([[[1]]], [[1]]),
            ValueError,
            r"Unexpected labels shape \(1, 1, 1\) for predictions shape \(1, 1\)",
        ),
        (
            lambda: tf.metrics.recall_at_top_k([[1], [2]], [[1], [2], [3]]),
            ValueError,
            r"Shapes \(2,\) and \(3,\) are incompatible",
        ),
        (
            lambda: tf.metrics.average_precision_at_k([[1]], [[0.1, 0.2]], 0),
            ValueError,
            "average_precision_at_k: invalid k=0, expected at least 1",
        ),
        (
            lambda: tf.metrics.sensitivity_at_specificity([1], [0.5], 1.5),
            ValueError,
            r"`specificity` must be in the range \[0, 1\], is 1.5",
        ),
        (
            lambda: tf.metrics.specificity_at_sensitivity([1], [0.5], -1),
            ValueError,
            r"`sensitivity` must be in the range \[0, 1\], is -1",
        ),
    ],
)
def test_errors_name_the_argument(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def rate_by_hand(labels, scores, target, is_sensitivity):
    """One rate at the threshold where the other is nearest to ``target``."""
    last = 1 + 1e-7 if is_sensitivity else 1 - 1e-7
    limits = np.array([-1e-7, *np.arange(1, 199) / 199, last])
    found = scores[None] > limits[:, None]
    sensitivity = (found & labels).sum(1) / labels.sum()
    specificity = (~found & ~labels).sum(1) / (~labels).sum()
    given, wanted = (
        (specificity, sensitivity) if is_sensitivity else (sensitivity, specificity)
    )
    distances = np.abs(given - target)
    places = np.flatnonzero(np.isclose(distances, distances.min(), atol=1e-6))
    return wanted[places[0 if is_sensitivity else -1]]


@pytest.mark.parametrize("target", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_rates_of_random_scores(target, session):
    labels = RNG.rand(40) < 0.4
    scores = np.clip(RNG.rand(40) * 0.6 + labels * 0.3, 0, 1).astype(np.float32)
    for name in ("sensitivity_at_specificity", "specificity_at_sensitivity"):
        metric = getattr(tf.metrics, name)(labels, scores, target)
        expected = rate_by_hand(labels, scores, target, name.startswith("sens"))
        assert updated(session, metric) == pytest.approx([expected] * 2, abs=1e-5)
