"""``tf.nn.convolution`` and its transpose: over as many axes as there are.

Compare: tensorflow/python/ops/nn_ops.py. Read next: ``pools.py``.
"""

from typing import Any

import numpy as np

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.math_ops import _either
from minitf.ops.nn.batch_space import with_space_to_batch
from minitf.ops.nn.convolutions import conv1d, conv1d_transpose, conv2d, conv2d_transpose
from minitf.ops.nn.volumes import conv3d, conv3d_transpose


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
    """``conv1d``, ``conv2d`` or ``conv3d``, by the rank of the filter or of the input.

    Strides and dilations are those of the inner axes.
    """
    filter = convert_to_tensor(_either(filter, filters, "filter", "filters"))
    dilations = _either(dilations, dilation_rate, "dilations", "dilation_rate")
    with name_scope(name, "convolution", [input, filter]) as scope:
        input = convert_to_tensor(input)
        rank = filter.shape.ndims or input.shape.ndims
        if rank is None:
            raise ValueError("rank of input or filters must be known")
        if rank not in (3, 4, 5):
            raise ValueError(f"`input` must be of rank 3, 4 or 5 but was {rank}")
        if input.shape.ndims not in (None, rank):
            raise ValueError(
                f"`input` must be of rank {rank}, as the filter is, but has shape "
                f"{input.shape}"
            )
        function = {3: conv1d, 4: conv2d, 5: conv3d}[rank]
        layout = data_format or {3: "NWC", 4: "NHWC", 5: "NDHWC"}[rank]
        steps = np.broadcast_to(1 if strides is None else strides, (rank - 2,))
        rates = np.broadcast_to(1 if dilations is None else dilations, (rank - 2,))
        if np.any(rates > 1) and np.any(steps > 1):
            raise ValueError(
                "strides > 1 not supported in conjunction with dilation_rate > 1"
            )

        def dense(x: Tensor, _: int, padding: Any) -> Tensor:
            steps_of_axes = [int(step) for step in steps]
            options = {"padding": padding, "data_format": layout, "name": scope}
            return function(x, filter, steps_of_axes, **options)

        window = filter.shape[: rank - 2].as_list() if filter.shape.ndims else None
        return with_space_to_batch(
            input, rates, padding, dense, window, data_format=layout
        )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``convolution``, by the number of elements of ``output_shape``."""
    with name_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        rank = len(output_shape) if isinstance(output_shape, (list, tuple)) else None
        if rank is None:
            rank = convert_to_tensor(output_shape).shape[0].value
        functions = {
            3: conv1d_transpose,
            4: conv2d_transpose,
            5: conv3d_transpose,
        }
        if rank not in functions:
            raise ValueError(
                f"output_shape must be of length 3, 4 or 5 but was {rank}: {output_shape}"
            )
        formats = {3: "NWC", 4: "NHWC", 5: "NDHWC"}
        return functions[rank](
            input,
            filters,
            output_shape,
            strides,
            padding=padding,
            data_format=data_format or formats[rank],
            dilations=dilations,
            name=scope,
        )


def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """``conv2d`` with dilations of ``rate`` in rows and columns."""
    return convolution(
        value, filters, padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name
    )
