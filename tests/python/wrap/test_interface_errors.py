"""Errors in interface files: the file, the line, the column, and what was expected."""

import re

import pytest

from minitf_wrap.__main__ import generate
from minitf_wrap.scanner import InterfaceError

# The text behind "%module m", with "@" in front of the place of the error; the error.
ERRORS = [
    ("int @;", "expected a name, got ';'"),
    ("int f(@Unknown x);", "expected a type that is declared above or has a typemap"),
    ("@Unknown f();", "expected a type that is declared above or has a typemap"),
    ("int f(int x@", "expected ',' or ')' (no default value), got the end"),
    ("int f(int x) @int g();", "expected ';' or a body, got 'int'"),
    ("int f() { @return 1;", "expected '}'"),
    ("@%nonsense x;", "expected a directive of the subset"),
    ("@%extend Point { int f(); }", "expected a directive of the subset"),
    ("@%template(IntList) List<int>;", "expected a directive of the subset"),
    ("@%import <x.i>", "expected a directive of the subset"),
    ("@%module again", "expected no second %module"),
    ('@%include "missing.i"', "expected a file that exists, unlike 'missing.i'"),
    ('@%include "m.i"', "expected no file that includes itself"),
    ("%include @missing.i", "expected %include"),
    ("%rename@(3) f;", "expected %rename(new_name) name;"),
    ("%rename @f;", "expected %rename(new_name) name;"),
    ('%feature@("autodoc", "1");', "expected %feature"),
    ("%typemap@(nonsense) int { }", "expected %typemap(method, numinputs=0"),
    ("%typemap@(numinputs=0) int { }", "expected %typemap(method, numinputs=0"),
    ("%typemap@(in, numinputs=7) int { }", "expected %typemap(method, numinputs=0"),
    ("%typemap(in) @;", "expected a type"),
    ("%typemap(in) int @3", "expected a block"),
    ("%typemap(in) int @= char;", "expected a block"),
    ("%typemap(in) int @;", "expected a block"),
    ("@%apply int { long };", "expected a directive of the subset"),
    ("@%constant int X = 1;", "expected a directive of the subset"),
    ("@%catches(Alarm) f;", "expected a directive of the subset"),
    (
        "%typemap(in) int @{ $1 = $inputs; } int f(int x);",
        "instead of $inputs in this block",
    ),
    ("%typemap(in) int x (@int) { }", "expected a type and a name"),
    ("@#define X f(1)", "expected a constant expression as the value of X"),
    ("@#define MAX(a, b) a", "expected #define NAME value"),
    ("@#if 1\n#endif", "expected #define NAME value"),
    (
        "@template <class T> T f(T x);",
        "declared above or has a typemap, got 'template'",
    ),
    (
        "@namespace a { int f(); }",
        "declared above or has a typemap, got 'namespace'",
    ),
    ("@using std::string;", "declared above or has a typemap, got 'using'"),
    ("@union U { int a; };", "declared above or has a typemap, got 'union'"),
    ("@friend int f();", "declared above or has a typemap, got 'friend'"),
    ("int @operator+(int a);", "expected a name, got 'operator'"),
    ("int @(*f)(int);", "expected a name, got '('"),
    ("int f(int @(*g)(int));", "expected ',' or ')'"),
    ("int f(int a, @...);", "expected a type, got '.'"),
    ("int a@[4];", "expected ';', got '['"),
    ("struct S { int a@[4]; };", "expected ';', got '['"),
    ("int f(int @&x);", "expected a value or a pointer, no reference"),
    ("void @x;", "expected types with typemap(in), unlike void"),
    ("int @f(void x, int y);", "expected types with typemap(in), unlike void"),
    (
        "int f(int); int @f(int);",
        "expected a name that is not declared above (no overloads)",
    ),
    ("int x; int @x;", "expected a name that is not declared above (no overloads)"),
    ("enum E { A, @3 };", "expected an enumerator, got '3'"),
    ("enum E { A @B };", "expected ',' or '}', got 'B'"),
    (
        "enum E { A }; enum F { @A };",
        "expected a name that is not declared above (no overloads), got 'A'",
    ),
    (
        "struct S { int x; }; struct @S { int y; };",
        "expected a class that is not defined above",
    ),
    ("struct S { @struct T { int y; }; };", "expected a type that is declared above"),
    ("struct S { @enum T { A }; };", "expected a type that is declared above"),
    ("@enum class E { A };", "expected a type that is declared above"),
    ("class S { @~S(); };", "expected a public destructor"),
    ("struct S { static int @x; };", "expected a function, no static variable"),
    ("struct S @: public T { };", "expected '{' (no base class), got ':'"),
    ("struct S { @virtual int f(); };", "declared above or has a typemap, got 'virtual'"),
    ("struct S { int f() @= 0; };", "expected ';' or a body, got '='"),
    ("struct S { int x; @", "expected"),
    ("struct S { int x; } @int y;", "expected ';'"),
    ("%inline @{ int f(); }", "expected %inline %{ declarations %}"),
    ("@%{ int f();", "expected a block"),
    ("typedef int @;", "expected the new name of the type"),
    ("@long double f();", "expected a type that is declared above"),
    ("@int int f();", "expected a type that is declared above"),
    ("int f(int a @= 3);", "expected ',' or ')' (no default value), got '='"),
    ("int f(int a@[]);", "expected ',' or ')' (no default value), got '['"),
    ("enum E { A = @", "expected ',' or '}' behind this"),
    ("typedef int A; typedef A B; typedef B @A;", "expected a name that is not a type"),
    ("struct A {}; typedef A B; typedef B @A;", "expected a name that is not a type"),
    ("@$", "expected a type"),
    ("@}", "expected a type"),
    ("\0", "expected a type"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_an_error_names_file_line_and_column(tmp_path, text, message):
    path = tmp_path / "m.i"
    marked = "%module m\n" + text
    path.write_text(marked.replace("@", ""))
    with pytest.raises(InterfaceError) as error:
        generate(path, [], tmp_path)
    assert message in str(error.value)
    place = re.match(rf"{re.escape(str(path))}:(\d+):(\d+): expected ", str(error.value))
    assert place, error.value
    if "@" in marked:
        before = marked[: marked.index("@")]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        assert (int(place[1]), int(place[2])) == (line, column), error.value
    assert not list(tmp_path.glob("*.py")), "nothing is written after an error"


def test_errors_in_an_included_file_name_that_file(tmp_path):
    (tmp_path / "part.i").write_text("int f(int x);\nint g(Nothing x);\n")
    (tmp_path / "m.i").write_text('%module m\n%include "part.i"\n')
    with pytest.raises(InterfaceError, match=r"part\.i:2:7: expected a type"):
        generate(tmp_path / "m.i", [], tmp_path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "m.i").write_bytes(b"%module m\n\xff")
    with pytest.raises(InterfaceError, match=r"m\.i:1:1: expected a text in UTF-8"):
        generate(tmp_path / "m.i", [], tmp_path)


def test_a_file_without_a_module_is_refused(tmp_path):
    (tmp_path / "m.i").write_text("int f(int x);\n")
    with pytest.raises(InterfaceError, match="expected %module name"):
        generate(tmp_path / "m.i", [], tmp_path)


def test_every_prefix_of_a_file_is_read_or_refused(tmp_path):
    text = (
        "%module m\n%{ int a; %}\n%typemap(in) (int *p, int n) (int t = 0) { $1 = 0; }\n"
        "struct S { S(int x) : y(x) {} int y; private: int z; };\n#define N (3 + 1)\n"
        '%feature("docstring") S::y "text"\nenum E { A = 1, B }; int f(int *p, int n);\n'
    )
    path = tmp_path / "m.i"
    outcomes = set()
    for size in range(len(text) + 1):
        path.write_text(text[:size])
        try:
            generate(path, [], tmp_path)
            outcomes.add(True)
        except InterfaceError as error:
            outcomes.add(str(error).startswith(f"{path}:"))
    assert outcomes == {True}
