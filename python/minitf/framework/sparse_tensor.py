"""``tf.SparseTensor``: a tensor of which only some elements are listed.

Three tensors: ``indices`` ``[n, rank]`` has the place of each element that is listed,
``values`` ``[n]`` the elements, ``dense_shape`` ``[rank]`` the sizes. All others are 0,
or empty. What a step gives for one is a SparseTensorValue of three arrays, which can also
be fed.

Compare: tensorflow/python/framework/sparse_tensor.py.
Read next: ``data_flow/parsing_ops.py``.
"""

from collections import namedtuple
from typing import Any

from minitf.framework import dtypes
from minitf.framework.composite_tensor import parts_of
from minitf.framework.constant_op import constant_value_as_shape, convert_to_tensor
from minitf.framework.default_session import session_for
from minitf.framework.dtypes import DType
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape, unknown_shape

SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class SparseTensor:
    """A tensor of which only some elements are listed.

    Args:
        indices: int64 ``[n, rank]``, sorted row by row.
        values: ``[n]``, of any type.
        dense_shape: int64 ``[rank]``.

    >>> import minitf as tf
    >>> x = tf.SparseTensor(indices=[[0, 1]], values=[5], dense_shape=[2, 2])
    >>> with tf.Session() as session:
    ...     session.run(x).indices.tolist()
    [[0, 1]]
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self.indices = convert_to_tensor(indices, dtypes.int64, "indices")
            self.values = convert_to_tensor(values, name="values")
            self.dense_shape = convert_to_tensor(dense_shape, dtypes.int64, "dense_shape")
        places = self.indices.shape.with_rank(2)
        self.values.shape.with_rank(1).merge_with(places[:1])
        self.dense_shape.shape.with_rank(1).merge_with(places[1:])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> "SparseTensor":
        """A SparseTensor of a SparseTensorValue, or of three of something."""
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    @property
    def op(self) -> Any:
        """The node that makes the values."""
        return self.values.op

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self.values.graph

    @property
    def shape(self) -> TensorShape:
        """The sizes as far as they are known."""
        of_sizes = self.dense_shape.shape
        rank = of_sizes.as_list()[0] if of_sizes.ndims else None
        return unknown_shape(rank).merge_with(constant_value_as_shape(self.dense_shape))

    def get_shape(self) -> TensorShape:
        """The sizes as far as they are known."""
        return self.shape

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Its value in a step of ``session``, or of the default one."""
        return session_for(self, "evaluate tensor", session).run(self, feed_dict)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices}, values={self.values}, "
            f"dense_shape={self.dense_shape})"
        )

    # How a step fetches and feeds it; see fetches.py.

    def _fetch_parts(self) -> tuple[Any, list[Tensor]]:
        return SparseTensorValue, [self.indices, self.values, self.dense_shape]

    def _feed_parts(self, value: Any) -> tuple[list[Tensor], list[Any]]:
        """The tensors to feed for ``value``, and what to feed for each."""
        if not isinstance(value, (list, tuple)) or len(value) not in (2, 3):
            raise TypeError(
                f"the value fed for {self} must be (indices, values, dense_shape), or "
                f"without dense_shape if that is a constant; got {value!r}"
            )
        return parts_of(self)[: len(value)], list(value)

    @staticmethod
    def _of_parts(parts: list[Any]) -> "SparseTensor":
        return SparseTensor(*parts)
