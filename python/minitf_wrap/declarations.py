"""What an interface file declares. The parser makes these, the writers read them."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field

from minitf_wrap.typemaps import Parameter, Type, Typemap


@dataclass
class Argument:
    """One or more parameters that one typemap "in" converts together.

    ``number`` is the index of the first parameter, from 1. ``slot`` is the index of the
    Python argument, -1 if Python passes none. ``maps`` has the typemaps by method.
    """

    parameters: list[Parameter]
    number: int
    slot: int
    maps: dict[str, Typemap]

    @property
    def name(self) -> str:
        """The name in Python."""
        name = self.parameters[0].name or f"arg{self.number}"
        return f"_{name}" if keyword.iskeyword(name) else name

    @property
    def default(self) -> str:
        """The default value in C++; empty if the argument is required."""
        return self.parameters[0].default

    @property
    def is_pointer(self) -> bool:
        """Whether the local variable points to the object that C++ wants by value."""
        return self.maps["in"].options.get("local") == "pointer"

    def local(self, index: int) -> Type:
        """The type of the local variable for one of the parameters."""
        type_ = self.parameters[index].type
        return Type(type_.base, marks="*") if self.is_pointer else type_.local


@dataclass
class Function:
    """What Python can call, as a C++ expression over ``arg1``, ``arg2``.

    ``symbol`` is its name in the extension module. ``shown`` is the name in errors about
    the count of arguments. ``kind`` is "function", "method", "static", "constructor",
    "destructor", "getter" or "setter". ``where`` overrides the place in errors about types.
    ``is_new`` means that Python owns the result. ``first_slot`` is 1 if Python passes an
    object that is no argument: a constructor gets the new proxy, a variable gets ``cvar``.
    """

    symbol: str
    shown: str
    result: Type
    parameters: list[Parameter]
    kind: str
    call: str = ""
    prototypes: list[str] = field(default_factory=list)
    where: str = ""
    doc: str = ""
    exception: str = "$action"
    releases_gil: bool = False
    is_new: bool = False
    first_slot: int = 0
    arguments: list[Argument] = field(default_factory=list)
    out: Typemap | None = None
    catches: list[tuple[Type, Typemap]] = field(default_factory=list)

    @property
    def inputs(self) -> list[Argument]:
        """The arguments that Python passes."""
        return [argument for argument in self.arguments if argument.slot >= 0]

    @property
    def names(self) -> list[str]:
        """The names of the Python arguments."""
        names = [argument.name for argument in self.inputs]
        return ["self"] * self.first_slot + names

    @property
    def required(self) -> int:
        """The number of Python arguments without a default value."""
        return len(self.names) - sum(bool(argument.default) for argument in self.inputs)

    @property
    def returns_copy(self) -> bool:
        """Whether the result is a class, which is copied to the heap."""
        return bool(self.out) and self.out.options.get("local") == "pointer"

    @property
    def local_result(self) -> Type:
        """The type of the local variable for the result."""
        return (
            Type(self.result.base, marks="*") if self.returns_copy else self.result.local
        )

    def precedence(self) -> list[int]:
        """The place among overloads: the strictest types come first."""
        maps = [argument.maps["in"] for argument in self.inputs]
        return [int(typemap.options.get("precedence", 0)) for typemap in maps]


@dataclass
class Member:
    """A name in a Python class, or in ``cvar``.

    ``kind`` is "method", "static", "property" or "constant".
    """

    name: str
    kind: str
    symbol: str
    is_readonly: bool = False
    is_constant: bool = False


@dataclass
class Class:
    """A struct or class; ``is_complete`` is false if only its name is known.

    ``pure`` has the names of the methods that make the class abstract.
    """

    name: str
    python_name: str
    base: str = ""
    doc: str = ""
    is_complete: bool = False
    is_deletable: bool = True
    constructors: int = 0
    pure: set[str] = field(default_factory=set)
    members: list[Member] = field(default_factory=list)


@dataclass
class Constant:
    """A constant of the module; ``value`` is a C++ expression."""

    symbol: str
    value: str
    pytype: str


@dataclass
class Module:
    """All that one interface file declares, in its order.

    ``functions`` has the overloads of each symbol, ``names`` the symbols that become
    functions of the Python module. ``header`` and ``init`` are C++ text. ``threads`` is "1"
    if all functions release the GIL.
    """

    name: str = ""
    doc: str = ""
    threads: str = ""
    header: list[str] = field(default_factory=list)
    init: list[str] = field(default_factory=list)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    variables: list[Member] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
