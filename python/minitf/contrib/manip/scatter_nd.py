"""Changes of the parts of variables that the last axis of ``indices`` names.

Importing this module adds the methods ``scatter_nd_add``, ``scatter_nd_sub``,
``scatter_nd_update`` and ``batch_scatter_update`` to variables.

Compare: tensorflow/python/ops/state_ops.py, resource_variable_ops.py.
Read next: ``variables/variable_slices.py``.
"""

from contextlib import nullcontext
from typing import Any

from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.indexed_slices import IndexedSlices
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.ops import array_ops, math_ops
from minitf.util.arguments import require_variable
from minitf.variables.variable_slices import SliceMethods


def _scattered(
    variable: Any, kind: str, indices: Any, updates: Any, name: str | None
) -> Any:
    """Runs or adds ResourceScatterNdAdd or the like; returns as ``assign`` does."""
    with variable._graph.as_default() if variable._in_graph else nullcontext():
        updates = convert_to_tensor(updates, variable.dtype)
        inputs = [variable.handle, indices, updates]
        return variable._changed(call(f"ResourceScatterNd{kind}", inputs, None, name))


def scatter_nd_update(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replaces parts of a variable by ``updates``.

    Args:
        ref: a variable of rank 1 or more.
        indices: int32 or int64 ``[..., depth]``; each row is a place in the first
            ``depth`` axes of ``ref``.
        updates: ``[..., *ref.shape[depth:]]``, of the type of ``ref``. Where a place
            occurs twice, the last update counts.
        use_locking: has no effect, because every change locks the variable.
        name: of the node.

    Returns:
        As ``Variable.assign``.

    Raises:
        TypeError: ``ref`` is not a variable.
        ValueError: the shapes do not fit.
        errors.InvalidArgumentError: in the step; a place is out of bounds.
    """
    del use_locking
    require_variable(ref, "tf.scatter_nd_update")
    return _scattered(ref, "Update", indices, updates, name)


def scatter_nd_add(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Adds ``updates`` to parts of a variable; see ``scatter_nd_update``."""
    del use_locking
    require_variable(ref, "tf.scatter_nd_add")
    return _scattered(ref, "Add", indices, updates, name)


def scatter_nd_sub(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtracts ``updates`` from parts of a variable; see ``scatter_nd_update``."""
    del use_locking
    require_variable(ref, "tf.scatter_nd_sub")
    return _scattered(ref, "Sub", indices, updates, name)


def batch_scatter_update(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replaces slices of a variable; all axes of ``indices`` but the last are a batch.

    ``ref[i, ..., indices[i, ..., j]] = updates[i, ..., j]``.

    Raises:
        TypeError: ``ref`` is not a variable.
        ValueError: the rank of ``indices`` is unknown, or the shapes do not fit.
        errors.InvalidArgumentError: in the step; an index is out of bounds.
    """
    require_variable(ref, "tf.batch_scatter_update")
    with name_scope(name, "BatchScatterUpdate", [indices, updates]):
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.ndims
        if not rank:
            raise ValueError(
                "tf.batch_scatter_update: indices must have a known rank of at least 1, "
                f"got shape {indices.shape}"
            )
        last = array_ops.expand_dims(indices, -1)
        sizes = array_ops.shape(indices)
        columns = []
        for axis in range(rank - 1):
            numbers = math_ops.cast(math_ops.range(sizes[axis]), indices.dtype)
            along = [1] * (rank + 1)
            along[axis] = -1
            numbers = array_ops.reshape(numbers, along)
            columns.append(numbers * array_ops.ones_like(last))
        places = array_ops.concat([*columns, last], -1)
        return scatter_nd_update(ref, places, updates, use_locking)


# ---- Methods of variables --------------------------------------------------------------


def _method(kind: str) -> Any:
    name_of_method = f"scatter_nd_{kind}"

    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        return _scattered(self, kind.capitalize(), indices, updates, name)

    method.__name__ = method.__qualname__ = name_of_method
    method.__doc__ = f"``tf.{name_of_method}`` of this variable."
    return method


def _batch_scatter_update(
    self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """``tf.batch_scatter_update`` of this variable by IndexedSlices."""
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
    return batch_scatter_update(
        self, sparse_delta.indices, sparse_delta.values, use_locking, name
    )


for _kind in ("add", "sub", "update"):
    setattr(SliceMethods, f"scatter_nd_{_kind}", _method(_kind))
SliceMethods.batch_scatter_update = _batch_scatter_update
