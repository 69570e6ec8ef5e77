// The C API of minitf as a Python module (M226). Each file below wraps one part of it.
//
//   swig -c++ -python -I. python/swig/minitf.i          the module minitf_swig, by SWIG
//   python -m minitf_wrap -I. python/swig/minitf.i      the same, by minitf's generator
//
// Compare  tensorflow/python/tensorflow.i
%module minitf_swig

%include "python/swig/status.i"
%include "python/swig/tensor.i"
%include "python/swig/graph.i"
%include "python/swig/session.i"
%include "python/swig/eager.i"
