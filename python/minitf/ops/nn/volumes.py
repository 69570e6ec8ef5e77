"""Convolution over three axes, made of that over two.

The letters of ``convolutions.py``, and D planes of an image; a filter has B planes. A
filter of B planes is laid over B planes of the image at a time. So the planes that a
filter sees together are put side by side as channels, ``[N*P,H,W,B*C]``, and one
``Conv2D`` with filters ``[R,S,B*C,K]`` does the work. Its transpose goes the same
way back: each of the B planes is brought to its place, and they are added up.

Compare: tensorflow/core/kernels/conv_ops_3d.cc. Read next: ``by_rank.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _either
from minitf.ops.nn.convolutions import (
    conv2d,
    conv2d_backprop_input,
    is_channels_first,
    per_axis,
)
from minitf.ops.op_arguments import ensure_shape
from minitf.ops.sizes import product, reshaped, sizes_of
from minitf.ops.step_checks import Assert

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_TO_CHANNELS_LAST = [0, 2, 3, 4, 1]
_TO_CHANNELS_FIRST = [0, 4, 1, 2, 3]


def as_volume(value: Any, name: str, dtype: Any = None, allowed: Any = None) -> Tensor:
    """A tensor of rank 5, of one of the ``allowed`` types."""
    x = convert_to_tensor(value, dtype, name=name)
    if allowed is not None:
        dtypes.require_allowed(f"Value passed to parameter {name!r}", x.dtype, allowed)
    if x.shape.ndims is None:
        x = ensure_shape(x, [None] * 5)
    if x.shape.ndims != 5:
        raise ValueError(f"{name} must have 5 axes, has shape {x.shape}")
    return x


def planes_last(x: Any, data_format: str | None) -> Any:
    """A volume or a list of five numbers with the channels last."""
    if data_format not in ("NDHWC", "NCDHW"):
        raise ValueError(f"data_format must be 'NDHWC' or 'NCDHW', not {data_format!r}")
    if not is_channels_first(data_format):
        return x
    if isinstance(x, list):
        return [x[axis] for axis in _TO_CHANNELS_LAST]
    return array_ops.transpose(x, _TO_CHANNELS_LAST)


def planes_first(x: Tensor, data_format: str | None) -> Tensor:
    """A volume that has the channels last, in the order of ``data_format``."""
    if not is_channels_first(data_format):
        return x
    return array_ops.transpose(x, _TO_CHANNELS_FIRST)


def _most(a: Any, b: Any) -> Any:
    """The larger of two sizes."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return call("Maximum", [a, b])


def _padding_of_planes(
    planes: Any, taps: Any, stride: int, rate: int, padding: str
) -> tuple[Any, Any, Any]:
    """How many planes of zeros go in front and behind, and how many come out."""
    reach = (taps - 1) * rate + 1
    if padding == "VALID":
        return 0, 0, (_most(planes - reach + 1, 0) + stride - 1) // stride
    if padding != "SAME":
        raise ValueError(f"padding must be 'SAME' or 'VALID', not {padding!r}")
    out = (planes + stride - 1) // stride
    total = _most((out - 1) * stride + reach - planes, 0)
    return total // 2, total - total // 2, out


def _pad_planes(x: Tensor, before: Any, after: Any) -> Tensor:
    if isinstance(before, int) and isinstance(after, int) and before == after == 0:
        return x
    return array_ops.pad(x, [[0, 0], [before, after], [0, 0], [0, 0], [0, 0]])


class _Planes:
    """The third axis of one convolution: numbers that both directions need."""

    def __init__(self, filter: Tensor, strides: list[int], dilations: list[int]):
        self.taps, rows, columns, self.inner, self.outer = sizes_of(filter)
        self.stride, self.rate = strides[0], dilations[0]
        folded = array_ops.transpose(filter, [1, 2, 0, 3, 4])
        sizes = [rows, columns, product([self.taps, self.inner]), self.outer]
        self.filter = reshaped(folded, sizes)  # [R,S,B*C,K]
        self.attrs = {"strides": strides[1:], "dilations": dilations[1:]}

    def _seen(self, out: Any) -> Tensor:
        """``[P,B]``: which plane of the padded image each plane of a filter sees."""
        first = math_ops.range(out) * self.stride
        taps = math_ops.range(self.taps) * self.rate
        return array_ops.reshape(first, [-1, 1]) + taps

    def fold(self, x: Tensor, padding: str) -> tuple[Tensor, Any]:
        """``[N,D,H,W,C]`` as ``[N*P,H,W,B*C]``, and P."""
        batch, planes, rows, columns, depth = sizes_of(x)
        before, after, out = _padding_of_planes(
            planes, self.taps, self.stride, self.rate, padding
        )
        seen = array_ops.gather(_pad_planes(x, before, after), self._seen(out), axis=1)
        side_by_side = array_ops.transpose(seen, [0, 1, 3, 4, 2, 5])  # [N,P,H,W,B,C]
        sizes = [product([batch, out]), rows, columns, product([self.taps, depth])]
        return reshaped(side_by_side, sizes), out

    def unfold(self, x: Tensor, sizes: list[Any], padding: str) -> Tensor:
        """The transpose of ``fold``: ``[N*P,H,W,B*C]`` as ``[N,D,H,W,C]`` = ``sizes``."""
        batch, planes, rows, columns, _ = sizes
        before, after, out = _padding_of_planes(
            planes, self.taps, self.stride, self.rate, padding
        )
        x = reshaped(x, [batch, out, rows, columns, self.taps, self.inner])
        planes_first = array_ops.transpose(x, [1, 4, 0, 2, 3, 5])  # [P,B,N,H,W,C]
        total = call(
            "UnsortedSegmentSum",
            [planes_first, self._seen(out), before + planes + after],
        )
        total = array_ops.transpose(total, [1, 0, 2, 3, 4])
        return reshaped(total[:, before : before + planes], sizes)


