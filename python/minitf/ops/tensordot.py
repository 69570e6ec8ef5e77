"""``tf.tensordot``: the sum over pairs of axes, as one product of matrices.

The axes that are summed are brought to the end of a and to the front of b. Then each is
looked at as a matrix, with all its summed axes as one and all others as one:

    a [free of a, summed]  *  b [summed, free of b]  =  result [free of a, free of b]

Compare: tensorflow/python/ops/math_ops.py. Read next: ``array_ops.py``.
"""

import math
from typing import Any

import numpy as np

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import matmul
from minitf.ops.math_ops import range as range_op
from minitf.ops.reductions import reduce_prod


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum over pairs of axes of a and b.

    Args:
        a: a tensor.
        b: a tensor.
        axes: a number n, for the last n axes of a and the first n of b; or a pair of
            axes, or of lists of axes, of a and of b; or a tensor with either.
        name: of the node.

    Returns:
        The axes of a that are left, then those of b.

    Raises:
        ValueError: the axes are no such pair, or below -rank.
        IndexError: an axis is above the rank.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     y = tf.tensordot([[1.0, 2.0], [3.0, 4.0]], [10.0, 1.0], axes=1)
    ...     session.run(y).tolist()
    [12.0, 34.0]
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        axes_a, axes_b = _pair_of_axes(a, axes)
        left, outer_a, known_a = _as_matrix(a, axes_a, summed_first=False)
        right, outer_b, known_b = _as_matrix(b, axes_b, summed_first=True)
        product = matmul(left, right)
        if isinstance(outer_a, list) and isinstance(outer_b, list):
            sizes = outer_a + outer_b
            is_done = product.shape.is_fully_defined()
            if is_done and product.shape.as_list() == sizes:
                return product
            return array_ops.reshape(product, sizes, scope)
        outer = [convert_to_tensor(part, "int32") for part in (outer_a, outer_b)]
        result = array_ops.reshape(product, array_ops.concat(outer, 0), scope)
        if known_a is not None and known_b is not None:
            result.set_shape(known_a + known_b)
        return result


def _pair_of_axes(a: Tensor, axes: Any) -> tuple[Any, Any]:
    """The axes to sum of a and of b: two lists, or two tensors."""
    if isinstance(axes, (int, np.integer)):
        return _last_and_first(a, int(axes))
    if not isinstance(axes, (list, tuple)):
        axes = convert_to_tensor(axes, "int32", name="axes")
        return axes[0], axes[1]
    if len(axes) != 2:
        raise ValueError(f"'axes' must be an integer or have length 2, got {axes}")
    axes_a, axes_b = axes
    if isinstance(axes_a, (int, np.integer)) and isinstance(axes_b, (int, np.integer)):
        return [int(axes_a)], [int(axes_b)]
    if len(axes_a) != len(axes_b):
        raise ValueError(
            f"Different number of contraction axes 'a' and 'b', {len(axes_a)} != "
            f"{len(axes_b)}."
        )
    return axes_a, axes_b


def _last_and_first(a: Tensor, count: int) -> tuple[Any, Any]:
    rank = a.shape.ndims
    if count < 0:
        raise ValueError(f"'axes' must be at least 0, got {count}")
    if rank is None:
        dynamic = array_ops.rank(a)
        return range_op(dynamic - count, dynamic), range_op(count)
    if count > rank:
        raise ValueError(
            f"'axes' must not be larger than the number of dimensions of a, which has "
            f"the shape {a.shape}, got {count}"
        )
    return list(range(rank - count, rank)), list(range(count))


def _axes_from_0(axes: Any, rank: int) -> list[int]:
    for axis in axes:
        if not -rank <= axis < rank:
            kind = IndexError if axis >= rank else ValueError
            raise kind(f"tensordot: axis {axis} is not in [{-rank}, {rank})")
    return [int(axis) + rank if axis < 0 else int(axis) for axis in axes]


def _as_matrix(x: Tensor, axes: Any, summed_first: bool) -> tuple[Tensor, Any, Any]:
    """``x`` as a matrix, and the sizes of the axes that are left.

    Returns:
        The matrix; the sizes, a list of ints if all of x is known, else a tensor; and
        the sizes as far as they are known, or None if not even their number is.
    """
    rank = x.shape.ndims
    if rank is None or isinstance(axes, Tensor):
        return *_as_matrix_in_step(x, axes, summed_first), None
    axes = _axes_from_0(axes, rank)
    free = [axis for axis in range(rank) if axis not in axes]
    sizes = x.shape.as_list()
    known = [sizes[axis] for axis in free]
    if None in sizes:
        matrix, outer = _as_matrix_in_step(x, axes, summed_first, free)
        return matrix, outer, known
    perm = axes + free if summed_first else free + axes
    shape = [math.prod(known), math.prod(sizes[axis] for axis in axes)]
    if perm != list(range(rank)):
        x = array_ops.transpose(x, perm)
    shape = shape[::-1] if summed_first else shape
    if x.shape.as_list() != shape:
        x = array_ops.reshape(x, shape)
    return x, known, known


def _as_matrix_in_step(
    x: Tensor, axes: Any, summed_first: bool, free: Any = None
) -> tuple[Tensor, Tensor]:
    axes = convert_to_tensor(axes, "int32", name="axes")
    if free is None:
        rank = array_ops.rank(x)
        axes = array_ops.where(axes >= 0, axes, axes + rank)
        free = call("ListDiff", [range_op(rank), axes])[0]
    free = convert_to_tensor(free, "int32", name="free")
    sizes = array_ops.shape(x)
    outer, summed = array_ops.gather(sizes, free), array_ops.gather(sizes, axes)
    perm, shape = [free, axes], [reduce_prod(outer), reduce_prod(summed)]
    if summed_first:
        perm, shape = perm[::-1], shape[::-1]
    moved = array_ops.transpose(x, array_ops.concat(perm, 0))
    return array_ops.reshape(moved, array_ops.stack(shape)), outer
