"""Convolution with weights.

Compare: tensorflow/python/layers/convolutional.py. Read next:
``separable.py``.
"""

from typing import Any

from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.layers.base import Layer, activation_called, layer_function, with_activity
from minitf.ops.nn import convolutions, nn_ops
from minitf.variables.init_ops import zeros_initializer


def pair_of(value: Any, name: str) -> list[int]:
    """One number for rows and columns, or one for each, as two.

    >>> pair_of(3, "kernel_size"), pair_of((5, 1), "kernel_size")
    ([3, 3], [5, 1])
    """
    numbers = [value, value] if isinstance(value, int) else value
    if not isinstance(numbers, (list, tuple)):
        raise ValueError(
            f"The `{name}` argument must be a tuple of 2 integers. Received: {value!r}"
        )
    numbers = list(numbers)
    if len(numbers) != 2 or not all(isinstance(number, int) for number in numbers):
        raise ValueError(
            f"The `{name}` argument must be a tuple of 2 integers. Received: {value}"
        )
    return numbers


def data_format_of(name: str) -> str:
    """TensorFlow's name of the order of axes that a layer calls ``name``."""
    formats = {"channels_last": "NHWC", "channels_first": "NCHW"}
    if str(name).lower() not in formats:
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", '
            f'"channels_last". Received: {name}'
        )
    return formats[name.lower()]


def padding_of(name: str) -> str:
    """'VALID' or 'SAME', from either case."""
    if name.upper() not in ("VALID", "SAME"):
        raise ValueError(
            f'The `padding` argument must be one of "valid", "same". Received: {name}'
        )
    return name.upper()


class Conv2D(Layer):
    """``activation(convolution(x, kernel) + bias)``.

    Args:
        filters: K, the number of channels of the output.
        kernel_size: R and S, rows and columns of a filter.
        strides: of rows and columns.
        padding: 'valid' or 'same'.
        data_format: 'channels_last' or 'channels_first'.
        dilation_rate: distances between the elements of a filter.
        activation: a function of a tensor, or the name of one such as 'relu'; None
            leaves it as it is.
        use_bias: whether there is a bias.
        kernel_initializer: of the filters ``[R,S,C,K]``; glorot_uniform if None.
        bias_initializer: of the bias ``[K]``.
        kernel_regularizer: a function that gives a loss, or None.
        bias_regularizer: the same.
        activity_regularizer: the same, for the output.
        kernel_constraint: applied to the filters by optimizers.
        bias_constraint: the same.
        trainable: whether optimizers change the variables.
        name: of the layer.
        options: see Layer.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **options: Any,
    ):
        super().__init__(trainable, name, **options)
        if filters < 1:
            raise ValueError(f"filters must be at least 1, is {filters}")
        self.filters = filters
        self.kernel_size = pair_of(kernel_size, "kernel_size")
        self.strides = pair_of(strides, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.dilation_rate = pair_of(dilation_rate, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`: "
                f"strides are {strides}, dilation_rate is {dilation_rate}"
            )
        self.activation = activation_called(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.activity_regularizer = activity_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint

    def build(self, input_shape: TensorShape) -> None:
        """Makes kernel ``[R,S,C,K]`` and bias ``[K]``."""
        self.kernel = self.add_weight(
            "kernel",
            [*self.kernel_size, self._channels_of(input_shape), self.filters],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias()

    def _channels_of(self, input_shape: TensorShape) -> int:
        axis = -1 if self.data_format == "NHWC" else 1
        channels = as_shape(input_shape).with_rank(4)[axis].value
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. Found `None`."
            )
        return channels

    def _build_bias(self) -> None:
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Tensor) -> Tensor:
        """``[N,H,W,C]`` to ``[N,P,Q,K]``."""
        outputs = self._convolved(inputs)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, self.data_format)
        if self.activation is not None:
            outputs = self.activation(outputs)
        return with_activity(self, outputs, self.activity_regularizer)

    def _convolved(self, inputs: Tensor) -> Tensor:
        return convolutions.conv2d(
            inputs,
            self.kernel,
            self.strides,
            self.padding,
            data_format=self.data_format,
            dilations=self.dilation_rate,
        )


conv2d = layer_function(Conv2D, "reuse")
