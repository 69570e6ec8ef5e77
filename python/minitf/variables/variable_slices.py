"""Methods of variables that read or change some slices of the first axis only.

Compare: tensorflow/python/ops/resource_variable_ops.py. Read next: ``state_ops.py``.
"""

from contextlib import nullcontext
from typing import Any

from minitf.eager.tape import variable_accessed
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.indexed_slices import IndexedSlices
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor


class SliceMethods:
    """What a variable can do with slices of its value."""

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The slices of the value at ``indices``; the others are not copied."""
        with name_scope("Gather" if name is None else name) as scope:
            if not self._in_graph:
                variable_accessed(self)
            attrs = {"dtype": self._dtype}
            indices = convert_to_tensor(indices, name="indices")
            rows = call("ResourceGather", [self._handle, indices], attrs, scope)
            # Through a Switch a handle does not know the shape.
            rows.set_shape(indices.shape.concatenate(self.shape[1:]))
            return rows

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The parts of the value at ``indices``, whose last axis holds one place."""
        return call("GatherNd", [self._as_tensor(), indices], None, name)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts IndexedSlices from the value; returns as ``assign`` does."""
        return self._scatter("Sub", sparse_delta, name)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds IndexedSlices to the value; returns as ``assign`` does."""
        return self._scatter("Add", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Slices become the larger, element by element, of what is and what comes."""
        return self._scatter("Max", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Slices become the smaller, element by element, of what is and what comes."""
        return self._scatter("Min", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies slices of the value by those given."""
        return self._scatter("Mul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides slices of the value by those given."""
        return self._scatter("Div", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Slices of the value become those given."""
        return self._scatter("Update", sparse_delta, name)

    def _scatter(self, kind: str, slices: Any, name: str | None) -> Any:
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
        return self._scattered(kind, slices.indices, slices.values, name)

    def _scattered(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        """Runs or adds ResourceScatterAdd or the like; returns as ``assign`` does.

        Updates of one variable are always one at a time, with or without a lock.
        """
        with self._graph.as_default() if self._in_graph else nullcontext():
            updates = convert_to_tensor(updates, self._dtype)
            inputs = [self._handle, indices, updates]
            node = call(f"ResourceScatter{kind}", inputs, None, name)
            return self._changed(node)
