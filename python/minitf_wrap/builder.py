"""Turns declarations into functions: each access from Python calls a C++ function.

A method ``Point::dot`` becomes the function ``Point_dot``, whose first argument is the
object. A field or a global variable becomes two functions, one that reads and one that
writes. The builder chooses the typemaps of all parameters and results.
"""

import keyword

from minitf_wrap.model import Argument, Function, Member, Module, Scope
from minitf_wrap.scanner import Place
from minitf_wrap.typemaps import VOID, Parameter, Type, Typemap, Typemaps

# For each kind of function: its symbol, the C++ expression, and the kind of Member. The
# parameter arg1 is the object; the others are args.
KINDS = {
    "function": ("{shown}", "{name}({args})", "method"),
    "static": ("{own}_{shown}", "{scope.name}::{name}({args})", "static"),
    "method": ("{own}_{shown}", "arg1->{name}({args})", "method"),
    "constructor": ("new_{own}", "new {scope.name}({args})", "method"),
    "getter": ("{shown}_get", "{name}", "property"),
    "setter": ("{shown}_set", "SWIG_Assign({name}, {args})", ""),
    "field getter": ("{own}_{shown}_get", "arg1->{name}", "property"),
    "field setter": ("{own}_{shown}_set", "SWIG_Assign(arg1->{name}, {args})", ""),
}


