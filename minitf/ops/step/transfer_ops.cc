// Transfer ops: the two ends of an edge between devices. Only the partitioner makes them
// (minitf/runtime/partition.h); no user calls them.
//
// Both ends have the same attributes, and so make the same key for the rendezvous.
//
// Kernels    kernels/cpu/step/transfer.cc
// Compare    tensorflow/core/ops/sendrecv_ops.cc
// Read next  minitf/framework/rendezvous.h

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("_Send")
    .Input("tensor: T")
    .Attr("T: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .SetRole(OpRole::kSend)
    .SetShapeFn(NoOutputs)
    .Doc("Sends a tensor from `send_device` to `recv_device`, under `tensor_name`.");
REGISTER_GRADIENT("_Send", kNotDifferentiable);

REGISTER_OP("_Recv")
    .Output("tensor: tensor_type")
    .Attr("tensor_type: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .SetRole(OpRole::kReceive)
    .SetShapeFn(UnknownShape)
    .Doc("Gets the tensor that a _Send with the same attributes has sent, once it has.");
REGISTER_GRADIENT("_Recv", kNotDifferentiable);

}  // namespace
}  // namespace minitf
