"""Gathering at places of several axes.

Compare: tensorflow/python/ops/array_ops.py. Read next: ``slicing.py``.
"""

from typing import Any

from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """The parts of ``params`` at ``indices``, whose last axis holds one place.

    Args:
        params: a tensor.
        indices: int32 or int64.
        name: of the node.
        batch_dims: the number of first axes that both have and that run together.

    Raises:
        TypeError: batch_dims is no integer.
        ValueError: it is negative, or as large as the rank of ``params`` or ``indices``.
    """
    if constant_value(batch_dims) == 0:
        return call("GatherNd", [params, indices], None, name)
    if not isinstance(batch_dims, int):
        raise TypeError(f"batch_dims must be an int; got {batch_dims!r}")
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    with name_scope(name, "BatchGatherND", [params, indices]):
        params = convert_to_tensor(params, name="params")
        indices = convert_to_tensor(indices, name="indices")
        for x, what in ((params, "params"), (indices, "indices")):
            if x.shape.ndims is not None and batch_dims >= x.shape.ndims:
                raise ValueError(
                    f"batch_dims = {batch_dims} must be less than rank({what}) = "
                    f"{x.shape.ndims}"
                )
        return _gather_nd_of_batches(params, indices, batch_dims)


def _gather_nd_of_batches(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """The batches get one axis, along which every place is told its own number."""
    reshape, concat = array_ops.reshape, array_ops.concat
    params_shape, indices_shape = array_ops.shape(params), array_ops.shape(indices)
    count = call("Prod", [params_shape[:batch_dims], [0]], {"keep_dims": True})
    places = call("Prod", [indices_shape[batch_dims:-1], [0]], {"keep_dims": True})
    flat_params = reshape(params, concat([count, params_shape[batch_dims:]], 0))
    flat = reshape(indices, concat([count, places, indices_shape[-1:]], 0))
    batch = call("Cast", [call("Range", [0, count[0], 1])], {"DstT": indices.dtype})
    numbers = call("Tile", [reshape(batch, [-1, 1, 1]), concat([[1], places, [1]], 0)])
    found = call("GatherNd", [flat_params, concat([numbers, flat], 2)])
    result = reshape(found, concat([indices_shape[:-1], array_ops.shape(found)[2:]], 0))
    depth = indices.shape[-1].value if indices.shape.ndims else None
    if depth is not None and params.shape.ndims is not None:
        batch = params.shape[:batch_dims].merge_with(indices.shape[:batch_dims])
        places = batch.concatenate(indices.shape[batch_dims:-1])
        result.set_shape(places.concatenate(params.shape[batch_dims + depth :]))
    return result
