// Typemaps, exceptions, threads and files.
//
// "// == " opens a construct, and names it. "//> " has calls of it in Python. "//! " has a
// function and the kinds of its parameters, which is called with hostile values.
%module(threads="1") m
%{
#include <cstdlib>
#include <cstring>
#include <string>
%}

// == typemap(in) and typemap(out) of a type
%{ typedef long Cents; %} typedef long Cents;
%typemap(in) Cents {
  double value = PyFloat_AsDouble($input);
  if (PyErr_Occurred()) SWIG_fail;
  $1 = static_cast<Cents>(value * 100 + 0.5);
}
%typemap(out) Cents { $result = PyFloat_FromDouble($1 / 100.0); }
%inline %{ Cents pay(Cents c) { return c + 1; } long plain(long c) { return c; } %}
//! m.pay float
//> m.plain(3) ; m.plain(1.5)

// == typemap(in) by the name of an argument
%typemap(in) int positive {
  $1 = static_cast<int>(PyLong_AsLong($input));
  if (PyErr_Occurred()) SWIG_fail;
  if ($1 <= 0) SWIG_exception_fail(SWIG_ValueError, "argument $argnum of $symname: $1_type");
}
%inline %{ int root(int positive, int other) { return positive + other; } %}
//> m.root(1, -1) ; m.root(0, 1) ; m.root(-1, 1) ; m.root('a', 1) ; m.root(1, 'a')
//> m.root(2**40, 1) ; m.root(2**70, 1) ; m.root(positive=2, other=3) ; m.root(1)

// == typemap(check)
%typemap(check) double ratio {
  if ($1 < 0 || $1 > 1) SWIG_exception_fail(SWIG_ValueError, "ratio");
}
%inline %{ double part(double ratio) { return ratio; } %}
//! m.part float

// == typemap(in, numinputs=0) and typemap(argout)
%typemap(in, numinputs=0) int* rest (int temp) { $1 = &temp; }
%typemap(argout) int* rest { $result = SWIG_Python_AppendOutput($result, PyLong_FromLong(*$1)); }
%inline %{ int divide(int a, int b, int* rest) { *rest = b ? a % b : 0; return b ? a / b : 0; }
void only(int* rest) { *rest = 9; } %}
//> m.divide(17, 5) ; m.divide(17) ; m.divide(1, 2, 3) ; m.only() ; m.only(1)
//> m.divide('a', 1) ; m.divide(b=5, a=7)

// == several output arguments
%typemap(in, numinputs=0) double* out1 (double temp), double* out2 (double temp) {
  $1 = &temp; }
%typemap(argout) double* out1, double* out2 {
  $result = SWIG_Python_AppendOutput($result, PyFloat_FromDouble(*$1)); }
%inline %{ void polar(double x, double* out1, double* out2) { *out1 = x; *out2 = -x; }
int both(double* out1, double* out2) { *out1 = 1; *out2 = 2; return 3; } %}
//> m.polar(2) ; m.both() ; m.polar() ; m.both(1)

