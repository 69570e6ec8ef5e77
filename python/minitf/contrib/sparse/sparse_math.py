"""Arithmetic of SparseTensors: matmul, sums, operators, reductions.

Importing this module gives SparseTensor the operators ``*`` and ``/`` by dense tensors.

Compare: tensorflow/python/ops/sparse_ops.py, math_ops.py. Read next: ``sparse_parts.py``.
"""

from typing import Any

import numpy as np

from minitf.framework.composite_tensor import parts_of
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import Tensor, is_tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _FLOAT_FOR, _either

_SPARSE = (SparseTensor, SparseTensorValue)


def require_sparse(value: Any, function: str) -> SparseTensor:
    """``value`` as a SparseTensor. Raises TypeError unless it is sparse."""
    if not isinstance(value, _SPARSE):
        raise TypeError(f"{function}: input must be a SparseTensor, got {value!r}")
    return SparseTensor.from_value(value)


# ---- Matrix multiplication and sums ----------------------------------------------------


def sparse_tensor_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a sparse matrix ``[m, k]`` and a dense one ``[k, n]``: ``[m, n]``.

    Args:
        sp_a: a SparseTensor of rank 2.
        b: a matrix of the same type.
        adjoint_a: whether the adjoint of ``sp_a`` is multiplied.
        adjoint_b: whether the adjoint of ``b`` is multiplied.
        name: of the node.

    Raises:
        TypeError: ``sp_a`` is not a SparseTensor, or the types differ.
        ValueError: the static shapes do not fit.
        errors.InvalidArgumentError: in the step; the shapes do not fit, or a place is out
            of bounds.
    """
    sparse = require_sparse(sp_a, "tf.sparse_tensor_dense_matmul")
    inputs = [sparse.indices, sparse.values, b]
    with name_scope(name, "SparseTensorDenseMatMul", inputs) as scope:
        b = convert_to_tensor(b, name="b")
        attrs = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
        return call("SparseTensorDenseMatMul", [*parts_of(sparse), b], attrs, scope)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors of one shape, of which at least one is sparse.

    Args:
        a: a SparseTensor or a Tensor.
        b: a SparseTensor or a Tensor; a SparseTensor if ``a`` is a Tensor.
        threshold: a scalar of the type of the values, or of their real part; 0 if None.
            Where both are sparse and have an element, a sum of a smaller magnitude is
            left out.
        thresh: the former name of ``threshold``.

    Returns:
        A SparseTensor if both are sparse, else a Tensor.

    Raises:
        TypeError: none is sparse.
        ValueError: the static shapes differ.
        errors.InvalidArgumentError: in the step; the shapes differ, or a place is out of
            bounds.
    """
    threshold = _either(threshold, thresh, "threshold", "thresh", 0)
    if not isinstance(a, _SPARSE) and not isinstance(b, _SPARSE):
        raise TypeError(
            "tf.sparse_add: at least one input should be a SparseTensor, got "
            f"{a!r} and {b!r}; tf.add adds dense tensors"
        )
    if not isinstance(a, _SPARSE):
        a, b = b, a
    a = SparseTensor.from_value(a)
    if not isinstance(b, _SPARSE):
        return call("SparseTensorDenseAdd", [*parts_of(a), b])
    b = SparseTensor.from_value(b)
    threshold = convert_to_tensor(threshold, a.dtype.real_dtype, name="threshold")
    shape = a.shape.merge_with(b.shape)
    places, values, sizes = call("SparseAdd", [*parts_of(a), *parts_of(b), threshold])
    known = shape.as_list() if shape.is_fully_defined() else sizes
    return SparseTensor(places, values, known)


