"""Embeddings: rows of a table, or of a table in parts, looked up by numbers.

A table may be cut into parts along its first axis, on several devices. Then ids are
sorted by part, looked up there, and the rows put back in the order of the ids.

Compare: tensorflow/python/ops/embedding_ops.py.
Read next: ``framework/indexed_slices.py``.
"""

from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.graph import colocate_with
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, clip_ops, math_ops, reductions
from minitf.variables.partitioned_variables import PartitionedVariable


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """The rows of a table at ``ids``.

    Args:
        params: a tensor or a variable ``[rows, ...]``, a variable in parts, or the parts
            as a list.
        ids: int32 or int64, of any shape.
        partition_strategy: how rows are spread over several parts. With ``"mod"`` row i
            is in part ``i % len(params)``; with ``"div"`` each part has a range of rows,
            the first ones one row more if they cannot be equal.
        name: of the scope.
        validate_indices: accepted; ids are always checked.
        max_norm: a row that is longer is made that long.

    Returns:
        ``ids.shape + [...]``.

    Raises:
        ValueError: there is no table, or no such strategy.

    >>> import minitf as tf
    >>> with tf.Session() as session:
    ...     table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    ...     session.run(tf.nn.embedding_lookup(table, [1])).tolist()
    [[3.0, 4.0]]
    """
    del validate_indices
    tables = tables_of(params)
    with name_scope(name, "embedding_lookup", [*tables, ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        if not any(hasattr(table, "handle") for table in tables):
            tables = [
                convert_to_tensor(table, name=f"params_{i}")
                for i, table in enumerate(tables)
            ]
        if len(tables) == 1:
            with colocate_with(tables[0]):
                rows = array_ops.gather(tables[0], ids, name=scope)
                rows = _limited(rows, ids, max_norm)
            return array_ops.identity(rows)
        rows = _lookup_in_parts(tables, ids, partition_strategy, scope)
        return _limited(rows, ids, max_norm)


def tables_of(params: Any) -> list[Any]:
    """The tables that ``params`` is: one, several, or the parts of a variable."""
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Need at least one param")
    if isinstance(params, PartitionedVariable):
        return list(params)
    return params if isinstance(params, list) else [params]


def _limited(rows: Tensor, ids: Tensor, max_norm: Any) -> Tensor:
    """``rows``, of which each, an id's, is not longer than ``max_norm``."""
    if max_norm is None:
        return rows
    first, end = ids.shape.ndims, rows.shape.ndims
    if first is None or end is None:
        axes = call("Range", [array_ops.rank(ids), array_ops.rank(rows), 1])
    else:
        axes = list(range(first, end))
    return clip_ops.clip_by_norm(rows, max_norm, axes)


def _lookup_in_parts(tables: list[Any], ids: Tensor, strategy: str, scope: str) -> Tensor:
    flat = array_ops.reshape(ids, [-1])
    places = math_ops.range(array_ops.size(flat))
    part, row = _split_ids(tables, flat, strategy)
    part = math_ops.cast(part, dtypes.int32)
    attrs = {"num_partitions": len(tables)}
    rows_by_part = call("DynamicPartition", [row, part], attrs)
    places_by_part = call("DynamicPartition", [places, part], attrs)
    found = []
    for table, rows in zip(tables, rows_by_part, strict=True):
        with colocate_with(table):
            found.append(array_ops.gather(table, rows))
    together = call("DynamicStitch", [places_by_part, found], None, scope)

    row_shape = tables[0].shape[1:]
    for table in tables[1:]:
        row_shape = row_shape.merge_with(table.shape[1:])
    sizes = row_shape if row_shape.is_fully_defined() else array_ops.shape(tables[0])[1:]
    result = array_ops.reshape(
        together, array_ops.concat([array_ops.shape(ids), sizes], 0)
    )
    result.set_shape(ids.shape.concatenate(row_shape))
    return result


def _split_ids(tables: list[Any], ids: Tensor, strategy: str) -> tuple[Tensor, Tensor]:
    """Of each id the number of its part, and of its row there."""
    count = len(tables)
    if strategy == "mod":
        return ids % count, ids // count
    if strategy != "div":
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    sizes = [table.shape[0].value for table in tables]
    if None not in sizes:
        total = convert_to_tensor(sum(sizes), ids.dtype)
    else:
        counts = [array_ops.shape(table)[0] for table in tables]
        total = math_ops.cast(reductions.reduce_sum(array_ops.stack(counts)), ids.dtype)
    # The first `extra` parts have a row more than the others.
    few, extra = total // count, total % count
    part = math_ops.maximum(ids // (few + 1), (ids - extra) // few)
    row = array_ops.where(part < extra, ids % (few + 1), (ids - extra) % few)
    return part, row
