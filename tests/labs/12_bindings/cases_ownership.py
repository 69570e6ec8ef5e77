"""Lab 12, task 6: which objects Python owns, and what keeps the others alive."""

from collections.abc import Iterable
from typing import Any

from lab_12_bindings.cpp_machine import Object, Proxy, Type
from lab_12_bindings.trials import Run, destroyed_by, run_trials, wrapper_trial
from lab_common.checks import equals

from minitf_lab.judge.case import Trial, case

INTERFACE = """%module m
%typemap(in) SWIGTYPE *, SWIGTYPE *self { $1 = ($1_ltype)pointee($input); }
%typemap(in, local="pointer") SWIGTYPE { $1 = ($1_ltype)pointee($input); }
%typemap(in) double { $1 = number($input); }
struct Point { Point(double x); double x; };
struct Small { };
struct Opaque;
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
# For each group of functions: symbol, what Python passes, the notes, and what it gets.
CALLS = {
    "by_value": [
        ("mid", "PQ", ["call mid(*P, Q)"], f"{POINT} to new Point(*mid), owned"),
        ("shared", "", ["call shared()"], f"{POINT} to new Point(*shared), owned"),
        ("Line_middle", "L", ["call L.middle()"],
         f"{POINT} to new Point(*middle), owned"),
        ("Line_make", "PQ", ["call Line::make(*P, *Q)"],
         f"{LINE} to new Line(*Line::make), owned"),
    ],
    "pointers": [
        ("pick", "L", ["call pick(L)"], f"{POINT} to pick, not owned"),
        ("Line_copy", "L", ["call L.copy()"], f"{LINE} to copy, not owned"),
        ("Line_first", "L", ["call L.first()"], f"{POINT} to first, not owned"),
        ("raw", "", ["call raw()"], "SWIGTYPE_p_void to raw, not owned"),
        ("create", "", ["call create()"], f"{POINT} to create, owned"),
        ("create_const", "", ["call create_const()"], f"{POINT} to create_const, owned"),
    ],
    "other_typemaps": [
        ("little", "", ["call little()", "small"], "1"),
        ("special", "", ["call special()", "special"], "7"),
        ("Line_small_get", "L", ["small"], "1"),
        ("Line_width_get", "L", [], "1.5"),
    ],
    "new_objects": [
        ("new_Point", "sx", [f"self gets {POINT} to new Point(1.5), owned"], "None"),
        ("new_Line", "s", [f"self gets {LINE} to new Line(), owned"], "None"),
        ("new_Small", "s", ["self gets SWIGTYPE_p_Small to new Small(), owned"], "None"),
    ],
    "fields": [
        ("Line_start_get", "L", [], f"{POINT} to L.start, not owned, keeps L alive"),
        ("Line_fixed_get", "L", [], f"{POINT} to L.fixed, not owned, keeps L alive"),
        ("Line_end_get", "L", [], f"{POINT} to E, not owned"),
    ],
    "variables": [
        ("origin_get", "c", [], f"{POINT} to origin, not owned, keeps cvar alive"),
        ("zero_get", "c", [], f"{POINT} to zero, not owned, keeps cvar alive"),
        ("current_get", "c", [], f"{POINT} to current, not owned"),
    ],
}  # fmt: skip
# The C++ type of each function's result, and of each variable.
LIBRARY = {
    "mid": "Point", "shared": "const Point", "middle": "Point", "Line::make": "Line",
    "pick": "Point *", "copy": "Line *", "first": "const Point *", "raw": "void *",
    "create": "Point *", "create_const": "const Point *", "little": "Small",
    "special": "int", "origin": "Point", "zero": "const Point", "current": "Point *",
}  # fmt: skip
FIELDS = {"start": "Point", "fixed": "const Point", "small": "Small", "end": "Point *"}


def _held(name: str, type_: str) -> tuple[str, Any]:
    """A value of a C++ type, which is called by a name."""
    own = Object(name)
    return type_, 7 if type_ == "int" else own if "*" in type_ else own.by_value()


def _run(symbol: str, passed: str, notes: list[str], returned: str) -> Run:
    fields = {
        name: _held("E" if name == "end" else f"L.{name}", type_)
        for name, type_ in FIELDS.items()
    }
    line = Object("L", fields | {"width": ("double", 1.5)})
    points = {name: Proxy(Object(name), POINT) for name in "PQ"}
    objects = {"L": Proxy(line, LINE), **points, "s": "self", "x": 1.5, "c": "cvar"}
    library = {name: _held(name, type_) for name, type_ in LIBRARY.items()}
    arguments = [objects[one] for one in passed]
    return Run(INTERFACE, symbol, arguments, notes, returned, "", library, TYPES)


def _trials(calls: Iterable[tuple]) -> Iterable[Trial]:
    return run_trials(_run(*call) for call in calls)


@case("12.6", over=[*CALLS])
def who_deletes(_draw, kind):
    """Python gets copies of values, owns new objects, and keeps owners of fields."""
    yield from _trials(CALLS[kind])


@case("12.6")
def what_is_deleted(_draw):
    """An object is deleted as its own type, and only if its class is known."""
    for text in (
        "Point *",
        "Line *",
        "Small *",
        "Opaque *",
        "void *",
        "int *",
        "Point **",
    ):
        is_known = text.count("*") == 1 and text[0] in "PLS"
        expected = f"delete {Type.of(text).base}" if is_known else "nothing"
        message = f"the descriptor of {text} is wrong"
        look = lambda got, text=text, e=expected, m=message: equals(e, m)(  # noqa: E731
            destroyed_by(str(got), text)
        )
        yield wrapper_trial(f"the descriptor of {text}", INTERFACE, look)


@case("12.6", hidden=True)
def a_whole_library(draw):
    """All functions of one library, in any order."""
    yield from _trials(
        draw.shuffled([call for calls in CALLS.values() for call in calls])
    )
