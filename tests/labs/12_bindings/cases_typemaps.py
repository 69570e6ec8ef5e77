"""Lab 12, tasks 1 and 2: the code of a typemap, and the choice of a typemap."""

from typing import Any

from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Call, Raised, Trial, case
from minitf_lab.judge.draw import Draw

# ---- 12.1 Special variables and local variables ---------------------------------------

VARIABLES = {
    "1": "arg2", "2": "arg3", "12": "arg13", "1_type": "int const", "1_ltype": "int",
    "*1_ltype": "char", "&1_ltype": "char **", "1_descriptor": "SWIGTYPE_p_Box",
    "input": "swig_obj[1]", "result": "resultobj", "argnum": "2", "symname": "f",
    "where": "in method 'f', argument 2 of type 'temp'",
}  # fmt: skip


def _word_at(code: str, at: int) -> str:
    end = at
    while end < len(code) and (code[end].isalnum() or code[end] == "_"):
        end += 1
    return code[at:end]


def expanded(code: str, names: list[str], variables: dict[str, str]) -> str:
    """The code with all names replaced, read once from left to right."""
    out, at = "", 0
    while at < len(code):
        sign = code[at + 1 : at + 2] if code[at + 1 : at + 2] in ("*", "&") else ""
        word = _word_at(code, at) or code[at]
        if code[at] == "$":
            word = f"${sign}{_word_at(code, at + 1 + len(sign))}"
            out += variables[word[1:]]
        else:
            is_member = code[:at].endswith((".", "->", "::"))
            is_own = word in names and not is_member
            out += word + variables["argnum"] if is_own else word
        at += len(word)
    return out


def _expand_trial(code: str, names: list[str], variables: dict[str, str]) -> Trial:
    return call_trial(
        f"the code {code!r}, local variables {names}",
        equals(expanded(code, names, variables)), "expand",
        code=code, local_names=names, variables=variables,
    )  # fmt: skip


@case("12.1")
def special_variables(_draw):
    """A name behind $ becomes its value."""
    for name in VARIABLES:
        for code in (f"${name}", f"f(${name});", f"${name} = ${name} + ${name};"):
            yield _expand_trial(code, [], VARIABLES)


@case("12.1")
def whole_names(_draw):
    """The name behind $ is as long as it can be, and * or & may stand in front."""
    for code in (
        "$12 $1 $2", "$1_type", "$1_ltype $1", "$1.x", "$1->x[$2]", "($1)+$2",
        "$*1_ltype c = *$1;", "$&1_ltype p = &$1;", "&$1*$2", "$1&$2",
    ):  # fmt: skip
        yield _expand_trial(code, [], VARIABLES)


@case("12.1")
def local_variables(_draw):
    """Each argument has local variables of its own."""
    for number in ("0", "1", "10"):
        variables = VARIABLES | {"argnum": number}
        for code in ("temp", "temp = 1;", "f(&temp, n)", "temp+n*temp-n", "int temp = n"):
            yield _expand_trial(code, ["temp", "n"], variables)


@case("12.1")
def words_that_are_no_local_variables(_draw):
    """Only whole words are local variables, and members of others are none."""
    for code in (
        "temperature", "attempt", "temp_1", "temp2", "_temp", "n1 + n", "tempn",
        "box.temp", "box->temp", "Box::temp", "box.temp(temp)", "temp.temp", "temp->n",
        "n::temp(n)", "temp*n", "a < temp && n > temp", "n>temp",
        "n?n:temp", "!temp", "x[temp]", "{temp}",
    ):  # fmt: skip
        yield _expand_trial(code, ["temp", "n"], VARIABLES)


@case("12.1")
def values_stay_as_they_are(_draw):
    """The value of a special variable is not replaced again."""
    for value in ("temp", "in 'temp' of n", "$1", "$result + temp"):
        variables = VARIABLES | {"input": value}
        yield _expand_trial("$input; temp; $1; n;", ["temp", "n"], variables)
    yield _expand_trial("arg2 = $1;", ["arg2"], VARIABLES)
    yield _expand_trial("$where", ["temp"], VARIABLES)


@case("12.1")
def unknown_variables(_draw):
    """A name that has no value is an error of the interface, with the name in it."""

    def check(values: list[Any]) -> str | None:
        got = values[0]
        if not isinstance(got, Raised) or "InterfaceError" not in got.type:
            return f"expected an InterfaceError, got {got}"
        return None if "$nothing" in got.message else f"it does not say $nothing: {got}"

    for code in ("$nothing", "$1 = $nothing;", "{ temp; $nothing }"):
        arguments = {"code": code, "local_names": ["temp"], "variables": VARIABLES}
        call = Call("expand", arguments, may_raise=True)
        yield Trial(f"the code {code!r}", [call], check)


