"""The stub of each public module: ``__init__.pyi``, ``nn.pyi`` and so on.

Most modules have no source: ``public_names.py`` makes them of tables. A stub imports what
the source defines with types. It defines what Python makes as it runs: the functions of
ops, constants, and functions that other functions have made.

Read next: ``definitions.py``.
"""

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import minitf
from minitf import _minitf
from minitf.framework.op_functions import OpFunction
from minitf_lab.dev.stubs import members, messages
from minitf_lab.dev.stubs.definitions import (
    Imports,
    class_stub,
    docstring,
    function_stub,
    type_text,
)
from minitf_lab.dev.stubs.ops import function_stub as op_stub

FOLDER = Path(minitf.__file__).parent
# Decorators whose results type checkers understand.
_PLAIN_DECORATORS = {"contextmanager", "functools.total_ordering"}


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module.

    >>> import minitf as tf
    >>> names_of(tf.bitwise)[:2]
    ['bitwise_and', 'bitwise_or']
    """
    names = [name for name in dir(module) if name[0] != "_"]
    return [*names, "__version__"] if hasattr(module, "__version__") else names


@cache
def public_modules() -> dict[str, ModuleType]:
    """All modules that are imported by a public name, such as ``minitf.nn``."""
    found: dict[str, ModuleType] = {"minitf": minitf}
    waiting = ["minitf"]
    while waiting:
        parent = waiting.pop(0)
        for name in names_of(found[parent]):
            value, path = getattr(found[parent], name), f"{parent}.{name}"
            is_module = isinstance(value, ModuleType) and sys.modules.get(path) is value
            if is_module and value not in found.values():
                found[path] = value
                waiting.append(path)
    return found


@cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """The names that the source of a module defines at its top."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not path.endswith(".py"):
        return {}
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(Path(path).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
    return found


def is_typed_in_source(value: Any) -> bool:
    """Whether type checkers know a function or a class from the source."""
    node = _definitions(value.__module__ or "").get(value.__name__)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        decorators = {ast.unparse(item) for item in node.decorator_list}
        return decorators <= _PLAIN_DECORATORS
    is_call = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    return is_call and ast.unparse(node.value.func) in ("namedtuple", "Enum")


def _module_line(path: str, name: str, value: ModuleType, imports: Imports) -> str:
    """The import of a module that is a name of the module ``path``."""
    if value is minitf:
        return f"import minitf as {name}"
    public = [other for other, module in public_modules().items() if module is value]
    home, _, own_name = (public or [value.__name__])[0].rpartition(".")
    return imports.reexport("." if home == path else home, own_name, name)


def value_stub(name: str, value: Any, imports: Imports) -> str:
    """The stub of ``name``, whose value is no module; empty if it is only imported."""
    if isinstance(value, OpFunction):
        return op_stub(name, value, imports)
    if isinstance(value, type) and value.__module__ is None:
        return imports.reexport("minitf._messages", value.__name__, name)
    if isinstance(value, (type, FunctionType)):
        home = value.__module__
        if is_typed_in_source(value):
            return imports.reexport(home, value.__name__, name)
        make = class_stub if isinstance(value, type) else function_stub
        return make(name, value, imports)
    if inspect.ismethod(value):
        return function_stub(name, value, imports)
    return f"{name}: {type_text(None if value is None else type(value), imports)}"


def has_own_source(path: str, module: ModuleType) -> bool:
    """Whether the source of a module says all that a stub could."""
    file = Path(getattr(module, "__file__", None) or "/")
    place = FOLDER.joinpath(*path.split(".")[1:])
    if file not in (place.with_suffix(".py"), place / "__init__.py"):
        return False
    values = [getattr(module, name) for name in names_of(module)]
    return path != "minitf" and not any(
        isinstance(value, (type, FunctionType, OpFunction))
        and (isinstance(value, OpFunction) or not is_typed_in_source(value))
        for value in values
    )


def module_stub(path: str, module: ModuleType) -> str:
    """The stub of the public module ``path``."""
    names = [name for name in names_of(module) if name.isidentifier()]
    imports = Imports(names)
    parts = []
    for name in names:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            parts.append(_module_line(path, name, value, imports))
        else:
            parts.append(value_stub(name, value, imports))
    head = "\n".join(docstring(module.__doc__ or path, ""))
    note = "# Made by the build (minitf_lab/dev/stubs)."
    body = [part for part in parts if part]
    return "\n\n".join([head, note, "\n".join(imports.lines()), *body]) + "\n"


def file_of(path: str) -> str:
    """Where the stub of a module lies, from the folder of minitf."""
    parts = path.split(".")[1:]
    place = "/".join(parts)
    is_package = path == "minitf" or any(
        other.startswith(f"{path}.") for other in public_modules()
    )
    module = sys.modules[path]
    is_package |= str(getattr(module, "__file__", "")).endswith(f"{place}/__init__.py")
    return f"{place}/__init__.pyi".lstrip("/") if is_package else f"{place}.pyi"


def all_stubs() -> dict[str, str]:
    """The text of every stub by its path from the folder of minitf."""
    _minitf.list_devices(b"")  # loads the kernels of GPUs, which docstrings list
    stubs = {members.FILE: members.stub(), messages.FILE: messages.stub()}
    for path, module in public_modules().items():
        if not has_own_source(path, module):
            stubs[file_of(path)] = module_stub(path, module)
    return stubs


def uses() -> str:
    """A program that uses every public name, for type checkers to read."""
    lines = ["import minitf as tf", "", "def use(*values: object) -> None: ...", ""]
    for path, module in public_modules().items():
        own = path.replace("minitf", "tf", 1)
        names = [name for name in names_of(module) if name.isidentifier()]
        lines += ["use(", *(f"    {own}.{name}," for name in names), ")"]
    return "\n".join(lines) + "\n"
