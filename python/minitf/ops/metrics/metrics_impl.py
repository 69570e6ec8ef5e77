"""``tf.metrics``: how good predictions are, over all batches so far.

Every metric returns ``(value, update_op)``: ``update_op`` takes a batch in and gives the
new value, ``value`` gives the present one. Their sums are local variables, so a program
runs ``tf.local_variables_initializer()`` first. There are no metrics in eager mode.

Compare: tensorflow/python/ops/metrics_impl.py. Read next: ``threshold_metrics.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.losses.loss_weights import (
    broadcast_weights,
    same_shape,
    weights_of_rank,
)
from minitf.ops.metrics.metric_ops import (
    add,
    as_booleans,
    confusion_matrix,
    count_of,
    finish,
    mean_of,
    metric_variable,
    positive_ratio,
    ratio,
    require_graph,
    without_one_axis,
)
from minitf.ops.metrics.threshold_metrics import (
    auc,
    false_negatives_at_thresholds,
    false_positives_at_thresholds,
    precision_at_thresholds,
    recall_at_thresholds,
    true_negatives_at_thresholds,
    true_positives_at_thresholds,
)
from minitf.variables.variable_scope import variable_scope

__all__ = [
    "accuracy",
    "auc",
    "false_negatives",
    "false_negatives_at_thresholds",
    "false_positives",
    "false_positives_at_thresholds",
    "mean",
    "mean_absolute_error",
    "mean_cosine_distance",
    "mean_iou",
    "mean_per_class_accuracy",
    "mean_relative_error",
    "mean_squared_error",
    "mean_tensor",
    "percentage_below",
    "precision",
    "precision_at_thresholds",
    "recall",
    "recall_at_thresholds",
    "root_mean_squared_error",
    "true_negatives",
    "true_negatives_at_thresholds",
    "true_positives",
    "true_positives_at_thresholds",
]


# ---- Means -----------------------------------------------------------------------------


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of all values.

    Args:
        values: a tensor of any shape.
        weights: in the shape of values, with 1 for axes along which they are equal, or a
            scalar; 1 if None.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        name: of the scope.

    Returns:
        ``(value, update_op)``.

    Raises:
        RuntimeError: in eager mode.
    """
    require_graph("mean")
    with variable_scope(name, "mean", (values, weights)):
        return mean_of(values, weights, (metrics_collections, updates_collections))


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """How often predictions equal labels. See ``mean`` for the other arguments."""
    require_graph("accuracy")
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    weights = None if weights is None else convert_to_tensor(weights)
    labels, predictions, weights = without_one_axis(labels, predictions, weights)
    if labels.dtype is not predictions.dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    is_correct = math_ops.cast(call("Equal", [predictions, labels]), dtypes.float32)
    return mean(
        is_correct, weights, metrics_collections, updates_collections, name or "accuracy"
    )


def _error_mean(name: str, error: Callable[[Tensor, Tensor], Tensor], doc: str) -> Any:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(metric.__name__)
        labels, predictions, weights = _as_floats(labels, predictions, weights)
        errors = error(predictions, labels)
        return mean(
            errors,
            weights,
            metrics_collections,
            updates_collections,
            name or metric.__name__,
        )

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = doc
    return metric


def _as_floats(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any, Any]:
    predictions = math_ops.cast(convert_to_tensor(predictions), dtypes.float32)
    labels = math_ops.cast(convert_to_tensor(labels), dtypes.float32)
    weights = None if weights is None else convert_to_tensor(weights)
    return without_one_axis(labels, predictions, weights)


