"""What is fed to a step: values as arrays of the type and shape of a tensor.

Compare: tensorflow/python/client/session.py, BaseSession.run. Read next: ``fetches.py``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minitf.framework.dtypes import DType
from minitf.framework.operation import Operation
from minitf.framework.tensor import EagerTensor, GraphTensor, Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape


class _VariableValue(NamedTuple):
    """The name, type and shape of a feed for a variable, in place of its handle's."""

    name: str
    dtype: DType
    shape: TensorShape


def _target_of(feed: GraphTensor) -> GraphTensor | _VariableValue:
    if feed.op.type != "VarHandleOp":
        return feed
    shape = as_shape(feed.op.get_attr("shape"))
    return _VariableValue(feed.name, feed.op.get_attr("dtype"), shape)


def converter(feeds: list[GraphTensor]) -> Callable[[int, Any], np.ndarray]:
    """The function that makes an array for feed i of a value that is no fitting array."""
    targets = [_target_of(feed) for feed in feeds]

    def convert(i: int, value: Any) -> np.ndarray:
        return _fed_array(targets[i], value)

    return convert


def _array_to_feed(value: Any, dtype: Any, tensor: Any) -> np.ndarray:
    try:
        return np.asarray(value, dtype=dtype)
    except UnicodeDecodeError:  # NumPy takes bytes beside text for ASCII
        return np.asarray(value, dtype=object)
    except Exception as error:  # whatever the value's own methods raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"Cannot feed a {type(value).__name__} for Tensor '{tensor.name}', which has "
            f"type {tensor.dtype.name}: {error}"
        ) from error


def _fed_array(tensor: Any, value: Any) -> np.ndarray:
    """``value`` as an array that can stand for ``tensor`` in a step."""
    if isinstance(value, EagerTensor):
        value = value._shared_array()
    if isinstance(value, (Tensor, Operation)):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
            "include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. "
            f"For reference, the tensor object was {value} which was passed to the feed "
            "with "
            f"key {tensor}."
        )
    array = _array_to_feed(value, None, tensor)
    if tensor.dtype.name == "string":
        array = _fed_texts(tensor, value, array)
    else:
        _require_numbers_that_fit(tensor, value, array)
        array = _array_to_feed(value, tensor.dtype._numpy, tensor)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {as_shape(array.shape)} for Tensor "
            f"'{tensor.name}', which has shape '{tensor.shape}'"
        )
    return array


def _require_kind(tensor: Any, array: np.ndarray, fits: bool) -> None:
    if not fits:
        raise TypeError(
            f"Cannot feed value of type {array.dtype} for Tensor "
            f"'{tensor.name}', which has type {tensor.dtype.name}"
        )


def _require_numbers_that_fit(tensor: Any, value: Any, array: np.ndarray) -> None:
    """As in TensorFlow, real numbers fed to integers may lose their fractions."""
    dtype = tensor.dtype
    is_date = array.dtype.kind in "Mm"
    is_cut = is_date or (array.dtype.kind == "c" and not dtype.is_complex)
    _require_kind(tensor, array, not is_cut or not array.size)
    if dtype.is_integer and array.dtype.kind in "iu" and array.size:
        limits = np.iinfo(dtype._numpy)
        if not (limits.min <= array.min() and array.max() <= limits.max):
            raise TypeError(
                f"Type of feed value {value!r} is not compatible with Tensor "
                f"type {dtype.name}. Try explicitly setting the type of the feed "
                "tensor to a larger type (e.g. int64)."
            )
    if dtype.name == "bool" and type(value) is int and value not in (0, 1):
        raise TypeError(
            f"Type of feed value {value} is not compatible with Tensor type bool of "
            f"Tensor '{tensor.name}': 0 is False and 1 is True"
        )


def _fed_texts(tensor: Any, value: Any, array: np.ndarray) -> np.ndarray:
    """``array``, made of ``value``, as one of bytes or text."""
    if array.size == 0:
        return array.astype(object)  # of no elements NumPy makes numbers
    _require_kind(tensor, array, array.dtype.kind in "SUO")
    if array.dtype.kind in "SU" and not isinstance(value, (np.ndarray, np.generic)):
        # NumPy's own strings lose zeros at their ends.
        return _array_to_feed(value, object, tensor)
    for item in array.reshape(-1) if array.dtype.kind == "O" else ():
        if not isinstance(item, (str, bytes)):
            raise TypeError(
                f"Cannot feed {item!r} for Tensor '{tensor.name}': a string tensor "
                "takes bytes or str"
            )
    return array
