"""Lab 12, task 6: which objects Python owns, and what keeps the others alive."""

from collections.abc import Iterator
from typing import Any

from lab_12_bindings.cpp_machine import CppFunction, Object, Proxy, Value
from lab_12_bindings.cpp_text import CompileError, Type
from lab_12_bindings.trials import Run, destroyed_by, run_trials
from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Mismatch, Trial, case

INTERFACE = """%module m
struct Point { Point(double x); double x; };
struct Small { };
struct Opaque;
%typemap(in) Small { note("small"); }
%typemap(out) Small { note("small"); $result = object(1); }
%typemap(out) int special { note("special"); $result = object($1); }
struct Line {
  Point start;
  const Point fixed;
  Point *end;
  Small small;
  double width;
  Line();
  Line *copy();
  Point middle() const;
  const Point *first() const;
  static Line make(Point a, Point b);
};
Point origin;
const Point zero;
Point *current;
Point mid(Point a, const Point *b);
const Point shared();
Point *pick(Line *line);
%newobject create;
Point *create();
%newobject create_const;
const Point *create_const();
Small little();
int special();
void *raw();
Opaque *opaque(Point **points, int *numbers);
"""
TYPES = ["Point", "Small", "Opaque", "Line"]
POINT, LINE = "SWIGTYPE_p_Point", "SWIGTYPE_p_Line"
NOT_OWNED, OWNED = "not owned by Python", "owned by Python"
# For each function: the C++ name, the type of its result, and what Python holds then.
RESULTS = {
    "mid": ("mid", "Point", f"{POINT} to new Point(*mid), {OWNED}"),
    "shared": ("shared", "const Point", f"{POINT} to new Point(*shared), {OWNED}"),
    "Line_middle": ("middle", "Point", f"{POINT} to new Point(*middle), {OWNED}"),
    "Line_make": ("Line::make", "Line", f"{LINE} to new Line(*Line::make), {OWNED}"),
    "Line_copy": ("copy", "Line *", f"{LINE} to copy, {NOT_OWNED}"),
    "Line_first": ("first", "const Point *", f"{POINT} to first, {NOT_OWNED}"),
    "pick": ("pick", "Point *", f"{POINT} to pick, {NOT_OWNED}"),
    "create": ("create", "Point *", f"{POINT} to create, {OWNED}"),
    "create_const": (
        "create_const",
        "const Point *",
        f"{POINT} to create_const, {OWNED}",
    ),
    "raw": ("raw", "void *", f"SWIGTYPE_p_void to raw, {NOT_OWNED}"),
    "little": ("little", "Small", "1"),
    "special": ("special", "int", "7"),
}
# The arguments of each function, and how C++ gets them.
ARGUMENTS = {
    "mid": (["P", "Q"], "*P, Q"), "Line_make": (["P", "Q"], "*P, *Q"), "pick": (["L"], "L"),
    **dict.fromkeys(("Line_middle", "Line_copy", "Line_first"), (["L"], "")),
}  # fmt: skip


def _objects(names: list[str]) -> list[Proxy]:
    """Proxies of points, and of a line that has fields."""
    line = Object("L", "Line")
    for name, type_ in (("start", "Point"), ("fixed", "const Point"), ("small", "Small")):
        line.fields[name] = type_, Value(Object(f"L.{name}", type_))
    line.fields |= {"end": ("Point *", Object("E", "Point")), "width": ("double", 1.5)}
    made = {"L": line, "P": Object("P", "Point"), "Q": Object("Q", "Point")}
    return [Proxy(made[name], LINE if name == "L" else POINT) for name in names]


def _library() -> dict[str, CppFunction]:
    """The functions and variables of the library; those that return objects have one."""
    found = {"mid": CppFunction("Point", Value(Object("mid", "Point")))}
    for name, type_, _ in RESULTS.values():
        own = Object(name, Type.of(type_).base)
        value: Any = 7 if type_ == "int" else own if "*" in type_ else Value(own)
        found[name] = CppFunction(type_, value)
    for name in ("origin", "zero"):
        type_ = "const Point" if name == "zero" else "Point"
        found[name] = CppFunction(type_, Value(Object(name, "Point")))
    found["current"] = CppFunction("Point *", Object("current", "Point"))
    return found


def _run(symbol: str, objects: list, notes: list[str], returned: str) -> Run:
    library = _library()
    return Run(symbol, INTERFACE, symbol, objects, notes, returned, "", library, TYPES)


