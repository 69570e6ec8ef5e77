"""Numbers kept within limits: those that are given, or those of a type.

Compare: tensorflow/python/ops/clip_ops.py, math_ops.py. Read next: ``reductions.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.indexed_slices import map_values
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.math_ops import cast, complex, imag, minimum, real


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Any:
    """Every element, or the limit that it is beyond.

    Args:
        t: a tensor or IndexedSlices.
        clip_value_min: a scalar, or of a shape that stretches to that of ``t``.
        clip_value_max: the same.
        name: of the node.

    Raises:
        ValueError: a limit has a shape to which ``t`` would have to be stretched.
    """
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:

        def clipped(x: Tensor) -> Tensor:
            low = minimum(x, clip_value_max)
            x.shape.assert_is_compatible_with(low.shape)
            result = call("Maximum", [low, clip_value_min], None, scope)
            x.shape.assert_is_compatible_with(result.shape)
            return result

        return map_values(clipped, t, "t")


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """As ``cast``; numbers beyond the limits of ``dtype`` become the limit.

    Infinity becomes the largest number, also of the same type. Of a complex number that
    is cast to a real type the real part is taken.
    """
    dtype = as_dtype(dtype)
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        if value.dtype.is_complex and dtype.is_complex:
            parts = [saturate_cast(f(value), dtype.real_dtype) for f in (real, imag)]
            return complex(*parts, scope)
        value = real(value)
        limits = _limits_within(value.dtype, dtype.real_dtype)
        ends = [convert_to_tensor(limit, value.dtype) for limit in limits]
        return cast(call("ClipByValue", [value, *ends], None, "clamp"), dtype, scope)


# How many binary digits a number of a type has.
_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def _limits_within(source: dtypes.DType, target: dtypes.DType) -> list[Any]:
    """The smallest and the largest number of ``source`` that ``target`` can hold."""
    ends = []
    for own, other in ((source.min, target.min), (source.max, target.max)):
        size = min(abs(_whole(own)), abs(_whole(other)))
        # Cut, not rounded: what is rounded up would be beyond the limit of the target.
        excess = size.bit_length() - _DIGITS.get(source.name, 64)
        if excess > 0:
            size = size >> excess << excess
        end = size if own > 0 else -size
        ends.append(float(end) if source.is_floating else end)
    return ends


def _whole(limit: Any) -> int:
    """The limit of a type as an integer; bfloat16's own has but 64 bits."""
    return int(limit) if isinstance(limit, (int, np.integer)) else int(float(limit))
