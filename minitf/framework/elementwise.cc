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

std::string KeyOf(Device device, std::string_view op, DType dtype) {
  return std::string(op) + '/' + std::to_string(static_cast<int>(dtype)) + '/' +
         std::to_string(static_cast<int>(device));
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

void AddElementwiseLoop(Device device, std::string_view op, DType dtype,
                        const ElementwiseLoop& loop) {
  Loops().Add(KeyOf(device, op, dtype), loop);
}

const ElementwiseLoop* FindElementwiseLoop(Device device, std::string_view op,
                                           DType dtype) {
  const ElementwiseLoop* loop = Loops().Find(KeyOf(device, op, dtype));
  if (loop == nullptr) return nullptr;
  const OpDef* def = Ops().Find(op);
  return def != nullptr && HasOneType(*def) ? loop : nullptr;
}

}  // namespace minitf
