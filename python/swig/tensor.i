// A TF_Tensor is a numpy array in Python, in both directions without a copy (M229).
%{
#include "python/swig/arrays.h"
%}

// Whatever numpy can make an array of. The function that is called owns the tensor.
%typemap(in) TF_Tensor* owned {
  $1 = minitf::swig::TensorFromArray($input);
  if ($1 == nullptr) SWIG_fail;
}
// A new tensor, which the array owns.
%typemap(out) TF_Tensor* {
  $result = minitf::swig::ArrayFromTensor($1);
  if ($result == nullptr) SWIG_fail;
}

enum TF_DataType {
  TF_FLOAT = 1,
  TF_DOUBLE = 2,
  TF_INT32 = 3,
  TF_UINT8 = 4,
  TF_INT16 = 5,
  TF_INT8 = 6,
  TF_STRING = 7,
  TF_COMPLEX64 = 8,
  TF_INT64 = 9,
  TF_BOOL = 10,
  TF_UINT16 = 17,
  TF_COMPLEX128 = 18,
  TF_HALF = 19,
  TF_UINT32 = 22,
  TF_UINT64 = 23
};
