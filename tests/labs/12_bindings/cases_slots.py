"""Lab 12, task 3: which argument of Python goes to which parameters of C++."""

from typing import Any

from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

# Typemaps by the names of parameters: a pair from one argument; nothing from Python.
TYPEMAPS = """%module m
%typemap(in) (double *many, int count) { }
%typemap(in, numinputs=0) int hidden { }
%typemap(in, numinputs=0) (int *out, int size) { }
%typemap(in) (int a, int b, int c) { }
"""
# Groups of parameters: the text of each, their names, and whether Python passes one.
GROUPS = {
    "number": (["int n{i}"], ["n{i}"], True),
    "text": (["const char *t{i}"], ["t{i}"], True),
    "hidden": (["int hidden"], ["hidden"], False),
    "pair": (["double *many", "int count"], ["many", "count"], True),
    "hidden pair": (["int *out", "int size"], ["out", "size"], False),
    "triple": (["int a", "int b", "int c"], ["a", "b", "c"], True),
}
# For each kind of function: its C++ text in a struct Box, its symbol, what Python passes
# in front, and whether that object is an argument.
KINDS = {
    "function": ("int f({});", "f", [], False),
    "constructor": ("struct Box {{ Box({}); }};", "new_Box", ["self"], False),
    "method": ("struct Box {{ int f({}); }};", "Box_f", [], True),
    "static": ("struct Box {{ static int f({}); }};", "Box_f", [], False),
}


def _arguments_of(groups: list[str], names: list[str], *, is_method: bool) -> list:
    """Returns the reply that the driver must give for groups of parameters."""
    names, arguments, number = list(names), [], 1
    if is_method:
        names, arguments, number = [*names, "self"], [[1, len(names), ["self"]]], 2
    for i, group in enumerate(groups):
        own = [name.format(i=i) for name in GROUPS[group][1]]
        slot = len(names) if GROUPS[group][2] else -1
        names += own[:1] if GROUPS[group][2] else []
        arguments.append([number, slot, own])
        number += len(own)
    return [names, arguments]


def _trial(interface: str, expected: dict[str, Any]) -> Trial:
    """Compares the arguments of the functions of an interface."""

    def look(got: Any) -> Wrong:
        for symbol, wanted in expected.items():
            message = f"{symbol}: names, and (number, slot, parameters) of the arguments"
            if wrong := equals(wanted, message)(got[symbol]):
                return wrong
        return None

    return call_trial(f"the interface:\n{interface}", look, "arguments", text=interface)


def _function_trial(kind: str, groups: list[str]) -> Trial:
    form, symbol, names, is_method = KINDS[kind]
    parameters = [
        text.format(i=i) for i, group in enumerate(groups) for text in GROUPS[group][0]
    ]
    expected = _arguments_of(groups, names, is_method=is_method)
    interface = TYPEMAPS + form.format(", ".join(parameters))
    return _trial(interface, {symbol: expected})


def _drawn(draw: Draw, count: int) -> list[str]:
    return [draw.one_of([*GROUPS]) for _ in range(count)]


@case("12.3", over=[*KINDS])
def one_slot_for_each_argument(_draw, kind):
    """Arguments have slots in their order."""
    for count in range(5):
        yield _function_trial(kind, ["number", "text", "number", "number"][:count])


@case("12.3", over=[*KINDS])
def arguments_that_python_does_not_pass(draw, kind):
    """An argument with numinputs=0 has no slot, and takes none from the others."""
    for groups in (
        ["hidden"], ["hidden", "number"], ["number", "hidden"], ["hidden pair", "text"],
        ["number", "hidden", "number"], ["hidden pair", "hidden", "number", "number"],
    ):  # fmt: skip
        yield _function_trial(kind, groups)
    for count in range(2, 6):
        yield _function_trial(kind, [*_drawn(draw, count), "hidden", "number"])


@case("12.3", over=[*KINDS])
def several_parameters_of_one_argument(_draw, kind):
    """A pattern of several parameters is one argument; the next number is behind them."""
    for groups in (
        ["pair"], ["pair", "number"], ["number", "pair", "number"], ["triple", "text"],
        ["pair", "triple", "pair", "number"], ["triple", "hidden pair", "pair"],
    ):  # fmt: skip
        yield _function_trial(kind, groups)


@case("12.3")
def global_variables(_draw):
    """The functions of a global variable get cvar in front."""
    for text, name in (("int v;", "v"), ("double w = 2;", "w"), ("char *t;", "t")):
        setter = [["self", name], [[1, 1, [name]]]]
        expected = {f"{name}_get": [["self"], []], f"{name}_set": setter}
        yield _trial(TYPEMAPS + text, expected)


@case("12.3")
def fields(_draw):
    """The functions of a field get the object as their first argument."""
    for text, name in (("int v;", "v"), ("const char *t;", "t"), ("Box *next;", "next")):
        this = [1, 0, ["self"]]
        setter = [["self", name], [this, [2, 1, [name]]]]
        getter = [["self"], [this]]
        expected = {f"Box_{name}_get": getter, f"Box_{name}_set": setter}
        yield _trial(f"{TYPEMAPS}struct Box {{ {text} }};", expected)


@case("12.3", over=[*KINDS], hidden=True)
def long_lists(draw, kind):
    """Long lists of parameters of all sorts."""
    for count in range(4, 16):
        yield _function_trial(kind, _drawn(draw, count))
