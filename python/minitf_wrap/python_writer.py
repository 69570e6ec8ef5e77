"""Writes the Python module and its stub: names, classes, docstrings and types."""

from collections.abc import Iterator

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function, Member

MODULE = '''\
"""Python names of the C++ module {name}."""

if __package__ or "." in __name__:
    from . import _{name}
else:
    import _{name}

'''
CLASS = '''

class {name}({base}):
    """{doc}"""

'''
STUB = """\
from typing import Any

class SwigPyObject:
    thisown: bool
    @property
    def this(self) -> SwigPyObject: ...
"""


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
        lines = [MODULE.format(name=self._module.name)]
        lines += [f"{name.name} = {self._own}.{name.symbol}" for name in self._names]
        for class_ in self._module.classes.values():
            name, base = class_.python_name, f"{self._own}.SwigPyObject"
            doc = class_.doc or f"Proxy of C++ {class_.name}."
            lines.append(CLASS.format(name=name, base=base, doc=doc))
            lines += map(self._member, class_.members)
            lines.append(f"\n\n{self._own}.{name}_swigregister({name})")
        if self._variables:
            doc = "The global variables of the C++ library."
            lines.append(CLASS.format(name="_Variables", base="object", doc=doc))
            lines.append("    __slots__ = ()")
            lines += map(self._member, self._variables)
            lines.append("\n\ncvar = _Variables()")
        return "\n".join(lines) + "\n"

    def _member(self, member: Member) -> str:
        """Returns the line of a class that defines the member."""
        symbol = f"{self._own}.{member.symbol}"
        has_setter = f"{member.symbol}_set" in self._module.functions
        setter = f"{symbol}_set" if has_setter else None
        if member.kind == "property":
            return f"    {member.name} = property({symbol}_get, {setter})"
        wrap = "staticmethod" if member.kind == "static" else f"{self._own}.method"
        return f"    {member.name} = {wrap}({symbol})"

    # ---- The stub -------------------------------------------------------------------

    def stub(self) -> str:
        """Returns the text of the stub, which mypy reads."""
        lines = [STUB]
        for class_ in self._module.classes.values():
            header = f"class {class_.python_name}(SwigPyObject):"
            lines += self._stub_class(header, class_.members)
        lines += map(self._stub_of, self._names)
        if self._variables:
            lines += self._stub_class("class _Variables:", self._variables)
            lines.append("cvar: _Variables")
        return "\n".join(lines) + "\n"

    def _stub_class(self, header: str, members: list[Member]) -> Iterator[str]:
        yield header
        for member in members:
            yield from ["    @staticmethod"] * (member.kind == "static")
            yield f"    {self._stub_of(member)}"
        yield "    ..."

    def _stub_of(self, member: Member) -> str:
        """Returns the line of a stub for a function, a constant or a property."""
        if member.kind == "constant":
            return f"{member.name}: {self._module.constants[member.symbol][1]}"
        if member.kind == "property":
            getter = self._module.functions[f"{member.symbol}_get"]
            return f"{member.name}: {self._result(getter)}"
        function = self._module.functions[member.symbol]
        inputs = [f"{each.name}: {self._pytype(each)}" for each in function.inputs]
        parameters = ", ".join(["self"] * function.first_slot + inputs)
        return f"def {member.name}({parameters}) -> {self._result(function)}: ..."

    def _result(self, function: Function) -> str:
        """Returns the type of a result in Python."""
        has_outputs = any("argout" in argument.maps for argument in function.arguments)
        return "Any" if has_outputs else self._pytype(function.result)

    def _pytype(self, argument: Argument) -> str:
        """Returns the type in Python of an argument or a result."""
        type_, name = self._typemaps.resolve(argument.type), "SwigPyObject"
        class_ = self._module.classes.get(type_.base)
        if class_ and len(type_.marks) < 2:
            name = class_.python_name
        pytype = argument.converter.options.get("pytype", "Any")
        return pytype.replace("$class", name)
