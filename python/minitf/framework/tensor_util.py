"""Tensors as messages: ``tf.make_tensor_proto`` and ``tf.make_ndarray``.

Compare: tensorflow/python/framework/tensor_util.py. Read next: ``graph_io.py``.
"""

import math
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.framework import constant_op, errors, messages
from minitf.framework.core_messages import message_of
from minitf.framework.dtypes import as_dtype
from minitf.framework.tensor_shape import as_shape
from minitf.util.arguments import require


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """A ``TensorProto`` that holds ``values``.

    Args:
        values: a number, a string, an array, or nested lists of those.
        dtype: the element type; that of the values if None.
        shape: the shape; that of the values if None. One value may stand for all.
        verify_shape: refuse values of another shape.
        allow_broadcast: accepted; the elements are written out, except for one value.

    Raises:
        TypeError: an element does not fit ``dtype``; or ``verify_shape`` is set and the
            shapes differ.
        ValueError: the values do not fit ``shape``.

    >>> print(make_tensor_proto(2.5))
    dtype: DT_FLOAT
    tensor_shape {
    }
    float_val: 2.5
    <BLANKLINE>
    """
    TensorProto = messages.get("TensorProto")  # noqa: N806
    if isinstance(values, TensorProto):
        return values
    array = constant_op.make_array(values, None if dtype is None else as_dtype(dtype))
    sizes = list(array.shape) if shape is None else as_shape(shape).as_list()
    if verify_shape and sizes != list(array.shape):
        raise TypeError(
            f"Expected Tensor's shape: {tuple(sizes)}, got {tuple(array.shape)}."
        )
    stands_for_all = array.size == 1 and math.prod(sizes) != 1
    if not stands_for_all:
        if array.size != math.prod(sizes):
            raise ValueError(
                f"{array.size} values were given for a tensor of shape {tuple(sizes)}"
            )
        array = array.reshape(sizes)
    tensor = _minitf.tensor_of_array(array, True)
    message = message_of(tensor)
    if stands_for_all:
        message.tensor_shape.Clear()
        for size in sizes:
            message.tensor_shape.dim.add(size=size)
    return message


def make_ndarray(tensor: Any) -> np.ndarray:
    """The numpy array of a ``TensorProto``.

    Raises:
        ValueError: the message is no tensor that minitf could have.

    >>> make_ndarray(make_tensor_proto([[1, 2]]))
    array([[1, 2]], dtype=int32)
    """
    require(tensor, "SerializeToString", "tf.make_ndarray", "a TensorProto")
    try:
        return _minitf.tensor_from_proto(tensor.SerializeToString()).numpy()
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
