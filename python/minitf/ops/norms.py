"""Norms of vectors and of matrices, and vectors made as long as 1.

Compare: tensorflow/python/ops/linalg_ops.py. Read next: ``ops/nn/nn_ops.py``.
"""

from typing import Any

import numpy as np

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.errors import UnimplementedError
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _either, conj
from minitf.ops.math_ops import abs as absolute
from minitf.ops.reductions import reduce_max, reduce_sum

_OF_MATRICES = ("euclidean", "fro", 1, 2, np.inf)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors along one axis, or of matrices along two.

    Args:
        tensor: of real or complex numbers.
        ord: of vectors: 'euclidean', any p above 0, or infinity for the largest element.
            Of matrices: 'euclidean' or 'fro', the root of the sum of squares; 1, the
            largest sum of a column; infinity, the largest sum of a row.
        axis: None takes all elements as one vector. A number is the axis of vectors. A
            list or tuple of two numbers is the axes of rows and of columns.
        keepdims: whether the axes stay, with size 1.
        name: of the scope.
        keep_dims: a former name of keepdims.

    Raises:
        ValueError: there is no such norm, or the axes are neither one nor two ints.
        errors.UnimplementedError: the 2-norm of matrices, which needs singular values.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     rows = tf.norm([[3.0, 4.0], [0.0, 0.0]], axis=1)
    ...     matrix = tf.norm([[1.0, 2.0], [3.0, 4.0]], ord=1, axis=[0, 1])
    ...     session.run(rows).tolist(), session.run(matrix).item()
    ([5.0, 0.0], 6.0)
    """
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    axes = _checked_axes(axis)
    is_matrix = axes is not None and len(axes) == 2
    _check_order(ord, is_matrix)
    with name_scope(name, "norm", [tensor]):
        x = convert_to_tensor(tensor)
        of = _matrix_norm if is_matrix else _vector_norm
        result = of(x, ord, axes)
        return result if keepdims else array_ops.squeeze(result, axes)


def _checked_axes(axis: Any) -> tuple[int, ...] | None:
    """The axes as a tuple of one or two; None for all."""
    if axis is None:
        return None
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    is_list = isinstance(axis, (list, tuple))
    are_ints = all(isinstance(item, int) for item in axes)
    if not are_ints or (is_list and (len(axes) != 2 or axes[0] == axes[1])):
        raise ValueError(
            "'axis' must be None, an integer, or a tuple of 2 unique integers, "
            f"got {axis!r}"
        )
    return axes


def _check_order(order: Any, is_matrix: bool) -> None:
    if is_matrix and order not in _OF_MATRICES:
        raise ValueError(
            f"'ord' must be a supported matrix norm in {_OF_MATRICES}, got {order!r}"
        )
    if is_matrix or order == "euclidean":
        return
    if not isinstance(order, (int, float, np.number)) or not order > 0:
        raise ValueError(
            f"'ord' must be a supported vector norm, 'euclidean' or a number above 0, "
            f"got {order!r}"
        )


def _euclidean(x: Tensor, axes: Any) -> Tensor:
    return call("Sqrt", [reduce_sum(x * conj(x), axes, keepdims=True)])


def _vector_norm(x: Tensor, order: Any, axes: tuple[int, ...] | None) -> Tensor:
    if order in ("euclidean", 2):
        return _euclidean(x, axes)
    size = absolute(x)
    if order == 1:
        return reduce_sum(size, axes, keepdims=True)
    if order == np.inf:
        return reduce_max(size, axes, keepdims=True)
    powers = reduce_sum(math_ops.pow(size, order), axes, keepdims=True)
    return math_ops.pow(powers, 1.0 / order)


def _matrix_norm(x: Tensor, order: Any, axes: tuple[int, ...]) -> Tensor:
    if order in ("euclidean", "fro"):
        return _euclidean(x, axes)
    if order == 2:
        raise UnimplementedError(
            None,
            None,
            "norm: the 2-norm of matrices (ord=2 over two axes) needs singular values; "
            "there are 'fro', 1 and infinity",
        )
    summed, largest = axes if order == 1 else axes[::-1]
    sums = reduce_sum(absolute(x), summed, keepdims=True)
    return reduce_max(sums, largest, keepdims=True)


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """The quotient x / sqrt(max(sum(x^2), epsilon)), over axes."""
    axis = _either(axis, dim, "axis", "dim")
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return call("Mul", [x, _inverse_length([x], axis, epsilon)], None, scope)
        parts = [math_ops.real(x), math_ops.imag(x)]
        factor = _inverse_length(parts, axis, epsilon)
        return math_ops.complex(parts[0] * factor, parts[1] * factor, scope)


def _inverse_length(parts: list[Tensor], axis: Any, epsilon: float) -> Tensor:
    """1 / sqrt(max(the sum of squares over axes, epsilon))."""
    squares = math_ops.add_n([call("Square", [part]) for part in parts])
    total = reduce_sum(squares, axis, keepdims=True)
    return call("Rsqrt", [math_ops.maximum(total, epsilon)])
