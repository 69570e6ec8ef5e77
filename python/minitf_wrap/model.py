"""The declarations of an interface file: the builder fills them, writers read them."""

import keyword
from dataclasses import dataclass, field

from minitf_wrap.typemaps import VOID, Parameter, Type, Typemap


@dataclass
class Argument:
    """Parameters that one typemap converts together, or the result of a function.

    ``number`` is the index of the first parameter, from 1; that of the result is 0.
    ``slot`` is the index of the Python argument, -1 if Python passes none. ``maps`` has
    the typemaps by method.
    """

    parameters: list[Parameter]
    number: int
    slot: int
    maps: dict[str, Typemap]

    @property
    def converter(self) -> Typemap:
        """The typemap "in" of an argument, "out" of a result."""
        return self.maps["in" if self.number else "out"]

    @property
    def type(self) -> Type:
        """The type of the first parameter."""
        return self.parameters[0].type

    @property
    def name(self) -> str:
        """The name in Python."""
        name = self.parameters[0].name or f"arg{self.number}"
        return f"_{name}" if keyword.iskeyword(name) else name

    @property
    def variables(self) -> list[tuple[str, Type]]:
        """The names in C++, and the types, of what is converted."""
        return [
            (f"arg{number}" if number else "result", parameter.type)
            for number, parameter in enumerate(self.parameters, start=self.number)
            if parameter.type != VOID
        ]


@dataclass
class Function:
    """A callable: the C++ expression ``call`` over ``arg1``, ``arg2``.

    ``kind`` is a key of ``builder.KINDS``. ``symbol`` is the name in the extension.
    ``first_slot`` is 1 if Python passes an object in front of the arguments: a
    constructor gets the new proxy, a variable gets ``cvar``. ``exception`` is the code
    around the call, with ``$action`` in it. Python owns the result if ``is_new``.
    """

    kind: str
    symbol: str
    result: Argument
    arguments: list[Argument]
    call: str
    first_slot: int = 0
    doc: str = ""
    exception: str = "$action"
    releases_gil: bool = False
    is_new: bool = False

    @property
    def inputs(self) -> list[Argument]:
        """The arguments that Python passes."""
        return [argument for argument in self.arguments if argument.slot >= 0]

    @property
    def names(self) -> list[str]:
        """The names of the Python arguments."""
        return ["self"] * self.first_slot + [argument.name for argument in self.inputs]


@dataclass
class Member:
    """A name in Python: of a class, of the module or of ``cvar``.

    ``kind`` is "method", "static", "property" or "constant".
    """

    name: str
    kind: str
    symbol: str


@dataclass
class Scope:
    """A struct or class, or the module itself, whose name is empty."""

    name: str = ""
    python_name: str = ""
    doc: str = ""
    has_constructor: bool = False
    members: list[Member] = field(default_factory=list)

    @property
    def pointer(self) -> Type:
        """The type of a pointer to such an object."""
        return Type(self.name, marks="*")


@dataclass
class Module:
    """All that an interface file declares, in its order.

    ``header`` has blocks of C++, ``functions`` the function of each symbol. ``constants``
    has the C++ value and the Python type of each name. ``classes`` are those whose
    members are known. ``threads`` is "1" if all functions release the GIL.
    """

    name: str = ""
    threads: str = ""
    scope: Scope = field(default_factory=Scope)
    header: list[str] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, tuple[str, str]] = field(default_factory=dict)
    classes: dict[str, Scope] = field(default_factory=dict)