class Builder:
    """Fills a module. ``features`` has the values of directives by kind and name.

    ``place`` is where the declaration stands that is added. All functions raise
    InterfaceError there if a type has no typemap or the name exists already.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.module = Module()
        self.typemaps = Typemaps()
        self.features: dict[tuple[str, str], str] = {}

    def feature(self, kind: str, scope: Scope, name: str) -> str:
        """Returns the value for ``scope::name``, for ``name``, or for all names."""
        keys = ((kind, f"{scope.name}::{name}"), (kind, name), (kind, ""))
        return next((self.features[key] for key in keys if key in self.features), "")

    def python_name(self, scope: Scope, name: str) -> str:
        """Returns the name in Python; empty if ``%ignore`` leaves it out."""
        if self.feature("ignore", scope, name):
            return ""
        name = self.feature("rename", scope, name) or name
        return f"_{name}" if keyword.iskeyword(name) else name

    def add_class(self, name: str) -> Scope:
        """Adds a class without members, unless ``%ignore`` leaves it out; returns it."""
        module = self.module
        doc = self.feature("docstring", module.scope, name)
        class_ = Scope(name, self.python_name(module.scope, name), doc)
        if class_.python_name:
            module.classes[name] = class_
        return class_

    def add_constant(self, name: str, value: str, pytype: str) -> None:
        """Adds a constant, with its value in C++ and its type in Python."""
        if name := self.python_name(self.module.scope, name):
            self._check_new(name)
            self.module.constants[name] = value, pytype
            self.module.scope.members.append(Member(name, "constant", name))

    def add_variable(self, scope: Scope, type_: Type, name: str) -> None:
        """Adds the functions that read and write a field or a global variable."""
        kind = "field " if scope.name else ""
        self_ = [Parameter(scope.pointer, "self")] if scope.name else []
        self.add_function(scope, f"{kind}getter", type_, name, *self_)
        is_constant = type_.is_const and not type_.marks
        if not is_constant and not self.feature("immutable", scope, name):
            value = Parameter(type_, name)
            self.add_function(scope, f"{kind}setter", VOID, name, *self_, value)

    def add_function(
        self, scope: Scope, kind: str, result: Type, name: str, *inputs: Parameter
    ) -> None:
        """Adds a function of a kind of ``KINDS``. The first input of a method is self."""
        if not (shown := self.python_name(scope, name)):
            return
        symbol_form, call_form, member = KINDS[kind]
        slot = self._first_slot(kind)
        arguments = self._arguments(list(inputs), slot)
        values = [
            f"*{variable}" if argument.converter.is_by_pointer else f"({type_}){variable}"
            for argument in arguments
            for variable, type_ in argument.variables
        ]
        args = ", ".join(values[1:] if "arg1" in call_form else values)
        words = {"scope": scope, "own": scope.python_name, "name": name, "shown": shown}
        symbol = symbol_form.format(**words)
        call = call_form.format(**words, args=args)
        call, returned = self._returned(kind, call, Parameter(result, name))
        self._check_new(symbol)
        function = Function(kind, symbol, returned, arguments, call, slot)
        self.module.functions[symbol] = function
        if not kind.endswith(("getter", "setter")):
            self._add_features(function, scope, name)
        if member:
            shown = "__init__" if kind == "constructor" else shown
            own = symbol.removesuffix("_get") if member == "property" else symbol
            scope.members.append(Member(shown, member, own))

    def _add_features(self, function: Function, scope: Scope, name: str) -> None:
        """Applies the directives that name the function."""
        function.doc = self.feature("docstring", scope, name)
        function.exception = self.feature("exception", scope, name) or "$action"
        threads = self.feature("thread", scope, name) or self.module.threads
        function.releases_gil = threads == "1"
        function.is_new = bool(self.feature("newobject", scope, name))

    def _check_new(self, symbol: str) -> None:
        if symbol in self.module.functions or symbol in self.module.constants:
            self.place.expected("a name that is not declared above (no overloads)")

    def _find(self, method: str, parameters: list[Parameter]) -> Typemap:
        """Returns a typemap that must exist."""
        what = f"types with typemap({method}), unlike {parameters[0].type}"
        return self.typemaps.find(method, parameters) or self.place.expected(what)

    def _maps(self, parameters: list[Parameter]) -> dict[str, Typemap]:
        """Returns the typemaps of the next argument, by method.

        The typemap "in" says how many parameters the argument has, in its ``size``.
        """
        maps = {"in": self._find("in", parameters)}
        size = maps["in"].size
        for method in ("check", "argout", "freearg"):
            other = self.typemaps.find(method, parameters[:size])
            maps |= {method: other} if other and other.size == size else {}
        return maps

    def _first_slot(self, kind: str) -> int:
        """Returns 1 if Python passes an object in front of the arguments, else 0.

        A constructor gets the new proxy. The functions of a global variable get ``cvar``.
        The object of a method or of a field is an argument itself.
        """
        # LAB(12.3) begin: return 1 for these kinds of function
        return int(kind in ("constructor", "getter", "setter"))
        # LAB(12.3) end

    def _arguments(self, parameters: list[Parameter], slot: int) -> list[Argument]:
        """Returns the arguments, with numbers and slots; ``slot`` is the first free one.

        An argument whose typemap "in" has the option numinputs=0 has the slot -1. The
        others have slots in their order.
        """
        # LAB(12.3) begin: divide the parameters into arguments; give them slots
        arguments: list[Argument] = []
        number = 1
        while rest := parameters[number - 1 :]:
            maps = self._maps(rest)
            size = maps["in"].size
            has_input = maps["in"].options.get("numinputs") != "0"
            own_slot = slot if has_input else -1
            arguments.append(Argument(rest[:size], number, own_slot, maps))
            number += size
            slot += has_input
        return arguments
        # LAB(12.3) end

    def _returned(self, kind: str, call: str, result: Parameter) -> tuple[str, Argument]:
        """Returns the call, changed where that is needed, and its result.

        ``result`` has the name of the function. A constructor's result is a pointer named
        ``swig_self``. Where the typemap "out" is by pointer, C++ returns an object: a
        function's object is copied by ``new``; a property gives its address, as a pointer
        named ``swig_field`` with the const of the object.
        """
        # LAB(12.6) begin: find the typemap "out"; take an address, or copy
        type_ = result.type
        name = "swig_self" if kind == "constructor" else result.name
        out = self._find("out", [Parameter(type_, name)])
        if out.is_by_pointer and kind.endswith("getter"):
            type_, call = Type(type_.base, type_.is_const, "*"), f"&{call}"
            out = self._find("out", [Parameter(type_, "swig_field")])
        elif out.is_by_pointer:
            call = f"new {type_.base}({call})"
        return call, Argument([Parameter(type_)], 0, -1, {"out": out})
        # LAB(12.6) end
