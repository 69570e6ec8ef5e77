"""Constructs about constants, variables, enums, pointers and classes."""

from constructs import Construct, calls_of, lines

VARIABLES = [
    Construct(
        "#define of an integer",
        "#define N 5\n#define HEX 0x1F\n#define NEGATIVE -3\n#define LONG_ONE 1L",
        ["m.N", "m.HEX", "m.NEGATIVE", "m.LONG_ONE", "setattr(m, 'N', 6)"],
    ),
    Construct(
        "#define of a real number, a text, a character",
        "#define PI 3.14\n#define BIG 1e300\n#define NAME \"n\\n\"\n#define LETTER 'x'",
        ["m.PI", "m.BIG", "m.NAME", "m.LETTER"],
    ),
    Construct(
        "#define of an expression",
        "#define SUM (N + 1)\n#define TWICE (2 * PI)\n#define SHIFT (1 << 4)\n#define EMPTY",
        ["m.SUM", "m.TWICE", "m.SHIFT", "hasattr(m, 'EMPTY')"],
    ),
    Construct(
        "%constant",
        '%constant int ANSWER = 42;\n%constant double HALF = 0.5;\n%constant const char* HI = "hi";',
        ["m.ANSWER", "m.HALF", "m.HI"],
    ),
    Construct(
        "enum",
        """%inline %{ enum Color { RED, GREEN = 5, BLUE };
        Color color(Color c) { return c; } %}""",
        ["(m.RED, m.GREEN, m.BLUE)", *calls_of("m.color", "enum"), "m.color(m.BLUE)"],
    ),
    Construct(
        "enum class",
        """%inline %{ enum class Shade { DARK, LIGHT = 7 };
        Shade shade(Shade s) { return s; } %}""",
        ["(m.Shade_DARK, m.Shade_LIGHT)", *calls_of("m.shade", "enum")],
    ),
    Construct(
        "enum without a name, typedef enum",
        """%inline %{ enum { LOOSE = 9 }; typedef enum { OFF, ON } Switch;
        Switch flip(Switch s) { return s == ON ? OFF : ON; } %}""",
        ["(m.LOOSE, m.OFF, m.ON)", "m.flip(m.ON)", "m.flip('x')", "m.flip(2**40)"],
    ),
    *(
        Construct(
            f"global {type_}",
            f"%inline %{{ {type_} g_{name} = {value}; %}}",
            [
                f"m.cvar.g_{name}",
                *(
                    call
                    for new in values.split()
                    for call in (
                        f"setattr(m.cvar, 'g_{name}', {new})",
                        f"m.cvar.g_{name}",
                    )
                ),
            ],
        )
        for name, type_, value, values in (
            ("int", "int", "3", "4 -1 2**31 'a' 1.0 None True"),
            ("unsigned", "unsigned short", "3", "4 -1 2**16 'a'"),
            ("double", "double", "3.0", "4 4.5 nan 'a' None 10**400"),
            ("bool", "bool", "true", "False True 0 None"),
            ("char", "char", "'x'", "'y' 'yy' 97 300 None"),
            ("enum", "Color", "RED", "5 77 2**40 'a'"),
        )
    ),
    Construct(
        "global const char *",
        '%inline %{ const char* g_text = "hi"; %}',
        ["m.cvar.g_text", "setattr(m.cvar, 'g_text', 'new')", "m.cvar.g_text"]
        + [
            "setattr(m.cvar, 'g_text', 3)",
            "setattr(m.cvar, 'g_text', None)",
            "m.cvar.g_text",
        ],
    ),
    Construct(
        "global constant",
        "%inline %{ const int g_const = 7; const double g_pi = 3.5; %}",
        [
            "m.g_const",
            "m.cvar.g_const",
            "setattr(m.cvar, 'g_const', 8)",
            "m.cvar.g_const",
        ],
    ),
    Construct(
        "%immutable",
        "%immutable g_fixed; %inline %{ int g_fixed = 1; %}",
        ["m.cvar.g_fixed", "setattr(m.cvar, 'g_fixed', 2)", "m.cvar.g_fixed"],
    ),
    Construct(
        "several variables in one declaration",
        "%inline %{ int g_one = 1, g_two = 2; %}",
        ["m.cvar.g_one", "m.cvar.g_two", "setattr(m.cvar, 'g_two', 5)", "m.cvar.g_two"],
    ),
    Construct(
        "names that cvar does not have",
        "",
        ["m.cvar.missing", "setattr(m.cvar, 'missing', 1)", "m.missing"],
    ),
]

