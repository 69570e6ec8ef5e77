"""C++ types, and the table of typemaps: which C++ code converts values of a type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from minitf_wrap.lexer import Token


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
        """The type of a local variable for such a value: a reference becomes a pointer."""
        return Type(self.base, False, self.marks.replace("&", "*"))

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

    place: Token
    code: str
    locals_: tuple[tuple[str, str], ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    size: int = 1

    def with_code(self, code: str) -> Typemap:
        """Returns a typemap with other code."""
        return replace(self, code=code)


Pattern = tuple[tuple[str, str], ...]


@dataclass
class Typemaps:
    """All typemaps so far, and the types that the interface file has named.

    ``names`` maps a name of a type to what it is: "class", "enum", "scalar", or, for a
    typedef, the type that it stands for.
    """

    table: dict[tuple[str, Pattern], Typemap] = field(default_factory=dict)
    names: dict[str, str | Type] = field(default_factory=dict)

    def add(self, method: str, pattern: list[Parameter], typemap: Typemap) -> None:
        """Adds a typemap, or replaces the one with the same pattern."""
        for parameter in pattern:
            self.names.setdefault(parameter.type.base, "scalar")
        self.table[method, key_of(pattern)] = replace(typemap, size=len(pattern))

    def get(self, method: str, pattern: list[Parameter]) -> Typemap | None:
        """Returns the typemap with exactly this pattern."""
        return self.table.get((method, key_of(pattern)))

    def remove(self, method: str, patterns: list[list[Parameter]]) -> None:
        """Removes typemaps, if they are there."""
        for pattern in patterns:
            self.table.pop((method, key_of(pattern)), None)

    def copy(self, source: list[Parameter], target: list[Parameter]) -> bool:
        """Copies the typemaps of all methods; returns whether there are some."""
        found = [item for item in self.table.items() if item[0][1] == key_of(source)]
        for (method, _), typemap in found:
            self.add(method, target, typemap)
        return bool(found)

    def find(self, method: str, parameters: list[Parameter]) -> Typemap | None:
        """Returns the typemap for the first parameters, the longest pattern first."""
        for size in range(len(parameters), 1, -1):
            for (other, pattern), typemap in self.table.items():
                if other == method and len(pattern) == size:
                    pairs = zip(pattern, parameters, strict=False)
                    if all(part in self._tries(parameter) for part, parameter in pairs):
                        return typemap
        for attempt in self._tries(parameters[0]) if parameters else ():
            if (method, (attempt,)) in self.table:
                return self.table[method, (attempt,)]
        return None

    def resolve(self, type_: Type) -> Type:
        """Returns the type with all typedefs replaced."""
        target = self.names.get(type_.base)
        if not isinstance(target, Type):
            return type_
        const = type_.is_const or target.is_const
        return self.resolve(Type(target.base, const, target.marks + type_.marks))

    def is_class(self, type_: Type) -> bool:
        """Whether this is a struct or class itself, not a pointer to one."""
        resolved = self.resolve(type_)
        return not resolved.marks and self.names.get(resolved.base) == "class"

    def _tries(self, parameter: Parameter) -> Iterator[tuple[str, str]]:
        """Yields patterns for a parameter: the closest first, ``SWIGTYPE`` last."""
        type_ = parameter.type
        for spelled in self._spellings(type_):
            yield str(spelled), parameter.name
            yield str(spelled), ""
        resolved = self.resolve(type_)
        is_enum = self.names.get(resolved.base) == "enum"
        if resolved.marks or is_enum or self.is_class(resolved):
            base = "enum SWIGTYPE" if is_enum else "SWIGTYPE"
            for const in (True, False) if resolved.is_const else (False,):
                spelled = Type(base, const, resolved.marks[-1:])
                yield str(spelled), parameter.name
                yield str(spelled), ""

    def _spellings(self, type_: Type) -> Iterator[Type]:
        """Yields the type and what it stands for, each also without const."""
        yield type_
        if type_.is_const:
            yield replace(type_, is_const=False)
        target = self.names.get(type_.base)
        if isinstance(target, Type):
            const = type_.is_const or target.is_const
            yield from self._spellings(
                Type(target.base, const, target.marks + type_.marks)
            )


def key_of(pattern: list[Parameter]) -> Pattern:
    """Returns the pattern as a key of the table."""
    return tuple((str(parameter.type), parameter.name) for parameter in pattern)


def expand(typemap: Typemap, variables: dict[str, str], suffix: str = "") -> str:
    """Returns the code of a typemap, with its special variables replaced.

    ``variables`` has them by name, without the ``$``. The names of local variables get the
    suffix.

    Raises:
        InterfaceError: the code has a special variable that is not in ``variables``.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in variables:
            names = ", ".join(f"${name}" for name in sorted(variables))
            typemap.place.fail(f"expected one of {names} in this block, got {match[0]}")
        return variables[match[1]]

    code = re.sub(r"\$([*&]?\w+)", value, typemap.code)
    for name, _ in typemap.locals_:
        code = re.sub(rf"(?<![.>\w])(?<!::){name}\b", name + suffix, code)
    return code
