"""Lab 12, tasks 1 and 2: the code of a typemap, and the choice of a typemap."""

from collections.abc import Iterator
from typing import Any

from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Call, Raised, Trial, case
from minitf_lab.judge.draw import Draw

# ---- 12.1 Special variables and local variables -----------------------------------------

VARIABLES = {
    "1": "arg2", "2": "arg3", "12": "arg13", "1_type": "int const", "1_ltype": "int",
    "*1_ltype": "char", "&1_ltype": "char **", "1_descriptor": "SWIGTYPE_p_Box",
    "input": "swig_obj[1]", "result": "resultobj", "argnum": "2", "symname": "f",
    "where": "in method 'f', argument 2 of type 'temp'",
}  # fmt: skip


def _is_word(text: str) -> bool:
    return text.isalnum() or text == "_"


def _word_at(code: str, at: int) -> str:
    end = at
    while end < len(code) and _is_word(code[end]):
        end += 1
    return code[at:end]


def expanded(code: str, names: list[str], variables: dict[str, str]) -> str:
    """The code with all names replaced, read once from left to right."""
    out, at = "", 0
    while at < len(code):
        sign = code[at + 1 : at + 2] if code[at + 1 : at + 2] in ("*", "&") else ""
        word = _word_at(code, at)
        if code[at] == "$" and (name := _word_at(code, at + 1 + len(sign))):
            out += variables[sign + name]
            at += 1 + len(sign) + len(name)
        elif word:
            is_member = code[:at].endswith((".", "->", "::"))
            is_own = word in names and not is_member
            out += word + variables["argnum"] if is_own else word
            at += len(word)
        else:
            out += code[at]
            at += 1
    return out


def _expand_trial(code: str, names: list[str], variables: dict[str, str]) -> Trial:
    expected = expanded(code, names, variables)
    return call_trial(
        f"the code {code!r}, local variables {names}", equals(expected), "expand",
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
    for code in ("$12 $1 $2", "$1_type", "$1_ltype $1", "$1.x", "$1->x[$2]", "($1)+$2"):
        yield _expand_trial(code, [], VARIABLES)
    for code in ("$*1_ltype c = *$1;", "$&1_ltype p = &$1;", "&$1*$2", "$1&$2"):
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
        "n::temp(n)", "temp*n", "a < temp && n > temp", "!temp", "x[temp]", "{temp}",
    ):  # fmt: skip
        yield _expand_trial(code, ["temp", "n"], VARIABLES)


@case("12.1")
def values_stay_as_they_are(_draw):
    """What a variable stands for is not replaced again."""
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
    pieces = [f"${name}" for name in VARIABLES]
    pieces += ["temp", "n", "->", ".", "::", " ", "(", ";", "x", "+", "temps", "&", "1"]
    for length in range(2, 30):
        code = "".join(draw.one_of(pieces) for _ in range(length))
        safe = code.replace("1$", "1 $").replace("1temp", "1 temp").replace("1n", "1 n")
        names = draw.some_of(["temp", "n", "x"], least=1)
        known = VARIABLES | {word: "v" for word in _names_in(safe)}
        yield _expand_trial(safe, names, known | VARIABLES)


def _names_in(code: str) -> Iterator[str]:
    """The names behind each $, which pieces side by side may have made longer."""
    for at, char in enumerate(code):
        if char == "$":
            sign = code[at + 1 : at + 2] if code[at + 1 : at + 2] in ("*", "&") else ""
            yield sign + _word_at(code, at + 1 + len(sign))


# ---- 12.2 The choice of a typemap -------------------------------------------------------

Fields = list  # of a parameter: base type, const, marks and name

NAMES: dict[str, Any] = {
    "int": "scalar", "double": "scalar", "Box": "class",
    "Color": "enum", "Number": ["int", False, ""], "Count": ["Number", False, ""],
    "Crate": ["Box", False, ""], "Handle": ["Box", False, "*"],
    "View": ["Box", True, "*"], "Shade": ["Color", False, ""], "Fixed": ["int", True, ""],
}  # fmt: skip
BASES = [*NAMES, "SWIGTYPE", "enum SWIGTYPE"]


