"""What metrics share: running sums, confusion matrices, and shapes that fit.

A metric keeps sums in variables of its own, local ones: ``total`` and ``count``. It gives
a value, worked out of them, and an update, which adds a batch and gives the new value.

Compare: tensorflow/python/ops/metrics_impl.py, confusion_matrix.py. Read next:
``ops/losses/losses_impl.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys, add_to_collections
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.losses.loss_weights import (
    broadcast_weights,
    same_ranks,
    same_shape,
    weights_of_rank,
)
from minitf.ops.value_assertions import assert_less, assert_non_negative
from minitf.variables import state_ops
from minitf.variables.variables import Variable


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """How often each class (row) was taken for each class (column).

    Args:
        labels: ``[n]``, the classes; from 0 up.
        predictions: ``[n]``, what they were taken for.
        num_classes: one more than the largest number in both if None.
        dtype: of the counts.
        name: of the scope.
        weights: ``[n]``, what each example counts; 1 if None.

    Returns:
        ``[num_classes, num_classes]``.

    Raises:
        errors.InvalidArgumentError: a class is negative, or too large.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.confusion_matrix([0, 1, 1], [0, 1, 0])).tolist()
    [[1, 0], [1, 1]]
    """
    with name_scope(name, "confusion_matrix", [predictions, labels]):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = same_ranks(labels, predictions)
        labels = math_ops.cast(labels, dtypes.int64)
        predictions = math_ops.cast(predictions, dtypes.int64)
        labels = _after(
            assert_non_negative(labels, message="`labels` contains negative values"),
            labels,
        )
        predictions = _after(
            assert_non_negative(
                predictions, message="`predictions` contains negative values"
            ),
            predictions,
        )
        if num_classes is None:
            most = math_ops.maximum(
                reductions.reduce_max(predictions), reductions.reduce_max(labels)
            )
            classes = most + 1
        else:
            classes = math_ops.cast(num_classes, dtypes.int64)
            labels = _after(
                assert_less(labels, classes, message="`labels` out of bound"), labels
            )
            predictions = _after(
                assert_less(predictions, classes, message="`predictions` out of bound"),
                predictions,
            )
        dtype = as_dtype(dtype)
        if weights is None:
            counts = array_ops.ones_like(predictions, dtype=dtype)
        else:
            counts = convert_to_tensor(weights)
            if None in (counts.shape.ndims, predictions.shape.ndims):
                counts = weights_of_rank(counts, predictions)
            predictions.shape.assert_is_compatible_with(counts.shape)
            counts = math_ops.cast(counts, dtype)
        places = array_ops.stack([labels, predictions], axis=1)
        matrix = call("ScatterNd", [places, counts, array_ops.stack([classes, classes])])
        matrix.set_shape([num_classes if isinstance(num_classes, int) else None] * 2)
        return matrix


def _after(check: Any, tensor: Tensor) -> Tensor:
    """``tensor``, which waits for a check."""
    if check is None:
        return tensor
    with control_dependencies([check]):
        return array_ops.identity(tensor)


def without_one_axis(
    labels: Tensor, predictions: Tensor, weights: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The three with one rank: a last axis of size 1 is dropped, or added to weights.

    Raises:
        ValueError: labels and predictions have two shapes.
        errors.InvalidArgumentError: the same, in the step.
    """
    labels, predictions = same_ranks(labels, predictions)
    predictions = same_shape(labels, predictions)
    if weights is not None:
        weights = weights_of_rank(weights, predictions, expands=True)
    return labels, predictions, weights


# ---- Running sums ----------------------------------------------------------------------


def require_graph(name: str) -> None:
    """Raises an error in eager mode, where a metric would lose its variables."""
    if context.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{name} is not supported when eager execution is enabled."
        )


def metric_variable(shape: Any, name: str, dtype: Any = dtypes.float32) -> Variable:
    """A local variable of zeros, which is in the collection of metric variables, too."""
    return Variable(
        lambda: array_ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=True,
        name=name,
    )


def add(variable: Variable, value: Any, after: Any = ()) -> Tensor:
    """The variable, to which ``value`` is added."""
    with control_dependencies([item for item in after if item is not None]):
        return state_ops.assign_add(variable, value)


def ratio(numerator: Any, denominator: Any, name: str | None = None) -> Tensor:
    """The quotient, and 0 where the denominator is 0."""
    return call("DivNoNan", [numerator, denominator], None, name)


def positive_ratio(numerator: Any, denominator: Any, name: str | None = None) -> Tensor:
    """The quotient, and 0 where the denominator is not positive."""
    quotient = math_ops.truediv(numerator, denominator)
    is_positive = call("Greater", [denominator, array_ops.zeros_like(denominator)])
    return array_ops.where(is_positive, quotient, array_ops.zeros_like(quotient), name)


def finish(
    value: Tensor, update: Tensor, metrics_collections: Any, updates_collections: Any
) -> tuple[Tensor, Tensor]:
    """The two results of a metric, put into their collections."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def mean_of(
    values: Tensor, weights: Any, collections: tuple[Any, Any]
) -> tuple[Tensor, Tensor]:
    """The running mean of values: sums of values and of weights."""
    values = math_ops.cast(convert_to_tensor(values), dtypes.float32)
    total = metric_variable([], "total")
    count = metric_variable([], "count")
    if weights is None:
        members = math_ops.cast(array_ops.size(values), dtypes.float32)
    else:
        weights = math_ops.cast(convert_to_tensor(weights), dtypes.float32)
        weights = weights_of_rank(weights, values, expands=True)
        weights = broadcast_weights(weights, values)
        values = values * weights
        members = reductions.reduce_sum(weights)
    new_total = add(total, reductions.reduce_sum(values))
    new_count = add(count, members, [values])
    value = ratio(total.value(), count.value(), "value")
    return finish(value, ratio(new_total, new_count, "update_op"), *collections)


def count_of(
    is_member: Tensor, weights: Any, name: str = "count"
) -> tuple[Variable, Tensor]:
    """A running count of what is true, each by its weight; and its update."""
    count = metric_variable([], name)
    members = math_ops.cast(is_member, dtypes.float32)
    if weights is not None:
        weights = math_ops.cast(convert_to_tensor(weights), dtypes.float32)
        weights = weights_of_rank(weights, members, expands=True)
        members = members * broadcast_weights(weights, members)
    return count, add(count, reductions.reduce_sum(members))


def as_booleans(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Labels, predictions and weights of one rank; the first two as yes and no."""
    labels = math_ops.cast(convert_to_tensor(labels), dtypes.bool_)
    predictions = math_ops.cast(convert_to_tensor(predictions), dtypes.bool_)
    weights = None if weights is None else convert_to_tensor(weights)
    return without_one_axis(labels, predictions, weights)
