"""Embeddings of several ids at a time, which stand in SparseTensors, combined to one.

Compare: tensorflow/python/ops/embedding_ops.py. Read next: ``sparse_batching.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf.framework import dtypes
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions, segments, slicing
from minitf.ops.nn.embedding_ops import embedding_lookup, tables_of
from minitf.platform import tf_logging

_COMBINERS = ("mean", "sqrtn", "sum")


def embedding_lookup_sparse(
    params: Any,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of ``sp_ids`` the rows of a table at its ids, combined to one.

    Args:
        params: as of ``embedding_lookup``.
        sp_ids: a SparseTensor ``[n, m]`` of int32 or int64: n rows of at most m ids.
        sp_weights: a SparseTensor of the same indices with a weight for each id; None
            for weights of 1.
        partition_strategy: as of ``embedding_lookup``.
        name: of the scope.
        combiner: ``"sum"`` of the weighted rows; ``"mean"``, divided by the sum of the
            weights; or ``"sqrtn"``, divided by the root of the sum of their squares.
        max_norm: as of ``embedding_lookup``.
        allow_fast_lookup: whether an id that comes twice may be looked up twice.

    Returns:
        ``[k, ...]``, where k - 1 is the last row of sp_ids that has an id. A row without
        ids gives zeros.

    Raises:
        TypeError: sp_ids or sp_weights is no SparseTensor.
        ValueError: there is no such combiner, or the shapes do not fit.
    """
    combiner = _checked_combiner(combiner)
    tables = tables_of(params)
    _check_sparse(sp_ids, sp_weights)
    with name_scope(name, "embedding_lookup_sparse", [*tables, sp_ids]) as scope:
        places = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        weights = None if sp_weights is None else sp_weights.values
        rows = _rows_of(
            tables,
            sp_ids.values,
            weights,
            partition_strategy,
            max_norm,
            allow_fast_lookup,
        )
        return _combined(
            rows, weights, combiner, lambda x: call("SegmentSum", [x, places]), scope
        )


def _checked_combiner(combiner: str | None) -> str:
    if combiner is None:
        tf_logging.warning(
            'The default value of combiner will change from "mean" to "sqrtn".'
        )
        return "mean"
    if combiner not in _COMBINERS:
        raise ValueError(
            f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}"
        )
    return combiner


def _check_sparse(sp_ids: Any, sp_weights: Any) -> None:
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {sp_ids!r}")
    if sp_weights is None:
        return
    if not isinstance(sp_weights, SparseTensor):
        raise TypeError(
            f"sp_weights must be either None or SparseTensor, got {sp_weights!r}"
        )
    for part in ("values", "indices", "dense_shape"):
        ours, theirs = getattr(sp_ids, part), getattr(sp_weights, part)
        ours.shape.assert_is_compatible_with(theirs.shape)


def _rows_of(
    tables: list[Any],
    ids: Tensor,
    weights: Tensor | None,
    strategy: str,
    max_norm: Any,
    may_repeat: bool,
) -> Tensor:
    """A row for each id; unless ``may_repeat``, one that comes twice is read once.

    So the gradient of a table has each row once: without weights, in ascending order.
    """
    is_one = len(tables) == 1 and max_norm is None
    if is_one and may_repeat:
        table = tables[0] if weights is not None else segments.dense_gradient(tables[0])
        return embedding_lookup(table, ids, strategy)
    is_sorted = is_one and weights is None
    unique, places = segments.sorted_unique(ids) if is_sorted else array_ops.unique(ids)
    rows = embedding_lookup(tables, unique, strategy, max_norm=max_norm)
    return array_ops.gather(rows, places)


