"""Functions of ops whose Python arguments differ from the op's inputs and attributes.

The op may have another order, other names, or fewer features: what TensorFlow's function
takes and minitf does not have is refused here, never passed over.

Compare: tensorflow/python/ops/array_ops.py. Read next: ``reductions.py``.
"""

from typing import Any

from minitf import array_ops, dtypes
from minitf.constant_op import convert_to_tensor
from minitf.math_ops import _either
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor
from minitf.tensor_shape import as_shape

__all__ = [
    "depth_to_space",
    "ensure_shape",
    "gather_nd",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
    "reverse_sequence",
    "setdiff1d",
    "space_to_depth",
]


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Each block of ``block_size`` by ``block_size`` pixels as the depth of one pixel."""
    attrs = {"block_size": block_size, "data_format": data_format}
    return call("SpaceToDepth", [input], attrs, name)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """The depth of each pixel as a block of ``block_size`` by ``block_size`` pixels."""
    attrs = {"block_size": block_size, "data_format": data_format}
    return call("DepthToSpace", [input], attrs, name)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor ``x``; a step in which it does not have ``shape`` fails.

    >>> import minitf as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.ensure_shape(tf.placeholder(tf.float32), [None, 3]).shape)
    (?, 3)
    """
    return call("EnsureShape", [x], {"shape": as_shape(shape)}, name)


def setdiff1d(
    x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None
) -> Any:
    """The elements of the vector ``x`` that are not in ``y``, and where they are."""
    return call("ListDiff", [x, y], {"out_idx": index_dtype}, name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """The first ``seq_lengths[b]`` elements along ``seq_axis`` backwards.

    Args:
        input: a tensor.
        seq_lengths: ``[B]``, how many elements of each entry b of the batch.
        seq_axis: the axis along which elements change places.
        batch_axis: the axis of the batch, of size B; the first if None.
        name: of the node.
        seq_dim: another name of seq_axis.
        batch_dim: another name of batch_axis.
    """
    seq_axis = _either(seq_axis, seq_dim, "seq_axis", "seq_dim")
    batch_axis = _either(batch_axis, batch_dim, "batch_axis", "batch_dim")
    attrs = {"seq_dim": seq_axis, "batch_dim": 0 if batch_axis is None else batch_axis}
    return call("ReverseSequence", [input, seq_lengths], attrs, name)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """The parts of ``params`` at ``indices``, whose last axis holds one place of params.

    Args:
        params: a tensor.
        indices: ``[...,k]``, with k axes of params.
        name: of the node.
        batch_dims: so many axes in front are those of a batch, in both tensors, and each
            entry of the batch is looked up by itself.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.gather_nd([[1, 2], [3, 4]], [[0], [1]], batch_dims=1))
    array([1, 4], dtype=int32)
    """
    if batch_dims == 0:
        return call("GatherNd", [params, indices], None, name)
    with name_scope(name, "BatchGatherNd", [params, indices]) as scope:
        params = convert_to_tensor(params, name="params")
        indices = convert_to_tensor(indices, name="indices")
        places = _with_batch_places(params, indices, batch_dims)
        return call("GatherNd", [params, places], None, scope)


def _with_batch_places(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """The indices with the place in the batch in front: ``[b,...,k]``, now k + 1."""
    rank = indices.shape.ndims
    if rank is None or params.shape.ndims is None:
        raise ValueError("batch_dims needs indices and params whose ranks are known")
    if not 0 <= batch_dims < min(rank, params.shape.ndims):
        raise ValueError(
            f"batch_dims = {batch_dims} must be at least 0, and less than the ranks of "
            f"indices and params, {rank} and {params.shape.ndims}"
        )
    indices.shape[:batch_dims].assert_is_compatible_with(params.shape[:batch_dims])
    sizes = array_ops.shape(indices, out_type=indices.dtype)
    column = array_ops.concat([sizes[:-1], convert_to_tensor([1], indices.dtype)], 0)
    zero, one = (convert_to_tensor(number, indices.dtype) for number in (0, 1))
    columns = []
    for axis in range(batch_dims):
        numbers = call("Range", [zero, sizes[axis], one])
        shape = [-1 if other == axis else 1 for other in range(rank)]
        columns.append(array_ops.broadcast_to(array_ops.reshape(numbers, shape), column))
    return array_ops.concat([*columns, indices], -1)


# ---- Diagonals -------------------------------------------------------------------------


def _refuse_bands(function: str, **given: tuple[Any, Any]) -> None:
    """Raises for the arguments that choose other diagonals than the main one."""
    for argument, (value, default) in given.items():
        if value != default:
            raise ValueError(
                f"{function}({argument}={value!r}): minitf has the main diagonal of "
                f"square matrices only, {argument}={default}"
            )


def matrix_diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
) -> Tensor:
    """Square matrices of zeros with the vectors of ``diagonal`` on their diagonals.

    Raises:
        ValueError: another diagonal, size or filling than that is asked for.
    """
    _refuse_bands(
        "matrix_diag",
        k=(k, 0),
        num_rows=(num_rows, -1),
        num_cols=(num_cols, -1),
        padding_value=(padding_value, 0),
    )
    return call("MatrixDiag", [diagonal], None, name)


def matrix_diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0
) -> Tensor:
    """The diagonal of each matrix.

    Raises:
        ValueError: another diagonal than the main one is asked for.
    """
    _refuse_bands("matrix_diag_part", k=(k, 0), padding_value=(padding_value, 0))
    return call("MatrixDiagPart", [input], None, name)


def matrix_set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0
) -> Tensor:
    """Each matrix with its diagonal replaced.

    Raises:
        ValueError: another diagonal than the main one is asked for.
    """
    _refuse_bands("matrix_set_diag", k=(k, 0))
    return call("MatrixSetDiag", [input, diagonal], None, name)
