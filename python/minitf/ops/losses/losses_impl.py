"""``tf.losses``: how far predictions are from labels, as one number.

Every loss works out one number for each example, weighs it, brings the numbers together
as ``reduction`` says, and puts the result into a collection, from which
``get_total_loss`` adds up all losses of a graph.

Compare: tensorflow/python/ops/losses/losses_impl.py.
Read next: ``training/optimizer.py``.
"""

import functools
from collections.abc import Callable
from typing import Any

from minitf.eager import context
from minitf.framework import collections_
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.losses.loss_weights import (
    assert_broadcastable,
    num_present,
    same_ranks,
    same_shape,
    weights_of_rank,
)
from minitf.ops.nn import cross_entropy
from minitf.util.signatures import make_function, parameters_of

__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


class Reduction:
    """How the losses of examples become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError unless ``key`` is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Puts a loss into the collection, in a graph."""
    if loss_collection and not context.executing_eagerly():
        collections_.add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES
) -> list[Any]:
    """The losses of the default graph."""
    return collections_.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses of regularizers."""
    return collections_.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """The sum of the losses of regularizers."""
    found = get_regularization_losses(scope)
    return math_ops.add_n(found, name=name) if found else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True,
    name: str = "total_loss",
    scope: str | None = None,
) -> Any:
    """The sum of all losses of the default graph."""
    found = get_losses(scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope)
    return math_ops.add_n(found, name=name)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """One number from the losses of all examples.

    Args:
        losses: ``[N, d1, ...]``.
        weights: one number, or a tensor of the rank of the losses, with their sizes or 1.
        scope: of the nodes.
        loss_collection: where the result goes.
        reduction: NONE keeps the weighted losses; SUM adds them; MEAN divides the sum by
            the sum of weights; SUM_OVER_BATCH_SIZE by their number;
            SUM_BY_NONZERO_WEIGHTS by the number of those whose weight is not 0.

    Raises:
        ValueError: the weights do not fit, or the reduction is none of these.
        errors.InvalidArgumentError: the same of shapes that only the step knows.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        with control_dependencies(assert_broadcastable(weights, losses)):
            dtype = losses.dtype
            losses = math_ops.cast(losses, "float32")
            weights = math_ops.cast(weights, "float32")
            result = call("Mul", [losses, weights])
            if reduction != Reduction.NONE:
                result = _reduced(result, losses, weights, reduction)
            result = math_ops.cast(result, dtype)
            add_loss(result, loss_collection)
            return result


