"""SparseTensors in batches: they wait in a map while their handles go through a queue.

The three parts of a SparseTensor have sizes that differ from example to example, so they
cannot be components of a batch. The thread that reads puts each SparseTensor into a
SparseTensorsMap of C++ and enqueues the handle, an int64 scalar; after a batch of handles
was dequeued, the SparseTensors are taken out, stacked.

Compare: tensorflow/python/training/input.py, _store_sparse_tensors. Read next:
``training/batching.py``.
"""

from dataclasses import dataclass
from typing import Any

from minitf.contrib.sparse.sparse_ops import with_rank
from minitf.framework.composite_tensor import parts_of
from minitf.framework.dtypes import DType
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.training.waiting_rooms import chosen, set_rooms


@dataclass(frozen=True)
class SparseMap:
    """Where the SparseTensors of one component of all examples wait.

    Attributes:
        shared_name: of the map.
        dtype: of the values.
        rank: of the SparseTensor of one example, or None.
    """

    shared_name: str
    dtype: DType
    rank: int | None

    def add(self, sparse: SparseTensor) -> Tensor:
        """A handle, a scalar."""
        return self._call("AddSparseToTensorsMap", parts_of(sparse))

    def add_rows(self, sparse: SparseTensor) -> Tensor:
        """A handle for each of the n rows: ``[n]``."""
        return self._call("AddManySparseToTensorsMap", parts_of(sparse))

    def as_row(self, sparse: SparseTensor) -> SparseTensor:
        """``sparse`` as the only row of a SparseTensor with one more axis, the first."""
        return SparseTensor(
            array_ops.pad(sparse.indices, [[0, 0], [1, 0]]),
            sparse.values,
            array_ops.concat([[1], sparse.dense_shape], 0),
        )

    def kept_rows(self, sparse: SparseTensor, keep: Tensor) -> SparseTensor:
        """The rows of ``sparse`` for which ``keep``, int32 ``[rows]``, is 1 and not 0."""
        with name_scope(None, "KeptRows", [sparse.indices]):
            rows = math_ops.range(sparse.dense_shape[0])
            count = array_ops.shape(chosen(rows, keep), out_type="int64")
            row_of = sparse.indices[:, 0]
            keep_value = array_ops.gather(keep, row_of)
            # Row i becomes the one with as many kept rows before it.
            new_row = array_ops.gather(math_ops.cumsum(keep, exclusive=True), row_of)
            new_row = array_ops.expand_dims(math_ops.cast(new_row, "int64"), 1)
            indices = array_ops.concat([new_row, sparse.indices[:, 1:]], 1)
            return SparseTensor(
                chosen(indices, keep_value),
                chosen(sparse.values, keep_value),
                array_ops.concat([count, sparse.dense_shape[1:]], 0),
            )

    def num_rows(self, sparse: SparseTensor) -> Tensor:
        """How many rows there are, ``[1]``."""
        return sparse.dense_shape[:1]

    def take(self, handles: Tensor) -> SparseTensor:
        """The n SparseTensors of handles ``[n]``, stacked; takes them out of the map."""
        op_type = "TakeManySparseFromTensorsMap"
        parts = self._call(op_type, [handles], dtype=self.dtype)
        rank = None if self.rank is None else self.rank + 1
        return with_rank(SparseTensor(*parts), rank)

    def _call(self, op_type: str, inputs: list[Tensor], **attrs: Any) -> Any:
        attrs["shared_name"] = self.shared_name
        return call(op_type, inputs, attrs, op_type)


def sparse_maps(
    lists: list[list[Any]], enqueue_many: bool, prefix: str
) -> list[SparseMap | None]:
    """A map for each component that is sparse, and None for the others.

    Args:
        lists: examples of the same components, which all use the same maps.
        enqueue_many: whether they are several examples each, along axis 0.
        prefix: the maps are called ``prefix/sparse_0`` and so on.

    Raises:
        ValueError: a component is a SparseTensor in some of the examples only, or their
            ranks differ; or ``enqueue_many`` and it has no axis but that of examples.
    """
    return [
        _map_of(same, enqueue_many, f"{prefix}/sparse_{i}")
        for i, same in enumerate(zip(*lists, strict=True))
    ]


def _map_of(same: tuple[Any, ...], enqueue_many: bool, name: str) -> SparseMap | None:
    sparse = [tensor for tensor in same if isinstance(tensor, SparseTensor)]
    if not sparse:
        return None
    ranks = {tensor.shape.ndims for tensor in sparse} - {None}
    if len(sparse) < len(same) or len(ranks) > 1:
        raise ValueError(
            "Inconsistent SparseTensors: a component must be sparse in all examples, "
            f"with the same rank; got {list(same)}"
        )
    rank = ranks.pop() if ranks else None
    if enqueue_many and rank is not None:
        if rank < 2:
            raise ValueError(
                "With enqueue_many a SparseTensor must have rank 2 or more, as axis 0 "
                f"counts examples; got {sparse[0]} of rank {rank}"
            )
        rank -= 1
    return SparseMap(name, sparse[0].dtype, rank)


set_rooms(sparse_maps)
