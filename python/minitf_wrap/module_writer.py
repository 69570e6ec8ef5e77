"""Writes the Python module and its stub: names, classes, docstrings and types."""

from __future__ import annotations

from collections.abc import Iterator

from minitf_wrap.builder import Builder
from minitf_wrap.declarations import Argument, Class, Function, Member
from minitf_wrap.typemaps import Type

IMPORT = """\
if __package__ or "." in __name__:
    from . import _{name}
else:
    import _{name}
"""
VARIABLES = '''

class _Variables:
    """The global variables of the C++ library."""

    __slots__ = ()

    def __getattr__(self, name):
        raise AttributeError(f"Unknown C global variable '{name}'")

    def __setattr__(self, name, value):
        if not isinstance(getattr(_Variables, name, None), property):
            raise AttributeError(f"Unknown C global variable '{name}'")
        object.__setattr__(self, name, value)
'''
NO_CONSTRUCTOR = """
    def __init__(self, *args, **kwargs):
        raise AttributeError("No constructor defined{why}")
"""
# Default values of C++ that Python spells in another way.
LITERALS = {"true": "True", "false": "False", "nullptr": "None", "NULL": "None"}


def signature(overloads: list[Function]) -> str:
    """Returns the parameters as Python's ``help`` shows them."""
    if len(overloads) > 1:
        return "(*args)"
    first = overloads[0]
    defaults = {
        a.slot: LITERALS.get(a.default, a.default) for a in first.inputs if a.default
    }
    values = [
        name + (f"={defaults[slot]}" if slot in defaults else "")
        for slot, name in enumerate(first.names)
    ]
    return f"({', '.join(values)})"


class ModuleWriter:
    """Writes the Python side of the module that a builder has made."""

    def __init__(self, build: Builder) -> None:
        self._module = build.module
        self._typemaps = build.typemaps
        self._own = f"_{build.module.name}"

    def module(self) -> str:
        """Returns the text of the Python module."""
        lines = [f'"""{self._module.doc or "Made by minitf_wrap."}"""', ""]
        lines.append(IMPORT.format(name=self._module.name))
        lines += [f"{name} = {self._own}.{name}" for name in self._module.names]
        inner = {m.symbol for c in self._module.classes.values() for m in c.members}
        lines += [
            f"{constant.symbol} = {self._own}.{constant.symbol}"
            for constant in self._module.constants
            if constant.symbol not in inner
        ]
        for class_ in self._module.classes.values():
            if class_.is_complete:
                lines += self._class(class_)
        if self._module.variables:
            lines.append(VARIABLES)
            lines += [
                f"    {self._member(variable)}" for variable in self._module.variables
            ]
            lines += ["", "", "cvar = _Variables()"]
        lines += [
            f"{v.name} = cvar.{v.name}" for v in self._module.variables if v.is_constant
        ]
        return "\n".join(lines) + "\n"

    def _class(self, class_: Class) -> Iterator[str]:
        base = self._module.classes[class_.base].python_name if class_.base else ""
        yield f"\n\nclass {class_.python_name}({base or self._own + '.SwigPyObject'}):"
        yield f'    """{class_.doc or f"Proxy of C++ {class_.name}."}"""\n'
        for member in class_.members:
            yield f"    {self._member(member)}"
        if not any(member.name == "__init__" for member in class_.members):
            yield NO_CONSTRUCTOR.format(why=" - class is abstract" if class_.pure else "")
        name = class_.python_name
        yield f"\n\n{self._own}.{name}_swigregister({name})"

    def _member(self, member: Member) -> str:
        symbol = f"{self._own}.{member.symbol}"
        if member.kind == "property":
            setter = "" if member.is_readonly else f", {symbol}_set"
            return f"{member.name} = property({symbol}_get{setter})"
        wrapped = {"static": f"staticmethod({symbol})", "constant": symbol}
        return (
            f"{member.name} = {wrapped.get(member.kind, f'{self._own}.method({symbol})')}"
        )

    # ---- The stub -------------------------------------------------------------------

    def stub(self) -> str:
        """Returns the text of the stub, which mypy reads."""
        constants = {c.symbol: c.pytype for c in self._module.constants}
        lines = ["from typing import Any, overload", "", "class SwigPyObject:"]
        lines += [
            "    thisown: bool",
            "    @property",
            "    def this(self) -> SwigPyObject: ...",
        ]
        for class_ in self._module.classes.values():
            if class_.is_complete:
                base = (
                    self._module.classes[class_.base].python_name if class_.base else ""
                )
                lines.append(f"class {class_.python_name}({base or 'SwigPyObject'}):")
                for member in class_.members:
                    lines += [f"    {line}" for line in self._stub_of(member, constants)]
                lines.append("    ...")
        for name in self._module.names:
            lines += self._stub_of(Member(name, "function", name), constants)
        lines += [f"{symbol}: {pytype}" for symbol, pytype in constants.items()]
        if self._module.variables:
            lines.append("class _Variables:")
            for variable in self._module.variables:
                lines += [f"    {line}" for line in self._stub_of(variable, constants)]
            lines.append("cvar: _Variables")
        return "\n".join(lines) + "\n"

    def _stub_of(self, member: Member, constants: dict[str, str]) -> Iterator[str]:
        if member.kind == "constant":
            yield f"{member.name}: {constants[member.symbol]}"
            return
        functions = self._module.functions
        if member.kind == "property":
            result = self._result(functions[f"{member.symbol}_get"][0])
            yield "@property"
            yield f"def {member.name}(self) -> {result}: ..."
            if not member.is_readonly:
                value = functions[f"{member.symbol}_set"][0].inputs[-1]
                yield f"@{member.name}.setter"
                yield f"def {member.name}(self, value: {self._pytype(value)}) -> None: ..."
            return
        overloads = functions[member.symbol]
        for function in overloads:
            if member.kind == "static":
                yield "@staticmethod"
            if len(overloads) > 1:
                yield "@overload"
            parameters = ["self"] if function.kind == "constructor" else []
            for argument in function.inputs:
                default = " = ..." if argument.default else ""
                is_self = function.kind == "method" and argument.number == 1
                pytype = "" if is_self else f": {self._pytype(argument)}"
                parameters.append(argument.name + pytype + default)
            yield f"def {member.name}({', '.join(parameters)}) -> {self._result(function)}: ..."

    def _pytype(self, argument: Argument) -> str:
        pytype = argument.maps["in"].options.get("pytype", "Any")
        return self._name(pytype, argument.parameters[0].type)

    def _result(self, function: Function) -> str:
        outputs = [a.maps["argout"] for a in function.arguments if "argout" in a.maps]
        if function.kind == "constructor":
            return "None"
        if outputs:
            is_only = len(outputs) == 1 and str(function.result) == "void"
            return outputs[0].options.get("pytype", "Any") if is_only else "Any"
        pytype = function.out.options.get("pytype", "Any") if function.out else "Any"
        return self._name(pytype, function.result)

    def _name(self, pytype: str, type_: Type) -> str:
        """Puts the name of the proxy class into a type of Python."""
        resolved = self._typemaps.resolve(type_)
        class_ = self._module.classes.get(resolved.base)
        has_proxy = class_ and class_.is_complete and len(resolved.marks) < 2
        return pytype.replace(
            "$class", class_.python_name if has_proxy else "SwigPyObject"
        )
