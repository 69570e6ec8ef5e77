"""Element types: ``tf.float32`` and the others.

The table of types is that of C++ (``minitf/tensor/dtype.h``); here each gets a Python
object, and there is exactly one object for each type, so that ``is`` compares them.

Compare: tensorflow/python/framework/dtypes.py. Read next: ``tensor_shape.py``.
"""

import builtins
from typing import Any

import numpy as np

from minitf import _minitf

__all__ = ["DType", "as_dtype"]

_FLOATING = ("float16", "float32", "float64", "bfloat16")
_COMPLEX = ("complex64", "complex128")
_BFLOAT16_MAX = (2 - 2.0**-7) * 2.0**127
_OBJECTS = 8  # bytes of a reference to a Python object, which NumPy has for strings


class DType:
    """The type of the elements of a tensor.

    Attributes:
        name: such as ``"float32"``.
        as_datatype_enum: TensorFlow's number of the type.
        size: bytes of one element.
        as_numpy_dtype: the numpy type, such as ``numpy.float32``; None for ``resource``.

    >>> import minitf as tf
    >>> tf.float32
    tf.float32
    >>> tf.int32.max
    2147483647
    """

    __slots__ = ("_numpy", "as_datatype_enum", "as_numpy_dtype", "name", "size")

    def __init__(self, number: int, name: str, size: int, numpy_dtype: np.dtype | None):
        self.as_datatype_enum = number
        self.name = name
        self.size = {"string": _OBJECTS, "resource": 1}.get(name, size)
        self._numpy = numpy_dtype
        self.as_numpy_dtype = None if numpy_dtype is None else numpy_dtype.type
        if name == "string":
            self.as_numpy_dtype = object

    @property
    def base_dtype(self) -> "DType":
        """This type: minitf has no types of references."""
        return self

    @property
    def real_dtype(self) -> "DType":
        """The type of the real part of a complex number."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_floating(self) -> bool:
        """Whether elements are real floating-point numbers."""
        return self.name in _FLOATING

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self.name in _COMPLEX

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers; bool is not one."""
        return "int" in self.name

    @property
    def is_unsigned(self) -> bool:
        """Whether elements are integers of at least 0."""
        return self.name.startswith("uint")

    @property
    def is_bool(self) -> bool:
        """Whether elements are True or False."""
        return self.name == "bool"

    @property
    def is_quantized(self) -> bool:
        """False: minitf has no types of quantized numbers."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether numpy has arrays of this type."""
        return self._numpy is not None

    @property
    def min(self) -> Any:
        """The smallest number of the type."""
        if self.name == "bfloat16":
            return _bfloat16(-_BFLOAT16_MAX)
        return self._range("smallest").min

    @property
    def max(self) -> Any:
        """The largest number of the type."""
        if self.name == "bfloat16":
            return _bfloat16(_BFLOAT16_MAX)
        return self._range("largest").max

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensities of a picture of this type, from black to white.

        >>> import minitf as tf
        >>> tf.uint8.limits, tf.float32.limits
        ((0, 255), (0, 1))
        """
        if self.is_bool:
            return 0, True
        if self.is_integer:
            return 0, self.max
        if self in (float32, float64):
            return 0, 1
        raise ValueError(f"{self} does not have defined limits.")

    def _range(self, which: str) -> np.iinfo | np.finfo:
        if self.is_integer:
            return np.iinfo(self._numpy)
        if not self.is_floating:
            raise TypeError(f"{self!r} has no {which} number")
        return np.finfo(self._numpy)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether ``other`` can stand where this type is wanted."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return id(self)

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple:
        return as_dtype, (self.name,)


BY_NUMBER: dict[int, DType] = {}
_lookup: dict[Any, DType] = {}

for _row in _minitf.all_dtypes():
    _dtype = DType(*_row)
    BY_NUMBER[_dtype.as_datatype_enum] = _dtype
    _lookup[_dtype] = _lookup[_dtype.name] = _lookup[_dtype.as_datatype_enum] = _dtype
    if _dtype._numpy is not None and _dtype.name not in ("string", "bfloat16"):
        _lookup[_dtype._numpy] = _lookup[_dtype._numpy.type] = _dtype
    globals()[_dtype.name] = _dtype
    __all__ += [_dtype.name]

float32 = _lookup["float32"]
float64 = _lookup["float64"]
int32 = _lookup["int32"]
int64 = _lookup["int64"]
string = _lookup["string"]
resource = _lookup["resource"]
half = _lookup["half"] = _lookup["float16"]
double = _lookup["double"] = float64
_lookup.update({"float": float32, float: float32})
bool_ = _lookup[builtins.bool] = _lookup["bool"]
for _text in (object, np.str_, np.bytes_, np.object_):
    _lookup[_text] = string
_bfloat16 = float
if _lookup["bfloat16"].as_numpy_dtype is not np.uint16:
    _bfloat16 = _lookup["bfloat16"].as_numpy_dtype
    _lookup[_lookup["bfloat16"]._numpy] = _lookup["bfloat16"]
    _lookup[_lookup["bfloat16"].as_numpy_dtype] = _lookup["bfloat16"]
__all__ += ["double", "half"]


def require_allowed(what: str, dtype: DType, allowed: Any, where: str = "") -> None:
    """Raises TypeError unless ``dtype``, that of ``what``, is one of ``allowed``."""
    if dtype not in allowed:
        names = ", ".join(sorted(known.name for known in allowed))
        raise TypeError(
            f"{what} has DataType {dtype.name} not in list of allowed values: "
            f"{names}{where}"
        )


def _numpy_dtype_of(value: Any) -> np.dtype | None:
    """NumPy's type that ``value`` is, or that it has."""
    if not isinstance(value, type):
        value = getattr(value, "dtype", value)
    is_class = isinstance(value, type) and issubclass(value, np.generic)
    return np.dtype(value) if is_class or isinstance(value, np.dtype) else None


def as_dtype(type_value: Any) -> DType:
    """The DType that ``type_value`` stands for.

    Args:
        type_value: a DType, its name or number, a numpy type, ``float`` or ``bool``, or
            what has a type.

    Raises:
        TypeError: it stands for none, as ``int``, which may be int32 or int64.

    >>> as_dtype("float"), as_dtype(np.int32), as_dtype(np.dtype("uint8"))
    (tf.float32, tf.int32, tf.uint8)
    """
    try:
        found = _lookup.get(type_value)
    except TypeError:
        found = None
    if found is not None:
        return found
    numpy_dtype = _numpy_dtype_of(type_value)
    if numpy_dtype is not None:
        if numpy_dtype.kind in "SUO":
            return string
        found = _lookup.get(numpy_dtype.newbyteorder("="))
        if found is not None:
            return found
    raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")


def __dir__() -> list[str]:
    return __all__
