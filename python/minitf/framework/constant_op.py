"""From Python values to tensors: ``tf.constant`` and ``tf.convert_to_tensor``.

A Python float becomes float32 and an int int32, as TensorFlow has it; a numpy array keeps
its element type. Arrays are copied: who changes one later changes no tensor. To borrow
memory, there is ``from_dlpack``.

Compare: tensorflow/python/framework/constant_op.py, tensor_util.py. Read next:
    ``op_def_library.py``.
"""

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.framework import conversions
from minitf.framework.dtypes import DType, as_dtype
from minitf.framework.tensor import EagerTensor, GraphTensor, Tensor
from minitf.framework.tensor_shape import Dimension, TensorShape, as_shape
from minitf.util import nest

# Makes a tensor of a list with tensors in it, by ops, which are above this module.
_pack_tensors: Callable[[Any, DType | None, str | None], Tensor]

_INT32 = np.iinfo(np.int32)
_MAX_DEPTH = 100  # of lists in lists: more than numpy has axes


def make_array(value: Any, dtype: DType | None = None) -> np.ndarray:
    """``value`` as an array with TensorFlow's element type for it, or with ``dtype``.

    Raises:
        TypeError: an element is of a kind that ``dtype`` cannot hold; in a graph,
            elements are of kinds that no tensor has, or not together.
        ValueError: None, or lists of different lengths; in eager mode, such elements.

    >>> make_array([1, 2]).dtype, make_array(2.5).dtype
    (dtype('int32'), dtype('float32'))
    """
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if dtype is not None and array.dtype.kind not in "OSU":
            return array.astype(dtype._numpy, copy=False)
        _require_texts(array, value)
        return array
    if value is None:
        raise ValueError("None values not supported.")
    value = _plain(value)
    array = _array_of(value, dtype)
    if context.executing_eagerly():
        _check_first(array, dtype, value)
    if dtype is None or isinstance(value, (list, tuple)):
        _require_texts(array, value)
    if dtype is None:
        return _with_default_type(array, value)
    _check_kind(array, dtype, value)
    if array.dtype.kind in "iu" and dtype.is_integer:
        limits = np.iinfo(dtype._numpy)
        if array.size and not (limits.min <= array.min() and array.max() <= limits.max):
            raise ValueError(f"{value!r} is out of range for {dtype.name}")
    return array.astype(dtype._numpy, copy=False)


