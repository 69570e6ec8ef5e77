"""Convolutions of one, two and three axes, their transposes, and those in groups.

All are made of ``Conv2D`` and its two gradients: an axis that is missing is put in with
size 1, and an axis that is too many is folded (``volumes.py``).

Letters as in the C++ sources: N images of H rows, W columns and C channels; a filter of R
rows and S columns from C to K channels.

Compare: tensorflow/python/ops/nn_ops.py, nn_impl.py. Read next: ``volumes.py``.
"""

from typing import Any

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import _either
from minitf.ops.nn.batch_space import with_space_to_batch
from minitf.util.arguments import integers

# ---- Arguments -------------------------------------------------------------------------


def _padding_attrs(padding: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``padding`` as attributes: a name, or a list of pairs for explicit padding."""
    if isinstance(padding, (list, tuple)):
        flat = [int(size) for pair in padding for size in pair]
        return {**attrs, "padding": "EXPLICIT", "explicit_paddings": flat}
    return {**attrs, "padding": padding}


def per_axis(value: Any, axes: int, data_format: str | None, name: str) -> list[int]:
    """One number for each axis of images of ``axes`` axes, from 1, ``axes`` or all.

    >>> per_axis(2, 2, "NHWC", "strides"), per_axis([2, 3], 2, "NCHW", "strides")
    ([1, 2, 2, 1], [1, 1, 2, 3])
    """
    numbers = [1] if value is None else integers(value, "a window")
    if len(numbers) == axes + 2:
        return numbers
    if len(numbers) not in (1, axes):
        counts = ", ".join(str(count) for count in sorted({1, axes}))
        raise ValueError(
            f"{name} should be of length {counts} or {axes + 2} but was {len(numbers)}"
        )
    inner = numbers * axes if len(numbers) == 1 else numbers
    return [1, 1, *inner] if is_channels_first(data_format) else [1, *inner, 1]


def is_channels_first(data_format: str | None) -> bool:
    """Whether axis 1 is that of the channels."""
    return str(data_format).startswith("NC")


def _conv_attrs(strides: Any, padding: Any, data_format: str, dilations: Any) -> dict:
    if strides is None or padding is None:
        raise ValueError("strides and padding must be given")
    data_format = data_format or "NHWC"
    return _padding_attrs(
        padding,
        {
            "strides": per_axis(strides, 2, data_format, "strides"),
            "data_format": data_format,
            "dilations": per_axis(dilations, 2, data_format, "dilations"),
        },
    )


# ---- Two axes --------------------------------------------------------------------------


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
        use_cudnn_on_gpu: if False, cards compute it by a kernel of minitf (docs/gpu.md).
        data_format: the order of the axes.
        dilations: distances between the elements of a filter, as strides.
        name: of the node.
        filters: another name of filter.

    Returns:
        ``[N,P,Q,K]``, or ``[N,K,P,Q]``.
    """
    filter = _either(filter, filters, "filter", "filters")
    attrs = _conv_attrs(strides, padding, data_format, dilations)
    attrs["use_cudnn_on_gpu"] = use_cudnn_on_gpu
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
    attrs = _conv_attrs(strides, padding, data_format, dilations)
    attrs["use_cudnn_on_gpu"] = use_cudnn_on_gpu
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
    attrs = _conv_attrs(strides, padding, data_format, dilations)
    attrs["use_cudnn_on_gpu"] = use_cudnn_on_gpu
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
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return conv2d_backprop_input(
            output_shape,
            filter,
            value,
            strides,
            padding,
            data_format=data_format,
            dilations=dilations,
            name=scope,
        )


def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``atrous_conv2d``: filters are ``[R,S,K,C]``."""
    if rate < 1:
        raise ValueError(f"rate {rate} cannot be less than one")
    scope_name = name or "atrous_conv2d_transpose"
    return conv2d_transpose(
        value, filters, output_shape, 1, padding, name=scope_name, dilations=rate
    )


# ---- One axis --------------------------------------------------------------------------


def _with_rows(data_format: str | None, wanted: str) -> tuple[str, int]:
    """The format with an axis of rows, and which one that axis is."""
    if data_format in (None, "NWC", "NHWC"):
        return "NHWC", 1
    if data_format in ("NCW", "NCHW"):
        return "NCHW", 2
    raise ValueError(f"data_format must be {wanted}, not {data_format!r}")


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The convolution of rows with filters.

    Args:
        value: ``[N,W,C]``, or ``[N,C,W]`` if data_format is 'NCW'.
        filters: ``[S,C,K]``.
        stride: a number, or one for each axis.
        padding: 'SAME' or 'VALID'.
        use_cudnn_on_gpu: as for ``conv2d``.
        data_format: 'NWC' (if None) or 'NCW'.
        name: of the scope.
        input: another name of value.
        dilations: the distance between the elements of a filter, as stride.
    """
    value = _either(value, input, "value", "input")
    with name_scope(name, "conv1d", [value, filters]) as scope:
        layout, axis = _with_rows(data_format, "'NWC' or 'NCW'")
        narrow = "NCW" if layout == "NCHW" else "NWC"
        strides = per_axis(stride, 1, narrow, "stride")
        rates = per_axis(dilations, 1, narrow, "dilations")
        result = conv2d(
            array_ops.expand_dims(value, axis),
            array_ops.expand_dims(filters, 0),
            [*strides[:axis], 1, *strides[axis:]],
            padding,
            use_cudnn_on_gpu=use_cudnn_on_gpu is not False,
            data_format=layout,
            dilations=[*rates[:axis], 1, *rates[axis:]],
            name=scope,
        )
        return array_ops.squeeze(result, [axis])


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv1d``: filters are ``[S,K,C]``, from C to K channels."""
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        layout, axis = _with_rows(data_format, "'NWC' or 'NCW'")
        narrow = "NCW" if layout == "NCHW" else "NWC"
        steps = per_axis(strides, 1, narrow, "strides")
        rates = per_axis(dilations, 1, narrow, "dilations")
        sizes = convert_to_tensor(output_shape)
        sizes = array_ops.concat([sizes[:axis], [1], sizes[axis:]], 0)
        result = conv2d_backprop_input(
            sizes,
            array_ops.expand_dims(filters, 0),
            array_ops.expand_dims(input, axis),
            [*steps[:axis], 1, *steps[axis:]],
            padding,
            data_format=layout,
            dilations=[*rates[:axis], 1, *rates[axis:]],
            name=scope,
        )
        return array_ops.squeeze(result, [axis])


# ---- Each channel by itself ------------------------------------------------------------


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The op of ``depthwise_conv2d``, with strides and dilations for all four axes."""
    attrs = {"strides": strides, "data_format": data_format, "dilations": list(dilations)}
    attrs = _padding_attrs(padding, attrs)
    return call("DepthwiseConv2dNative", [input, filter], attrs, name)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of every channel with filters of its own.

    Args:
        input: ``[N,H,W,C]``, or ``[N,C,H,W]`` if data_format is 'NCHW'.
        filter: ``[R,S,C,M]``: M filters for every channel.
        strides: for all four axes.
        padding: 'SAME', 'VALID', or pairs.
        rate: dilations of rows and columns.
        name: of the scope.
        data_format: the order of the axes.
        dilations: another name of rate.

    Returns:
        ``[N,P,Q,C*M]``, with channel c in ``c*M`` to ``c*M + M - 1``.
    """
    rate = _either(dilations, rate, "dilations", "rate")
    with name_scope(name, "depthwise", [input, filter]) as scope:
        rates = per_axis(rate, 2, data_format, "rate")
        layout = data_format or "NHWC"

        def dense(x: Tensor, _: int, padding: Any) -> Tensor:
            return depthwise_conv2d_native(
                x, filter, strides, padding, layout, name=scope
            )

        filter = convert_to_tensor(filter, name="filter_in")
        inner = rates[2:] if is_channels_first(layout) else rates[1:3]
        window = filter.shape[:2].as_list() if filter.shape.ndims else None
        return with_space_to_batch(
            input, inner, padding, dense, window, data_format=layout
        )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """``depthwise_conv2d``, and then a convolution with filters of one element.

    Args:
        input: ``[N,H,W,C]``, or ``[N,C,H,W]`` if data_format is 'NCHW'.
        depthwise_filter: ``[R,S,C,M]``.
        pointwise_filter: ``[1,1,C*M,K]``.
        strides: of the first convolution.
        padding: of the first convolution.
        rate: of the first convolution.
        name: of the scope.
        data_format: the order of the axes.
        dilations: another name of rate.
    """
    rate = _either(dilations, rate, "dilations", "rate")
    values = [input, depthwise_filter, pointwise_filter]
    with name_scope(name, "separable_conv2d", values) as scope:
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        sizes = pointwise_filter.shape.with_rank(4)
        sizes[0].assert_is_compatible_with(1)
        sizes[1].assert_is_compatible_with(1)
        layout = data_format or "NHWC"
        depthwise = depthwise_conv2d(
            input, depthwise_filter, strides, padding, rate, "depthwise", layout
        )
        return conv2d(depthwise, pointwise_filter, 1, "VALID", True, layout, name=scope)
