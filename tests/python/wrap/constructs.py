"""The constructs of interface files that are compared with SWIG, and calls of each.

A construct is a piece of an interface file. Its calls are Python expressions over the
module ``m``; a statement is run first. For a function with typed parameters, calls with
hostile values are made for each parameter in turn.
"""

from dataclasses import dataclass, field

# For each kind of parameter: a value that fits, and values to try.
INTS = (
    "0 1 -1 127 128 -128 -129 255 256 32767 32768 65535 65536 2**31-1 2**31 -2**31 -2**31-1 "
    "2**32-1 2**32 2**63-1 2**63 -2**63 -2**63-1 2**64-1 2**64 10**400 True False 1.0 nan "
    "None 'a' b'a' [] () {} object() Index(3) Number(7) np.int64(3) np.int8(1) np.bool_(1) 1j"
).split()
FLOATS = (
    "0 1 -1 1.5 -0.0 nan inf -inf 1e300 -1e300 3.5e38 3.4e38 5e-324 10**30 10**308 10**400 True "
    "None 'a' '1.5' b'1' [] object() Index(3) Number(7) np.float64(1.5) np.float32(2) np.int64(3)"
).split()
TEXTS = (
    "'' 'a' 'ab' 'abc' '\\xe9' '\\U0001f600' 'a\\0b' '\\0' '\\ud800' 'a\\udc80' b'' b'x' None 0 1 97 "
    "255 -1 300 True 1.5 [] ['a'] object() Text('sub') bytearray(b'x') np.str_('n')"
).split()
BOOLS = "True False 0 1 2 None 'True' [] 1.0 np.bool_(True) object()".split()
VALUES = {
    "int": ("3", INTS),
    "float": ("1.5", FLOATS),
    "str": ("'t'", TEXTS),
    "bool": ("True", BOOLS),
    "enum": ("1", INTS),
}


@dataclass
class Construct:
    """A named piece of an interface file, with calls that show how it behaves."""

    name: str
    text: str
    calls: list[str] = field(default_factory=list)


def calls_of(name: str, *kinds: str) -> list[str]:
    """Returns calls with good and hostile arguments, and wrong numbers of arguments."""
    good = [VALUES[kind][0] for kind in kinds]
    calls = [f"{name}({', '.join(good)})", f"{name}({', '.join([*good, '1'])})"]
    calls += [
        f"{name}({', '.join(good[:-1])})",
        f"{name}()",
        f"{name}({', '.join([*good, 'zz=1'])})",
    ]
    for k, kind in enumerate(kinds):
        for value in VALUES[kind][1]:
            calls.append(f"{name}({', '.join([*good[:k], value, *good[k + 1 :]])})")
    return calls


def same(name: str, type_: str, kind: str, before: str = "") -> Construct:
    """A function that returns its argument, by keyword too."""
    function = "f_" + "".join(c if c.isalnum() else "_" for c in type_)
    text = f"{before}%inline %{{ {type_} {function}({type_} x) {{ return x; }} %}}"
    good = VALUES[kind][0]
    calls = calls_of(f"m.{function}", kind)
    calls += [
        f"m.{function}(x={good})",
        f"m.{function}({good}, x={good})",
        f"m.{function}(y=1)",
    ]
    return Construct(name, text, calls)


def lines(text: str) -> list[str]:
    """Returns the lines that have text."""
    return [line.strip() for line in text.splitlines() if line.strip()]


