// Ops that only these cases have: what the rules for a device depend on, in combinations
// that no other op has. They are placed and never run.

#pragma once

#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {

REGISTER_OP("TestTwoShapes")
    .Input("x: double")
    .Input("y: double")
    .Output("z: double")
    .SetReadsShapesOnly()
    .SetShapeFn(UnknownShape)
    .Doc("Reads the shapes of two inputs.");
REGISTER_OP("TestHostShape")
    .Input("x: double")
    .Output("y: double")
    .SetReadsShapesOnly()
    .SetIsHostOnly()
    .SetShapeFn(UnknownShape)
    .Doc("Reads a shape, and has no kernel but at the host.");
REGISTER_OP("TestTwins")
    .Output("y: double")
    .Output("z: double")
    .SetShapeFn(UnknownShape)
    .Doc("No input, and two outputs.");
REGISTER_OP("TestTwoMemories")
    .Input("x: double")
    .Input("y: double")
    .Output("z: double")
    .Output("w: double")
    .SetShapeFn(UnknownShape)
    .Doc("The second input and the second output lie in host memory.");
REGISTER_OP("TestTwoHandles")
    .Input("x: resource")
    .Input("y: resource")
    .SetShapeFn(NoOutputs)
    .Doc("Takes two handles.");
REGISTER_OP("TestNoKernel")
    .Input("x: double")
    .Output("y: double")
    .SetShapeFn(UnknownShape)
    .Doc("No device has a kernel for it.");

class NeverRunOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::Internal("it is placed only"));
  }
};

REGISTER_KERNEL(Kernel("TestTwoShapes").On(Device::kCpu), NeverRunOp);
REGISTER_KERNEL(Kernel("TestHostShape").On(Device::kCpu), NeverRunOp);
REGISTER_KERNEL(Kernel("TestTwins").On(Device::kCpu), NeverRunOp);
REGISTER_KERNEL(Kernel("TestTwoMemories").On(Device::kCpu).HostMemory("y", "w"),
                NeverRunOp);
REGISTER_KERNEL(Kernel("TestTwoHandles").On(Device::kCpu), NeverRunOp);

}  // namespace minitf
