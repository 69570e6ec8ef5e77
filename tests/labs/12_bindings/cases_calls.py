"""Lab 12, task 5: the call itself, between the typemaps."""

from collections.abc import Iterator

from lab_12_bindings.cpp_machine import ERROR, CppFunction
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
# How the module and the function say whether the GIL is released: the head, directives,
# and whether it is.
THREADS = [
    ("%module m", "", False),
    ('%module(threads="0") m', "", False),
    ('%module(threads="1") m', "", True),
    ('%module(threads="1") m', "%nothread f;", False),
    ('%module(threads="1") m', "%nothread;\n%thread f;", True),
    ("%module m", "%thread f;", True),
]
# The code of %exception, and the notes before and behind the call.
AROUND = [
    ("$action", [], []),
    ('note("before"); $action', ["before"], []),
    ('$action note("behind");', [], ["behind"]),
    ('note("before"); $action note("behind");', ["before"], ["behind"]),
    ('{ int code = 3; $action show("code", code); }', [], ["code: 3"]),
    ('int code = 3; $action show("code", code);', [], ["code: 3"]),
    ('if (fails("test")) SWIG_fail; $action', ["test"], []),
    ('try { $action } catch (...) { note("caught"); SWIG_fail; }', [], []),
]
CATCH = (
    'try { note("before"); $action note("behind"); } '
    "catch (const std::runtime_error& error) "
    '{ note("caught"); SWIG_exception_fail(SWIG_ValueError, "no"); }'
)


def run_of(
    result: str = "int",
    threads: tuple[str, str, bool] = THREADS[0],
    around: tuple[str, list[str], list[str]] = AROUND[0],
    plan: str = "",
) -> Run:
    """A run of a function with one argument, whose call succeeds or throws."""
    head, directives, is_released = threads
    code, before, behind = around
    call = f"call f(10){' without the GIL' if is_released else ''}"
    notes = ["in", "check", *before, call]
    if plan:
        notes += [note for note in behind if note == "caught"]
    else:
        notes += [*(note for note in behind if note != "caught"), "out", "argout"]
    exception = "" if code == "$action" else f"%exception f {{ {code} }}\n"
    interface = f"{head}\n{TYPEMAPS}{directives}\n{exception}{result} f(int a);\n"
    value = RESULTS[result]
    return Run(
        f"{result} f(int a), %exception {code!r}", interface, "f", [10],
        [*notes, "freearg"], ERROR if plan else str(value), plan,
        {"f": CppFunction(result, value)}, ["Box", "Color"],
    )  # fmt: skip


@case("12.5")
def results_of_all_types(_draw):
    """The result is kept, in a variable that need not have its type."""
    for result in RESULTS:
        yield from run_trials([run_of(result)])
        yield from run_trials([run_of(result, THREADS[2])])
    yield from run_trials([run_of("const char *", THREADS[2], AROUND[3])])


@case("12.5")
def functions_that_release_the_gil(_draw):
    """The GIL is released during the call, and held in all steps around."""
    for threads in THREADS:
        for result in ("int", "void"):
            yield from run_trials([run_of(result, threads)])


@case("12.5")
def code_around_the_call(_draw):
    """The code of %exception runs with the GIL held, before and behind the call."""
    for around in AROUND:
        for threads in (THREADS[0], THREADS[2]):
            yield from run_trials([run_of("int", threads, around)])
            yield from run_trials([run_of("void", threads, around)])


@case("12.5")
def a_call_that_throws(_draw):
    """An exception of the call is caught by %exception, or behind it."""
    caught = (CATCH, ["before"], ["behind", "caught"])
    for threads in THREADS:
        plan = "std::runtime_error: call f"
        yield from run_trials([run_of("int", threads, AROUND[0], plan)])
        yield from run_trials([run_of("int", threads, caught, plan)])
        other = (CATCH, ["before"], ["behind"])
        yield from run_trials([run_of("int", threads, other, "std::bad_alloc: call f")])
        yield from run_trials([run_of("void", threads, caught)])


def _runs_of_several_calls() -> Iterator[Run]:
    for code, count in (
        (";", 0), ('note("no call");', 0), ("$action $action", 2),
        ("{ $action } $action", 2), ('$action note("again"); $action $action', 3),
    ):  # fmt: skip
        for threads in (THREADS[0], THREADS[2]):
            call = f"call f(10){' without the GIL' if threads[2] else ''}"
            run = run_of("int", threads, (code, [], []))
            notes = [call] * count
            if "note" in code:
                text = code.split('"')[1]
                notes = [call, text, *notes[1:]] if count else [text]
            run.notes = ["in", "check", *notes, "out", "argout", "freearg"]
            run.returned = "7" if count else "0"
            yield run


@case("12.5")
def several_calls_or_none(_draw):
    """Each $action is a call of its own."""
    yield from run_trials(_runs_of_several_calls())


@case("12.5", hidden=True)
def everything_together(_draw):
    """All results, with all code around the call, in all kinds of module."""
    for threads in THREADS:
        for around in AROUND:
            for result in RESULTS:
                yield from run_trials([run_of(result, threads, around)])
