"""The operators of tensors: ``+``, ``@``, ``<``, ``[]`` and the others.

In a graph an operator makes a node; two eager tensors take the shortest way to the
kernel.

Compare: tensorflow/python/ops/math_ops.py, _OverrideBinaryOperatorHelper. Read next:
``array_ops.py``.
"""

from collections.abc import Callable
from typing import Any

from minitf import _minitf
from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import string
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor, is_tensor
from minitf.ops.math_ops import abs as absolute
from minitf.ops.math_ops import logical_xor, matmul, truediv
from minitf.ops.slicing import get_item

_execute_plain = _minitf.execute_plain
_executing_eagerly = context.executing_eagerly


def _operator(op_type: str, name: str) -> Callable[[Any, Any], Any]:
    """The method ``x op y``. Two eager tensors take the shortest way.

    One of them is a tensor, and the other one gets its type: also x, in ``2.0 * y``.
    """

    def method(x: Any, y: Any) -> Any:
        if _executing_eagerly():
            result = _execute_plain(op_type, x, y)
            if result is not None:
                return result
        if isinstance(y, SparseTensor):
            return NotImplemented  # so that Python calls the operator of y
        attrs = None if isinstance(x, Tensor) else {"T": y.dtype}
        return call(op_type, [x, y], attrs, name)

    return method


def _add(x: Any, y: Any) -> Any:
    known = x if isinstance(x, Tensor) else y
    # AddV2 may change the order of its inputs, and so has no strings.
    return (_add_strings if known.dtype is string else _add_numbers)(x, y)


_add_numbers = _operator("AddV2", "add")
_add_strings = _operator("Add", "add")


def _function_operator(function: Callable, name: str) -> Callable[[Any, Any], Any]:
    def method(x: Any, y: Any) -> Any:
        if isinstance(x, Tensor):
            return function(x, y, name=name)
        with name_scope(None, name, [x, y]) as scope:
            return function(convert_to_tensor(x, y.dtype, "x"), y, name=scope)

    return method


def _swapped(method: Callable) -> Callable[[Any, Any], Any]:
    return lambda x, y: method(y, x)


def _logic(boolean: str, bits: str, name: str) -> Callable[[Any, Any], Any]:
    def method(x: Any, y: Any) -> Any:
        known = x if isinstance(x, Tensor) else y
        if known.dtype.is_bool:
            return call(boolean, [x, y], None, name)
        return _of_bits(bits, x, y, name)

    return method


def _of_bits(op_type: str, x: Any, y: Any, name: str) -> Tensor:
    """``op_type`` of integers, in a scope that has the name of the operator."""
    known = x if isinstance(x, Tensor) else y
    if not known.dtype.is_integer:
        return call(op_type, [x, y], None, name)  # which says what it takes
    with name_scope(name):
        inputs = [
            item if is_tensor(item) else convert_to_tensor(item, known.dtype, side)
            for item, side in ((x, "x"), (y, "y"))
        ]
        return call(op_type, inputs)


def _invert(x: Any) -> Any:
    return call("LogicalNot" if x.dtype.is_bool else "Invert", [x])


def _xor(x: Any, y: Any) -> Any:
    known = x if isinstance(x, Tensor) else y
    if known.dtype.is_bool:
        return logical_xor(x, y, "xor")
    return _of_bits("BitwiseXor", x, y, "xor")


OPERATORS: dict[str, Callable] = {
    "add": _add,
    "sub": _operator("Sub", "sub"),
    "mul": _operator("Mul", "mul"),
    "truediv": _function_operator(truediv, "truediv"),
    "floordiv": _operator("FloorDiv", "floordiv"),
    "mod": _operator("FloorMod", "mod"),
    "pow": _operator("Pow", "pow"),
    "matmul": _function_operator(matmul, "matmul"),
    "and": _logic("LogicalAnd", "BitwiseAnd", "and"),
    "or": _logic("LogicalOr", "BitwiseOr", "or"),
    "xor": _xor,
}
COMPARISONS: dict[str, Callable] = {
    "lt": _operator("Less", "Less"),
    "le": _operator("LessEqual", "LessEqual"),
    "gt": _operator("Greater", "Greater"),
    "ge": _operator("GreaterEqual", "GreaterEqual"),
}


def methods() -> dict[str, Callable]:
    """Python's name of every operator, and the function of a tensor that it is."""
    methods = {f"__{name}__": method for name, method in OPERATORS.items()}
    methods |= {f"__r{name}__": _swapped(method) for name, method in OPERATORS.items()}
    methods |= {f"__{name}__": method for name, method in COMPARISONS.items()}
    methods["__neg__"] = lambda x: call("Neg", [x])
    methods["__abs__"] = absolute
    methods["__invert__"] = _invert
    methods["__getitem__"] = get_item
    return methods


def _of_value(method: Callable) -> Callable:
    """``method``, called with the value of a variable, which is read first."""
    return lambda x, *others: method(x._as_tensor(), *others)


def give_operators(cls: type) -> None:
    """Puts ``+``, ``@``, ``<`` and so on on a class of variables."""
    for name, method in methods().items():
        setattr(cls, name, _of_value(method))


for _name, _method in methods().items():
    setattr(Tensor, _name, _method)