SCALARS = [
    *(
        same(f"{type_} in and out", type_, "int")
        for type_ in (
            *("int", "short", "long", "long long", "signed char", "unsigned char"),
            *("unsigned short", "unsigned int", "unsigned long", "unsigned long long"),
            "size_t",
        )
    ),
    same("double in and out", "double", "float"),
    same("float in and out", "float", "float"),
    same("bool in and out", "bool", "bool"),
    same("char in and out", "char", "str"),
    same("const char * in and out", "const char *", "str"),
    same("const int & in and out", "const int &", "int"),
    same("const double & in and out", "const double &", "float"),
    same("const bool & in and out", "const bool &", "bool"),
    *(
        same(f"{type_} of stdint.i", type_, "int", "%include <stdint.i>\n")
        for type_ in ("int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t", "uint64_t")
    ),
    same("std::string by value", "std::string", "str", "%include <std_string.i>\n"),
    same("const std::string &", "const std::string &", "str"),
    same("typedef of a number", "Number", "int", "%inline %{ typedef short Number; %}\n"),
    same("typedef of a typedef", "Twice", "int", "%inline %{ typedef Number Twice; %}\n"),
    Construct(
        "two parameters",
        "%inline %{ double mix(int n, double x) { return n * x; } %}",
        [
            *calls_of("m.mix", "int", "float"),
            "m.mix(x=2.0, n=3)",
            "m.mix(3, x=2)",
            "m.mix(n=1)",
        ],
    ),
    Construct(
        "parameters without names",
        "%inline %{ int unnamed(int, double) { return 4; } %}",
        [*calls_of("m.unnamed", "int", "float"), "m.unnamed(arg1=1, arg2=2)"],
    ),
    Construct(
        "parameters and functions with names of Python's keywords",
        "%inline %{ int from(int in, int lambda) { return in - lambda; } %}",
        ["m._from(5, 3)", "m._from(_in=5, _lambda=3)", "getattr(m, 'from', 0)"],
    ),
    Construct(
        "no parameters, (void), no result",
        "%inline %{ void nothing(void) {} int five() { return 5; } %}",
        ["m.nothing()", "m.nothing(1)", "m.five()", "m.five(1, 2)", "m.five(x=1)"],
    ),
    Construct(
        "default values",
        """%inline %{ int add(int a, int b = 3) { return 10 * a + b; }
        const char* greet(const char* name = "you", bool loud = false) {
          return loud ? "HEY" : name; } %}""",
        [
            *calls_of("m.add", "int", "int"),
            *("m.add(1)", "m.add(a=1)", "m.add(b=1, a=2)", "m.add(b=1)"),
            *("m.greet()", "m.greet('x')", "m.greet(None)", "m.greet('x', True)"),
            *("m.greet(loud=True)", "m.greet(1)", "m.greet('x', 1)"),
        ],
    ),
    Construct(
        "overloads",
        """%inline %{ int over(int) { return 1; } int over(double) { return 2; }
        int over(const char*) { return 3; } int over(int, int) { return 4; }
        int over(bool) { return 5; } %}""",
        [
            *calls_of("m.over", "int"),
            *calls_of("m.over", "float"),
            *calls_of("m.over", "str"),
            *("m.over(1, 2)", "m.over(1, 'a')", "m.over(1, 2, 3)", "m.over(x=1)"),
        ],
    ),
    Construct(
        "overloads of integers",
        """%inline %{ int wide(long long) { return 64; } int wide(short) { return 16; }
        int wide(int) { return 32; } %}""",
        calls_of("m.wide", "int"),
    ),
    Construct(
        "%rename",
        "%rename(shiny) old_name; %inline %{ int old_name(int x) { return x; } %}",
        ["m.shiny(3)", "m.shiny('a')", "m.shiny()", "hasattr(m, 'old_name')"],
    ),
    Construct(
        "%ignore",
        "%ignore hidden; %inline %{ int hidden() { return 1; } int visible() { return 2; } %}",
        ["hasattr(m, 'hidden')", "m.visible()"],
    ),
    Construct(
        '%feature("docstring")',
        '%feature("docstring") documented "Says it."\n'
        '%feature("docstring", "Says more.") documented2;\n'
        "%inline %{ int documented(int x) { return x; } int documented2() { return 1; } %}",
        ["m.documented.__doc__", "m.documented2.__doc__", "m.documented(1)"],
    ),
    Construct(
        "functions declared, not inline",
        "%{ static int apart(int x) { return x + 1; } %}\nint apart(int x);",
        calls_of("m.apart", "int"),
    ),
]
