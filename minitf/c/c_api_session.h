// Sessions: options, runs, devices.
//
//   threads    any number of threads run one session; a session may be closed meanwhile,
//              and its runs end first
//   handles    a function with a status sets TF_INVALID_ARGUMENT for a session that is
//              null or was deleted
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api_unimplemented.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Session TF_Session;
typedef struct TF_DeprecatedSession TF_DeprecatedSession;
typedef struct TF_DeviceList TF_DeviceList;

/// Returns default options. The caller deletes them.
TF_CAPI_EXPORT extern TF_SessionOptions* TF_NewSessionOptions(void);

/// Sets the server that runs the session. minitf knows "" and "local": this process.
TF_CAPI_EXPORT extern void TF_SetTarget(TF_SessionOptions* options, const char* target);

/// Sets the options of a serialized ConfigProto. Sets TF_INVALID_ARGUMENT for bytes that
/// are no such message, and for settings that make no sense.
TF_CAPI_EXPORT extern void TF_SetConfig(TF_SessionOptions* options, const void* proto,
                                        size_t proto_len, TF_Status* status);

/// Deletes options. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteSessionOptions(TF_SessionOptions* options);

/// Returns a session that runs `graph`, which may grow. The caller deletes it. Returns
/// null on an error: TF_NOT_FOUND for a target that is not this process.
TF_CAPI_EXPORT extern TF_Session* TF_NewSession(TF_Graph* graph,
                                                const TF_SessionOptions* opts,
                                                TF_Status* status);

/// Frees the variables. Later runs set TF_CANCELLED.
TF_CAPI_EXPORT extern void TF_CloseSession(TF_Session* session, TF_Status* status);

/// Closes and deletes the session.
TF_CAPI_EXPORT extern void TF_DeleteSession(TF_Session* session, TF_Status* status);

/// Runs one step: feeds input_values[i] for inputs[i], runs all `target_opers`, and
/// writes new tensors for `outputs`, which the caller deletes. On an error all
/// output_values are null. The caller still owns the inputs and may not change them
/// until the step has ended.
///   run_options     null, or a serialized RunOptions
///   run_metadata    null, or an empty buffer that receives a serialized RunMetadata
/// TF_INVALID_ARGUMENT for an operation of another graph or a missing output. The same
/// for a tensor fed twice, a value of a wrong element type or shape, and an empty step.
/// Sets TF_CANCELLED for a closed session, or the first error of an operation.
TF_CAPI_EXPORT extern void TF_SessionRun(
    TF_Session* session, const TF_Buffer* run_options, const TF_Output* inputs,
    TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
    TF_Tensor** output_values, int noutputs, const TF_Operation* const* target_opers,
    int ntargets, TF_Buffer* run_metadata, TF_Status* status);

// ---- Sessions that own their graph ----------------------------------------------------
// TensorFlow calls them deprecated.

/// Returns a session with an empty graph. The caller deletes it.
TF_CAPI_EXPORT extern TF_DeprecatedSession* TF_NewDeprecatedSession(
    const TF_SessionOptions* opts, TF_Status* status);
/// As TF_CloseSession.
TF_CAPI_EXPORT extern void TF_CloseDeprecatedSession(TF_DeprecatedSession* session,
                                                     TF_Status* status);
/// As TF_DeleteSession.
TF_CAPI_EXPORT extern void TF_DeleteDeprecatedSession(TF_DeprecatedSession* session,
                                                      TF_Status* status);
/// Adds the nodes of a serialized GraphDef.
TF_CAPI_EXPORT extern void TF_ExtendGraph(TF_DeprecatedSession* session,
                                          const void* proto, size_t proto_len,
                                          TF_Status* status);
/// As TF_SessionRun, with names such as "a:0". Deletes all `inputs` in any case. Sets
/// TF_NOT_FOUND for a name that the graph does not have.
TF_CAPI_EXPORT extern void TF_Run(TF_DeprecatedSession* session,
                                  const TF_Buffer* run_options, const char** input_names,
                                  TF_Tensor** inputs, int ninputs,
                                  const char** output_names, TF_Tensor** outputs,
                                  int noutputs, const char** target_oper_names,
                                  int ntargets, TF_Buffer* run_metadata,
                                  TF_Status* status);

// ---- Devices --------------------------------------------------------------------------

/// Returns the devices of a session. The caller deletes the list. Null on an error.
TF_CAPI_EXPORT extern TF_DeviceList* TF_SessionListDevices(TF_Session* session,
                                                           TF_Status* status);
/// As above.
TF_CAPI_EXPORT extern TF_DeviceList* TF_DeprecatedSessionListDevices(
    TF_DeprecatedSession* session, TF_Status* status);
/// Deletes the list. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteDeviceList(TF_DeviceList* list);
/// Returns the number of devices; 0 for null.
TF_CAPI_EXPORT extern int TF_DeviceListCount(const TF_DeviceList* list);
/// Returns the full name of a device, valid as long as the list. Null with
/// TF_INVALID_ARGUMENT for an index that does not exist.
TF_CAPI_EXPORT extern const char* TF_DeviceListName(const TF_DeviceList* list, int index,
                                                    TF_Status* status);
/// Returns the type of a device, "CPU" or "GPU". Errors as above.
TF_CAPI_EXPORT extern const char* TF_DeviceListType(const TF_DeviceList* list, int index,
                                                    TF_Status* status);
/// Returns the memory of a device in bytes; -1 on an error.
TF_CAPI_EXPORT extern int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list,
                                                       int index, TF_Status* status);
/// Returns the number that tells a device from one of another process; 0 on an error.
TF_CAPI_EXPORT extern uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list,
                                                        int index, TF_Status* status);

#ifdef __cplusplus
}
#endif
