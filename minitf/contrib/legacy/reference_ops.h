// The ops of TensorFlow 1 that make, forward, read or change references to variables.
//
// Compare    tensorflow/core/ops/state_ops.cc, training_ops.cc, control_flow_ops.cc
// Read next  minitf/contrib/legacy/reference_translator.cc

#pragma once

#include <string>
#include <string_view>

namespace minitf {

enum class ReferenceKind {
  kNone,      ///< takes and returns values only
  kVariable,  ///< makes a reference
  kForward,   ///< returns the references that it takes
  kChange,    ///< changes a variable and returns its reference
  kQuery,     ///< takes a reference and returns a value
  kCount,     ///< a query that changes the variable, too
};

/// An op of TensorFlow 1 and the op that does the same to a resource.
struct ReferenceOp {
  ReferenceKind kind = ReferenceKind::kNone;
  std::string resource_op;
  /// Why the op has no translation; empty if it has one.
  std::string refusal;

  bool returns_reference() const {
    return kind == ReferenceKind::kVariable || kind == ReferenceKind::kForward ||
           kind == ReferenceKind::kChange;
  }
  bool is_change() const {
    return kind == ReferenceKind::kChange || kind == ReferenceKind::kCount;
  }
};

/// The entry of `op`; its kind is kNone if no input or output of `op` is a reference.
const ReferenceOp& FindReferenceOp(std::string_view op);

}  // namespace minitf
