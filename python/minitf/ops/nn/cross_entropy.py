"""Cross entropies: how far logits are from labels, one number for each example.

Compare: tensorflow/python/ops/nn_ops.py, nn_impl.py. Read next: ``normalization.py``.
"""

import math
from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops
from minitf.ops.math_ops import _either, cast
from minitf.ops.math_ops import range as range_op
from minitf.ops.reductions import reduce_all
from minitf.ops.step_checks import Assert


def _require_both(labels: Any, logits: Any) -> None:
    for value, name in ((labels, "labels"), (logits, "logits")):
        if value is None:
            raise ValueError(f"Both labels and logits must be provided; {name} is None.")


def _require_one_shape(first: Tensor, second: Tensor, names: str) -> None:
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(
            f"{names} must have the same shape ({first.shape} vs {second.shape})."
        )


# ---- Exclusive classes -----------------------------------------------------------------


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """-sum(labels * log(softmax(logits))) along ``axis``; gradients flow to both.

    Args:
        labels: probabilities of the classes, of the shape of logits.
        logits: float16 is computed in float32.
        axis: that of the classes: from 0 on, or -1 for the last.
        name: of the nodes.
        dim: a former name of axis.

    Returns:
        The shape of logits without ``axis``.
    """
    axis = _either(axis, dim, "axis", "dim", -1)
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        dtype, sizes = logits.dtype, logits.shape
        if sizes.ndims == 0:
            raise ValueError("logits must have an axis of classes, its shape is ()")
        wide = _at_least_float32(logits)
        labels = cast(convert_to_tensor(labels, name="labels"), wide.dtype)
        if labels.shape.ndims == 0:
            raise ValueError("labels must have an axis of classes, their shape is ()")
        if axis != -1:
            rank = array_ops.rank(wide) if sizes.ndims is None else sizes.ndims
            wide, labels = (_with_axis_last(x, axis, rank) for x in (wide, labels))
        outer = _outer_sizes(wide)
        inputs = [_as_rows(wide), _as_rows(labels)]
        cost = call("SoftmaxCrossEntropyWithLogits", inputs, None, scope)[0]
        cost = array_ops.reshape(cost, outer)
        if sizes.ndims is not None:
            left = sizes.as_list()
            del left[axis]
            cost.set_shape(left)
        return cast(cost, dtype)


def _at_least_float32(x: Tensor) -> Tensor:
    is_half = x.dtype in (dtypes.float16, dtypes.bfloat16)
    return cast(x, dtypes.float32) if is_half else x


def _with_axis_last(x: Tensor, axis: int, rank: Any) -> Tensor:
    """``x`` of ``rank`` with ``axis`` moved behind the others, which keep their order."""
    if x.shape.ndims == rank and axis == rank - 1:
        return x
    parts = [range_op(axis), range_op(axis + 1, rank), [axis]]
    return array_ops.transpose(x, array_ops.concat(parts, 0))


def _outer_sizes(x: Tensor) -> Any:
    """The sizes of ``x`` but the last."""
    sizes = x.shape[:-1]
    if sizes.is_fully_defined():
        return sizes.as_list()
    return call("Shape", [x])[:-1]


def _as_rows(x: Tensor) -> Tensor:
    """``x`` ``[..., C]`` as a matrix ``[N,C]``."""
    sizes = x.shape.as_list() if x.shape.ndims else [None]
    if None not in sizes:
        return array_ops.reshape(x, [math.prod(sizes[:-1]), sizes[-1]])
    if sizes[-1]:
        return array_ops.reshape(x, [-1, sizes[-1]])
    shape = call("Shape", [x])
    rows = array_ops.reshape(x, array_ops.stack([-1, shape[-1]]))
    if x.shape.ndims and None not in sizes[:-1]:
        rows.set_shape([math.prod(sizes[:-1]), sizes[-1]])
    return rows


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """-sum(labels * log(softmax(logits))); labels are taken as constants by gradients.

    The axis of the classes is ``dim``. Its newer name can never be given, here as in
    TensorFlow, because dim is never missing.
    """
    dim = _either(axis, dim, "axis", "dim")
    _require_both(labels, logits)
    with name_scope(
        name, "softmax_cross_entropy_with_logits_sg", [logits, labels]
    ) as scope:
        labels = array_ops.stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels, logits, dim, scope)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """-log(softmax(logits)) at the class that ``labels`` names.

    Args:
        labels: integers, ``[d0, d1, ...]``.
        logits: ``[d0, d1, ..., classes]``; float16 is computed in float32.
        name: of the node.

    Raises:
        ValueError: the sizes of labels are not those of logits without the last.
        errors.InvalidArgumentError: the same, in the step.
    """
    _require_both(labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels, name="labels")
        logits = convert_to_tensor(logits, name="logits")
        _require_labels_fit(labels.shape, logits.shape)
        wide = _at_least_float32(logits)
        op_type = "SparseSoftmaxCrossEntropyWithLogits"
        if logits.shape.ndims == 2:
            cost = call(op_type, [wide, labels], None, name)[0]
            return cast(cost, logits.dtype)
        with control_dependencies(_labels_check(labels, logits)):
            flat = array_ops.reshape(labels, [-1])
            cost = call(op_type, [_as_rows(wide), flat], None, name)[0]
            cost = array_ops.reshape(cost, array_ops.shape(labels))
            cost.set_shape(labels.shape)
            return cast(cost, logits.dtype)