@case("12.1", hidden=True)
def mixed_code(draw):
    """Variables and names in any order."""
    ends = ["->", ".", "::", " ", "(", ";", "+", "&", "[", ", "]
    words = [*(f"${name}" for name in VARIABLES), "temp", "n", "x", "temps", "1"]
    for length in range(2, 30):
        code = "".join(draw.one_of(words) + draw.one_of(ends) for _ in range(length))
        yield _expand_trial(code, draw.some_of(["temp", "n", "x"], least=1), VARIABLES)


# ---- 12.2 The choice of a typemap -----------------------------------------------------

# The meaning of each name of a type, here and in C++.
NAMES: dict[str, Any] = {
    "int": "scalar", "double": "scalar", "Box": "class", "Color": "enum",
    "Number": ["int", False, ""], "Count": ["Number", False, ""],
    "Crate": ["Box", False, ""], "Handle": ["Box", False, "*"],
    "View": ["Box", True, "*"], "Shade": ["Color", False, ""], "Fixed": ["int", True, ""],
}  # fmt: skip
DECLARATIONS = """class Box { }; enum Color { RED };
typedef int Number; typedef Number Count; typedef Box Crate; typedef Box *Handle;
typedef const Box *View; typedef Color Shade; typedef const int Fixed;
"""
# By kind: a parameter, and the patterns that fit, the closest first. SWIG 4.1 has the
# same order (test_lab_wrappers.py). Names of parameters begin with p.
ORDERS = {
    "numbers": ["int p: int p, int", "const int p: const int p, const int, int p, int"],
    "typedefs": [
        "Count p: Count p, Count, Number p, Number, int p, int",
        "const Count p: const Count, Count, const Number, Number, const int",
        "Fixed p: Fixed, const int p, const int, int p, int",
        "Handle p: Handle p, Handle, Box *p, Box *, SWIGTYPE *",
        "View p: View, const Box *p, const Box *, Box *, SWIGTYPE *",
    ],
    "classes": [
        "Box p: Box p, Box, SWIGTYPE p, SWIGTYPE",
        "const Crate p: const Crate, Crate, const Box, Box, const SWIGTYPE",
    ],
    "pointers": [
        "int *p: int *p, int *, SWIGTYPE *",
        "Box *p: Box *p, Box *, SWIGTYPE *p, SWIGTYPE *",
        "const Box *p: const Box *, Box *, const SWIGTYPE *, SWIGTYPE *",
        "Box **p: Box **p, Box **, SWIGTYPE *p, SWIGTYPE *",
        "Handle *p: Handle *, Box **, SWIGTYPE *p, SWIGTYPE *",
    ],
    "enums": [
        "Color p: Color p, Color, enum SWIGTYPE p, enum SWIGTYPE",
        "Shade p: Shade, Color, enum SWIGTYPE",
        "Color *p: Color *, SWIGTYPE *",
    ],
}
# For two parameters, the patterns of each, the closest first.
PAIRS = ["Count p", "Count", "int"], ["const Box *p1", "Box *", "SWIGTYPE *"]


def _parameters(text: str) -> list[list]:
    """Reads ``const Box *p, int``: of each the base type, const, stars and name."""
    found = []
    for one in text.split(", "):
        words = one.replace("*", " ").split()
        name = words.pop() if words[-1][0] == "p" else ""
        base = " ".join(word for word in words if word != "const")
        found.append([base, "const" in words, "*" * one.count("*"), name])
    return found


def _distance(pattern: list, parameter: list) -> tuple[int, int, int] | None:
    """How far a pattern is from a parameter; None if it does not fit."""
    base, is_const, marks, name = parameter
    levels = [(base, is_const, marks)]
    while isinstance(kind := NAMES[base], list):
        base, is_const, marks = kind[0], is_const or kind[1], kind[2] + marks
        levels.append((base, is_const, marks))
    if marks or kind == "class":
        levels.append(("SWIGTYPE", is_const, marks[:1]))
    elif kind == "enum":
        levels.append(("enum SWIGTYPE", is_const, ""))
    found = [
        (level, int(pattern[1] != is_const), int(pattern[3] != name))
        for level, (base, is_const, marks) in enumerate(levels)
        if (pattern[0], pattern[2]) == (base, marks) and (is_const or not pattern[1])
    ]
    return min(found) if found and pattern[3] in ("", name) else None


def chosen(typemaps: list, method: str, parameters: list[list]) -> str | None:
    """The index of the typemap that must be found, as a text."""
    ranks = []
    for index, (other, pattern) in enumerate(typemaps):
        distances = [_distance(*pair) for pair in zip(pattern, parameters, strict=False)]
        if other == method and len(pattern) <= len(parameters) and None not in distances:
            # A later typemap replaces an earlier one with the same pattern.
            ranks.append((-len(pattern), distances, -index))
    return str(-min(ranks)[-1]) if ranks else None


