"""``tf.parse_example`` and its kin: from records to a dict of tensors.

What is asked for is a dict from the names of features to what they are:

===========================  ==========================================================
``FixedLenFeature``          as many values in every record: a tensor ``[N] + shape``
``FixedLenSequenceFeature``  any number of steps of one shape: short records are filled
``VarLenFeature``            any number of values: a SparseTensor
===========================  ==========================================================

Compare: tensorflow/python/ops/parsing_ops.py. Read next: ``training/input.py``.
"""

import itertools
from typing import Any

from minitf.data_flow.parsing_config import (
    Columns,
    FixedLenFeature,
    FixedLenSequenceFeature,
    MergedFeature,
    VarLenFeature,
)
from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.dtypes import require_allowed
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops

# ---- Examples --------------------------------------------------------------------------

_OF_EXAMPLES = (
    VarLenFeature,
    MergedFeature,
    FixedLenFeature,
    FixedLenSequenceFeature,
)


def _example_columns(features: dict[str, Any]) -> Columns:
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    columns = Columns(features, _OF_EXAMPLES)
    for i, (key, dtype, shape, default) in enumerate(columns.dense):
        if isinstance(features[key], FixedLenSequenceFeature):
            if not features[key].allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be "
                    "True."
                )
            longer = TensorShape([None]).concatenate(shape)
            columns.dense[i] = (key, dtype, longer, default)
    return columns


def parse_example(
    serialized: Any,
    features: dict[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """The features of a batch of Examples.

    Args:
        serialized: strings ``[N]``, each a serialized Example.
        features: what is asked for, by name.
        name: of the nodes.
        example_names: strings ``[N]`` that name the Examples in messages.

    Returns:
        A dict of tensors ``[N, ...]`` and SparseTensors.

    Raises:
        errors.InvalidArgumentError: in the step; a feature is missing or of another type.
            The message names the feature and both types.
    """
    columns = _example_columns(features)
    with name_scope(name, "ParseExample", [serialized]):
        names = constant([], dtypes.string) if example_names is None else example_names
        results = call(
            "ParseExample",
            [
                serialized,
                names,
                [convert_to_tensor(key) for key in columns.sparse_keys],
                [convert_to_tensor(key) for key in columns.dense_keys],
                columns.defaults(),
            ],
            {
                "Nsparse": len(columns.sparse),
                "Ndense": len(columns.dense),
                "sparse_types": columns.sparse_types,
                "Tdense": columns.dense_types,
                "dense_shapes": columns.shapes,
            },
            "ParseExample",
        )
        return columns.result(results[:3], results[3])


def parse_single_example(
    serialized: Any,
    features: dict[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """The features of one Example, a scalar; as parse_example, without the axis N."""
    if example_names is not None:
        return _parse_named_example(serialized, features, name, example_names)
    columns = _example_columns(features)
    with name_scope(name, "ParseSingleExample", [serialized]):
        results = call(
            "ParseSingleExample",
            [serialized, columns.defaults()],
            {
                "num_sparse": len(columns.sparse),
                "sparse_keys": columns.sparse_keys,
                "dense_keys": columns.dense_keys,
                "sparse_types": columns.sparse_types,
                "Tdense": columns.dense_types,
                "dense_shapes": columns.shapes,
            },
            "ParseSingleExample",
        )
        return columns.result(results[:3], results[3])


def _parse_named_example(
    serialized: Any, features: dict[str, Any], name: str | None, example_name: Any
) -> dict[str, Any]:
    """As a batch of one: only that op takes names for its messages."""
    with name_scope(name, "ParseSingleExample", [serialized, example_name]):
        batch = [array_ops.expand_dims(item, 0) for item in (serialized, example_name)]
        found = parse_example(batch[0], features, example_names=batch[1])
        return {
            key: SparseTensor(part.indices[:, 1:], part.values, part.dense_shape[1:])
            if isinstance(part, SparseTensor)
            else array_ops.squeeze(part, [0])
            for key, part in found.items()
        }


# ---- Strings ---------------------------------------------------------------------------


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The bytes of strings as numbers of ``out_type``, on a new last axis."""
    source = bytes if input_bytes is None else input_bytes
    attrs = {"out_type": out_type, "little_endian": little_endian}
    return call("DecodeRaw", [source], attrs, name)


_OF_COLUMNS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def decode_csv(
    records: Any,
    record_defaults: list[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: list[int] | None = None,
) -> list[Tensor]:
    """The columns of rows of CSV: a list of tensors in the shape of ``records``.

    Args:
        records: strings, each a row.
        record_defaults: for each column its default as a scalar or ``[value]``; an empty
            tensor says that the column must be there.
        field_delim: what stands between fields.
        use_quote_delim: whether a field may stand in double quotes.
        name: of the node.
        na_value: a field that counts as missing.
        select_cols: the numbers of the columns that are wanted, in order; None for all.

    Raises:
        ValueError: ``select_cols`` are not as many as defaults, negative or not in order.
        TypeError: a default is of a type that no column can have.
    """
    if select_cols is not None and any(column < 0 for column in select_cols):
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    if select_cols is not None and any(
        later <= earlier for earlier, later in itertools.pairwise(select_cols)
    ):
        raise ValueError("select_cols is not strictly increasing.")
    attrs = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": list(select_cols or []),
    }
    with name_scope(name, "DecodeCSV", [records]) as scope:
        records = convert_to_tensor(records, dtypes.string, name="records")
        defaults = []
        for i, default in enumerate(record_defaults):
            default = convert_to_tensor(default, name=f"record_defaults_{i}")
            require_allowed(f"Default {i} of decode_csv", default.dtype, _OF_COLUMNS)
            defaults.append(default)
        found = call("DecodeCSV", [records, defaults], attrs, scope)
    return list(found) if isinstance(found, (list, tuple)) else [found]
