"""Cross entropies: how far logits are from labels, one number for each example.

Compare: tensorflow/python/ops/nn_ops.py, nn_impl.py. Read next: ``normalization.py``.
"""

from typing import Any

import numpy as np

from minitf import array_ops
from minitf.constant_op import convert_to_tensor
from minitf.math_ops import _either, cast
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor


def _require_names(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    """Labels and logits are easy to confuse, so they must be given by name."""
    if sentinel is not None:
        raise ValueError(
            f"Only call `{function}` with named arguments (labels=..., logits=..., ...)"
        )
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """-sum(labels * log(softmax(logits))) along ``axis``; gradients flow to both."""
    axis = _either(axis, dim, "axis", "dim", -1)
    with name_scope(name, "softmax_cross_entropy_with_logits", [labels, logits]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = cast(convert_to_tensor(labels, name="labels"), logits.dtype)
        return _softmax_cross_entropy(labels, logits, axis, scope)


def _softmax_cross_entropy(
    labels: Tensor, logits: Tensor, axis: int, name: str
) -> Tensor:
    rank = logits.shape.ndims
    if rank == 2 and axis in (-1, 1):
        return call("SoftmaxCrossEntropyWithLogits", [logits, labels], None, name)[0]
    if rank is not None and axis not in (-1, rank - 1):
        perm = list(range(rank))
        perm[axis], perm[-1] = perm[-1], perm[axis]
        logits, labels = (array_ops.transpose(x, perm) for x in (logits, labels))
    shape = call("Shape", [logits])
    flat_shape = array_ops.concat([[-1], shape[-1:]], 0)
    flat = [array_ops.reshape(x, flat_shape) for x in (logits, labels)]
    cost = call("SoftmaxCrossEntropyWithLogits", flat, None, name)[0]
    cost = array_ops.reshape(cost, shape[:-1])
    if rank is not None:
        cost.set_shape(logits.shape[:-1])
    return cost


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """-sum(labels * log(softmax(logits))); labels are taken as constants by gradients."""
    _require_names("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(
        name, "softmax_cross_entropy_with_logits_sg", [labels, logits]
    ) as scope:
        labels = array_ops.stop_gradient(labels)
        axis = dim if axis is None else axis
        return softmax_cross_entropy_with_logits_v2(labels, logits, axis, scope)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """-log(softmax(logits)) at the class that ``labels`` names.

    Args:
        labels: integers, ``[d0, d1, ...]``.
        logits: ``[d0, d1, ..., classes]``.
        name: of the node.
    """
    _require_names("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels, name="labels")
        logits = convert_to_tensor(logits, name="logits")
        rank, label_rank = logits.shape.ndims, labels.shape.ndims
        if rank == 0:
            raise ValueError(f"Logits cannot be scalars - received shape {logits.shape}.")
        if rank is not None and label_rank is not None and label_rank != rank - 1:
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {label_rank}) should equal "
                f"rank of logits minus 1 (received {rank})."
            )
        op_type = "SparseSoftmaxCrossEntropyWithLogits"
        if rank == 2:
            return call(op_type, [logits, labels], None, name)[0]
        shape = call("Shape", [logits])
        flat = array_ops.reshape(logits, array_ops.concat([[-1], shape[-1:]], 0))
        cost = call(op_type, [flat, array_ops.reshape(labels, [-1])])[0]
        cost = array_ops.reshape(cost, call("Shape", [labels]))
        cost.set_shape(labels.shape)
        return cost


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """The formula -z log(sigmoid(x)) - (1-z) log(1-sigmoid(x)), element by element.

    z are labels and x logits. It is worked out in a form that does not overflow:
    max(x, 0) - x z + log(1 + exp(-abs(x))).
    """
    _require_names("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "logistic_loss", [labels, logits]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, logits.dtype, name="labels")
        try:
            labels.shape.merge_with(logits.shape)
        except ValueError:
            raise ValueError(
                f"logits and labels must have the same shape ({logits.shape} vs "
                f"{labels.shape})"
            ) from None
        softened = call("Log1p", [call("Exp", [-call("Abs", [logits])])])
        linear = call("Relu", [logits]) - logits * labels
        return call("AddV2", [linear, softened], None, scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """The sigmoid cross entropy, positive labels weighing ``pos_weight``."""
    labels = _either(labels, targets, "labels", "targets")
    with name_scope(name, "logistic_loss", [labels, logits]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, logits.dtype, name="labels")
        weight = 1 + (pos_weight - 1) * labels
        softened = call("Log1p", [call("Exp", [-call("Abs", [logits])])])
        weighted = weight * (softened + call("Relu", [-logits]))
        return call("AddV2", [(1 - labels) * logits, weighted], None, scope)


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(c) - z c for targets z and log_input c; the full loss adds Stirling's terms."""
    with name_scope(name, "log_poisson_loss", [targets, log_input]):
        c = convert_to_tensor(log_input, name="log_input")
        z = convert_to_tensor(targets, c.dtype, name="targets")
        result = call("Exp", [c]) - c * z
        if compute_full_loss:
            stirling = z * call("Log", [z]) - z + 0.5 * call("Log", [2 * np.pi * z])
            is_small = call("LogicalAnd", [z >= 0.0, z <= 1.0])
            zeros = array_ops.zeros_like(z)
            result = result + array_ops.where(is_small, zeros, stirling)
        return result
