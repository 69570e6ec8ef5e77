// Gradients: reading, writing and parsing have none, and Print passes on its own.
//
// Compare    tensorflow/python/ops/parsing_ops.py, io_ops.py,
//            logging_ops.py
// Read next  minitf/gradients/emit.h

#include <vector>

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const NotDifferentiable kIoWithoutGradient("DecodeCSV", "DecodeJSONExample", "DecodeRaw",
                                           "MatchingFiles", "ParseExample",
                                           "ParseSingleExample", "ParseTensor",
                                           "ReadFile", "SerializeTensor", "WriteFile");

// What is printed beside the input goes nowhere.
std::vector<Value> PrintGrad(const GradientContext& ctx) {
  std::vector<Value> dx(ctx.inputs.size(), Value::None());
  dx[0] = ctx.dy[0];
  return dx;
}
REGISTER_GRADIENT("Print", PrintGrad);

}  // namespace
}  // namespace minitf
