// The C API of minitf: graphs, sessions, tensors and op libraries without C++ (M221).
//
// A program that is written against tensorflow/c/c_api.h of TensorFlow 1.15 compiles with
// this header and runs with libminitf_c.so. This file includes all others; it declares
// what belongs to no graph: the version, the registries and the log.
//
//   ownership    the creator of an object (TF_New...) deletes it (TF_Delete...)
//   errors       a TF_Status; nothing throws or aborts (tf_status.h)
//   order        tf_datatype.h, tf_status.h, tf_buffer.h, tf_tensor.h, c_api_graph.h,
//                c_api_operation.h, c_api_graph_def.h, c_api_gradients.h, c_api_session.h
//
// Compare    tensorflow/c/c_api.h, docs/c_api.md
// Read next  minitf/c/internal.h

#pragma once

#include "minitf/c/c_api_gradients.h"
#include "minitf/c/c_api_graph.h"
#include "minitf/c/c_api_graph_def.h"
#include "minitf/c/c_api_operation.h"
#include "minitf/c/c_api_session.h"
#include "minitf/c/c_api_unimplemented.h"
#include "minitf/c/tf_attrtype.h"
#include "minitf/c/tf_buffer.h"
#include "minitf/c/tf_datatype.h"
#include "minitf/c/tf_status.h"
#include "minitf/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the version of the interface that minitf follows: "1.15.0".
TF_CAPI_EXPORT extern const char* TF_Version(void);

// ---- Libraries of ops -----------------------------------------------------------------

typedef struct TF_Library TF_Library;

/// Loads a shared library, whose ops and kernels register themselves. The library stays
/// loaded. The caller deletes the handle. Returns null on an error: TF_NOT_FOUND for a
/// file that the system cannot load, and the error of a registration that failed.
TF_CAPI_EXPORT extern TF_Library* TF_LoadLibrary(const char* library_filename,
                                                 TF_Status* status);
/// Returns the ops of the library as a serialized OpList. The handle owns the bytes. The
/// result is empty for a handle that is null or was deleted.
TF_CAPI_EXPORT extern TF_Buffer TF_GetOpList(TF_Library* lib_handle);
/// Deletes the handle. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteLibraryHandle(TF_Library* lib_handle);

/// Returns all ops as a serialized OpList. The caller deletes it. Null if there is no
/// memory.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllOpList(void);
/// Returns all kernels as a serialized KernelList. The caller deletes it.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status);
/// Returns the kernels of the op `name`, which may be none, as a serialized KernelList.
/// The caller deletes it.
TF_CAPI_EXPORT extern TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name,
                                                              TF_Status* status);

// ---- The log --------------------------------------------------------------------------

/// Has `listener` called with each text that the op PrintV2 prints; the text then goes
/// nowhere else. Every listener gets every text, and stays for the life of the process.
/// Threads: steps of several sessions may call it at once. Does nothing for null.
TF_CAPI_EXPORT extern void TF_RegisterLogListener(void (*listener)(const char*));

#ifdef __cplusplus
}
#endif
