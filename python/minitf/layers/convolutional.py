"""Convolutions with weights, over one, two or three axes, and their transposes.

Compare: tensorflow/python/layers/convolutional.py. Read next:
``separable.py``.
"""

from inspect import Signature, signature
from numbers import Integral
from typing import Any

from minitf.eager import context
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.layers.base import Layer, activation_called, layer_function, with_activity
from minitf.ops import array_ops
from minitf.ops.nn import convolutions, nn_ops, volumes
from minitf.ops.sizes import sizes_of
from minitf.variables.init_ops import zeros_initializer


def numbers_of(value: Any, count: int, name: str) -> list[int]:
    """Returns ``count`` integers: ``value`` for each axis, or the elements of ``value``.

    >>> numbers_of(3, 2, "kernel_size"), numbers_of((5, 1), 2, "kernel_size")
    ([3, 3], [5, 1])
    """
    numbers = [value] * count if isinstance(value, Integral) else value
    is_list = isinstance(numbers, (list, tuple)) and len(numbers) == count
    if is_list and all(isinstance(number, Integral) for number in numbers):
        return [int(number) for number in numbers]
    raise ValueError(
        f"The `{name}` argument must be a tuple of {count} integers. Received: {value!r}"
    )


def data_format_of(name: str, axes: int = 2) -> str:
    """TensorFlow's name of the order of axes that a layer calls ``name``."""
    inner = "DHW"[-axes:]
    formats = {"channels_last": f"N{inner}C", "channels_first": f"NC{inner}"}
    if str(name).lower() not in formats:
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", '
            f'"channels_last". Received: {name}'
        )
    return formats[name.lower()]


def padding_of(name: str, allowed: tuple[str, ...] = ("VALID", "SAME")) -> str:
    """The name of a padding in capital letters, from either case."""
    if not isinstance(name, str) or name.upper() not in allowed:
        names = ", ".join(f'"{padding.lower()}"' for padding in allowed)
        raise ValueError(
            f"The `padding` argument must be one of {names}. Received: {name!r}"
        )
    return name.upper()


