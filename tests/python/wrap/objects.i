// Constants, variables, enums, pointers and classes.
//
// "// == " opens a construct, and names it. "//> " has calls of it in Python. "//! " has a
// function and the kinds of its parameters, which is called with hostile values.
%module m
%{
#include <cstdlib>
#include <cstring>
#include <string>
%}

// == #define of an integer
#define N 5
#define HEX 0x1F
#define NEGATIVE -3
#define LONG_ONE 1L
//> m.N ; m.HEX ; m.NEGATIVE ; m.LONG_ONE ; setattr(m, 'N', 6)

// == #define of a real number, a text, a character
#define PI 3.14
#define BIG 1e300
#define NAME "n\n"
#define LETTER 'x'
//> m.PI ; m.BIG ; m.NAME ; m.LETTER

// == #define of an expression
#define SUM (N + 1)
#define TWICE (2 * PI)
#define SHIFT (1 << 4)
#define EMPTY
//> m.SUM ; m.TWICE ; m.SHIFT ; hasattr(m, 'EMPTY')

// == enum
%inline %{ enum Color : int { RED, GREEN = 5, BLUE };
Color color(Color c) { return c; } %}
//! m.color enum
//> (m.RED, m.GREEN, m.BLUE) ; m.color(m.BLUE)

// == enum without a name, typedef enum
%inline %{ enum { LOOSE = 9 }; typedef enum { OFF, ON } Switch;
Switch flip(Switch s) { return s == ON ? OFF : ON; } %}
//> (m.LOOSE, m.OFF, m.ON) ; m.flip(m.ON) ; m.flip('x') ; m.flip(2**40)

// == global int
%inline %{ int g_int = 3; %}
//> m.cvar.g_int ; setattr(m.cvar, 'g_int', 4) ; m.cvar.g_int
//> setattr(m.cvar, 'g_int', -1) ; m.cvar.g_int ; setattr(m.cvar, 'g_int', 2**31)
//> m.cvar.g_int ; setattr(m.cvar, 'g_int', 'a') ; m.cvar.g_int
//> setattr(m.cvar, 'g_int', 1.0) ; m.cvar.g_int ; setattr(m.cvar, 'g_int', None)
//> m.cvar.g_int ; setattr(m.cvar, 'g_int', True) ; m.cvar.g_int

// == global unsigned short
%inline %{ unsigned short g_unsigned = 3; %}
//> m.cvar.g_unsigned ; setattr(m.cvar, 'g_unsigned', 4) ; m.cvar.g_unsigned
//> setattr(m.cvar, 'g_unsigned', -1) ; m.cvar.g_unsigned
//> setattr(m.cvar, 'g_unsigned', 2**16) ; m.cvar.g_unsigned
//> setattr(m.cvar, 'g_unsigned', 'a') ; m.cvar.g_unsigned

// == global double
%inline %{ double g_double = 3.0; %}
//> m.cvar.g_double ; setattr(m.cvar, 'g_double', 4) ; m.cvar.g_double
//> setattr(m.cvar, 'g_double', 4.5) ; m.cvar.g_double ; setattr(m.cvar, 'g_double', nan)
//> m.cvar.g_double ; setattr(m.cvar, 'g_double', 'a') ; m.cvar.g_double
//> setattr(m.cvar, 'g_double', None) ; m.cvar.g_double
//> setattr(m.cvar, 'g_double', 10**400) ; m.cvar.g_double

// == global bool
%inline %{ bool g_bool = true; %}
//> m.cvar.g_bool ; setattr(m.cvar, 'g_bool', False) ; m.cvar.g_bool
//> setattr(m.cvar, 'g_bool', True) ; m.cvar.g_bool ; setattr(m.cvar, 'g_bool', 0)
//> m.cvar.g_bool ; setattr(m.cvar, 'g_bool', None) ; m.cvar.g_bool

// == global char
%inline %{ char g_char = 'x'; %}
//> m.cvar.g_char ; setattr(m.cvar, 'g_char', 'y') ; m.cvar.g_char
//> setattr(m.cvar, 'g_char', 'yy') ; m.cvar.g_char ; setattr(m.cvar, 'g_char', 97)
//> m.cvar.g_char ; setattr(m.cvar, 'g_char', 300) ; m.cvar.g_char
//> setattr(m.cvar, 'g_char', None) ; m.cvar.g_char

// == global Color
%inline %{ Color g_enum = RED; %}
//> m.cvar.g_enum ; setattr(m.cvar, 'g_enum', 5) ; m.cvar.g_enum
//> setattr(m.cvar, 'g_enum', 77) ; m.cvar.g_enum ; setattr(m.cvar, 'g_enum', 2**40)
//> m.cvar.g_enum ; setattr(m.cvar, 'g_enum', 'a') ; m.cvar.g_enum

// == global const char *
%inline %{ const char* g_text = "hi"; %}
//> m.cvar.g_text ; setattr(m.cvar, 'g_text', 'new') ; m.cvar.g_text
//> setattr(m.cvar, 'g_text', 3) ; setattr(m.cvar, 'g_text', None) ; m.cvar.g_text

