"""Stubs of the functions of ops, made of the registry.

Read next: ``modules.py``.
"""

import inspect
from typing import Any

from minitf.framework import op_def_registry
from minitf.framework.op_def_registry import OpDef
from minitf.framework.op_functions import OpFunction, argument_names
from minitf_lab.dev.stubs.definitions import Imports, docstring, parameters_text

# The types of values that an attribute may be given.
_TYPES = {
    "bool": "bool",
    "float": "float",
    "int": "int",
    "string": "str | bytes",
}


def _attr_type(kind: str, imports: Imports) -> str:
    """The type of the values that an attribute of a kind takes."""
    if kind in _TYPES:
        names = _TYPES[kind].split(" | ")
        return " | ".join(imports.use("builtins", name) for name in names)
    any_type = imports.use("typing", "Any")
    if kind == "type":
        dtype = imports.use("minitf.framework.dtypes", "DType")
        numpy = imports.use("numpy", "dtype")
        text, number, cls = (imports.use("builtins", n) for n in ("str", "int", "type"))
        return f"{dtype} | {text} | {number} | {cls}[{any_type}] | {numpy}[{any_type}]"
    if kind.startswith("list("):
        inner = _attr_type(kind[5:-1], imports)
        array = imports.use("numpy", "ndarray")
        sequence = imports.use("collections.abc", "Sequence")
        return f"{sequence}[{inner}] | {array}[{any_type}, {any_type}]"
    return any_type


def _input_type(op: OpDef, index: int, imports: Imports) -> str:
    """The type of an input: a list for several tensors, else what becomes a tensor.

    ``tf.register_tensor_conversion_function`` makes a tensor of any class, so that is
    ``Any``.
    """
    any_type = imports.use("typing", "Any")
    if not op.inputs[index].is_list:
        return any_type
    names = [imports.use("builtins", name) for name in ("list", "tuple")]
    return f"{names[0]}[{any_type}] | {names[1]}[{any_type}, ...]"


def _result_type(op: OpDef, imports: Imports) -> str:
    tensor = imports.use("minitf.framework.tensor", "Tensor")
    any_type = imports.use("typing", "Any")
    if len(op.outputs) == 1:
        is_list = op.outputs[0].is_list
        return f"{imports.use('builtins', 'list')}[{tensor}]" if is_list else tensor
    return any_type  # a namedtuple; an Operation in a graph, None in eager mode


def function_stub(name: str, function: OpFunction, imports: Imports) -> str:
    """The stub of the function of an op, called ``name``.

    >>> from minitf.framework.op_functions import function_of
    >>> print(function_stub("sin", function_of("Sin"), Imports([])).splitlines()[0])
    def sin(x: Any, name: str | None = None) -> Tensor:
    """
    op = op_def_registry.get(function.__name__)
    types = [_input_type(op, i, imports) for i in range(len(op.inputs))]
    for attr in op.explicit_attrs:
        text = _attr_type(op.attrs[attr].kind, imports)
        is_any = text == imports.use("typing", "Any")
        types.append(
            f"{text} | None" if op.attrs[attr].has_default and not is_any else text
        )
    types.append(f"{imports.use('builtins', 'str')} | None")
    by_name = dict(zip([*argument_names(op), "name"], types, strict=True))

    def type_of(parameter: Any) -> str:
        return by_name[parameter.name]

    parameters = parameters_text(inspect.signature(function), type_of)
    head = f"def {name}({parameters}) -> {_result_type(op, imports)}:"
    return "\n".join([head, *docstring(function.__doc__)])
