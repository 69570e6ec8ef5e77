// Gradients: reading, writing and parsing have none.
//
// Compare    tensorflow/python/ops/parsing_ops.py, io_ops.py
// Read next  minitf/gradients/emit.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const GradientRegistrar kIoWithoutGradient[] = {
    {"DecodeCSV", kNotDifferentiable},       {"DecodeJSONExample", kNotDifferentiable},
    {"DecodeRaw", kNotDifferentiable},       {"MatchingFiles", kNotDifferentiable},
    {"ParseExample", kNotDifferentiable},    {"ParseSingleExample", kNotDifferentiable},
    {"ParseTensor", kNotDifferentiable},     {"ReadFile", kNotDifferentiable},
    {"SerializeTensor", kNotDifferentiable}, {"WriteFile", kNotDifferentiable},
};

}  // namespace
}  // namespace minitf
