// TF_Buffer: bytes that cross the boundary, most often a serialized protocol message.
//
//   input     the caller fills a buffer (TF_NewBufferFromString), or points `data` to
//             memory of its own
//   output    the caller passes an empty buffer (TF_NewBuffer), and the function sets all
//             three members
//
// Compare    tensorflow/c/c_api.h, TF_Buffer
// Read next  minitf/c/tf_tensor.h

#pragma once

#include <stddef.h>

#include "minitf/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `length` bytes at `data`. Unless null, `data_deallocator` frees them when the buffer
/// is deleted or gets new contents.
typedef struct TF_Buffer {
  const void* data;
  size_t length;
  void (*data_deallocator)(void* data, size_t length);
} TF_Buffer;

/// Returns a buffer with a copy of the bytes. The caller deletes it. Returns null if
/// `proto` is null and `proto_len` is not 0, or if there is no memory.
TF_CAPI_EXPORT extern TF_Buffer* TF_NewBufferFromString(const void* proto,
                                                        size_t proto_len);

/// Returns an empty buffer. The caller deletes it. Null if there is no memory.
TF_CAPI_EXPORT extern TF_Buffer* TF_NewBuffer(void);

/// Frees the bytes through `data_deallocator`, and the buffer. Does nothing for null.
TF_CAPI_EXPORT extern void TF_DeleteBuffer(TF_Buffer* buffer);

/// Returns a copy of the struct. `buffer` still owns the bytes. Null gives an empty one.
TF_CAPI_EXPORT extern TF_Buffer TF_GetBuffer(TF_Buffer* buffer);

#ifdef __cplusplus
}
#endif