def _first_of(value: Any) -> Any:
    """The first element of lists in lists."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return value


# The types that eager mode makes of Python's numbers without a step between.
_DIRECT = {"float16", "float32", "float64", "int32", "int64", "uint64", "complex128"}


def _check_first(array: np.ndarray, dtype: DType | None, value: Any) -> None:
    """Eager mode takes the kind of all elements from the first one.

    What comes after True must be a bool, and after a real number no complex one follows,
    unless a type is given that Python's numbers can become at once.
    """
    first = _first_of(value)
    kind = array.dtype.kind
    is_bool = isinstance(first, (bool, np.bool_))
    is_real = isinstance(first, (int, float)) and not is_bool
    is_direct = dtype is not None and dtype.name in _DIRECT and _fits(kind, dtype)
    if not is_direct and ((is_bool and kind != "b") or (is_real and kind == "c")):
        raise ValueError(
            f"Can't convert Python sequence with mixed types to Tensor: {value!r}"
        )
    if is_bool and not is_direct and dtype is not None and not dtype.is_bool:
        raise _unfit(first, dtype)


def _array_of(value: Any, dtype: DType | None) -> np.ndarray:
    first = _first_of(value)
    # NumPy's strings lose zeros at their ends, and all are as long as the longest.
    kind = object if isinstance(first, (str, bytes)) else None
    try:
        array = np.array(value, kind)
        if array.dtype.kind in "SU":
            array = np.array(value, object)
    except UnicodeDecodeError:  # NumPy takes bytes beside text for ASCII
        array = np.array(value, object)
    except ValueError:
        _refuse_ragged(value, dtype)
    if kind is object and any(isinstance(item, (list, tuple)) for item in array.flat):
        _refuse_ragged(value, dtype)
    if array.dtype.kind == "O" and _are_floats(array, dtype, first):
        return _as_floats(array, value)
    if array.dtype.kind == "f" and dtype is not None and dtype.is_integer:
        return _as_wide(array, value)
    return array


def _as_wide(array: np.ndarray, value: Any) -> np.ndarray:
    """Integers of which NumPy has made floats, since some need all bits of uint64."""
    items = np.array(value, object)
    if all(type(item) is int for item in items.flat):
        try:
            return items.astype(np.uint64)
        except OverflowError:
            raise ValueError(f"{value!r} has numbers out of range for uint64") from None
    return array


def _are_floats(array: np.ndarray, dtype: DType | None, first: Any) -> bool:
    """Whether objects are to be floats: integers of more than 64 bits among numbers."""
    if dtype is None:
        wanted = context.executing_eagerly() and isinstance(first, float)
    else:
        wanted = dtype.is_floating
    return wanted and {type(item) for item in array.flat} <= {bool, int, float}


def _as_floats(array: np.ndarray, value: Any) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{value!r} has a number that no float64 has room for") from None


def _require_texts(array: np.ndarray, value: Any) -> None:
    """Refuses an array of objects, unless all of them are text or bytes."""
    if array.dtype.kind != "O":
        return
    items = array.reshape(-1)
    if all(isinstance(item, (str, bytes)) for item in items):
        return
    kinds = ", ".join(sorted({type(item).__name__ for item in items}))
    error = ValueError if context.executing_eagerly() else TypeError
    raise error(f"no tensor can be made of {value!r}, of {kinds}")


def _refuse_ragged(value: Any, dtype: DType | None) -> None:
    # A graph looks at the kinds of the elements first.
    if dtype is not None and not context.executing_eagerly():
        for item in nest.flatten(value):
            _check_kind(np.asarray(item), dtype, value)
    raise ValueError(
        f"Argument must be a dense tensor: {value!r} - its parts have different lengths."
    ) from None


def _require_shallow(depth: int) -> None:
    """Refuses lists that contain themselves, and others without an end in sight."""
    if depth > _MAX_DEPTH:
        raise ValueError(
            f"lists are nested more than {_MAX_DEPTH} deep; no tensor has so many axes"
        )


def _plain(value: Any, depth: int = 0) -> Any:
    """``value`` with shapes as lists and sizes as integers."""
    _require_shallow(depth)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape to a Tensor: {value}"
            )
        return value.as_list()
    if isinstance(value, Dimension):
        if value.value is None:
            raise ValueError("Cannot convert an unknown Dimension to a Tensor: ?")
        return value.value
    if isinstance(value, (list, tuple)) and any(
        isinstance(item, (Dimension, TensorShape, list, tuple)) for item in value
    ):
        return [_plain(item, depth + 1) for item in value]
    return value


def _with_default_type(array: np.ndarray, value: Any) -> np.ndarray:
    """``array``, made of ``value``, in the type that TensorFlow has for it.

    Numbers of Python have 32 bits, unless integers need 64. In a graph that goes for
    NumPy's numbers in lists, too, and a list that begins with an array has its type. In
    eager mode the first element says which kind of floats all are, and integers are as
    Python's.
    """
    if hasattr(value, "__array__"):
        return array
    first = _first_of(value)
    if not context.executing_eagerly():
        if getattr(first, "ndim", 0):
            return array
    elif array.dtype.kind == "c":
        return array.astype(np.complex128)
    elif array.dtype.kind == "f":
        kind = first.dtype.type if isinstance(first, np.ndarray) else type(first)
        kept = {np.float16, np.float64}
        return array.astype(kind if kind in kept else np.float32, copy=False)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    is_small = array.dtype.kind in "iu" and array.dtype.itemsize < 8
    if array.dtype == np.int64 or (is_small and context.executing_eagerly()):
        fits = array.size == 0 or (
            _INT32.min <= array.min() and array.max() <= _INT32.max
        )
        return array.astype(np.int32 if fits else np.int64)
    return array


def _fits(kind: str, dtype: DType) -> bool:
    """Whether an array of NumPy's ``kind`` becomes ``dtype`` without being asked to."""
    if dtype.is_floating:
        return kind in "fiub"
    if dtype.is_complex:
        return kind in "fiucb"
    if dtype.is_integer:
        return kind in "iub"
    return kind == "b" if dtype.is_bool else kind in "SUO"


