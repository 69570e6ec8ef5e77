"""Former names of functions, as older programs call them.

Compare: tensorflow/python/ops/variables.py, framework/ops.py, ops/variable_scope.py.
Read next: ``template.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import math_ops
from minitf.ops.math_ops import _either
from minitf.ops.nn import nn_ops, normalization
from minitf.platform import tf_logging
from minitf.variables.shared_variables import get_variable
from minitf.variables.state_ops import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    variables_initializer,
)
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variables import Variable


def op_scope(
    values: Any, name: str | None, default_name: str | None = None
) -> name_scope:
    """A former form of ``name_scope``."""
    return name_scope(name, default_name, values)


def all_variables() -> list[Variable]:
    """The former name of ``global_variables``."""
    return global_variables()


def _deprecated(name: str, instead: str) -> None:
    tf_logging.warning("%s is deprecated: use %s instead", name, instead)


def initialize_all_variables() -> Any:
    """The former name of ``global_variables_initializer``."""
    _deprecated("initialize_all_variables", "tf.global_variables_initializer")
    return global_variables_initializer()


def initialize_local_variables() -> Any:
    """The former name of ``local_variables_initializer``."""
    _deprecated("initialize_local_variables", "tf.local_variables_initializer")
    return local_variables_initializer()


def initialize_variables(var_list: list[Variable], name: str = "init") -> Any:
    """The former name of ``variables_initializer``."""
    _deprecated("initialize_variables", "tf.variables_initializer")
    return variables_initializer(var_list, name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """A former form of ``cast``."""
    return math_ops.cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """A former form of ``cast``."""
    return math_ops.cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """A former form of ``cast``."""
    return math_ops.cast(x, dtypes.complex128, name)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """``relu(x weights + biases)``; a former form of ``tf.layers.dense``."""
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return call("Relu", [nn_ops.xw_plus_b(x, weights, biases)], None, scope)


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """A former form of ``tf.nn.batch_normalization``.

    Args:
        t: a tensor; ``input`` is another name of it.
        m: its means; ``mean`` is another name.
        v: its variances; ``variance`` is another name.
        beta: added to the result.
        gamma: multiplied with the normalized tensor if scale_after_normalization.
        variance_epsilon: added to the variances.
        scale_after_normalization: whether gamma is used.
        name: of the scope.
        input: see t.
        mean: see m.
        variance: see v.
    """
    return normalization.batch_normalization(
        _either(t, input, "t", "input"),
        _either(m, mean, "m", "mean"),
        _either(v, variance, "v", "variance"),
        beta,
        gamma if scale_after_normalization else None,
        variance_epsilon,
        name,
    )


def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **options: Any
) -> Any:
    """A former form of ``variable_scope``."""
    return variable_scope(name_or_scope, default_name, values, **options)


def create_partitioned_variables(
    shape: Any,
    slicing: list[int],
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Variable]:
    """The parts of a new variable; a former form of ``get_variable(partitioner=)``.

    Args:
        shape: of the whole.
        slicing: into how many parts each axis is cut, all but one of them 1.
        initializer: of the whole, as for ``get_variable``.
        dtype: of the value.
        trainable: whether optimizers change the parts.
        collections: the collections they go into.
        name: of the variable scope, made from "PartitionedVariable" if None.
        reuse: as for ``variable_scope``.

    Raises:
        ValueError: the lengths of shape and slicing differ, or are 0.

    >>> import minitf as tf
    >>> with tf.Graph().as_default():
    ...     parts = create_partitioned_variables([3, 2], [2, 1], tf.zeros_initializer())
    ...     [(part.name, part.shape.as_list()) for part in parts]
    [('PartitionedVariable/part_0:0', [2, 2]), ('PartitionedVariable/part_1:0', [1, 2])]
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if not shape:
        raise ValueError(
            f"A partitioned Variable must have rank at least 1: shape: {shape}"
        )
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole = get_variable(
            None,
            shape,
            dtype,
            initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda shape, dtype: slicing,
        )
    return list(whole)