mean_absolute_error = _error_mean(
    "mean_absolute_error",
    lambda predictions, labels: math_ops.abs(predictions - labels),
    "The mean of |predictions - labels|. See ``mean`` for the arguments.",
)
mean_squared_error = _error_mean(
    "mean_squared_error",
    lambda predictions, labels: call("SquaredDifference", [predictions, labels]),
    "The mean of (predictions - labels)^2. See ``mean`` for the arguments.",
)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The root of ``mean_squared_error``."""
    require_graph("root_mean_squared_error")
    name = name or "root_mean_squared_error"
    squares = mean_squared_error(labels, predictions, weights, None, None, name)
    value, update = (call("Sqrt", [item]) for item in squares)
    return finish(value, update, metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of |labels - predictions| / normalizer, with 0 where that is 0."""
    require_graph("mean_relative_error")
    labels, predictions, weights = _as_floats(labels, predictions, weights)
    normalizer = math_ops.cast(convert_to_tensor(normalizer), dtypes.float32)
    predictions, normalizer, _ = without_one_axis(predictions, normalizer)
    predictions = same_shape(labels, predictions)
    errors = ratio(math_ops.abs(labels - predictions), normalizer)
    name = name or "mean_relative_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """1 less the mean of the sums of products along ``dim`` of vectors of length 1."""
    require_graph("mean_cosine_distance")
    labels, predictions, weights = _as_floats(labels, predictions, weights)
    similar = reductions.reduce_sum(predictions * labels, [dim], keepdims=True)
    name = name or "mean_cosine_distance"
    value, update = mean(similar, weights, None, None, name)
    value, update = (call("Sub", [1.0, item]) for item in (value, update))
    return finish(value, update, metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The part of the values that is less than a threshold."""
    require_graph("percentage_below")
    is_below = math_ops.cast(call("Less", [values, threshold]), dtypes.float32)
    name = name or "percentage_below_threshold"
    return mean(is_below, weights, metrics_collections, updates_collections, name)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of each element over all batches; the shape of values must be known."""
    require_graph("mean_tensor")
    with variable_scope(name, "mean", (values, weights)):
        values = math_ops.cast(convert_to_tensor(values), dtypes.float32)
        total = metric_variable(values.shape, "total_tensor")
        count = metric_variable(values.shape, "count_tensor")
        members = array_ops.ones_like(values)
        if weights is not None:
            weights = math_ops.cast(convert_to_tensor(weights), dtypes.float32)
            weights = weights_of_rank(weights, values, expands=True)
            weights = broadcast_weights(weights, values)
            values, members = values * weights, members * weights
        new_total = add(total, values)
        new_count = add(count, members, [values])
        value = positive_ratio(total.value(), count.value(), "value")
        update = positive_ratio(new_total, new_count, "update_op")
        return finish(value, update, metrics_collections, updates_collections)


# ---- Yes and no ------------------------------------------------------------------------


def _counted(name: str, label: bool, prediction: bool, words: str) -> Any:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(metric.__name__)
        with variable_scope(name, metric.__name__, (predictions, labels, weights)):
            labels, predictions, weights = as_booleans(labels, predictions, weights)
            is_member = _both(labels, label, predictions, prediction)
            count, update = count_of(is_member, weights)
            value = array_ops.identity(count.value())
            return finish(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = f"""How many {words}. Numbers are taken as yes unless 0.

    The other arguments are those of ``mean``.
    """
    return metric


def _both(labels: Tensor, label: bool, predictions: Tensor, prediction: bool) -> Tensor:
    labels = labels if label else call("LogicalNot", [labels])
    predictions = predictions if prediction else call("LogicalNot", [predictions])
    return call("LogicalAnd", [labels, predictions])


true_positives = _counted("true_positives", True, True, "are yes, and predicted so")
false_positives = _counted("false_positives", False, True, "are no, and predicted yes")
true_negatives = _counted("true_negatives", False, False, "are no, and predicted so")
false_negatives = _counted("false_negatives", True, False, "are yes, and predicted no")


def _share(name: str, other_label: bool, other_prediction: bool, doc: str) -> Any:
    others = "false_negatives" if other_label else "false_positives"

    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(metric.__name__)
        with variable_scope(name, metric.__name__, (predictions, labels, weights)):
            labels, predictions, weights = as_booleans(labels, predictions, weights)
            is_hit = _both(labels, True, predictions, True)
            is_other = _both(labels, other_label, predictions, other_prediction)
            hits, new_hits = _counter("true_positives", is_hit, weights)
            wrong, new_wrong = _counter(others, is_other, weights)
            value = positive_ratio(hits, hits + wrong, "value")
            update = positive_ratio(new_hits, new_hits + new_wrong, "update_op")
            return finish(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = doc
    return metric


def _counter(scope: str, is_member: Tensor, weights: Any) -> tuple[Tensor, Tensor]:
    with variable_scope(None, scope):
        count, update = count_of(is_member, weights)
        return count.value(), update


precision = _share(
    "precision", False, True, "The part of what is predicted yes that is yes."
)
recall = _share("recall", True, False, "The part of what is yes that is predicted so.")


# ---- Classes ---------------------------------------------------------------------------


def _flat_classes(classes: Any) -> Tensor:
    """Classes of any shape as a vector of int64."""
    return array_ops.reshape(math_ops.cast(classes, dtypes.int64), [-1])


def _running_matrix(
    labels: Any, predictions: Any, num_classes: int, weights: Any
) -> tuple[Tensor, Tensor]:
    """The confusion matrix of all batches, and its update.

    Raises:
        ValueError: the static shapes of labels and predictions differ.
        errors.InvalidArgumentError: in the step; the shapes differ.
    """
    labels = convert_to_tensor(labels)
    both = [labels, same_shape(labels, convert_to_tensor(predictions))]
    total = metric_variable(
        [num_classes, num_classes], "total_confusion_matrix", dtypes.float64
    )
    flat = map(_flat_classes, both)
    if weights is not None:
        weights = array_ops.reshape(convert_to_tensor(weights), [-1])
    matrix = confusion_matrix(*flat, num_classes, dtypes.float64, weights=weights)
    return total.value(), add(total, matrix)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean over classes of what was right, out of all that is or was taken for it.

    Returns:
        ``(value, update_op)``, where the update is the new confusion matrix.
    """
    require_graph("mean_iou")
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        matrix, update = _running_matrix(labels, predictions, num_classes, weights)
        rows = math_ops.cast(reductions.reduce_sum(matrix, 0), dtypes.float32)
        columns = math_ops.cast(reductions.reduce_sum(matrix, 1), dtypes.float32)
        right = math_ops.cast(call("MatrixDiagPart", [matrix]), dtypes.float32)
        union = rows + columns - right
        present = call("NotEqual", [union, 0.0])
        classes = reductions.reduce_sum(math_ops.cast(present, dtypes.float32))
        total = reductions.reduce_sum(positive_ratio(right, union))
        value = positive_ratio(total, classes)
        return finish(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean over classes of how often a class was taken for itself.

    Returns:
        ``(value, update_op)``, where the update is the accuracy of each class.
    """
    require_graph("mean_per_class_accuracy")
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels, predictions = _flat_classes(labels), _flat_classes(predictions)
        predictions = same_shape(labels, predictions)
        total = metric_variable([num_classes], "total")
        count = metric_variable([num_classes], "count")
        members = array_ops.ones_like(labels, dtype=dtypes.float32)
        right = math_ops.cast(call("Equal", [labels, predictions]), dtypes.float32)
        if weights is not None:
            weights = math_ops.cast(convert_to_tensor(weights), dtypes.float32)
            weights = array_ops.reshape(weights, [-1])
            members, right = members * weights, right * weights
        sums = [
            call("UnsortedSegmentSum", [x, labels, num_classes]) for x in (members, right)
        ]
        new_total, new_count = add(total, sums[0]), add(count, sums[1])
        of_each = ratio(count.value(), total.value())
        value = reductions.reduce_mean(of_each, name="mean_accuracy")
        update = ratio(new_count, new_total, "update_op")
        return finish(value, update, metrics_collections, updates_collections)


def __dir__() -> list[str]:
    return __all__