def _distance(pattern: Fields, parameter: Fields) -> tuple[int, int, int] | None:
    """How far a pattern is from a parameter; None if it does not fit."""
    base, is_const, marks, name = parameter
    if pattern[3] not in ("", name):
        return None
    found = []
    for level in range(9):
        if pattern[0] == base and pattern[2] == marks and (is_const or not pattern[1]):
            found.append((level, int(pattern[1] != is_const)))
        kind = NAMES[base]
        if isinstance(kind, str):
            break
        base, is_const, marks = kind[0], is_const or kind[1], kind[2] + marks
    for general, fits in (
        (["SWIGTYPE", "*"], marks != ""),
        (["SWIGTYPE", ""], marks == "" and kind == "class"),
        (["enum SWIGTYPE", ""], marks == "" and kind == "enum"),
    ):
        is_right = [pattern[0], pattern[2]] == general and (is_const or not pattern[1])
        if fits and is_right:
            found.append((9, int(pattern[1] != is_const)))
    return min((*one, int(pattern[3] != name)) for one in found) if found else None


def chosen(typemaps: list, method: str, parameters: list[Fields]) -> str | None:
    """The index of the typemap that is to be found, as a text."""
    ranks = []
    for index, (other, pattern) in enumerate(typemaps):
        pairs = zip(pattern, parameters, strict=False)
        distances = [_distance(*pair) for pair in pairs]
        if other == method and len(pattern) <= len(parameters) and None not in distances:
            # Of two with the same pattern, the later one has replaced the other.
            ranks.append((-len(pattern), distances, -index))
    return str(-min(ranks)[-1]) if ranks else None


def _spelled(parameters: list[Fields]) -> str:
    words = [
        f"{'const ' if const else ''}{base} {marks}{name}".strip()
        for base, const, marks, name in parameters
    ]
    return f"({', '.join(words)})"


def _find_trial(typemaps: list, queries: list, indices: list | None = None) -> Trial:
    """Looks for a typemap by the method and the parameters of each query.

    ``indices`` are those that must be found; if they are not given, ``chosen`` says.
    """
    indices = indices or [chosen(typemaps, *query) for query in queries]
    lines = [f"{i}: typemap({m}) {_spelled(p)}" for i, (m, p) in enumerate(typemaps)]

    def look(got: Any) -> Wrong:
        for (method, parameters), one, index in zip(queries, got, indices, strict=True):
            message = f"wrong typemap({method}) for {_spelled(parameters)}"
            if wrong := equals(index, message)(one):
                return wrong
        return None

    return call_trial(
        "\n".join(["the typemaps", *lines]), look, "find",
        typemaps=typemaps, names=NAMES, queries=queries,
    )  # fmt: skip


def _fields(text: str) -> Fields:
    """Reads ``const Box *name``; a name begins with ``p``."""
    words = text.replace("*", " ").split()
    name = words.pop() if words[-1][0] == "p" else ""
    base = " ".join(word for word in words if word != "const")
    return [base, "const" in words, "*" * text.count("*"), name]


# By kind: parameters, and the patterns that fit, the closest first. SWIG 4.1 has the same
# order (test_lab_wrappers.py).
ORDERS = {
    "numbers": [
        ("int p", ["int p", "int"]),
        ("const int p", ["const int p", "const int", "int p", "int"]),
    ],
    "typedefs": [
        ("Count p", ["Count p", "Count", "Number p", "Number", "int p", "int"]),
        (
            "const Count p",
            ["const Count", "Count", "const Number", "Number", "const int"],
        ),
        ("Fixed p", ["Fixed", "const int p", "const int", "int p", "int"]),
        ("Handle p", ["Handle p", "Handle", "Box *p", "Box *", "SWIGTYPE *"]),
        ("View p", ["View", "const Box *p", "const Box *", "Box *", "SWIGTYPE *"]),
    ],
    "classes": [
        ("Box p", ["Box p", "Box", "SWIGTYPE p", "SWIGTYPE"]),
        ("const Crate p", ["const Crate", "Crate", "const Box", "Box", "const SWIGTYPE"]),
    ],
    "pointers": [
        ("int *p", ["int *p", "int *", "SWIGTYPE *"]),
        ("Box *p", ["Box *p", "Box *", "SWIGTYPE *p", "SWIGTYPE *"]),
        ("const Box *p", ["const Box *", "Box *", "const SWIGTYPE *", "SWIGTYPE *"]),
        ("Box **p", ["Box **p", "Box **", "SWIGTYPE *p", "SWIGTYPE *"]),
        ("Handle *p", ["Handle *", "Box **", "SWIGTYPE *p", "SWIGTYPE *"]),
    ],
    "enums": [
        ("Color p", ["Color p", "Color", "enum SWIGTYPE p", "enum SWIGTYPE"]),
        ("Shade p", ["Shade", "Color", "enum SWIGTYPE"]),
        ("Color *p", ["Color *", "SWIGTYPE *"]),
    ],
}
# For two parameters, the patterns of each, the closest first.
PAIRS = ["Count p", "Count", "int"], ["const Box *p1", "Box *", "SWIGTYPE *"]
# The types in C++.
DECLARATIONS = """class Box { }; enum Color { RED };
typedef int Number; typedef Number Count; typedef Box Crate; typedef Box *Handle;
typedef const Box *View; typedef Color Shade; typedef const int Fixed;
"""
# A pattern that fits none of these parameters.
STRANGE = ["in", [_fields("double")]]


