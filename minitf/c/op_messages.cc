// Ops and kernels as messages.

#include "minitf/c/op_messages.h"

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "minitf/protos/kernel_def.pb.h"

namespace minitf::c {
namespace {

proto::OpList OpListOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += OpDefText(FindOp(name));
  proto::OpList list;
  FromText(text, "the definitions of ops", &list);
  return list;
}

void KernelToProto(const KernelDef& kernel, proto::KernelDef* message) {
  message->set_op(kernel.key.op);
  message->set_device_type(StrCat(kernel.key.device));
  message->set_label(kernel.key.label);
  message->set_priority(kernel.key.priority);
  for (const auto& [attr, dtype] : kernel.key.types) {
    auto* const constraint = message->add_constraint();
    constraint->set_name(attr);
    constraint->mutable_allowed_values()->mutable_list()->add_type(
        static_cast<proto::DataType>(dtype));
  }
  for (const std::string& arg : kernel.host_memory) message->add_host_memory_arg(arg);
}

}  // namespace

std::string OpDefBytes(const OpDef& op) { return ToBytes(OpListOf({op.name}).op(0)); }

std::string OpListBytes(const std::vector<std::string>& names) {
  return ToBytes(OpListOf(names));
}

std::string KernelListBytes(const std::vector<std::string>& names) {
  proto::KernelList list;
  for (const std::string& name : names) {
    for (const KernelDef* kernel : KernelsOf(name)) {
      KernelToProto(*kernel, list.add_kernel());
    }
  }
  return ToBytes(list);
}

}  // namespace minitf::c