def _reduced(weighted: Tensor, losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    """The sum of weighted losses, divided as ``reduction`` says; 0 if it is by 0."""
    total = reductions.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        with name_scope(None, "num_elements", [losses]) as scope:
            count = math_ops.cast(array_ops.size(losses, scope), weighted.dtype)
    elif reduction == Reduction.MEAN:
        count = reductions.reduce_sum(array_ops.ones_like(losses) * weights)
    else:
        count = num_present(losses, weights)
    return call("DivNoNan", [total, count], None, "value")


def _require_both(
    labels: Any, predictions: Any, names: tuple[str, str] = ("labels", "predictions")
) -> None:
    for value, name in zip((labels, predictions), names, strict=True):
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _of_elements(
    name: str, losses_of: Callable[[Tensor, Tensor], Tensor], both: dict, options: tuple
) -> Tensor:
    """The loss that a formula gives, element by element.

    Args:
        name: of the scope.
        losses_of: labels and predictions.
        both: labels and predictions, under the names of the loss's arguments.
        options: of the loss: weights, scope, loss_collection, reduction.
    """
    weights, scope, loss_collection, reduction = options
    labels, predictions = both.values()
    _require_both(labels, predictions, tuple(both))
    with name_scope(scope, name, [predictions, labels, weights]) as opened:
        predictions = math_ops.cast(predictions, "float32")
        labels = math_ops.cast(labels, "float32")
        predictions = same_shape(labels, predictions)
        return compute_weighted_loss(
            losses_of(labels, predictions), weights, opened, loss_collection, reduction
        )


def _elementwise(formula: Callable) -> Callable[..., Tensor]:
    """Makes a loss of a function of labels and predictions.

    The loss has weights after these two, then what else the function takes, then the
    other arguments of ``compute_weighted_loss``.
    """
    z, x, *others = parameters_of(formula).values()
    shared = parameters_of(compute_weighted_loss)
    options = ("weights", "scope", "loss_collection", "reduction")
    weights, *last = (shared[name] for name in options)

    def loss(**given: Any) -> Tensor:
        both = {p.name: given.pop(p.name) for p in (z, x)}
        chosen = tuple(given.pop(name) for name in options)
        losses_of = functools.partial(formula, **given)
        return _of_elements(formula.__name__, losses_of, both, chosen)

    parameters = [z, x, weights, *others, *last]
    return make_function(formula.__name__, formula.__doc__, parameters, loss)


@_elementwise
def absolute_difference(labels: Tensor, predictions: Tensor) -> Tensor:
    """|prediction - label|."""
    return abs(predictions - labels)


@_elementwise
def mean_squared_error(labels: Tensor, predictions: Tensor) -> Tensor:
    """(prediction - label)^2."""
    return call("SquaredDifference", [predictions, labels])


@_elementwise
def huber_loss(labels: Tensor, predictions: Tensor, delta: float = 1.0) -> Tensor:
    """Half the squared error where it is at most delta; linear beyond that."""
    error = abs(predictions - labels)
    near = math_ops.minimum(error, delta)
    # As max(error - delta, 0), but of slope 0 where error is delta.
    beyond = error - near
    return 0.5 * (near * near) + delta * beyond


@_elementwise
def log_loss(labels: Tensor, predictions: Tensor, epsilon: float = 1e-7) -> Tensor:
    """-label log(prediction) - (1 - label) log(1 - prediction)."""
    positive = labels * call("Log", [predictions + epsilon])
    return -positive - (1 - labels) * call("Log", [1 - predictions + epsilon])


@_elementwise
def hinge_loss(labels: Tensor, logits: Tensor) -> Tensor:
    """max(0, 1 - label logit), for labels of 0 and 1 taken as -1 and 1."""
    return call("Relu", [1 - (2 * labels - 1) * logits])


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
    dim: int | None = None,
) -> Tensor:
    """1 - the scalar product along ``axis`` of vectors that have length 1."""
    axis = math_ops._either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    return _of_elements(
        "cosine_distance_loss",
        lambda z, x: 1 - reductions.reduce_sum(x * z, axis=(axis,), keepdims=True),
        {"labels": labels, "predictions": predictions},
        (weights, scope, loss_collection, reduction),
    )


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of independent classes; smoothing moves labels towards 1/2."""
    _require_both(multi_class_labels, logits, ("multi_class_labels", "logits"))
    with name_scope(
        scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]
    ) as opened:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(multi_class_labels, logits.dtype)
        logits = same_shape(labels, logits)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = cross_entropy.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of exclusive classes; smoothing spreads labels."""
    _require_both(onehot_labels, logits, ("onehot_labels", "logits"))
    with name_scope(
        scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]
    ) as opened:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(onehot_labels, logits.dtype)
        logits = same_shape(labels, logits)
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[-1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        labels = array_ops.stop_gradient(labels, name="labels_stop_gradient")
        losses = cross_entropy.softmax_cross_entropy_with_logits_v2(
            labels, logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of exclusive classes, for class numbers ``[N]``."""
    _require_both(labels, logits, ("labels", "logits"))
    with name_scope(
        scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]
    ) as opened:
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        labels, logits = same_ranks(labels, logits, difference=1)
        weights = weights_of_rank(convert_to_tensor(weights), labels)
        losses = cross_entropy.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:
    """The mean squared difference between pairs of errors within an example."""
    _require_both(labels, predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = math_ops.cast(weights, "float32")
        labels = math_ops.cast(labels, "float32")
        with control_dependencies(assert_broadcastable(weights, labels)):
            predictions = math_ops.cast(predictions, "float32")
            predictions = same_shape(labels, predictions)
            result = _pairwise(predictions - labels, weights)
            add_loss(result, loss_collection)
            return result


def _pairwise(error: Tensor, weights: Tensor) -> Tensor:
    """The weighted sum over examples of the mean of (e_i - e_j)^2 over pairs i, j.

    With n elements that is 2 (sum(e^2) / (n - 1) - sum(e)^2 / (n (n - 1))).
    """
    axes = math_ops.range(1, array_ops.rank(error))
    squares = reductions.reduce_sum(call("Square", [error]), axes, keepdims=True)
    count = num_present(error, weights, per_batch=True)
    others = math_ops.maximum(count - 1, 0.0)
    of_squares = 2.0 * call("DivNoNan", [squares, others], None, "value")
    total = reductions.reduce_sum(error, axes, keepdims=True)
    pairs = math_ops.maximum(count * (count - 1), 0.0)
    of_sums = 2.0 * call("DivNoNan", [call("Square", [total]), pairs], None, "value")
    loss = reductions.reduce_sum((of_squares - of_sums) * weights)
    is_any = reductions.reduce_sum(count) > 0
    return array_ops.where(is_any, loss, array_ops.zeros_like(loss), name="value")


def __dir__() -> list[str]:
    return __all__
