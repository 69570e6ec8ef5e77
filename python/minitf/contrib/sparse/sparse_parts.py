"""SparseTensors from dense ones, some of their elements, and transposed ones.

Compare: tensorflow/python/ops/sparse_ops.py. Read next: ``embedding.py``.
"""

from typing import Any

from minitf.contrib.sparse.sparse_math import require_sparse
from minitf.contrib.sparse.sparse_ops import sparse_reorder
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.ops import array_ops, math_ops


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """A SparseTensor of the elements that are not 0, or not empty strings."""
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = array_ops.zeros([], tensor.dtype)
        places = call("Where", [call("NotEqual", [tensor, zero])])
        return SparseTensor(
            places,
            call("GatherNd", [tensor, places]),
            array_ops.shape(tensor, out_type=dtypes.int64),
        )


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements of a SparseTensor ``[n]`` for which ``to_retain`` ``[n]`` is True.

    Raises:
        TypeError: ``sp_input`` is not a SparseTensor.
        ValueError: the static numbers of elements differ.
    """
    sparse = require_sparse(sp_input, "tf.sparse.retain")
    to_retain = convert_to_tensor(to_retain, dtypes.bool)
    to_retain.shape.assert_is_compatible_with(sparse.values.shape)
    kept = array_ops.reshape(call("Where", [to_retain]), [-1])
    return SparseTensor(
        array_ops.gather(sparse.indices, kept),
        array_ops.gather(sparse.values, kept),
        array_ops.identity(sparse.dense_shape),
    )


def sparse_transpose(
    sp_input: Any, perm: Any = None, name: str | None = None
) -> SparseTensor:
    """A SparseTensor whose axis i is axis ``perm[i]``; all axes backwards if None.

    Raises:
        TypeError: ``sp_input`` is not a SparseTensor.
        ValueError: ``perm`` is not a permutation of the axes.
        errors.InvalidArgumentError: in the step, the same.
    """
    sparse = require_sparse(sp_input, "tf.sparse.transpose")
    with name_scope(name, "SparseTranspose", [sparse.indices]):
        sizes = sparse.dense_shape
        rank = sparse.shape.ndims
        if perm is None and rank is not None:
            perm = list(range(rank))[::-1]
        elif perm is None:
            perm = (array_ops.size(sizes) - 1) - math_ops.range(array_ops.size(sizes))
        perm = convert_to_tensor(perm, name="perm")
        order = constant_value(perm)
        if order is None or rank is None:
            # Fails unless each axis occurs once.
            perm = array_ops.reshape(perm, array_ops.shape(sizes))
            perm = call("InvertPermutation", [call("InvertPermutation", [perm])])
        elif sorted(order.ravel().tolist()) != list(range(rank)):
            raise ValueError(
                f"tf.sparse.transpose: perm must be a permutation of {rank} axes, got "
                f"{order.tolist()}"
            )
        if order is not None and sparse.shape.is_fully_defined():
            known = sparse.shape.as_list()
            sizes = [known[axis] for axis in order.tolist()]
        else:
            sizes = array_ops.gather(sizes, perm)
        places = array_ops.gather(sparse.indices, perm, axis=1)
        return sparse_reorder(SparseTensor(places, sparse.values, sizes))


def sparse_eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """A SparseTensor with ones on its diagonal.

    Args:
        num_rows: an integer, or a scalar tensor of integers.
        num_columns: the same; ``num_rows`` if None.
        dtype: of the values.
        name: of the nodes.
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = math_ops.cast(convert_to_tensor(num_rows), dtypes.int64)
        columns = rows
        if num_columns is not None:
            columns = math_ops.cast(convert_to_tensor(num_columns), dtypes.int64)
        numbers = math_ops.range(math_ops.minimum(rows, columns))
        return SparseTensor(
            array_ops.stack([numbers, numbers], axis=1),
            array_ops.ones_like(numbers, dtype=dtype),
            array_ops.stack([rows, columns]),
        )
