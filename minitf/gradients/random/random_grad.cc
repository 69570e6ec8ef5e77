// Gradients of random numbers: there are none.
//
// Ops        minitf/ops/random/random_ops.cc
// Compare    tensorflow/python/ops/random_grad.py
// Read next  minitf/gradients/add_gradients.cc

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

// What is drawn at random does not depend on the shape that was asked for.
const NotDifferentiable kRandomWithoutGradient("Multinomial", "RandomShuffle",
                                               "RandomStandardNormal", "RandomUniform",
                                               "RandomUniformInt", "TruncatedNormal");

}  // namespace
}  // namespace minitf
