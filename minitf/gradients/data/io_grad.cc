// Gradients: reading, writing and parsing have none.
//
// Compare    tensorflow/python/ops/parsing_ops.py, io_ops.py
// Read next  minitf/gradients/emit.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const NotDifferentiable kIoWithoutGradient("DecodeCSV", "DecodeJSONExample", "DecodeRaw",
                                           "MatchingFiles", "ParseExample",
                                           "ParseSingleExample", "ParseTensor",
                                           "ReadFile", "SerializeTensor", "WriteFile");

}  // namespace
}  // namespace minitf
