"""Stubs of functions and classes that Python makes as it runs, such as ``reduce_sum``.

Their signatures come from ``inspect``. A stub imports the names that the source defines
instead (``modules.py``).

Read next: ``ops.py``.
"""

import inspect
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

_LITERALS = (bool, int, float, str, bytes, type(None))
_BY_NAME = ("builtins", "typing")
# The full forms of annotations without arguments.
_ARGUMENTS = {
    "Callable": "[..., Any]",
    "dict": "[Any, Any]",
    "list": "[Any]",
    "ndarray": "[Any, Any]",
    "set": "[Any]",
    "tuple": "[Any, ...]",
    "type": "[Any]",
}


class Imports:
    """The imports of one stub.

    Args:
        names: the public names of the stub. None of them may stand for something else.
    """

    def __init__(self, names: list[str]):
        self._names = set(names)
        self._modules: set[str] = set()
        self._from: set[tuple[str, str, str]] = set()

    def use(self, module: str, name: str) -> str:
        """How the stub may call ``name`` of ``module``.

        >>> Imports(["Any"]).use("typing", "Any"), Imports([]).use("typing", "Any")
        ('_Any', 'Any')
        """
        if module == "builtins" and name not in self._names:
            return name
        short = f"_{name}" if name in self._names else name
        self._from.add((module, name, short))
        return short

    def reexport(self, module: str, name: str, public: str) -> str:
        """The line, if any, that makes ``name`` of ``module`` public as ``public``."""
        if name == public:
            self._from.add((module, name, name))
            return ""
        self._from.add((module, name, f"_{public}"))
        return f"{public} = _{public}"

    def lines(self) -> list[str]:
        """The import statements. In a stub, a name with an ``as`` is public."""
        lines = []
        for module, name, short in sorted(self._from):
            is_public = name == short and name in self._names
            suffix = f" as {short}" if is_public or name != short else ""
            lines.append(f"from {module} import {name}{suffix}")
        return lines


def type_text(annotation: Any, imports: Imports) -> str:
    """An annotation as source.

    >>> type_text(dict[str, int] | None, Imports([]))
    'dict[str, int] | None'
    """
    if annotation is inspect.Parameter.empty or annotation is Any:
        return imports.use("typing", "Any")
    if isinstance(annotation, str):
        return imports.use("typing", "Any")  # a name that only its module knows
    if annotation is None or annotation is type(None):
        return "None"
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, list):
        return f"[{', '.join(type_text(item, imports) for item in annotation)}]"
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(type_text(item, imports) for item in arguments)
    if origin is not None:
        items = ", ".join(type_text(item, imports) for item in arguments)
        return f"{imports.use(origin.__module__, origin.__name__)}[{items}]"
    module = getattr(annotation, "__module__", "")
    if not isinstance(annotation, type) and module not in _BY_NAME:
        return imports.use("typing", "Any")
    any_type = imports.use("typing", "Any")
    arguments = _ARGUMENTS.get(annotation.__qualname__, "").replace("Any", any_type)
    return imports.use(module, annotation.__qualname__) + arguments


def default_text(value: Any) -> str:
    """A default as source: the value if it can be written down, else ``...``.

    >>> default_text("NHWC"), default_text([1, 1]), default_text(object())
    ("'NHWC'", '[1, 1]', '...')
    """
    if isinstance(value, (list, tuple)):
        is_plain = all(default_text(item) != "..." for item in value)
        return repr(value) if is_plain else "..."
    if type(value) not in _LITERALS or value != value:
        return "..."
    return repr(value)


def parameters_text(
    signature: inspect.Signature, type_of: Callable[[inspect.Parameter], str]
) -> str:
    """The parameters of a function as source, with the types that ``type_of`` says."""
    parts: list[str] = []
    kinds = inspect.Parameter
    has_star = False
    for parameter in signature.parameters.values():
        if parameter.kind is kinds.KEYWORD_ONLY and not has_star:
            parts.append("*")
            has_star = True
        stars = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}
        has_star |= parameter.kind is kinds.VAR_POSITIONAL
        text = stars.get(parameter.kind, "") + parameter.name
        if type_name := type_of(parameter):
            text += f": {type_name}"
        if parameter.default is not kinds.empty:
            text += f" = {default_text(parameter.default)}"
        parts.append(text)
    positional = [
        p for p in signature.parameters.values() if p.kind is kinds.POSITIONAL_ONLY
    ]
    if positional:
        parts.insert(len(positional), "/")
    return ", ".join(parts)


def docstring(text: str | None, indent: str = "    ") -> list[str]:
    """The lines of a docstring; ``...`` if there is no text."""
    if not text:
        return [f"{indent}..."]
    text = inspect.cleandoc(text).replace("\\", "\\\\").replace('"""', '\\"""')
    lines = f'"""{text}'.splitlines()
    if len(lines) > 1:
        lines.append('"""')
    else:
        lines[0] += '"""'
    return [f"{indent}{line}".rstrip() for line in lines]


def function_stub(
    name: str, function: Any, imports: Imports, is_method: bool = False
) -> str:
    """The stub of a function that has no definition in a source file."""
    signature = inspect.signature(function)

    def type_of(parameter: inspect.Parameter) -> str:
        is_first = next(iter(signature.parameters)) == parameter.name
        if is_method and is_first:
            return ""
        return type_text(parameter.annotation, imports)

    result = type_text(signature.return_annotation, imports)
    if is_method and name == "__init__":
        result = "None"
    head = f"def {name}({parameters_text(signature, type_of)}) -> {result}:"
    return "\n".join([head, *docstring(inspect.getdoc(function))])


def member_stub(name: str, value: Any, imports: Imports) -> list[str]:
    """The lines of a method or a property; empty for any other member of a class."""
    if isinstance(value, property):
        result = type_text(inspect.signature(value.fget).return_annotation, imports)
        head = f"def {name}(self) -> {result}:"
        return ["@property", head, *docstring(value.fget.__doc__)]
    if inspect.isfunction(value):
        return function_stub(name, value, imports, is_method=True).splitlines()
    return []


def class_stub(name: str, cls: type, imports: Imports) -> str:
    """The stub of a class that a function has made: its bases and its constructor.

    The base of a class from bytecode is Any. Then type checkers allow all its members.
    """
    file = str(getattr(sys.modules.get(cls.__module__), "__file__", ""))
    bases = [type_text(base, imports) for base in cls.__bases__]
    head = f"class {name}({', '.join(bases)}):"
    if not file.endswith(".py"):
        head = f"class {name}({type_text(Any, imports)}):  # type: ignore[misc]"
    lines = [head, *docstring(cls.__doc__)]
    init = member_stub("__init__", cls.__init__, imports)
    return "\n".join(lines + [f"    {line}".rstrip() for line in init])
