"""How objects of a program's own classes become tensors.

Compare: tensorflow/python/framework/ops.py, register_tensor_conversion_function. Read
next: ``constant_op.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.framework.tensor import Tensor

# (priority, classes, function), in the order in which they are tried.
registered: list[tuple[int, tuple[type, ...], Callable[..., Any]]] = []

_CONSTANTS = (bool, int, float, np.ndarray, np.generic)
# Lists become constants before a function of this priority is tried.
_PRIORITY_OF_LISTS = 100


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers ``conversion_func`` for the objects of a class.

    ``conversion_func(value, dtype=None, name=None, as_ref=False)`` returns a tensor, or
    ``NotImplemented``. Then the next function is tried.

    Args:
        base_type: a class, or a tuple of classes; not Python's numbers or NumPy's arrays.
        conversion_func: see above. ``as_ref`` is always False.
        priority: convert_to_tensor tries functions of smaller numbers first, and
            functions of one number in the order of registration.

    Raises:
        TypeError: the arguments are no classes, or cannot be called, or the class is one
            that minitf converts itself.

    >>> import minitf as tf
    >>> class Celsius:
    ...     degrees = 20.0
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype, name, as_ref: tf.constant(value.degrees, dtype)
    ... )
    >>> with tf.Session() as session:
    ...     float(session.run(tf.add(Celsius(), 1.5)))
    21.5
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not classes or not all(isinstance(item, type) for item in classes):
        raise TypeError(
            "register_tensor_conversion_function: base_type must be a type or a tuple of "
            f"types, got {base_type!r}"
        )
    if any(issubclass(item, _CONSTANTS) for item in classes):
        raise TypeError(
            "register_tensor_conversion_function: cannot register conversions for Python "
            f"numeric types and NumPy scalars and arrays, got {base_type!r}"
        )
    if not callable(conversion_func):
        raise TypeError(
            "register_tensor_conversion_function: conversion_func must be callable, got "
            f"{conversion_func!r}"
        )
    registered.append((int(priority), classes, conversion_func))
    registered.sort(key=lambda entry: entry[0])


def convert(value: Any, dtype: Any, name: str | None) -> Any:
    """Returns the tensor that a registered function makes of a value, or None."""
    is_list = isinstance(value, (list, tuple))
    for priority, classes, function in registered:
        if is_list and priority >= _PRIORITY_OF_LISTS:
            return None
        if isinstance(value, classes):
            result = function(value, dtype=dtype, name=name, as_ref=False)
            if result is not NotImplemented:
                return _checked(result, value, dtype, function)
    return None


def _checked(result: Any, value: Any, dtype: Any, function: Callable[..., Any]) -> Any:
    """``result``, if it is a tensor of the type that is wanted."""
    wanted = "a tensor" if dtype is None else f"a tensor of type {dtype.name}"
    if not isinstance(result, Tensor) or dtype not in (None, result.dtype):
        raise RuntimeError(
            f"Conversion function {function!r} for type {type(value)} returned "
            f"{result!r}; expected {wanted}"
        )
    return result
