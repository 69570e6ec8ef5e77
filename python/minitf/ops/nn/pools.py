"""Pooling over one, two and three axes: the largest element or the mean of each window.

An axis that is missing is put in with size 1. Over three axes, rows and columns come
first, then planes. That is the same for the largest element, for a mean over windows
without padding, and for one with padding, whose number of elements is a product of the
numbers along the axes.

Compare: tensorflow/python/ops/nn_ops.py. Read next: ``nn_ops.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import _either
from minitf.ops.nn.batch_space import with_space_to_batch
from minitf.ops.nn.convolutions import is_channels_first, per_axis
from minitf.ops.nn.volumes import (
    as_volume,
    planes_first,
    planes_last,
)
from minitf.ops.op_arguments import require_type
from minitf.ops.sizes import product, reshaped, sizes_of

# ---- Two axes --------------------------------------------------------------------------


def _pool(
    op_type: str,
    value: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    name: str | None,
) -> Tensor:
    attrs = {
        "ksize": per_axis(ksize, 2, data_format, "ksize"),
        "strides": per_axis(strides, 2, data_format, "strides"),
        "padding": padding,
        "data_format": data_format or "NHWC",
    }
    return call(op_type, [value], attrs, name)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest element of each window, channel by channel. Padding does not count."""
    value = _either(value, input, "value", "input")
    with name_scope(name, "MaxPool", [value]) as scope:
        return _pool("MaxPool", value, ksize, strides, padding, data_format, scope)


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """As ``max_pool``, whose ``value`` is ``input`` here."""
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool2d")


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window, channel by channel. Padding does not count."""
    value = _either(value, input, "value", "input")
    with name_scope(name, "AvgPool", [value]) as scope:
        return _pool("AvgPool", value, ksize, strides, padding, data_format, scope)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,  # noqa: N803
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The largest element of each window, and where it is.

    Args:
        input: ``[N,H,W,C]``.
        ksize: the size of the window, as strides.
        strides: for each axis of the input, or for rows and columns, or for both.
        padding: 'SAME' or 'VALID'.
        data_format: 'NHWC'.
        Targmax: the former name of output_dtype.
        name: of the node.
        output_dtype: of the indices; int64 if None.
        include_batch_in_index: whether an index counts the elements of all images, or
            those of one: ``(h * W + w) * C + c``.

    Returns:
        The elements and the indices, both ``[N,P,Q,C]``.
    """
    if data_format != "NHWC":
        raise ValueError(f"data_format must be 'NHWC', not {data_format!r}")
    dtype = _either(output_dtype, Targmax, "output_dtype", "Targmax", dtypes.int64)
    attrs = {
        "ksize": per_axis(ksize, 2, data_format, "ksize"),
        "strides": per_axis(strides, 2, data_format, "strides"),
        "padding": padding,
        "Targmax": dtype,
        "include_batch_in_index": include_batch_in_index,
    }
    return call("MaxPoolWithArgmax", [input], attrs, name)


# ---- One axis --------------------------------------------------------------------------


def _pool1d(
    op_type: str,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    name: str,
) -> Tensor:
    data_format = data_format or "NWC"
    if data_format not in ("NWC", "NCW"):
        raise ValueError(f"data_format must be 'NWC' or 'NCW', not {data_format!r}")
    axis = 2 if is_channels_first(data_format) else 1
    window = per_axis(ksize, 1, data_format, "ksize")
    steps = per_axis(strides, 1, data_format, "strides")
    result = _pool(
        op_type,
        array_ops.expand_dims(input, axis),
        [*window[:axis], 1, *window[axis:]],
        [*steps[:axis], 1, *steps[axis:]],
        padding,
        "NCHW" if axis == 2 else "NHWC",
        name,
    )
    return array_ops.squeeze(result, [axis])


def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """As ``max_pool`` for ``[N,W,C]``, or ``[N,C,W]`` if data_format is 'NCW'."""
    with name_scope(name, "MaxPool1d", [input]) as scope:
        return _pool1d("MaxPool", input, ksize, strides, padding, data_format, scope)


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """As ``avg_pool`` for ``[N,W,C]``, or ``[N,C,W]`` if data_format is 'NCW'."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        return _pool1d("AvgPool", input, ksize, strides, padding, data_format, scope)


# ---- Three axes ------------------------------------------------------------------------


def _pool3d(
    op_type: str,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    name: str,
) -> Tensor:
    window = planes_last(per_axis(ksize, 3, data_format, "ksize"), data_format)
    steps = planes_last(per_axis(strides, 3, data_format, "strides"), data_format)
    if [window[0], window[4], steps[0], steps[4]] != [1, 1, 1, 1]:
        raise ValueError(
            "Pooling is not yet supported on the batch or the depth dimension: ksize is "
            f"{ksize}, strides are {strides}"
        )
    x = planes_last(as_volume(input, "input"), data_format)
    batch, planes, rows, columns, depth = sizes_of(x)
    images = reshaped(x, [product([batch, planes]), rows, columns, depth])
    images = _pool(op_type, images, window[2:4], steps[2:4], padding, "NHWC", None)

    _, rows, columns, depth = sizes_of(images)
    stacks = reshaped(images, [batch, planes, product([rows, columns]), depth])
    window, steps = [1, window[1], 1, 1], [1, steps[1], 1, 1]
    stacks = _pool(op_type, stacks, window, steps, padding, "NHWC", None)

    result = reshaped(stacks, [batch, sizes_of(stacks)[1], rows, columns, depth])
    return array_ops.identity(planes_first(result, data_format), name=name)


# MaxPool3D has no kernel of float64, as it has none of integers.
_OF_VOLUMES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """As ``max_pool`` for ``[N,D,H,W,C]``, or ``[N,C,D,H,W]`` if it says 'NCDHW'.

    Raises:
        TypeError: the numbers are not floating-point ones of at most 32 bits.
    """
    with name_scope(name, "MaxPool3D", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        require_type(input, "input", _OF_VOLUMES)
        return _pool3d("MaxPool", input, ksize, strides, padding, data_format, scope)


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """As ``avg_pool`` for ``[N,D,H,W,C]``, or ``[N,C,D,H,W]`` if it says 'NCDHW'."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        return _pool3d("AvgPool", input, ksize, strides, padding, data_format, scope)


