// Numbers, texts, and functions over them.
//
// "// == " opens a construct, and names it. "//> " has calls of it in Python. "//! " has a
// function and the kinds of its parameters, which is called with hostile values.
%module m
%{
#include <cstdlib>
#include <cstring>
#include <string>
%}

// == int in and out
%inline %{ int f_int(int x) { return x; } %}
//! m.f_int int
//> m.f_int(x=3) ; m.f_int(3, x=3) ; m.f_int(y=1)

// == short in and out
%inline %{ short f_short(short x) { return x; } %}
//! m.f_short int
//> m.f_short(x=3) ; m.f_short(3, x=3) ; m.f_short(y=1)

// == long in and out
%inline %{ long f_long(long x) { return x; } %}
//! m.f_long int
//> m.f_long(x=3) ; m.f_long(3, x=3) ; m.f_long(y=1)

// == long long in and out
%inline %{ long long f_long_long(long long x) { return x; } %}
//! m.f_long_long int
//> m.f_long_long(x=3) ; m.f_long_long(3, x=3) ; m.f_long_long(y=1)

// == signed char in and out
%inline %{ signed char f_signed_char(signed char x) { return x; } %}
//! m.f_signed_char int
//> m.f_signed_char(x=3) ; m.f_signed_char(3, x=3) ; m.f_signed_char(y=1)

// == unsigned char in and out
%inline %{ unsigned char f_unsigned_char(unsigned char x) { return x; } %}
//! m.f_unsigned_char int
//> m.f_unsigned_char(x=3) ; m.f_unsigned_char(3, x=3) ; m.f_unsigned_char(y=1)

// == unsigned short in and out
%inline %{ unsigned short f_unsigned_short(unsigned short x) { return x; } %}
//! m.f_unsigned_short int
//> m.f_unsigned_short(x=3) ; m.f_unsigned_short(3, x=3) ; m.f_unsigned_short(y=1)

// == unsigned int in and out
%inline %{ unsigned int f_unsigned_int(unsigned int x) { return x; } %}
//! m.f_unsigned_int int
//> m.f_unsigned_int(x=3) ; m.f_unsigned_int(3, x=3) ; m.f_unsigned_int(y=1)

// == unsigned long in and out
%inline %{ unsigned long f_unsigned_long(unsigned long x) { return x; } %}
//! m.f_unsigned_long int
//> m.f_unsigned_long(x=3) ; m.f_unsigned_long(3, x=3) ; m.f_unsigned_long(y=1)

// == unsigned long long in and out
%inline %{ unsigned long long f_unsigned_long_long(unsigned long long x) { return x; } %}
//! m.f_unsigned_long_long int
//> m.f_unsigned_long_long(x=3) ; m.f_unsigned_long_long(3, x=3)
//> m.f_unsigned_long_long(y=1)

// == size_t in and out
%inline %{ size_t f_size_t(size_t x) { return x; } %}
//! m.f_size_t int
//> m.f_size_t(x=3) ; m.f_size_t(3, x=3) ; m.f_size_t(y=1)

// == double in and out
%inline %{ double f_double(double x) { return x; } %}
//! m.f_double float
//> m.f_double(x=1.5) ; m.f_double(1.5, x=1.5) ; m.f_double(y=1)

// == float in and out
%inline %{ float f_float(float x) { return x; } %}
//! m.f_float float
//> m.f_float(x=1.5) ; m.f_float(1.5, x=1.5) ; m.f_float(y=1)

// == bool in and out
%inline %{ bool f_bool(bool x) { return x; } %}
//! m.f_bool bool
//> m.f_bool(x=True) ; m.f_bool(True, x=True) ; m.f_bool(y=1)

// == char in and out
%inline %{ char f_char(char x) { return x; } %}
//! m.f_char str
//> m.f_char(x='t') ; m.f_char('t', x='t') ; m.f_char(y=1)

// == const char * in and out
%inline %{ const char * f_const_char__(const char * x) { return x; } %}
//! m.f_const_char__ str
//> m.f_const_char__(x='t') ; m.f_const_char__('t', x='t') ; m.f_const_char__(y=1)

