"""``tf.losses``: how far predictions are from labels, as one number.

Every loss works out one number for each example, weighs it, brings the numbers together
as ``reduction`` says, and puts the result into a collection, from which
``get_total_loss`` adds up all losses of a graph.

Compare: tensorflow/python/ops/losses/losses_impl.py. Read next: ``train/optimizer.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf import array_ops, collections_, context, math_ops, nn_ops, reductions
from minitf.collections_ import GraphKeys
from minitf.constant_op import convert_to_tensor
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor


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
    """The losses of the present graph."""
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
    """The sum of all losses of the present graph."""
    found = get_losses(scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope)
    return math_ops.add_n(found, name=name)


def _weights_for(losses: Tensor, weights: Any) -> Tensor:
    """The weights as a tensor that can be stretched to the losses, axis by axis."""
    weights = math_ops.cast(convert_to_tensor(weights), losses.dtype)
    rank, weight_rank = losses.shape.ndims, weights.shape.ndims
    if rank is None or weight_rank in (None, 0):
        return weights
    if weight_rank == rank - 1:
        weights = array_ops.expand_dims(weights, -1)
    elif weight_rank == rank + 1 and weights.shape[-1].value == 1:
        weights = array_ops.squeeze(weights, [-1])
    elif weight_rank != rank:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={rank}. "
            f"weights.rank={weight_rank}. values.shape={losses.shape}. "
            f"weights.shape={weights.shape}."
        )
    for size, weight_size in zip(
        losses.shape.as_list(), weights.shape.as_list(), strict=True
    ):
        if None not in (size, weight_size) and weight_size not in (1, size):
            raise ValueError(
                f"weights can not be broadcast to values. "
                f"values.shape={losses.shape}. weights.shape={weights.shape}."
            )
    return weights


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
        weights: one number, or a tensor that can be stretched to the losses.
        scope: of the nodes.
        loss_collection: where the result goes.
        reduction: NONE keeps the weighted losses; SUM adds them; MEAN divides the sum by
            the sum of weights; SUM_OVER_BATCH_SIZE by their number;
            SUM_BY_NONZERO_WEIGHTS by the number of those whose weight is not 0.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = losses if dtype.is_floating else math_ops.cast(losses, "float32")
        weights = _weights_for(losses, weights)
        weighted = call("Mul", [losses, weights])
        if reduction == Reduction.NONE:
            result = weighted
        else:
            result = _reduced(weighted, weights, reduction)
        result = math_ops.cast(result, dtype)
        add_loss(result, loss_collection)
        return result


def _reduced(weighted: Tensor, weights: Tensor, reduction: str) -> Tensor:
    total = reductions.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math_ops.cast(array_ops.size(weighted), weighted.dtype)
    else:
        counted = weights
        if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
            is_counted = call("NotEqual", [weights, array_ops.zeros_like(weights)])
            counted = math_ops.cast(is_counted, weighted.dtype)
        count = reductions.reduce_sum(counted * array_ops.ones_like(weighted))
    return call("DivNoNan", [total, count], None, "value")


def _elementwise(
    name: str,
    formula: Callable[[Tensor, Tensor], Tensor],
    labels: Any,
    predictions: Any,
    options: tuple,
) -> Tensor:
    """A loss that is a formula of labels and predictions, element by element."""
    weights, scope, loss_collection, reduction = options
    if labels is None:
        raise ValueError("labels must not be None.")
    if predictions is None:
        raise ValueError("predictions must not be None.")
    with name_scope(scope, name, [predictions, labels, weights]) as opened:
        predictions = math_ops.cast(convert_to_tensor(predictions), "float32")
        labels = math_ops.cast(convert_to_tensor(labels), "float32")
        predictions.shape.assert_is_compatible_with(labels.shape)
        return compute_weighted_loss(
            formula(labels, predictions), weights, opened, loss_collection, reduction
        )


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """|prediction - label|."""
    return _elementwise(
        "absolute_difference",
        lambda z, x: abs(x - z),
        labels,
        predictions,
        (weights, scope, loss_collection, reduction),
    )


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """(prediction - label)^2."""
    return _elementwise(
        "mean_squared_error",
        lambda z, x: call("SquaredDifference", [x, z]),
        labels,
        predictions,
        (weights, scope, loss_collection, reduction),
    )


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """Half the squared error where it is at most delta; linear beyond that."""

    def formula(z: Tensor, x: Tensor) -> Tensor:
        error = abs(x - z)
        near = math_ops.minimum(error, delta)
        return 0.5 * near * near + delta * (error - near)

    return _elementwise(
        "huber_loss",
        formula,
        labels,
        predictions,
        (weights, scope, loss_collection, reduction),
    )


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """-label log(prediction) - (1 - label) log(1 - prediction)."""

    def formula(z: Tensor, x: Tensor) -> Tensor:
        positive = z * call("Log", [x + epsilon])
        return -positive - (1 - z) * call("Log", [1 - x + epsilon])

    return _elementwise(
        "log_loss",
        formula,
        labels,
        predictions,
        (weights, scope, loss_collection, reduction),
    )


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """max(0, 1 - label logit), for labels of 0 and 1 taken as -1 and 1."""
    return _elementwise(
        "hinge_loss",
        lambda z, x: call("Relu", [1 - (2 * z - 1) * x]),
        labels,
        logits,
        (weights, scope, loss_collection, reduction),
    )


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
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    return _elementwise(
        "cosine_distance_loss",
        lambda z, x: 1 - reductions.reduce_sum(x * z, axis=axis, keepdims=True),
        labels,
        predictions,
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
    with name_scope(
        scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]
    ) as opened:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(convert_to_tensor(multi_class_labels), logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn_ops.sigmoid_cross_entropy_with_logits(
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
    if onehot_labels is None or logits is None:
        raise ValueError("onehot_labels and logits must not be None.")
    with name_scope(
        scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]
    ) as opened:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(convert_to_tensor(onehot_labels), logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = labels.shape[1].value
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        labels = array_ops.stop_gradient(labels)
        losses = nn_ops.softmax_cross_entropy_with_logits_v2(
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
    if labels is None or logits is None:
        raise ValueError("labels and logits must not be None.")
    with name_scope(
        scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]
    ) as opened:
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        rank, label_rank = logits.shape.ndims, labels.shape.ndims
        if rank is not None and rank == label_rank and labels.shape[-1].value == 1:
            labels = array_ops.squeeze(labels, [-1])
        losses = nn_ops.sparse_softmax_cross_entropy_with_logits(
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
    with name_scope(
        scope, "mean_pairwise_squared_error", [predictions, labels, weights]
    ) as opened:
        predictions = math_ops.cast(convert_to_tensor(predictions), "float32")
        labels = math_ops.cast(convert_to_tensor(labels), "float32")
        predictions.shape.assert_is_compatible_with(labels.shape)
        error = predictions - labels
        axes = list(range(1, error.shape.ndims))
        count = reductions.reduce_sum(array_ops.ones_like(error), axes)
        squares = reductions.reduce_sum(call("Square", [error]), axes)
        total = reductions.reduce_sum(error, axes)
        pairs = math_ops.maximum(count * (count - 1), 1.0)
        losses = 2.0 * (count * squares - call("Square", [total])) / pairs
        return compute_weighted_loss(
            losses, weights, opened, loss_collection, Reduction.SUM
        )
