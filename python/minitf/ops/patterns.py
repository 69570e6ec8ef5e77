"""Arrays with a pattern: repeated slices, the points of a grid, masks of lengths.

Compare: tensorflow/python/ops/array_ops.py. Read next: ``reductions.py``.
"""

import builtins
from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.array_ops import (
    concat,
    expand_dims,
    ones,
    rank,
    reshape,
    shape,
    size,
)
from minitf.ops.slicing import boolean_mask

# ---- Repeated slices -------------------------------------------------------------------


def repeat(
    input: Any, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Every element, or slice along ``axis``, several times, one after another.

    Args:
        input: a tensor.
        repeats: how often: one integer, or a vector of one for each slice.
        axis: None takes the elements as a vector.
        name: of the scope.

    Raises:
        TypeError: repeats are not integers.
        ValueError: there is no such axis, or repeats are neither one nor as many as the
            slices.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.repeat([7, 8, 9], [2, 0, 1])).tolist()
    [7, 7, 9]
    """
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    with name_scope(name, "Repeat", [input, repeats]):
        x = convert_to_tensor(input, name="data")
        counts = _as_counts(repeats)
        x = _at_least_a_vector(x)
        axis = _axis_from_0(axis, x.shape.ndims)
        if counts.shape.num_elements() == 1:
            return _each_equally_often(x, counts, axis)
        return _each_as_counted(x, counts, axis)


def _at_least_a_vector(x: Tensor) -> Tensor:
    if x.shape.ndims == 0:
        return expand_dims(x, 0)
    if x.shape.ndims is not None:
        return x
    missing = call("Maximum", [1 - rank(x), 0])
    return reshape(x, concat([ones([missing], dtypes.int32), shape(x)], 0))


def _as_counts(repeats: Any) -> Tensor:
    if not isinstance(repeats, Tensor):
        repeats = convert_to_tensor(repeats, name="repeats", preferred_dtype=dtypes.int32)
    if not repeats.dtype.is_integer:
        raise TypeError(f"repeat: repeats are integers, got {repeats.dtype!r}")
    if repeats.dtype not in (dtypes.int32, dtypes.int64):
        repeats = call("Cast", [repeats], {"DstT": dtypes.int32})
    if repeats.shape.ndims not in (None, 0, 1):
        raise ValueError(
            f"repeat: repeats must be a scalar or a vector, got shape {repeats.shape}"
        )
    return repeats


def _axis_from_0(axis: int, ndims: int | None) -> int:
    if ndims is None and axis < 0:
        raise ValueError(
            f"repeat: the negative axis {axis} needs an input whose rank is known"
        )
    if ndims is not None and not -ndims <= axis < ndims:
        raise ValueError(f"repeat: axis {axis} is not in [{-ndims}, {ndims})")
    return axis + ndims if axis < 0 else axis


def _tiled(x: Tensor, axis: int, count: Tensor) -> Tensor:
    """``x`` with a new axis of size ``count`` behind ``axis``, along which it repeats."""
    expanded = expand_dims(x, axis + 1)
    dtype = count.dtype
    if expanded.shape.ndims is None:
        behind = ones([rank(expanded) - axis - 2], dtype)
    else:
        behind = ones([expanded.shape.ndims - axis - 2], dtype)
    multiples = concat([ones([axis + 1], dtype), expand_dims(count, 0), behind], 0)
    return call("Tile", [expanded, multiples])


def _each_equally_often(x: Tensor, counts: Tensor, axis: int) -> Tensor:
    count = reshape(counts, [])
    sizes = shape(x, out_type=count.dtype)
    here = expand_dims(sizes[axis] * count, 0)
    new_sizes = concat([sizes[:axis], here, sizes[axis + 1 :]], 0)
    result = reshape(_tiled(x, axis, count), new_sizes)
    if x.shape.ndims is not None:
        known = x.shape.as_list()
        times = constant_value(counts)
        if times == 0:
            known[axis] = 0
        elif known[axis] is not None:
            known[axis] = None if times is None else known[axis] * times.item()
        result.set_shape(known)
    return result


def _each_as_counted(x: Tensor, counts: Tensor, axis: int) -> Tensor:
    """Repeats every slice as often as the largest count, and keeps what is wanted."""
    length = None if x.shape.ndims is None else x.shape[axis].value
    known = counts.shape[0].value if counts.shape.ndims == 1 else None
    if None not in (length, known) and known != length:
        raise ValueError(
            f"repeat: {known} repeats for the {length} slices along axis {axis}"
        )
    slices = expand_dims(shape(x, out_type=counts.dtype)[axis], 0)
    counts = call("BroadcastTo", [counts, slices])
    most = call("Maximum", [0, call("Max", [counts, [0]])])
    mask = _mask(counts, most)
    mask.set_shape([None, None])
    kept = boolean_mask(_tiled(x, axis, most), mask, axis=axis)
    if x.shape.ndims is not None:
        sizes = x.shape.as_list()
        here = 0 if 0 in (length, known) else None
        kept.set_shape([*sizes[:axis], here, *sizes[axis + 1 :]])
    return kept


# ---- Grids -----------------------------------------------------------------------------


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of the points of a grid, one tensor for each axis.

    Args:
        args: the coordinates along each axis, vectors.
        kwargs: ``indexing``: 'xy', where the first axis of the results is that of the
            second vector, or 'ij', where it is that of the first; and ``name``.
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` must be either 'xy' or 'ij', got {indexing!r}"
        )
    with name_scope(name, "meshgrid", args):
        count = len(args)
        order = list(builtins.range(count))
        if indexing == "xy" and count > 1:
            order[:2] = [1, 0]
        return _grid(args, order)


def _grid(args: Any, order: list[int]) -> list[Tensor]:
    """Vector i along the axis order[i], stretched along all others."""
    count = len(args)
    placed = []
    for i, arg in enumerate(args):
        place = [-1 if order[i] == axis else 1 for axis in builtins.range(count)]
        placed.append(reshape(convert_to_tensor(arg), place))
    if not placed:
        return []
    lengths = [size(arg) for arg in args]
    sizes = [lengths[order.index(axis)] for axis in builtins.range(count)]
    factor = ones(sizes, placed[0].dtype)
    return [tensor * factor for tensor in placed]


# ---- Masks -----------------------------------------------------------------------------


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None
) -> Tensor:
    """For every length a row that is true up to that length.

    Args:
        lengths: integers; what is below 0 counts as 0.
        maxlen: the length of the rows, a scalar; the largest length if None.
        dtype: of the result.
        name: of the scope.

    Returns:
        The shape of lengths, and then maxlen.

    Raises:
        ValueError: maxlen is not a scalar.
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths, name="lengths")
        if maxlen is None:
            largest = call("Max", [reshape(lengths, [-1]), [0]])
            maxlen = call("Maximum", [convert_to_tensor(0, largest.dtype), largest])
        else:
            maxlen = convert_to_tensor(maxlen, name="maxlen")
        if maxlen.shape.ndims not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, got {maxlen.shape}"
            )
        mask = _mask(lengths, maxlen)
        dtype = as_dtype(dtype)
        return mask if dtype.is_bool else call("Cast", [mask], {"DstT": dtype})


def _mask(lengths: Tensor, maxlen: Tensor) -> Tensor:
    zero, one = (convert_to_tensor(number, maxlen.dtype) for number in (0, 1))
    positions = call("Range", [zero, maxlen, one])
    ends = call("Cast", [expand_dims(lengths, -1)], {"DstT": maxlen.dtype})
    return call("Less", [positions, ends])
