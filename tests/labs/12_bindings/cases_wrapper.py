"""Lab 12, task 4: the body of a wrapper."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab_12_bindings.cpp_machine import ERROR, CppFunction
from lab_12_bindings.trials import Run, run_trials

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import Draw

METHODS = ("in", "check", "argout", "freearg")
# For each kind of argument: the pattern of its typemaps, the names of its parameters, the
# option, and what the typemap "in" does with its local variable.
KINDS = {
    "one": ("int a{i}", ["a{i}"], "", "temp = number($input); $1 = temp;"),
    "pair": ("(int a{i}, int b{i})", ["a{i}", "b{i}"], "",
             "temp = number($input); $1 = temp; $2 = 3;"),
    "hidden": ("int a{i}", ["a{i}"], ", numinputs=0", "temp = 4; $1 = temp;"),
}  # fmt: skip
# How a typemap fails.
FAIL = ("SWIG_fail;", 'SWIG_exception_fail(SWIG_ValueError, "no");', "{ SWIG_fail; }")


@dataclass(frozen=True)
class Argument:
    """An argument: its kind, its typemaps, and the first value of its local variable."""

    kind: str = "one"
    methods: tuple[str, ...] = METHODS
    start: int = 0


def _typemaps(argument: Argument, index: int) -> str:
    """The typemaps of an argument; each notes that it runs."""
    pattern, _, option, convert = KINDS[argument.kind]
    pattern = pattern.format(i=index)
    local = f"int temp = {argument.start}" if argument.start else "int temp"
    fail = FAIL[index % len(FAIL)]
    lines = []
    for method in argument.methods:
        code = f'if (fails("{method} $argnum")) {fail}'
        if method == "freearg":
            code = 'show("freearg $argnum", temp$argnum);'
        if method == "in":
            code = f"{code} {convert}"
        head = f"in{option}" if method == "in" else method
        locals_ = f" ({local})" if method == "in" else ""
        lines.append(f"%typemap({head}) {pattern}{locals_} {{ {code} }}")
    return "\n".join(lines)


def _interface(arguments: list[Argument], result: str) -> str:
    convert = "SWIG_Py_Void()" if result == "void" else "object($1)"
    out = (
        f'%typemap(out) {result} {{ if (fails("out")) SWIG_fail; $result = {convert}; }}'
    )
    names = [
        name.format(i=i)
        for i, argument in enumerate(arguments)
        for name in KINDS[argument.kind][1]
    ]
    parameters = ", ".join(f"int {name}" for name in names)
    texts = [_typemaps(argument, i) for i, argument in enumerate(arguments)]
    return "\n".join(["%module m", *texts, out, f"{result} f({parameters});\n"])


def _steps(arguments: list[Argument]) -> tuple[list[str], list, list[str], list]:
    """The steps in order, what Python passes, the values for C++, and the locals."""
    numbers, objects, values, temps = [], [], [], []
    number = 1
    for index, argument in enumerate(arguments):
        numbers.append(number)
        temp = 4 if argument.kind == "hidden" else 10 * (index + 1)
        objects += [temp] if argument.kind != "hidden" else []
        values += [temp, 3] if argument.kind == "pair" else [temp]
        temps.append(temp)
        number += len(KINDS[argument.kind][1])
    runs = {
        method: [
            f"{method} {number}"
            for number, one in zip(numbers, arguments, strict=True)
            if method in one.methods
        ]
        for method in METHODS
    }
    call = f"call f({', '.join(map(str, values))})"
    steps = [*runs["in"], *runs["check"], call, "out", *runs["argout"]]
    return steps, objects, runs["freearg"], temps


def run_of(arguments: list[Argument], plan: str = "", result: str = "int") -> Run:
    """A run of a function with these arguments, and what must come of it."""
    steps, objects, freeargs, temps = _steps(arguments)
    notes, failed = [], plan.partition(": ")[2]
    for step in steps:
        notes.append(step)
        if step == failed or (step.startswith("call") and failed == "call f"):
            break
    numbers = [step.split()[1] for step in steps if step.startswith("in ")]
    for number, argument, temp in zip(numbers, arguments, temps, strict=True):
        if f"freearg {number}" in freeargs:
            has_begun = f"in {number}" in notes and failed != f"in {number}"
            notes.append(f"freearg {number}: {temp if has_begun else argument.start}")
    returned = "None" if result == "void" else "7"
    return Run(
        f"{result} f with the arguments {[one.kind for one in arguments]}",
        _interface(arguments, result), "f", objects, notes,
        ERROR if plan else returned, plan,
        {"f": CppFunction(result, None if result == "void" else 7)},
    )  # fmt: skip


def failing_runs(
    arguments: list[Argument], how: str, result: str = "int"
) -> Iterator[Run]:
    """A run for each step, which fails."""
    steps, *_ = _steps(arguments)
    for step in steps:
        is_call = step.startswith("call")
        if not (is_call and how == "fail"):
            yield run_of(arguments, f"{how}: {'call f' if is_call else step}", result)


def _drawn(draw: Draw, count: int) -> list[Argument]:
    return [
        Argument(
            draw.one_of([*KINDS]),
            ("in", *draw.some_of(METHODS[1:])),
            draw.one_of([0, 5, 6]),
        )
        for _ in range(count)
    ]


@case("12.4")
def steps_in_their_order(_draw):
    """All arguments are converted, then checked; the call, out and argout follow."""
    for count in range(5):
        yield from run_trials([run_of([Argument()] * count)])
        yield from run_trials([run_of([Argument()] * count, result="void")])


@case("12.4", over=["fail", "std::runtime_error", "an_unknown_type"])
def a_step_that_fails(_draw, how):
    """After an error no step runs but freearg, and the wrapper returns the error."""
    for count in range(4):
        yield from run_trials(failing_runs([Argument()] * count, how))
    yield from run_trials(failing_runs([Argument()] * 2, how, "void"))


@case("12.4")
def typemaps_that_an_argument_lacks(draw):
    """An argument runs the typemaps that it has."""
    for method in METHODS[1:]:
        one = Argument(methods=("in", method))
        bare = Argument(methods=("in",))
        yield from run_trials(run_of(some) for some in ([one], [bare, one], [one, bare]))
    for count in range(2, 6):
        yield from run_trials([run_of(_drawn(draw, count))])


@case("12.4")
def local_variables_of_arguments(_draw):
    """Each argument has its local variables; they exist up to freearg."""
    for starts in ((0, 0), (5, 6), (5, 0, 5), (0, 5, 0)):
        arguments = [Argument(start=start) for start in starts]
        yield from run_trials([run_of(arguments)])
        yield from run_trials(failing_runs(arguments, "fail"))


@case("12.4")
def arguments_of_several_parameters(_draw):
    """A pair of parameters has one of each step; a hidden one has all steps too."""
    for kinds in (
        ("pair",), ("pair", "one"), ("one", "pair", "one"), ("hidden",),
        ("hidden", "one"), ("one", "hidden"), ("pair", "hidden", "pair"),
    ):  # fmt: skip
        arguments = [Argument(kind) for kind in kinds]
        yield from run_trials([run_of(arguments)])
        yield from run_trials(failing_runs(arguments, "fail"))


@case("12.4", hidden=True)
def arguments_of_all_sorts(draw):
    """Any arguments with any typemaps, and each step fails."""
    for count in range(1, 6):
        arguments = _drawn(draw, count)
        yield from run_trials([run_of(arguments), run_of(arguments, result="void")])
        for how in ("fail", "std::runtime_error"):
            yield from run_trials(failing_runs(arguments, how))