def _require_labels_fit(labels: TensorShape, logits: TensorShape) -> None:
    rank, label_rank = logits.ndims, labels.ndims
    if rank == 0:
        raise ValueError(f"Logits cannot be scalars - received shape {logits}.")
    if rank is not None and label_rank not in (None, rank - 1):
        raise ValueError(
            f"Rank mismatch: Rank of labels (received {label_rank}) should equal "
            f"rank of logits minus 1 (received {rank})."
        )
    outer = logits[:-1]
    is_known = labels.is_fully_defined() and outer.is_fully_defined()
    if is_known and labels.as_list() != outer.as_list():
        raise ValueError(
            f"Shape mismatch: The shape of labels (received {labels}) should equal the "
            f"shape of logits except for the last dimension (received {logits})."
        )


def _labels_check(labels: Tensor, logits: Tensor) -> list[Any]:
    """That the sizes of labels are those of logits but the last, unless it is known."""
    if labels.shape.is_fully_defined() and logits.shape[:-1].is_fully_defined():
        return []
    own, outer = array_ops.shape(labels), array_ops.shape(logits)[:-1]
    # Shapes of different lengths are not equal, and cannot be compared one by one.
    lengths = call("Equal", [array_ops.size(own), array_ops.size(outer)])
    padded = array_ops.concat([own, array_ops.zeros_like(outer)], 0)
    sizes = reduce_all(call("Equal", [padded[: array_ops.size(outer)], outer]))
    is_same = call("LogicalAnd", [lengths, sizes])
    data = ["labels have the shape", own, "the outer shape of logits is", outer]
    check = Assert(is_same, data)
    return [] if check is None else [check]


# ---- Independent classes ---------------------------------------------------------------


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The formula -z log(sigmoid(x)) - (1-z) log(1-sigmoid(x)), element by element.

    z are labels and x logits. It is worked out in a form that does not overflow:
    max(x, 0) - x z + log(1 + exp(-abs(x))).
    """
    _require_both(labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_one_shape(logits, labels, "logits and labels")
        # Of max and abs at 0 the gradients would not add up to sigmoid(0) = 1/2. Where x
        # is 0 both of these take the branch of x above 0, and they do.
        zeros = array_ops.zeros_like(logits)
        is_positive = call("GreaterEqual", [logits, zeros])
        positive = array_ops.where(is_positive, logits, zeros)
        minus_size = array_ops.where(is_positive, -logits, logits)
        softened = call("Log1p", [call("Exp", [minus_size])])
        return call("AddV2", [positive - logits * labels, softened], None, scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """The sigmoid cross entropy, positive labels weighing ``pos_weight``."""
    labels = _either(labels, targets, "labels", "targets")
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_one_shape(logits, labels, "logits and labels")
        weight = 1 + (pos_weight - 1) * labels
        softened = call("Log1p", [call("Exp", [-call("Abs", [logits])])])
        weighted = weight * (softened + call("Relu", [-logits]))
        return call("AddV2", [(1 - labels) * logits, weighted], None, scope)


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(c) - z c for targets z and log_input c; the full loss adds Stirling's terms."""
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        c = convert_to_tensor(log_input, name="log_input")
        z = convert_to_tensor(targets, name="targets")
        _require_one_shape(c, z, "log_input and targets")
        result = call("Exp", [c]) - c * z
        if compute_full_loss:
            stirling = z * call("Log", [z]) - z + 0.5 * call("Log", [2 * np.pi * z])
            zeros, ones = array_ops.zeros_like(z), array_ops.ones_like(z)
            is_small = call("LogicalAnd", [z >= zeros, z <= ones])
            result = result + array_ops.where(is_small, zeros, stirling)
        return result
