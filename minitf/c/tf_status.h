// TF_Status: whether a call succeeded, and if not, why.
//
// A function that can fail takes a TF_Status as its last argument (M223, M224). It sets
// the status to TF_OK when it succeeds. It sets a code and a message when it fails. A
// caller that passes null gets no report of an error.
//
//   threads    one thread at a time uses a status
//
// Compare    tensorflow/c/tf_status.h
// Read next  minitf/c/tf_buffer.h

#pragma once

#include "minitf/c/tf_datatype.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers are those of error_codes.proto.
#ifdef __cplusplus
typedef enum TF_Code : int {  // C code may pass any number
#else
typedef enum TF_Code {
#endif
  TF_OK = 0,
  TF_CANCELLED = 1,
  TF_UNKNOWN = 2,
  TF_INVALID_ARGUMENT = 3,
  TF_DEADLINE_EXCEEDED = 4,
  TF_NOT_FOUND = 5,
  TF_ALREADY_EXISTS = 6,
  TF_PERMISSION_DENIED = 7,
  TF_UNAUTHENTICATED = 16,
  TF_RESOURCE_EXHAUSTED = 8,
  TF_FAILED_PRECONDITION = 9,
  TF_ABORTED = 10,
  TF_OUT_OF_RANGE = 11,
  TF_UNIMPLEMENTED = 12,
  TF_INTERNAL = 13,
  TF_UNAVAILABLE = 14,
  TF_DATA_LOSS = 15,
} TF_Code;

typedef struct TF_Status TF_Status;

/// Returns a status with code TF_OK. The caller deletes it. Null if there is no memory.
TF_CAPI_EXPORT extern TF_Status* TF_NewStatus(void);

/// Deletes the status. Does nothing for null.
TF_CAPI_EXPORT extern void TF_DeleteStatus(TF_Status* s);

/// Replaces code and message. A null `msg` stands for "". TF_OK has no message.
TF_CAPI_EXPORT extern void TF_SetStatus(TF_Status* s, TF_Code code, const char* msg);

/// Returns the code; TF_INVALID_ARGUMENT if `s` is null.
TF_CAPI_EXPORT extern TF_Code TF_GetCode(const TF_Status* s);

/// Returns the message, which is "" for TF_OK. The text is valid until `s` changes.
TF_CAPI_EXPORT extern const char* TF_Message(const TF_Status* s);

#ifdef __cplusplus
}
#endif
