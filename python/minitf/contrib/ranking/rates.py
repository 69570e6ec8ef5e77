"""One rate of a classifier at the threshold where another one has a given value.

Compare: tensorflow/python/ops/metrics_impl.py. Read next: ``contrib/app/__init__.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import math_ops, reductions
from minitf.ops.metrics.metric_ops import finish, require_graph
from minitf.ops.metrics.threshold_metrics import _counts, _grid
from minitf.variables.variable_scope import variable_scope

_EPSILON = 1e-7


def _share(part: Tensor, rest: Tensor, name: str | None = None) -> Tensor:
    return call("RealDiv", [part, part + rest + _EPSILON], None, name)


def _at(
    function_name: str,
    target: tuple[str, float],
    data: tuple[Any, Any, Any],
    limits: list[float],
    rate: Callable[[dict[str, Tensor], str], Tensor],
) -> tuple[Tensor, Tensor]:
    """``rate`` of the counts of all batches, and of those with this one."""
    name, value = target
    require_graph(function_name)
    if not 0 <= value <= 1:
        raise ValueError(
            f"{function_name}: `{name}` must be in the range [0, 1], is {value}"
        )
    labels, predictions, weights = data
    kinds = ["tp", "fn", "tn", "fp"]
    values, updates = _counts(labels, predictions, limits, weights, kinds)
    return rate(values, "value"), rate(updates, "update_op")


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The part of the positives that is found, at a given specificity.

    The specificity is the part of the negatives that is found. The threshold is the first
    of those whose specificity is nearest to the given one.

    Args:
        labels: yes or no, or numbers: yes unless 0.
        predictions: between 0 and 1.
        specificity: between 0 and 1.
        weights: as for ``tf.metrics.mean``.
        num_thresholds: how many thresholds from 0 to 1 there are.
        metrics_collections: collections that ``value`` is added to.
        updates_collections: collections that ``update_op`` is added to.
        name: of the scope.

    Returns:
        ``(value, update_op)``.

    Raises:
        RuntimeError: in eager mode.
        ValueError: specificity is not between 0 and 1, or the shapes do not fit.
    """

    def rate(counts: dict[str, Tensor], node: str) -> Tensor:
        distances = math_ops.abs(_share(counts["tn"], counts["fp"]) - specificity)
        place = math_ops.argmin(distances, 0)
        return _share(counts["tp"][place], counts["fn"][place], node)

    own = "sensitivity_at_specificity"
    with variable_scope(name, own, (predictions, labels, weights)):
        data = labels, predictions, weights
        limits = _grid(num_thresholds)
        found = _at(own, ("specificity", specificity), data, limits, rate)
        return finish(*found, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The part of the negatives that is found, at a given sensitivity.

    The threshold is the last of those whose sensitivity is nearest to the given one. The
    arguments are those of ``sensitivity_at_specificity``.
    """

    def rate(counts: dict[str, Tensor], node: str) -> Tensor:
        distances = math_ops.abs(_share(counts["tp"], counts["fn"]) - sensitivity)
        nearest = math_ops.equal(distances, reductions.reduce_min(distances))
        place = math_ops.argmax(math_ops.cumsum(math_ops.cast(nearest, "int64")), 0)
        return _share(counts["tn"][place], counts["fp"][place], node)

    own = "specificity_at_sensitivity"
    with variable_scope(name, own, (predictions, labels, weights)):
        data = labels, predictions, weights
        # As in TensorFlow, the last threshold is below 1.
        limits = [*_grid(num_thresholds)[:-1], 1 - _EPSILON]
        found = _at(own, ("sensitivity", sensitivity), data, limits, rate)
        return finish(*found, metrics_collections, updates_collections)
