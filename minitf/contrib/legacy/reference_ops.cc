// The ops of TensorFlow 1 that make, forward, read or change references: the table.

#include "minitf/contrib/legacy/reference_ops.h"

#include <unordered_map>

#include "minitf/base/text.h"

namespace minitf {
namespace {

using Table = std::unordered_map<std::string_view, ReferenceOp>;

// The resource op of each of these has the same name after "Resource".
constexpr std::string_view kChanges[] = {
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdam",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
    "StridedSliceAssign",
};

Table MakeTable() {
  using enum ReferenceKind;
  const char* const one_step =
      "the variable exists during one step only, and resource variables do not";
  Table table = {
      {"Variable", {kVariable, "VarHandleOp", ""}},
      {"VariableV2", {kVariable, "VarHandleOp", ""}},
      {"RefEnter", {kForward, "Enter", ""}},
      {"RefExit", {kForward, "Exit", ""}},
      {"RefIdentity", {kForward, "Identity", ""}},
      {"RefMerge", {kForward, "Merge", ""}},
      {"RefNextIteration", {kForward, "NextIteration", ""}},
      {"RefSwitch", {kForward, "Switch", ""}},
      {"Assign", {kChange, "AssignVariableOp", ""}},
      {"AssignAdd", {kChange, "AssignAddVariableOp", ""}},
      {"AssignSub", {kChange, "AssignSubVariableOp", ""}},
      {"IsVariableInitialized", {kQuery, "VarIsInitializedOp", ""}},
      {"CountUpTo", {kCount, "ResourceCountUpTo", ""}},
      {"DestroyTemporaryVariable", {kQuery, "", one_step}},
      {"TemporaryVariable", {kVariable, "", one_step}},
      {"RefSelect", {kForward, "", "no op selects one of several resources"}},
  };
  for (const std::string_view name : kChanges) {
    table[name] = {kChange, StrCat("Resource", name), ""};
  }
  return table;
}

}  // namespace

const ReferenceOp& FindReferenceOp(std::string_view op) {
  static const Table table = MakeTable();
  static const ReferenceOp none;
  const auto found = table.find(op);
  return found == table.end() ? none : found->second;
}

}  // namespace minitf
