"""``tf.nn``: convolutions, pooling, activations and cross entropies.

Letters as in the C++ sources: N images of H rows, W columns and C channels; a filter of R
rows and S columns from C to K channels.

Compare: tensorflow/python/ops/nn_ops.py, nn_impl.py. Read next: ``state_ops.py``.
"""

from typing import Any

import numpy as np

from minitf import array_ops, dtypes, math_ops, reductions
from minitf.constant_op import constant_value, convert_to_tensor
from minitf.cross_entropy import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from minitf.dropout import dropout
from minitf.errors import InvalidArgumentError
from minitf.math_ops import _either, log_sigmoid, sigmoid
from minitf.norms import l2_normalize
from minitf.ops import call
from minitf.public_ops import fallback
from minitf.reductions import zero_fraction
from minitf.scopes import name_scope
from minitf.tensor import Tensor

_op_named = fallback(__name__)

__all__ = [
    "dropout",
    "l2_normalize",
    "log_poisson_loss",
    "log_sigmoid",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "sparse_softmax_cross_entropy_with_logits",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
]


_IN_NORMALIZATION = (
    "batch_normalization",
    "moments",
    "normalize_moments",
    "sufficient_statistics",
    "weighted_moments",
)


def __getattr__(name: str) -> Any:
    if name in _IN_NORMALIZATION:
        from minitf import normalization

        return getattr(normalization, name)
    if name.startswith("embedding_lookup"):
        return embedding_lookup
    return _op_named(name)


# ---- Convolution -----------------------------------------------------------------------


