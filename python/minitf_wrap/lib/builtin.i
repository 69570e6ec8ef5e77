// The typemaps of all types that the generator knows by itself. Every module begins with it.
//
// In the code, $input is the Python argument, $1 the C++ value, $result the Python result.
// $where is "in method 'f', argument 1 of type 'int'". The option pytype is the type in the
// stub. The option local=pointer means that $1 points to the object that C++ takes or
// returns by value.

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

%typemap(in, pytype="int") signed char, unsigned char, short, unsigned short, int,
    unsigned int, long, unsigned long, long long, unsigned long long {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, pytype="float") float, double {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, pytype="bool") bool {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, pytype="str") char {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, pytype="str | None") char *, const char * {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}

%typemap(out, pytype="int") signed char, unsigned char, short, unsigned short, int,
    unsigned int, long, unsigned long, long long, unsigned long long {
  $result = SWIG_From($1);
}
%typemap(out, pytype="float") float, double { $result = SWIG_From($1); }
%typemap(out, pytype="bool") bool { $result = SWIG_From($1); }
%typemap(out, pytype="str") char, char *, const char * { $result = SWIG_From($1); }
%typemap(out, pytype="None") void { $result = SWIG_Py_Void(); }

%typemap(in, pytype="int") enum SWIGTYPE (int value) {
  if (int code = SWIG_AsVal($input, &value)) SWIG_exception_fail(code, "$where");
  $1 = static_cast<$1_ltype>(value);
}
%typemap(out, pytype="int") enum SWIGTYPE { $result = SWIG_From(static_cast<int>($1)); }

typedef unsigned long size_t;

// ---- Pointers and classes ---------------------------------------------------------------

%typemap(in, pytype="$class | None") SWIGTYPE * (void* pointer) {
  if (int code = SWIG_ConvertPtr($input, &pointer, $1_descriptor, 0))
    SWIG_exception_fail(code, "$where");
  $1 = static_cast<$1_ltype>(pointer);
}
%typemap(in, pytype="$class") SWIGTYPE *self (void* pointer) {
  if (int code = SWIG_ConvertPtr($input, &pointer, $1_descriptor, 0))
    SWIG_exception_fail(code, "$where");
  if (!pointer) SWIG_exception_fail(SWIG_ValueError, "invalid null reference $where");
  $1 = static_cast<$1_ltype>(pointer);
}
%typemap(in, pytype="$class", local="pointer") SWIGTYPE (void* pointer) {
  if (int code = SWIG_ConvertPtr($input, &pointer, $1_descriptor, 0))
    SWIG_exception_fail(code, "$where");
  if (!pointer) SWIG_exception_fail(SWIG_ValueError, "invalid null reference $where");
  $1 = static_cast<$1_ltype>(pointer);
}
%typemap(in, pytype="SwigPyObject | None") void *, const void * {
  if (int code = SWIG_ConvertPtr($input, &$1, $1_descriptor, 0))
    SWIG_exception_fail(code, "$where");
}

%typemap(out, pytype="$class") SWIGTYPE * {
  $result = SWIG_NewPointerObj($1, $1_descriptor, $owner);
}
%typemap(out, pytype="$class", local="pointer") SWIGTYPE {
  $result = SWIG_NewPointerObj($1, $1_descriptor, SWIG_POINTER_OWN);
}
// A field keeps its object alive. A constructor gives the new object to the proxy.
%typemap(out, pytype="$class") SWIGTYPE *swig_field {
  $result = SWIG_KeepParent(SWIG_NewPointerObj($1, $1_descriptor, 0), swig_obj[0]);
}
%typemap(out, pytype="None") SWIGTYPE *swig_self {
  $result = SWIG_InitProxy(swig_obj[0], $1, $1_descriptor);
}
%typemap(out, pytype="SwigPyObject") void *, const void * {
  $result = SWIG_NewPointerObj($1, $1_descriptor, $owner);
}

%typemap(in, pytype="object") PyObject * { $1 = $input; }
%typemap(out, pytype="Any") PyObject * { $result = $1; }
