// Queue and reader ops: a kernel that waits holds no thread, and ends with its step.

#include <atomic>
#include <memory>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/op_kernel.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

Tensor NewQueue(DType dtype, int64_t capacity) {
  return RunOp("FIFOQueueV2", {},
               {{"component_types", std::vector<DType>{dtype}},
                {"shapes", std::vector<PartialShape>{Shape{}}},
                {"capacity", capacity}})[0];
}

// One run of an asynchronous kernel, as an executor would do it.
class AsyncRun {
 public:
  AsyncRun(const std::string& op, std::vector<Tensor> inputs, Attrs attrs = {})
      : inputs_(std::move(inputs)) {
    std::vector<DType> types;
    for (const Tensor& input : inputs_) types.push_back(input.dtype());
    signature_ = CompleteAttrs(FindOp(op), types, &attrs);
    kernel_ =
        MakeKernel("node", FindOp(op), attrs, signature_, Device::kCpu, EagerDevice());
    outputs_.resize(signature_.output_types.size());
    step_.cancellation = &cancellation_;
    ctx_ = std::make_unique<OpKernelContext>(inputs_, outputs_, signature_.output_types,
                                             EagerDevice(), step_);
    RunKernelAsync(kernel_->AsAsync(), ctx_.get(), [this] { ++num_done_; });
  }

  int num_done() const { return num_done_; }
  const Status& status() const { return ctx_->status(); }
  const Tensor& output(int i) const { return outputs_[i]; }
  void Cancel() { cancellation_.StartCancel(); }

 private:
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  Signature signature_;
  std::unique_ptr<OpKernel> kernel_;
  CancellationManager cancellation_;
  StepContext step_;
  std::unique_ptr<OpKernelContext> ctx_;
  std::atomic<int> num_done_ = 0;
};

TEST(QueueOps, OneThreadCanBothWaitAndEndTheWait) {
  const Tensor queue = NewQueue(DType::kInt32, 1);
  const Attrs types = {{"component_types", std::vector<DType>{DType::kInt32}}};
  AsyncRun dequeue("QueueDequeueV2", {queue}, types);
  EXPECT_EQ(dequeue.num_done(), 0);
  AsyncRun first("QueueEnqueueV2", {queue, Tensor::Scalar(7)});
  EXPECT_EQ(dequeue.num_done(), 1);
  EXPECT_EQ(dequeue.output(0).scalar<int32_t>(), 7);

  AsyncRun second("QueueEnqueueV2", {queue, Tensor::Scalar(8)});
  AsyncRun third("QueueEnqueueV2", {queue, Tensor::Scalar(9)});
  AsyncRun close("QueueCloseV2", {queue});
  EXPECT_EQ(second.num_done(), 1);
  EXPECT_EQ(third.num_done() + close.num_done(), 0);
  AsyncRun many("QueueDequeueManyV2", {queue, Tensor::Scalar(2)}, types);
  EXPECT_EQ(third.num_done() + close.num_done() + many.num_done(), 3);
  EXPECT_EQ(AsDoubles(many.output(0)), (std::vector<double>{8, 9}));
}

TEST(QueueOps, EndWithTheirStep) {
  const Tensor queue = NewQueue(DType::kInt32, 1);
  const Attrs types = {{"component_types", std::vector<DType>{DType::kInt32}}};
  AsyncRun dequeue("QueueDequeueV2", {queue}, types);
  dequeue.Cancel();
  dequeue.Cancel();
  EXPECT_EQ(dequeue.num_done(), 1);
  EXPECT_EQ(dequeue.status().code(), Code::kCancelled);

  AsyncRun first("QueueEnqueueV2", {queue, Tensor::Scalar(1)});
  AsyncRun second("QueueEnqueueV2", {queue, Tensor::Scalar(2)});
  AsyncRun close("QueueCloseV2", {queue});
  first.Cancel();  // too late
  second.Cancel();
  EXPECT_TRUE(first.status().ok());
  EXPECT_EQ(second.status().message(), "Enqueue operation was cancelled");
  EXPECT_EQ(first.num_done() + second.num_done() + close.num_done(), 3);
  EXPECT_EQ(RunOp("QueueSizeV2", {queue})[0].scalar<int32_t>(), 1);
  EXPECT_TRUE(RunOp("QueueIsClosedV2", {queue})[0].scalar<bool>());
}

TEST(QueueOps, AHalfDoneStepThatIsCancelledLosesNothing) {
  const Tensor queue = NewQueue(DType::kInt32, 5);
  const Attrs types = {{"component_types", std::vector<DType>{DType::kInt32}}};
  AsyncRun many("QueueDequeueManyV2", {queue, Tensor::Scalar(3)}, types);
  AsyncRun first("QueueEnqueueV2", {queue, Tensor::Scalar(1)});
  AsyncRun second("QueueEnqueueV2", {queue, Tensor::Scalar(2)});
  EXPECT_EQ(RunOp("QueueSizeV2", {queue})[0].scalar<int32_t>(), 0);
  many.Cancel();
  EXPECT_EQ(RunOp("QueueDequeueV2", {queue}, types)[0].scalar<int32_t>(), 1);
  EXPECT_EQ(RunOp("QueueDequeueV2", {queue}, types)[0].scalar<int32_t>(), 2);
}

TEST(ReaderOps, WaitForTheirQueueAndEndWithTheirStep) {
  const Tensor queue = NewQueue(DType::kString, 5);
  const Tensor reader = RunOp("IdentityReaderV2", {})[0];
  AsyncRun first("ReaderReadV2", {reader, queue});
  AsyncRun second("ReaderReadV2", {reader, queue});
  AsyncRun third("ReaderReadUpToV2", {reader, queue, Tensor::Scalar<int64_t>(4)});
  second.Cancel();
  EXPECT_EQ(first.num_done() + third.num_done(), 0);
  EXPECT_EQ(second.status().code(), Code::kCancelled);

  RunOp("QueueEnqueueManyV2",
        {queue, Tensor::Of<std::string>({2}, {std::string("x"), std::string("y")})});
  EXPECT_EQ(first.num_done(), 1);
  EXPECT_EQ(first.output(1).scalar<std::string>(), "x");
  EXPECT_EQ(third.num_done(), 1);
  EXPECT_EQ(third.output(1).flat<std::string>()[0], "y");
  EXPECT_EQ(RunOp("ReaderNumRecordsProducedV2", {reader})[0].scalar<int64_t>(), 2);
}

TEST(ResourceCountUpTo, CountsUntilItsLimit) {
  const Tensor handle = RunOp(
      "VarHandleOp", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape(Shape{})}})[0];
  const auto count = [&] {
    return RunOp("ResourceCountUpTo", {handle},
                 {{"limit", int64_t{2}}, {"T", DType::kInt64}})[0]
        .scalar<int64_t>();
  };
  RunOp("AssignVariableOp", {handle, Tensor::Scalar<int64_t>(0)});
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(count(), 1);
  try {
    count();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kOutOfRange);
    EXPECT_STREQ(error.what(), "ResourceCountUpTo: Reached limit of 2");
  }
}

}  // namespace
}  // namespace minitf::testing
