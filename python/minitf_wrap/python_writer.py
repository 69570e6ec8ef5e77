"""Writes the Python module and its stub: names, classes, docstrings and types."""

from __future__ import annotations

from collections.abc import Iterator

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function, Member, Scope
from minitf_wrap.typemaps import VOID, Type

MODULE = '''\
"""Python names of the C++ module {name}."""

if __package__ or "." in __name__:
    from . import _{name}
else:
    import _{name}

'''
VARIABLES = '''

class _Variables:
    """The global variables of the C++ library."""

    __slots__ = ()

    def __getattr__(self, name):
        raise AttributeError(f"Unknown C global variable '{name}'")

    def __setattr__(self, name, value):
        variable = getattr(_Variables, name, None)
        if not isinstance(variable, property):
            raise AttributeError(f"Unknown C global variable '{name}'")
        if not variable.fset:
            raise AttributeError(f"Variable {name} is read-only.")
        object.__setattr__(self, name, value)
'''
CLASS = '''

class {name}({base}):
    """{doc}"""

'''
NO_CONSTRUCTOR = """
    def __init__(self, *args, **kwargs):
        raise AttributeError("No constructor defined{why}")
"""
STUB = """\
from typing import Any, overload

class SwigPyObject:
    thisown: bool
    @property
    def this(self) -> SwigPyObject: ...
"""
# Default values of C++ that Python spells in another way.
LITERALS = {"true": "True", "false": "False", "nullptr": "None", "NULL": "None"}


def signature(overloads: list[Function]) -> str:
    """Returns the parameters as Python's ``help`` shows them."""
    if len(overloads) > 1:
        return "(*args)"
    names = ["self"] * overloads[0].first_slot
    for argument in overloads[0].inputs:
        default = LITERALS.get(argument.default, argument.default)
        names.append(f"{argument.name}={default}" if default else argument.name)
    return f"({', '.join(names)})"


class PythonWriter:
    """Writes the Python side of the module that a builder has made."""

    def __init__(self, build: Builder) -> None:
        self._module = build.module
        self._typemaps = build.typemaps
        self._own = f"_{build.module.name}"
        members = build.module.scope.members
        self._variables = [member for member in members if member.kind == "property"]
        self._names = [member for member in members if member.kind != "property"]

    def module(self) -> str:
        """Returns the text of the Python module."""
        lines = [f"{name.name} = {self._own}.{name.symbol}" for name in self._names]
        for class_ in self._module.complete:
            lines += self._class(class_)
        if self._variables:
            lines += [VARIABLES, *map(self._member, self._variables)]
            lines.append("\n\ncvar = _Variables()")
        lines += [
            f"{v.name} = cvar.{v.name}" for v in self._variables if self._is_constant(v)
        ]
        return MODULE.format(name=self._module.name) + "\n".join(lines) + "\n"

    def _getter(self, member: Member) -> Function:
        return self._module.functions[f"{member.symbol}_get"][0]

    def _is_constant(self, variable: Member) -> bool:
        result = self._getter(variable).result
        return result.is_const and not result.marks

    def _is_readonly(self, variable: Member) -> bool:
        return f"{variable.symbol}_set" not in self._module.functions

    def _base(self, class_: Scope) -> str:
        return self._module.classes[class_.base].python_name if class_.base else ""

    def _class(self, class_: Scope) -> Iterator[str]:
        name, base = class_.python_name, self._base(class_) or f"{self._own}.SwigPyObject"
        doc = class_.doc or f"Proxy of C++ {class_.name}."
        yield CLASS.format(name=name, base=base, doc=doc)
        yield from map(self._member, class_.members)
        if not any(member.name == "__init__" for member in class_.members):
            yield NO_CONSTRUCTOR.format(why=" - class is abstract" if class_.pure else "")
        yield f"\n\n{self._own}.{name}_swigregister({name})"

    def _member(self, member: Member) -> str:
        """Returns the line of a class that defines the member."""
        symbol = f"{self._own}.{member.symbol}"
        setter = "None" if self._is_readonly(member) else f"{symbol}_set"
        values = {
            "property": f"property({symbol}_get, {setter})",
            "method": f"{self._own}.method({symbol})",
            "static": f"staticmethod({symbol})",
            "constant": symbol,
        }
        return f"    {member.name} = {values[member.kind]}"

    # ---- The stub -------------------------------------------------------------------

    def stub(self) -> str:
        """Returns the text of the stub, which mypy reads."""
        lines = [STUB]
        for class_ in self._module.complete:
            base = self._base(class_) or "SwigPyObject"
            lines += self._stub_class(f"{class_.python_name}({base})", class_.members)
        lines += [line for name in self._names for line in self._stub_of(name)]
        if self._variables:
            lines += [
                *self._stub_class("_Variables", self._variables),
                "cvar: _Variables",
            ]
        for variable in filter(self._is_constant, self._variables):
            lines.append(f"{variable.name}: {self._result(self._getter(variable))}")
        return "\n".join(lines) + "\n"

    def _stub_class(self, header: str, members: list[Member]) -> Iterator[str]:
        yield f"class {header}:"
        for member in members:
            for line in self._stub_of(member):
                is_static = member.kind == "static" and line.startswith("def ")
                yield from ["    @staticmethod"] * is_static
                yield f"    {line}"
        yield "    ..."

    def _stub_of(self, member: Member) -> Iterator[str]:
        """Yields the lines of a stub for a function, a constant or a property."""
        if member.kind == "constant":
            yield f"{member.name}: {self._module.constants[member.symbol][1]}"
        elif member.kind == "property":
            yield "@property"
            yield f"def {member.name}(self) -> {self._result(self._getter(member))}: ..."
            if not self._is_readonly(member):
                setter = self._module.functions[f"{member.symbol}_set"][0]
                value = f"value: {self._pytype(setter.inputs[-1])}"
                yield f"@{member.name}.setter"
                yield f"def {member.name}(self, {value}) -> None: ..."
        else:
            overloads = self._module.functions[member.symbol]
            lines = {}  # without those that are the same in Python
            for function in sorted(overloads, key=Function.precedence):
                parameters = ", ".join(self._stub_parameters(function))
                line = f"def {member.name}({parameters}) -> {self._result(function)}: ..."
                lines[parameters] = line
            for line in lines.values():
                yield from ["@overload"] * (len(lines) > 1)
                yield line

    def _stub_parameters(self, function: Function) -> Iterator[str]:
        yield from ["self"] * function.first_slot
        for argument in function.inputs:
            is_self = function.kind.endswith("method") and argument.number == 1
            default = " = ..." if argument.default else ""
            yield argument.name + (
                "" if is_self else f": {self._pytype(argument)}{default}"
            )

    def _pytype(self, argument: Argument) -> str:
        pytype = argument.converter.options.get("pytype", "Any")
        return self._with_class(pytype, argument.parameters[0].type)

    def _result(self, function: Function) -> str:
        if function.kind == "constructor":
            return "None"
        outputs = [a.maps["argout"] for a in function.arguments if "argout" in a.maps]
        if outputs and (len(outputs) > 1 or function.result != VOID):
            return "Any"
        typemap = outputs[0] if outputs else function.out
        return self._with_class(typemap.options.get("pytype", "Any"), function.result)

    def _with_class(self, pytype: str, type_: Type) -> str:
        """Puts the name of the proxy class of a C++ type into a type of Python."""
        resolved = self._typemaps.resolve(type_)
        classes = {class_.name: class_.python_name for class_ in self._module.complete}
        name = "SwigPyObject"
        if len(resolved.marks) < 2:
            name = classes.get(resolved.base, name)
        return pytype.replace("$class", name)
