"""``tf.parse_example`` and its kin: from records to a dict of tensors.

What is asked for is a dict from the names of features to what they are:

===========================  ==========================================================
``FixedLenFeature``          as many values in every record: a tensor ``[N] + shape``
``FixedLenSequenceFeature``  any number of steps of one shape: short records are filled
``VarLenFeature``            any number of values: a SparseTensor
===========================  ==========================================================

Compare: tensorflow/python/ops/parsing_ops.py. Read next: ``image.py``.
"""

import itertools
import re
from collections import namedtuple
from typing import Any

from minitf import array_ops, dtypes
from minitf.constant_op import constant, convert_to_tensor
from minitf.dtypes import as_dtype
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.sparse_ops import list_of, sparse_merge
from minitf.sparse_tensor import SparseTensor
from minitf.tensor import Tensor
from minitf.tensor_shape import TensorShape, as_shape


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values of ``dtype``."""


class SparseFeature(
    namedtuple(
        "SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"]
    )
):
    """A SparseTensor in two features: one has the places of the values of the other.

    ``index_key`` may be a list of features, one for each axis; then ``size`` is a list of
    their sizes.
    """

    def __new__(
        cls,
        index_key: Any,
        value_key: str,
        dtype: Any,
        size: Any,
        already_sorted: bool = False,
    ) -> "SparseFeature":
        """Fills in the defaults."""
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A feature with values of ``shape`` in every record; or the default, if there is."""

    def __new__(
        cls, shape: Any, dtype: Any, default_value: Any = None
    ) -> "FixedLenFeature":
        """Fills in the defaults."""
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(
    namedtuple(
        "FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"]
    )
):
    """A feature with any number of steps, each with values of ``shape``."""

    def __new__(
        cls,
        shape: Any,
        dtype: Any,
        allow_missing: bool = False,
        default_value: Any = None,
    ) -> "FixedLenSequenceFeature":
        """Fills in the defaults."""
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


# ---- What is asked for -----------------------------------------------------------------


