// TF_Tensor: an element type, a shape, and the bytes of the elements in row-major order.
//
// The elements of a TF_STRING tensor are encoded as in TensorFlow 1.15. First comes an
// array of n offsets of type uint64_t, one for each element. Then come the elements.
// Offset i counts bytes from the end of the array. There element i begins with its length
// as a varint, and its bytes follow (TF_StringEncode writes both).
//
// Only a session or an eager operation returns a TF_RESOURCE tensor. It has no bytes that
// a caller can read: the size is 0. It may be passed in again.
//
//   threads    any number of threads read a tensor; one thread writes it or deletes it
//
// Compare    tensorflow/c/tf_tensor.h
// Read next  minitf/c/c_api_graph.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/tf_buffer.h"
#include "minitf/c/tf_datatype.h"
#include "minitf/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Tensor TF_Tensor;

/// Returns a tensor whose elements are the `len` bytes at `data`. minitf calls
/// `deallocator(data, len, deallocator_arg)` once, when nothing uses the bytes any more.
/// This may happen before the function returns: minitf copies data that is not aligned
/// for its element type. A null `deallocator` does nothing. The caller deletes the
/// tensor. On an error, returns null and calls the deallocator. Errors are a negative
/// dimension, a `len` that is too small, a missing pointer, and the element types
/// TF_RESOURCE, TF_VARIANT and unknown ones.
TF_CAPI_EXPORT extern TF_Tensor* TF_NewTensor(
    TF_DataType dtype, const int64_t* dims, int num_dims, void* data, size_t len,
    void (*deallocator)(void* data, size_t len, void* arg), void* deallocator_arg);

/// Returns a tensor with `len` bytes of new memory, aligned to 64 bytes, whose contents
/// are unspecified. The caller deletes it. Returns null where TF_NewTensor does, and if
/// there is no memory.
TF_CAPI_EXPORT extern TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims,
                                                   int num_dims, size_t len);

/// Deletes `tensor` and returns a new tensor with its elements, if nothing else uses them
/// and minitf allocated them. Otherwise returns null and leaves `tensor` as it was.
TF_CAPI_EXPORT extern TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor);

/// Deletes the tensor. Does nothing for null.
TF_CAPI_EXPORT extern void TF_DeleteTensor(TF_Tensor* tensor);

/// Returns the element type; 0 for null.
TF_CAPI_EXPORT extern TF_DataType TF_TensorType(const TF_Tensor* tensor);

/// Returns the rank; -1 for null.
TF_CAPI_EXPORT extern int TF_NumDims(const TF_Tensor* tensor);

/// Returns the size of dimension `dim_index`; -1 for null and for an index outside of
/// [0, TF_NumDims(tensor)).
TF_CAPI_EXPORT extern int64_t TF_Dim(const TF_Tensor* tensor, int dim_index);

/// Returns the size of the data in bytes; 0 for null.
TF_CAPI_EXPORT extern size_t TF_TensorByteSize(const TF_Tensor* tensor);

/// Returns the data, valid until the tensor is deleted. Null if there are no bytes.
TF_CAPI_EXPORT extern void* TF_TensorData(const TF_Tensor* tensor);

/// Returns the number of elements; 0 for null.
TF_CAPI_EXPORT extern int64_t TF_TensorElementCount(const TF_Tensor* tensor);

/// Lets `to` share the data of `from`, as elements of `type` with shape `new_dims`. `to`
/// loses what it had. The new elements must need exactly the bytes of the old ones, and
/// both types a fixed size. Otherwise sets TF_INVALID_ARGUMENT and leaves `to` as it was.
TF_CAPI_EXPORT extern void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type,
                                                TF_Tensor* to, const int64_t* new_dims,
                                                int num_new_dims, TF_Status* status);

/// Returns 1 if the data is aligned to 64 bytes, else 0.
TF_CAPI_EXPORT extern unsigned char TF_TensorIsAligned(const TF_Tensor* tensor);

/// Lets `to` hold the tensor of the serialized TensorProto `from`. Sets
/// TF_INVALID_ARGUMENT, and leaves `to` as it was, for bytes that are no such message.
TF_CAPI_EXPORT extern void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to,
                                              TF_Status* status);

/// Writes `src_len` as a varint and then the bytes of `src` to `dst`. Returns the number
/// of bytes written. Returns 0 and sets TF_INVALID_ARGUMENT if `dst_len` is smaller than
/// TF_StringEncodedSize(src_len).
TF_CAPI_EXPORT extern size_t TF_StringEncode(const char* src, size_t src_len, char* dst,
                                             size_t dst_len, TF_Status* status);

/// Reads what TF_StringEncode wrote: `*dst` points into `src`, to `*dst_len` bytes.
/// Returns the number of bytes read. Returns 0 and sets TF_INVALID_ARGUMENT if the
/// `src_len` bytes end before the string does.
TF_CAPI_EXPORT extern size_t TF_StringDecode(const char* src, size_t src_len,
                                             const char** dst, size_t* dst_len,
                                             TF_Status* status);

/// Returns the number of bytes that TF_StringEncode writes for a string of `len` bytes.
TF_CAPI_EXPORT extern size_t TF_StringEncodedSize(size_t len);

#ifdef __cplusplus
}
#endif
