"""From declarations to functions: every access from Python becomes a call of a Function.

A method is a function whose first parameter is the object. A variable is two functions,
which read and write it. Typemaps, exceptions and writers see functions only.
"""

from __future__ import annotations

import keyword
import re

from minitf_wrap.model import Argument, Function, Member, Module, Scope
from minitf_wrap.scanner import Place
from minitf_wrap.typemaps import VOID, Parameter, Type, Typemap, Typemaps

# For each kind of function: its symbol, its name in Python, and the C++ expression.
KINDS = {
    "static": ("{prefix}{name}", "{name}", "{callee}({args})"),
    "method": ("{prefix}{name}", "{name}", "arg1->{cname}({args})"),
    "const method": ("{prefix}{name}", "{name}", "arg1->{cname}({args})"),
    "constructor": ("new_{scope.python_name}", "__init__", "new {scope.name}({args})"),
    "destructor": (
        "delete_{scope.python_name}",
        "",
        "SWIG_Release(swig_obj[0]), delete arg1",
    ),
    "getter": ("{prefix}{name}_get", "{name}", "{variable}"),
    "setter": ("{prefix}{name}_set", "", "{variable} = {args}"),
}
MEMBERS = {"static": "static", "getter": "property", "destructor": "", "setter": ""}
VARIABLES = ("getter", "setter")


class Builder:
    """Fills a module. ``features`` has the values of directives by kind and name.

    ``place`` is where the declaration stands that is added. All functions raise
    InterfaceError there if a type has no typemap or the name is there already.
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

    def declare_class(self, name: str) -> Scope:
        """Makes the name of a class known."""
        self.typemaps.names[name] = "class"
        class_ = Scope(name, self.python_name(self.module.scope, name) or name)
        return self.module.classes.setdefault(name, class_)

    def add_constant(self, scope: Scope, name: str, value: str, pytype: str) -> None:
        """Adds a constant, with its value in C++ and its type in Python."""
        if name := self.python_name(scope, name):
            symbol = f"{scope.python_name}_{name}" if scope.name else name
            self._check_new(symbol in self.module.functions)
            self._check_new(symbol in self.module.constants)
            self.module.constants[symbol] = value, pytype
            scope.members.append(Member(name, "constant", symbol))

    def add_variable(self, scope: Scope, type_: Type, name: str) -> None:
        """Adds the functions that read and write a field or a global variable."""
        is_constant = type_.is_const and not type_.marks
        self.add_function(scope, "getter", type_, name, [])
        if not is_constant and not self.feature("immutable", scope, name):
            self.add_function(scope, "setter", VOID, name, [Parameter(type_, name)])

    def add_function(
        self, scope: Scope, kind: str, result: Type, name: str, inputs: list[Parameter]
    ) -> None:
        """Adds a function of some kind of ``KINDS``, with its inputs but for ``self``."""
        shown = self.python_name(scope, name)
        if not shown:
            return
        is_variable = kind in VARIABLES
        has_self = scope.name and kind not in ("constructor", "static")
        is_const = kind == "const method"
        self_ = [Parameter(Type(scope.name, is_const, "*"), "self")] if has_self else []
        first_slot = int(kind == "constructor" or (is_variable and not scope.name))
        arguments = self._arguments(self_ + inputs, first_slot)
        values = [value for argument in arguments for value in argument.values]
        out = self._find("out", [Parameter(result, name)])
        words = {
            "scope": scope,
            "prefix": f"{scope.python_name}_" if scope.name else "",
            "name": shown,
            "cname": name,
            "callee": f"{scope.name}::{name}" if scope.name else name,
            "variable": f"arg1->{name}" if scope.name else name,
            "args": ", ".join(values[len(self_) :]),
        }
        if kind == "setter" and self._is_text(inputs[0].type):
            words["args"] = f"SWIG_CopyText({words['args']})"
        symbol, own_name, call = (text.format(**words) for text in KINDS[kind])
        if kind == "getter" and out.is_by_pointer:
            result = Type(result.base, result.is_const, "&")
            out = self._find("out", [Parameter(result)])
        elif out.is_by_pointer:
            call = f"new {result.base}({call})"
        call = f"&{call}" if result.marks.endswith("&") else call
        full = f"{scope.python_name}.{own_name}" if scope.name else own_name
        function = Function(kind, symbol, full, result, out, arguments, first_slot, call)
        if not is_variable:
            self._add_features(function, scope, name)
            function.prototypes = _prototypes(str(words["callee"]), inputs)
        elif not scope.name:
            type_ = inputs[0].type if inputs else result
            function.where = f"in variable '{shown}' of type '{type_}'"
        self._add(scope, function, own_name)

    def _is_text(self, type_: Type) -> bool:
        return str(self.typemaps.resolve(type_).local) == "char *"

    def _add(self, scope: Scope, function: Function, name: str) -> None:
        """Adds a function to the module, and a new name to its scope."""
        symbol, is_variable = function.symbol, function.kind in VARIABLES
        overloads = self.module.functions.setdefault(symbol, [])
        known = [prototype for other in overloads for prototype in other.prototypes]
        self._check_new(
            symbol in self.module.constants or bool(overloads and is_variable)
        )
        self._check_new(bool(set(known) & set(function.prototypes)))
        overloads.append(function)
        kind = MEMBERS.get(function.kind, "method")
        if len(overloads) == 1 and kind:
            own = symbol.removesuffix("_get") if is_variable else symbol
            scope.members.append(Member(name, kind, own))

    def _add_features(self, function: Function, scope: Scope, name: str) -> None:
        function.doc = self.feature("docstring", scope, name)
        function.exception = self.feature("exception", scope, name) or "$action"
        threads = self.feature("thread", scope, name) or self.module.threads
        function.releases_gil = threads == "1"
        function.is_new = bool(self.feature("newobject", scope, name))
        for word in re.findall(r"[\w:]+", self.feature("catches", scope, name)):
            handler = self._find("throws", [Parameter(Type(word))])
            function.catches.append((Type(word), handler))

    def _check_new(self, is_known: bool) -> None:
        if is_known:
            self.place.expected("a name or an overload that is not declared above")

    def _find(self, method: str, parameters: list[Parameter]) -> Typemap:
        """Returns a typemap that must be there."""
        found = self.typemaps.find(method, parameters)
        type_ = parameters[0].type
        return found or self.place.expected(
            f"types with typemap({method}), unlike {type_}"
        )

    def _arguments(self, parameters: list[Parameter], slot: int) -> list[Argument]:
        """Chooses the typemaps of all parameters."""
        arguments: list[Argument] = []
        index = 0
        while rest := parameters[index:]:
            maps = {"in": self._find("in", rest)}
            size = maps["in"].size
            for method in ("check", "argout", "freearg"):
                other = self.typemaps.find(method, rest[:size])
                if other and other.size == size:
                    maps[method] = other
            has_input = maps["in"].options.get("numinputs") != "0"
            own_slot = slot if has_input else -1
            arguments.append(Argument(rest[:size], index + 1, own_slot, maps))
            index += size
            slot += has_input
        return arguments


def _prototypes(callee: str, parameters: list[Parameter]) -> list[str]:
    """Returns a prototype for each number of arguments that default values allow."""
    required = sum(not parameter.default for parameter in parameters)
    types = [str(parameter.type) for parameter in parameters]
    counts = range(len(types), required - 1, -1)
    return [f"{callee}({','.join(types[:count])})" for count in counts]
