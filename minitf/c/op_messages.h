// Ops and kernels as messages.
//
// Compare    tensorflow/core/framework/op_def_builder.cc, kernel_def.proto
// Read next  minitf/c/op_messages.cc

#pragma once

#include <string>
#include <vector>

#include "minitf/framework/op.h"

namespace minitf::c {

/// A serialized OpDef.
std::string OpDefBytes(const OpDef& op);

/// A serialized OpList with the ops `names`. Throws NotFound for an unknown name.
std::string OpListBytes(const std::vector<std::string>& names);

/// A serialized KernelList with the kernels of the ops `names`.
std::string KernelListBytes(const std::vector<std::string>& names);

}  // namespace minitf::c
