"""Definitions of ops, as the Python functions that call them need them.

Compare: tensorflow/python/framework/op_def_registry.py. Read next: ``op_def_library.py``.
"""

from typing import Any, NamedTuple

from minitf import _minitf
from minitf.framework.dtypes import BY_NUMBER, DType


class ArgDef(NamedTuple):
    """One input or output of an op: one tensor, or a list of them."""

    name: str
    dtype: DType | None
    type_attr: str
    number_attr: str
    type_list_attr: str

    @property
    def is_list(self) -> bool:
        """Whether it stands for several tensors."""
        return bool(self.number_attr or self.type_list_attr)


class AttrDef(NamedTuple):
    """One attribute: its kind, and its default if it has one."""

    name: str
    kind: str
    has_default: bool
    default: Any
    allowed_types: frozenset[DType]
    allowed_strings: list[str]
    minimum: int | None


class OpDef:
    """The definition of an op.

    Attributes:
        name: such as ``"MatMul"``.
        inputs: the ArgDefs of what it takes.
        outputs: those of what it gives.
        attrs: its AttrDefs, by name.
        explicit_attrs: the names of those that do not follow from the inputs.
    """

    def __init__(self, name: str):
        definition = _minitf.op_def(name)
        self.name = name
        self.doc = definition["doc"]
        self.is_stateful = definition["is_stateful"]
        self.inputs = [_arg(row) for row in definition["inputs"]]
        self.outputs = [_arg(row) for row in definition["outputs"]]
        self.attrs = {row[0]: _attr(row) for row in definition["attrs"]}
        inferred = {attr for arg in self.inputs for attr in arg[2:] if attr}
        explicit = [attr for attr in self.attrs.values() if attr.name not in inferred]
        # As in TensorFlow: attributes without a default come first.
        explicit.sort(key=lambda attr: attr.has_default)
        self.explicit_attrs = [attr.name for attr in explicit]
        self.has_lists = any(arg.is_list for arg in self.inputs)
        self.is_simple = (
            not self.has_lists
            and len(self.outputs) == 1
            and not (self.outputs[0].is_list)
        )

    def input_lengths(self, attrs: dict[str, Any]) -> list[int]:
        """How many tensors make up each input, as the AttrValues ``attrs`` say.

        Empty if an attribute that says so is missing: the lengths must follow then.
        """
        known = {arg.number_attr or arg.type_list_attr for arg in self.inputs} - {""}
        if not known <= attrs.keys():
            return []
        return [
            attrs[arg.number_attr].i
            if arg.number_attr
            else len(attrs[arg.type_list_attr].list.type)
            if arg.type_list_attr
            else 1
            for arg in self.inputs
        ]

    def __str__(self) -> str:
        return _minitf.op_def_text(self.name)


def _arg(row: tuple) -> ArgDef:
    name, number, *attrs = row
    return ArgDef(name, BY_NUMBER.get(number), *attrs)


def _attr(row: tuple) -> AttrDef:
    name, kind, has_default, default, types, strings, minimum = row
    allowed = frozenset(BY_NUMBER[number] for number in types)
    return AttrDef(name, kind, has_default, default, allowed, strings, minimum)


_known: dict[str, OpDef] = {}


def get(name: str) -> OpDef:
    """The definition of the op ``name``.

    Raises:
        errors.NotFoundError: no such op is registered.
    """
    found = _known.get(name)
    if found is None:
        found = _known[name] = OpDef(name)
    return found
