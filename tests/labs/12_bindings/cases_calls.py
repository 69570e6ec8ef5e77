"""Lab 12, task 5: the call itself, between the typemaps."""

from lab_12_bindings.cpp_machine import ERROR
from lab_12_bindings.trials import Run, run_trials

from minitf_lab.judge.case import case

TYPEMAPS = """
struct Box { int v; };
enum Color { RED };
%typemap(in) int a { note("in"); $1 = number($input); }
%typemap(check) int a { note("check"); }
%typemap(argout) int a { note("argout"); }
%typemap(freearg) int a { note("freearg"); }
%typemap(out) int, double, bool, const char *, char *, enum SWIGTYPE, const Box *, Box * {
  note("out");
  $result = object($1);
}
%typemap(out) void { note("out"); $result = SWIG_Py_Void(); }
"""
# Results of the C++ function, with a value.
RESULTS = {
    "int": 7, "double": 2.5, "const char *": "text", "char *": "word", "Color": 1,
    "const Box *": "a box", "Box *": "a box", "const int": 8, "void": None,
}  # fmt: skip
# The head of a module, directives, and whether f releases the GIL then.
THREADS = [
    ("%module m", "", False),
    ('%module(threads="0") m', "", False),
    ('%module(threads="1") m', "", True),
    ('%module(threads="1") m', "%nothread f;", False),
    ('%module(threads="1") m', "%nothread;\n%thread f;", True),
    ("%module m", "%thread f;", True),
]
# The code of %exception, and the notes between check and out; "call" is a call.
AROUND = [
    ("$action", ["call"]),
    ('note("before"); $action', ["before", "call"]),
    ('$action note("behind");', ["call", "behind"]),
    ('note("before"); $action note("behind");', ["before", "call", "behind"]),
    ('int code = 3; $action show("code", code);', ["call", "code: 3"]),
    ('if (fails("test")) SWIG_fail; $action', ["test", "call"]),
    (";", []),
    ('note("no call");', ["no call"]),
    ("$action $action", ["call", "call"]),
    ('{ $action } note("again"); $action', ["call", "again", "call"]),
]
CATCH = """try { note("before"); $action note("behind"); }
catch (const std::runtime_error& error) {
  note("caught"); SWIG_exception_fail(SWIG_ValueError, "no");
}"""


def run_of(result: str, threads: tuple, around: tuple = AROUND[0], plan: str = "") -> Run:
    """A run of a function of one argument, whose call succeeds or throws."""
    (head, directives, is_released), (code, steps) = threads, around
    call = f"call f(10){' without the GIL' if is_released else ''}"
    notes = ["in", "check", *(call if step == "call" else step for step in steps)]
    notes += [] if plan else ["out", "argout"]
    exception = "" if code == "$action" else f"%exception f {{ {code} }}\n"
    interface = f"{head}\n{TYPEMAPS}{directives}\n{exception}{result} f(int a);\n"
    value = RESULTS[result] if call in notes or result == "void" else 0
    return Run(
        interface, "f", [10], [*notes, "freearg"], ERROR if plan else str(value), plan,
        {"f": (result, value)}, ["Box", "Color"],
    )  # fmt: skip


@case("12.5")
def results_of_all_types(_draw):
    """The result is kept, in a variable that need not have its type."""
    for result in RESULTS:
        for threads in (THREADS[0], THREADS[2]):
            yield from run_trials([run_of(result, threads)])


@case("12.5")
def functions_that_release_the_gil(_draw):
    """The GIL is released during the call, and held in all steps around."""
    for threads in THREADS:
        yield from run_trials(run_of(result, threads) for result in ("int", "void"))


@case("12.5", over=["held", "released"])
def code_around_the_call(_draw, gil):
    """The code of %exception runs with the GIL held, and each $action is a call."""
    threads = THREADS[2 if gil == "released" else 0]
    for around in AROUND:
        yield from run_trials(
            run_of(result, threads, around) for result in ("int", "void")
        )


@case("12.5")
def a_call_that_throws(_draw):
    """An exception of the call is caught by %exception, or behind it."""
    for threads in THREADS:
        caught, other = (CATCH, ["before", "call", "caught"]), (CATCH, ["before", "call"])
        error = "std::runtime_error: call f"
        yield from run_trials([
            run_of("int", threads, AROUND[0], error),
            run_of("int", threads, caught, error),
            run_of("int", threads, other, "std::bad_alloc: call f"),
            run_of("void", threads, (CATCH, ["before", "call", "behind"])),
        ])  # fmt: skip


@case("12.5", hidden=True)
def everything_together(_draw):
    """All results, with all code around the call, in all kinds of module."""
    for threads in THREADS:
        for around in AROUND[:6]:
            yield from run_trials(run_of(result, threads, around) for result in RESULTS)
