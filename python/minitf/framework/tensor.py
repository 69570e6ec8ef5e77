"""``tf.Tensor``: the name of a value, in a graph; and what eager tensors share with it.

A graph tensor is output ``value_index`` of a node. It has a name, an element type and a
shape, and no value: that exists only while a session runs. So one cannot be printed,
compared or looped over as an array can; ``eval()`` runs the graph and gives an array.

The operators (``+``, ``@``, ``[]`` and so on) are put on the class by
``ops/operators.py``.

Compare: tensorflow/python/framework/ops.py, Tensor. Read next: ``graph.py``.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.framework.default_session import session_for
from minitf.framework.dtypes import BY_NUMBER, DType
from minitf.framework.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:  # a stub of the build, with the operators and all members
    from minitf._tensor_members import TensorMembers
else:
    TensorMembers = object

OUTPUT_BITS = 20  # of a handle, as in graph_bridge.h


class Tensor(TensorMembers):
    """A value that ops take and give: GraphTensor or EagerTensor."""

    __slots__ = ()
    __array_priority__ = 100  # so that array * tensor is a tensor

    def get_shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self.shape

    __hash__ = object.__hash__  # not a Python function: each step hashes its tensors

    def __eq__(self, other: object) -> bool:
        return self is other


class GraphTensor(Tensor):
    """Output ``value_index`` of the node ``op`` of a graph.

    Attributes:
        op: the Operation that makes it.
        value_index: which of its outputs it is.
    """

    __slots__ = ("__weakref__", "_dtype", "_handle", "op", "value_index")

    def __init__(self, op: Any, value_index: int):
        self.op = op
        self.value_index = value_index
        self._handle = (op._id << OUTPUT_BITS) | value_index
        self._dtype = None

    @property
    def graph(self) -> Any:
        """The Graph that holds the node."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The node's name and the number of the output: ``"MatMul:0"``."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        if self._dtype is None:
            self._dtype = BY_NUMBER[self.op.graph._core.dtype(self._handle)]
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known without running the graph."""
        return TensorShape._of(self.op.graph._core.shape(self._handle))

    @property
    def device(self) -> str:
        """The device that was asked for, as it was given; '' for none."""
        return self.op.device

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape. Raises ValueError if it cannot be true."""
        shape = as_shape(shape)
        try:
            self.op.graph._core.merge_shape(
                self._handle, None if shape.ndims is None else shape.as_list()
            )
        except ValueError:
            raise ValueError(
                f"Shapes {self.shape} and {shape} are not compatible: "
                f"the first is known of '{self.name}'"
            ) from None

    def consumers(self) -> list[Any]:
        """The Operations that have this tensor as an input."""
        graph = self.op.graph
        return [graph._operation(i) for i in graph._core.consumers(self._handle)]

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Runs what the tensor needs, in ``session`` or the default one.

        Raises:
            ValueError: there is no session.
        """
        return session_for(self, "evaluate tensor", session).run(self, feed_dict)

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"Tensor objects are only iterable when eager execution is enabled. To get "
            f"the rows of this tensor as a list, use tf.unstack: {self.name}"
        )

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for symbolic Tensors. ({self.name}) Please call "
            "`x.shape` rather than `len(x)` for shape information."
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not "
            "None:` instead of `if t:` to test if a tensor is defined, and use "
            "TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
            "value of a tensor."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."
        )

    def __str__(self) -> str:
        shape = self.shape
        shape_text = "" if shape.ndims is None else f", shape={shape}"
        device_text = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape_text}, dtype={self.dtype.name}{device_text})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


class EagerTensorBase(Tensor):
    """A value that is there: what the C type EagerTensor is derived from."""

    __slots__ = ()

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return BY_NUMBER[self._dtype_number]

    @property
    def shape(self) -> TensorShape:
        """The shape, known in full."""
        return TensorShape._of(self._sizes)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._sizes)

    @property
    def device(self) -> str:
        """Where the elements lie."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def set_shape(self, shape: Any) -> None:
        """Raises ValueError unless the tensor has that shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"EagerTensor's shape {self.shape} is not compatible with supplied shape "
                f"{as_shape(shape)}"
            )

    @property
    def name(self) -> NoReturn:
        """Raises AttributeError: only graph tensors have names."""
        raise AttributeError(
            "Tensor.name is meaningless when eager execution is enabled."
        )

    @property
    def op(self) -> NoReturn:
        """Raises AttributeError: only graph tensors are outputs of nodes."""
        raise AttributeError("Tensor.op is meaningless when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Raises AttributeError: only graph tensors belong to a graph."""
        raise AttributeError(
            "Tensor.graph is meaningless when eager execution is enabled."
        )

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> NoReturn:
        """Raises NotImplementedError: the value is there, in ``numpy()``."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what "
            "you're looking for?"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.asarray(self._shared_array())
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The tensor as a DLPack capsule, of the form that all versions can read.

        Raises:
            BufferError: it is wanted for a stream, or on another device.
        """
        del max_version  # the oldest form is within any limit
        if stream is not None or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError(
                f"the tensor is in host memory; stream {stream} and device {dl_device} "
                "cannot be served"
            )
        return _minitf.to_dlpack(self, bool(copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # host memory

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __index__(self) -> int:
        value = self.numpy()
        if isinstance(value, np.ndarray) or not self.dtype.is_integer:
            raise TypeError(
                f"only integer scalar tensors can be converted to an index, not {self!r}"
            )
        return int(value)

    def __len__(self) -> int:
        if not self._sizes:
            raise TypeError("Scalar tensor has no `len()`")
        return self._sizes[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self._sizes:
            raise TypeError("Cannot iterate over a scalar tensor")
        return (self[i] for i in range(self._sizes[0]))

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, _: dict) -> Tensor:
        return self

    def __reduce__(self) -> tuple:
        return _from_array, (np.asarray(self.numpy()),)

    def __str__(self) -> str:
        return f"tf.Tensor({self._text()}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: id={self._id}, shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={self._text(array_text)}>"
        )

    def _text(self, convert: Any = str) -> str:
        if self.dtype.as_numpy_dtype is None:
            return "<unprintable>"
        try:
            return convert(self.numpy())
        except ValueError:  # numpy has no arrays of so many axes
            return "<no array>"


def array_text(value: Any) -> str:
    """What stands behind ``numpy=`` where a tensor or a variable is shown."""
    if isinstance(value, np.generic):
        return str(value)
    text = repr(value)
    return f"\n{text}" if "\n" in text else text


def _from_array(array: np.ndarray) -> Tensor:
    return _minitf.tensor_of_array(array, True)


def is_tensor(x: Any) -> bool:
    """Whether ``x`` is a tensor or a variable.

    >>> is_tensor(3.0)
    False
    """
    return isinstance(x, Tensor) or hasattr(x, "_as_tensor")


def _make_eager_tensor_type() -> type:
    return _minitf.make_eager_tensor_type(EagerTensorBase)


EagerTensor = _make_eager_tensor_type()
executing_eagerly = context.executing_eagerly
