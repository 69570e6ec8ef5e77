"""Calling an op: from Python arguments to a node of a graph, or to a result.

A call has the same three steps in both modes:

1. arguments that are no tensors yet become tensors, of the type that the op's definition
   and the other arguments ask for: in ``tf.add(x, 1)`` the 1 gets the type of x
2. attributes are brought into the form that C++ takes
3. a node is added to the graph, or the op is run

Nothing here knows any op: all of it follows from the definitions
(``op_def_registry.py``).

Compare: tensorflow/python/framework/op_def_library.py. Read next: ``raw_ops.py``.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.framework import errors
from minitf.framework import op_def_registry as op_defs
from minitf.framework.constant_op import contains_tensor, convert_to_tensor, make_array
from minitf.framework.dtypes import DType, as_dtype, require_allowed
from minitf.framework.gradient_registry import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
)
from minitf.framework.graph import Graph, control_dependencies, name_as_string
from minitf.framework.op_def_registry import ArgDef, AttrDef, OpDef
from minitf.framework.operation import Operation
from minitf.framework.tensor import EagerTensor, GraphTensor, Tensor
from minitf.framework.tensor_shape import as_shape

__all__ = [
    "Graph",
    "NoGradient",
    "NotDifferentiable",
    "RegisterGradient",
    "call",
    "control_dependencies",
    "convert_to_tensor",
]

_execute = _minitf.execute
_executing_eagerly = context.executing_eagerly
_IN_GRAPH = (GraphTensor, Operation)
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


def call(
    op_type: str,
    inputs: list[Any] | tuple[Any, ...],
    attrs: dict[str, Any] | None = None,
    name: str | None = None,
) -> Any:
    """Calls an op.

    Args:
        op_type: such as ``"MatMul"``.
        inputs: one for each argument of the op, a list of tensors for a list.
        attrs: those that differ from their defaults; None stands for the default.
        name: of the node; the op's name if None.

    Returns:
        The output; a namedtuple of them if there are several; an Operation, or None in
        eager mode, if there is none.

    Raises:
        TypeError: an argument cannot be of the type that is needed.
        ValueError: in a graph, inputs or attributes do not fit.
        errors.OpError: in eager mode, the same; and what the kernel reports.
    """
    op = op_defs.get(op_type)
    if attrs:
        attrs = {
            key: _checked_attr(op, key, value)
            for key, value in attrs.items()
            if value is not None
        }
    if _executing_eagerly():
        return _call_eagerly(op, inputs, attrs)
    return _call_in_graph(op, inputs, attrs, name or op_type)


# ---- Attributes ------------------------------------------------------------------------


def _checked_attr(op: OpDef, name: str, value: Any) -> Any:
    try:
        return _attr_value(op, name, value)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"attribute '{name}' of {op.name}: {error}") from error


def _attr_value(op: OpDef, name: str, value: Any) -> Any:
    definition = op.attrs.get(name)
    if definition is None:
        return value
    kind = definition.kind
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "list(type)":
        return [as_dtype(item).as_datatype_enum for item in value]
    if kind == "shape":
        return _sizes(value)
    if kind == "list(shape)":
        return [_sizes(item) for item in value]
    if kind == "tensor" and not isinstance(value, EagerTensor):
        return _minitf.tensor_of_array(np.asarray(value), True)
    if kind.startswith("list(") and isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _sizes(value: Any) -> list[int | None] | None:
    shape = as_shape(value)
    return None if shape.ndims is None else shape.as_list()


# ---- Inputs ----------------------------------------------------------------------------


def _dtype_of(value: Any) -> DType | None:
    """The type of a tensor or a variable; None for what can still become any type."""
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return value.dtype
    return None


def _known_types(op: OpDef, inputs: Any, attrs: dict | None) -> dict[str, DType]:
    """The types that attributes such as T have before anything is converted.

    In a graph arguments are converted one after the other, and the first one decides:
    ``tf.pow(1.0, x)`` wants an x of float32. In eager mode tensors decide.
    """
    known: dict[str, DType] = {}
    for name, value in (attrs or {}).items():
        if name in op.attrs and op.attrs[name].kind == "type":
            known[name] = as_dtype(value)
    if not _executing_eagerly():
        return known
    for arg, value in zip(op.inputs, inputs, strict=False):
        if arg.type_attr and arg.type_attr not in known:
            is_list = arg.number_attr and isinstance(value, (list, tuple))
            dtype = first_dtype(value if is_list else [value])
            if dtype is not None:
                known[arg.type_attr] = dtype
    return known


def first_dtype(values: Any) -> DType | None:
    """The type of the first tensor among ``values``."""
    return next((dtype for dtype in map(_dtype_of, values) if dtype is not None), None)


def _convert(op: OpDef, arg: ArgDef, value: Any, known: dict, name: str) -> Tensor:
    """``value`` as the tensor that stands for ``arg``; notes its type in ``known``."""
    wanted = arg.dtype if not arg.type_attr else known.get(arg.type_attr)
    actual = _dtype_of(value)
    if wanted is not None and actual is not None and actual is not wanted:
        _refuse_type(op, arg, actual, wanted)
    if wanted is None and actual is None and arg.type_attr in op.attrs:
        value, preferred = _with_own_type(value, op.attrs[arg.type_attr])
        tensor = convert_to_tensor(value, name=name, preferred_dtype=preferred)
    else:
        try:
            tensor = convert_to_tensor(value, wanted, name)
        except TypeError as error:
            raise TypeError(f"{op.name}: input '{arg.name}': {error}") from error
    if arg.type_attr:
        has_default = op.attrs[arg.type_attr].has_default
        is_number = has_default and isinstance(value, (int, float))
        if is_number or not _executing_eagerly():
            _check_allowed(op, arg, tensor.dtype)
        known.setdefault(arg.type_attr, tensor.dtype)
    return tensor


def _with_own_type(value: Any, definition: AttrDef) -> tuple[Any, DType | None]:
    """``value`` as an array, and None; or itself, and the type that it had better have.

    That is the attribute's default, for an empty list and for a value of a type that the
    op does not take.
    """
    if not definition.has_default or not isinstance(value, _PLAIN):
        return value, None
    default = as_dtype(definition.default)
    if isinstance(value, (list, tuple)) and contains_tensor(value):
        return value, default
    try:
        array = make_array(value)
        dtype = as_dtype(array.dtype)
    except (TypeError, ValueError):
        return value, default
    is_empty = array.size == 0 and not isinstance(value, np.ndarray)
    allowed = definition.allowed_types
    if is_empty or (allowed and dtype not in allowed):
        return value, default
    return array, None


def _refuse_type(op: OpDef, arg: ArgDef, actual: DType, wanted: DType) -> None:
    text = (
        f"Input '{arg.name}' of '{op.name}' Op has type {actual.name} that does not match"
    )
    first = next((other for other in op.inputs if other.type_attr == arg.type_attr), arg)
    if arg.type_attr and first is not arg:
        text = f"{text} type {wanted.name} of argument '{first.name}'."
    else:
        text = f"{text} expected type of {wanted.name}."
    if _executing_eagerly():
        raise errors.InvalidArgumentError(None, None, text)
    raise TypeError(text)


def _check_allowed(op: OpDef, arg: ArgDef, dtype: DType) -> None:
    allowed = op.attrs[arg.type_attr].allowed_types
    if allowed:
        what = f"Value passed to parameter '{arg.name}'"
        require_allowed(what, dtype, allowed, f" (Op '{op.name}')")


def _convert_all(
    op: OpDef, inputs: Any, attrs: dict | None, prefix: str
) -> tuple[list[Tensor], list[int]]:
    """All inputs as tensors, and how many of them make up each argument."""
    if len(inputs) != len(op.inputs):
        raise TypeError(
            f"{op.name} takes {len(op.inputs)} inputs, {len(inputs)} were given"
        )
    known = _known_types(op, inputs, attrs)
    tensors: list[Tensor] = []
    lengths: list[int] = []
    for arg, value in zip(op.inputs, inputs, strict=True):
        if not arg.is_list:
            tensors.append(_convert(op, arg, value, known, prefix + arg.name))
            lengths.append(1)
            continue
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected list for '{arg.name}' argument to '{op.name}' Op, not "
                f"{value!r}."
            )
        dtype = first_dtype(value)
        if arg.number_attr and arg.type_attr and dtype is not None:
            known.setdefault(arg.type_attr, dtype)
        for i, item in enumerate(value):
            tensors.append(_convert(op, arg, item, known, f"{prefix}{arg.name}_{i}"))
        lengths.append(len(value))
    return tensors, lengths


# ---- The call --------------------------------------------------------------------------


def _are_all(kind: type, op: OpDef, inputs: Any) -> bool:
    """Whether the inputs are as the op takes them, without a further look."""
    if op.has_lists or len(inputs) != len(op.inputs):
        return False
    # Not all(): a generator would cost as much as the op.
    for value in inputs:  # noqa: SIM110
        if type(value) is not kind:
            return False
    return True


def _call_eagerly(op: OpDef, inputs: Any, attrs: dict | None) -> Any:
    tensors, lengths = inputs, []
    if not _are_all(EagerTensor, op, inputs):
        tensors, lengths = _convert_all(op, inputs, attrs, "")
    outputs = _execute(op.name, tensors, attrs or None, lengths if op.has_lists else None)
    if op.is_simple:
        return outputs[0]
    return _structured(op, outputs, attrs or {}, lengths) if op.outputs else None


def _call_in_graph(op: OpDef, inputs: Any, attrs: dict | None, name: str) -> Any:
    graph = graph_of(inputs)
    if graph is not context.get_default_graph():
        with graph.as_default():
            return _call_in_graph(op, inputs, attrs, name)
    if _are_all(GraphTensor, op, inputs):
        try:
            node = graph.add_node(op.name, name, inputs, attrs)
        except ValueError:
            _convert_all(op, inputs, attrs, "")  # a TypeError, if types are why
            raise
        return _result(op, node, attrs, [])
    # The constants of a node are named after it, so its name has to be known first.
    name = name_as_string(name)
    if name[-1:] != "/":
        name = graph.unique_name(name) + "/"
    with graph.name_scope(name):
        tensors, lengths = _convert_all(op, inputs, attrs, "")
    lengths = lengths if op.has_lists else []
    return _result(
        op, graph.add_node(op.name, name, tensors, attrs, lengths), attrs, lengths
    )


def _result(op: OpDef, node: Any, attrs: dict | None, lengths: list[int]) -> Any:
    """What a call that has made ``node`` returns."""
    if op.is_simple:
        return node.outputs[0]
    if not node.outputs and (op.is_stateful or not op.outputs):
        return node
    return _structured(op, node.outputs, attrs or {}, lengths, node)


def graph_of(values: Any) -> Any:
    """The graph of the first tensor, variable or node in a list, or the default graph."""
    for value in values or ():
        if isinstance(value, GraphTensor):
            return value.op.graph
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, _IN_GRAPH) or hasattr(item, "_as_tensor"):
                return item.graph
            if hasattr(item, "_fetch_parts"):
                return graph_of(item._fetch_parts()[1])
    return context.get_default_graph()


_result_types: dict[str, Any] = {}


def _structured(
    op: OpDef, outputs: list[Tensor], attrs: dict, lengths: list[int], node: Any = None
) -> Any:
    """The outputs in the form in which a call returns them."""
    if len(op.outputs) == 1:
        return list(outputs) if op.outputs[0].is_list else outputs[0]
    if op.name not in _result_types:
        fields = [arg.name for arg in op.outputs]
        _result_types[op.name] = namedtuple(op.name, fields, rename=True)
    parts: list[Any] = []
    position = 0
    for arg in op.outputs:
        if not arg.is_list:
            parts.append(outputs[position])
            position += 1
            continue
        count = _length_of(op, arg, attrs, lengths, node)
        parts.append(list(outputs[position : position + count]))
        position += count
    return _result_types[op.name](*parts)


def _length_of(
    op: OpDef, output: ArgDef, attrs: dict, lengths: list[int], node: Any
) -> int:
    attr = output.number_attr or output.type_list_attr
    for arg, length in zip(op.inputs, lengths, strict=False):
        if attr in (arg.number_attr, arg.type_list_attr):
            return length
    value = attrs.get(attr) if node is None else node.get_attr(attr)
    if value is None:
        value = op.attrs[attr].default
    return value if isinstance(value, int) else len(value)
