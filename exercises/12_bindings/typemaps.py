"""C++ types, and the table of typemaps: which C++ code converts values of a type."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from minitf_wrap.scanner import Place


@dataclass(frozen=True)
class Type:
    """A C++ type: ``const char*`` is base "char", const, marks "*"."""

    base: str
    is_const: bool = False
    marks: str = ""

    def __str__(self) -> str:
        """Spells the type as SWIG does in its errors."""
        const = " const" if self.is_const else ""
        return f"{self.base}{const}{' ' if self.marks else ''}{self.marks}"

    @property
    def descriptor(self) -> str:
        """The name of the type descriptor in C++, as SWIG mangles names."""
        prefix = "p_" * max(1, len(self.marks))
        return f"SWIGTYPE_{prefix}" + re.sub(r"\W+", "_", self.base)

    def under(self, alias: Type) -> Type:
        """The type, where its base is a typedef of ``alias``."""
        return Type(alias.base, self.is_const or alias.is_const, alias.marks + self.marks)


VOID = Type("void")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, or a part of the pattern of a typemap."""

    type: Type
    name: str = ""


@dataclass(frozen=True)
class Typemap:
    """C++ code with special variables such as ``$1`` and ``$input``.

    ``locals_`` are names of local variables with their declarations; each use of the
    typemap has its own. ``size`` is the number of parameters that it converts.
    """

    place: Place
    code: str
    locals_: tuple[tuple[str, str], ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    size: int = 1

    @property
    def is_by_pointer(self) -> bool:
        """Whether ``$1`` points to the object that C++ takes or returns by value."""
        return self.options.get("local") == "pointer"

    def local(self, type_: Type) -> Type:
        """The type of ``$1``: without const, since the typemap assigns to it."""
        return Type(type_.base, marks="*" if self.is_by_pointer else type_.marks)

    def expand(self, code: str, variables: dict[str, str]) -> str:
        """Returns the code with special variables and local variables replaced.

        ``$name`` becomes ``variables["name"]``. The name may begin with ``*`` or ``&``.
        A local variable gets ``variables["argnum"]`` behind its name, unless the name
        stands behind ``.``, ``->`` or ``::``. Text that was put in stays as it is.

        Raises:
            InterfaceError: ``variables`` lacks a name.
        """
        # TODO(12.1) begin: replace special variables, and names of local variables
        raise NotImplementedError("task 12.1 is not written yet")
        # TODO(12.1) end


Pattern = tuple[tuple[str, str], ...]


@dataclass
class Typemaps:
    """All typemaps so far, and the names of types.

    ``names`` maps a name to "class", "enum" or "scalar", or a typedef to its type. The
    patterns of typemaps name types too.
    """

    table: dict[tuple[str, Pattern], Typemap] = field(default_factory=dict)
    names: dict[str, str | Type] = field(default_factory=dict)

    def add(self, method: str, pattern: list[Parameter], typemap: Typemap) -> None:
        """Adds a typemap, or replaces the one with the same pattern."""
        for parameter in pattern:
            self.names.setdefault(parameter.type.base, "scalar")
        key = tuple((str(parameter.type), parameter.name) for parameter in pattern)
        self.table[method, key] = replace(typemap, size=len(pattern))

    def find(self, method: str, parameters: list[Parameter]) -> Typemap | None:
        """Returns the typemap whose pattern fits the first parameters; None without one.

        The longest pattern wins. Among patterns of one length, the pattern that is closer
        to the first parameter wins, then to the second, and so on.
        """
        # TODO(12.2) begin: choose among the patterns of the method that fit
        raise NotImplementedError("task 12.2 is not written yet")
        # TODO(12.2) end

    def resolve(self, type_: Type) -> Type:
        """Returns the type with all typedefs replaced."""
        return self._spellings(type_)[-1]

    def _spellings(self, type_: Type) -> list[Type]:
        """Returns the type, the type that it is a typedef of, and so on."""
        spellings = [type_]
        while isinstance(alias := self.names.get(spellings[-1].base), Type):
            spellings.append(spellings[-1].under(alias))
        return spellings

    def _attempts(self, parameter: Parameter) -> list[tuple[str, str]]:
        """Returns the patterns that fit one parameter, the closest first.

        A pattern is the spelling of a type and a name, which may be empty. For each
        spelling: as it is, then without const; both with the name, then without a name.
        ``SWIGTYPE`` stands for pointers (``SWIGTYPE *`` at any depth) and for classes,
        ``enum SWIGTYPE`` for enums. It comes last.
        """
        # TODO(12.2) begin: list the spellings of the type, and SWIGTYPE
        raise NotImplementedError("task 12.2 is not written yet")
        # TODO(12.2) end
