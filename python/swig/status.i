// A TF_Status is no argument in Python: a status that is not OK becomes an exception.
%{
#include "python/swig/raise_status.h"
%}

%typemap(in, numinputs=0) TF_Status* status {
  $1 = minitf::swig::StatusOfThread();
}
%typemap(argout) TF_Status* status {
  if (!minitf::swig::RaiseIfNotOk($1)) {
    Py_CLEAR($result);  // SWIG would leave the object alive
    SWIG_fail;
  }
}