def _of_two(op_type: str, a: Any, b: Any, function: str, name: str | None) -> Any:
    a = require_sparse(a, function)
    b = require_sparse(b, function)
    parts = [*parts_of(a), *parts_of(b)]
    return SparseTensor(*call(op_type, parts, None, name), a.dense_shape)


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger element of two SparseTensors of one shape; a missing element is 0."""
    return _of_two("SparseSparseMaximum", sp_a, sp_b, "tf.sparse.maximum", name)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller element of two SparseTensors of one shape; a missing element is 0."""
    return _of_two("SparseSparseMinimum", sp_a, sp_b, "tf.sparse.minimum", name)


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax along the last axis of the elements that are listed.

    Args:
        sp_input: a SparseTensor of rank 2 or more, of float32 or float64.
        name: of the node.
    """
    sparse = require_sparse(sp_input, "tf.sparse.softmax")
    values = call("SparseSoftmax", parts_of(sparse), None, name)
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


# ---- Reductions ------------------------------------------------------------------------


def _reduced(op_type: str, sp_input: Any, axis: Any, keepdims: Any, old: Any) -> Any:
    """Calls a reduction. ``old`` has the arguments' former names."""
    keepdims = _either(keepdims, old[1], "keepdims", "keep_dims", False)
    axis = _either(axis, old[0], "axis", "reduction_axes")
    sparse = require_sparse(sp_input, f"tf.{op_type}")
    rank = sparse.shape.ndims
    if axis is None and rank is not None:
        axis = np.arange(rank, dtype=np.int32)
    elif axis is None:
        axis = math_ops.range(array_ops.size(sparse.dense_shape))
    attrs = {"keep_dims": bool(keepdims)}
    return call(op_type, [*parts_of(sparse), axis], attrs)


def _reduction(op_type: str, name: str, doc: str, is_sparse: bool) -> Any:
    def reduce(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        reduction_axes: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        old = (reduction_axes, keep_dims)
        result = _reduced(op_type, sp_input, axis, keepdims, old)
        return SparseTensor(*result) if is_sparse else result

    reduce.__doc__ = f"{doc}\n\n    All axes if ``axis`` is None.\n    "
    reduce.__name__ = reduce.__qualname__ = name
    return reduce


sparse_reduce_sum = _reduction(
    "SparseReduceSum",
    "sparse_reduce_sum",
    "The sums of a SparseTensor along axes, as a dense tensor.",
    False,
)
sparse_reduce_max = _reduction(
    "SparseReduceMax",
    "sparse_reduce_max",
    "The largest of the listed elements along axes, as a dense tensor; 0 for none.",
    False,
)
sparse_reduce_sum_sparse = _reduction(
    "SparseReduceSumSparse",
    "sparse_reduce_sum_sparse",
    "The sums of a SparseTensor along axes, as a SparseTensor.",
    True,
)
sparse_reduce_max_sparse = _reduction(
    "SparseReduceMaxSparse",
    "sparse_reduce_max_sparse",
    "The largest of the listed elements along axes, as a SparseTensor.",
    True,
)


# ---- Operators -------------------------------------------------------------------------


def _by_dense(op_type: str, sparse: SparseTensor, dense: Any, scope: str) -> SparseTensor:
    values = call(op_type, [*parts_of(sparse), dense], None, scope)
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def _times(sparse: SparseTensor, dense: Any) -> Any:
    """``sparse * dense``: a SparseTensor of the same places."""
    with name_scope(None, "mul", [sparse.values, dense]) as scope:
        dense = convert_to_tensor(dense, sparse.dtype, "y")
        return _by_dense("SparseDenseCwiseMul", sparse, dense, scope)


def _dense_times(sparse: SparseTensor, dense: Any) -> Any:
    """``dense * sparse``, where ``dense`` is a tensor or a variable."""
    return _times(sparse, dense) if is_tensor(dense) else NotImplemented


def _over(sparse: SparseTensor, dense: Any) -> Any:
    """``sparse / dense``: integers become floating-point numbers first."""
    with name_scope(None, "truediv", [sparse.values, dense]) as scope:
        dense = convert_to_tensor(dense, sparse.dtype, "y")
        wider = _FLOAT_FOR.get(sparse.dtype.name)
        if wider is not None:
            values = math_ops.cast(sparse.values, wider)
            sparse = SparseTensor(sparse.indices, values, sparse.dense_shape)
            dense = math_ops.cast(dense, wider)
        return _by_dense("SparseDenseCwiseDiv", sparse, dense, scope)


SparseTensor.__mul__ = _times
SparseTensor.__rmul__ = _dense_times
SparseTensor.__truediv__ = _over