POINT = """%inline %{
struct Point {
  double x, y;
  Point(double x, double y) : x(x), y(y) {}
  double dot(const Point& other) const { return x * other.x + y * other.y; }
  Point scaled(double by) { return Point(x * by, y * by); }
  Point* me() { return this; }
  Point* none() { return 0; }
  Point& ref() { return *this; }
  static Point* make(double x) { return new Point(x, x); }
  static double sum(Point a, Point b) { return a.x + b.x; }
};
struct Other { int z; };
struct Child : public Point {
  Child(double x, double y) : Point(x, y), extra(9) {}
  int extra;
  double twice() { return 2 * x; }
};
struct Grand : public Child { Grand(double x, double y) : Child(x, y) {} };
double by_value(Point p) { return p.x; }
double by_pointer(Point* p) { return p ? p->x : -1; }
double by_const_pointer(const Point* p) { return p ? p->x : -1; }
double by_reference(Point& p) { return p.x; }
double by_const_reference(const Point& p) { return p.x; }
Point g_point = Point(3, 4);
Point* g_pointer = &g_point;
Point copy_of(const Point& p) { return p; }
%}
"""
HOSTILE_POINTS = (
    "m.Point(1, 2)|None|3|'x'|1.5|[]|object()|m.Other()|m.Child(5, 6)|m.Grand(7, 8)|bare|m.Point"
).split("|")

