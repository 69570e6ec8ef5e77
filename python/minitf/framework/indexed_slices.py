"""``tf.IndexedSlices``: a tensor of which only some slices of the first axis are listed.

``values[i]`` is what is added to slice ``indices[i]`` of zeros of the shape
``dense_shape``. The gradient of a lookup in a table is one: it has a slice for each row
that was looked up, and none for the others. An index may come twice.

Compare: tensorflow/python/framework/indexed_slices.py. Read next: ``sparse_tensor.py``.
"""

import warnings
from collections import namedtuple
from collections.abc import Iterable
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework.composite_tensor import has_parts
from minitf.framework.constant_op import (
    constant_value,
    constant_value_as_shape,
    convert_to_tensor,
)
from minitf.framework.default_session import session_for
from minitf.framework.dtypes import DType, as_dtype, float32, int64
from minitf.framework.op_def_library import call
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape, unknown_shape

IndexedSlicesValue = namedtuple(
    "IndexedSlicesValue", ["values", "indices", "dense_shape"]
)
_MANY_ELEMENTS = 100_000_000


class IndexedSlices:
    """A tensor of which only some slices of the first axis are listed.

    It is made dense wherever a tensor is needed.

    Args:
        values: ``[n, ...]``, of any type.
        indices: ``[n]``, int32 or int64: the place of each slice.
        dense_shape: a vector, the shape of the whole; None if it is not needed.

    >>> import minitf as tf
    >>> slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 2]),
    ...                           tf.constant([3, 1]))
    >>> with tf.Session() as session:
    ...     session.run(tf.convert_to_tensor(slices)).tolist()
    [[0.0], [0.0], [3.0]]
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None):
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The slices, one after another."""
        return self._values

    @property
    def indices(self) -> Any:
        """The place of each slice."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole as a tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole, as far as it is known."""
        if self._dense_shape is None:
            return unknown_shape()
        return constant_value_as_shape(self._dense_shape)

    def get_shape(self) -> TensorShape:
        """The shape of the whole, as far as it is known."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def name(self) -> str:
        """The name of the values."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device of the values."""
        return self._values.device

    @property
    def op(self) -> Any:
        """The node that makes the values."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._values.graph

    def consumers(self) -> list[Any]:
        """The nodes that have one of the parts as an input."""
        found: list[Any] = []
        for part in self._parts():
            found += [node for node in part.consumers() if node not in found]
        return found

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Its value in a step of ``session``, or of the default one."""
        return session_for(self, "evaluate tensor", session).run(self, feed_dict)

    def __neg__(self) -> "IndexedSlices":
        return self._with_values(-self._values)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def _with_values(self, values: Any) -> "IndexedSlices":
        return IndexedSlices(values, self._indices, self._dense_shape)

    def _parts(self) -> list[Any]:
        parts = [self._values, self._indices, self._dense_shape]
        return parts if self._dense_shape is not None else parts[:2]

    # How it becomes a tensor, and how a step fetches and feeds it; see fetches.py.

    def _as_tensor(self) -> Tensor:
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: "
                f"{self}"
            )
        if not context.executing_eagerly():
            _warn_if_large(self)
        sizes = convert_to_tensor(self._dense_shape)
        return call("UnsortedSegmentSum", [self._values, self._indices, sizes[0]])

    def _as_control_input(self) -> Any:
        return self.op

    def _fetch_parts(self) -> tuple[Any, list[Any]]:
        def value(*parts: Any) -> IndexedSlicesValue:
            return IndexedSlicesValue(*parts, *[None] * (3 - len(parts)))

        return value, self._parts()

    def _feed_parts(self, value: Any) -> tuple[list[Any], list[Any]]:
        parts = self._parts()
        if not isinstance(value, (list, tuple)) or len(value) < len(parts):
            raise TypeError(
                f"the value fed for {self} must be (values, indices, dense_shape), or "
                f"without dense_shape if it has none; got {value!r}"
            )
        return parts, list(value)[: len(parts)]

    @staticmethod
    def _of_parts(parts: list[Any]) -> "IndexedSlices":
        return IndexedSlices(*parts)


