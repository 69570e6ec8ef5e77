// A TF_Tensor is a numpy array in Python, in both directions without a copy (M229).
%{
#include "python/swig/arrays.h"
%}

// A parameter takes all that numpy can make an array of. The called function owns the
// tensor.
%typemap(in) TF_Tensor* owned {
  $1 = minitf::swig::TensorFromArray($input);
  if ($1 == nullptr) SWIG_fail;
}
// A new tensor, which the array owns.
%typemap(out) TF_Tensor* {
  $result = minitf::swig::ArrayFromTensor($1);
  if ($result == nullptr) SWIG_fail;
}

// The names alone: tf_datatype.h has the numbers.
enum TF_DataType {
  TF_FLOAT,
  TF_DOUBLE,
  TF_INT32,
  TF_UINT8,
  TF_INT16,
  TF_INT8,
  TF_STRING,
  TF_COMPLEX64,
  TF_INT64,
  TF_BOOL,
  TF_UINT16,
  TF_COMPLEX128,
  TF_HALF,
  TF_UINT32,
  TF_UINT64
};
