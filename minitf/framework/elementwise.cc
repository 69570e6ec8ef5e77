// The table of element-wise loops.

#include "minitf/framework/elementwise.h"

#include <algorithm>
#include <string>

#include "minitf/framework/op.h"
#include "minitf/framework/registry.h"

namespace minitf {
namespace {

Registry<ElementwiseLoop>& Loops() {
  static auto& loops = *new Registry<ElementwiseLoop>("element-wise loop");
  return loops;
}

std::string KeyOf(std::string_view op, DType dtype) {
  return std::string(op) + '/' + std::to_string(static_cast<int>(dtype));
}

// Whether all inputs and the one output are of type T, and T is all that can be set.
bool HasOneType(const OpDef& op) {
  const auto is_t = [](const ArgDef& arg) {
    return arg.type_attr == "T" && arg.number_attr.empty();
  };
  return op.outputs.size() == 1 && is_t(op.outputs[0]) &&
         std::ranges::all_of(op.inputs, is_t) && op.attrs.size() == 1;
}

}  // namespace

void AddElementwiseLoop(std::string_view op, DType dtype, const ElementwiseLoop& loop) {
  Loops().Add(KeyOf(op, dtype), loop);
}

const ElementwiseLoop* FindElementwiseLoop(std::string_view op, DType dtype) {
  const ElementwiseLoop* loop = Loops().Find(KeyOf(op, dtype));
  if (loop == nullptr) return nullptr;
  const OpDef* def = Ops().Find(op);
  return def != nullptr && HasOneType(*def) ? loop : nullptr;
}

}  // namespace minitf
