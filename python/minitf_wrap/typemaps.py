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
        """Replaces special variables. Names of local variables get ``$argnum``.

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
            own = name + variables["argnum"]
            code = re.sub(rf"(?<![\w.])(?<!->)(?<!::){name}\b", own, code)
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
        key = tuple((str(parameter.type), parameter.name) for parameter in pattern)
        self.table[method, key] = replace(typemap, size=len(pattern))

    def find(self, method: str, parameters: list[Parameter]) -> Typemap | None:
        """Returns the typemap for the first parameters, the longest pattern first."""
        attempts = [list(self._attempts(parameter)) for parameter in parameters]
        for size in range(len(parameters), 1, -1):
            for (other, pattern), typemap in self.table.items():
                is_fit = other == method and len(pattern) == size
                if is_fit and all(map(list.__contains__, attempts, pattern)):
                    return typemap
        typemaps = (self.table.get((method, (attempt,))) for attempt in attempts[0])
        return next(filter(None, typemaps), None)

    def resolve(self, type_: Type) -> Type:
        """Returns the type with all typedefs replaced."""
        return list(self._spellings(type_))[-1]

    def _spellings(self, type_: Type) -> Iterator[Type]:
        """Yields the type, the type that it is a typedef of, and so on."""
        yield type_
        while isinstance(alias := self.names.get(type_.base), Type):
            type_ = type_.under(alias)
            yield type_

    def _attempts(self, parameter: Parameter) -> Iterator[tuple[str, str]]:
        """Yields patterns for a parameter: the closest first, ``SWIGTYPE`` last."""
        spellings = list(self._spellings(parameter.type))
        last = spellings[-1]
        kind = self.names.get(last.base)
        if last.marks or kind in ("class", "enum"):
            is_enum = kind == "enum" and not last.marks
            base = "enum SWIGTYPE" if is_enum else "SWIGTYPE"
            spellings.append(Type(base, last.is_const, last.marks[-1:]))
        for type_ in spellings:
            for spelled in (type_, replace(type_, is_const=False)):
                yield str(spelled), parameter.name
                yield str(spelled), ""
