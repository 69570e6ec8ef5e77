"""From declarations to functions: every access from Python becomes a call of a Function.

A method is a function whose first parameter is the object. A field or variable is one
function that reads it and one that writes it. So typemaps, exceptions and the writers know
nothing but functions.
"""

from __future__ import annotations

import keyword

from minitf_wrap.declarations import Argument, Class, Constant, Function, Member, Module
from minitf_wrap.lexer import Token
from minitf_wrap.typemaps import VOID, Parameter, Type, Typemaps


class Builder:
    """Fills a module. ``features`` has the values of directives by kind and name."""

    def __init__(self) -> None:
        self.module = Module()
        self.typemaps = Typemaps()
        self.features: dict[tuple[str, str], str] = {}
        self._places: dict[str, Token] = {}

    def feature(self, kind: str, owner: str, name: str) -> str:
        """Returns the value for ``owner::name``, for ``name`` or for all; empty if none."""
        for key in (f"{owner}::{name}", name, ""):
            if (kind, key) in self.features:
                return self.features[kind, key]
        return ""

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

    def finish_class(self, place: Token, class_: Class) -> None:
        """Adds what C++ adds to a class: a constructor and a destructor."""
        if not class_.constructors and not class_.pure:
            self.add_function(place, class_, "constructor", VOID, class_.name, [])
        if class_.is_deletable:
            self.add_function(place, class_, "destructor", VOID, f"~{class_.name}", [])

    def add_constant(
        self, place: Token, class_: Class | None, constant: Constant
    ) -> None:
        """Adds a constant under the name that is its symbol so far."""
        owner = class_.name if class_ else ""
        name = self.python_name(owner, constant.symbol)
        if not name:
            return
        constant.symbol = self._symbol(class_, name)
        self._claim(place, constant.symbol)
        self.module.constants.append(constant)
        if class_:
            class_.members.append(Member(name, "constant", constant.symbol))

    def add_variable(
        self, place: Token, class_: Class | None, type_: Type, name: str
    ) -> None:
        """Adds the functions that read and write a field or a global variable."""
        owner = class_.name if class_ else ""
        shown = self.python_name(owner, name)
        if not shown:
            return
        symbol = self._symbol(class_, shown)
        variable = f"arg1->{name}" if class_ else name
        is_class = self.typemaps.is_class(type_)
        result = Type(type_.base, type_.is_const, "*") if is_class else type_
        is_constant = type_.is_const and not type_.marks
        is_readonly = is_constant or bool(self.feature("immutable", owner, name))
        self_ = [Parameter(Type(owner, marks="*"), "self")] if class_ else []
        where = "" if class_ else f"in variable '{shown}' of type '{type_}'"

        getter = Function(f"{symbol}_get", f"{symbol}_get", result, self_, "getter")
        getter.where, getter.first_slot = where, int(not class_)
        self._bind(place, getter, f"&{variable}" if is_class else variable)
        self._add(place, getter)
        if not is_readonly:
            value = [Parameter(type_, name)]
            setter = Function(
                f"{symbol}_set", f"{symbol}_set", VOID, self_ + value, kind="setter"
            )
            setter.where, setter.first_slot = where, int(not class_)
            self._bind(place, setter, f"{variable} = ")
            self._add(place, setter)
        members = class_.members if class_ else self.module.variables
        members.append(Member(shown, "property", symbol, is_readonly, is_constant))

    def add_function(
        self,
        place: Token,
        class_: Class | None,
        kind: str,
        result: Type,
        name: str,
        parameters: list[Parameter],
    ) -> None:
        """Adds a function, or what ``kind`` says: method, static, constructor, destructor.

        Raises:
            InterfaceError: a type has no typemap, or the function is already there.
        """
        owner = class_.name if class_ else ""
        shown = self.python_name(owner, name)
        if not shown:
            return
        callee = f"{owner}::{name}" if owner else name
        prefixes = {"constructor": f"new {owner}", "method": f"arg1->{name}"}
        prefixes["destructor"] = "SWIG_Release(swig_obj[0]), delete arg1"
        self_ = [Parameter(Type(owner, marks="*"), "self")]
        inputs = self_ + parameters if kind in ("method", "destructor") else parameters
        symbol = self._symbol(class_, shown)
        if class_ and kind in ("constructor", "destructor"):
            prefix, result = (
                ("new", self_[0].type) if kind == "constructor" else ("delete", VOID)
            )
            symbol = f"{prefix}_{class_.python_name}"
            shown = "__init__" if kind == "constructor" else "__swig_destroy__"
        function = Function(
            symbol,
            f"{class_.python_name}.{shown}" if class_ else shown,
            result,
            inputs,
            kind,
        )
        function.doc = self.feature("docstring", owner, name)
        function.exception = self.feature("exception", owner, name) or "$action"
        threads = self.feature("thread", owner, name) or self.module.threads
        function.releases_gil = threads == "1"
        function.first_slot = int(kind == "constructor")
        function.is_new = bool(self.feature("newobject", owner, name))
        required = sum(not parameter.default for parameter in parameters)
        for count in range(len(parameters), required - 1, -1):
            types = ",".join(str(parameter.type) for parameter in parameters[:count])
            function.prototypes.append(f"{callee}({types})")
        self._bind(place, function, prefixes.get(kind, callee))
        self._bind_catches(place, function, self.feature("catches", owner, name))
        is_new_name = self._add(place, function)
        if not class_:
            self.module.names += [shown] if is_new_name else []
        elif is_new_name:
            class_.members.append(
                Member(shown, "static" if kind == "static" else "method", symbol)
            )

    def _symbol(self, class_: Class | None, name: str) -> str:
        return f"{class_.python_name}_{name}" if class_ else name

    def _claim(self, place: Token, symbol: str) -> None:
        if symbol in self._places:
            place.fail(f"expected a new name, got {symbol!r} for the second time")
        self._places[symbol] = place

    def _add(self, place: Token, function: Function) -> bool:
        """Adds a function; returns whether its symbol is new, not one more overload."""
        overloads = self.module.functions.setdefault(function.symbol, [])
        if not overloads:
            self._claim(place, function.symbol)
        elif any(set(other.prototypes) & set(function.prototypes) for other in overloads):
            place.fail(f"expected a new overload, got {function.prototypes[0]} again")
        overloads.append(function)
        overloads.sort(key=Function.precedence)
        return len(overloads) == 1

    def _bind(self, place: Token, function: Function, callee: str) -> None:
        """Chooses the typemaps of a function, and makes the C++ expression that calls it."""
        index, slot = 0, function.first_slot
        while index < len(function.parameters):
            argument = self._argument(place, function, index, slot)
            function.arguments.append(argument)
            index += len(argument.parameters)
            slot += argument.slot >= 0
        out = self.typemaps.find("out", [Parameter(function.result, function.symbol)])
        if not out:
            place.expected(f"a result with a typemap; {function.result} has none")
        function.out = out
        function.call = self._call(function, callee)

    def _argument(
        self, place: Token, function: Function, index: int, slot: int
    ) -> Argument:
        rest = function.parameters[index:]
        converter = self.typemaps.find("in", rest)
        if not converter:
            place.expected(f"parameters with typemaps; {rest[0].type} has none")
        parameters = rest[: converter.size]
        maps = {"in": converter}
        for method in ("check", "argout", "freearg"):
            other = self.typemaps.find(method, parameters)
            if other and other.size == converter.size:
                maps[method] = other
        has_input = converter.options.get("numinputs") != "0"
        return Argument(parameters, index + 1, slot if has_input else -1, maps)

    def _call(self, function: Function, callee: str) -> str:
        values = []
        for argument in function.arguments:
            for number, parameter in enumerate(
                argument.parameters, start=argument.number
            ):
                type_ = parameter.type
                if argument.is_pointer or type_.marks.endswith("&"):
                    values.append(f"*arg{number}")
                else:
                    values.append(
                        f"({type_})arg{number}" if type_.marks else f"arg{number}"
                    )
        if function.kind == "getter":
            return callee
        if function.kind == "destructor":
            return callee
        if function.kind == "setter":
            is_text = (
                str(self.typemaps.resolve(function.parameters[-1].type).local) == "char *"
            )
            return callee + (f"SWIG_CopyText({values[-1]})" if is_text else values[-1])
        call = f"{callee}({', '.join(values[function.kind == 'method' :])})"
        if function.returns_copy:
            return f"new {function.result.base}({call})"
        return f"&{call}" if function.result.marks.endswith("&") else call

    def _bind_catches(self, place: Token, function: Function, names: str) -> None:
        for name in names.split(",") if names else ():
            type_ = Type(name.strip())
            handler = self.typemaps.find("throws", [Parameter(type_)])
            if not handler:
                place.fail(
                    f"expected a typemap(throws) for {type_} in %catches, got none"
                )
            function.catches.append((type_, handler))