def _warn_if_large(slices: IndexedSlices) -> None:
    sizes = constant_value(slices.dense_shape)
    if sizes is None:
        warnings.warn(
            "Converting sparse IndexedSlices to a dense Tensor of unknown shape. "
            "This may consume a large amount of memory.",
            stacklevel=4,
        )
    elif (count := int(np.prod(sizes, dtype=object))) >= _MANY_ELEMENTS:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with {count} elements. "
            "This may consume a large amount of memory.",
            stacklevel=4,
        )


def of_parts(parts: list[Any]) -> Any:
    """The gradient that ``parts`` are parts of: None, a tensor or IndexedSlices."""
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else IndexedSlices(*parts)


def parts_of(gradient: Any) -> list[Any]:
    """The tensors of a gradient: none, one, or the three of IndexedSlices.

    IndexedSlices without the shape of the whole are refused.
    """
    if gradient is None:
        return []
    if not isinstance(gradient, IndexedSlices):
        return [convert_to_tensor(gradient)]
    if gradient.dense_shape is None:
        raise ValueError(f"a gradient needs a dense_shape: {gradient}")
    return [convert_to_tensor(part) for part in gradient._parts()]


def map_values(function: Any, x: Any, name: str) -> Any:
    """``function`` of a tensor, or IndexedSlices with ``function`` of their values."""
    if isinstance(x, IndexedSlices):
        return x._with_values(function(convert_to_tensor(x.values)))
    return function(convert_to_tensor(x, name=name))


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """``value`` if it is IndexedSlices or a SparseTensor, else as a tensor.

    Raises:
        ValueError: it is of another type than ``dtype``.
    """
    if not has_parts(value):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and as_dtype(dtype) is not value.dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with "
            f"dtype {value.dtype.name}: {value}"
        )
    return value


def convert_n_to_tensor_or_indexed_slices(
    values: Any, dtype: Any = None, name: str | None = None
) -> list[Any]:
    """``convert_to_tensor_or_indexed_slices`` of each of ``values`` that is not None."""
    if not isinstance(values, Iterable):
        raise TypeError("values must be iterable.")
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(value, dtype, name and f"{name}_{i}")
        for i, value in enumerate(values)
    ]


class IndexedSlicesSpec:
    """What is known of IndexedSlices before there are any.

    Args:
        shape: of the whole.
        dtype: of the values.
        indices_dtype: int32 or int64.
        dense_shape_dtype: int32, int64, or None if there is no dense_shape.
        indices_shape: ``[n]``, which says how many slices there are.

    >>> IndexedSlicesSpec([4, 2]).shape
    TensorShape([Dimension(4), Dimension(2)])
    """

    value_type = IndexedSlices

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ):
        self.shape = as_shape(shape)
        self.dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = (
            None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        )
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether IndexedSlices, or what another spec describes, can be of this kind."""
        is_value = isinstance(spec_or_value, IndexedSlices)
        other = _spec_of(spec_or_value) if is_value else spec_or_value
        return (
            isinstance(other, IndexedSlicesSpec)
            and self._dtypes() == other._dtypes()
            and self.shape.is_compatible_with(other.shape)
            and self._indices_shape.is_compatible_with(other._indices_shape)
        )

    def _dtypes(self) -> tuple[Any, ...]:
        return self.dtype, self._indices_dtype, self._dense_shape_dtype

    def _key(self) -> tuple[Any, ...]:
        return (*self._dtypes(), str(self.shape), str(self._indices_shape))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"IndexedSlicesSpec({self.shape!r}, {self.dtype!r}, "
            f"{self._indices_dtype!r}, {self._dense_shape_dtype!r}, "
            f"{self._indices_shape!r})"
        )


def _spec_of(slices: IndexedSlices) -> IndexedSlicesSpec:
    shape = slices.dense_shape
    return IndexedSlicesSpec(
        slices.shape,
        slices.dtype,
        slices.indices.dtype,
        None if shape is None else shape.dtype,
        slices.indices.shape.merge_with(slices.values.shape[:1]),
    )
