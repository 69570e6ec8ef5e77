"""Arithmetic: where TensorFlow's Python function differs from the op.

Most functions, such as ``tf.sin``, are the ops themselves (``raw_ops.py``). Here is what
chooses among ops or has another name; operators such as ``@`` are in ``operators.py``.

Compare: tensorflow/python/ops/math_ops.py. Read next: ``array_ops.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import EagerTensor, Tensor, is_tensor
from minitf.framework.tensor_shape import as_shape
from minitf.ops import array_ops
from minitf.public_names import lookup

# Ops without code here: ``math_ops.cos`` is ``tf.math.cos``.
__getattr__ = lookup("math", globals())

_execute = _minitf.execute


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements of ``x`` as numbers of type ``dtype``."""
    dtype = dtypes.as_dtype(dtype)
    if hasattr(x, "_with_values"):
        return x._with_values(cast(x.values, dtype, name))
    if not isinstance(x, Tensor):
        with name_scope(name, "Cast", [x]) as scope:
            x = convert_to_tensor(x, name="x")
            return x if x.dtype is dtype else call("Cast", [x], {"DstT": dtype}, scope)
    if x.dtype is dtype:
        return x
    return call("Cast", [x], {"DstT": dtype}, name)


def _cast_to(dtype: str, default_name: str) -> Callable[..., Tensor]:
    def function(x: Any, name: str = default_name) -> Tensor:
        return cast(x, dtype, name)

    function.__name__ = function.__qualname__ = f"to_{dtype}"
    function.__doc__ = f"The elements of ``x`` as numbers of type {dtype}."
    return function


to_float = _cast_to("float32", "ToFloat")
to_double = _cast_to("float64", "ToDouble")
to_int32 = _cast_to("int32", "ToInt32")
to_int64 = _cast_to("int64", "ToInt64")


def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value of every element."""
    with name_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return call("Abs", [x], None, scope)
        return call("ComplexAbs", [x], {"Tout": x.dtype.real_dtype}, scope)


def _of_complex(op_type: str, x: Any, name: str | None) -> Tensor:
    x = convert_to_tensor(x, name="input")
    return call(op_type, [x], {"Tout": x.dtype.real_dtype}, name)


def _require_number(function: str, dtype: Any) -> None:
    if not (dtype.is_floating or dtype.is_integer or dtype.is_complex):
        raise TypeError(f"{function} takes a tensor of numbers, not one of {dtype.name}")


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of every element."""
    with name_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return _of_complex("Real", input, scope)
        _require_number("real", input.dtype)
        return input


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of every element."""
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return _of_complex("Imag", input, scope)
        return array_ops.zeros_like(input)


def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of every element, in radians: 0 or pi for a real number."""
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return _of_complex("Angle", input, scope)
        zeros = array_ops.zeros_like(input)
        return array_ops.where(input < 0, zeros + np.pi, zeros)


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate of every element; ``x`` itself if it is real."""
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return call("Conj", [x], None, scope)
        _require_number("conj", x.dtype)
        return x


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers of real and imaginary parts."""
    with name_scope(name, "Complex", [real, imag]) as scope:
        real = convert_to_tensor(real, name="real")
        imag = convert_to_tensor(imag, name="imag")
        types = (real.dtype, imag.dtype)
        if types not in _TYPES_OF_PARTS:
            raise TypeError(
                "the parts of a complex number are both float32 or both float64, not "
                f"{types[0].name} and {types[1].name}"
            )
        attrs = {"Tout": _TYPES_OF_PARTS[types]}
        return call("Complex", [real, imag], attrs, scope)


_TYPES_OF_PARTS = {
    (dtypes.float32, dtypes.float32): dtypes.complex64,
    (dtypes.float64, dtypes.float64): dtypes.complex128,
}


# ---- Division --------------------------------------------------------------------------

_FLOAT_FOR = {
    "uint8": "float32",
    "int8": "float32",
    "uint16": "float32",
    "int16": "float32",
    "int32": "float64",
    "int64": "float64",
    "uint32": "float64",
    "uint64": "float64",
}


def _with_hint(x: Any, y: Any, names: tuple[str, str] = ("x", "y")) -> list[Tensor]:
    """Both as tensors; y of the type of x where it can be of that type."""
    x = convert_to_tensor(x, name=names[0])
    return [x, convert_to_tensor(y, name=names[1], preferred_dtype=x.dtype)]


