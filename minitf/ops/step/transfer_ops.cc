// Transfer ops: the two ends of an edge between devices. Only the partitioner makes them
// (minitf/runtime/partition.h); no user calls them.
//
// Both ends have the same attributes, and so make the same key for the rendezvous. On a
// GPU _Send and _Recv work with its own memory, _HostSend and _HostRecv with that of the
// host; one of each kind, on one device, is a copy between the two.
//
// Kernels    kernels/cpu/step/transfer.cc
// Compare    tensorflow/core/ops/sendrecv_ops.cc
// Read next  minitf/framework/rendezvous.h

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

OpDefBuilder Transfer(std::string_view name) {
  return OpDefBuilder(name)
      .Attr("tensor_name: string")
      .Attr("send_device: string")
      .Attr("send_device_incarnation: int")
      .Attr("recv_device: string")
      .Attr("client_terminated: bool = false")
      .SetIsStateful();
}

OpDefBuilder Sender(std::string_view name) {
  return Transfer(name)
      .Input("tensor: T")
      .Attr("T: type")
      .SetRole(OpRole::kSend)
      .SetShapeFn(NoOutputs);
}

OpDefBuilder Receiver(std::string_view name) {
  return Transfer(name)
      .Output("tensor: tensor_type")
      .Attr("tensor_type: type")
      .SetRole(OpRole::kReceive)
      .SetShapeFn(UnknownShape);
}

const OpRegistrar kSend = Sender("_Send").Doc(
    "Sends a tensor from `send_device` to `recv_device`, under "
    "`tensor_name`.");
REGISTER_GRADIENT("_Send", kNotDifferentiable);

const OpRegistrar kHostSend =
    Sender("_HostSend").Doc("As _Send, from the memory of the device's host.");
REGISTER_GRADIENT("_HostSend", kNotDifferentiable);

const OpRegistrar kReceive = Receiver("_Recv").Doc(
    "Gets the tensor that a _Send or _HostSend with the same "
    "attributes has sent, once it has.");
REGISTER_GRADIENT("_Recv", kNotDifferentiable);

const OpRegistrar kHostReceive =
    Receiver("_HostRecv").Doc("As _Recv, into the memory of the device's host.");
REGISTER_GRADIENT("_HostRecv", kNotDifferentiable);

}  // namespace
}  // namespace minitf
