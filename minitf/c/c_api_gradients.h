// Functions that add many operations at once, and constant evaluation.
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api_session.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds operations for dL/dx, where L is the sum of all y, and writes the `nx` results to
/// `dy`. Null for `dx` weights every y by ones; otherwise dx[i] is the weight of y[i]. If
/// no y depends on x[i], dy[i] is {null, -1}. The operations are named "gradients/...",
/// "gradients_1/..." and so on.
/// Sets TF_NOT_FOUND for an op without gradient, TF_INVALID_ARGUMENT for arguments that
/// do not fit. After an error the graph may have operations that nothing uses.
TF_CAPI_EXPORT extern void TF_AddGradients(TF_Graph* g, TF_Output* y, int ny,
                                           TF_Output* x, int nx, TF_Output* dx,
                                           TF_Status* status, TF_Output* dy);

/// As above, with names "prefix/...". Sets TF_INVALID_ARGUMENT if the graph has such
/// names. Null for `prefix` stands for the names of TF_AddGradients.
TF_CAPI_EXPORT extern void TF_AddGradientsWithPrefix(TF_Graph* g, const char* prefix,
                                                     TF_Output* y, int ny, TF_Output* x,
                                                     int nx, TF_Output* dx,
                                                     TF_Status* status, TF_Output* dy);

/// A while loop that is being built. The caller builds both graphs from their inputs,
/// then sets `cond_output`, `body_outputs` and `name`.
typedef struct TF_WhileParams {
  const int ninputs;
  TF_Graph* const cond_graph;
  const TF_Output* const cond_inputs;  ///< the `ninputs` loop variables in cond_graph
  TF_Output cond_output;               ///< a scalar of TF_BOOL: whether to go on
  TF_Graph* const body_graph;
  const TF_Output* const body_inputs;  ///< the `ninputs` loop variables in body_graph
  TF_Output* const body_outputs;       ///< their next values
  const char* name;                    ///< goes in front of all names, with a slash
} TF_WhileParams;

/// Begins a loop whose variables have the values `inputs` at first. The caller must call
/// TF_FinishWhile or TF_AbortWhile. On an error the result is empty, and the caller must
/// call neither.
TF_CAPI_EXPORT extern TF_WhileParams TF_NewWhile(TF_Graph* g, TF_Output* inputs,
                                                 int ninputs, TF_Status* status);

/// Adds the loop to the graph, and writes its `ninputs` results to `outputs`. Deletes
/// `cond_graph` and `body_graph` in any case. On an error the graph stays as it was. Sets
/// TF_INVALID_ARGUMENT for a missing name or output. The condition must be a scalar of
/// TF_BOOL, and a body output must have the element type of its input.
TF_CAPI_EXPORT extern void TF_FinishWhile(const TF_WhileParams* params, TF_Status* status,
                                          TF_Output* outputs);

/// Deletes the graphs of a loop. Does nothing for null and for a loop that has ended.
TF_CAPI_EXPORT extern void TF_AbortWhile(const TF_WhileParams* params);

/// Computes `output` if it depends on constants alone. Returns 1, and writes a new tensor
/// that the caller deletes. Returns 0, and writes null, if it depends on anything else or
/// the computation fails. Sets TF_INVALID_ARGUMENT if `output` is no output of `graph`.
TF_CAPI_EXPORT extern unsigned char TF_TryEvaluateConstant(TF_Graph* graph,
                                                           TF_Output output,
                                                           TF_Tensor** result,
                                                           TF_Status* status);

#ifdef __cplusplus
}
#endif