// == typemap of several arguments: an array
%typemap(in) (double* data, int rows, int cols) (Py_buffer view = Py_buffer()) {
  if (PyObject_GetBuffer($input, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) SWIG_fail;
  if (view.ndim != 2 || strcmp(view.format, "d") != 0) {
    PyBuffer_Release(&view);
    SWIG_exception_fail(SWIG_TypeError, "expected an array of doubles with 2 axes");
  }
  $1 = static_cast<double*>(view.buf);
  $2 = static_cast<int>(view.shape[0]);
  $3 = static_cast<int>(view.shape[1]);
}
%typemap(freearg) (double* data, int rows, int cols) { if (view$argnum.obj) PyBuffer_Release(&view$argnum); }
%inline %{
double trace(double* data, int rows, int cols) {
  double sum = 0;
  for (int k = 0; k < rows && k < cols; ++k) sum += data[k * cols + k];
  return sum;
}
double scaled_trace(double by, double* data, int rows, int cols, int power) {
  return by * trace(data, rows, cols) * power;
}
%}
//> m.trace(square) ; m.trace(np.ones((2, 3))) ; m.trace(square.T) ; m.trace(3)
//> m.trace(square[::2]) ; m.trace(square.astype('f4')) ; m.trace(np.ones(3))
//> m.trace(square.astype('>f8')) ; m.trace(None) ; m.trace() ; m.trace(square, 1)
//> m.scaled_trace(2, square, 3) ; m.scaled_trace(2, square) ; m.trace(data=square)
//> m.scaled_trace('a', square, 3) ; m.scaled_trace(2, square, 'a') ; m.trace([[1.0]])
//> m.trace(np.ones((0, 3))) ; m.trace(read_only)

// == status argument that becomes an exception
%{
struct Status { int code; };
static int half(int n, Status* status) { status->code = n % 2; return n / 2; }
static void check(int n, Status* status) { status->code = n; }
%}
struct Status;
%typemap(in, numinputs=0) Status* status (Status temp) { temp.code = 0; $1 = &temp; }
%typemap(argout) Status* status {
  if ($1->code == 1) SWIG_exception_fail(SWIG_ValueError, "odd in $symname");
  if ($1->code > 1) { PyErr_Format(PyExc_KeyError, "code %d", $1->code); SWIG_fail; }
}
int half(int n, Status* status);
void check(int n, Status* status);
//> m.half(4) ; m.half(3) ; m.check(0) ; m.check(1) ; m.check(7) ; m.half('a') ; m.half()
//> m.half(1, None) ; m.half(n=8)

// == typemap(freearg)
%typemap(in) const char* copied { const char* text = PyUnicode_AsUTF8($input);
  if (!text) SWIG_fail; $1 = strdup(text); }
%typemap(freearg) const char* copied { free($1); }
%inline %{ int length(const char* copied) { return static_cast<int>(strlen(copied)); } %}
//> m.length('abc') ; m.length('') ; m.length(3) ; m.length('\ud800') ; m.length('\xe9')

// == typemap of a pointer to a class, $1_descriptor
%inline %{ struct Cell { int n; }; %}
%typemap(in) Cell* cell {
  if (PyLong_Check($input)) { static Cell made; made.n = (int)PyLong_AsLong($input); $1 = &made; }
  else { void* p = 0; int code = SWIG_ConvertPtr($input, &p, $1_descriptor, 0);
  if (!SWIG_IsOK(code)) SWIG_exception_fail(SWIG_ArgError(code), "no cell");
  $1 = static_cast<$1_ltype>(p); } }
%typemap(out) Cell* fresh_cell { $result = SWIG_NewPointerObj($1, $1_descriptor, SWIG_POINTER_OWN); }
%inline %{ int cell_value(Cell* cell) { return cell ? cell->n : -1; }
Cell* fresh_cell() { return new Cell(); } %}
//> m.cell_value(6) ; m.cell_value(m.Cell()) ; m.cell_value(None) ; m.cell_value('a')
//> m.fresh_cell().n ; m.fresh_cell().thisown ; m.cell_value(m.fresh_cell())

// == PyObject *
%inline %{ PyObject* again(PyObject* x) { Py_INCREF(x); return x; } %}
//> m.again(3) ; m.again(None) ; m.again([1]) ; m.again() ; m.again(x=4)

// == %exception of one function
%{ #include <stdexcept>
#include <string> %}
%exception risky { try { $action } catch (const std::out_of_range& e) {
  PyErr_SetString(PyExc_IndexError, e.what()); SWIG_fail; } }
%inline %{ int risky(int n) { if (n < 0) throw std::out_of_range("below 0"); return n; } %}
//> m.risky(1) ; m.risky(-1) ; m.risky('a') ; m.risky()

// == %exception for all, and for all no more
%include <exception.i>
%exception { try { $action } catch (const std::invalid_argument& e) {
  SWIG_exception(SWIG_ValueError, e.what()); } }
%inline %{ void refuse(const char* why) { throw std::invalid_argument(why); }
struct Wary { Wary(int n) { if (n > 3) throw std::invalid_argument("too many"); }
int take(int n) { if (n > 3) throw std::invalid_argument("too much"); return n; } }; %}
%exception;
%inline %{ int calm(int n) { return n; } %}
//> m.refuse('because') ; m.Wary(4) ; m.Wary(1).take(9) ; m.Wary(1).take(2) ; m.calm(3)

// == %exception of a method
%exception Jar::open { if (arg1->is_shut) SWIG_exception_fail(SWIG_RuntimeError, "shut");
  $action }
%inline %{ struct Jar { bool is_shut; int open() { return 1; } int look() { return 2; } }; %}
//> m.Jar().open() ; [setattr(j, 'is_shut', True), j.look()] ; j.open()

// == %include of a file beside
%include "beside.i"
//> m.cvar.beside_count ; m.beside(4) ; m.BESIDE

// == example.i of SWIG
%include "classic.i"
//> m.fact(5) ; m.my_mod(7, 3) ; m.cvar.My_variable ; setattr(m.cvar, 'My_variable', 4)
//> m.cvar.My_variable ; m.fact(12) ; m.fact(-1) ; m.fact(2.0) ; m.fact(2**31)
//> m.fact(None) ; m.fact() ; m.fact(1, 2) ; m.fact(n=3) ; m.my_mod(-7, 3)

// == %thread
%nothread; %thread in_peace;
%inline %{ int in_peace(int n) { return n; } %}
//! m.in_peace int
