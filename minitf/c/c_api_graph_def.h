// Graphs as messages: out of a graph, and into one.
//
// The options of an import do not check their arguments: the import does. It adds all
// operations of the message, or none.
//
//   threads    one thread at a time uses options or results
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api_gradients.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fills `output_graph_def` with the graph as a serialized GraphDef.
TF_CAPI_EXPORT extern void TF_GraphToGraphDef(TF_Graph* graph,
                                              TF_Buffer* output_graph_def,
                                              TF_Status* status);

/// Fills `output_op_def` with the definition of an op as a serialized OpDef. Sets
/// TF_NOT_FOUND for an op that is not registered.
TF_CAPI_EXPORT extern void TF_GraphGetOpDef(TF_Graph* graph, const char* op_name,
                                            TF_Buffer* output_op_def, TF_Status* status);

/// Fills `output_version_def` with the serialized VersionDef of what minitf writes.
TF_CAPI_EXPORT extern void TF_GraphVersions(TF_Graph* graph,
                                            TF_Buffer* output_version_def,
                                            TF_Status* status);

typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;

/// Returns options that change nothing. The caller deletes them.
TF_CAPI_EXPORT extern TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions(void);

/// Deletes options. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions* opts);

/// Puts `prefix` and a slash in front of all imported names.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetPrefix(
    TF_ImportGraphDefOptions* opts, const char* prefix);

/// Sets the device of imported nodes that request none.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetDefaultDevice(
    TF_ImportGraphDefOptions* opts, const char* device);

/// Lets the import change a name that is taken; otherwise such a name is an error. Has no
/// effect if there is a prefix.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyNames(
    TF_ImportGraphDefOptions* opts, unsigned char uniquify_names);

/// Lets the import change a prefix that is taken; otherwise such a prefix is an error.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyPrefix(
    TF_ImportGraphDefOptions* opts, unsigned char uniquify_prefix);

/// Replaces the input `src_name:src_index` of imported nodes by `dst`, an output of the
/// graph.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddInputMapping(
    TF_ImportGraphDefOptions* opts, const char* src_name, int src_index, TF_Output dst);

/// Replaces the control input `src_name` of imported nodes by `dst`.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsRemapControlDependency(
    TF_ImportGraphDefOptions* opts, const char* src_name, TF_Operation* dst);

/// Lets all imported nodes run after `oper`.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddControlDependency(
    TF_ImportGraphDefOptions* opts, TF_Operation* oper);

/// Requests an output of the message: an imported one, or what replaces it.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOutput(
    TF_ImportGraphDefOptions* opts, const char* oper_name, int index);

/// Returns the number of outputs that are requested.
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOutputs(
    const TF_ImportGraphDefOptions* opts);

/// Requests an operation of the message.
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOperation(
    TF_ImportGraphDefOptions* opts, const char* oper_name);

/// Returns the number of operations that are requested.
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOperations(
    const TF_ImportGraphDefOptions* opts);

/// Writes the requested outputs. `*outputs` is valid as long as `results`.
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOutputs(
    TF_ImportGraphDefResults* results, int* num_outputs, TF_Output** outputs);

/// Writes the requested operations. `*opers` is valid as long as `results`.
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOperations(
    TF_ImportGraphDefResults* results, int* num_opers, TF_Operation*** opers);

/// Writes the keys of input mappings that the message neither has nor uses. All memory is
/// valid as long as `results`. A control input has index -1.
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsMissingUnusedInputMappings(
    TF_ImportGraphDefResults* results, int* num_missing_unused_input_mappings,
    const char*** src_names, int** src_indexes);

/// Deletes results. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefResults(
    TF_ImportGraphDefResults* results);

/// Imports a serialized GraphDef. The caller deletes the results. Returns null on an
/// error. Sets TF_NOT_FOUND for an op that is not registered. Sets TF_INVALID_ARGUMENT
/// for bytes that do not parse, and for an invalid message or option.
TF_CAPI_EXPORT extern TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(
    TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options,
    TF_Status* status);

/// As above, and writes the requested outputs. `num_return_outputs` must be their number.
TF_CAPI_EXPORT extern void TF_GraphImportGraphDefWithReturnOutputs(
    TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options,
    TF_Output* return_outputs, int num_return_outputs, TF_Status* status);

/// As above, without results.
TF_CAPI_EXPORT extern void TF_GraphImportGraphDef(TF_Graph* graph,
                                                  const TF_Buffer* graph_def,
                                                  const TF_ImportGraphDefOptions* options,
                                                  TF_Status* status);

#ifdef __cplusplus
}
#endif
