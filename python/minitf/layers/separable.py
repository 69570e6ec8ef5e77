"""A convolution of each channel by itself, and then one of all channels at each pixel.

Compare: tensorflow/python/layers/convolutional.py, SeparableConv2D. Read next:
``pooling.py``.
"""

from typing import Any

from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.layers.base import layer_function
from minitf.layers.convolutional import Convolution
from minitf.ops import array_ops
from minitf.ops.nn import convolutions
from minitf.variables.init_ops import zeros_initializer


class SeparableConvolution(Convolution):
    """``activation(separable_convolution(x, kernels) + bias)``.

    Derived classes say how many axes a filter has: one or two.

    Args:
        filters: K, the number of channels of the output.
        kernel_size: the sizes of a filter, or one size for all axes.
        strides: of each axis, or one number for all.
        padding: 'valid' or 'same'; over one axis also 'causal'.
        data_format: 'channels_last' or 'channels_first'.
        dilation_rate: distances between the elements of a filter.
        depth_multiplier: M, how many channels the first step makes of each.
        activation: a function of a tensor; None leaves it as it is.
        use_bias: whether there is a bias.
        depthwise_initializer: of the first filters ``[R,S,C,M]`` or ``[S,C,M]``;
            glorot_uniform if None.
        pointwise_initializer: of the second filters ``[1,1,C*M,K]`` or
            ``[1,C*M,K]``, likewise.
        bias_initializer: of the bias ``[K]``.
        depthwise_regularizer: a function that gives a loss, or None.
        pointwise_regularizer: the same.
        bias_regularizer: the same.
        activity_regularizer: the same, for the output.
        depthwise_constraint: applied to the first filters by optimizers.
        pointwise_constraint: the same, to the second filters.
        bias_constraint: the same, to the bias.
        trainable: whether optimizers change the variables.
        name: of the layer.
        options: see Layer.
    """

    _axes = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = zeros_initializer,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **options: Any,
    ):
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **options,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: TensorShape) -> None:
        """Makes depthwise_kernel, pointwise_kernel and bias."""
        channels = self._channels_of(input_shape)
        ones = [1] * self._axes
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            [*ones, channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._build_bias()


class SeparableConv1D(SeparableConvolution):
    """A separable convolution of rows ``[N,W,C]``."""

    _axes = 1
    _paddings = ("VALID", "SAME", "CAUSAL")

    def _biased(self, inputs: Tensor) -> Tensor:
        """Rows are images with one row."""
        axis = 2 if self._is_channels_first else 1
        outputs = super()._biased(array_ops.expand_dims(inputs, axis))
        return array_ops.squeeze(outputs, [axis])

    def _convolved(self, inputs: Tensor) -> Tensor:
        steps = [*self.strides, *self.strides]
        return convolutions.separable_conv2d(
            inputs,
            array_ops.expand_dims(self.depthwise_kernel, 0),
            array_ops.expand_dims(self.pointwise_kernel, 0),
            [1, 1, *steps] if self._is_channels_first else [1, *steps, 1],
            self._op_padding,
            [1, *self.dilation_rate],
            data_format="NCHW" if self._is_channels_first else "NHWC",
        )


class SeparableConv2D(SeparableConvolution):
    """A separable convolution of images ``[N,H,W,C]``."""

    _axes = 2

    def _convolved(self, inputs: Tensor) -> Tensor:
        steps = self.strides
        return convolutions.separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            [1, 1, *steps] if self._is_channels_first else [1, *steps, 1],
            self.padding,
            self.dilation_rate,
            data_format=self.data_format,
        )


separable_conv1d = layer_function(SeparableConv1D, "reuse")
separable_conv2d = layer_function(SeparableConv2D, "reuse")