# ---- As many axes as there are ---------------------------------------------------------

_BY_RANK = {
    "MAX": {3: max_pool1d, 4: max_pool, 5: max_pool3d},
    "AVG": {3: avg_pool1d, 4: avg_pool, 5: avg_pool3d},
}
_FORMATS = {3: "NWC", 4: "NHWC", 5: "NDHWC"}


def _by_rank(kind: str, input: Any, data_format: str | None) -> tuple[Tensor, Any, str]:
    input = convert_to_tensor(input, name="input")
    rank = input.shape.ndims
    if rank is None:
        if data_format is None:
            raise ValueError(
                "Rank of input or data_format must be given, neither is known"
            )
        rank = len(data_format)
    if rank not in _FORMATS:
        raise ValueError(f"`input` must be of rank 3, 4 or 5 but was {rank}")
    return input, _BY_RANK[kind][rank], data_format or _FORMATS[rank]


def max_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """``max_pool1d``, ``max_pool`` or ``max_pool3d``, by the rank of the input."""
    input, function, layout = _by_rank("MAX", input, data_format)
    name = name or ("MaxPool2d" if function is max_pool else None)
    return function(input, ksize, strides, padding, data_format=layout, name=name)


def avg_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """``avg_pool1d``, ``avg_pool`` or ``avg_pool3d``, by the rank of the input."""
    input, function, layout = _by_rank("AVG", input, data_format)
    return function(input, ksize, strides, padding, data_format=layout, name=name)


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
    """Pooling over one, two or three axes, whose windows may have gaps.

    Args:
        input: one axis of the batch, one of the channels, the others are pooled over.
        window_shape: the size of the window, for each axis that is pooled over.
        pooling_type: 'MAX' or 'AVG'.
        padding: 'SAME' or 'VALID'; with gaps, 'VALID'.
        dilation_rate: distances between the elements of a window; 1 if None.
        strides: steps of the window; 1 if None. Where gaps are above 1, it must be 1.
        name: of the scope.
        data_format: such as 'NHWC'; that with the channels last if None.
        dilations: another name of dilation_rate.

    Raises:
        ValueError: the rank of the input is not that of the window and 2.
    """
    rates = _either(dilations, dilation_rate, "dilations", "dilation_rate", 1)
    if pooling_type not in _BY_RANK:
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', not {pooling_type!r}")
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        axes = len(window_shape)
        if axes + 2 not in _FORMATS:
            raise ValueError(f"Number of spatial dimensions must be 1, 2 or 3, is {axes}")
        if input.shape.ndims not in (None, axes + 2):
            raise ValueError(
                f"`input` must have rank {axes + 2} for a window of {axes} axes, has "
                f"shape {input.shape}"
            )
        layout = data_format or _FORMATS[axes + 2]
        function = _BY_RANK[pooling_type][axes + 2]
        rates = np.broadcast_to(rates, (axes,))
        if strides is not None and np.any(np.greater(strides, window_shape)):
            raise ValueError(
                f"strides must not be larger than the window: strides={strides}, "
                f"window_shape={window_shape}"
            )
        if not np.any(rates > 1):
            return function(input, window_shape, strides, padding, layout, scope)
        if padding != "VALID":
            raise ValueError(
                "pooling with 'SAME' padding is not implemented for dilation_rate > 1: "
                f"padding={padding!r}, dilation_rate={rates}"
            )
        if strides is not None and np.any(np.asarray(strides) > 1):
            raise ValueError(
                "strides > 1 not supported in conjunction with dilation_rate > 1"
            )

        def dense(converted: Tensor, padding: str) -> Tensor:
            return function(converted, window_shape, 1, padding, layout, scope)

        first = 2 if is_channels_first(layout) else 1
        spatial = list(range(first, first + axes))
        return with_space_to_batch(
            input,
            rates,
            padding,
            lambda x, _, padding: dense(x, padding),
            window_shape,
            spatial,
            layout,
        )
