// Pointers that C++ writes through: OUTPUT is a result, INPUT a value, INOUT is both.
%typemap(in, numinputs=0) int *OUTPUT ($*1_ltype value) { $1 = &value; }
%typemap(argout, pytype="int") int *OUTPUT { $result = SWIG_AppendOutput($result, SWIG_From(*$1)); }
%typemap(in, pytype="int") int *INPUT = const int &;
%typemap(in, pytype="int") int *INOUT = const int &;
%typemap(argout, pytype="int") int *INOUT = int *OUTPUT;
