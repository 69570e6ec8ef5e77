// Attributes that TensorFlow has given to ops since 1.15: the table.

#include "minitf/graph/later_attrs.h"

#include <algorithm>
#include <vector>

namespace minitf {

std::span<const LaterAttr> LaterAttrs() {
  static const std::vector<LaterAttr> attrs = {
      // Notes and checks: without them a step that runs gives the same.
      {"AssignVariableOp", "validate_shape", "bool", ""},
      {"BatchMatMul", "grad_x", "bool", ""},
      {"BatchMatMul", "grad_y", "bool", ""},
      {"BatchMatMulV2", "grad_x", "bool", ""},
      {"BatchMatMulV2", "grad_y", "bool", ""},
      {"MatMul", "grad_a", "bool", ""},
      {"MatMul", "grad_b", "bool", ""},
      {"VarHandleOp", "debug_name", "string", ""},
      // Types that were fixed before.
      {"ConcatOffset", "shape_type", "type", "int32"},
      {"TopKV2", "Tk", "type", "int32"},
      {"TopKV2", "index_type", "type", "int32"},
      // Things to do.
      {"DepthwiseConv2dNative", "explicit_paddings", "list(int)", "[]"},
      {"DepthwiseConv2dNativeBackpropFilter", "explicit_paddings", "list(int)", "[]"},
      {"DepthwiseConv2dNativeBackpropInput", "explicit_paddings", "list(int)", "[]"},
      {"Equal", "incompatible_shape_error", "bool", "true"},
      {"GatherNd", "bad_indices_policy", "string", "''"},
      {"MaxPool", "explicit_paddings", "list(int)", "[]"},
      {"MaxPoolGrad", "explicit_paddings", "list(int)", "[]"},
      {"NotEqual", "incompatible_shape_error", "bool", "true"},
      {"ResourceApplyFtrl", "multiply_linear_by_lr", "bool", "false"},
      {"ResourceApplyFtrlV2", "multiply_linear_by_lr", "bool", "false"},
      {"ResourceScatterNdAdd", "bad_indices_policy", "string", "''"},
      {"ResourceScatterNdSub", "bad_indices_policy", "string", "''"},
      {"ResourceScatterNdUpdate", "bad_indices_policy", "string", "''"},
      {"ResourceSparseApplyFtrl", "multiply_linear_by_lr", "bool", "false"},
      {"ResourceSparseApplyFtrlV2", "multiply_linear_by_lr", "bool", "false"},
      {"ScatterNd", "bad_indices_policy", "string", "''"},
      {"TensorScatterAdd", "bad_indices_policy", "string", "''"},
      {"TensorScatterSub", "bad_indices_policy", "string", "''"},
      {"TensorScatterUpdate", "bad_indices_policy", "string", "''"},
      {"VarHandleOp", "allowed_devices", "list(string)", "[]"},
  };
  return attrs;
}

const LaterAttr* FindLaterAttr(std::string_view op, std::string_view name) {
  const auto attrs = LaterAttrs();
  const auto found = std::ranges::find_if(attrs, [op, name](const LaterAttr& attr) {
    return attr.op == op && attr.name == name;
  });
  return found == attrs.end() ? nullptr : &*found;
}

}  // namespace minitf