def _inner(numbers: Any, data_format: str, name: str) -> list[int]:
    """The numbers of planes, rows and columns; the others must be 1."""
    first, *inner, last = planes_last(
        per_axis(numbers, 3, data_format, name), data_format
    )
    if [first, last] != [1, 1]:
        raise ValueError(
            f"{name} in the batch and depth dimensions must be 1, are {numbers}"
        )
    return inner


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The convolution of volumes with filters.

    Args:
        input: ``[N,D,H,W,C]``, or ``[N,C,D,H,W]`` if data_format is 'NCDHW'.
        filter: ``[B,R,S,C,K]``.
        strides: for each axis of the input, or for the three inner ones, or for all.
        padding: 'SAME' or 'VALID'.
        data_format: the order of the axes.
        dilations: distances between the elements of a filter, as strides.
        name: of the scope.
        filters: another name of filter.

    Returns:
        ``[N,P,Q,T,K]``, or ``[N,K,P,Q,T]``.
    """
    if strides is None or padding is None:
        raise ValueError("strides and padding must be given")
    filter = _either(filter, filters, "filter", "filters")
    with name_scope(name, "Conv3D", [input, filter]) as scope:
        steps = _inner(strides, data_format, "strides")
        rates = _inner(dilations, data_format, "dilations")
        x = as_volume(input, "input", allowed=_FLOATS)
        filter = as_volume(filter, "filter", x.dtype)
        x = planes_last(x, data_format)
        filter = _with_channels_of(x, filter, 3)
        planes = _Planes(filter, steps, rates)
        folded, out = planes.fold(x, padding)
        result = conv2d(folded, planes.filter, padding=padding, **planes.attrs)
        _, rows, columns, depth = sizes_of(result)
        sizes = [sizes_of(x)[0], out, rows, columns, depth]
        result = reshaped(result, sizes)
        return array_ops.identity(planes_first(result, data_format), name=scope)


def _with_channels_of(x: Tensor, filter: Tensor, axis: int) -> Tensor:
    """``filter``, whose ``axis`` is as long as the last one of ``x``.

    What is not known when the graph is built is checked when it runs: to ``Conv2D``, a
    filter for fewer channels would be one for groups of them.
    """
    of_input, of_filter = x.shape[4].value, filter.shape[axis].value
    if of_input is None or of_filter is None:
        sizes = array_ops.shape(x)[4], array_ops.shape(filter)[axis]
        problem = ["Conv3D: channels of input and filter differ:", *sizes]
        with control_dependencies([Assert(math_ops.equal(*sizes), problem)]):
            return array_ops.identity(filter)
    if of_input != of_filter:
        message = f"input has {of_input} channels, the filter is for {of_filter}"
        if context.executing_eagerly():
            raise InvalidArgumentError(None, None, f"Conv3D: {message}")
        raise ValueError(message)
    return filter


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of ``conv3d``: filters are ``[B,R,S,K,C]``, from C to K channels."""
    value = _either(value, input, "value", "input")
    filter = _either(filter, filters, "filter", "filters")
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        steps = _inner(strides, data_format, "strides")
        rates = _inner(dilations, data_format, "dilations")
        dy = as_volume(value, "value", allowed=_FLOATS)
        filter = as_volume(filter, "filter", dy.dtype)
        sizes = planes_last(_sizes_wanted(output_shape), data_format)
        dy = planes_last(dy, data_format)
        if (depth := filter.shape[3].value) not in (None, sizes[4]) and isinstance(
            sizes[4], int
        ):
            raise ValueError(
                f"output_shape says {sizes[4]} channels, the filter gives {depth}"
            )
        filter = _with_channels_of(dy, filter, 4)
        planes = _Planes(filter, steps, rates)
        batch, out, rows, columns, depth = sizes_of(dy)
        batch_of_planes = product([batch, out])
        folded = reshaped(dy, [batch_of_planes, rows, columns, depth])
        wanted = [batch_of_planes, *sizes[2:4], product([planes.taps, planes.inner])]
        dx = conv2d_backprop_input(
            array_ops.stack(wanted),
            planes.filter,
            folded,
            padding=padding,
            **planes.attrs,
        )
        result = planes.unfold(dx, sizes, padding)
        return array_ops.identity(planes_first(result, data_format), name=scope)


def _sizes_wanted(output_shape: Any) -> list[Any]:
    """The five sizes of ``output_shape``: numbers, or scalar tensors."""
    if isinstance(output_shape, (list, tuple)):
        return list(output_shape)
    shape = convert_to_tensor(output_shape, dtypes.int32)
    return [shape[i] for i in range(5)]
