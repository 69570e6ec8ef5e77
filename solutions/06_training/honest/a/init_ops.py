"""Initializers: the first values of variables.

An initializer is called with a shape and a type and returns a tensor. The variance of
random ones follows from the number of inputs (fan_in) and outputs (fan_out) of a unit, so
that numbers neither grow nor fade from layer to layer (Glorot and Bengio, 2010; He and
others, 2015).

Compare: tensorflow/python/ops/init_ops.py. Read next: ``layers/base.py``.
"""

import math
from typing import Any

import numpy as np

from minitf.control_flow.while_loop import while_loop
from minitf.framework import dtypes
from minitf.framework.constant_op import constant as constant_op
from minitf.framework.dtypes import as_dtype
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, random_ops, reductions

__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variance_scaling",
    "zeros",
]


class Initializer:
    """Makes the first value of a variable."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """The value, of that shape and type."""
        raise NotImplementedError


class Zeros(Initializer):
    """Zeros everywhere."""

    def __init__(self, dtype: Any = dtypes.float32):
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        return array_ops.zeros(shape, dtype or self.dtype)


class Ones(Initializer):
    """Ones everywhere."""

    def __init__(self, dtype: Any = dtypes.float32):
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        return array_ops.ones(shape, dtype or self.dtype)


class Constant(Initializer):
    """The values given, filled up with the last one."""

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ):
        if not isinstance(
            value, (int, float, complex, str, list, tuple, np.ndarray, np.generic)
        ):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} (expected Python "
                "scalar, list or tuple of values, or numpy.ndarray)."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self.verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """See Initializer."""
        verify = self.verify_shape if verify_shape is None else verify_shape
        return constant_op(self.value, dtype or self.dtype, shape, verify_shape=verify)


class _Random(Initializer):
    def __init__(self, first: float, second: float, seed: int | None, dtype: Any):
        del first, second
        self.seed = seed
        self.dtype = as_dtype(dtype)


class RandomUniform(_Random):
    """Numbers from [minval, maxval), all equally likely."""

    def __init__(
        self,
        minval: float = 0,
        maxval: float | None = None,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        self.minval = minval
        self.maxval = maxval
        super().__init__(minval, 0, seed, dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        return random_ops.random_uniform(
            shape, self.minval, self.maxval, dtype or self.dtype, self.seed
        )


class RandomNormal(_Random):
    """Numbers from a normal distribution."""

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        self.mean = mean
        self.stddev = stddev
        super().__init__(mean, stddev, seed, dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        return random_ops.random_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, self.seed
        )


class TruncatedNormal(RandomNormal):
    """Numbers from a normal distribution, none more than two deviations from the mean."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, self.seed
        )


class UniformUnitScaling(Initializer):
    """Uniform numbers that keep the variance from layer to layer."""

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ):
        self.factor = factor
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        inputs = max(float(np.prod(shape[:-1])), 1.0)
        limit = math.sqrt(3.0 / inputs) * self.factor
        return random_ops.random_uniform(
            shape, -limit, limit, dtype or self.dtype, self.seed
        )


def compute_fans(shape: list[int]) -> tuple[float, float]:
    """Inputs and outputs of one unit of a layer whose weights have this shape.

    A matrix is [inputs, outputs]. The weights of a convolution have the sizes of its
    window in front of these: the unit sees, and is seen by, so many places.

    >>> compute_fans([5, 5, 32, 64])
    (800, 1600)
    """
    # TODO(06.4) begin: fan_in and fan_out, for all ranks from 0
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return window * shape[-2], window * shape[-1]
    # TODO(06.4) end


class VarianceScaling(Initializer):
    """Random numbers of variance scale / n.

    Args:
        scale: see above.
        mode: n is the number of inputs ('fan_in'), of outputs ('fan_out'), or their mean
            ('fan_avg').
        distribution: 'uniform', 'truncated_normal' (also called 'normal'), or
            'untruncated_normal'.
        seed: see ``tf.set_random_seed``.
        dtype: of the value, unless told otherwise.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        dtype = dtype or self.dtype
        whole = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = compute_fans([int(size) for size in whole])
        # TODO(06.4) begin: the variance, and numbers of the distribution that have it
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, n[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(shape, -limit, limit, dtype, self.seed)
        deviation = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, deviation, dtype, self.seed)
        deviation /= 0.87962566103423978
        return random_ops.truncated_normal(shape, 0.0, deviation, dtype, self.seed)
        # TODO(06.4) end


def _orthonormal(columns: Tensor) -> Tensor:
    """Makes columns orthonormal, from left to right (Gram, 1883; Schmidt, 1907).

    Args:
        columns: [n, k], at most as many columns as rows.
    """
    count = int(columns.shape[1])

    def step(i: Tensor, done: Tensor) -> tuple[Tensor, Tensor]:
        place = array_ops.one_hot(i, count, dtype=columns.dtype)[:, None]
        column = math_ops.matmul(columns, place)
        for _ in range(2):  # the second time for what rounding left over
            along = math_ops.matmul(done, column, transpose_a=True)
            column -= math_ops.matmul(done, along)
        column *= math_ops.rsqrt(reductions.reduce_sum(math_ops.square(column)))
        return i + 1, done + math_ops.matmul(column, place, transpose_b=True)

    first = array_ops.zeros_like(columns)
    return while_loop(lambda i, done: i < count, step, [0, first])[1]


class Orthogonal(Initializer):
    """A matrix with orthogonal rows or columns; further axes count as rows."""

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ):
        self.gain = gain
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = int(np.prod(shape[:-1])), int(shape[-1])
        tall = [max(rows, columns), min(rows, columns)]
        q = _orthonormal(
            random_ops.random_normal(tall, dtype=dtype or self.dtype, seed=self.seed)
        )
        if rows < columns:
            q = array_ops.transpose(q)
        return self.gain * array_ops.reshape(q, shape)


class Identity(Initializer):
    """The identity matrix, times ``gain``."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32):
        self.gain = gain
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """See Initializer."""
        whole = shape if partition_info is None else partition_info.full_shape
        if len(whole) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices."
            )
        rows, columns = (int(size) for size in shape)
        row, column = (0, 0) if partition_info is None else partition_info.var_offset
        return constant_op(
            self.gain * np.eye(rows, columns, row - column), dtype or self.dtype
        )


def glorot_uniform(
    seed: int | None = None, dtype: Any = dtypes.float32
) -> VarianceScaling:
    """Uniform numbers of variance 2 / (fan_in + fan_out)."""
    return VarianceScaling(1.0, "fan_avg", "uniform", seed, dtype)


def glorot_normal(
    seed: int | None = None, dtype: Any = dtypes.float32
) -> VarianceScaling:
    """Normal numbers of variance 2 / (fan_in + fan_out)."""
    return VarianceScaling(1.0, "fan_avg", "truncated_normal", seed, dtype)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Normal numbers of variance 2 / fan_in."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform numbers of variance 2 / fan_in."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Normal numbers of variance 1 / fan_in."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform numbers of variance 1 / fan_in."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


zeros = zeros_initializer = Zeros
ones = ones_initializer = Ones
constant = constant_initializer = Constant
random_uniform = random_uniform_initializer = RandomUniform
random_normal = random_normal_initializer = RandomNormal
truncated_normal = truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling = uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling = variance_scaling_initializer = VarianceScaling
orthogonal = orthogonal_initializer = Orthogonal
identity = identity_initializer = Identity
glorot_uniform_initializer = glorot_uniform
glorot_normal_initializer = glorot_normal


def __dir__() -> list[str]:
    return __all__