def _require_one_type(x: Tensor, y: Tensor) -> None:
    if x.dtype is not y.dtype:
        raise TypeError(
            f"x and y must have the same dtype, got {x.dtype!r} != {y.dtype!r}"
        )


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y`` as real numbers: integers are made floating-point numbers first."""
    if type(x) is EagerTensor and type(y) is EagerTensor and x.dtype.is_floating:
        _require_one_type(x, y)
        return _execute("RealDiv", (x, y), None, None)[0]
    with name_scope(name, "truediv", [x, y]) as scope:
        x, y = _with_hint(x, y)
        _require_one_type(x, y)
        if not (x.dtype.is_floating or x.dtype.is_integer or x.dtype.is_complex):
            raise TypeError(f"Invalid dtype {x.dtype!r} in __truediv__.")
        wider = _FLOAT_FOR.get(x.dtype.name)
        if wider is not None:
            x, y = cast(x, wider), cast(y, wider)
        return call("RealDiv", [x, y], None, scope)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``; of integers, the largest integer that is not above it."""
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype, "y")
        is_real = x.dtype.is_floating or x.dtype.is_complex
        return call("RealDiv" if is_real else "FloorDiv", [x, y], None, scope)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The largest integer that is not above ``x / y``."""
    return call("FloorDiv", [x, y], None, name or "floordiv")


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, as Python's operator has it."""
    if not is_tensor(x) and is_tensor(y):
        x = convert_to_tensor(x, y.dtype)
    return truediv(x, y, name)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, and 0 where y is 0."""
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        if not is_tensor(x) and is_tensor(y):
            y = convert_to_tensor(y, name="y")
            x = convert_to_tensor(x, y.dtype, "x")
        x, y = _with_hint(x, y)
        _require_one_type(x, y)
        return call("DivNoNan", [x, y], None, scope)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Whether one of x and y is true, and not both."""
    with name_scope(name, "LogicalXor", [x, y]) as scope:
        either, both = call("LogicalOr", [x, y]), call("LogicalAnd", [x, y])
        return call("LogicalAnd", [either, call("LogicalNot", [both])], None, scope)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x`` to the power y."""
    return call("Pow", [x, y], None, name)


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest integer; of two equally near, the even one."""
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else call("Round", [x], None, name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """``x``, a tensor or IndexedSlices, times a scalar."""
    scalar = convert_to_tensor(scalar, _dtype_of(x), name="scalar")
    if scalar.shape.ndims not in (None, 0):
        raise ValueError(f"Only scalar multiply works, got shape {scalar.shape}")
    if hasattr(x, "_with_values"):
        return x._with_values(call("Mul", [scalar, x.values], None, name))
    return call("Mul", [scalar, x], None, name)


def _dtype_of(x: Any) -> Any:
    return x.dtype if hasattr(x, "dtype") else None


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
    return call("Sigmoid", [x], None, name)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), element by element."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return call("Neg", [call("Softplus", [-x])], None, scope)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The product, and 0 where y is 0, even if x is not finite."""
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype, "y")
        return call("MulNoNan", [x, y], None, scope)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """X / y, and 0 where x is 0, even if y is."""
    with name_scope(name, "xdivy", [x]):
        return call("Xdivy", [x, y])


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0."""
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return call("DivNoNan", [array_ops.ones([], x.dtype), x], None, scope)


# ---- Sums of tensors, and products -----------------------------------------------------


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of all tensors of a list; they have one type and one shape."""
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(
            "inputs must be a list of at least one Tensor/IndexedSlices with "
            "the same dtype and shape"
        )
    if len(inputs) == 1:
        only = convert_to_tensor(inputs[0])
        return array_ops.identity(only, name) if name else only
    return call("AddN", [[convert_to_tensor(item) for item in inputs]], None, name)


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """As ``add_n``, of dense tensors.

    Args:
        inputs: tensors of one type and one shape.
        shape: that of the result, as far as it is known.
        tensor_dtype: that of the inputs.
        name: of the node.

    Raises:
        TypeError: the inputs do not have this type.
        ValueError: they do not have this shape.
    """
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor")
    tensors = [convert_to_tensor(item) for item in inputs]
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise ValueError(
            "inputs must be tensors of one type, they are of "
            + ", ".join(tensor.dtype.name for tensor in tensors)
        )
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not tensors[0].dtype:
        raise TypeError(
            f"tensor_dtype is {dtypes.as_dtype(tensor_dtype)!r}, but input is of type "
            f"{tensors[0].dtype!r}"
        )
    known = as_shape(shape)
    for tensor in tensors:
        known = known.merge_with(tensor.shape)
    if len(tensors) == 1 and name is None:
        return tensors[0]
    result = add_n(tensors, name or "AccumulateNV2")
    result.set_shape(known)
    return result


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices a and b, or of every pair in two equal batches of them.

    Args:
        a: ``[..., m, k]``.
        b: ``[..., k, n]``.
        transpose_a: take the transpose of a, which then is ``[..., k, m]``.
        transpose_b: the same for b.
        adjoint_a: take the transpose of the conjugate of a.
        adjoint_b: the same for b.
        a_is_sparse: accepted, and says nothing here.
        b_is_sparse: the same.
        name: of the node.

    Returns:
        ``[..., m, n]``.
    """
    del a_is_sparse, b_is_sparse
    if transpose_a and adjoint_a:
        raise ValueError("Only one of transpose_a and adjoint_a can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of transpose_b and adjoint_b can be True.")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        with name_scope(name, "MatMul", [a, b]) as scope:
            a, b = _with_hint(a, b, ("a", "b"))
            return matmul(
                a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, name=scope
            )
    rank_a, rank_b = a.shape.ndims, b.shape.ndims
    if rank_a is None or rank_a > 2 or rank_b is None or rank_b > 2:
        a = conj(a) if transpose_a else a
        b = conj(b) if transpose_b else b
        attrs = {"adj_x": transpose_a or adjoint_a, "adj_y": transpose_b or adjoint_b}
        return call("BatchMatMulV2", [a, b], attrs, name or "MatMul")
    a = conj(a) if adjoint_a else a
    b = conj(b) if adjoint_b else b
    attrs = {
        "transpose_a": transpose_a or adjoint_a,
        "transpose_b": transpose_b or adjoint_b,
    }
    return call("MatMul", [a, b], attrs, name)


# ---- Ranges, extremes ------------------------------------------------------------------


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str = "range",
) -> Tensor:
    """start, start + delta, start + 2 delta and so on, up to limit, which is left out."""
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        parts = [
            part
            if isinstance(part, Tensor)
            else convert_to_tensor(part, wanted, part_name)
            for part, part_name in zip(
                (start, limit, delta), ("start", "limit", "delta"), strict=True
            )
        ]
        if wanted is None:
            order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
            found = [part.dtype for part in parts]
            wanted = max(found, key=lambda dtype: dtype in order and order.index(dtype))
        return call("Range", [cast(part, wanted) for part in parts], None, scope)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None) -> Tensor:
    """``num`` numbers from start to stop, at equal distances."""
    return call("LinSpace", [start, stop, num], None, name)


lin_space = linspace


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element."""
    return call("Maximum", [x, y], None, name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element."""
    return call("Minimum", [x, y], None, name)


def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the largest element along ``axis``; of equal ones the first."""
    axis = _either(axis, dimension, "axis", "dimension", 0)
    return call("ArgMax", [input, axis], {"output_type": output_type}, name)


def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the smallest element along ``axis``; of equal ones the first."""
    axis = _either(axis, dimension, "axis", "dimension", 0)
    return call("ArgMin", [input, axis], {"output_type": output_type}, name)


def _either(new: Any, old: Any, new_name: str, old_name: str, default: Any = None) -> Any:
    """The one of two names of an argument that was given."""
    if old is not None and new is not None:
        raise ValueError(f"Cannot specify both '{new_name}' and '{old_name}'")
    return next((value for value in (new, old) if value is not None), default)


def cumsum(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sums of the elements up to each one along ``axis``."""
    return call("Cumsum", [x, axis], {"exclusive": exclusive, "reverse": reverse}, name)


def cumprod(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Products of the elements up to each one along ``axis``."""
    return call("Cumprod", [x, axis], {"exclusive": exclusive, "reverse": reverse}, name)


def polyval(coeffs: list[Any], x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, highest power first, at x."""
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"Argument coeffs must be list type, got {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return array_ops.zeros_like(x, name=scope)
        total, *others = (
            convert_to_tensor(coefficient, name=f"coeff_{i}")
            for i, coefficient in enumerate(coeffs)
        )
        for coefficient in others:
            total = coefficient + total * x
        return total