// == int8_t of stdint.i
%include <stdint.i>
%inline %{ int8_t f_int8_t(int8_t x) { return x; } %}
//! m.f_int8_t int
//> m.f_int8_t(x=3) ; m.f_int8_t(3, x=3) ; m.f_int8_t(y=1)

// == uint8_t of stdint.i
%include <stdint.i>
%inline %{ uint8_t f_uint8_t(uint8_t x) { return x; } %}
//! m.f_uint8_t int
//> m.f_uint8_t(x=3) ; m.f_uint8_t(3, x=3) ; m.f_uint8_t(y=1)

// == int16_t of stdint.i
%include <stdint.i>
%inline %{ int16_t f_int16_t(int16_t x) { return x; } %}
//! m.f_int16_t int
//> m.f_int16_t(x=3) ; m.f_int16_t(3, x=3) ; m.f_int16_t(y=1)

// == uint16_t of stdint.i
%include <stdint.i>
%inline %{ uint16_t f_uint16_t(uint16_t x) { return x; } %}
//! m.f_uint16_t int
//> m.f_uint16_t(x=3) ; m.f_uint16_t(3, x=3) ; m.f_uint16_t(y=1)

// == int64_t of stdint.i
%include <stdint.i>
%inline %{ int64_t f_int64_t(int64_t x) { return x; } %}
//! m.f_int64_t int
//> m.f_int64_t(x=3) ; m.f_int64_t(3, x=3) ; m.f_int64_t(y=1)

// == uint64_t of stdint.i
%include <stdint.i>
%inline %{ uint64_t f_uint64_t(uint64_t x) { return x; } %}
//! m.f_uint64_t int
//> m.f_uint64_t(x=3) ; m.f_uint64_t(3, x=3) ; m.f_uint64_t(y=1)

// == typedef of a number
%inline %{ typedef short Number; %}
%inline %{ Number f_Number(Number x) { return x; } %}
//! m.f_Number int
//> m.f_Number(x=3) ; m.f_Number(3, x=3) ; m.f_Number(y=1)

// == typedef of a typedef
%inline %{ typedef Number Twice; %}
%inline %{ Twice f_Twice(Twice x) { return x; } %}
//! m.f_Twice int
//> m.f_Twice(x=3) ; m.f_Twice(3, x=3) ; m.f_Twice(y=1)

// == two parameters
%inline %{ double mix(int n, double x) { return n * x; } %}
//! m.mix int float
//> m.mix(x=2.0, n=3) ; m.mix(3, x=2) ; m.mix(n=1)

// == parameters without names
%inline %{ int unnamed(int, double) { return 4; } %}
//! m.unnamed int float
//> m.unnamed(arg1=1, arg2=2)

// == parameters and functions with names of Python's keywords
%inline %{ int from(int in, int lambda) { return in - lambda; } %}
//> m._from(5, 3) ; m._from(_in=5, _lambda=3) ; getattr(m, 'from', 0)

// == no parameters, (void), no result
%inline %{ void nothing(void) {} int five() { return 5; } %}
//> m.nothing() ; m.nothing(1) ; m.five() ; m.five(1, 2) ; m.five(x=1)

// == %rename
%rename(shiny) old_name; %inline %{ int old_name(int x) { return x; } %}
//> m.shiny(3) ; m.shiny('a') ; m.shiny() ; hasattr(m, 'old_name')

// == %ignore
%ignore hidden; %inline %{ int hidden() { return 1; } int visible() { return 2; } %}
//> hasattr(m, 'hidden') ; m.visible()

// == %feature("docstring")
%feature("docstring") documented "Says it."
%feature("docstring") documented2 {Says more.}
%inline %{ int documented(int x) { return x; } int documented2() { return 1; } %}
//> m.documented.__doc__ ; m.documented2.__doc__ ; m.documented(1)

// == functions declared, not inline
%{ static int apart(int x) { return static_cast<int>(x + 1u); } %}
int apart(int x);
//! m.apart int
