"""Lists with tensors in them, where a tensor is wanted: packed along a new first axis.

``convert_to_tensor`` is below the ops, and is given the function that it calls here.

Compare: tensorflow/python/ops/array_ops.py, _autopacking_conversion_function.
Read next: ``slicing.py``.
"""

from typing import Any

from minitf.framework.constant_op import contains_tensor, convert_to_tensor, set_packing
from minitf.framework.dtypes import DType
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.ops import math_ops


def packed(value: Any, dtype: DType | None, name: str | None) -> Tensor:
    """A list with tensors in it, as one tensor with an axis more."""
    own = next((item.dtype for item in _flat(value) if hasattr(item, "dtype")), None)
    if dtype is None or dtype is own:
        parts = [_part(item, own) for item in value]
    else:
        parts = [_cast_part(item, dtype) for item in value]
    return call("Pack", [parts], {"axis": 0}, name or "packed")


def _part(item: Any, dtype: DType) -> Tensor:
    return item if isinstance(item, Tensor) else convert_to_tensor(item, dtype)


def _cast_part(item: Any, dtype: DType) -> Tensor:
    """``item`` in the type that was asked for, in which its tensors are not."""
    if isinstance(item, (list, tuple)) and contains_tensor(item):
        return packed(item, dtype, None)
    if isinstance(item, Tensor) or hasattr(item, "_as_tensor"):
        return math_ops.cast(item, dtype)
    return convert_to_tensor(item, dtype)


def _flat(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


set_packing(packed)
