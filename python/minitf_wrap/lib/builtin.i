// The typemaps of all types that the generator knows by itself. Every module begins with it.
//
// In the code, $input is the Python argument, $1 the C++ value, $result the Python result.
// $where is "in method 'f', argument 1 of type 'int'". The option precedence orders
// overloads: the lowest is tried first. The option pytype is the type in the stub. The option
// local=pointer means that $1 points to the class that C++ takes or returns by value.

%{
#define SWIG_fail goto fail
#define SWIG_exception_fail(code, text) do { SWIG_Error(code, text); SWIG_fail; } while (false)
#define SWIG_exception(code, text) SWIG_exception_fail(code, text)
#define SWIG_Python_AppendOutput SWIG_AppendOutput
#define SWIG_Py_Void() Py_NewRef(Py_None)
#define SWIG_CATCH_ALL \
  catch (const std::exception& error) { SWIG_exception_fail(SWIG_RuntimeError, error.what()); } \
  catch (...) { SWIG_exception_fail(SWIG_UnknownError, "unknown C++ exception"); }
%}

// ---- Numbers and text -------------------------------------------------------------------

%typemap(in, precedence=20, pytype="int") unsigned char, signed char {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, precedence=30, pytype="int") unsigned short, short = signed char;
%typemap(in, precedence=40, pytype="int") unsigned int, int = signed char;
%typemap(in, precedence=50, pytype="int") unsigned long, long = signed char;
%typemap(in, precedence=55, pytype="int") unsigned long long, long long = signed char;
%typemap(in, precedence=15, pytype="bool") bool = signed char;
%typemap(in, precedence=80, pytype="float") float = signed char;
%typemap(in, precedence=90, pytype="float") double = signed char;
%typemap(in, precedence=130, pytype="str") char = signed char;
%typemap(in, precedence=140, pytype="str | None") char *, const char * = signed char;

%typemap(in, precedence=50, pytype="int") const int & ($*1_ltype value) {
  const char* where = "in method '$symname', argument $argnum of type '$*1_ltype'";
  if (int code = SWIG_AsVal($input, &value)) SWIG_exception_fail(code, where);
  $1 = &value;
}
%typemap(in, precedence=50, pytype="int") const signed char &, const unsigned char &,
    const short &, const unsigned short &, const unsigned int &, const long &,
    const unsigned long &, const long long &, const unsigned long long & = const int &;
%typemap(in, precedence=15, pytype="bool") const bool & = const int &;
%typemap(in, precedence=90, pytype="float") const float &, const double & = const int &;
%typemap(in, precedence=130, pytype="str") const char & = const int &;

%typemap(out, pytype="int") signed char, unsigned char, short, unsigned short, int,
    unsigned int, long, unsigned long, long long, unsigned long long {
  $result = SWIG_From($1);
}
%typemap(out, pytype="bool") bool = int;
%typemap(out, pytype="float") float, double = int;
%typemap(out, pytype="str") char = int;
%typemap(out, pytype="str") char *, const char * = int;

%typemap(out, pytype="int") const signed char &, const unsigned char &, const short &,
    const unsigned short &, const int &, const unsigned int &, const long &,
    const unsigned long &, const long long &, const unsigned long long & {
  $result = SWIG_From(*$1);
}
%typemap(out, pytype="bool") const bool & = const int &;
%typemap(out, pytype="float") const float &, const double & = const int &;
%typemap(out, pytype="str") const char & = const int &;

%typemap(out, pytype="None") void { $result = SWIG_Py_Void(); }

%typemap(in, precedence=40, pytype="int") enum SWIGTYPE (int value) {
  if (int code = SWIG_AsVal($input, &value)) SWIG_exception_fail(code, "$where");
  $1 = static_cast<$1_ltype>(value);
}
%typemap(out, pytype="int") enum SWIGTYPE { $result = SWIG_From(static_cast<int>($1)); }

typedef unsigned long size_t;

// ---- Pointers, references and classes ---------------------------------------------------

%typemap(in, pytype="$class | None") SWIGTYPE * (void* pointer) {
  int code = SWIG_ConvertPtr($input, &pointer, $1_descriptor, 0);
  if (code) SWIG_exception_fail(code, "$where");
  $1 = static_cast<$1_ltype>(pointer);
}
%typemap(in, pytype="$class") SWIGTYPE & (void* pointer) {
  int code = SWIG_ConvertPtr($input, &pointer, $1_descriptor, 0);
  if (code) SWIG_exception_fail(code, "$where");
  if (!pointer) SWIG_exception_fail(SWIG_ValueError, "invalid null reference $where");
  $1 = static_cast<$1_ltype>(pointer);
}
%typemap(in, pytype="$class", local="pointer") SWIGTYPE = SWIGTYPE &;
%typemap(in, pytype="$class") SWIGTYPE *self = SWIGTYPE &;
%typemap(in, precedence=10, pytype="SwigPyObject | None") void *, const void * = SWIGTYPE *;

%typemap(out, pytype="$class") SWIGTYPE *, SWIGTYPE & {
  $result = SWIG_NewPointerObj($1, $1_descriptor, $owner);
}
%typemap(out, pytype="$class", local="pointer") SWIGTYPE = SWIGTYPE *;
%typemap(out, pytype="SwigPyObject") void *, const void * = SWIGTYPE *;

%typemap(in, pytype="object") PyObject * { $1 = $input; }
%typemap(out, pytype="Any") PyObject * { $result = $1; }
