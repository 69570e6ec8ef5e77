"""Writes the Python module and its stub: names, classes, docstrings and types."""

from __future__ import annotations

from collections.abc import Iterator

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Class, Function, Member
from minitf_wrap.typemaps import VOID, Type

MODULE = '''\
"""{doc}"""

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
    first = overloads[0]
    defaults = {
        a.slot: LITERALS.get(a.default, a.default) for a in first.inputs if a.default
    }
    names = enumerate(first.names)
    return f"({', '.join(name + (f'={defaults[k]}' if k in defaults else '') for k, name in names)})"


class PythonWriter:
    """Writes the Python side of the module that a builder has made."""

    def __init__(self, build: Builder) -> None:
        self._module = build.module
        self._typemaps = build.typemaps
        self._own = f"_{build.module.name}"
        self._classes = [c for c in build.module.classes.values() if c.is_complete]
        inner = {member.symbol for class_ in self._classes for member in class_.members}
        self._constants = [s for s in build.module.constants if s not in inner]

    def module(self) -> str:
        """Returns the text of the Python module."""
        module = self._module
        doc = module.doc or f"Python names of the C++ module {module.name}."
        lines = [
            f"{name} = {self._own}.{name}" for name in module.names + self._constants
        ]
        for class_ in self._classes:
            lines += self._class(class_)
        if module.variables:
            lines.append(VARIABLES)
            lines += [f"    {self._member(variable)}" for variable in module.variables]
            lines += ["", "", "cvar = _Variables()"]
        lines += [
            f"{v.name} = cvar.{v.name}" for v in module.variables if self._is_constant(v)
        ]
        return MODULE.format(doc=doc, name=module.name) + "\n".join(lines) + "\n"

    def _is_constant(self, variable: Member) -> bool:
        result = self._module.functions[f"{variable.symbol}_get"][0].result
        return result.is_const and not result.marks

    def _is_readonly(self, variable: Member) -> bool:
        return f"{variable.symbol}_set" not in self._module.functions

    def _base(self, class_: Class) -> str:
        return self._module.classes[class_.base].python_name if class_.base else ""

    def _class(self, class_: Class) -> Iterator[str]:
        name = class_.python_name
        yield f"\n\nclass {name}({self._base(class_) or f'{self._own}.SwigPyObject'}):"
        yield f'    """{class_.doc or f"Proxy of C++ {class_.name}."}"""\n'
        yield from (f"    {self._member(member)}" for member in class_.members)
        if not any(member.name == "__init__" for member in class_.members):
            yield NO_CONSTRUCTOR.format(why=" - class is abstract" if class_.pure else "")
        yield f"\n\n{self._own}.{name}_swigregister({name})"

    def _member(self, member: Member) -> str:
        symbol = f"{self._own}.{member.symbol}"
        setter = "None" if self._is_readonly(member) else f"{symbol}_set"
        values = {
            "property": f"property({symbol}_get, {setter})",
            "method": f"{self._own}.method({symbol})",
            "static": f"staticmethod({symbol})",
            "constant": symbol,
        }
        return f"{member.name} = {values[member.kind]}"

    # ---- The stub -------------------------------------------------------------------

    def stub(self) -> str:
        """Returns the text of the stub, which mypy reads."""
        module = self._module
        lines = [STUB]
        for class_ in self._classes:
            lines.append(
                f"class {class_.python_name}({self._base(class_) or 'SwigPyObject'}):"
            )
            lines += [f"    {line}" for m in class_.members for line in self._stub_of(m)]
            lines.append("    ...")
        for name in module.names:
            lines += self._stub_of(Member(name, "function", name))
        lines += [
            f"{symbol}: {module.constants[symbol][1]}" for symbol in self._constants
        ]
        if module.variables:
            lines.append("class _Variables:")
            lines += [
                f"    {line}" for v in module.variables for line in self._stub_of(v)
            ]
            lines.append("cvar: _Variables")
        for variable in filter(self._is_constant, module.variables):
            getter = module.functions[f"{variable.symbol}_get"][0]
            lines.append(f"{variable.name}: {self._result(getter)}")
        return "\n".join(lines) + "\n"

    def _stub_of(self, member: Member) -> Iterator[str]:
        functions = self._module.functions
        if member.kind == "constant":
            yield f"{member.name}: {self._module.constants[member.symbol][1]}"
        elif member.kind == "property":
            result = self._result(functions[f"{member.symbol}_get"][0])
            yield f"@property\n    def {member.name}(self) -> {result}: ..."
            if not self._is_readonly(member):
                value = self._pytype(functions[f"{member.symbol}_set"][0].inputs[-1])
                yield f"@{member.name}.setter"
                yield f"def {member.name}(self, value: {value}) -> None: ..."
        else:
            overloads = functions[member.symbol]
            for function in overloads:
                yield from ["@staticmethod"] * (member.kind == "static")
                yield from ["@overload"] * (len(overloads) > 1)
                parameters = ", ".join(self._stub_parameters(function))
                yield f"def {member.name}({parameters}) -> {self._result(function)}: ..."

    def _stub_parameters(self, function: Function) -> Iterator[str]:
        yield from ["self"] * function.first_slot
        for argument in function.inputs:
            is_self = function.kind == "method" and argument.number == 1
            default = " = ..." if argument.default else ""
            yield argument.name + (
                "" if is_self else f": {self._pytype(argument)}{default}"
            )

    def _pytype(self, argument: Argument) -> str:
        pytype = argument.maps["in"].options.get("pytype", "Any")
        return self._name(pytype, argument.parameters[0].type)

    def _result(self, function: Function) -> str:
        outputs = [a.maps["argout"] for a in function.arguments if "argout" in a.maps]
        if function.kind == "constructor":
            return "None"
        if outputs and (len(outputs) > 1 or function.result != VOID):
            return "Any"
        typemap = outputs[0] if outputs else function.out
        return self._name(typemap.options.get("pytype", "Any"), function.result)

    def _name(self, pytype: str, type_: Type) -> str:
        """Puts the name of the proxy class into a type of Python."""
        resolved = self._typemaps.resolve(type_)
        class_ = self._module.classes.get(resolved.base)
        has_proxy = class_ and class_.is_complete and len(resolved.marks) < 2
        return pytype.replace(
            "$class", class_.python_name if has_proxy else "SwigPyObject"
        )