class _Columns:
    """Features, by their kinds and in the order of their names.

    Attributes:
        sparse: (name, dtype) of those that become SparseTensors.
        merged: (name, SparseFeature) of those that become SparseTensors of two of them.
        dense: (name, dtype, shape, default) of those that become tensors.
        may_be_missing: names of feature lists that count as empty if they are missing.
    """

    def __init__(self, features: dict[str, Any], allowed: tuple[type, ...]):
        self.sparse: list[tuple[str, Any]] = []
        self.dense: list[tuple[str, Any, TensorShape, Any]] = []
        self.may_be_missing: list[str] = []
        for key in sorted(features):
            feature = features[key]
            if not isinstance(feature, allowed):
                raise ValueError(f"Invalid feature {key}:{feature}.")
            if not feature.dtype:
                raise ValueError(f"Missing type for feature {key}.")
            if not isinstance(feature, SparseFeature):
                self._add(key, feature)
        self.asked_for = set(features)
        self.merged = [
            (key, feature)
            for key, feature in sorted(features.items())
            if isinstance(feature, SparseFeature)
        ]
        for key, feature in self.merged:
            self._add_parts(key, feature)

    def _add_parts(self, key: str, feature: SparseFeature) -> None:
        """Adds the two columns of a SparseFeature, where nobody has asked for them."""
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {key}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {key}.")
        parts = [(index, dtypes.int64) for index in list_of(feature.index_key)]
        for part, dtype in [*parts, (feature.value_key, as_dtype(feature.dtype))]:
            if part in self.dense_keys:
                raise ValueError(
                    f"SparseFeature {key} needs feature {part} as a VarLenFeature."
                )
            known = dict(self.sparse).get(part)
            if known is None:
                self.sparse.append((part, dtype))
            elif known is not dtype:
                raise ValueError(
                    f"Conflicting type {known.name} vs {dtype.name} for feature {part}."
                )

    def _add(self, key: str, feature: Any) -> None:
        dtype = as_dtype(feature.dtype)
        if isinstance(feature, VarLenFeature):
            self.sparse.append((key, dtype))
            return
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        shape = as_shape(feature.shape)
        if shape.ndims is None:
            raise ValueError(f"Missing shape for feature {key}.")
        if isinstance(feature, FixedLenFeature):
            if shape.ndims > 0 and shape[0].value is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider "
                    "using FixedLenSequenceFeature."
                )
        elif feature.allow_missing:
            self.may_be_missing.append(key)
        if not shape.is_fully_defined():
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but "
                f"received {shape}."
            )
        self.dense.append((key, dtype, shape, feature.default_value))

    @property
    def sparse_keys(self) -> list[str]:
        """The names of the sparse columns."""
        return [key for key, _ in self.sparse]

    @property
    def dense_keys(self) -> list[str]:
        """The names of the dense columns."""
        return [key for key, *_ in self.dense]

    @property
    def sparse_types(self) -> list[Any]:
        """The types of the sparse columns."""
        return [dtype for _, dtype in self.sparse]

    @property
    def dense_types(self) -> list[Any]:
        """The types of the dense columns."""
        return [dtype for _, dtype, *_ in self.dense]

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the dense columns."""
        return [shape for *_, shape, _ in self.dense]

    def defaults(self) -> list[Tensor]:
        """A tensor for each dense column; an empty one says that there is no default."""
        return [
            _default_tensor(key, dtype, shape, value)
            for key, dtype, shape, value in self.dense
        ]

    def result(self, sparse: tuple[Any, Any, Any], dense: Any) -> dict[str, Any]:
        """The dict of tensors; ``sparse`` are all indices, all values and all shapes."""
        found: dict[str, Any] = {
            key: SparseTensor(*parts)
            for key, parts in zip(
                self.sparse_keys, zip(*sparse, strict=True), strict=True
            )
        }
        for key, feature in self.merged:
            ids = [found[index] for index in list_of(feature.index_key)]
            sizes = list_of(feature.size)
            value = found[feature.value_key]
            found[key] = sparse_merge(
                ids, value, sizes, already_sorted=feature.already_sorted
            )
        found.update(zip(self.dense_keys, dense, strict=True))
        return {key: found[key] for key in found if key in self.asked_for}


def _default_tensor(key: str, dtype: Any, shape: TensorShape, value: Any) -> Tensor:
    is_variable = shape.ndims and shape[0].value is None
    if value is None and is_variable:
        value = "" if dtype is dtypes.string else 0
    if value is None:
        return constant([], dtype)
    name = "key_" + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
    value = convert_to_tensor(value, dtype, name)
    return array_ops.reshape(value, [] if is_variable else shape)


# ---- Examples --------------------------------------------------------------------------

_OF_EXAMPLES = (
    VarLenFeature,
    SparseFeature,
    FixedLenFeature,
    FixedLenSequenceFeature,
)


def _example_columns(features: dict[str, Any]) -> _Columns:
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    columns = _Columns(features, _OF_EXAMPLES)
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
    del example_names
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


def parse_single_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one SequenceExample, a scalar.

    Args:
        serialized: a string, a serialized SequenceExample.
        context_features: what is asked for of its context: fixed or of variable length.
        sequence_features: what is asked for of its lists: FixedLenSequenceFeature for a
            tensor ``[steps] + shape``, VarLenFeature for a SparseTensor.
        example_name: a string that names the Example in messages.
        name: of the nodes.

    Returns:
        Two dicts, of the context and of the lists.
    """
    if not (context_features or sequence_features):
        raise ValueError("Missing features.")
    context = _Columns(context_features or {}, (VarLenFeature, FixedLenFeature))
    lists = _Columns(sequence_features or {}, (VarLenFeature, FixedLenSequenceFeature))
    with name_scope(name, "ParseSingleSequenceExample", [serialized]):
        keys = [
            [convert_to_tensor(key) for key in some]
            for some in (
                context.sparse_keys,
                context.dense_keys,
                lists.sparse_keys,
                lists.dense_keys,
            )
        ]
        results = call(
            "ParseSingleSequenceExample",
            [
                serialized,
                constant(lists.may_be_missing, dtypes.string),
                *keys,
                context.defaults(),
                "" if example_name is None else example_name,
            ],
            {
                "Ncontext_sparse": len(context.sparse),
                "Ncontext_dense": len(context.dense),
                "Nfeature_list_sparse": len(lists.sparse),
                "Nfeature_list_dense": len(lists.dense),
                "context_sparse_types": context.sparse_types,
                "Tcontext_dense": context.dense_types,
                "context_dense_shapes": context.shapes,
                "feature_list_sparse_types": lists.sparse_types,
                "feature_list_dense_types": lists.dense_types,
                "feature_list_dense_shapes": lists.shapes,
            },
            "ParseSingleSequenceExample",
        )
    return (
        context.result(results[:3], results[3]),
        lists.result(results[4:7], results[7]),
    )


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
    """
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
    found = call("DecodeCSV", [records, list(record_defaults)], attrs, name)
    return list(found) if isinstance(found, (list, tuple)) else [found]