def _drawn_trial(typemaps: list, queries: list, indices: list | None = None) -> Trial:
    """Looks for a typemap for each query; without ``indices``, ``chosen`` says which."""
    indices = indices or [chosen(typemaps, *query) for query in queries]

    def look(got: Any) -> Wrong:
        for query, one, index in zip(queries, got, indices, strict=True):
            if one != index:
                return equals(index, f"wrong typemap for (type, const, *, name) {query}")(
                    one
                )
        return None

    lines = [f"{i}: typemap {typemap}" for i, typemap in enumerate(typemaps)]
    return call_trial(
        "\n".join(["the typemaps", *lines]), look, "find",
        typemaps=typemaps, names=NAMES, queries=queries,
    )  # fmt: skip


def _find_trial(patterns: list[str], query: str, index: str | None = None) -> Trial:
    """Looks for a typemap(in) among patterns."""
    typemaps = [["in", _parameters(text)] for text in patterns]
    return _drawn_trial(typemaps, [["in", _parameters(query)]], index and [index])


@case("12.2", over=[*ORDERS])
def the_closest_pattern(draw, kind):
    """The closer one of two patterns wins, whatever their order is."""
    for text in ORDERS[kind]:
        parameter, _, rest = text.partition(": ")
        patterns = rest.split(", ")
        for i, near in enumerate(patterns):
            yield _find_trial([near], parameter, "0")
            for far in patterns[i + 1 :]:
                yield _find_trial([near, far], parameter, "0")
                yield _find_trial([far, near], parameter, "1")
        yield _find_trial(draw.shuffled([*patterns, "double"]), parameter)


@case("12.2")
def patterns_that_do_not_fit(_draw):
    """A typemap of another type, name or method is not taken."""
    for text in ("double", "int p2", "Box", "int *", "SWIGTYPE", "SWIGTYPE *",
                 "const int", "enum SWIGTYPE", "const double"):  # fmt: skip
        yield _find_trial([text], "int p")
        yield _find_trial(["int", text], "int p")
        out = ["out", _parameters("int")]
        yield _drawn_trial([out, ["in", _parameters(text)]], [["in", out[1]], out])
    yield _find_trial([], "int p")
    for text, query in (
        ("SWIGTYPE", "Color p"),
        ("SWIGTYPE", "Box *"),
        ("SWIGTYPE *", "Box"),
    ):
        yield _find_trial([text], query)


@case("12.2")
def several_parameters(_draw):
    """A pattern with more parameters wins, and each of its parameters must fit."""
    one, two, three = "int p", "int, double", "int, SWIGTYPE *, double"
    for patterns in ([one, two, three], [three, two, one], [two, one], [three, one]):
        for query in (
            "int p", "int p, double", "int p, Box *p", "double p, int p", "Fixed p",
            "int p, Box *, double p", "int p, double p, int", "Count p, double",
            "int, double *p", "int p, Handle, double",
        ):  # fmt: skip
            yield _find_trial(patterns, query)


@case("12.2")
def the_first_parameter_counts_first(_draw):
    """The pattern that is closer to the first parameter wins over one of equal length."""
    pairs = [f"{first}, {second}" for first in PAIRS[0] for second in PAIRS[1]]
    for i, near in enumerate(pairs):
        for far in pairs[i + 1 :]:
            yield _find_trial([near, far], "Count p, const Box *p1", "0")
            yield _find_trial([far, near], "Count p, const Box *p1", "1")


@case("12.2")
def a_typemap_that_is_replaced(_draw):
    """A pattern that is declared again has its last typemap."""
    for text, query in (("int p", "int p"), ("int", "int p"), ("SWIGTYPE *", "Box *")):
        yield _find_trial([text, text], query, "1")


def _drawn(draw: Draw, bases: list[str], count: int) -> list:
    """Methods with parameters."""
    return [
        [draw.one_of(["in", "in", "argout"]), [
            [draw.one_of(bases), draw.coin(0.3), draw.one_of(["", "", "*", "**"]),
             draw.one_of(["", "p", "q"])]
            for _ in range(draw.one_of([1, 1, 2, 3]))
        ]]
        for _ in range(count)
    ]  # fmt: skip


@case("12.2", hidden=True)
def many_typemaps(draw):
    """Among dozens of typemaps, each parameter finds its own."""
    bases = [*NAMES, "SWIGTYPE", "enum SWIGTYPE"]
    for count in [5, 20, 60] * 8:
        yield _drawn_trial(_drawn(draw, bases, count), _drawn(draw, [*NAMES], 20))
