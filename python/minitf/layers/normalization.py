"""Batch normalization with variables.

While training, a batch is normalized by its own mean and variance, which also go into
moving means; otherwise by these (Ioffe and Szegedy, 2015).

Compare: tensorflow/python/layers/normalization.py.
Read next: ``ops/losses/losses_impl.py``.
"""

from typing import Any

from minitf.control_flow.control_flow_ops import cond
from minitf.framework import constant_op, dtypes
from minitf.framework.errors import UnimplementedError
from minitf.framework.graph import colocate_with
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.layers.base import Layer, layer_function, training_mode
from minitf.ops import array_ops, math_ops
from minitf.ops.nn import normalization
from minitf.ops.nn.batch_norm import fused_batch_norm
from minitf.variables.init_ops import ones_initializer, zeros_initializer
from minitf.variables.state_ops import uncached


class BatchNormalization(Layer):
    """Normalizes over all axes but one, and scales and shifts what comes out.

    Args:
        axis: the one axis, of the channels, or a list of it.
        momentum: how much of a moving mean stays at each step.
        epsilon: added to the variance.
        center: whether there is a shift, beta.
        scale: whether there is a scale, gamma.
        beta_initializer: of the shift.
        gamma_initializer: of the scale.
        moving_mean_initializer: of the moving mean.
        moving_variance_initializer: of the moving variance.
        beta_regularizer: a function that gives a loss, or None.
        gamma_regularizer: the same.
        beta_constraint: applied to the shift by optimizers.
        gamma_constraint: the same, to the scale.
        renorm: batch renormalization, which there is not: False.
        renorm_clipping: None.
        renorm_momentum: of no use without ``renorm``.
        fused: False for ops of the formula's parts, and a moving variance over n
            elements. Otherwise images (four axes, channels second or last) are
            normalized by one op, whose moving variance is over n - 1.
        trainable: whether optimizers change beta and gamma.
        virtual_batch_size: None: there are no smaller batches within a batch.
        adjustment: None.
        name: of the layer.
        options: see Layer.

    Raises:
        errors.UnimplementedError: renorm, virtual_batch_size, adjustment or several axes
            are asked for.
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = zeros_initializer,
        gamma_initializer: Any = ones_initializer,
        moving_mean_initializer: Any = zeros_initializer,
        moving_variance_initializer: Any = ones_initializer,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **options: Any,
    ):
        super().__init__(trainable, name, **options)
        _refuse(
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            virtual_batch_size=virtual_batch_size,
            adjustment=adjustment,
        )
        del renorm_momentum
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        _refuse(axis=None if len(axes) == 1 else axis)
        self.axis = axes[0]
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.fused = fused

    def build(self, input_shape: TensorShape) -> None:
        """Makes gamma, beta, moving_mean and moving_variance, each ``[C]``.

        For inputs of 16 bits they are float32, and all is computed in it: a moving mean
        of few digits would not move any more.
        """
        input_shape = as_shape(input_shape)
        if input_shape.ndims is None:
            raise ValueError(f"Input has undefined rank: {input_shape}")
        if not -input_shape.ndims <= self.axis < input_shape.ndims:
            raise ValueError(
                f"Invalid axis: {self.axis} for inputs of shape {input_shape}"
            )
        size = [input_shape[self.axis].value]
        if size == [None]:
            raise ValueError(
                f"Input has undefined `axis` dimension {self.axis}: its shape is "
                f"{input_shape}"
            )
        narrow = self.dtype in (dtypes.half, dtypes.bfloat16)
        dtype = dtypes.float32 if narrow else self.dtype
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                size,
                dtype,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                size,
                dtype,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        self.moving_mean = self.add_weight(
            "moving_mean",
            size,
            dtype,
            initializer=self.moving_mean_initializer,
            trainable=False,
        )
        self.moving_variance = self.add_weight(
            "moving_variance",
            size,
            dtype,
            initializer=self.moving_variance_initializer,
            trainable=False,
        )

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """The inputs, normalized by their own moments if ``training``.

        Where ``training`` is known only when the graph runs, a step chooses; what it has
        chosen goes into the moving means.
        """
        training, known = training_mode(training)
        dtype = inputs.dtype
        if dtype in (dtypes.half, dtypes.bfloat16):
            inputs = math_ops.cast(inputs, dtypes.float32)
        if self._is_of_images(inputs) and inputs.dtype is dtypes.float32:
            y, mean, variance = self._fused(inputs, training, known)
        else:
            y, mean, variance = self._composed(inputs, training, known)
        if known is None or known:
            self.add_update(
                [
                    self._moved(self.moving_mean, mean),
                    self._moved(self.moving_variance, variance),
                ]
            )
        return y if dtype is inputs.dtype else math_ops.cast(y, dtype)

    def _is_of_images(self, inputs: Tensor) -> bool:
        """Whether the moments are those of TensorFlow's fused op."""
        rank = inputs.shape.ndims
        return self.fused is not False and rank == 4 and self.axis % rank in (1, 3)

    def _fused(
        self, inputs: Tensor, training: Any, known: bool | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The result by one op, and the moments that it was made with."""
        size = self.moving_mean.shape
        scale = array_ops.ones(size) if self.gamma is None else self.gamma
        offset = array_ops.zeros(size) if self.beta is None else self.beta
        data_format = "NCHW" if self.axis % 4 == 1 else "NHWC"

        def normalize(*moments: Any) -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(
                inputs,
                scale,
                offset,
                *moments,
                epsilon=self.epsilon,
                data_format=data_format,
                is_training=not moments,
            )

        def by_moving_means() -> tuple[Tensor, Tensor, Tensor]:
            return normalize(self.moving_mean, self.moving_variance)

        if known is None:
            return cond(training, normalize, by_moving_means)
        return normalize() if known else by_moving_means()

    def _composed(
        self, inputs: Tensor, training: Any, known: bool | None
    ) -> tuple[Tensor, Any, Any]:
        """The same for inputs of any rank and type, by ops of the formula's parts."""
        rank = inputs.shape.ndims
        axis = self.axis % rank
        mean, variance = self.moving_mean, self.moving_variance
        wide = variance
        if known is None or known:
            mean, variance = normalization.moments(
                inputs, [i for i in range(rank) if i != axis]
            )
            is_wide = self._is_of_images(inputs)
            wide = _unbiased(variance, inputs) if is_wide else variance
        if known is None:
            mean = array_ops.where(training, mean, self.moving_mean)
            variance, wide = (
                array_ops.where(training, item, self.moving_variance)
                for item in (variance, wide)
            )
        parts = [mean, variance, self.beta, self.gamma]
        if axis != rank - 1:
            shape = [-1 if i == axis else 1 for i in range(rank)]
            parts = [None if p is None else array_ops.reshape(p, shape) for p in parts]
        y = normalization.batch_normalization(inputs, *parts, self.epsilon)
        return y, mean, wide

    def _moved(self, moving: Any, value: Tensor) -> Any:
        with name_scope("AssignMovingAvg"), colocate_with(moving):
            decay = constant_op.convert_to_tensor(
                1.0 - self.momentum, moving.dtype, name="decay"
            )
            return moving.assign_sub((uncached(moving) - value) * decay, read_value=False)


def _refuse(**arguments: Any) -> None:
    """Raises an error for the first argument that asks for something."""
    for name, value in arguments.items():
        if value is not None and value is not False:
            raise UnimplementedError(
                None, None, f"BatchNormalization has no such {name}: {value!r}"
            )


def _unbiased(variance: Tensor, x: Tensor) -> Tensor:
    """``variance`` ``[C]`` of n elements of each channel of x, over n - 1."""
    channels = math_ops.maximum(array_ops.size(variance), 1)
    count = math_ops.cast(array_ops.size(x) // channels, variance.dtype)
    return variance * (count / math_ops.maximum(count - 1, 1))


batch_normalization = layer_function(
    BatchNormalization,
    "training trainable name reuse renorm renorm_clipping renorm_momentum fused "
    "virtual_batch_size adjustment",
)