def _check_kind(array: np.ndarray, dtype: DType, value: Any) -> None:
    if array.size == 0 or _fits(array.dtype.kind, dtype):
        return
    first = array.flat[0]
    shown = first.item() if isinstance(first, np.generic) else first
    raise _unfit(shown, dtype)


def _unfit(item: Any, dtype: DType) -> TypeError:
    kind = type(item).__name__
    return TypeError(f"Expected {dtype.name}, got {item!r} of type '{kind}' instead.")


def _reshaped(array: np.ndarray, shape: Any) -> np.ndarray:
    """``array`` in ``shape``, filled up with its last element, or its only one."""
    known = as_shape(shape)
    if not known.is_fully_defined():
        raise ValueError(f"the shape of a constant must be fully known, is {known}")
    sizes = known.as_list()
    wanted = math.prod(sizes)
    if context.executing_eagerly() and array.size not in (1, wanted):
        raise TypeError(
            f"in eager mode a constant of shape {known} needs {wanted} elements or one, "
            f"{array.size} were given"
        )
    if wanted == 0:
        return np.zeros(sizes, array.dtype)
    if array.size > wanted:
        raise ValueError(
            f"Too many elements provided. Needed at most {wanted}, but "
            f"received {array.size}"
        )
    if array.size == wanted:
        return array.reshape(sizes)
    flat = array.reshape(-1)
    if array.size == 0:
        raise ValueError(f"no element was given for a constant of shape {known}")
    try:
        # Some systems lend more memory than there is, and end who uses it.
        there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if wanted * array.itemsize > there_is:
            raise MemoryError(f"{wanted} elements are more than {there_is} bytes")
        return np.pad(flat, (0, wanted - array.size), "edge").reshape(sizes)
    except (MemoryError, ValueError) as error:
        raise ValueError(f"no memory for a constant of shape {known}: {error}") from None


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor that always has the same value.

    Args:
        value: a number, a string, an array, or nested lists of those.
        dtype: the element type; that of the value if None.
        shape: the shape; that of the value if None. A shorter value is filled up with its
            last element; in eager mode one of a single element is.
        name: of the node.
        verify_shape: refuse a value of another shape.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.constant([[3.0, 4.0]])))
    [[3. 4.]]
    """
    if isinstance(value, EagerTensor):
        if dtype is not None and as_dtype(dtype) is not value.dtype:
            raise TypeError(
                f"Expected a tensor of dtype {as_dtype(dtype).name}, got dtype "
                f"{value.dtype.name}: use tf.cast"
            )
        value = value._shared_array()
    elif isinstance(value, Tensor):
        raise TypeError(f"tf.constant takes no graph tensor: {value}")
    array = make_array(value, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        if verify_shape and as_shape(shape) != array.shape:
            raise TypeError(
                f"Expected Tensor's shape: {as_shape(shape)}, got "
                f"{as_shape(array.shape)}."
            )
        array = _reshaped(array, shape)
    return _tensor_of_array(array, "Const" if name is None else name)


def _tensor_of_array(array: np.ndarray, name: str) -> Tensor:
    value = _minitf.tensor_of_array(array, True)
    if context.executing_eagerly():
        return value
    attrs = {"value": value, "dtype": value._dtype_number}
    return context.get_default_graph().add_node("Const", name, [], attrs).outputs[0]


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Tensor:
    """``value`` as a tensor: itself if it is one, the value of a variable, or a constant.

    Args:
        value: anything that a tensor can be made of.
        dtype: the element type that it must have.
        name: of the node, if one is made.
        preferred_dtype: the element type to try first; another will do.
        dtype_hint: the same.

    Raises:
        ValueError: ``value`` is a tensor of another type than ``dtype``.
        TypeError: it cannot be a tensor of that type.
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        return _checked(value, dtype, name)
    if hasattr(value, "_as_tensor"):
        return _checked(value._as_tensor(), dtype, name)

    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    if dtype is None and preferred is not None:
        try:
            return convert_to_tensor(value, preferred, name)
        except (TypeError, ValueError):
            pass
    if conversions.registered:
        converted = conversions.convert(value, dtype, name)
        if converted is not None:
            return _checked(converted, dtype, name)
    if isinstance(value, (list, tuple)) and contains_tensor(value):
        return _pack_tensors(value, dtype, name)
    if context.executing_eagerly():
        if dtype is not None and isinstance(value, (int, float)):
            made = _minitf.tensor_of_number(value, dtype.as_datatype_enum)
            if made is not None:
                return made
        if hasattr(value, "__dlpack__") and not isinstance(
            value, (np.ndarray, np.generic)
        ):
            return _checked(from_dlpack(value, copy=True), dtype, name)
    return _tensor_of_array(make_array(value, dtype), name or "Const")


