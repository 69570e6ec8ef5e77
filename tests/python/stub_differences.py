"""Differences between stubs and what Python finds: names, and signatures of functions.

A stub says what a type checker believes. Python itself is asked by ``dir`` and
``inspect``. Where a stub imports a function from the source, the source is read.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from minitf.framework.op_functions import OpFunction
from minitf_lab.dev.stubs import modules

ANY_DEFAULT = repr(...)
Parameter = tuple[str, str, str]  # kind, name and default; no default is ""


def _bound_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign):
        yield from (item.id for item in node.targets if isinstance(item, ast.Name))
    elif isinstance(node, ast.ImportFrom):
        # By the rule of stubs: ``from m import x as x`` is public, ``import x`` is not.
        yield from (item.name for item in node.names if item.asname == item.name)
    elif isinstance(node, ast.Import):
        yield from (item.asname for item in node.names if item.asname)


def public_names(text: str) -> set[str]:
    """The public names of a stub, or of a source: those of its ``__all__``, if any.

    >>> sorted(public_names("from m import a as a, b; c: int; _d = 3"))
    ['a', 'c']
    """
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    names = {name for node in ast.parse(text).body for name in _bound_names(node)}
    return {name for name in names if name[0] != "_" or name == "__version__"}


def _default(node: ast.expr | None) -> str:
    if node is None:
        return ""
    try:
        return repr(ast.literal_eval(node))
    except ValueError:
        return ANY_DEFAULT


def parameters_of_source(node: ast.FunctionDef) -> list[Parameter]:
    """The parameters that a definition has."""
    args = node.args
    positional = [("/", arg) for arg in args.posonlyargs]
    positional += [("", arg) for arg in args.args]
    missing = len(positional) - len(args.defaults)
    defaults = [None] * missing + args.defaults
    found = [
        (kind, arg.arg, _default(default))
        for (kind, arg), default in zip(positional, defaults, strict=True)
    ]
    if args.vararg:
        found.append(("*args", args.vararg.arg, ""))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(("*", arg.arg, _default(default)))
    if args.kwarg:
        found.append(("**", args.kwarg.arg, ""))
    return found


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "/",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "",
    inspect.Parameter.VAR_POSITIONAL: "*args",
    inspect.Parameter.KEYWORD_ONLY: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters_of(function: Any) -> list[Parameter]:
    """The parameters that ``inspect.signature`` finds."""
    return [
        (
            KINDS[parameter.kind],
            parameter.name,
            "" if parameter.default is parameter.empty else repr(parameter.default),
        )
        for parameter in inspect.signature(function).parameters.values()
    ]


def _is_same(source: Parameter, live: Parameter) -> bool:
    if source[2] == ANY_DEFAULT:
        return source[:2] == live[:2] and live[2] != ""
    return source == live


@cache
def _source(module: str) -> dict[str, ast.stmt]:
    body = ast.parse(Path(sys.modules[module].__file__).read_text()).body
    return {node.name: node for node in body if hasattr(node, "name")}


def _init_of(node: ast.ClassDef) -> ast.FunctionDef | None:
    found = [item for item in node.body if getattr(item, "name", "") == "__init__"]
    return found[0] if found else None


def _is_ours(value: Any) -> bool:
    """False for a message, and for what another package defines."""
    return (value.__module__ or "").startswith("minitf.")


def _definition(name: str, value: Any, stub: dict[str, Any]) -> ast.stmt | None:
    """Where a type checker reads the signature of a function or a class."""
    if isinstance(stub.get(name), (ast.FunctionDef, ast.ClassDef)):
        return stub[name]
    if not _is_ours(value):
        return None
    return _source(value.__module__).get(value.__name__)


def _signature_differences(path: str, text: str, module: ModuleType) -> Iterator[str]:
    stub = {node.name: node for node in ast.parse(text).body if hasattr(node, "name")}
    for name in modules.names_of(module):
        value = getattr(module, name)
        if not isinstance(value, (FunctionType, OpFunction, type)):
            continue
        node, function = _definition(name, value, stub), value
        if isinstance(node, ast.ClassDef):
            node, function = _init_of(node), value.__init__
        if not isinstance(node, ast.FunctionDef):
            if isinstance(value, (FunctionType, OpFunction)) and _is_ours(value):
                yield f"{path}.{name}: type checkers know no signature"
            continue
        known, live = parameters_of_source(node), parameters_of(function)
        is_same = len(known) == len(live) and all(map(_is_same, known, live))
        if not is_same:
            yield f"{path}.{name}: type checkers know {known}, Python knows {live}"


def _class_source(cls: type) -> ast.ClassDef | None:
    path = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    node = _source(cls.__module__).get(cls.__name__) if path.endswith(".py") else None
    return node if isinstance(node, ast.ClassDef) else None


def _members(node: ast.ClassDef) -> Iterator[str]:
    """The members of a class, and the attributes that its methods set."""
    for child in node.body:
        yield from _bound_names(child)
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            yield child.attr


def unknown_members(cls: Any) -> list[str]:
    """The public members of a class of minitf that no source and no stub has."""
    if not isinstance(cls, type) or not _is_ours(cls) or _class_source(cls) is None:
        return []
    stub = Path(modules.FOLDER, "_tensor_members.pyi").read_text()
    known = {
        name
        for node in ast.parse(stub).body
        if isinstance(node, ast.ClassDef)
        for name in _members(node)
    }
    known |= set(getattr(cls, "_fields", ()))  # of a namedtuple
    for base in cls.__mro__:
        node = _class_source(base) if base.__module__.startswith("minitf") else None
        known |= set(_members(node)) if node else set(vars(base))
    return [name for name in dir(cls) if name[0] != "_" and name not in known]


def differences(path: str, text: str, module: ModuleType) -> list[str]:
    """The differences between a module and its stub, or its source where it has no stub.

    Args:
        path: The public name of the module.
        text: The stub.
        module: The module.
    """
    names = {name for name in modules.names_of(module) if name.isidentifier()}
    known = public_names(text)
    found = [f"{path}.{name} has no stub" for name in sorted(names - known)]
    if not modules.has_own_source(path, module):
        unknown = sorted(known - names)
        found += [f"{path}.{name} is in the stub only" for name in unknown]
    return found + list(_signature_differences(path, text, module))


def text_of(path: str, module: ModuleType) -> str:
    """The text that a type checker reads of a module: its stub, or else its source."""
    name = modules.file_of(path)
    stub = Path(modules.FOLDER, name)
    return stub.read_text() if stub.exists() else Path(module.__file__).read_text()


if __name__ == "__main__":
    for known_path, known_module in modules.public_modules().items():
        text_there = text_of(known_path, known_module)
        for difference in differences(known_path, text_there, known_module):
            print(difference)
