"""What is asked for of Examples: features, and the columns that ops make of them.

Compare: tensorflow/python/ops/parsing_config.py. Read next: ``parsing_ops.py``.
"""

import re
from collections import namedtuple
from typing import Any

from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.dtypes import as_dtype, require_allowed
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.ops import array_ops


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values of ``dtype``."""


class MergedFeature:
    """A feature that is made of others; families derive from it."""

    def parts(self, key: str) -> list[tuple[str, Any]]:
        """The name and the type of each feature with any number of values it is made of.

        Args:
            key: what the feature is called.
        """
        raise NotImplementedError

    def merge(self, found: dict[str, SparseTensor]) -> SparseTensor:
        """The feature, of those that ``parts`` names."""
        raise NotImplementedError


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


_OF_FEATURES = (dtypes.float32, dtypes.int64, dtypes.string)


class Columns:
    """Features, by their kinds and in the order of their names.

    Attributes:
        sparse: (name, dtype) of those that become SparseTensors.
        merged: (name, MergedFeature) of those that are made of others.
        dense: (name, dtype, shape, default) of those that become tensors.
        may_be_missing: names of feature lists that count as empty if they are missing.
    """

    def __init__(self, features: dict[str, Any], allowed: tuple[type, ...]):
        self.sparse: list[tuple[str, Any]] = []
        self.dense: list[tuple[str, Any, TensorShape, Any]] = []
        self.may_be_missing: list[str] = []
        if not isinstance(features, dict):
            raise TypeError(f"features must be a dict, not {features!r}")
        for key in sorted(features):
            feature = features[key]
            if not isinstance(feature, allowed):
                raise ValueError(f"Invalid feature {key}:{feature}.")
            if not feature.dtype:
                raise ValueError(f"Missing type for feature {key}.")
            require_allowed(f"Feature '{key}'", as_dtype(feature.dtype), _OF_FEATURES)
            if not isinstance(feature, MergedFeature):
                self._add(key, feature)
        self.asked_for = set(features)
        self.merged = [
            (key, feature)
            for key, feature in sorted(features.items())
            if isinstance(feature, MergedFeature)
        ]
        for key, feature in self.merged:
            self._add_parts(key, feature)

    def _add_parts(self, key: str, feature: MergedFeature) -> None:
        """Adds the columns of a MergedFeature that are not asked for by themselves."""
        for part, dtype in feature.parts(key):
            if part in self.dense_keys:
                raise ValueError(
                    f"{type(feature).__name__} {key} needs feature {part} as a "
                    "VarLenFeature."
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
            found[key] = feature.merge(found)
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
