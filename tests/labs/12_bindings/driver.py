"""The functions that cases of lab 12 call: parts of the generator, and all of it.

Nothing here knows what is expected.
"""

import tempfile
from pathlib import Path
from typing import Any

from lab_12_bindings.driver_pybind import *  # noqa: F403

from minitf_wrap.builder import Builder
from minitf_wrap.cpp_writer import CppWriter
from minitf_wrap.directives import parse
from minitf_wrap.scanner import Place
from minitf_wrap.typemaps import Parameter, Type, Typemap, Typemaps


def _place(text: str) -> Place:
    return Place(Path("typemaps.i"), text, 0)


def _parameter(fields: list) -> Parameter:
    """A parameter from its base type, const, marks and name."""
    base, is_const, marks, name = fields
    return Parameter(Type(base, is_const, marks), name)


def expand(code: str, local_names: list[str], variables: dict[str, str]) -> str:
    """Expands the code of a typemap whose local variables have these names."""
    locals_ = tuple((name, f"int {name}") for name in local_names)
    return Typemap(_place("{ code }"), code, locals_).expand(code, dict(variables))


def find(
    typemaps: list[list], names: dict[str, Any], queries: list[list]
) -> list[str | None]:
    """Adds typemaps, each a method and a pattern, and looks for some.

    Args:
        typemaps: Pairs of a method and a list of parameters.
        names: The meaning of each name of a type: a word, or the type of a typedef.
        queries: Pairs of the same form.

    Returns:
        For each query the index of the typemap that was found, as a text, or None.
    """
    table = Typemaps()
    for name, kind in names.items():
        table.names[name] = kind if isinstance(kind, str) else Type(*kind)
    for index, (method, pattern) in enumerate(typemaps):
        typemap = Typemap(_place("{ code }"), str(index))
        table.add(method, [_parameter(fields) for fields in pattern], typemap)
    found = [table.find(method, list(map(_parameter, rest))) for method, rest in queries]
    return [typemap and typemap.code for typemap in found]


def _read(text: str) -> Builder:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.i"
        path.write_text(text)
        return parse(path, [])


def arguments(text: str) -> dict[str, Any]:
    """Reads an interface; returns what each function gets from Python.

    For each function: the names of what Python passes, and for each argument the number,
    the slot, and the names of its parameters.
    """
    functions = _read(text).module.functions.values()
    return {
        function.symbol: [
            function.names,
            [
                [one.number, one.slot, [each.name for each in one.parameters]]
                for one in function.arguments
            ],
        ]
        for function in functions
    }


def wrapper(text: str) -> str:
    """Reads an interface; returns the C++ wrapper without what every wrapper includes."""
    return CppWriter(_read(text)).text()
