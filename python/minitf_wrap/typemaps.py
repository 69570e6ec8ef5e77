"""C++ types, and the table of typemaps: which C++ code converts values of a type."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    def local(self) -> Type:
        """The type of a local variable for it: a reference becomes a pointer."""
        return Type(self.base, marks=self.marks.replace("&", "*"))

    @property
    def pointee(self) -> Type:
        """The type without its last ``*`` or ``&``."""
        return replace(self, marks=self.marks[:-1])

    @property
    def descriptor(self) -> str:
        """The name of the type descriptor in C++, as SWIG mangles names."""
        return f"SWIGTYPE_{'p_' * max(1, len(self.marks))}" + re.sub(
            r"\W+", "_", self.base
        )

    def under(self, alias: Type) -> Type:
        """The type, where its base is a typedef of ``alias``."""
        return Type(alias.base, self.is_const or alias.is_const, alias.marks + self.marks)


VOID = Type("void")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, or a part of the pattern of a typemap."""

    type: Type
    name: str = ""
    default: str = ""


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
        """The type of ``$1`` for a type that the typemap converts."""
        return Type(type_.base, marks="*") if self.is_by_pointer else type_.local

    def expand(self, code: str, variables: dict[str, str], suffix: str) -> str:
        """Replaces special variables; names of local variables get the suffix.

        Raises:
            InterfaceError: ``variables`` has not the name behind a ``$``.
        """

        def value(match: re.Match[str]) -> str:
            if match[1] not in variables:
                names = ", ".join(f"${name}" for name in sorted(variables))
                self.place.expected(f"one of {names} instead of {match[0]} in this block")
            return variables[match[1]]

        code = re.sub(r"\$([*&]?\w+)", value, code)
        for name, _ in self.locals_:
            code = re.sub(rf"(?<![\w.])(?<!->)(?<!::){name}\b", name + suffix, code)
        return code


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
        self.table[method, key_of(pattern)] = replace(typemap, size=len(pattern))

    def find(self, method: str, parameters: list[Parameter]) -> Typemap | None:
        """Returns the typemap for the first parameters, the longest pattern first."""
        attempts = [list(self._attempts(parameter)) for parameter in parameters]
        for size in range(len(parameters), 1, -1):
            for (other, pattern), typemap in self.table.items():
                is_fit = other == method and len(pattern) == size
                if is_fit and all(map(list.__contains__, attempts, pattern)):
                    return typemap
        found = (self.table.get((method, (attempt,))) for attempt in attempts[0])
        return next(filter(None, found), None)

    def resolve(self, type_: Type) -> Type:
        """Returns the type with all typedefs replaced."""
        alias = self.names.get(type_.base)
        return self.resolve(type_.under(alias)) if isinstance(alias, Type) else type_

    def _attempts(self, parameter: Parameter) -> Iterator[tuple[str, str]]:
        """Yields patterns for a parameter: the closest first, ``SWIGTYPE`` last."""
        spelled: str | Type | None = parameter.type
        while isinstance(spelled, Type):
            type_ = spelled
            yield from _patterns(type_, parameter.name)
            alias = self.names.get(type_.base)
            spelled = type_.under(alias) if isinstance(alias, Type) else None
        kind = self.names.get(type_.base)
        if type_.marks or kind in ("class", "enum"):
            base = "enum SWIGTYPE" if kind == "enum" else "SWIGTYPE"
            yield from _patterns(
                Type(base, type_.is_const, type_.marks[-1:]), parameter.name
            )


def _patterns(type_: Type, name: str) -> Iterator[tuple[str, str]]:
    """Yields patterns with and without const, and with and without the name."""
    for spelled in (type_, replace(type_, is_const=False)):
        yield str(spelled), name
        yield str(spelled), ""


def key_of(pattern: list[Parameter]) -> Pattern:
    """Returns the pattern as a key of the table."""
    return tuple((str(parameter.type), parameter.name) for parameter in pattern)
