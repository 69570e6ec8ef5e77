"""Precision and recall of the k classes with the largest predictions.

Each example has a set of labels and a set of k predicted classes. Their common classes
are true positives. The other predicted classes are false positives, and the other labels
are false negatives.

Compare: tensorflow/python/ops/metrics_impl.py. Read next: ``sets.py``.
"""

from typing import Any

from minitf.contrib.ranking.sets import as_sets, count, is_in, rows_of
from minitf.control_flow.control_flow_ops import cond
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.losses.loss_weights import broadcast_weights
from minitf.ops.metrics.metric_ops import (
    add,
    finish,
    metric_variable,
    ratio,
    require_graph,
)
from minitf.ops.nn.nn_ops import top_k
from minitf.platform import tf_logging
from minitf.util.signatures import make_function, parameters_of


def _name(start: str, k: int | None, class_id: int | None = None) -> str:
    name = f"{start}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _running(counts: Tensor, weights: Any, name: str) -> tuple[Tensor, Tensor]:
    """The sum of all counts so far, each by its weight; and its update."""
    with name_scope(None, name, [counts, weights]) as scope:
        if weights is not None:
            weights = math_ops.cast(convert_to_tensor(weights), dtypes.float64)
            counts = counts * broadcast_weights(weights, counts)
        variable = metric_variable([], scope, dtypes.float64)
        return variable.value(), add(variable, reductions.reduce_sum(counts))


