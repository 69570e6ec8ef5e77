"""From declarations to functions: every access from Python becomes a call of a Function.

A method is a function whose first parameter is the object. A variable is one function that
reads it and one that writes it. Typemaps, exceptions and writers see functions only.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from minitf_wrap.model import Argument, Class, Function, Member, Module
from minitf_wrap.scanner import Place
from minitf_wrap.typemaps import VOID, Parameter, Type, Typemaps

# For each kind of function: its symbol, its name in Python, and the C++ expression.
DELETE = "SWIG_Release(swig_obj[0]), delete arg1"
KINDS = {
    "function": ("{name}", "{name}", "{cname}({args})"),
    "method": ("{class_name}_{name}", "{name}", "arg1->{cname}({args})"),
    "static": ("{class_name}_{name}", "{name}", "{owner}::{cname}({args})"),
    "constructor": ("new_{class_name}", "__init__", "new {owner}({args})"),
    "destructor": ("delete_{class_name}", "__swig_destroy__", DELETE),
    "getter": ("{prefix}{name}_get", "{name}", "{variable}"),
    "setter": ("{prefix}{name}_set", "{name}", "{variable} = {args}"),
}
VARIABLES = ("getter", "setter")


class Builder:
    """Fills a module. ``features`` has the values of directives by kind and name."""

    def __init__(self) -> None:
        self.module = Module()
        self.typemaps = Typemaps()
        self.features: dict[tuple[str, str], str] = {}

    def feature(self, kind: str, owner: str, name: str) -> str:
        """Returns the value for ``owner::name``, for ``name`` or for all; empty if none."""
        keys = ((kind, f"{owner}::{name}"), (kind, name), (kind, ""))
        return next((self.features[key] for key in keys if key in self.features), "")

    def python_name(self, owner: str, name: str) -> str:
        """Returns the name in Python; empty if ``%ignore`` leaves it out."""
        if self.feature("ignore", owner, name):
            return ""
        name = self.feature("rename", owner, name) or name
        return f"_{name}" if keyword.iskeyword(name) else name

    def declare_class(self, name: str) -> Class:
        """Makes the name of a class known."""
        self.typemaps.names[name] = "class"
        class_ = Class(name, self.python_name("", name) or name)
        return self.module.classes.setdefault(name, class_)

    def add_constant(
        self, place: Place, class_: Class | None, name: str, value: str, pytype: str
    ) -> None:
        """Adds a constant of the module or of a class, with its value in C++."""
        name = self.python_name(class_.name if class_ else "", name)
        symbol = f"{class_.python_name}_{name}" if class_ else name
        if symbol in self.module.constants or symbol in self.module.functions:
            place.expected(f"a name that is not declared above, as {symbol} is,")
        if name:
            self.module.constants[symbol] = value, pytype
        if name and class_:
            class_.members.append(Member(name, "constant", symbol))

    def add_variable(
        self, place: Place, class_: Class | None, type_: Type, name: str
    ) -> None:
        """Adds the functions that read and write a field or a global variable."""
        is_readonly = type_.is_const and not type_.marks
        if self.feature("immutable", class_.name if class_ else "", name):
            is_readonly = True
        self.add_function(place, class_, "getter", type_, name, [])
        if not is_readonly:
            self.add_function(
                place, class_, "setter", VOID, name, [Parameter(type_, name)]
            )

    def add_function(
        self,
        place: Place,
        class_: Class | None,
        kind: str,
        result: Type,
        name: str,
        parameters: list[Parameter],
        *,
        is_const: bool = False,
    ) -> None:
        """Adds a function of some kind of ``KINDS``; ``is_const`` is for methods.

        Raises:
            InterfaceError: a type has no typemap, or the function is already there.
        """
        owner, prefix = (class_.name, f"{class_.python_name}_") if class_ else ("", "")
        name_in_python = self.python_name(owner, name)
        if not name_in_python:
            return
        has_self = class_ and kind not in ("constructor", "static")
        self_ = [Parameter(Type(owner, is_const, "*"), "self")] if has_self else []
        first_slot = int(kind == "constructor" or (kind in VARIABLES and not class_))
        arguments = self._arguments(place, self_ + parameters, first_slot)
        out = self.typemaps.find("out", [Parameter(result, name)])
        if not out:
            place.expected(
                f"a result with a typemap; {result} has none; in front of this"
            )

        words = {"name": name_in_python, "cname": name, "owner": owner, "prefix": prefix}
        words["class_name"] = class_.python_name if class_ else ""
        words["args"] = ", ".join(self._values(arguments)[len(self_) :])
        words["variable"] = f"arg1->{name}" if class_ else name
        symbol, shown, call = (text.format(**words) for text in KINDS[kind])
        if kind == "getter" and out.is_by_pointer:
            result, call = Type(result.base, result.is_const, "&"), call
            out = self.typemaps.find("out", [Parameter(result)]) or out
        elif out.is_by_pointer:
            call = f"new {result.base}({call})"
        call = f"&{call}" if result.marks.endswith("&") else call
        shown_owner = f"{class_.python_name}." if class_ else ""
        function = Function(kind, symbol, shown_owner + shown, result, out, arguments)
        function.first_slot, function.call = first_slot, call
        if kind in VARIABLES and not class_:
            type_ = parameters[0].type if parameters else result
            function.where = f"in variable '{name_in_python}' of type '{type_}'"
        elif kind not in VARIABLES:
            self._add_features(place, function, owner, name)
            callee = f"{owner}::{name}" if owner else name
            function.prototypes = list(_prototypes(callee, parameters))
        if self._add(place, function):
            self._add_name(class_, function, shown)

    def _add_features(
        self, place: Place, function: Function, owner: str, name: str
    ) -> None:
        function.doc = self.feature("docstring", owner, name)
        function.exception = self.feature("exception", owner, name) or "$action"
        threads = self.feature("thread", owner, name) or self.module.threads
        function.releases_gil = threads == "1"
        function.is_new = bool(self.feature("newobject", owner, name))
        for type_ in filter(None, self.feature("catches", owner, name).split(", ")):
            handler = self.typemaps.find("throws", [Parameter(Type(type_))])
            if not handler:
                place.expected(
                    f"typemap(throws) for {type_} of %catches above; in front of this"
                )
            function.catches.append((Type(type_), handler))

    def _add(self, place: Place, function: Function) -> bool:
        """Adds a function; returns whether its symbol is new, not one more overload."""
        overloads = self.module.functions.setdefault(function.symbol, [])
        known = [prototype for other in overloads for prototype in other.prototypes]
        is_known = overloads and not function.prototypes
        if (
            is_known
            or set(known) & set(function.prototypes)
            or function.symbol in self.module.constants
        ):
            place.expected(f"a declaration that is not above, as {function.symbol} is,")
        overloads.append(function)
        return len(overloads) == 1

    def _add_name(self, class_: Class | None, function: Function, name: str) -> None:
        """Adds the name in Python of a function, or of the variable that it reads."""
        if function.kind == "getter":
            member = Member(name, "property", function.symbol.removesuffix("_get"))
            (class_.members if class_ else self.module.variables).append(member)
        elif not class_:
            self.module.names += [] if function.kind == "setter" else [name]
        elif function.kind not in ("setter", "destructor"):
            kind = "static" if function.kind == "static" else "method"
            class_.members.append(Member(name, kind, function.symbol))

    def _arguments(
        self, place: Place, parameters: list[Parameter], slot: int
    ) -> list[Argument]:
        """Chooses the typemaps of all parameters."""
        arguments: list[Argument] = []
        index = 0
        while rest := parameters[index:]:
            converter = self.typemaps.find("in", rest)
            if not converter:
                place.expected(
                    f"parameters with typemaps; {rest[0].type} has none; in front of this"
                )
            size = converter.size
            maps = {"in": converter}
            for method in ("check", "argout", "freearg"):
                other = self.typemaps.find(method, rest[:size])
                if other and other.size == size:
                    maps[method] = other
            has_input = converter.options.get("numinputs") != "0"
            arguments.append(
                Argument(rest[:size], index + 1, slot if has_input else -1, maps)
            )
            index += size
            slot += has_input
        return arguments

    def _values(self, arguments: list[Argument]) -> list[str]:
        """Returns what C++ is called with, for each parameter."""
        values = []
        for argument in arguments:
            for number, parameter in enumerate(
                argument.parameters, start=argument.number
            ):
                type_ = parameter.type
                if argument.maps["in"].is_by_pointer or type_.marks.endswith("&"):
                    values.append(f"*arg{number}")
                else:
                    values.append(
                        f"({type_})arg{number}" if type_.marks else f"arg{number}"
                    )
        return values


def _prototypes(callee: str, parameters: list[Parameter]) -> Iterator[str]:
    """Yields a prototype for each number of arguments that default values allow."""
    required = sum(not parameter.default for parameter in parameters)
    for count in range(len(parameters), required - 1, -1):
        yield f"{callee}({','.join(str(parameter.type) for parameter in parameters[:count])})"
