"""The documentation of an op's function, made of its definition and the registries.

``help(tf.raw_ops.MatMul)`` shows it, and ``raw_ops.pyi`` gives it to editors. Only the
first sentence is written by hand, beside the definition in C++. Everything else follows:
arguments and types from the OpDef, ranks and sizes from the shape function, gradients
and devices from the registries.

Compare: tensorflow/python/framework/python_op_gen.cc. Read next: ``shapes.py``.
"""

import textwrap
from collections.abc import Iterator

from minitf import _minitf
from minitf.framework.dtypes import BY_NUMBER, DType
from minitf.framework.op_def_registry import ArgDef, AttrDef, OpDef
from minitf.op_docs import shapes as op_shapes

_WIDTH = 86  # of a line, inside a function of a stub
_GRADIENTS = {
    "function": "The op has a gradient.",
    "not differentiable": "The op is not differentiable: its gradient is None.",
    None: "No gradient is defined. To ask for one is a LookupError.",
}


def text(op: OpDef, names: list[str]) -> str:
    """The docstring of the function of an op.

    Args:
        op: The definition.
        names: The names of the function's arguments, but for ``name``.
    """
    shapes = _Shapes(op)
    parts = ["\n".join(_wrapped(op.doc, ""))]
    parts.append(_section("Args", _argument_lines(op, names, shapes)))
    parts.append(_section("Returns", _output_lines(op, shapes)))
    parts.append(_section("Raises", _error_lines(op, shapes)))
    end = " ".join([_GRADIENTS[_minitf.gradient_kind(op.name)], _kernels(op)])
    parts.append("\n".join(_wrapped(end, "")))
    return "\n\n".join(parts)


class _Shapes:
    """The ranks of an op's inputs and the shapes of its outputs, in words."""

    def __init__(self, op: OpDef):
        self.inputs = [""] * len(op.inputs)
        self.outputs = [""] * len(op.outputs)
        try:
            probe = op_shapes.Probe(op)
        except LookupError:
            return
        ranks = [probe.ranks(i) for i in range(len(op.inputs))]
        self.inputs = [op_shapes.ranks_text(known) for known in ranks]
        self.outputs = op_shapes.output_texts(op, probe, ranks)
        if any(op.attrs[name].has_default for name in op.explicit_attrs):
            self.outputs = [text and f"by default {text}" for text in self.outputs]


def _section(title: str, lines: list[str]) -> str:
    wrapped = [part for line in lines for part in _wrapped(line, "    ")]
    return "\n".join([f"{title}:", *wrapped])