class Convolution(Layer):
    """``activation(convolution(x, kernel) + bias)``.

    Derived classes say how many axes a filter has.

    Args:
        filters: K, the number of channels of the output.
        kernel_size: the sizes of a filter, or one size for all axes.
        strides: of each axis, or one number for all.
        padding: 'valid' or 'same'; over one axis also 'causal', where no output depends
            on inputs behind it.
        data_format: 'channels_last' or 'channels_first'.
        dilation_rate: distances between the elements of a filter.
        activation: a function of a tensor, or the name of one such as 'relu'; None
            leaves it as it is.
        use_bias: whether there is a bias.
        kernel_initializer: of the filters, such as ``[R,S,C,K]``; glorot_uniform if None.
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

    _axes: int
    _paddings: tuple[str, ...] = ("VALID", "SAME")
    _convolve: Any

    def __init_subclass__(cls) -> None:
        """Gives the class TensorFlow's signature, with a default for each axis."""
        ones = 1 if cls._axes == 1 else (1,) * cls._axes
        cls.__signature__ = Signature(
            [
                item.replace(default=ones)
                if item.name in ("strides", "dilation_rate")
                else item
                for item in [*signature(cls.__init__).parameters.values()][1:]
            ]
        )

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
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
        self.kernel_size = numbers_of(kernel_size, self._axes, "kernel_size")
        self.strides = numbers_of(strides, self._axes, "strides")
        self.padding = padding_of(padding, self._paddings)
        self.data_format = data_format_of(data_format, self._axes)
        self.dilation_rate = numbers_of(dilation_rate, self._axes, "dilation_rate")
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
        """Makes kernel, such as ``[R,S,C,K]``, and bias ``[K]``."""
        self.kernel = self.add_weight(
            "kernel",
            self._kernel_shape(self._channels_of(input_shape)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias()

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    @property
    def _is_channels_first(self) -> bool:
        return convolutions.is_channels_first(self.data_format)

    def _channels_of(self, input_shape: TensorShape) -> int:
        axis = 1 if self._is_channels_first else -1
        channels = as_shape(input_shape).with_rank(self._axes + 2)[axis].value
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
        """Applies the layer: images ``[N,H,W,C]`` become ``[N,P,Q,K]``."""
        if self.padding == "CAUSAL":
            inputs = self._padded_in_front(inputs)
        outputs = self._biased(inputs)
        if self.activation is not None:
            outputs = self.activation(outputs)
        return with_activity(self, outputs, self.activity_regularizer)

    def _biased(self, inputs: Tensor) -> Tensor:
        outputs = self._convolved(inputs)
        if self.use_bias:
            layout = "NCHW" if self._is_channels_first else "NHWC"
            outputs = nn_ops.bias_add(outputs, self.bias, layout)
        return outputs

    def _padded_in_front(self, inputs: Tensor) -> Tensor:
        zeros = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        axis = 2 if self._is_channels_first else 1
        return array_ops.pad(
            inputs, [[zeros if i == axis else 0, 0] for i in range(self._axes + 2)]
        )

    @property
    def _op_padding(self) -> str:
        return "VALID" if self.padding == "CAUSAL" else self.padding

    def _convolved(self, inputs: Tensor) -> Tensor:
        return type(self)._convolve(
            inputs,
            self.kernel,
            self.strides,
            self._op_padding,
            data_format=self.data_format,
            dilations=self.dilation_rate,
        )


class Conv1D(Convolution):
    """A convolution of rows ``[N,W,C]`` with filters ``[S,C,K]``."""

    _axes = 1
    _paddings = ("VALID", "SAME", "CAUSAL")
    _convolve = staticmethod(convolutions.conv1d)


class Conv2D(Convolution):
    """A convolution of images ``[N,H,W,C]`` with filters ``[R,S,C,K]``."""

    _axes = 2
    _convolve = staticmethod(convolutions.conv2d)


class Conv3D(Convolution):
    """A convolution of volumes ``[N,D,H,W,C]`` with filters ``[B,R,S,C,K]``."""

    _axes = 3
    _convolve = staticmethod(volumes.conv3d)


class TransposedConvolution(Convolution):
    """The transpose of a convolution: from the size of its output to that of its input.

    With padding 'same' the output is ``strides`` times as long as the input. With 'valid'
    the output also has room for the rest of a filter that is longer than a stride.
    The arguments are those of ``Convolution``, without ``dilation_rate``.
    """

    _axes = 2

    def __init_subclass__(cls) -> None:
        """Gives the class the signature of a convolution, without ``dilation_rate``."""
        super().__init_subclass__()
        parameters = signature(_FORWARD[cls._axes]).parameters.values()
        cls.__signature__ = Signature(
            [item for item in parameters if item.name != "dilation_rate"]
        )

    def __init__(self, *args: Any, **kwargs: Any):
        given = signature(type(self)).bind(*args, **kwargs).arguments
        options = given.pop("options", {})
        super().__init__(**given, **options)

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolved(self, inputs: Tensor) -> Tensor:
        sizes = sizes_of(inputs)
        first = 2 if self._is_channels_first else 1
        for i, (taps, step) in enumerate(
            zip(self.kernel_size, self.strides, strict=True), first
        ):
            rest = max(taps - step, 0) if self.padding == "VALID" else 0
            sizes[i] = sizes[i] * step + rest
        sizes[1 if self._is_channels_first else -1] = self.filters
        is_known = all(isinstance(size, int) for size in sizes)
        outputs = type(self)._convolve(
            inputs,
            self.kernel,
            sizes if is_known else array_ops.stack(sizes),
            self.strides,
            self.padding,
            data_format=self.data_format,
        )
        if not context.executing_eagerly():
            outputs.set_shape([i if isinstance(i, int) else None for i in sizes])
        return outputs


_FORWARD = {2: Conv2D, 3: Conv3D}


class Conv2DTranspose(TransposedConvolution):
    """The transpose of ``Conv2D``; the filters are ``[R,S,K,C]``."""

    _axes = 2
    _convolve = staticmethod(convolutions.conv2d_transpose)


class Conv3DTranspose(TransposedConvolution):
    """The transpose of ``Conv3D``; the filters are ``[B,R,S,K,C]``."""

    _axes = 3
    _convolve = staticmethod(volumes.conv3d_transpose)


conv1d = layer_function(Conv1D, "reuse")
conv2d = layer_function(Conv2D, "reuse")
conv3d = layer_function(Conv3D, "reuse")
conv2d_transpose = layer_function(Conv2DTranspose, "reuse")
conv3d_transpose = layer_function(Conv3DTranspose, "reuse")