// == global constant
%inline %{ const int g_const = 7; const double g_pi = 3.5; %}
//> m.g_const ; m.cvar.g_const ; setattr(m.cvar, 'g_const', 8) ; m.cvar.g_const

// == %immutable
%immutable g_fixed; %inline %{ int g_fixed = 1; %}
//> m.cvar.g_fixed ; setattr(m.cvar, 'g_fixed', 2) ; m.cvar.g_fixed

// == several variables in one declaration
%inline %{ int g_one = 1, g_two = 2; %}
//> m.cvar.g_one ; m.cvar.g_two ; setattr(m.cvar, 'g_two', 5) ; m.cvar.g_two

// == names that cvar does not have
//> m.cvar.missing ; setattr(m.cvar, 'missing', 1) ; m.missing

// == struct with a constructor
%inline %{
struct Point {
  double x, y;
  Point(double x, double y) : x(x), y(y) {}
  double dot(const Point* other) const { return other ? x * other->x + y * other->y : -1; }
  Point scaled(double by) { return Point(x * by, y * by); }
  Point* me() { return this; }
  Point* none() { return 0; }
  static Point* make(double x) { return new Point(x, x); }
  static double sum(Point a, Point b) { return a.x + b.x; }
};
struct Other { int z; };
double by_value(Point p) { return p.x; }
double by_pointer(Point* p) { return p ? p->x : -1; }
double by_const_pointer(const Point* p) { return p ? p->x : -1; }
Point g_point = Point(3, 4);
Point* g_pointer = &g_point;
Point copy_of(Point p) { return p; }
%}
//! m.Point float float

// == constructor by keyword
//> m.Point(y=1, x=2).x ; m.Point(1, z=2)

// == fields
//> p.x ; setattr(p, 'x', 5) ; p.x ; setattr(p, 'x', 'a') ; p.x ; setattr(p, 'x', None)
//> p.zz ; setattr(p, 'zz', 1) ; p.zz ; delattr(p, 'x') ; m.Point.x.fget(3)
//> setattr(p, 'x', 1) ; bare.x ; setattr(bare, 'x', 1)

// == by_value(Point) of each kind
//> m.by_value(m.Point(1, 2)) ; m.by_value(None) ; m.by_value(3) ; m.by_value('x')
//> m.by_value(1.5) ; m.by_value([]) ; m.by_value(object()) ; m.by_value(m.Other())
//> m.by_value(bare) ; m.by_value(m.Point)

// == by_pointer(Point) of each kind
//> m.by_pointer(m.Point(1, 2)) ; m.by_pointer(None) ; m.by_pointer(3) ; m.by_pointer('x')
//> m.by_pointer(1.5) ; m.by_pointer([]) ; m.by_pointer(object())
//> m.by_pointer(m.Other())
//> m.by_pointer(bare) ; m.by_pointer(m.Point)

// == by_const_pointer(Point) of each kind
//> m.by_const_pointer(m.Point(1, 2)) ; m.by_const_pointer(None) ; m.by_const_pointer(3)
//> m.by_const_pointer('x') ; m.by_const_pointer(1.5) ; m.by_const_pointer([])
//> m.by_const_pointer(object()) ; m.by_const_pointer(m.Other())
//> m.by_const_pointer(bare) ; m.by_const_pointer(m.Point)

// == methods
//> p.dot(m.Point(1, 2)) ; p.dot(None) ; p.dot(3) ; p.dot('x') ; p.dot(1.5) ; p.dot([])
//> p.dot(object()) ; p.dot(m.Other())
//> p.dot(bare) ; p.dot(m.Point) ; p.dot() ; p.dot(p, p) ; p.dot(other=p) ; p.dot(x=p)
//> m.Point.dot(p, p) ; m.Point.dot(3, p) ; m.Point.dot() ; bare.dot(p)
//> m.Point.dot(m.Other(), p)

// == results: copies, pointers, null
//> p.scaled(3).x ; p.scaled(3).thisown ; p.me().x ; p.me().thisown ; p.me().y
//> p.me().thisown ; p.none() ; m.copy_of(p).x ; m.copy_of(None)
//> type(p.me()) is m.Point ; p.me() is p ; p.me() == p ; hash(p) == hash(p)

// == static methods
//> m.Point.make(2).x ; p.make(2).x ; m.Point.make('a') ; m.Point.make()
//> m.Point.sum(p, p) ; m.Point.sum(p, None) ; m.Point.make(2).thisown

// == subclasses in Python
//> Sub(1, 2).x ; Sub(1, 2).dot(p) ; Sub(1, 2).own ; m.by_value(Sub(4, 5))
//> m.by_value(bare) ; m.by_pointer(bare) ; Sub(1) ; isinstance(Sub(1, 2), m.Point)

// == ownership
//> p.thisown ; setattr(p, 'thisown', False) ; p.thisown ; setattr(p, 'thisown', True)
//> p.thisown ; [m.Point(1, 2) for k in range(9)][5].x

