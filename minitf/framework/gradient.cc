// The gradient table.

#include "minitf/framework/gradient.h"

namespace minitf {

Registry<GradientEntry>& Gradients() {
  static Registry<GradientEntry> gradients("gradient");
  return gradients;
}

GradientRegistrar::GradientRegistrar(const std::string& op, GradientFn fn) {
  Gradients().Add(op, {std::move(fn)});
}

}  // namespace minitf
