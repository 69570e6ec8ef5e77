"""Slices: ``tensor[1:, ..., 0]`` and its longer forms.

Every form but a Boolean mask becomes one op, StridedSlice: begin, end and step for each
axis, and masks that say where a part was left out.

Compare: tensorflow/python/ops/array_ops.py, _slice_helper. Read next: ``reductions.py``.
"""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.ops import array_ops

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part that starts at ``begin`` and has ``size``; -1 means to the end."""
    return call("Slice", [input_, begin, size], None, name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """input_[begin:end:strides], axis by axis; the masks say which parts are left out.

    In a graph, a slice of a variable's value can be set: ``part.assign(value)``. ``var``
    is then the variable, and need not be given.

    Raises:
        ValueError: ``input_`` is not the value of ``var``.
    """
    begin = convert_to_tensor(begin)
    if strides is None:
        strides = array_ops.ones_like(begin)
    attrs = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    part = call("StridedSlice", [input_, begin, end, strides], attrs, name)
    if var is not None and getattr(var, "handle", None) is not _sliced_variable(part):
        raise ValueError(f"input_ must be the value of var, {var!r}, but is {input_!r}")
    return part


def _sliced_variable(part: Tensor) -> Any:
    """The handle of the variable whose value ``part`` is a slice of; None without one."""
    if not isinstance(part, GraphTensor):
        return None
    read = part.op.inputs[0].op
    return read.inputs[0] if read.type == "ReadVariableOp" else None


def _assign_of(part: GraphTensor) -> Callable:
    """The method ``assign`` of a slice: ``v[1:, 0].assign(value)`` sets it in ``v``."""
    if part.op.type != "StridedSlice":
        raise AttributeError(f"{part!r} has no attribute 'assign'")

    def assign(value: Any, name: str | None = None) -> Tensor:
        """Sets the slice, of the same shape as ``value``; the whole variable afterwards.

        Raises:
            ValueError: it is no slice of a variable.
        """
        handle = _sliced_variable(part)
        if handle is None:
            raise ValueError("Sliced assignment is only supported for variables")
        with part.graph.as_default():
            inputs = [handle, *part.op.inputs[1:], convert_to_tensor(value, part.dtype)]
            masks = {mask: part.op.get_attr(mask) for mask in _MASKS}
            name = name or f"{part.op.name}_assign"
            node = call("ResourceStridedSliceAssign", inputs, masks, name)
            with part.graph.control_dependencies([node]):
                return call("ReadVariableOp", [handle], {"dtype": part.dtype})

    return assign


GraphTensor.assign = property(_assign_of)


def get_item(tensor: Any, key: Any) -> Tensor:
    """``tensor[key]``: integers, slices, ``...``, newaxis, or a mask."""
    if isinstance(key, Tensor) and key.dtype.is_bool:
        return boolean_mask(tensor, key)
    if isinstance(key, bool) or (isinstance(key, np.ndarray) and key.dtype == bool):
        return boolean_mask(tensor, key)
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    keys = [_with_values(part) for part in keys]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(_MASKS, 0)
    for i, part in enumerate(keys):
        start, stop, step = 0, 0, 1
        if part is Ellipsis:
            masks["ellipsis_mask"] |= 1 << i
        elif part is None:
            masks["new_axis_mask"] |= 1 << i
        elif isinstance(part, builtins.slice):
            for bound in (part.start, part.stop, part.step):
                if bound is not None:
                    _check_index(bound)
            start = 0 if part.start is None else part.start
            stop = 0 if part.stop is None else part.stop
            step = 1 if part.step is None else part.step
            masks["begin_mask"] |= (part.start is None) << i
            masks["end_mask"] |= (part.stop is None) << i
        else:
            _check_index(part)
            start = part
            stop = part + 1
            masks["shrink_axis_mask"] |= 1 << i
        begin.append(start)
        end.append(stop)
        strides.append(step)
    return _call_strided_slice(tensor, (begin, end, strides), masks)


def _with_values(part: Any) -> Any:
    """A part of a key with its value in place of each variable."""
    if isinstance(part, builtins.slice):
        bounds = (part.start, part.stop, part.step)
        return builtins.slice(*(_with_values(bound) for bound in bounds))
    return convert_to_tensor(part) if hasattr(part, "handle") else part


def _check_index(part: Any) -> None:
    if isinstance(part, Tensor):
        is_index = part.dtype in {dtypes.int32, dtypes.int64} and part.shape.ndims != 1
    else:
        is_index = hasattr(part, "__index__") and not getattr(part, "ndim", 0)
    if not is_index:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) "
            f"and scalar tf.int32/tf.int64 tensors are valid indices, got "
            f"{part!r}"
        )


def _call_strided_slice(tensor: Any, parts: tuple, masks: dict[str, int]) -> Tensor:
    wide = any(_is_wide(x) for part in parts for x in part)
    dtype = dtypes.int64 if wide else dtypes.int32
    with name_scope(None, "strided_slice", [tensor]) as scope:
        indices = [_packed(part, dtype) for part in parts]
        return call("StridedSlice", [tensor, *indices], masks, scope)


def _is_wide(x: Any) -> bool:
    """Whether ``x`` needs 64 bits."""
    if isinstance(x, Tensor):
        return x.dtype is dtypes.int64
    return not -(2**31) <= int(x) < 2**31


def _packed(part: list[Any], dtype: dtypes.DType) -> Tensor:
    """One number for each axis, as a vector."""
    if not any(isinstance(x, Tensor) for x in part):
        # No axis is longer than what fits, so a bound beyond that means the same.
        limits = np.iinfo(dtype.as_numpy_dtype)
        near = [min(max(int(x), limits.min), limits.max) for x in part]
        numbers = np.array(near, dtype.as_numpy_dtype)
        return convert_to_tensor(numbers, name="stack")
    items = [
        call("Cast", [x], {"DstT": dtype})
        if isinstance(x, Tensor) and x.dtype is not dtype
        else x
        for x in part
    ]
    return array_ops.stack([convert_to_tensor(x, dtype) for x in items])


def boolean_mask(
    tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None
) -> Tensor:
    """The elements, or slices, at which ``mask`` is true; its rank must be known."""
    with name_scope(name, "boolean_mask", [tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        return _masked(tensor, mask, axis or 0)


def _masked(tensor: Tensor, mask: Tensor, axis: int) -> Tensor:
    count = mask.shape.ndims
    if count is None or count == 0:
        raise ValueError("Number of mask dimensions must be specified and cannot be 0")
    tensor.shape[axis : axis + count].assert_is_compatible_with(mask.shape)
    dynamic = call("Shape", [tensor])
    joined = array_ops.concat([dynamic[:axis], [-1], dynamic[axis + count :]], 0)
    flat = array_ops.reshape(tensor, joined)
    places = array_ops.squeeze(call("Where", [array_ops.reshape(mask, [-1])]), axis=[1])
    return array_ops.gather(flat, places, axis=axis)
