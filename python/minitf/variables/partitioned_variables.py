"""Variables that are cut into parts along one axis, and what says into how many.

A partitioner is a function of a shape and a type; it returns a number of parts for each
axis, all but one of them 1. ``get_variable("v", ..., partitioner=...)`` makes the
variables "v/part_0", "v/part_1" and so on, which may lie on several devices, and returns
a PartitionedVariable, whose value is theirs joined.

Compare: tensorflow/python/ops/partitioned_variables.py, variables.py. Read next:
``shared_variables.py``.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import DType, as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, as_shape
from minitf.ops import array_ops


class Part:
    """Which part of a whole a variable is; initializers get it as ``partition_info``.

    Attributes:
        full_shape: of the whole.
        var_offset: where the part begins, on each axis.
        var_shape: of the part.
        full_name: of the whole; empty while the part is being made.
    """

    def __init__(
        self,
        full_shape: list[int],
        var_offset: list[int],
        var_shape: list[int],
        full_name: str = "",
    ):
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    def named(self, full_name: str) -> "Part":
        """The same part of a whole with that name."""
        return Part(self.full_shape, self.var_offset, self.var_shape, full_name)

    def slice_of(self, whole: Tensor) -> Tensor:
        """The part of the tensor ``whole``."""
        return call("Slice", [whole, self.var_offset, self.var_shape])

    @property
    def spec(self) -> str:
        """The part in the form of a checkpoint: the sizes, then begin and length."""
        sizes = "".join(f"{size} " for size in self.full_shape)
        parts = zip(self.var_offset, self.var_shape, strict=True)
        return sizes + ":".join(f"{begin},{length}" for begin, length in parts)


def partitions_of(
    name: str, partitioner: Any, shape: TensorShape, dtype: DType
) -> list[int]:
    """What ``partitioner`` says for the variable ``name``, checked.

    Raises:
        ValueError: the shape is not known, or the partitioner does not make sense of it.
    """
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable ({name}) must be fully defined, but "
            f"instead was {shape}."
        )
    if shape.ndims < 1:
        raise ValueError(
            f"A partitioned Variable must have rank at least 1, shape: {shape} ({name})"
        )
    partitions = partitioner(shape=shape, dtype=dtype)
    if not isinstance(partitions, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
    if len(partitions) != shape.ndims:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's "
            f"rank: {partitions} vs. {shape}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(
            f"Partitioner returned zero partitions for some axes: {partitions}"
        )
    if sum(count > 1 for count in partitions) > 1:
        raise ValueError(
            "Can only slice a variable along one dimension: shape: "
            f"{shape}, partitioning: {partitions}"
        )
    return list(partitions)


def _axis_of(partitions: list[int]) -> int:
    """The axis that is cut; 0 if none is."""
    return max(range(len(partitions)), key=lambda axis: (partitions[axis], -axis))


def cut(sizes: list[int], partitions: list[int]) -> Iterator[Part]:
    """The parts, the longer ones first."""
    axis = _axis_of(partitions)
    length, longer = divmod(sizes[axis], partitions[axis])
    begin = 0
    for i in range(partitions[axis]):
        offset, shape = [0] * len(sizes), list(sizes)
        offset[axis], shape[axis] = begin, length + (i < longer)
        begin += shape[axis]
        yield Part(sizes, offset, shape)


class PartitionedVariable:
    """Variables that together are one; as a value, they are joined.

    Attributes:
        partitions: how many parts there are on each axis.
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        variable_list: list[Any],
        partitions: list[int],
    ):
        self._name = name
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._parts = sorted(
            variable_list, key=lambda part: part._save_slice_info.var_offset
        )
        self.partitions = partitions

    @property
    def name(self) -> str:
        """The name of the whole, such as ``"v"``."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    @property
    def graph(self) -> Any:
        """The graph of the parts; None in eager mode."""
        return self._parts[0].graph

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def as_tensor(self) -> Tensor:
        """The value of the whole."""
        with context.init_scope():
            if len(self._parts) == 1:
                joined = self._parts[0].value()
            else:
                with name_scope(f"{self._name}/ConcatPartitions/"):
                    joined = array_ops.concat(
                        list(self._parts), _axis_of(self.partitions)
                    )
            with name_scope(None):
                return array_ops.identity(joined, name=self._name)

    def _feed_parts(self, value: Any) -> tuple[list[Any], list[Any]]:
        """Returns the handles of the parts, and the slices of ``value`` for them."""
        array = np.asarray(value)
        if not self._shape.is_compatible_with(array.shape):
            raise ValueError(
                f"Cannot feed value of shape {as_shape(array.shape)} for "
                f"PartitionedVariable '{self._name}', which has shape '{self._shape}'"
            )
        axis = _axis_of(self.partitions)
        begins = [part._save_slice_info.var_offset[axis] for part in self._parts]
        handles = [part.handle for part in self._parts]
        return handles, np.split(array, begins[1:], axis)

    _as_tensor = as_tensor
    _as_graph_element = as_tensor

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Sets all parts from a tensor of the whole's shape; returns what each gives."""
        return self._assign_parts("assign", value, use_locking, name, read_value)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Adds to all parts; returns as ``assign`` does."""
        return self._assign_parts("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtracts from all parts; returns as ``assign`` does."""
        return self._assign_parts("assign_sub", value, use_locking, name, read_value)

    def _assign_parts(self, method: str, value: Any, *options: Any) -> list[Any]:
        whole = convert_to_tensor(value, self._dtype)
        self._shape.assert_is_compatible_with(whole.shape)
        return [
            getattr(part, method)(part._save_slice_info.slice_of(whole), *options)
            for part in self._parts
        ]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return (
            f"<PartitionedVariable '{self._name}' shape={self._shape} "
            f"dtype={self._dtype.name} partitions={self.partitions}>"
        )


