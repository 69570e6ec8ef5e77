"""A machine for C++: runs one function of a wrapper that the generator wrote.

The sandbox of a worker starts no compiler, and a grader runs no C++ of a student outside
of it. So checks read the text. This file parses the statements that wrappers consist of,
looks for what a compiler refuses, and runs them. A run gives notes: which step ran, with
which values, and whether the GIL was held.

``tests/python/wrap/test_lab_wrappers.py`` compiles the same interface texts by this
generator and by SWIG. It compares the notes of these modules with those of this machine.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lab_12_bindings.cpp_text import CompileError, Parser, Statement, Type

MAX_STEPS = 10_000
ERROR = "an exception of Python"


class Jump(Exception):
    """A goto on its way to its label."""


class Thrown(Exception):
    """A C++ exception on its way to a handler."""


class Returned(Exception):
    """The end of the function, with its value."""


@dataclass
class Cell:
    """A variable."""

    type: Type | None
    value: Any = 0


@dataclass
class Object:
    """A C++ object; a pointer to an object is the object itself.

    ``parent`` is the object that has this one as a field.
    """

    name: str
    type: str
    fields: dict[str, Any] = field(default_factory=dict)
    parent: "Object | None" = None

    def __str__(self) -> str:
        return self.name


@dataclass
class Value:
    """An object that is passed or returned by value."""

    object: Object

    def __str__(self) -> str:
        return f"*{self.object}"


@dataclass
class Proxy:
    """What Python holds: a pointer, the type it is registered as, and the owner."""

    object: Any
    descriptor: str
    is_owner: bool = False
    parent: Any = None

    def __str__(self) -> str:
        owner = "owned by Python" if self.is_owner else "not owned by Python"
        parent = getattr(self.parent, "object", self.parent)
        kept = f", keeps {parent} alive" if parent else ""
        return f"{self.descriptor} to {self.object}, {owner}{kept}"


@dataclass
class Outcome:
    """What a run did: its notes, and what the function returned."""

    notes: list[str]
    returned: str


@dataclass(frozen=True)
class CppFunction:
    """A function that a wrapper calls: the type of its result, and the result."""

    type: str
    value: Any = 0


class Machine:
    """Runs the function ``wrap_<symbol>`` of a wrapper.

    ``objects`` are the arguments that Python passes. ``plan`` is the step that fails,
    as "fail: in 1" or "throw: in 1". ``functions`` are those of the C++ library.
    """

    def __init__(
        self,
        objects: list,
        plan: str = "",
        functions: dict[str, CppFunction] | None = None,
    ) -> None:
        self.notes: list[str] = []
        self.functions = functions or {}
        self._plan = plan
        self._scopes = [
            {
                "swig_obj": Cell(None, objects),
                "resultobj": Cell(Type("PyObject", 1), None),
            }
        ]
        self._has_gil = True
        self._error = ""
        self._steps = 0

    def run(self, statements: list[Statement]) -> Outcome:
        """Runs the statements of a function."""
        returned: Any = "nothing: it ends without return"
        try:
            self._block(statements)
        except Returned as end:
            returned = end.args[0]
            if (returned is None) != bool(self._error):
                returned = f"{returned}, and Python has {self._error or 'no exception'}"
            returned = ERROR if returned is None else returned
        except Thrown as thrown:
            returned = f"nothing: {thrown} leaves the wrapper, and the process ends"
        except Jump as jump:
            returned = f"nothing: there is no label {jump}"
        return Outcome(self.notes, str(returned))

    # ---- Statements -----------------------------------------------------------------

    def _block(self, statements: list[Statement]) -> None:
        labels = {s.parts[0]: i for i, s in enumerate(statements) if s.kind == "label"}
        had_gil, index = self._has_gil, 0
        self._scopes.append({})
        try:
            while index < len(statements):
                try:
                    self._statement(statements[index])
                    index += 1
                except Jump as jump:
                    if str(jump) not in labels:
                        raise
                    index = labels[str(jump)]
        finally:
            self._scopes.pop()
            self._has_gil = had_gil

    def _statement(self, statement: Statement) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise CompileError("the function does not end", statement.line)
        self._line = statement.line
        getattr(self, f"_do_{statement.kind}")(*statement.parts)

    def _do_block(self, statements: list[Statement]) -> None:
        self._block(statements)

    def _do_if(self, condition: Any, then: Statement, other: Statement | None) -> None:
        self._scopes.append({})
        try:
            if isinstance(condition, Statement):
                self._statement(condition)
                truth = self._scopes[-1][condition.parts[1]].value
            else:
                truth = self.value(condition)
            if chosen := then if truth else other:
                self._statement(chosen)
        finally:
            self._scopes.pop()

    def _do_try(self, body: Statement, handlers: list[tuple[str, Statement]]) -> None:
        try:
            self._statement(body)
        except Thrown as thrown:
            for caught, handler in handlers:
                if caught in ("...", "std::exception", str(thrown)):
                    self._statement(handler)
                    return
            raise

    def _do_label(self, _name: str) -> None: ...

    def _do_goto(self, label: str) -> None:
        raise Jump(label)

    def _do_return(self, value: Any) -> None:
        raise Returned(self.value(value))

    def _do_declare(self, type_: Type, name: str, value: Any) -> None:
        if type_.base == "SwigAllowThreads":
            self._has_gil = False
        cell = Cell(type_, None if type_.stars else 0)
        self._scopes[-1][name] = cell
        if value is not None:
            self._store(cell, *self.typed(value))

    def _do_expression(self, expression: Any) -> None:
        self.value(expression)

    # ---- Expressions ----------------------------------------------------------------

    def value(self, expression: Any) -> Any:
        """Computes an expression."""
        return self.typed(expression)[1]

    def typed(self, expression: Any) -> tuple[Type | None, Any]:
        """Computes an expression; the type is None if any type will do."""
        kind, *parts = expression
        return getattr(self, f"_{kind}")(*parts)

    def _fail(self, message: str) -> NoReturn:
        raise CompileError(message, self._line)

    def _store(self, cell: Cell, type_: Type | None, value: Any) -> None:
        if type_ and cell.type and not type_.converts_to(cell.type):
            self._fail(f"invalid conversion from '{type_}' to '{cell.type}'")
        cell.value = value

    def _cell(self, expression: Any) -> Cell:
        """Returns the variable that an expression names."""
        kind, *parts = expression
        if kind == "name":
            found = [scope[parts[0]] for scope in self._scopes if parts[0] in scope]
            return found[-1] if found else Cell(None, parts[0])
        if kind == "dereference":
            cell = self.value(parts[0])
            return cell if isinstance(cell, Cell) else Cell(None, cell)
        return self._fail("this cannot be assigned to")

    def _name(self, name: str) -> tuple[Type | None, Any]:
        cell = self._cell(("name", name))
        if name in self.functions:
            return Type.of(self.functions[name].type), self.functions[name].value
        return cell.type, cell.value

    def _literal(self, value: Any) -> tuple[Type | None, Any]:
        return None, value

    def _assign(self, target: Any, value: Any) -> tuple[Type | None, Any]:
        self._store(self._cell(target), *self.typed(value))
        return None, None

    def _cast(self, type_: Type, value: Any) -> tuple[Type, Any]:
        return type_, self.value(value)

    def _not(self, value: Any) -> tuple[Type, bool]:
        return Type("bool"), not self.value(value)

    def _dereference(self, value: Any) -> tuple[Type | None, Any]:
        type_, pointer = self.typed(value)
        if isinstance(pointer, Object):
            return type_ and Type(type_.base, type_.stars - 1), Value(pointer)
        return (
            (pointer.type, pointer.value)
            if isinstance(pointer, Cell)
            else (None, pointer)
        )

    def _address(self, value: Any) -> tuple[Type | None, Any]:
        if value[0] == "name" and value[1] not in self.functions:
            cell = self._cell(value)
            return cell.type and Type(cell.type.base, cell.type.stars + 1), cell
        type_, found = self.typed(value)
        type_ = type_ and Type(type_.base, type_.stars + 1, type_.is_const)
        return type_, found.object if isinstance(found, Value) else found

    def _index(self, array: Any, index: Any) -> tuple[None, Any]:
        values, at = self.value(array), self.value(index)
        if not 0 <= at < len(values):
            self._fail(f"swig_obj[{at}] is read, and Python passes {len(values)}")
        return None, values[at]

    def _member(self, owner: Any, name: str) -> tuple[Type | None, Any]:
        found = self.value(owner)
        if name not in getattr(found, "fields", {}):
            self._fail(f"{found} has no member '{name}'")
        type_, value = found.fields[name]
        return Type.of(type_), value

    def _new(self, type_: Type, arguments: list) -> tuple[Type, Any]:
        values = [self.value(one) for one in arguments]
        shown = ", ".join(map(str, values))
        return Type(type_.base, 1), Object(f"new {type_.base}({shown})", type_.base)

    def _delete(self, value: Any) -> tuple[None, None]:
        type_, _ = self.typed(value)
        if type_ is None or type_.base == "void" or type_.stars != 1:
            self._fail(f"delete of a '{type_ or 'void *'}' runs no destructor")
        self.notes.append(f"delete {type_.base}")
        return None, None

    # ---- Calls ----------------------------------------------------------------------

    def _method(self, owner: Any, name: str, arguments: list) -> tuple[Type | None, Any]:
        return self._library(name, f"{self.value(owner)}.", arguments)

    def _call(self, name: str, arguments: list) -> tuple[Type | None, Any]:
        if name in self.functions:
            return self._library(name, "", arguments)
        if name == "Py_CLEAR":
            self._cell(arguments[0]).value = None
            return None, None
        if name == "SWIG_Assign":
            given = str(self.value(arguments[1]))
            target = arguments[0]
            where = f"{self.value(target[1])}." if target[0] == "member" else ""
            self._note(f"set {where}{target[-1]} = {given}")
            return None, None
        values = [self.value(one) for one in arguments]
        if not self._has_gil and name not in ("note", "fails", "show"):
            self._note(name)
        return getattr(self, f"call_{name}")(*values)

    def _library(self, name: str, owner: str, arguments: list) -> tuple[Type | None, Any]:
        """Calls a function of the C++ library."""
        function = self.functions[name]
        values = ", ".join(str(self.value(one)) for one in arguments)
        self._planned(f"call {owner}{name}({values})", f"call {name}")
        return Type.of(function.type), function.value

    def _note(self, text: str) -> None:
        self.notes.append(text if self._has_gil else f"{text} without the GIL")

    def _planned(self, text: str, step: str = "") -> bool:
        """Notes a step; throws, or returns True, if the plan says so."""
        self._note(text)
        kind, _, rest = self._plan.partition(": ")
        if rest == (step or text) and kind != "fail":
            raise Thrown(kind)
        if rest == (step or text):
            self._error = ERROR
            return True
        return False

    def call_note(self, text: str) -> tuple[None, None]:
        self._note(text)
        return None, None

    def call_fails(self, text: str) -> tuple[Type, bool]:
        return Type("bool"), self._planned(text)

    def call_show(self, text: str, value: Any) -> tuple[None, None]:
        self._note(f"{text}: {value}")
        return None, None

    def call_SWIG_AsVal(self, value: Any, variable: Cell) -> tuple[Type, int]:
        is_number = isinstance(value, int | float)
        variable.value = value if is_number else 0
        return Type("int"), 0 if is_number else -5

    def call_number(self, value: Any) -> tuple[Type, Any]:
        return Type("int"), value

    def call_object(self, value: Any) -> tuple[Type, Any]:
        return Type("PyObject", 1), value

    call_SWIG_From = call_object

    def call_SWIG_Py_Void(self) -> tuple[Type, Any]:
        return Type("PyObject", 1), "None"

    def call_SWIG_Error(self, *_args: Any) -> tuple[None, None]:
        self._error = ERROR
        return None, None

    def call_PyErr_Occurred(self) -> tuple[Type, bool]:
        return Type("bool"), bool(self._error)

    def call_SWIG_ConvertPtr(
        self, value: Any, pointer: Cell, descriptor: str, _flags: int
    ) -> tuple[Type, int]:
        is_right = isinstance(value, Proxy) and value.descriptor == descriptor
        pointer.value = value.object if is_right else None
        return Type("int"), 0 if is_right or value == "None" else -5

    def call_SWIG_NewPointerObj(
        self, pointer: Any, descriptor: str, flags: Any
    ) -> tuple[Type, Any]:
        is_owner = flags in (1, "SWIG_POINTER_OWN")
        return Type("PyObject", 1), Proxy(pointer, descriptor, is_owner)

    def call_SWIG_KeepParent(self, proxy: Proxy, parent: Any) -> tuple[Type, Any]:
        proxy.parent = parent
        return Type("PyObject", 1), proxy

    def call_SWIG_InitProxy(
        self, proxy: Any, pointer: Any, descriptor: str
    ) -> tuple[Type, Any]:
        self._note(f"{proxy} gets {Proxy(pointer, descriptor, True)}")
        return Type("PyObject", 1), "None"


def function_of(
    text: str, symbol: str, types: list[str], names: Iterable[str]
) -> list[Statement]:
    """Returns the statements of ``wrap_<symbol>``; ``Parser`` explains the rest.

    Raises:
        CompileError: a compiler would refuse it.
    """
    head = re.search(rf"static PyObject\* wrap_{symbol}\([^{{]*\{{", text)
    end = text.find(f"static const char* const wrap_{symbol}_names")
    if not head or end < 0:
        raise CompileError(f"there is no function wrap_{symbol}", "")
    return Parser(text[head.end() : end], types, names).function()
