"""The stub of what tensors and variables can do: ``+``, ``@``, ``.shape``, ``.numpy()``.

``ops/operators.py`` puts the operators on the classes, so no type checker sees them. A
program that calls ``tf.matmul`` gets a Tensor, which is a GraphTensor or an EagerTensor
as the mode is. So this class has the members of both. Only type checkers know it
(``framework/tensor.py``).

Read next: ``messages.py``.
"""

import inspect
from typing import Any, NoReturn

from minitf.framework.tensor import EagerTensor, GraphTensor, Tensor
from minitf.ops import operators
from minitf.variables.variables import Variable
from minitf_lab.dev.stubs.definitions import (
    Imports,
    docstring,
    function_stub,
    member_stub,
)

FILE = "_tensor_members.pyi"
_OWN = {"__class__", "__doc__", "__module__", "__slots__", "__weakref__", "__init__"}
_OBJECT = {"__eq__", "__hash__", "__str__", "__repr__", "__format__", "__reduce__"}
# Not by ``inspect``: an attribute of a slot, and a method in C.
_FIELDS = {"op": "Any", "value_index": "int"}
_OTHERS = {"numpy": "def numpy(self) -> Any:"}


def _operators(imports: Imports) -> list[str]:
    tensor = imports.use("minitf.framework.tensor", "Tensor")
    lines = []
    for name, method in operators.methods().items():
        parameters = inspect.signature(method).parameters.values()
        needed = [p for p in parameters if p.default is inspect.Parameter.empty]
        other = "" if len(needed) == 1 else ", other: Any"
        lines.append(f"    def {name}(self{other}) -> {tensor}: ...")
    return lines


def _member(name: str, owners: list[type], imports: Imports) -> list[str]:
    """The stub of a member, of the first class whose own does not only raise."""
    for cls in owners:
        value = inspect.getattr_static(cls, name, None)
        function = value.fget if isinstance(value, property) else value
        if not inspect.isfunction(function):
            continue
        if inspect.signature(function).return_annotation is NoReturn:
            continue
        return member_stub(name, value, imports)
    if name in _FIELDS:
        return ["@property", f"def {name}(self) -> {_FIELDS[name]}: ..."]
    if name in _OTHERS:
        return [_OTHERS[name], *docstring(getattr(owners[-1], name).__doc__)]
    return []


def _of_families(imports: Imports) -> list[str]:
    """The methods that families put on variables."""
    added = [
        (name, value)
        for name, value in inspect.getmembers(Variable, inspect.isfunction)
        if value.__module__.startswith("minitf.contrib.")
    ]
    stubs = [function_stub(*item, imports, is_method=True) for item in added]
    lines = [line for text in stubs for line in text.splitlines()]
    return [f"    {line}".rstrip() for line in lines] or ["    ..."]


def stub() -> str:
    """The text of the file."""
    imports = Imports([])
    imports.use("typing", "Any")
    done = {*operators.methods(), *_OWN, *_OBJECT}
    owners: list[Any] = [GraphTensor, EagerTensor]
    names = {name for cls in owners for name in dir(cls)} - {*dir(Tensor)} | {"op"}
    public = sorted(
        name for name in names - done if not name.startswith("_") or name.startswith("__")
    )
    lines = ["class Operators:", *_operators(imports)]
    lines += ["", "class VariableMembers(Operators):", *_of_families(imports)]
    lines += ["", "class TensorMembers(Operators):"]
    for name in public:
        lines += [f"    {line}".rstrip() for line in _member(name, owners, imports)]
    head = '"""What tensors can do. Made by the build; only type checkers know it."""'
    return "\n".join([head, "", *imports.lines(), "", *lines]) + "\n"
