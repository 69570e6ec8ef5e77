"""Matrices: identity, products of a matrix and a vector, traces, cross products.

Compare: tensorflow/python/ops/linalg_ops.py, linalg_impl.py, special_math_ops.py. Read
next: ``norms.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call, first_dtype
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions
from minitf.ops.op_arguments import (
    ensure_shape,
    matrix_diag,
    matrix_set_diag,
    require_type,
)
from minitf.ops.value_assertions import assert_equal


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Identity matrices: 1 where row and column are equal, and 0 elsewhere.

    Args:
        num_rows: how many rows.
        num_columns: how many columns; as many as rows if None.
        batch_shape: how many matrices, as a shape; one if None.
        dtype: of the elements.
        name: of the scope.

    Returns:
        ``[*batch_shape, num_rows, num_columns]``.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.eye(2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        num_rows, num_columns = _known(num_rows), _known(num_columns)
        columns = num_rows if num_columns is None else num_columns
        batch = [] if batch_shape is None else batch_shape
        is_known = all(isinstance(size, int) for size in (num_rows, columns))
        if not isinstance(batch, Tensor):
            batch = [int(size) for size in array_ops.as_shape(batch).as_list()]
        shortest = (
            min(num_rows, columns) if is_known else math_ops.minimum(num_rows, columns)
        )
        if is_known and isinstance(batch, list):
            diagonal = array_ops.ones([*batch, shortest], dtype)
            if num_rows == columns:
                return matrix_diag(diagonal)
            zeros = array_ops.zeros([*batch, num_rows, columns], dtype)
            return matrix_set_diag(zeros, diagonal)
        parts = [] if batch == [] else [convert_to_tensor(batch, dtypes.int32)]
        sizes = [array_ops.reshape(size, [1]) for size in (shortest, num_rows, columns)]
        diagonal = array_ops.ones(array_ops.concat([*parts, sizes[0]], 0), dtype)
        if num_columns is None:
            return matrix_diag(diagonal)
        zeros = array_ops.zeros(array_ops.concat([*parts, *sizes[1:]], 0), dtype)
        result = matrix_set_diag(zeros, diagonal)
        if isinstance(batch, list):
            known = [n if isinstance(n, int) else None for n in (num_rows, columns)]
            result.set_shape([*batch, *known])
        return result


def _known(size: Any) -> Any:
    """A size as a number if it is known, else as a scalar tensor."""
    if size is None:
        return None
    size = convert_to_tensor(size)
    value = constant_value(size)
    if value is not None and not value.ndim:
        return int(value)
    return size if size.shape.ndims == 0 else ensure_shape(size, [])


# ---- Products and sums -----------------------------------------------------------------


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The products of matrices ``[..., m, n]`` and vectors ``[..., n]``: ``[..., m]``.

    The other arguments are those of ``tf.matmul``.
    """
    with name_scope(name, "MatVec", [a, b]):
        product = math_ops.matmul(
            a,
            array_ops.expand_dims(b, axis=-1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return array_ops.squeeze(product, axis=[-1])


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of every matrix: ``[..., m, n]`` to ``[...]``."""
    with name_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return reductions.reduce_sum(call("MatrixDiagPart", [x]), [-1], name=scope)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Every matrix transposed, and its elements conjugated."""
    with name_scope(name, "adjoint", [matrix]):
        return array_ops.matrix_transpose(
            convert_to_tensor(matrix, name="matrix"), conjugate=True
        )


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of every matrix, which must be positive."""
    with name_scope(name, "logdet", [matrix]):
        determinant = call("MatrixDeterminant", [matrix])
        return call("Log", [math_ops.real(determinant)])


_REAL = (
    *(dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int8),
    *(dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64),
)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross products of vectors of three elements, ``[..., 3]``."""
    with name_scope(name, "Cross", [a, b]) as scope:
        # In eager mode a list becomes what the tensor is, in a graph what a is.
        is_eager = context.executing_eagerly()
        a = convert_to_tensor(a, first_dtype([a, b]) if is_eager else None, "a")
        wanted = a.dtype if is_eager else None
        b = convert_to_tensor(b, wanted, "b", preferred_dtype=a.dtype)
        require_type(a, "a", _REAL)
        require_type(b, "b", (a.dtype,))
        for tensor in (a, b):
            rank, last = tensor.shape.ndims, None
            if rank:
                last = tensor.shape[-1].value
            if rank == 0 or last not in (None, 3):
                raise _wrong(f"Cross: the last axis must have size 3, is {tensor.shape}")
        if not a.shape.is_compatible_with(b.shape):
            raise _wrong(f"Cross: shapes must be equal, are {a.shape} and {b.shape}")
        if not (a.shape.is_fully_defined() and b.shape.is_fully_defined()):
            sizes = array_ops.shape(a)
            checks = [
                assert_equal(sizes, array_ops.shape(b), message="Cross: shapes differ"),
                assert_equal(
                    sizes[-1], 3, message="Cross: the last axis must have size 3"
                ),
            ]
            with control_dependencies(checks):
                a = array_ops.identity(a)
        (a0, a1, a2), (b0, b1, b2) = ([x[..., i] for i in range(3)] for x in (a, b))
        parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
        product = array_ops.stack(parts, axis=-1, name=scope)
        product.set_shape(a.shape.merge_with(b.shape))
        return product


def _wrong(problem: str) -> Exception:
    if context.executing_eagerly():
        return InvalidArgumentError(None, None, problem)
    return ValueError(problem)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the beta function, ln(prod(gamma(x)) / gamma(sum(x))), of rows.

    Args:
        x: ``[..., n]``.
        name: of the scope.
    """
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        log_of_product = reductions.reduce_sum(call("Lgamma", [x]), [-1])
        log_of_sum = call("Lgamma", [reductions.reduce_sum(x, [-1])])
        return log_of_product - log_of_sum