# ---- Partitioners ----------------------------------------------------------------------


def _on_axis(shape: TensorShape, axis: int, count: int) -> list[int]:
    """``count`` parts on one axis."""
    partitions = [1] * shape.ndims
    if not -shape.ndims <= axis < shape.ndims:
        raise ValueError(
            f"Cannot partition variable along axis {axis} when shape is only {shape}"
        )
    partitions[axis] = count
    return partitions


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A partitioner that makes ``num_shards`` parts, or as many as the axis is long.

    >>> fixed_size_partitioner(3)(TensorShape([10, 2]), dtypes.float32)
    [3, 1]
    """

    def partitioner(shape: TensorShape, dtype: Any = None) -> list[int]:
        del dtype  # parts are counted, not measured
        _on_axis(shape, axis, 1)  # refuses an axis that is not there
        return _on_axis(shape, axis, min(num_shards, shape.as_list()[axis]))

    return partitioner


def _bytes_of(dtype: Any, bytes_per_string_element: int) -> int:
    dtype = as_dtype(dtype)
    return bytes_per_string_element if dtype is dtypes.string else dtype.size


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Callable[..., list[int]]:
    """A partitioner that keeps parts below a size, if slices of the axis are.

    Args:
        max_shard_bytes: the size.
        axis: which axis is cut.
        bytes_per_string_element: what a string counts.
        max_shards: how many parts there are at most.

    Raises:
        ValueError: a size or a number is less than 1.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive, are "
            f"{max_shard_bytes} and {bytes_per_string_element}"
        )
    if max_shards is not None and max_shards < 1:
        raise ValueError(f"max_shards must be positive, is {max_shards}")

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape) or not shape.is_fully_defined():
            raise ValueError(f"shape is not a fully defined TensorShape: {shape}")
        if not isinstance(dtype, DType):
            raise ValueError(f"dtype is not a DType: {dtype}")
        length = shape.as_list()[axis]
        slice_bytes = (
            shape.num_elements() / length * _bytes_of(dtype, bytes_per_string_element)
        )
        slices = max(1, math.floor(max_shard_bytes / slice_bytes))
        count = math.ceil(length / slices)
        return _on_axis(shape, axis, min(count, max_shards or count))

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Callable[..., list[int]]:
    """A partitioner that makes as many parts as there are, none below a size in bytes.

    Args:
        max_partitions: how many parts there are at most.
        axis: which axis is cut.
        min_slice_size: how large a part is at least.
        bytes_per_string_element: what a string counts.
    """

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        _on_axis(shape, axis, 1)  # refuses an axis that is not there
        size = shape.num_elements() * _bytes_of(dtype, bytes_per_string_element)
        most = min(shape.as_list()[axis], max_partitions)
        return _on_axis(shape, axis, max(1, min(most, math.ceil(size / min_slice_size))))

    return partitioner
