"""Ops on SparseTensors: some of ops on their parts, and those that make strings of them.

Compare: tensorflow/python/ops/sparse_ops.py. Read next: ``data_flow/parsing_config.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.composite_tensor import parts_of
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.tensor import GraphTensor, Tensor
from minitf.ops import array_ops
from minitf.ops.math_ops import cast


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same SparseTensor, its elements in the order of their places, row by row."""
    sparse = SparseTensor.from_value(sp_input)
    places, values = call("SparseReorder", parts_of(sparse), None, name)
    return SparseTensor(places, values, sparse.dense_shape)


def list_of(value: Any) -> list[Any]:
    """``value`` as a list, also if it is a single one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Values at the places that ids name: id 7 and value 5 in row 2 put 5 at [2, 7].

    Args:
        sp_ids: a SparseTensor of int32 or int64; or a list of them, one for each axis.
        sp_values: a SparseTensor with as many values as there are ids.
        vocab_size: the size of the new axis; or a list of sizes.
        name: of the nodes.
        already_sorted: whether the ids of each row are in order.

    Returns:
        A SparseTensor of the axes of ``sp_ids`` but the last, and the new ones.

    Raises:
        TypeError, ValueError: ids and sizes are not alike.
        errors.InvalidArgumentError: in the step; there are more values than ids, or less.
    """
    is_list = isinstance(sp_ids, (list, tuple)) and not hasattr(sp_ids, "dense_shape")
    all_ids = list(sp_ids) if is_list else [sp_ids]
    sizes = list_of(vocab_size)
    if len(all_ids) != len(sizes):
        raise ValueError(
            f"sp_ids and vocab_size have to have equal lengths, got {len(all_ids)} and "
            f"{len(sizes)}."
        )
    sparse_ids = [SparseTensor.from_value(ids) for ids in all_ids]
    values = SparseTensor.from_value(sp_values)
    with name_scope(name, "SparseMerge", [values.values]):
        first = sparse_ids[0]
        columns = [
            array_ops.expand_dims(cast(ids.values, dtypes.int64), 1) for ids in sparse_ids
        ]
        new_sizes = [
            array_ops.reshape(cast(convert_to_tensor(size), dtypes.int64), [1])
            for size in sizes
        ]
        merged = SparseTensor(
            array_ops.concat([first.indices[:, :-1], *columns], 1),
            array_ops.reshape(values.values, array_ops.shape(first.values)),
            array_ops.concat([first.dense_shape[:-1], *new_sizes], 0),
        )
        return merged if already_sorted else sparse_reorder(merged)


# ---- As strings ------------------------------------------------------------------------


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """A SparseTensor as strings ``[3]``: its indices, values and dense_shape.

    Each is a serialized TensorProto, byte for byte as TensorFlow writes it.

    Args:
        sp_input: a SparseTensor.
        name: of the node.
        out_type: string.

    Raises:
        TypeError: sp_input is no SparseTensor.
        errors.InvalidArgumentError: in the step; its parts do not fit together.
    """
    return _serialized("SerializeSparse", sp_input, name, out_type)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """The n rows of a SparseTensor, each as by ``serialize_sparse``: strings ``[n, 3]``.

    Args:
        sp_input: a SparseTensor of rank 2 or more, with its rows in order.
        name: of the node.
        out_type: string.

    Raises:
        TypeError: sp_input is no SparseTensor.
        errors.InvalidArgumentError: in the step; its rank is less than 2, its rows are
            not in order, or a place is out of bounds.
    """
    return _serialized("SerializeManySparse", sp_input, name, out_type)


def _serialized(op_type: str, sp_input: Any, name: str | None, out_type: Any) -> Tensor:
    if not isinstance(sp_input, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"{op_type}: input must be a SparseTensor, got {sp_input!r}")
    parts = parts_of(SparseTensor.from_value(sp_input))
    return call(op_type, parts, {"out_type": out_type}, name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """SparseTensors from what ``serialize_sparse`` made of them, stacked.

    Args:
        serialized_sparse: strings ``[n, 3]``, of n SparseTensors of one rank r.
        dtype: of their values.
        rank: r, if it is known.
        name: of the node.

    Returns:
        A SparseTensor ``[n, ...]`` of rank r + 1, each axis as long as the longest.

    Raises:
        errors.InvalidArgumentError: in the step; a string is no TensorProto, parts do not
            fit together, ranks differ, or values are not of ``dtype``.
    """
    attrs = {"dtype": dtype}
    parts = call("DeserializeManySparse", [serialized_sparse], attrs, name)
    return with_rank(SparseTensor(*parts), None if rank is None else rank + 1)


def with_rank(sparse: SparseTensor, rank: int | None) -> SparseTensor:
    """``sparse``, with its rank set if it is given."""
    if rank is not None and isinstance(sparse.indices, GraphTensor):
        sparse.indices.set_shape([None, rank])
        sparse.dense_shape.set_shape([rank])
    return sparse


def sparse_placeholder(
    dtype: Any, shape: Any = None, name: str | None = None
) -> SparseTensor:
    """A SparseTensor whose value, a SparseTensorValue, is fed at every step."""
    prefix = "" if name is None else name + "/"
    rank = None if shape is None else len(shape)
    if shape is None or any(size is None for size in shape):
        sizes = array_ops.placeholder(dtypes.int64, [rank], prefix + "shape")
    else:
        sizes = convert_to_tensor(shape, dtypes.int64, prefix + "shape")
    return SparseTensor(
        values=array_ops.placeholder(dtype, [None], prefix + "values"),
        indices=array_ops.placeholder(dtypes.int64, [None, rank], prefix + "indices"),
        dense_shape=sizes,
    )


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor of ``output_shape``: listed values in their places, else the default."""
    return call(
        "SparseToDense",
        [sparse_indices, output_shape, sparse_values, default_value],
        {"validate_indices": validate_indices},
        name,
    )


def sparse_tensor_to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A SparseTensor with all of its elements."""
    sparse = SparseTensor.from_value(sp_input)
    if default_value is None:
        default_value = array_ops.zeros([], sparse.dtype)
    return sparse_to_dense(
        sparse.indices,
        sparse.dense_shape,
        sparse.values,
        default_value,
        validate_indices,
        name,
    )