def _padding_attrs(padding: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``padding`` as attributes: a name, or a list of pairs for explicit padding."""
    if isinstance(padding, (list, tuple)):
        flat = [int(size) for pair in padding for size in pair]
        return {**attrs, "padding": "EXPLICIT", "explicit_paddings": flat}
    return {**attrs, "padding": padding}


def _per_axis(value: Any, data_format: str, default: int = 1) -> list[int]:
    """One number for each of the four axes, from one, two or four."""
    if value is None:
        value = default
    numbers = [int(number) for number in np.atleast_1d(value)]
    if len(numbers) == 4:
        return numbers
    if len(numbers) not in (1, 2):
        raise ValueError(f"strides, ksize and dilations take 1, 2 or 4 numbers: {value}")
    rows, columns = numbers if len(numbers) == 2 else numbers * 2
    if str(data_format).startswith("NC"):
        return [1, 1, rows, columns]
    return [1, rows, columns, 1]


def _conv_attrs(
    strides: Any, padding: Any, use_cudnn: bool, data_format: str, dilations: Any
) -> dict:
    if strides is None or padding is None:
        raise ValueError("strides and padding must be given")
    data_format = data_format or "NHWC"
    return _padding_attrs(
        padding,
        {
            "strides": _per_axis(strides, data_format),
            "use_cudnn_on_gpu": use_cudnn,
            "data_format": data_format,
            "dilations": _per_axis(dilations, data_format),
        },
    )


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The convolution of images with filters.

    Args:
        input: ``[N,H,W,C]``, or ``[N,C,H,W]`` if data_format is 'NCHW'.
        filter: ``[R,S,C,K]``.
        strides: for each axis of the input, or for rows and columns, or for both.
        padding: 'SAME', 'VALID', or a pair of numbers of zeros for each axis.
        use_cudnn_on_gpu: what it says.
        data_format: the order of the axes.
        dilations: distances between the elements of a filter, as strides.
        name: of the node.
        filters: another name of filter.

    Returns:
        ``[N,P,Q,K]``, or ``[N,K,P,Q]``.
    """
    filter = _either(filter, filters, "filter", "filters")
    attrs = _conv_attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return call("Conv2D", [input, filter], attrs, name)


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of a convolution for its images, of shape ``input_sizes``."""
    filter = _either(filter, filters, "filter", "filters")
    attrs = _conv_attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return call("Conv2DBackpropInput", [input_sizes, filter, out_backprop], attrs, name)


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of a convolution for its filters, of shape ``filter_sizes``."""
    attrs = _conv_attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return call("Conv2DBackpropFilter", [input, filter_sizes, out_backprop], attrs, name)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of a convolution: filters are ``[R,S,K,C]``, from C to K channels."""
    value = _either(value, input, "value", "input")
    filter = _either(filter, filters, "filter", "filters")
    return conv2d_backprop_input(
        output_shape,
        filter,
        value,
        strides,
        padding,
        data_format=data_format,
        dilations=dilations,
        name=name or "conv2d_transpose",
    )


def convolution(
    input: Any,
    filter: Any = None,
    padding: Any = "VALID",
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """As ``conv2d``; strides and dilations are those of rows and columns."""
    filter = _either(filter, filters, "filter", "filters")
    dilations = _either(dilations, dilation_rate, "dilations", "dilation_rate", 1)
    return conv2d(
        input,
        filter,
        1 if strides is None else strides,
        padding,
        data_format=data_format or "NHWC",
        dilations=dilations,
        name=name or "convolution",
    )


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """``value`` with a bias added to each channel."""
    if data_format not in (None, "NHWC", "NCHW", "N...C", "NC..."):
        raise ValueError("data_format must be of the form `N...C` or `NC...`")
    layout = "NCHW" if data_format and data_format.startswith("NC") else "NHWC"
    return call("BiasAdd", [value, bias], {"data_format": layout}, name)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """``x`` times a matrix, with a bias added."""
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(math_ops.matmul(x, weights), biases, name=scope)


# ---- Pooling ---------------------------------------------------------------------------


def _pool(
    op_type: str,
    value: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str,
    name: str | None,
) -> Tensor:
    attrs = {
        "ksize": _per_axis(ksize, data_format),
        "strides": _per_axis(strides, data_format),
        "padding": padding,
        "data_format": data_format,
    }
    return call(op_type, [value], attrs, name)


def max_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest element of each window, channel by channel. Padding does not count."""
    value = _either(value, input, "value", "input")
    return _pool("MaxPool", value, ksize, strides, padding, data_format, name)


def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window, channel by channel. Padding does not count."""
    value = _either(value, input, "value", "input")
    return _pool("AvgPool", value, ksize, strides, padding, data_format, name)


max_pool_v2 = max_pool
avg_pool_v2 = avg_pool


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: str,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """'MAX' or 'AVG' pooling; windows and strides are those of rows and columns."""
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', not {pooling_type!r}")
    if any(rate != 1 for rate in np.atleast_1d(dilations or dilation_rate or 1)):
        raise ValueError("pooling with dilations is not supported")
    function = max_pool if pooling_type == "MAX" else avg_pool
    strides = 1 if strides is None else strides
    return function(input, window_shape, strides, padding, data_format or "NHWC", name)


# ---- Activations -----------------------------------------------------------------------


def _on_last_axis(op_type: str, logits: Any, axis: Any, name: str | None) -> Tensor:
    """Calls an op that works on the last axis; another axis is brought there and back."""
    logits = convert_to_tensor(logits, name="logits")
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
    return features * sigmoid(features * beta)


def top_k(input: Any, k: Any = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The ``k`` largest elements of each row, and their indices."""
    return call("TopKV2", [input, k], {"sorted": sorted}, name)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the target of each row is among its ``k`` largest predictions."""
    with name_scope(name, "in_top_k"):
        return call("InTopKV2", [predictions, targets, k], None, name)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """The rows of ``params`` at ``ids``."""
    del validate_indices
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise ValueError(
                f"embedding_lookup takes one table, got {len(params)} parts "
                f"(partition_strategy={partition_strategy!r})"
            )
        params = params[0]
    with name_scope(name, "embedding_lookup", [params, ids]) as scope:
        rows = array_ops.gather(params, ids, name=scope)
        if max_norm is not None:
            rows = reductions.clip_by_norm(rows, max_norm, axes=[-1])
        return array_ops.identity(rows)


def is_static_true(value: Any) -> bool | None:
    """The value of a Boolean, tensor or not, if it is known; else None."""
    known = constant_value(value) if isinstance(value, Tensor) else value
    return None if known is None else bool(known)
