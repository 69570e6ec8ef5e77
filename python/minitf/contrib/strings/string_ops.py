"""Functions on text whose arguments differ from those of their ops.

Compare: tensorflow/python/ops/string_ops.py, ragged/ragged_string_ops.py.
Read next: ``ops/logging_ops.py``.
"""

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops
from minitf.ops.math_ops import _either

# ---- Splitting -------------------------------------------------------------------------


def _require_sparse_result(result_type: str, function: str) -> None:
    if result_type != "SparseTensor":
        raise ValueError(
            f"{function}: result_type must be 'SparseTensor', got {result_type!r}; "
            "there are no ragged tensors"
        )


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """The words of each text, as a sparse matrix: row i has the words of text i.

    Args:
        source: strings ``[n]``.
        sep: a scalar string, each byte of which ends a word; a space if None. If it is
            empty, each byte of a text is a word.
        skip_empty: whether words without a byte are left out.
        delimiter: the former name of ``sep``.
        result_type: ``"SparseTensor"``.
        name: of the nodes.

    Returns:
        A SparseTensor ``[n, longest row]``.

    Raises:
        ValueError: the shapes or ``result_type`` do not fit.
    """
    _require_sparse_result(result_type, "tf.string_split")
    sep = _either(sep, delimiter, "sep", "delimiter", " ")
    with name_scope(name, "StringSplit", [source]):
        delimiter = convert_to_tensor(sep, dtypes.string)
        source = convert_to_tensor(source, dtypes.string)
        attrs = {"skip_empty": skip_empty}
        return SparseTensor(*call("StringSplit", [source, delimiter], attrs))


def _split_vector(source: Tensor, sep: Any, maxsplit: int) -> SparseTensor:
    sep = convert_to_tensor("" if sep is None else sep, dtypes.string)
    return SparseTensor(*call("StringSplitV2", [source, sep], {"maxsplit": maxsplit}))


def _split_all(source: Tensor, split: Any) -> SparseTensor:
    """Returns ``split`` of all strings, whose rank is known and not 0."""
    rank = source.shape.ndims
    if rank == 1:
        return split(source)
    rows = split(array_ops.reshape(source, [-1]))
    sizes = array_ops.shape(source, out_type=dtypes.int64)
    # The row of a word is the number of its text, of which each axis is a digit.
    steps = call("Cumprod", [sizes, 0], {"exclusive": True, "reverse": True})
    number = rows.indices[:, :1]
    places = math_ops.floordiv(number, steps) % sizes
    return SparseTensor(
        array_ops.concat([places, rows.indices[:, 1:]], 1),
        rows.values,
        array_ops.concat([sizes, rows.dense_shape[1:]], 0),
    )


def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """The words of each text, as Python's ``str.split`` has them.

    Args:
        input: strings of known rank; a scalar counts as a vector of one.
        sep: a scalar string that ends a word as a whole. Whitespace does if it is None or
            empty.
        maxsplit: how many words are split off at most, if positive.
        result_type: ``"SparseTensor"``.
        source: another name of ``input``.
        name: of the nodes.

    Returns:
        A SparseTensor of the shape of ``input`` and one more axis.

    Raises:
        ValueError: the rank is unknown, or ``result_type`` does not fit.
    """
    _require_sparse_result(result_type, "tf.strings.split")
    strings = _either(input, source, "input", "source")
    with name_scope(name, "StringSplit", [strings]):
        strings = _of_known_rank(strings, "tf.strings.split")
        return _split_all(strings, lambda x: _split_vector(x, sep, maxsplit))


def _of_known_rank(strings: Any, function: str) -> Tensor:
    """``strings`` as a tensor; a scalar as a vector of one."""
    strings = convert_to_tensor(strings, dtypes.string, name="input")
    rank = strings.shape.ndims
    if rank is None:
        raise ValueError(f"{function}: the rank of input must be known")
    return array_ops.expand_dims(strings, 0) if rank == 0 else strings


# ---- Joining ---------------------------------------------------------------------------


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The texts of all inputs joined, element by element; scalars fit all shapes."""
    return call("StringJoin", [list(inputs)], {"separator": separator}, name)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The texts along axes joined.

    Args:
        inputs: strings.
        axis: the axes, of which the first one runs fastest; if None all, the last axis
            fastest.
        keep_dims: the former name of ``keepdims``.
        separator: what stands between two texts.
        name: of the node.
        reduction_indices: the former name of ``axis``.
        keepdims: whether the axes stay, with size 1.

    Raises:
        ValueError: an axis is out of range, or occurs twice.
    """
    keepdims = _either(keepdims, keep_dims, "keepdims", "keep_dims", False)
    axis = _either(axis, reduction_indices, "axis", "reduction_indices")
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        strings = convert_to_tensor(inputs)
        rank = strings.shape.ndims
        if axis is None and rank is not None:
            axis = np.arange(rank - 1, -1, -1, dtype=np.int32)
        elif axis is None:
            axis = math_ops.range(array_ops.rank(strings) - 1, -1, -1)
        attrs = {"keep_dims": bool(keepdims), "separator": separator}
        return call("ReduceJoin", [strings, axis], attrs, name)


# ---- Parts and numbers -----------------------------------------------------------------


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """How many bytes, or characters of UTF-8 if ``unit`` is UTF8_CHAR, each text has."""
    return call("StringLength", [input], {"unit": unit}, name)


def substr(
    input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """``len`` bytes of each text from ``pos`` on.

    Args:
        input: strings.
        pos: int32 or int64, which broadcasts with ``input``; a negative one counts from
            the end.
        len: of the shape and type of ``pos``. What goes beyond the text is left out.
        name: of the node.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` to count characters.

    Raises:
        errors.InvalidArgumentError: in the step; ``pos`` is not in the text.
    """
    return call("Substr", [input, pos, len], {"unit": unit}, name)


def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Each text as a number of ``out_type``: float32, float64, int32 or int64.

    Raises:
        errors.InvalidArgumentError: in the step; a text is not such a number.
    """
    strings = _either(string_tensor, input, "string_tensor", "input")
    return call("StringToNumber", [strings], {"out_type": out_type}, name)


def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """A number in [0, num_buckets) for each text."""
    strings = _either(string_tensor, input, "string_tensor", "input")
    return call("StringToHashBucket", [strings], {"num_buckets": num_buckets}, name)