def set_packing(function: Callable[[Any, DType | None, str | None], Tensor]) -> None:
    """``function`` makes one tensor of a list that has tensors in it."""
    global _pack_tensors
    _pack_tensors = function


def _checked(tensor: Tensor, dtype: DType | None, name: str | None) -> Tensor:
    if dtype is not None and tensor.dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with "
            f"dtype {tensor.dtype.name}: {tensor!r}"
        )
    if context.executing_eagerly() == isinstance(tensor, EagerTensor):
        return tensor
    if isinstance(tensor, EagerTensor):
        return _tensor_of_array(np.asarray(tensor), name or "Const")
    raise TypeError(
        f"{tensor} belongs to a graph and has no value; eager mode needs one."
    )


def contains_tensor(value: Any, depth: int = 0) -> bool:
    """Whether there is a tensor or a variable in a list, at any depth."""
    _require_shallow(depth)
    return any(
        contains_tensor(item, depth + 1)
        if isinstance(item, (list, tuple))
        else isinstance(item, GraphTensor | EagerTensor) or hasattr(item, "_as_tensor")
        for item in value
    )


def from_dlpack(source: Any, copy: bool | None = None) -> EagerTensor:
    """An eager tensor on the memory of ``source``, or on a copy.

    Who changes borrowed memory changes the tensor, and what gradients make of it.

    Args:
        source: a DLPack capsule, or an object with ``__dlpack__``, such as an array of
            another library.
        copy: True for a copy, False for none; if None, there is one only if the elements
            do not lie in row-major order.

    Raises:
        errors.InvalidArgumentError: a copy is needed and ``copy`` is False, or the memory
            is not that of the host.
        TypeError: ``source`` is neither, or ``copy`` no bool.

    >>> from_dlpack(np.arange(3.0)).numpy()
    array([0., 1., 2.])
    """
    if copy is not None and not isinstance(copy, (bool, np.bool_)):
        raise TypeError(f"from_dlpack: copy must be a bool or None, got {copy!r}")
    capsule = source.__dlpack__() if hasattr(source, "__dlpack__") else source
    return _minitf.from_dlpack(capsule, copy)


def constant_value(tensor: Any, partial: bool = False) -> np.ndarray | None:
    """The value of ``tensor`` as an array, if it is known without running; else None.

    With ``partial``, a stack of which only some elements are known is an array of
    objects, with None for the others.

    >>> import minitf as tf
    >>> with tf.Graph().as_default():
    ...     print(constant_value(tf.constant(3) ))
    3
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if not isinstance(tensor, GraphTensor):
        return tensor
    value = tensor.graph._core.constant_value(tensor._handle)
    if value is not None:
        return value.numpy()
    if not partial or tensor.op.type != "Pack" or tensor.op.get_attr("axis") != 0:
        return None
    parts = [constant_value(part, partial=True) for part in tensor.op.inputs]
    is_whole = tensor.shape.ndims == 1 or all(part is not None for part in parts)
    return np.array(parts, object) if is_whole else None


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that ``tensor``, a list of sizes, describes, as far as known."""
    if isinstance(tensor, GraphTensor):
        return TensorShape(tensor.graph._core.constant_value_as_shape(tensor._handle))
    return TensorShape([int(size) for size in np.asarray(tensor)])