def _combined(
    rows: Tensor, weights: Tensor | None, combiner: str, join: Callable, scope: str
) -> Tensor:
    """``rows``, weighted, added up by ``join``, and divided as ``combiner`` says."""
    dtype = rows.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        rows = math_ops.cast(rows, dtypes.float32)
    if weights is None:
        weights = array_ops.ones([array_ops.shape(rows)[0]], rows.dtype)
    weights = _as_column(math_ops.cast(weights, rows.dtype), rows)
    result = join(rows * weights)
    if combiner == "mean":
        result = call("DivNoNan", [result, join(weights)])
    elif combiner == "sqrtn":
        result = call("DivNoNan", [result, math_ops.sqrt(join(weights * weights))])
    return array_ops.identity(math_ops.cast(result, dtype), scope)


def _as_column(weights: Tensor, rows: Tensor) -> Tensor:
    """``weights`` ``[n]`` with as many axes as ``rows`` has."""
    ones = array_ops.fill([array_ops.rank(rows) - 1], 1)
    column = array_ops.reshape(
        weights, array_ops.concat([array_ops.shape(weights), ones], 0)
    )
    if rows.shape.ndims is not None:
        column.set_shape(weights.shape.concatenate([1] * (rows.shape.ndims - 1)))
    return column


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """As ``embedding_lookup_sparse``, for ids that may be missing or negative.

    Ids below 0 are left out, and so are weights that are not above 0, unless the combiner
    is ``"sum"``. A row without ids gives the row ``default_id`` of the table, or zeros.

    Args:
        embedding_weights: as of ``embedding_lookup``.
        sparse_ids: a SparseTensor ``[d0, ..., dm]``: a list of ids for all but the last
            axis.
        sparse_weights: a SparseTensor of the same indices, or None.
        combiner: as of ``embedding_lookup_sparse``.
        default_id: the id for lists without ids.
        name: of the scope.
        partition_strategy: as of ``embedding_lookup``.
        max_norm: as of ``embedding_lookup``.
        allow_fast_lookup: whether an id that comes twice may be looked up twice.

    Returns:
        ``[d0, ..., dm-1, ...]``.
    """
    tables = tables_of(embedding_weights)
    combiner = _checked_combiner(combiner)
    _check_sparse(sparse_ids, sparse_weights)
    with name_scope(name, "embedding_lookup", [*tables, sparse_ids]) as scope:
        outer = sparse_ids.dense_shape[:-1]
        count = math_ops.cast(reductions.reduce_prod(outer), dtypes.int32)
        keep = sparse_ids.values >= 0
        if sparse_weights is not None and combiner != "sum":
            keep = call("LogicalAnd", [keep, sparse_weights.values > 0])
        ids = slicing.boolean_mask(sparse_ids.values, keep)
        weights = (
            None
            if sparse_weights is None
            else slicing.boolean_mask(sparse_weights.values, keep)
        )
        places = slicing.boolean_mask(sparse_ids.indices, keep)[:, :-1]  # [n, m]
        # Of axes [d0, d1, d2] the numbers of lists go up by [d1 * d2, d2, 1].
        steps = math_ops.cumprod(outer, exclusive=True, reverse=True)
        lists = math_ops.cast(reductions.reduce_sum(places * steps, 1), dtypes.int32)

        def join(x: Tensor) -> Tensor:
            return call("UnsortedSegmentSum", [x, lists, count])

        rows = _rows_of(
            tables, ids, weights, partition_strategy, max_norm, allow_fast_lookup
        )
        result = _combined(rows, weights, combiner, join, "combined")
        if default_id is not None:
            default = embedding_lookup(
                tables, default_id, partition_strategy, max_norm=max_norm
            )
            is_empty = call("Equal", [join(array_ops.ones_like(lists)), 0])
            result = array_ops.where(
                is_empty, array_ops.zeros_like(result) + default, result
            )
        sizes = array_ops.concat(
            [math_ops.cast(outer, dtypes.int32), array_ops.shape(result)[1:]], 0
        )
        shaped = array_ops.reshape(result, sizes, scope)
        shaped.set_shape(sparse_ids.shape[:-1].concatenate(result.shape[1:]))
        return shaped