// == repr, identity and doc
//> p ; p.this == p.me().this ; p == m.Point(1, 2) ; p != p

// == global struct and pointer to a struct
//> m.cvar.g_point.x ; setattr(m.cvar, 'g_point', m.Point(8, 9)) ; m.cvar.g_point.y
//> setattr(m.cvar, 'g_point', None) ; setattr(m.cvar, 'g_point', 3) ; m.cvar.g_pointer.x
//> setattr(m.cvar, 'g_pointer', None) ; m.cvar.g_pointer
//> setattr(m.cvar, 'g_pointer', 'a') ; setattr(m.cvar.g_point, 'x', 2.5)
//> m.cvar.g_point.x ; m.cvar.g_point.thisown

// == class with private members and without a constructor
%inline %{ class Hidden { int secret; void quiet() {} public:
Hidden() : secret(6) {} int get() const { return secret; }
protected: int half; private: static int all; }; %}
//> m.Hidden().get() ; m.Hidden().secret ; m.Hidden().quiet() ; m.Hidden(1)

// == implicit constructor
%inline %{ struct Plain { int n; const char* text; bool flag; char c; }; %}
//> m.Plain().n ; m.Plain().text ; m.Plain(1) ; setattr(q, 'text', 'abc') ; q.text
//> setattr(q, 'text', 5) ; setattr(q, 'text', None) ; q.text ; setattr(q, 'flag', 1)
//> setattr(q, 'flag', True) ; q.flag ; setattr(q, 'n', 2**31) ; q.n
//> setattr(q, 'c', 'z') ; q.c

// == struct in a struct
%inline %{ struct Line { Point a, b; Line() : a(0, 0), b(1, 1) {} }; %}
//> l.b.x ; setattr(l.b, 'x', 7) ; l.b.x ; setattr(l, 'a', m.Point(3, 4)) ; l.a.y
//> setattr(l, 'a', None) ; setattr(l, 'a', 3) ; l.a.thisown

// == typedef struct in the form of C
%inline %{ typedef struct Pair { int first, second; } Pair; typedef struct Pair Couple;
int total(Couple* pair) { return pair->first + pair->second; } %}
//> m.total(m.Pair()) ; m.total(3) ; m.Pair().first

// == opaque struct
%{ struct Hidden2 { int n; }; %}
typedef struct Hidden2 Hidden2;
%{ static Hidden2 one, two; static Hidden2* first() { return &one; }
static Hidden2* second() { return &two; } static int is_first(const Hidden2* h) {
return h == &one; } %}
Hidden2* first(); Hidden2* second(); int is_first(const Hidden2* h);
//> m.is_first(m.first()) ; m.is_first(m.second()) ; m.is_first(None) ; m.is_first(3)
//> m.is_first(p) ; m.first() == m.first() ; m.first() ; m.first() == m.second()
//> m.first() != m.second() ; type(m.first()).__name__ ; m.first() == 3
//> m.first() is None

// == void *, const void *, int *, pointer to a pointer
%inline %{ void* same_void(void* p) { return p; } bool is_null(const void* p) {
return !p; } int five = 5; int* to_int() { return &five; } int at(int* p) { return *p; }
int** to_pointer() { static int* p = &five; return &p; } int at2(int** p) { return **p; } %}
//> m.same_void(p) ; m.same_void(None) ; m.same_void(3) ; m.is_null(None) ; m.is_null(p)
//> m.is_null('a') ; m.at(m.to_int()) ; m.at(3) ; m.at(p) ; m.at2(m.to_pointer())
//> m.at2(m.to_int()) ; m.to_int() ; m.to_pointer()
//> m.same_void(m.to_int()) == m.same_void(m.to_int()) ; m.is_null(m.to_int())

// == %newobject
%newobject fresh; %inline %{ Point* fresh() { return new Point(1, 2); } %}
//> m.fresh().thisown ; m.fresh().x ; m.fresh(1)

// == %rename and %ignore in classes
%rename(__str__) Named::text; %rename(Shown) Named; %ignore Named::hidden;
%rename(len) Named::size; %feature("docstring") Named "A name."
%feature("docstring") Named::size "Its size."
%inline %{ struct Named { const char* text() { return "named"; } int size() { return 3; }
int hidden; int shown; }; %}
//> str(m.Shown()) ; m.Shown().len() ; hasattr(m.Shown(), 'hidden') ; m.Shown().shown
//> hasattr(m, 'Named') ; m.Shown.__doc__ ; m.Shown.len.__doc__ ; m.Shown().len(1)

// == methods that Python calls by itself
%rename(__len__) Box::size; %rename(__getitem__) Box::at; %rename(__add__) Box::plus;
%inline %{ struct Box { int size() { return 4; } int at(int k) { return 10 * k; }
int plus(int k) { return k + 1; } }; %}
//> len(m.Box()) ; m.Box()[3] ; m.Box() + 5 ; m.Box()['a'] ; bool(m.Box())
