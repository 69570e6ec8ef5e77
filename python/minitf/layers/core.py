"""Dense, dropout and flatten.

Compare: tensorflow/python/layers/core.py. Read next: ``convolutional.py``.
"""

from typing import Any

import numpy as np

from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.layers.base import (
    Layer,
    activation_called,
    layer_function,
    training_mode,
    with_activity,
)
from minitf.layers.convolutional import data_format_of
from minitf.ops import array_ops, math_ops
from minitf.ops.nn import nn_ops
from minitf.ops.nn.dropout import dropout as random_dropout
from minitf.ops.tensordot import tensordot
from minitf.util.arguments import require
from minitf.variables.init_ops import zeros_initializer


class Dense(Layer):
    """A fully connected layer: ``activation(x kernel + bias)``.

    Args:
        units: O, the size of the output.
        activation: a function of a tensor, or the name of one such as 'relu'; None
            leaves it as it is.
        use_bias: whether there is a bias.
        kernel_initializer: of the weights ``[I,O]``; glorot_uniform if None.
        bias_initializer: of the bias ``[O]``.
        kernel_regularizer: a function that gives a loss, or None.
        bias_regularizer: the same.
        activity_regularizer: the same, for the output.
        kernel_constraint: applied to the weights by optimizers.
        bias_constraint: the same.
        trainable: whether optimizers change the variables.
        name: of the layer.
        options: see Layer.
    """

    def __init__(
        self,
        units: int,
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
        if units < 1:
            raise ValueError(f"units must be at least 1, is {units}")
        self.units = int(units)
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
        """Makes kernel ``[I,O]`` and bias ``[O]``."""
        input_shape = as_shape(input_shape)
        self.require_rank(input_shape, 2)
        if input_shape.ndims is None or input_shape[-1].value is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. "
                "Found `None`."
            )
        self.kernel = self.add_weight(
            "kernel",
            [input_shape[-1].value, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Tensor) -> Tensor:
        """``[...,I]`` to ``[...,O]``."""
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = (
                tensordot(inputs, self.kernel, [[rank - 1], [0]])
                if (inputs.shape.is_fully_defined())
                else self._call_on_rows(inputs)
            )
        else:
            outputs = math_ops.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        if self.activation is not None:
            outputs = self.activation(outputs)
        return with_activity(self, outputs, self.activity_regularizer)

    def _call_on_rows(self, inputs: Tensor) -> Tensor:
        rows = array_ops.reshape(inputs, [-1, inputs.shape[-1].value])
        shape = array_ops.concat([array_ops.shape(inputs)[:-1], [self.units]], 0)
        outputs = array_ops.reshape(math_ops.matmul(rows, self.kernel), shape)
        outputs.set_shape(inputs.shape[:-1].concatenate(self.units))
        return outputs


dense = layer_function(Dense, "reuse")


class Dropout(Layer):
    """Sets elements to 0 at random while training; see ``tf.nn.dropout``."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **options: Any,
    ):
        super().__init__(name=name, **options)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """The inputs; some of them 0 if ``training``, a Boolean or a tensor."""
        training, known = training_mode(training)
        if known is False:
            return array_ops.identity(inputs)
        rate = self.rate
        if known is None:
            # The choice is made at every step: a rate of 0 keeps everything.
            rate = math_ops.cast(training, inputs.dtype) * rate
        return random_dropout(
            inputs, rate=rate, noise_shape=self.noise_shape, seed=self.seed
        )


dropout = layer_function(Dropout, "training name")


class Flatten(Layer):
    """Makes one axis of all axes but the first."""

    def __init__(
        self, data_format: str = "channels_last", name: str | None = None, **options: Any
    ):
        super().__init__(name=name, **options)
        self.data_format = data_format
        self._is_nchw = data_format_of(data_format) == "NCHW"

    def call(self, inputs: Tensor) -> Tensor:
        """``[N,H,W,C]`` to ``[N,H*W*C]``."""
        require(inputs, "shape", f"layer '{self.name}'", "a tensor")
        self.require_rank(inputs.shape, 1)
        rank = inputs.shape.ndims
        if self._is_nchw and rank is not None and rank > 2:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        sizes = inputs.shape.as_list() if rank is not None else [None]
        if rank is not None and None not in sizes[1:]:
            # The first size may be 0 or unknown; -1 then would not say which.
            rest = int(np.prod(sizes[1:], dtype=np.int64))
            first = sizes[0] if sizes[0] is not None else -1
            if first == -1 and rest == 0:
                shape = array_ops.stack([array_ops.shape(inputs)[0], 0])
                return array_ops.reshape(inputs, shape)
            return array_ops.reshape(inputs, [first, rest])
        return array_ops.reshape(
            inputs, array_ops.stack([call("Shape", [inputs])[0], -1])
        )


flatten = layer_function(Flatten, "name data_format")
