"""Metrics of predictions between 0 and 1 that count as yes above one of many thresholds.

All keep up to four vectors with a count for each threshold: of true and false positives
and negatives. ``auc`` is the area under the curve that two rates, worked out of them,
draw as the threshold moves.

Compare: tensorflow/python/ops/metrics_impl.py. Read next: ``metric_ops.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.losses.loss_weights import broadcast_weights
from minitf.ops.metrics.metric_ops import (
    add,
    finish,
    metric_variable,
    require_graph,
    without_one_axis,
)
from minitf.ops.metrics.pr_curve import area_under_pr_curve
from minitf.ops.step_checks import Assert
from minitf.variables.variable_scope import variable_scope

_KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}
_EPSILON = 1e-7


def _counts(
    labels: Any, predictions: Any, thresholds: list[float], weights: Any, kinds: list[str]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The counts of each kind for each threshold, and their updates."""
    labels = math_ops.cast(convert_to_tensor(labels), dtypes.bool_)
    predictions = math_ops.cast(convert_to_tensor(predictions), dtypes.float32)
    weights = None if weights is None else convert_to_tensor(weights)
    labels, predictions, weights = without_one_axis(labels, predictions, weights)
    in_range = call(
        "LogicalAnd",
        [call("GreaterEqual", [predictions, 0.0]), call("LessEqual", [predictions, 1.0])],
    )
    data = ["predictions must be in [0, 1], are", predictions]
    with control_dependencies([Assert(reductions.reduce_all(in_range), data)]):
        flat = array_ops.reshape(predictions, [1, -1])
    if weights is not None:
        weights = math_ops.cast(weights, dtypes.float32)
        weights = array_ops.reshape(broadcast_weights(weights, predictions), [1, -1])
    limits = convert_to_tensor(thresholds, dtypes.float32)
    is_yes = call("Greater", [flat, array_ops.expand_dims(limits, 1)])  # [T,N]
    is_true = call(
        "LogicalAnd", [array_ops.reshape(labels, [1, -1]), array_ops.ones_like(is_yes)]
    )

    values, updates = {}, {}
    for kind in kinds:
        name, label, prediction = _KINDS[kind]
        sides = [
            side if wanted else call("LogicalNot", [side])
            for side, wanted in ((is_true, label), (is_yes, prediction))
        ]
        members = math_ops.cast(call("LogicalAnd", sides), dtypes.float32)
        if weights is not None:
            members = members * weights
        count = metric_variable([len(thresholds)], name)
        updates[kind] = add(count, reductions.reduce_sum(members, 1))
        values[kind] = count.value()
    return values, updates


def _counted(kind: str) -> Any:
    function_name = f"{_KINDS[kind][0]}_at_thresholds"

    def metric(
        labels: Any,
        predictions: Any,
        thresholds: list[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(function_name)
        with variable_scope(name, _KINDS[kind][0], (predictions, labels, weights)):
            values, updates = _counts(labels, predictions, thresholds, weights, [kind])
            value = array_ops.identity(values[kind])
            return finish(value, updates[kind], metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function_name
    metric.__doc__ = f"""``{_KINDS[kind][0]}``, for each of a list of thresholds.

    Args:
        labels: yes or no, or numbers: yes unless 0.
        predictions: between 0 and 1.
        thresholds: a prediction above counts as yes.
        weights: as for ``mean``.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        name: of the scope.
    """
    return metric


true_positives_at_thresholds = _counted("tp")
false_negatives_at_thresholds = _counted("fn")
true_negatives_at_thresholds = _counted("tn")
false_positives_at_thresholds = _counted("fp")


def _share(function_name: str, other: str, doc: str) -> Any:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: list[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(function_name)
        with variable_scope(name, function_name, (predictions, labels, weights)):
            kinds = ["tp", other]
            start = function_name.partition("_")[0]  # precision or recall
            nodes = f"{start}_value", f"{start}_update_op"
            found = _counts(labels, predictions, thresholds, weights, kinds)
            value, update = (
                call("RealDiv", [x["tp"], _EPSILON + x["tp"] + x[other]], None, node)
                for x, node in zip(found, nodes, strict=True)
            )
            return finish(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function_name
    metric.__doc__ = doc
    return metric


precision_at_thresholds = _share(
    "precision_at_thresholds", "fp", "``precision``, for each of a list of thresholds."
)
recall_at_thresholds = _share(
    "recall_at_thresholds", "fn", "``recall``, for each of a list of thresholds."
)


def _grid(num_thresholds: int) -> list[float]:
    """So many thresholds from 0 to 1, the outer ones a little beyond."""
    if num_thresholds < 2:
        raise ValueError(f"num_thresholds must be at least 2, is {num_thresholds}")
    inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [-_EPSILON, *inner, 1 + _EPSILON]


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: list[float] | None = None,
) -> tuple[Tensor, Tensor]:
    """The area under a curve: of hits over false alarms, or of precision over recall.

    Args:
        labels: yes or no.
        predictions: between 0 and 1.
        weights: as for ``mean``.
        num_thresholds: how many thresholds from 0 to 1 there are.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        curve: 'ROC' or 'PR'.
        name: of the scope.
        summation_method: the height between two points: 'trapezoidal' takes the mean of
            theirs, 'minoring' the smaller, 'majoring' the larger. For the curve 'PR',
            'careful_interpolation' has straight lines of counts (``pr_curve.py``); for
            'ROC' it is 'trapezoidal'.
        thresholds: those between 0 and 1, in place of num_thresholds.
    """
    require_graph("auc")
    heights = {
        "trapezoidal": (mean := lambda a, b: (a + b) / 2.0),
        "careful_interpolation": mean,
        "minoring": math_ops.minimum,
        "majoring": math_ops.maximum,
    }
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in heights:
        raise ValueError(f"Invalid summation_method: {summation_method}")
    with variable_scope(name, "auc", (labels, predictions, weights)):
        limits = _grid(num_thresholds)
        if thresholds is not None:
            limits = [-_EPSILON, *sorted(thresholds), 1 + _EPSILON]
        found = _counts(labels, predictions, limits, weights, ["tp", "fn", "tn", "fp"])

        def area(counts: dict[str, Tensor], node: str) -> Tensor:
            if (curve, summation_method) == ("PR", "careful_interpolation"):
                return area_under_pr_curve(counts)
            x, y = _points(counts, curve)
            height = heights[summation_method](y[:-1], y[1:])
            return reductions.reduce_sum((x[:-1] - x[1:]) * height, name=node)

        value, update = map(area, found, ("value", "update_op"))
        return finish(value, update, metrics_collections, updates_collections)


def _points(counts: dict[str, Tensor], curve: str) -> tuple[Tensor, Tensor]:
    hits = (counts["tp"] + 1e-6) / (counts["tp"] + counts["fn"] + 1e-6)
    if curve == "ROC":
        return counts["fp"] / (counts["fp"] + counts["tn"] + 1e-6), hits
    return hits, (counts["tp"] + 1e-6) / (counts["tp"] + counts["fp"] + 1e-6)