@case("12.2", over=[*ORDERS])
def the_closest_pattern(draw, kind):
    """Of two patterns that fit, the closer one wins, wherever it stands."""
    for parameter, texts in ORDERS[kind]:
        query = [["in", [_fields(parameter)]]]
        patterns = [["in", [_fields(text)]] for text in texts]
        for i, near in enumerate(patterns):
            yield _find_trial([near], query, ["0"])
            for far in patterns[i + 1 :]:
                yield _find_trial([near, far], query, ["0"])
                yield _find_trial([far, near], query, ["1"])
        yield _find_trial(draw.shuffled([*patterns, STRANGE]), query)


@case("12.2")
def patterns_that_do_not_fit(_draw):
    """A typemap of another type, name or method is not taken."""
    for pattern in (
        "double", "int p2", "Box", "int *", "const double", "SWIGTYPE", "SWIGTYPE *",
        "enum SWIGTYPE", "const int",
    ):  # fmt: skip
        for method in ("in", "out"):
            typemaps = [[method, [["int", False, "", ""]]], ["in", [_fields(pattern)]]]
            yield _find_trial(typemaps, [["in", [_fields("int p")]]])
            yield _find_trial(typemaps[1:], [["in", [_fields("int p")]]])
    yield _find_trial([], [["in", [_fields("int p")]], ["out", [_fields("Box *")]]])
    yield _find_trial([["in", [_fields("SWIGTYPE")]]], [["in", [_fields("Color p")]]])
    yield _find_trial([["in", [_fields("SWIGTYPE")]]], [["in", [_fields("Box *p")]]])
    yield _find_trial([["in", [_fields("SWIGTYPE *")]]], [["in", [_fields("Box p")]]])


@case("12.2")
def several_parameters(_draw):
    """A pattern with more parameters wins, and each of its parameters must fit."""
    one, two, three = (
        ["in", [_fields(text) for text in texts]]
        for texts in (["int p"], ["int", "double"], ["int", "SWIGTYPE *", "double"])
    )
    for typemaps in ([one, two, three], [three, two, one], [two, one], [three, one]):
        for texts in (
            ["int p"], ["int p", "double"], ["int p", "Box *p"], ["double p", "int p"],
            ["int p", "Box *", "double p"], ["int p", "double p", "int"], ["Fixed p"],
            ["Count p", "double"], ["int", "double *p"], ["int p", "Handle", "double"],
        ):  # fmt: skip
            yield _find_trial(typemaps, [["in", [_fields(text) for text in texts]]])


@case("12.2")
def the_first_parameter_counts_first(_draw):
    """Of two patterns of one length, the closer one to the first parameter wins."""
    query = ["in", [_fields("Count p"), _fields("const Box *p1")]]
    pairs = [["in", [_fields(a), _fields(b)]] for a in PAIRS[0] for b in PAIRS[1]]
    for one in pairs:
        for other in pairs:
            if one is not other:
                yield _find_trial([one, other], [query])


@case("12.2")
def a_typemap_that_is_replaced(_draw):
    """A pattern that is declared again has its last typemap."""
    for text in ("int p", "int", "Box *", "SWIGTYPE *"):
        twice = [["in", [_fields(text)]]] * 2
        yield _find_trial(twice, [["in", [_fields("int p")]], ["in", [_fields("Box *")]]])


def _drawn(draw: Draw, bases: list[str]) -> Fields:
    marks = draw.one_of(["", "", "*", "**"])
    return [draw.one_of(bases), draw.coin(0.3), marks, draw.one_of(["", "p", "q"])]


@case("12.2", hidden=True)
def many_typemaps(draw):
    """Among dozens of typemaps, each parameter finds its own."""
    for count in (5, 20, 60):
        for _ in range(8):
            typemaps, queries = (
                [
                    [draw.one_of(["in", "in", "argout"]), [
                        _drawn(draw, bases) for _ in range(draw.one_of([1, 1, 2, 3]))
                    ]]
                    for _ in range(size)
                ]
                for bases, size in ((BASES, count), ([*NAMES], 20))
            )  # fmt: skip
            yield _find_trial(typemaps, queries)
