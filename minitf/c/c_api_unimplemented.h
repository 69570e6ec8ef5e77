// Functions of TensorFlow's c_api.h that minitf lacks: functions, partial runs, servers,
// descriptions of APIs, SavedModels.
//
// The functions exist so that a program links. A function with a status sets
// TF_UNIMPLEMENTED with its own name; a setter without a status lets TF_FinishOperation
// do this. A function without either returns null or 0, or does nothing. docs/c_api.md
// lists all of them.
//
//   threads    any number of threads call these functions
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api_session.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Attributes that minitf does not have ---------------------------------------------

/// Lets TF_FinishOperation set TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_SetAttrPlaceholder(TF_OperationDescription* desc,
                                                 const char* attr_name,
                                                 const char* placeholder);
/// Lets TF_FinishOperation set TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_SetAttrFuncName(TF_OperationDescription* desc,
                                              const char* attr_name, const char* value,
                                              size_t length);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_SetAttrTensorList(TF_OperationDescription* desc,
                                                const char* attr_name,
                                                TF_Tensor* const* values, int num_values,
                                                TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorList(TF_Operation* oper,
                                                         const char* attr_name,
                                                         TF_Tensor** values,
                                                         int max_values,
                                                         TF_Status* status);

// ---- Functions ------------------------------------------------------------------------

typedef struct TF_Function TF_Function;
typedef struct TF_FunctionOptions TF_FunctionOptions;

/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunction(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation* const* opers, int ninputs, const TF_Output* inputs,
    int noutputs, const TF_Output* outputs, const char* const* output_names,
    const TF_FunctionOptions* opts, const char* description, TF_Status* status);
/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunctionWithControlOutputs(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation* const* opers, int ninputs, const TF_Output* inputs,
    int noutputs, const TF_Output* outputs, const char* const* output_names,
    int ncontrol_outputs, const TF_Operation* const* control_outputs,
    const char* const* control_output_names, const TF_FunctionOptions* opts,
    const char* description, TF_Status* status);
/// Returns null.
TF_CAPI_EXPORT extern const char* TF_FunctionName(TF_Function* func);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_FunctionToFunctionDef(TF_Function* func,
                                                    TF_Buffer* output_func_def,
                                                    TF_Status* status);
/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Function* TF_FunctionImportFunctionDef(const void* proto,
                                                                size_t proto_len,
                                                                TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_FunctionSetAttrValueProto(TF_Function* func,
                                                        const char* attr_name,
                                                        const void* proto,
                                                        size_t proto_len,
                                                        TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_FunctionGetAttrValueProto(TF_Function* func,
                                                        const char* attr_name,
                                                        TF_Buffer* output_attr_value,
                                                        TF_Status* status);
/// Does nothing.
TF_CAPI_EXPORT extern void TF_DeleteFunction(TF_Function* func);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_GraphCopyFunction(TF_Graph* g, const TF_Function* func,
                                                const TF_Function* grad,
                                                TF_Status* status);
/// Returns 0.
TF_CAPI_EXPORT extern int TF_GraphNumFunctions(TF_Graph* g);
/// Returns 0 and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern int TF_GraphGetFunctions(TF_Graph* g, TF_Function** funcs,
                                               int max_func, TF_Status* status);

// ---- Sessions -------------------------------------------------------------------------

/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Session* TF_LoadSessionFromSavedModel(
    const TF_SessionOptions* session_options, const TF_Buffer* run_options,
    const char* export_dir, const char* const* tags, int tags_len, TF_Graph* graph,
    TF_Buffer* meta_graph_def, TF_Status* status);
/// Sets TF_UNIMPLEMENTED, and *handle to null.
TF_CAPI_EXPORT extern void TF_SessionPRunSetup(TF_Session* session,
                                               const TF_Output* inputs, int ninputs,
                                               const TF_Output* outputs, int noutputs,
                                               const TF_Operation* const* target_opers,
                                               int ntargets, const char** handle,
                                               TF_Status* status);
/// Sets TF_UNIMPLEMENTED, and all output_values to null.
TF_CAPI_EXPORT extern void TF_SessionPRun(TF_Session* session, const char* handle,
                                          const TF_Output* inputs,
                                          TF_Tensor* const* input_values, int ninputs,
                                          const TF_Output* outputs,
                                          TF_Tensor** output_values, int noutputs,
                                          const TF_Operation* const* target_opers,
                                          int ntargets, TF_Status* status);
/// Does nothing.
TF_CAPI_EXPORT extern void TF_DeletePRunHandle(const char* handle);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_Reset(const TF_SessionOptions* opt, const char** containers,
                                    int ncontainers, TF_Status* status);
/// Sets TF_UNIMPLEMENTED, and *handle to null.
TF_CAPI_EXPORT extern void TF_PRunSetup(TF_DeprecatedSession* session,
                                        const char** input_names, int ninputs,
                                        const char** output_names, int noutputs,
                                        const char** target_oper_names, int ntargets,
                                        const char** handle, TF_Status* status);
/// Sets TF_UNIMPLEMENTED, and all outputs to null. Deletes all `inputs`.
TF_CAPI_EXPORT extern void TF_PRun(TF_DeprecatedSession* session, const char* handle,
                                   const char** input_names, TF_Tensor** inputs,
                                   int ninputs, const char** output_names,
                                   TF_Tensor** outputs, int noutputs,
                                   const char** target_oper_names, int ntargets,
                                   TF_Status* status);

// ---- Descriptions of APIs -------------------------------------------------------------

typedef struct TF_ApiDefMap TF_ApiDefMap;

/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_ApiDefMap* TF_NewApiDefMap(TF_Buffer* op_list_buffer,
                                                    TF_Status* status);
/// Does nothing.
TF_CAPI_EXPORT extern void TF_DeleteApiDefMap(TF_ApiDefMap* apimap);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_ApiDefMapPut(TF_ApiDefMap* api_def_map, const char* text,
                                           size_t text_len, TF_Status* status);
/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Buffer* TF_ApiDefMapGet(TF_ApiDefMap* api_def_map,
                                                 const char* name, size_t name_len,
                                                 TF_Status* status);

// ---- Servers --------------------------------------------------------------------------

typedef struct TF_Server TF_Server;

/// Returns null and sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern TF_Server* TF_NewServer(const void* proto, size_t proto_len,
                                              TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_ServerStart(TF_Server* server, TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_ServerStop(TF_Server* server, TF_Status* status);
/// Sets TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TF_ServerJoin(TF_Server* server, TF_Status* status);
/// Returns null.
TF_CAPI_EXPORT extern const char* TF_ServerTarget(TF_Server* server);
/// Does nothing.
TF_CAPI_EXPORT extern void TF_DeleteServer(TF_Server* server);

#ifdef __cplusplus
}
#endif
