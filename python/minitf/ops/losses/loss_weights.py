"""Weights of losses: which shapes they may have, and how they count.

Weights fit losses if they are one number, or have as many axes as the losses and on every
axis the same size or 1. That is stricter than what arithmetic would stretch: weights
``[3]`` for losses ``[3,3]`` could be one for each class or one for each example.

Compare: tensorflow/python/ops/weights_broadcast_ops.py. Read next: ``losses_impl.py``.
"""

from typing import Any

from minitf.control_flow.control_flow_ops import cond
from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.step_checks import Assert

_PREFIX = "weights can not be broadcast to values."


def assert_broadcastable(weights: Any, values: Any) -> list[Any]:
    """Checks that weights fit values, now if both shapes are known, else in the step.

    Returns:
        The checks that the step has to make, for ``tf.control_dependencies``.

    Raises:
        ValueError: they do not fit, which the shapes tell already.
        errors.InvalidArgumentError: the same, in the step.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        weights = convert_to_tensor(weights, name="weights")
        values = convert_to_tensor(values, name="values")
        rank, weights_rank = values.shape.ndims, weights.shape.ndims
        if weights_rank == 0:
            return []
        if rank is not None and weights_rank is not None:
            what = f"values.shape={values.shape}. weights.shape={weights.shape}."
            if rank != weights_rank:
                raise ValueError(
                    f"{_PREFIX} values.rank={rank}. weights.rank={weights_rank}. {what}"
                )
            if values.shape.is_fully_defined() and weights.shape.is_fully_defined():
                sizes = zip(values.shape.as_list(), weights.shape.as_list(), strict=True)
                if any(own not in (1, size) for size, own in sizes):
                    raise ValueError(f"{_PREFIX} {what}")
                return []
        return _checks_in_step(weights, values, scope)


def _checks_in_step(weights: Tensor, values: Tensor, name: str) -> list[Any]:
    size, own = array_ops.shape(values), array_ops.shape(weights)
    rank, own_rank = array_ops.rank(values), array_ops.rank(weights)
    # As many sizes as values has, so that the two lists compare whatever their ranks are.
    padded = array_ops.concat([own, array_ops.ones_like(size)], 0)[:rank]
    fits = math_ops.logical_or(math_ops.equal(padded, 1), math_ops.equal(padded, size))
    fits_all = math_ops.logical_and(
        math_ops.equal(rank, own_rank), reductions.reduce_all(fits)
    )
    is_valid = math_ops.logical_or(math_ops.equal(own_rank, 0), fits_all)
    data = [_PREFIX, "weights.shape=", own, "values.shape=", size]
    check = Assert(is_valid, data, name=name)
    return [] if check is None else [check]


def broadcast_weights(weights: Tensor, values: Tensor) -> Tensor:
    """The weights stretched to the shape of ``values``."""
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        known = values.shape.is_fully_defined() and weights.shape.is_fully_defined()
        if known and values.shape.as_list() == weights.shape.as_list():
            return weights
        with control_dependencies(assert_broadcastable(weights, values)):
            ones = array_ops.ones_like(values)
            return call("Mul", [weights, ones], None, scope)


def num_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """How many losses have a weight that is not 0, as float32.

    Args:
        losses: ``[N, d1, ...]``.
        weights: of a shape that fits.
        per_batch: count for each of the N examples, in ``[N,1,...]``.
    """
    if context.executing_eagerly() and weights.shape.ndims == 0 and weights.numpy() != 0:
        # As in TensorFlow, per_batch is ignored here, which it is not in a graph.
        return math_ops.cast(array_ops.size(losses), losses.dtype)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        is_zero = math_ops.equal(weights, 0.0)
        zeros, ones = array_ops.zeros_like(weights), array_ops.ones_like(weights)
        present = broadcast_weights(array_ops.where(is_zero, zeros, ones), losses)
        if not per_batch:
            return reductions.reduce_sum(present, name=scope)
        axes = math_ops.range(1, array_ops.rank(present))
        return reductions.reduce_sum(present, axes, keepdims=True, name=scope)


# ---- Ranks and shapes that must agree --------------------------------------------------


def _squeezed_if(tensor: Tensor, excess: Any) -> Tensor:
    """``tensor`` without its last axis if ``excess``, an int or a tensor, is 1."""
    if not isinstance(excess, Tensor):
        # A size that is known not to be 1 is an error of squeeze, which names the tensor.
        return array_ops.squeeze(tensor, [-1]) if excess == 1 else tensor
    if tensor.shape.ndims == 0 or not _may_be_one(tensor):
        return tensor
    is_one = math_ops.equal(excess, 1)
    return cond(is_one, lambda: array_ops.squeeze(tensor, [-1]), lambda: tensor)


def _may_be_one(tensor: Tensor) -> bool:
    """Whether the last axis has, or may have, size 1."""
    if tensor.shape.ndims is None:
        return True
    return tensor.shape.ndims > 0 and tensor.shape[-1].value in (None, 1)


def _rank(tensor: Tensor) -> Any:
    """The number of axes: an int if it is known, else a tensor."""
    rank = tensor.shape.ndims
    return array_ops.rank(tensor) if rank is None else rank


def same_ranks(
    labels: Tensor, predictions: Tensor, difference: int = 0
) -> tuple[Tensor, Tensor]:
    """Labels and predictions with ranks r and r + difference, as far as possible.

    The one with one axis too many loses its last axis, which has size 1. The step
    decides this if a rank is unknown before.
    """
    with name_scope(None, "remove_squeezable_dimensions", [labels, predictions]):
        excess = _rank(predictions) - _rank(labels) - difference
        if _may_be_one(predictions):
            predictions = _squeezed_if(predictions, excess)
        if _may_be_one(labels):
            labels = _squeezed_if(labels, -excess)
    return labels, predictions


def weights_of_rank(weights: Tensor, values: Tensor, expands: bool = False) -> Tensor:
    """The weights without a last axis that values do not have.

    Args:
        weights: a scalar is returned as it is.
        values: have the rank that is wanted.
        expands: whether weights with one axis too few get another one, of size 1.
    """
    if weights.shape.ndims == 0:
        return weights
    excess = _rank(weights) - _rank(values)
    squeezed = _squeezed_if(weights, excess)
    if not expands:
        return squeezed
    if not isinstance(excess, Tensor):
        return array_ops.expand_dims(weights, -1) if excess == -1 else squeezed
    is_short = math_ops.equal(excess, -1)
    return cond(is_short, lambda: array_ops.expand_dims(weights, -1), lambda: squeezed)


def same_shape(labels: Tensor, predictions: Tensor) -> Tensor:
    """``predictions``, which have the shape of ``labels``.

    Raises:
        ValueError: the static shapes differ.
        errors.InvalidArgumentError: in the step; the shapes differ.
    """
    predictions.shape.assert_is_compatible_with(labels.shape)
    if predictions.shape.is_fully_defined() and labels.shape.is_fully_defined():
        return predictions
    with name_scope(None, "assert_same_shape", [labels, predictions]):
        shapes = [array_ops.shape(predictions), array_ops.shape(labels)]
        sizes = shapes
        if None in (predictions.shape.ndims, labels.shape.ndims):
            # Sizes are never -1: shapes of two ranks differ after this padding.
            ends = [-array_ops.ones_like(shape) for shape in shapes]
            sizes = [array_ops.concat([shapes[i], ends[1 - i]], 0) for i in range(2)]
        is_same = reductions.reduce_all(math_ops.equal(*sizes))
        data = ["predictions and labels differ in shape:", *shapes]
        return with_dependencies([Assert(is_same, data, summarize=10)], predictions)
