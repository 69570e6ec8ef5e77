"""Metrics over two batches, against numbers of TensorFlow."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

YES = [False, True, True, False, True]
SAID = [1, 1, 0, 0, 1]
WEIGHTS = [1.0, 0.5, 2.0, 1.0, 1.0]
CHANCES = [0.1, 0.8, 0.4, 0.45, 0.9]

# After the update with one batch: without weights, and with WEIGHTS.
VALUES = {
    "true_positives": (2, 1.5),
    "false_positives": (1, 1),
    "true_negatives": (1, 1),
    "false_negatives": (1, 2),
    "precision": (2 / 3, 0.6),
    "recall": (2 / 3, 1.5 / 3.5),
    "accuracy": (0.6, 2.5 / 5.5),
}


def updated(session, result):
    session.run(tf.local_variables_initializer())
    value, update = result
    first = session.run(update)
    np.testing.assert_allclose(session.run(value), first)
    return first


@pytest.mark.parametrize("name", VALUES)
def test_yes_and_no(name, session):
    labels = tf.constant(YES) if name != "accuracy" else tf.cast(YES, tf.int32)
    metric = getattr(tf.metrics, name)
    for weights, expected in zip((None, WEIGHTS), VALUES[name], strict=True):
        found = updated(session, metric(labels, tf.constant(SAID), weights))
        assert found == pytest.approx(expected, rel=1e-6)


def test_sums_grow_from_batch_to_batch(session):
    x = tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.mean(x, updates_collections="updates", name="loss")
    assert (value.name, update.name) == ("loss/value:0", "loss/update_op:0")
    assert tf.get_collection("updates") == [update]
    names = [variable.name for variable in tf.local_variables()]
    assert names == ["loss/total:0", "loss/count:0"]
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
    assert not tf.trainable_variables() and not tf.global_variables()
    session.run(tf.local_variables_initializer())
    assert session.run(value) == 0
    assert session.run(update, {x: [1, 2]}) == 1.5
    assert session.run(update, {x: [6]}) == 3
    assert session.run(value) == 3


MEANS = {
    "mean_squared_error": 17 / 12,
    "mean_absolute_error": 2.5 / 3,
    "root_mean_squared_error": (17 / 12) ** 0.5,
}


@pytest.mark.parametrize("name", MEANS)
def test_means_of_errors(name, session):
    labels, predictions = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.5, 2.0, 5.0])
    found = updated(session, getattr(tf.metrics, name)(labels, predictions))
    assert found == pytest.approx(MEANS[name], rel=1e-6)


def test_other_means(session):
    labels, predictions = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.5, 2.0, 5.0])
    relative = tf.metrics.mean_relative_error(labels, predictions, [2.0, 0.0, 4.0])
    assert updated(session, relative) == pytest.approx(0.25)
    below = tf.metrics.percentage_below(labels, 2.5)
    assert updated(session, below) == pytest.approx(2 / 3)
    each = tf.metrics.mean_tensor(labels, [1.0, 0.0, 1.0])
    assert updated(session, each).tolist() == [1, 0, 3]
    vectors = tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[0.6, 0.8], [0.0, 1.0]])
    cosine = tf.metrics.mean_cosine_distance(*vectors, 1)
    assert updated(session, cosine) == pytest.approx(0.2)


def test_classes(session):
    labels, predictions = tf.constant([0, 1, 1, 2]), tf.constant([0, 1, 2, 2])
    value, update = tf.metrics.mean_iou(labels, predictions, 3)
    session.run(tf.local_variables_initializer())
    assert session.run(update).tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert session.run(value) == pytest.approx(2 / 3)
    value, update = tf.metrics.mean_per_class_accuracy(labels, predictions, 3)
    session.run(tf.local_variables_initializer())
    assert session.run(update).tolist() == [1, 0.5, 1]
    assert session.run(value) == pytest.approx(2.5 / 3)


def test_thresholds(session):
    labels, chances = tf.constant(YES), tf.constant(CHANCES)
    limits = [0.2, 0.5, 0.85]
    hits = tf.metrics.true_positives_at_thresholds(labels, chances, limits)
    assert updated(session, hits).tolist() == [3, 2, 1]
    precision = tf.metrics.precision_at_thresholds(labels, chances, limits)
    assert updated(session, precision) == pytest.approx([0.75, 1, 1])
    recall = tf.metrics.recall_at_thresholds(labels, chances, limits)
    assert updated(session, recall) == pytest.approx([1, 2 / 3, 1 / 3])
    assert updated(session, tf.metrics.auc(labels, chances)) == pytest.approx(5 / 6, 1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in"):
        updated(session, tf.metrics.auc(labels, chances + 1))
    with pytest.raises(ValueError, match="curve must be either ROC or PR"):
        tf.metrics.auc(labels, chances, curve="XY")


RANKS = {
    "accuracy": 1.0,
    "mean_squared_error": 0.0,
    "mean_absolute_error": 0.0,
    "root_mean_squared_error": 0.0,
    "precision": 1.0,
    "recall": 1.0,
    "true_positives": 2.0,
    "true_negatives": 1.0,
    "false_positives": 0.0,
    "false_negatives": 0.0,
}


def hidden(value, dtype=np.float32):
    """A tensor whose rank only the step knows."""
    return tf.placeholder_with_default(np.asarray(value, dtype), None)


@pytest.mark.parametrize("weights", [None, [[1.0], [1.0], [1.0]], [1.0, 1.0, 1.0], 1.0])
@pytest.mark.parametrize("name", RANKS)
def test_a_last_axis_of_size_1_is_dropped_in_the_step(name, weights, session):
    metric, weights = (
        getattr(tf.metrics, name),
        None if weights is None else hidden(weights),
    )
    column, row = hidden([[1], [0], [1]]), tf.constant([1.0, 0.0, 1.0])
    for labels, predictions in ((column, row), (row, column), (column, column)):
        assert updated(session, metric(labels, predictions, weights)) == RANKS[name]


def test_weights_get_or_lose_a_last_axis_in_the_step(session):
    values = tf.constant([1.0, 2.0, 6.0])
    for weights in ([[1.0], [0.0], [1.0]], [1.0, 0.0, 1.0]):
        for x in (values, hidden(values.eval(session=session)), hidden([[1], [2], [6]])):
            assert updated(session, tf.metrics.mean(x, hidden(weights))) == 3.5
            below = tf.metrics.percentage_below(x, 3.0, hidden(weights))
            assert updated(session, below) == 0.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="can not be broadcast"):
        updated(session, tf.metrics.mean(values, hidden([1.0, 2.0])))


def test_labels_and_predictions_of_two_shapes_fail_in_the_step(session):
    for labels, predictions in (([[1, 0]], [[1], [0]]), ([1, 0], [1]), ([[[1]]], [1])):
        metric = tf.metrics.accuracy(hidden(labels), hidden(predictions))
        with pytest.raises(tf.errors.InvalidArgumentError, match="differ in shape"):
            updated(session, metric)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can not squeeze"):
        updated(session, tf.metrics.accuracy(hidden([[1, 0], [1, 0]]), hidden([1, 0])))


@pytest.mark.parametrize("make", [tf.constant, hidden])
def test_a_normalizer_of_another_rank_is_refused(make, session):
    column, row = make([[1.0], [2.0]]), make([2.0, 2.0])
    assert updated(session, tf.metrics.mean_relative_error(row, row, column)) == 0
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="differ|compatible"
    ):
        updated(session, tf.metrics.mean_relative_error(column, column, row))


def test_a_confusion_matrix_drops_axes_in_the_step(session):
    column, row = hidden([[0], [1], [1]], np.int32), hidden([0, 1, 0], np.int32)
    for pair, expected in (
        [(column, row), [[1, 0], [1, 1]]],
        [(row, column), [[1, 1], [0, 1]]],
    ):
        assert session.run(tf.confusion_matrix(*pair, 2)).tolist() == expected
    weighted = tf.confusion_matrix(column, row, 2, weights=hidden([[1], [2], [3]]))
    assert session.run(weighted).tolist() == [[1, 0], [3, 2]]


def test_there_are_no_metrics_in_eager_mode():
    with context.entered(None), pytest.raises(RuntimeError, match="tf.metrics.accuracy"):
        tf.metrics.accuracy([1], [1])


def test_names_of_results():
    with tf.Graph().as_default():
        names = [
            tf.metrics.true_positives([1, 0], [1, 1])[0].name,
            tf.metrics.false_positives_at_thresholds([1, 0], [0.5, 0.1], [0.3])[0].name,
            tf.metrics.mean_iou([1, 0], [1, 1], 2)[0].name,
            *(y.name for y in tf.metrics.mean_cosine_distance([1.0], [0.5], 0)),
            *(y.name for y in tf.metrics.recall_at_thresholds([1, 0], [0.5, 0.1], [0.3])),
        ]
    assert names == [
        "true_positives/Identity:0",
        "false_positives/Identity:0",
        "mean_iou/Select_1:0",
        "Sub:0",
        "Sub_1:0",
        "recall_at_thresholds/recall_value:0",
        "recall_at_thresholds/recall_update_op:0",
    ]
