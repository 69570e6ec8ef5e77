// std::string by value and by constant reference.
%typemap(in, precedence=135, pytype="str") std::string {
  if (int code = SWIG_AsVal($input, &$1)) SWIG_exception_fail(code, "$where");
}
%typemap(in, precedence=135, pytype="str") const std::string & (std::string value) {
  if ($input == Py_None) SWIG_exception_fail(SWIG_ValueError, "invalid null reference $where");
  if (int code = SWIG_AsVal($input, &value)) SWIG_exception_fail(code, "$where");
  $1 = &value;
}
%typemap(out, pytype="str") std::string { $result = SWIG_From($1); }
%typemap(out, pytype="str") const std::string & { $result = SWIG_From(*$1); }