def result_runs(symbols: list[str]) -> Iterator[Run]:
    """A call of each function."""
    for symbol in symbols:
        name, _, returned = RESULTS[symbol]
        names, values = ARGUMENTS.get(symbol, ([], ""))
        owner = "L." if symbol.startswith("Line") and symbol != "Line_make" else ""
        notes = [f"call {owner}{name}({values})"]
        notes += {"little": ["small"], "special": ["special"]}.get(symbol, [])
        yield _run(symbol, _objects(names), notes, returned)


@case("12.6")
def objects_by_value(_draw):
    """A result by value is copied, and Python deletes the copy."""
    symbols = ["mid", "shared", "Line_middle", "Line_make"]
    yield from run_trials(result_runs(symbols))


@case("12.6")
def pointers(_draw):
    """Python does not own what a pointer points to, but for %newobject."""
    symbols = ["pick", "Line_copy", "Line_first", "raw", "create", "create_const"]
    yield from run_trials(result_runs(symbols))


@case("12.6")
def results_of_other_typemaps(_draw):
    """A typemap that is not by pointer gets the object, or the number, itself."""
    yield from run_trials(result_runs(["little", "special"]))


def constructor_runs() -> Iterator[Run]:
    """Calls of constructors."""
    for symbol, arguments, made, type_ in (
        ("new_Point", [1.5], "new Point(1.5)", POINT),
        ("new_Line", [], "new Line()", LINE),
        ("new_Small", [], "new Small()", "SWIGTYPE_p_Small"),
    ):
        notes = [f"self gets {type_} to {made}, {OWNED}"]
        yield _run(symbol, ["self", *arguments], notes, "None")


@case("12.6")
def new_objects(_draw):
    """A constructor gives the new object to the proxy that Python has made."""
    yield from run_trials(constructor_runs())


def field_runs() -> Iterator[Run]:
    """Reads fields and global variables."""
    for name in ("start", "fixed"):
        held = f"{POINT} to L.{name}, {NOT_OWNED}, keeps L alive"
        yield _run(f"Line_{name}_get", _objects(["L"]), [], held)
    for name in ("origin", "zero"):
        held = f"{POINT} to {name}, {NOT_OWNED}, keeps cvar alive"
        yield _run(f"{name}_get", ["cvar"], [], held)


@case("12.6")
def fields_that_are_objects(_draw):
    """A field is not copied: its proxy keeps the object alive that it is a part of."""
    yield from run_trials(field_runs())


def other_field_runs() -> Iterator[Run]:
    """Reads fields and variables that are no objects."""
    yield _run("Line_end_get", _objects(["L"]), [], f"{POINT} to E, {NOT_OWNED}")
    yield _run("current_get", ["cvar"], [], f"{POINT} to current, {NOT_OWNED}")
    yield _run("Line_width_get", _objects(["L"]), [], "1.5")
    yield _run("Line_small_get", _objects(["L"]), ["small"], "1")


@case("12.6")
def fields_that_are_no_objects(_draw):
    """A pointer in a field belongs to C++; a number is copied."""
    yield from run_trials(other_field_runs())


def _descriptor_trial(text: str, expected: str) -> Trial:
    def look(got: Any) -> Wrong:
        try:
            deleted = destroyed_by(str(got), Type.of(text))
        except CompileError as error:
            message, line = error.args
            return Mismatch(f"the generated C++ does not compile: {message}", got=line)
        message = f"the descriptor of {text} is wrong"
        return equals(expected or "nothing", message)(deleted or "nothing")

    title = f"the descriptor of {text}; the interface:\n{INTERFACE}"
    return call_trial(title, look, "wrapper", text=INTERFACE)


@case("12.6")
def what_is_deleted(_draw):
    """An object is deleted as its own type, and only if its class is known."""
    for name in ("Point", "Line", "Small"):
        yield _descriptor_trial(f"{name} *", f"delete {name}")
    for text in ("Opaque *", "void *", "int *", "Point **"):
        yield _descriptor_trial(text, "")


@case("12.6", hidden=True)
def a_whole_library(draw):
    """Functions, fields and descriptors of one library, in any order."""
    runs = [*result_runs([*RESULTS]), *constructor_runs(), *field_runs()]
    yield from run_trials(draw.shuffled([*runs, *other_field_runs()]))
