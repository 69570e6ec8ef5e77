"""Activations, dropout and what else ``tf.nn`` has in the way of functions.

Compare: tensorflow/python/ops/nn_ops.py, nn_impl.py.
Read next: ``variables/state_ops.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _either, sigmoid


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """``value`` with a bias added to each channel."""
    if data_format not in (None, "NHWC", "NCHW", "N...C", "NC..."):
        raise ValueError("data_format must be of the form `N...C` or `NC...`")
    layout = "NCHW" if data_format and data_format.startswith("NC") else "NHWC"
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if not context.executing_eagerly():
            value = convert_to_tensor(value, name="input")
            bias = convert_to_tensor(bias, value.dtype, name="bias")
        return call("BiasAdd", [value, bias], {"data_format": layout}, scope)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """``x`` times a matrix, with a bias added."""
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        product = math_ops.matmul(x, weights)
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(product, biases, name=scope)


def _on_last_axis(op_type: str, logits: Any, axis: Any, name: str | None) -> Tensor:
    """Calls an op that works on the last axis; another axis is brought there and back."""
    logits = convert_to_tensor(logits)
    axis = -1 if axis is None else int(axis)
    rank = logits.shape.ndims
    if axis == -1 or (rank is not None and axis == rank - 1):
        return call(op_type, [logits], None, name)
    if rank is None:
        perm = _perm_in_step(array_ops.rank(logits), axis)
    else:
        if not -rank <= axis < rank:
            raise InvalidArgumentError(
                None, None, f"Dimension ({axis}) must be in the range [{-rank}, {rank})"
            )
        perm = list(range(rank))
        perm[axis], perm[-1] = perm[-1], perm[axis]
    swapped = call(op_type, [array_ops.transpose(logits, perm)])
    result = array_ops.transpose(swapped, perm, name or "transpose")
    result.set_shape(logits.shape)
    return result


def _perm_in_step(rank: Tensor, axis: int) -> Tensor:
    """The order of axes in which ``axis`` and the last one have changed places."""
    place = axis + rank if axis < 0 else axis
    before, after = math_ops.range(place), math_ops.range(place + 1, rank - 1)
    return array_ops.concat([before, [rank - 1], after, [place]], 0)


def softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """exp(logits) / sum(exp(logits)) along ``axis``, the last one if None."""
    return _on_last_axis("Softmax", logits, _either(axis, dim, "axis", "dim"), name)


def log_softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The logarithm of the softmax along ``axis``, the last one if None."""
    return _on_last_axis("LogSoftmax", logits, _either(axis, dim, "axis", "dim"), name)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """The features, times ``alpha`` where they are negative."""
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        return call("LeakyRelu", [features], {"alpha": alpha}, scope)


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """relu(x) and relu(-x), one behind the other along ``axis``."""
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        both = array_ops.concat([features, -features], axis, name=scope)
        return call("Relu", [both])


def swish(features: Any, beta: float = 1.0) -> Tensor:
    """The product of x and sigmoid(beta * x)."""
    features = convert_to_tensor(features)
    scaled = features if beta == 1.0 else features * beta
    return features * sigmoid(scaled)


def top_k(input: Any, k: Any = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The ``k`` largest elements of each row, and their indices."""
    return call("TopKV2", [input, k], {"sorted": sorted}, name)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the target of each row is among its ``k`` largest predictions."""
    with name_scope(name, "in_top_k"):
        return call("InTopKV2", [predictions, targets, k], None, name)