def _wrapped(line: str, indent: str) -> list[str]:
    return textwrap.wrap(
        line,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _type_names(types: frozenset[DType]) -> str:
    ordered = sorted(types, key=lambda dtype: dtype.as_datatype_enum)
    return ", ".join(dtype.name for dtype in ordered)


def _type_of(op: OpDef, arg: ArgDef) -> str:
    """The element type of an input or output: a name, or an attribute and its types."""
    if arg.type_list_attr:
        allowed = op.attrs[arg.type_list_attr].allowed_types
        words = f"of the types {arg.type_list_attr}"
        return f"{words} (each of {_type_names(allowed)})" if allowed else words
    if not arg.type_attr:
        return f"of type {arg.dtype.name}" if arg.dtype is not None else "of any type"
    allowed = op.attrs[arg.type_attr].allowed_types
    words = f"of type {arg.type_attr}"
    return f"{words} ({_type_names(allowed)})" if allowed else f"{words} (any type)"


def _tensor(op: OpDef, arg: ArgDef, known: set[str], shape: str) -> str:
    """A tensor in words; the types of an attribute are listed where it first occurs."""
    kind = _type_of(op, arg)
    if arg.type_attr and arg.type_attr in known:
        kind = f"of type {arg.type_attr}"
    known.add(arg.type_attr)
    noun = "a list of tensors" if arg.is_list else "a tensor"
    length = op.attrs.get(arg.number_attr)
    at_least = f", at least {length.minimum}" if length and length.minimum else ""
    return f"{noun} {kind}{at_least}" + (f", {shape}" if shape else "")


def _attribute(definition: AttrDef) -> str:
    words = {"type": "an element type", "shape": "a shape", "tensor": "a tensor"}
    text = words.get(definition.kind, definition.kind)
    if definition.allowed_types:
        text += f": {_type_names(definition.allowed_types)}"
    if definition.allowed_strings:
        text += f": {', '.join(map(repr, definition.allowed_strings))}"
    if definition.minimum is not None:
        what = "length" if definition.kind.startswith("list") else "value"
        text += f", {what} at least {definition.minimum}"
    return text


def _argument_lines(op: OpDef, names: list[str], shapes: _Shapes) -> list[str]:
    known: set[str] = set()
    lines = [
        f"{name}: {_tensor(op, arg, known, shape)}."
        for name, arg, shape in zip(names, op.inputs, shapes.inputs, strict=False)
    ]
    for name, attr in zip(names[len(op.inputs) :], op.explicit_attrs, strict=True):
        lines.append(f"{name}: {_attribute(op.attrs[attr])}.")
    return [
        *lines,
        "name: the name of the node, a str; made unique. None: the op's name.",
    ]


def _output_lines(op: OpDef, shapes: _Shapes) -> list[str]:
    if not op.outputs:
        return ["The Operation. In eager mode None."]
    known = {arg.type_attr for arg in op.inputs}
    tensors = [
        _tensor(op, arg, known, shape)
        for arg, shape in zip(op.outputs, shapes.outputs, strict=True)
    ]
    if len(tensors) == 1:
        return [f"{tensors[0][:1].upper()}{tensors[0][1:]}."]
    named = [
        f"    {arg.name}: {tensor}."
        for arg, tensor in zip(op.outputs, tensors, strict=True)
    ]
    return ["A namedtuple:", *named]


def _error_lines(op: OpDef, shapes: _Shapes) -> list[str]:
    reasons = []
    if any(shapes.inputs):
        reasons.append("an input has another rank than listed above")
    if len(op.inputs) > 1 or op.has_lists:
        reasons.append("the shapes of the inputs do not fit")
    explicit = [op.attrs[name] for name in op.explicit_attrs]
    if any(known.allowed_strings or known.allowed_types for known in explicit):
        reasons.append("an attribute has a value that is not listed above")
    if any(definition.minimum is not None for definition in op.attrs.values()):
        reasons.append("a number or a length is below its minimum")
    lines = [
        "TypeError: an argument is missing or unknown, or is of a type that is not "
        "listed above."
    ]
    if why := ", or ".join(reasons):
        lines.append(f"ValueError: {why}.")
    lines.append(
        "errors.InvalidArgumentError: in eager mode, instead of a ValueError and of a "
        "TypeError about the types of tensors; and what the kernel reports."
    )
    return lines


def _kernels(op: OpDef) -> str:
    """The devices that have kernels without a label, and their types if these are few."""
    found = list(_devices(op))
    if not found:
        return "No kernel is registered."
    return f"Kernels are registered for {', '.join(found)}."


def _devices(op: OpDef) -> Iterator[str]:
    rows = [
        (device, types) for device, types, label in _minitf.kernels(op.name) if not label
    ]
    for device in sorted({device for device, _ in rows}):
        kinds = [types for other, types in rows if other == device]
        limits = []
        for attr in sorted({attr for types in kinds for attr in types}):
            present = {BY_NUMBER[types[attr]] for types in kinds if attr in types}
            if all(attr in types for types in kinds) and (
                present != op.attrs[attr].allowed_types
            ):
                limits.append(f"{attr}: {_type_names(frozenset(present))}")
        name = device.strip("/").upper()
        yield f"{name} ({'; '.join(limits)})" if limits else name
