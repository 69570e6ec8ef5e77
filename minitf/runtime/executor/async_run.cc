// AsyncRun: what an asynchronous kernel computes with.

#include "minitf/runtime/executor/async_run.h"

namespace minitf {

AsyncRun::AsyncRun(const ExecutorPlan& plan, const ReadyNode& ready,
                   std::span<Tensor> inputs, const StepContext& step,
                   StepOptions::Clock::time_point start)
    : ready_(ready),
      kernel_(plan.nodes[ready.node].async_kernel),
      start_(start),
      outputs_(plan.nodes[ready.node].num_outputs),
      ctx_(inputs, outputs_, plan.OutputTypesOf(plan.nodes[ready.node]),
           *plan.nodes[ready.node].device, step, Propagator::FrameAndIterOf(ready),
           ready.is_dead) {}

}  // namespace minitf
