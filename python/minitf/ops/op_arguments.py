"""Functions of ops whose Python arguments differ from the op's inputs and attributes.

The op may have another order, other names, or fewer features: what TensorFlow's function
takes and minitf does not have is refused here, never passed over.

Compare: tensorflow/python/ops/array_ops.py. Read next: ``reductions.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import as_shape
from minitf.ops.math_ops import _either

__all__ = [
    "depth_to_space",
    "ensure_shape",
    "extract_image_patches",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
    "reverse_sequence",
    "setdiff1d",
    "space_to_depth",
]


def require_type(tensor: Tensor, argument: str, allowed: Any) -> None:
    """Refuses a tensor of another type, as an op does: so a function of several ops may.

    Raises:
        TypeError: in a graph, the type is not one of ``allowed``.
        errors.InvalidArgumentError: the same in eager mode.
    """
    what = f"Value passed to parameter {argument!r}"
    try:
        dtypes.require_allowed(what, tensor.dtype, allowed)
    except TypeError as error:
        if context.executing_eagerly():
            raise InvalidArgumentError(None, None, str(error)) from None
        raise


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


def extract_image_patches(
    images: Any,
    ksizes: list[int] | None = None,
    strides: list[int] | None = None,
    rates: list[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: list[int] | None = None,
) -> Tensor:
    """Patches of images ``[N,H,W,C]`` as the last axis of ``[N,P,Q,R*S*C]``.

    Args:
        images: any numbers.
        ksizes: ``[1,R,S,1]``, the size of a patch.
        strides: ``[1,h,w,1]``, from one patch to the next.
        rates: ``[1,h,w,1]``, from one pixel of a patch to the next.
        padding: "SAME" or "VALID".
        name: of the node.
        sizes: a later name of ksizes.
    """
    attrs = {
        "ksizes": ksizes if sizes is None else sizes,
        "strides": strides,
        "rates": rates,
        "padding": padding,
    }
    return call("ExtractImagePatches", [images], attrs, name)