def _rate_at_top_k(kind: str, other: str) -> Any:
    """``precision_at_top_k`` or ``recall_at_top_k``: hits by hits and ``other``."""
    function_name = f"{kind}_at_top_k"

    def metric(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(function_name)
        values = [predictions_idx, labels, weights]
        with name_scope(name, _name(kind, k, class_id), values) as scope:
            predicted = convert_to_tensor(predictions_idx)
            rows = rows_of(labels, predicted)
            chosen = as_sets(rows_of(predicted, predicted, "predictions_idx"), class_id)
            right = as_sets(rows, class_id)
            hit = call("LogicalAnd", [is_in(chosen.ids, right), chosen.is_there])
            hits = count(hit)
            sides = {"false_positive": chosen, "false_negative": right}
            misses = count(sides[other].is_there) - hits
            total, new_total = _running(
                hits, weights, _name("true_positive", k, class_id)
            )
            wrong, new_wrong = _running(misses, weights, _name(other, k, class_id))
            value = call("RealDiv", [total, total + wrong], None, scope)
            update = call("RealDiv", [new_total, new_total + new_wrong], None, "update")
            return finish(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function_name
    metric.__doc__ = f"""The {kind} of the k classes that are predicted for an example.

    Args:
        labels: integers ``[D1,...,DN,n]``, or a sparse tensor of them: the classes of
            each example. Or ``[D1,...,DN]``, one class for each.
        predictions_idx: integers ``[D1,...,DN,k]``: the predicted classes.
        k: only part of the default name.
        class_id: count this class alone; all classes if None.
        weights: a scalar, or ``[D1,...,DN]`` with 1 for axes along which they are equal.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        name: of the scope.

    Returns:
        ``(value, update_op)`` in float64; NaN if nothing was counted.

    Raises:
        RuntimeError: in eager mode.
        TypeError: labels or predictions_idx are no integers.
        ValueError: the shapes do not fit.
    """
    return metric


precision_at_top_k = _rate_at_top_k("precision", "false_positive")
recall_at_top_k = _rate_at_top_k("recall", "false_negative")


def _rate_at_k(kind: str, at_top_k: Any) -> Any:
    function_name = f"{kind}_at_k"

    def metric(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(function_name)
        values = [predictions, labels, weights]
        with name_scope(name, _name(kind, k, class_id), values) as scope:
            return at_top_k(
                labels,
                top_k(predictions, k)[1],
                k,
                class_id,
                weights,
                metrics_collections,
                updates_collections,
                scope,
            )

    metric.__name__ = metric.__qualname__ = function_name
    metric.__doc__ = f"""The {kind} of the k classes with the largest predictions.

    Args:
        labels: as for ``{kind}_at_top_k``.
        predictions: floating-point numbers ``[D1,...,DN,C]``, one for each of C classes.
        k: how many classes are predicted.
        class_id: as for ``{kind}_at_top_k``, and so are the other arguments.
        weights: see class_id.
        metrics_collections: see class_id.
        updates_collections: see class_id.
        name: see class_id.
    """
    return metric


precision_at_k = _rate_at_k("precision", precision_at_top_k)
recall_at_k = _rate_at_k("recall", recall_at_top_k)


def _without_classes_above(labels: Any, classes: Tensor) -> Any:
    """The labels, with -1 in place of ids that no prediction has."""
    is_sparse = isinstance(labels, (SparseTensor, SparseTensorValue))
    ids = convert_to_tensor(labels.values if is_sparse else labels)
    classes = math_ops.cast(classes, ids.dtype)
    largest = reductions.reduce_max(ids)

    def cleaned() -> Tensor:
        is_above = call("GreaterEqual", [ids, classes])
        return array_ops.where(is_above, -array_ops.ones_like(ids), ids)

    is_needed = call("GreaterEqual", [largest, classes])
    ids = cond(is_needed, cleaned, lambda: array_ops.identity(ids))
    return SparseTensor(labels.indices, ids, labels.dense_shape) if is_sparse else ids


def _average_precision(labels: Any, predicted: Tensor) -> Tensor:
    """For each example the mean precision at the places of the right classes."""
    rows = rows_of(labels, predicted)
    hits = math_ops.cast(is_in(math_ops.cast(predicted, "int64"), rows), dtypes.float64)
    places = math_ops.cumsum(array_ops.ones_like(hits), -1)
    precisions = math_ops.cumsum(hits, -1) / places
    total = reductions.reduce_sum(precisions * hits, -1)
    if isinstance(labels, (SparseTensor, SparseTensorValue)):
        relevant = count(as_sets(rows).is_there)
    else:
        relevant = count(call("GreaterEqual", [rows.ids, 0]))
    k = math_ops.cast(array_ops.shape(predicted)[-1], dtypes.float64)
    return total / math_ops.minimum(relevant, k)


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of the average precision of the k classes with the largest predictions.

    The average precision of an example sums the precisions at the places of its right
    classes. The sum is divided by the number of its labels, or by k if that is less.

    Args:
        labels: as for ``precision_at_top_k``. Dense labels below 0 do not count.
        predictions: floating-point numbers ``[D1,...,DN,C]``, one for each of C classes.
        k: how many classes are predicted.
        weights: as for ``precision_at_top_k``.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        name: of the scope.

    Returns:
        ``(value, update_op)`` in float64.

    Raises:
        RuntimeError: in eager mode.
        TypeError: the labels are no integers.
        ValueError: k is less than 1, or the shapes do not fit.
    """
    require_graph("average_precision_at_k")
    if k < 1:
        raise ValueError(f"average_precision_at_k: invalid k={k}, expected at least 1")
    values = [predictions, labels, weights]
    with name_scope(name, _name("average_precision", k), values) as scope:
        predictions = convert_to_tensor(predictions)
        labels = _without_classes_above(labels, array_ops.shape(predictions)[-1])
        averages = _average_precision(labels, top_k(predictions, k)[1])
        ones = array_ops.ones_like(averages)
        members, new_members = _running(ones, weights, "max")
        total, new_total = _running(averages, weights, "total")
        value = ratio(total, members, "mean")
        update = ratio(new_total, new_members, scope)
        return finish(value, update, metrics_collections, updates_collections)


def _older_name(function: Any) -> Any:
    """``function`` under its former name, which begins with ``sparse_``."""

    def body(**given: Any) -> Any:
        tf_logging.warning(
            "sparse_%s is deprecated: use %s instead", *[function.__name__] * 2
        )
        return function(**given)

    name = f"sparse_{function.__name__}"
    doc = f"A former name of ``{function.__name__}``."
    return make_function(name, doc, parameters_of(function).values(), body)


sparse_precision_at_k = _older_name(precision_at_k)
sparse_average_precision_at_k = _older_name(average_precision_at_k)
