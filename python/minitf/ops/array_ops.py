"""Shapes, slices and joins: where TensorFlow's Python function differs from the op.

Compare: tensorflow/python/ops/array_ops.py. Read next: ``reductions.py``.
"""

import builtins
import math
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import constant, constant_value, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import EagerTensor, GraphTensor, Tensor
from minitf.framework.tensor_shape import Dimension, TensorShape, as_shape
from minitf.util.arguments import integers

newaxis = None


# ---- Making tensors --------------------------------------------------------------------


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> GraphTensor:
    """A tensor whose value is fed at every step.

    Raises:
        RuntimeError: in eager mode, which has no steps.
    """
    if context.executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    attrs = {"dtype": as_dtype(dtype), "shape": as_shape(shape)}
    return call("Placeholder", [], attrs, name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor whose value may be fed, and is ``input`` if it is not."""
    attrs = {"shape": as_shape(shape)}
    return call("PlaceholderWithDefault", [input], attrs, name)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape ``dims`` with ``value`` everywhere."""
    return call("Fill", [_shape_tensor(dims), value], None, name)


def _shape_tensor(shape: Any) -> Any:
    if isinstance(shape, (list, tuple, TensorShape)) and len(shape) == 0:
        return convert_to_tensor(np.zeros([0], np.int32))
    return shape


def _filled(shape: Any, value: Any, dtype: Any, name: str | None) -> Tensor:
    dtype = as_dtype(dtype)
    if dtype is dtypes.string:
        if value:
            raise TypeError("ones: Expected string, got 1 of type 'int' instead.")
        value = ""
    elif dtype.is_bool:
        value = bool(value)
    if isinstance(shape, int):
        shape = [shape]
    if shape is None:
        raise ValueError("a shape is needed, not None")
    if isinstance(shape, Tensor) and shape.shape.ndims in (None, 0):
        shape = reshape(shape, [-1])
    if not isinstance(shape, Tensor) and not context.executing_eagerly():
        sizes = shape.as_list() if isinstance(shape, TensorShape) else list(shape)
        is_known = all(isinstance(size, (int, np.integer, Dimension)) for size in sizes)
        # NumPy has no array of no elements if its other sizes are too large.
        is_huge = is_known and np.prod([size or 1 for size in sizes], dtype=float) > 2**31
        if is_known and 0 in sizes and min(sizes) == 0 and not is_huge:
            empty = np.zeros([int(size) for size in sizes], dtype._numpy)
            return constant(empty, name=name)
        if is_known and not is_huge and 0 <= np.prod(sizes, dtype=np.float64) < 1000:
            return constant(value, dtype, shape=[int(size) for size in sizes], name=name)
    return fill(shape, convert_to_tensor(value, dtype), name)


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Zeros; empty strings or False, if that is the type."""
    return _filled(shape, 0, dtype, name or "zeros")


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Ones; True, if that is the type."""
    return _filled(shape, 1, dtype, name or "ones")


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Zeros of the shape of ``tensor``, and of its type unless one is given."""
    with name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dtype = tensor.dtype if dtype is None else as_dtype(dtype)
        is_known = isinstance(tensor, GraphTensor) and tensor.shape.is_fully_defined()
        if dtype is tensor.dtype and not (is_known and optimize):
            return call("ZerosLike", [tensor], None, scope)
        return zeros(_known_or_dynamic_shape(tensor), dtype, scope)


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones of the shape of ``tensor``, and of its type unless one is given.

    ``optimize=False`` has the step find out the shape, even if it is known before.
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dtype = tensor.dtype if dtype is None else dtype
        if optimize:
            return ones(_known_or_dynamic_shape(tensor), dtype, scope)
        return ones(call("Shape", [tensor], None, "Shape"), dtype, scope)


def _known_or_dynamic_shape(tensor: Tensor) -> Any:
    return tensor.shape if tensor.shape.is_fully_defined() else shape(tensor)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """For every index a vector of ``depth`` numbers, with on_value at that index."""
    values = [indices, depth, on_value, off_value]
    with name_scope(name, "one_hot", values) as scope:
        dtype = None if dtype is None else as_dtype(dtype)
        if on_value is not None:
            on_value = convert_to_tensor(on_value, dtype, name="on_value")
        if off_value is not None:
            off_value = convert_to_tensor(off_value, dtype, name="off_value")
        given = [v.dtype for v in (on_value, off_value) if v is not None]
        if len(given) == 2 and given[0] is not given[1]:
            raise TypeError(
                f"dtype {given[0].name} of on_value does not match dtype "
                f"{given[1].name} of off_value"
            )
        dtype = dtype or (given[0] if given else dtypes.float32)
        if on_value is None:
            on_value = convert_to_tensor(1, dtype, name="on_value")
        if off_value is None:
            off_value = convert_to_tensor(0, dtype, name="off_value")
        inputs = [indices, depth, on_value, off_value]
        return call("OneHot", inputs, {"axis": axis}, scope)


# ---- Asking ----------------------------------------------------------------------------


def shape(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Tensor:
    """The shape, as a tensor; a constant if it is known."""
    with name_scope(name, "Shape", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        known = _known_shape(input)
        if known is not None:
            return constant(known, out_type, [len(known)], name=scope)
        return call("Shape", [input], {"out_type": out_type}, scope)


def size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Tensor:
    """The number of elements, as a tensor; a constant if it is known."""
    with name_scope(name, "Size", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        known = _known_shape(input)
        if known is not None:
            return constant(math.prod(known), out_type, name=scope)
        return call("Size", [input], {"out_type": out_type}, scope)


def _known_shape(tensor: Tensor) -> list[int] | None:
    """The sizes of a tensor of a graph if all are known. An eager tensor has its own."""
    if isinstance(tensor, GraphTensor) and tensor.shape.is_fully_defined():
        return tensor.shape.as_list()
    return None


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes, as a tensor; a constant if it is known."""
    with name_scope(name, "Rank", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if isinstance(input, GraphTensor) and input.shape.ndims is not None:
            return constant(input.shape.ndims, dtypes.int32, name=scope)
        return call("Rank", [input], None, scope)


def identity(input: Any, name: str | None = None) -> Any:
    """The same value, in a node of its own; of what has several tensors, in several."""
    if hasattr(input, "_of_parts"):
        parts = input._fetch_parts()[1]
        return input._of_parts([identity(part, name) for part in parts])
    return call("Identity", [input], None, name)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The same value, which the caller knows to be constant. No use is made of that."""
    return call("Identity", [input], None, name or "GuaranteeConst")


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value; gradients take it as a constant."""
    return call("StopGradient", [input], None, name)


# ---- Other shapes of the same elements -------------------------------------------------


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape, of which one size may be -1: what is left."""
    if isinstance(shape, TensorShape):
        shape = [-1 if size is None else size for size in shape.as_list()]
    return call("Reshape", [tensor, _shape_tensor(shape)], None, name)


def expand_dims(
    input: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The same elements, with an axis of size 1 put in at ``axis``."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return call("ExpandDims", [input, axis], None, name)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """The same elements, without the axes of size 1, or without those given."""
    axis = squeeze_dims if axis is None else axis
    if isinstance(axis, Tensor):
        raise TypeError(f"squeeze: the axis is an int or a list of them, not {axis!r}")
    axes = [] if axis is None else integers(axis, "the axis of squeeze")
    return call("Squeeze", [input], {"squeeze_dims": axes}, name)


def transpose(
    a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False
) -> Tensor:
    """The axes of ``a`` in another order: reversed, or axis perm[i] at place i."""
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="x" if perm is not None else "a")
        if perm is None and a.shape.ndims is None:
            perm = call("Range", [call("Sub", [call("Rank", [a]), 1]), -1, -1])
        elif perm is None:
            perm = np.arange(a.shape.ndims - 1, -1, -1, dtype=np.int32)
        conjugates = conjugate and a.dtype.is_complex
        op_type = "ConjugateTranspose" if conjugates else "Transpose"
        return call(op_type, [a, perm], None, scope)


def matrix_transpose(
    a: Any, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """The last two axes exchanged.

    Raises:
        ValueError: there are fewer than two axes.
    """
    with name_scope(name, None, [a]):
        a = convert_to_tensor(a, name="a")
        ndims = a.shape.ndims
        if ndims is None:
            ndims = rank(a)
            before = call("Range", [0, ndims - 2, 1])
            perm = concat([before, [ndims - 1, ndims - 2]], 0)
        elif ndims < 2:
            raise ValueError(
                "Argument 'a' should be a (batch) matrix, with rank >= 2. "
                f"Found: {a.shape}"
            )
        else:
            perm = [*builtins.range(ndims - 2), ndims - 1, ndims - 2]
        return transpose(a, perm, conjugate=conjugate)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """``input`` stretched to ``shape``."""
    return call("BroadcastTo", [input, _shape_tensor(shape)], None, name)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """``tensor`` with elements put around it.

    Args:
        tensor: of rank n.
        paddings: ``[n,2]``: how many before and after, for each axis.
        mode: 'CONSTANT'; 'REFLECT' or 'SYMMETRIC' mirror at the edge, without and with
            it.
        name: of the node.
        constant_values: what is put there.
    """
    mode = str(mode).upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        padded = call("MirrorPad", [tensor, paddings], {"mode": mode}, name)
    elif mode != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}")
    elif isinstance(constant_values, (int, float)) and constant_values == 0:
        padded = call("Pad", [tensor, paddings], None, name)
    else:
        padded = call("PadV2", [tensor, paddings, constant_values], None, name)
    if isinstance(padded, GraphTensor):
        _set_padded_shape(padded, *padded.op.inputs[:2])
    return padded


def _set_padded_shape(padded: GraphTensor, tensor: Tensor, paddings: Tensor) -> None:
    """Sets the sizes that are known although some paddings are not."""
    known = constant_value(paddings, partial=True)
    if known is None or None not in known or tensor.shape.ndims is None:
        return
    sizes = zip(tensor.shape.as_list(), known, strict=True)
    padded.set_shape(
        [None if None in (size, *row) else size + sum(row) for size, row in sizes]
    )


# ---- Taking apart and putting together -------------------------------------------------


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors put one behind the other along ``axis``."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            axis = convert_to_tensor(axis, "int32", "concat_dim")
            axis.shape.assert_has_rank(0)  # not the tensors, as in the order of old
            return identity(values[0], name)
    return call("ConcatV2", [list(values), axis], None, name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape put one behind the other along a new axis."""
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # Pack says what is wrong
    if isinstance(values, Tensor):
        values = unstack(values)
    if not values:
        return convert_to_tensor(values, name=name)
    values = list(values)
    if not isinstance(values[0], Tensor) and not context.executing_eagerly():
        # TensorFlow looks at the first value's shape, and so makes a node of it.
        convert_to_tensor(values[0], name=name)
    return call("Pack", [values], {"axis": axis}, name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """As ``stack`` along the first axis, in a graph.

    Raises:
        RuntimeError: in eager mode.
        TypeError: the values are of different types.
        ValueError: the shape of a value is not known.
    """
    if context.executing_eagerly():
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    with name_scope(name, None, [values]):
        values = [convert_to_tensor(value, name="value") for value in values]
        for value in values:
            if value.dtype != values[0].dtype:
                raise TypeError(
                    f"parallel_stack needs values of one type, {value} is of type "
                    f"{value.dtype.name}, the first is {values[0].dtype.name}"
                )
        for value in values:
            if not value.shape.is_fully_defined():
                raise ValueError(
                    f"parallel_stack needs values of a known shape, {value} has "
                    f"{value.shape}"
                )
        return stack(values, name="ParallelConcat")


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list:
    """The slices along ``axis``, as a list."""
    if num is None:
        value = convert_to_tensor(value)
        if value.shape.ndims is not None:
            if not -value.shape.ndims <= axis < value.shape.ndims:
                raise ValueError(
                    f"axis = {axis} not in [{-value.shape.ndims}, {value.shape.ndims})"
                )
            num = value.shape[axis].value
        if num is None:
            raise ValueError(f"Cannot infer num from shape {value.shape}")
    return call("Unpack", [value], {"num": num, "axis": axis}, name) if num else []


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """Pieces along ``axis``: so many equal ones, or ones of the sizes given."""
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)):
        return call("Split", [axis, value], {"num_split": int(num_or_size_splits)}, name)
    sizes = convert_to_tensor(num_or_size_splits, name="size_splits")
    if sizes.shape.ndims == 0:
        raise ValueError(
            "num_or_size_splits is an integer or a list of sizes, not "
            f"{num_or_size_splits!r}"
        )
    if num is None:
        num = sizes.shape[0].value
    if num is None:
        raise ValueError("Cannot infer num from the shape of num_or_size_splits")
    return call("SplitV", [value, sizes, axis], {"num_split": num}, name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of ``params`` at ``indices`` along ``axis``.

    Args:
        params: a tensor; of a variable no more is read than is needed.
        indices: int32 or int64.
        validate_indices: accepted; indices are always checked.
        name: of the node.
        axis: ``batch_dims`` if None.
        batch_dims: the number of first axes that both have and that run together.

    Returns:
        ``params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]``.
    """
    del validate_indices
    axis = batch_dims if axis is None else axis
    if batch_dims == 0 and hasattr(params, "sparse_read") and constant_value(axis) == 0:
        return params.sparse_read(indices, name)
    return call("GatherV2", [params, indices, axis], {"batch_dims": batch_dims}, name)


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """``x`` where the condition is true, else y; or the indices at which it is."""
    if x is None and y is None:
        return call("Where", [condition], None, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return call("Select", [condition, x, y], None, name)


def where_v2(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """As ``where``; the three are stretched to one shape."""
    if x is None and y is None:
        return call("Where", [condition], None, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return call("SelectV2", [condition, x, y], None, name)


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different elements of a vector, and which one each element is."""
    return call("Unique", [x], {"out_idx": out_idx}, name)


__all__ = ["EagerTensor", "constant_value"]
