// TF_ShapeInferenceContext: what stands behind the context of a shape function in C.
//
// Read next  minitf/c/kernels/shape_context.cc

#pragma once

#include "minitf/base/status.h"
#include "minitf/c/ops.h"
#include "minitf/framework/shape_inference.h"

struct TF_ShapeInferenceContext {
  minitf::InferenceContext* inference;
  int64_t num_outputs;
  minitf::Status error;  ///< the first error of a function without a status
};
