"""Lab 12, task 4: the body of a wrapper."""

from collections.abc import Iterator
from typing import NamedTuple

from lab_12_bindings.cpp_machine import ERROR
from lab_12_bindings.trials import Run, run_trials

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import Draw

METHODS = ("in", "check", "argout", "freearg")
# For each kind of argument: its pattern, its parameters, an option of the typemap "in",
# and what that does.
KINDS = {
    "one": ("int a{i}", ["a{i}"], "", "temp = number($input); $1 = temp;"),
    "pair": ("(int a{i}, int b{i})", ["a{i}", "b{i}"], "",
             "temp = number($input); $1 = temp; $2 = 3;"),
    "hidden": ("int a{i}", ["a{i}"], ", numinputs=0", "temp = 4; $1 = temp;"),
}  # fmt: skip
FAIL = ("SWIG_fail;", 'SWIG_exception_fail(SWIG_ValueError, "no");', "{ SWIG_fail; }")


class Argument(NamedTuple):
    """An argument: its kind, its typemaps, and the first value of its local variable."""

    kind: str = "one"
    methods: tuple[str, ...] = METHODS
    start: int = 0


def _typemaps(argument: Argument, index: int) -> Iterator[str]:
    """Yields the typemaps of an argument; each notes that it runs."""
    pattern, _, option, convert = KINDS[argument.kind]
    for method in argument.methods:
        code = f'if (fails("{method} $argnum")) {FAIL[index % len(FAIL)]}'
        head, local = method, ""
        if method == "freearg":
            code = 'show("freearg $argnum", temp$argnum);'
        elif method == "in":
            local = f"(int temp{f' = {argument.start}' if argument.start else ''})"
            head, code = f"in{option}", f"{code} {convert}"
        yield f"%typemap({head}) {pattern.format(i=index)} {local} {{ {code} }}\n"


def _interface(arguments: list[Argument], result: str) -> str:
    convert = "SWIG_Py_Void()" if result == "void" else "object($1)"
    out = f'{{ if (fails("out")) SWIG_fail; $result = {convert}; }}'
    text = f"%module m\n%typemap(out) {result} {out}\n"
    names = []
    for i, argument in enumerate(arguments):
        text += "".join(_typemaps(argument, i))
        names += [f"int {name.format(i=i)}" for name in KINDS[argument.kind][1]]
    return f"{text}{result} f({', '.join(names)});\n"


def _steps(arguments: list[Argument]) -> tuple[list[str], list, list[tuple]]:
    """The steps in order, what Python passes, and number and value of the locals."""
    runs: dict[str, list[str]] = {method: [] for method in METHODS}
    objects, values, temps, number = [], [], [], 1
    for index, argument in enumerate(arguments):
        temp = 4 if argument.kind == "hidden" else 10 * (index + 1)
        objects += [temp] if argument.kind != "hidden" else []
        values += [temp, 3] if argument.kind == "pair" else [temp]
        for method in argument.methods:
            runs[method].append(f"{method} {number}")
        temps.append((number, temp, argument))
        number += 2 if argument.kind == "pair" else 1
    call = f"call f({', '.join(map(str, values))})"
    return [*runs["in"], *runs["check"], call, "out", *runs["argout"]], objects, temps


def run_of(arguments: list[Argument], plan: str = "", result: str = "int") -> Run:
    """A run of a function with these arguments, and what must come of it."""
    steps, objects, temps = _steps(arguments)
    notes, failed = [], plan.partition(": ")[2]
    for step in steps:
        notes.append(step)
        if failed and step.startswith(failed):
            break
    for number, temp, argument in temps:
        is_set = f"in {number}" in notes and failed != f"in {number}"
        if "freearg" in argument.methods:
            notes.append(f"freearg {number}: {temp if is_set else argument.start}")
    value = None if result == "void" else 7
    interface, library = _interface(arguments, result), {"f": (result, value)}
    returned = ERROR if plan else str(value)
    return Run(interface, "f", objects, notes, returned, plan, library)


def failing_runs(
    arguments: list[Argument], how: str, result: str = "int"
) -> Iterator[Run]:
    """A run for each step, which fails."""
    for step in _steps(arguments)[0]:
        if not (step.startswith("call") and how == "fail"):
            yield run_of(arguments, f"{how}: {step.partition('(')[0]}", result)


def _drawn(draw: Draw, count: int) -> list[Argument]:
    members = [*KINDS], METHODS[1:], [0, 5, 6]
    return [
        Argument(
            draw.one_of(members[0]),
            ("in", *draw.some_of(members[1])),
            draw.one_of(members[2]),
        )
        for _ in range(count)
    ]


@case("12.4")
def steps_in_their_order(_draw):
    """All arguments are converted, then checked; the call, out and argout follow."""
    for count in range(5):
        for result in ("int", "void"):
            yield from run_trials([run_of([Argument()] * count, result=result)])


@case("12.4", over=["fail", "std::runtime_error", "an_unknown_type"])
def a_step_that_fails(_draw, how):
    """After an error no step runs but freearg, and the wrapper returns the error."""
    for count in range(4):
        yield from run_trials(failing_runs([Argument()] * count, how))
    yield from run_trials(failing_runs([Argument()] * 2, how, "void"))


@case("12.4")
def typemaps_that_an_argument_lacks(draw):
    """An argument runs the typemaps that it has."""
    bare = Argument(methods=("in",))
    for method in METHODS[1:]:
        one = Argument(methods=("in", method))
        yield from run_trials(run_of(some) for some in ([one], [bare, one], [one, bare]))
    for count in range(2, 6):
        yield from run_trials([run_of(_drawn(draw, count))])


@case("12.4")
def local_variables_of_arguments(_draw):
    """Each argument has its local variables; they exist up to freearg."""
    for starts in ((0, 0), (5, 6), (5, 0, 5), (0, 5, 0)):
        arguments = [Argument(start=start) for start in starts]
        yield from run_trials([run_of(arguments), *failing_runs(arguments, "fail")])


@case("12.4")
def arguments_of_several_parameters(_draw):
    """A pair of parameters has one of each step; a hidden argument has all steps too."""
    for kinds in (
        "pair",
        "pair one",
        "one pair one",
        "hidden",
        "hidden one",
        "one hidden",
    ):
        arguments = [Argument(kind) for kind in kinds.split()]
        yield from run_trials([run_of(arguments), *failing_runs(arguments, "fail")])


@case("12.4", hidden=True)
def arguments_of_all_sorts(draw):
    """Any arguments with any typemaps, and each step fails."""
    for count in range(1, 6):
        arguments = _drawn(draw, count)
        yield from run_trials([run_of(arguments), run_of(arguments, result="void")])
        for how in ("fail", "std::runtime_error"):
            yield from run_trials(failing_runs(arguments, how))