CLASSES = [
    Construct("struct with a constructor", POINT, calls_of("m.Point", "float", "float")),
    Construct("constructor by keyword", "", ["m.Point(y=1, x=2).x", "m.Point(1, z=2)"]),
    Construct(
        "fields",
        "",
        [
            *("p.x", "setattr(p, 'x', 5)", "p.x", "setattr(p, 'x', 'a')", "p.x"),
            *(
                "setattr(p, 'x', None)",
                "p.zz",
                "setattr(p, 'zz', 1)",
                "p.zz",
                "delattr(p, 'x')",
            ),
            *(
                "m.Point.x.fget(3)",
                "setattr(p, 'x', 1)",
                "bare.x",
                "setattr(bare, 'x', 1)",
            ),
        ],
    ),
    *(
        Construct(
            f"{name}(Point) of each kind", "", [f"m.{name}({v})" for v in HOSTILE_POINTS]
        )
        for name in (
            *("by_value", "by_pointer", "by_const_pointer", "by_reference"),
            "by_const_reference",
        )
    ),
    Construct(
        "methods",
        "",
        [
            *(f"p.dot({value})" for value in HOSTILE_POINTS),
            *(
                "p.dot()",
                "p.dot(p, p)",
                "p.dot(other=p)",
                "p.dot(x=p)",
                "m.Point.dot(p, p)",
            ),
            *(
                "m.Point.dot(3, p)",
                "m.Point.dot()",
                "bare.dot(p)",
                "m.Point.dot(m.Other(), p)",
            ),
        ],
    ),
    Construct(
        "results: copies, pointers, references, null",
        "",
        [
            *("p.scaled(3).x", "p.scaled(3).thisown", "p.me().x", "p.me().thisown"),
            *(
                "p.ref().y",
                "p.ref().thisown",
                "p.none()",
                "m.copy_of(p).x",
                "m.copy_of(None)",
            ),
            *(
                "type(p.me()) is m.Point",
                "p.me() is p",
                "p.me() == p",
                "hash(p) == hash(p)",
            ),
        ],
    ),
    Construct(
        "static methods",
        "",
        ["m.Point.make(2).x", "p.make(2).x", "m.Point.make('a')", "m.Point.make()"]
        + ["m.Point.sum(p, p)", "m.Point.sum(p, None)", "m.Point.make(2).thisown"],
    ),
    Construct(
        "derived classes",
        "",
        [
            *(
                "c.x",
                "c.extra",
                "c.twice()",
                "c.dot(p)",
                "p.dot(c)",
                "isinstance(c, m.Point)",
            ),
            *(
                "m.Grand(1, 2).twice()",
                "m.Grand(1, 2).extra",
                "m.Child.twice(p)",
                "p.extra",
            ),
            *(
                "issubclass(m.Grand, m.Child)",
                "m.Child(1)",
                "c.me().x",
                "type(c.me()).__name__",
            ),
        ],
    ),
    Construct(
        "subclasses in Python",
        "",
        [
            *(
                "Sub(1, 2).x",
                "Sub(1, 2).dot(p)",
                "Sub(1, 2).own",
                "m.by_value(Sub(4, 5))",
            ),
            *(
                "m.by_value(bare)",
                "m.by_pointer(bare)",
                "Sub(1)",
                "isinstance(Sub(1, 2), m.Point)",
            ),
        ],
    ),
    Construct(
        "ownership",
        "",
        [
            *("p.thisown", "setattr(p, 'thisown', False)", "p.thisown"),
            *(
                "setattr(p, 'thisown', True)",
                "p.thisown",
                "[m.Point(1, 2) for k in range(9)][5].x",
            ),
        ],
    ),
    Construct(
        "repr, identity and doc",
        "",
        [
            "p",
            "p.this == p.me().this",
            "p.this == c.this",
            "p == m.Point(1, 2)",
            "p != p",
        ],
    ),
    Construct(
        "global struct and pointer to a struct",
        "",
        [
            *(
                "m.cvar.g_point.x",
                "setattr(m.cvar, 'g_point', m.Point(8, 9))",
                "m.cvar.g_point.y",
            ),
            *("setattr(m.cvar, 'g_point', None)", "setattr(m.cvar, 'g_point', 3)"),
            *(
                "m.cvar.g_pointer.x",
                "setattr(m.cvar, 'g_pointer', None)",
                "m.cvar.g_pointer",
            ),
            *("setattr(m.cvar, 'g_pointer', 'a')", "setattr(m.cvar.g_point, 'x', 2.5)"),
            *("m.cvar.g_point.x", "m.cvar.g_point.thisown"),
        ],
    ),
    Construct(
        "class with private members and without a constructor",
        """%inline %{ class Hidden { int secret; void quiet() {} public:
        Hidden() : secret(6) {} int get() const { return secret; }
        protected: int half; private: static int all; }; %}""",
        ["m.Hidden().get()", "m.Hidden().secret", "m.Hidden().quiet()", "m.Hidden(1)"],
    ),
    Construct(
        "implicit constructor",
        "%inline %{ struct Plain { int n; const char* text; bool flag; char c; }; %}",
        lines("""m.Plain().n
            m.Plain().text
            m.Plain(1)
            setattr(q, 'text', 'abc')
            q.text
            setattr(q, 'text', 5)
            setattr(q, 'text', None)
            q.text
            setattr(q, 'flag', 1)
            setattr(q, 'flag', True)
            q.flag
            setattr(q, 'n', 2**31)
            q.n
            setattr(q, 'c', 'z')
            q.c"""),
    ),
    Construct(
        "struct in a struct",
        "%inline %{ struct Line { Point a, b; Line() : a(0, 0), b(1, 1) {} }; %}",
        lines("""l.b.x
            setattr(l.b, 'x', 7)
            l.b.x
            setattr(l, 'a', m.Point(3, 4))
            l.a.y
            setattr(l, 'a', None)
            setattr(l, 'a', 3)
            l.a.thisown"""),
    ),
    Construct(
        "overloaded constructors and methods, default values",
        """%inline %{ struct Many { int n; Many() : n(0) {} Many(int n) : n(n) {}
        Many(const Many& other) : n(other.n + 1) {}
        int get() { return n; } int get(int k) { return n + k; } int get(const char*) { return -1; }
        int plus(int a, int b = 2) const { return a + b; } }; %}""",
        lines("""m.Many().n
            m.Many(5).n
            m.Many(m.Many(5)).n
            m.Many('a')
            m.Many(None)
            m.Many(1, 2)
            m.Many(5).get()
            m.Many(5).get(1)
            m.Many(5).get('a')
            m.Many(5).get([])
            m.Many(5).plus(1)
            m.Many(5).plus(1, 1)
            m.Many(5).plus(b=1, a=3)
            m.Many(5).plus()"""),
    ),
    Construct(
        "abstract class",
        """%inline %{ struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
        struct Square : public Shape { double side; Square(double s) : side(s) {}
        virtual double area() const { return side * side; } };
        double area_of(Shape* s) { return s->area(); } %}""",
        [
            "m.Shape()",
            "m.Square(3).area()",
            "m.area_of(m.Square(2))",
            "m.Shape.area(m.Square(4))",
        ],
    ),
    Construct(
        "enum in a class",
        """%inline %{ struct Lamp { enum State { DIM = 2, BRIGHT }; State state;
        Lamp() : state(DIM) {} State set(State s) { return state = s; } }; %}""",
        ["m.Lamp.BRIGHT", "m.Lamp().state", "m.Lamp().set(3)", "m.Lamp().set('a')"]
        + ["setattr(m.Lamp(), 'state', 2**40)", "m.Lamp().DIM"],
    ),
    Construct(
        "typedef struct in the form of C",
        """%inline %{ typedef struct Pair { int first, second; } Pair; typedef struct Pair Couple;
        int total(Couple* pair) { return pair->first + pair->second; } %}""",
        ["m.total(m.Pair())", "m.total(3)", "m.Pair().first"],
    ),
    Construct(
        "opaque struct",
        """%{ struct Hidden2 { int n; }; %}
        typedef struct Hidden2 Hidden2;
        %{ static Hidden2 one, two; static Hidden2* first() { return &one; }
        static Hidden2* second() { return &two; } static int is_first(const Hidden2* h) {
        return h == &one; } %}
        Hidden2* first(); Hidden2* second(); int is_first(const Hidden2* h);""",
        [
            *("m.is_first(m.first())", "m.is_first(m.second())", "m.is_first(None)"),
            *("m.is_first(3)", "m.is_first(p)", "m.first() == m.first()", "m.first()"),
            *(
                "m.first() == m.second()",
                "m.first() != m.second()",
                "type(m.first()).__name__",
            ),
            *("m.first() == 3", "m.first() is None"),
        ],
    ),
    Construct(
        "void *, const void *, int *, pointer to a pointer",
        """%inline %{ void* same_void(void* p) { return p; } bool is_null(const void* p) {
        return !p; } int five = 5; int* to_int() { return &five; } int at(int* p) { return *p; }
        int** to_pointer() { static int* p = &five; return &p; } int at2(int** p) { return **p; } %}""",
        [
            *("m.same_void(p)", "m.same_void(None)", "m.same_void(3)", "m.is_null(None)"),
            *("m.is_null(p)", "m.is_null('a')", "m.at(m.to_int())", "m.at(3)", "m.at(p)"),
            *(
                "m.at2(m.to_pointer())",
                "m.at2(m.to_int())",
                "m.to_int()",
                "m.to_pointer()",
            ),
            *(
                "m.same_void(m.to_int()) == m.same_void(m.to_int())",
                "m.is_null(m.to_int())",
            ),
        ],
    ),
    Construct(
        "%newobject",
        "%newobject fresh; %inline %{ Point* fresh() { return new Point(1, 2); } %}",
        ["m.fresh().thisown", "m.fresh().x", "m.fresh(1)"],
    ),
    Construct(
        "%rename and %ignore in classes",
        """%rename(__str__) Named::text; %rename(Shown) Named; %ignore Named::hidden;
        %rename(len) Named::size; %feature("docstring") Named "A name."
        %feature("docstring") Named::size "Its size."
        %inline %{ struct Named { const char* text() { return "named"; } int size() { return 3; }
        int hidden; int shown; }; %}""",
        [
            "str(m.Shown())",
            "m.Shown().len()",
            "hasattr(m.Shown(), 'hidden')",
            "m.Shown().shown",
        ]
        + [
            "hasattr(m, 'Named')",
            "m.Shown.__doc__",
            "m.Shown.len.__doc__",
            "m.Shown().len(1)",
        ],
    ),
    Construct(
        "methods that Python calls by itself",
        """%rename(__len__) Box::size; %rename(__getitem__) Box::at; %rename(__add__) Box::plus;
        %inline %{ struct Box { int size() { return 4; } int at(int k) { return 10 * k; }
        int plus(int k) { return k + 1; } }; %}""",
        ["len(m.Box())", "m.Box()[3]", "m.Box() + 5", "m.Box()['a']", "bool(m.Box())"],
    ),
]
