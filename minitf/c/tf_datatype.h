// Element types of tensors, with TensorFlow's numbers.
//
// minitf does not compute with the quantized types and variants. A TF_Tensor may have
// such a type. An operation that takes such a tensor returns TF_UNIMPLEMENTED.
//
// Compare    tensorflow/c/tf_datatype.h
// Read next  minitf/c/tf_status.h

#pragma once

#include <stddef.h>

/// Marks what libminitf_c.so exports.
#define TF_CAPI_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers are those of types.proto.
#ifdef __cplusplus
typedef enum TF_DataType : int {  // C code may pass any number
#else
typedef enum TF_DataType {
#endif
  TF_FLOAT = 1,
  TF_DOUBLE = 2,
  TF_INT32 = 3,
  TF_UINT8 = 4,
  TF_INT16 = 5,
  TF_INT8 = 6,
  TF_STRING = 7,
  TF_COMPLEX64 = 8,
  TF_COMPLEX = 8,  ///< an older name
  TF_INT64 = 9,
  TF_BOOL = 10,
  TF_QINT8 = 11,
  TF_QUINT8 = 12,
  TF_QINT32 = 13,
  TF_BFLOAT16 = 14,
  TF_QINT16 = 15,
  TF_QUINT16 = 16,
  TF_UINT16 = 17,
  TF_COMPLEX128 = 18,
  TF_HALF = 19,
  TF_RESOURCE = 20,
  TF_VARIANT = 21,
  TF_UINT32 = 22,
  TF_UINT64 = 23,
} TF_DataType;

/// Returns the size of one element in bytes. Returns 0 for a type whose elements have no
/// fixed size (TF_STRING, TF_RESOURCE, TF_VARIANT), and for an unknown number.
TF_CAPI_EXPORT extern size_t TF_DataTypeSize(TF_DataType dt);

#ifdef __cplusplus
}
#endif
