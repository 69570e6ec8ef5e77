// Transfers: _Send and _Recv are two kernels that meet in a rendezvous.

#include <future>

#include "gtest/gtest.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/rendezvous.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

constexpr auto kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr auto kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";

// A kernel for one end of an edge from kCpu to kGpu, and one call of it.
class End {
 public:
  explicit End(const std::string& op, const std::string& send_device = kCpu) : op_(op) {
    Attrs attrs{{"tensor_name", "edge_0_x"},
                {"send_device", send_device},
                {"send_device_incarnation", int64_t{-1}},
                {"recv_device", kGpu}};
    if (op == "_Recv") attrs.Set("tensor_type", DType::kFloat64);
    std::vector<DType> inputs;
    if (op == "_Send") inputs.push_back(DType::kFloat64);
    const Signature signature = CompleteAttrs(FindOp(op), inputs, &attrs);
    outputs_.resize(signature.output_types.size());
    output_types_ = signature.output_types;
    kernel_ = MakeKernel(op, FindOp(op), attrs, signature, Device::kCpu, device_);
  }

  End& With(const Tensor& input) {
    inputs_ = {input};
    return *this;
  }

  Status Run(const StepContext& step, FrameAndIter frame_iter = {},
             bool is_dead = false) {
    OpKernelContext ctx(inputs_, outputs_, output_types_, device_, step, frame_iter,
                        is_dead);
    RunKernel(kernel_.get(), &ctx);
    return ctx.status();
  }

  // Does not wait: `context()` has the result when the future is ready.
  std::future<void> Start(const StepContext& step) {
    ctx_ = std::make_unique<OpKernelContext>(inputs_, outputs_, output_types_, device_,
                                             step);
    auto done = std::make_shared<std::promise<void>>();
    RunKernelAsync(kernel_->AsAsync(), ctx_.get(), [done] { done->set_value(); });
    return done->get_future();
  }

  const Tensor& output() const { return outputs_[0]; }
  const Status& status() const { return ctx_->status(); }
  bool is_async() const { return kernel_->AsAsync() != nullptr; }

 private:
  const std::string op_;
  DeviceContext device_{&CpuAllocator(), &ProcessThreads(), nullptr, nullptr};
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<DType> output_types_;
  std::unique_ptr<OpKernel> kernel_;
  std::unique_ptr<OpKernelContext> ctx_;
};

class TransferTest : public ::testing::Test {
 protected:
  const std::shared_ptr<Rendezvous> rendezvous_ = NewLocalRendezvous();
  StepContext step_{rendezvous_.get()};
  End send_{"_Send"};
  End recv_{"_Recv"};
  const Tensor x_ = Numbers({2}, {3, 5});
};

TEST_F(TransferTest, WhatIsSentIsReceived) {
  ThrowIfError(send_.With(x_).Run(step_));
  ThrowIfError(recv_.Run(step_));
  EXPECT_TRUE(AllClose(recv_.output(), x_));
}

TEST_F(TransferTest, OnlyTheRecvIsAsynchronous) {
  EXPECT_FALSE(send_.is_async());
  EXPECT_TRUE(recv_.is_async());
}

// All in one thread: ComputeAsync has to return although nothing was sent.
TEST_F(TransferTest, ARecvWaitsWithoutAThread) {
  auto done = recv_.Start(step_);
  EXPECT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  ThrowIfError(send_.With(x_).Run(step_));
  EXPECT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(AllClose(recv_.output(), x_));
}

TEST_F(TransferTest, ADeadTensorArrivesDead) {
  ThrowIfError(send_.With(Tensor()).Run(step_, {}, /*is_dead=*/true));
  ThrowIfError(recv_.Run(step_));
  EXPECT_FALSE(recv_.output().has_value());
}

TEST_F(TransferTest, EachRoundOfALoopHasItsOwnKey) {
  ThrowIfError(send_.With(Numbers({}, {1})).Run(step_, {7, 1}));
  ThrowIfError(send_.With(Numbers({}, {2})).Run(step_, {7, 2}));
  ThrowIfError(recv_.Run(step_, {7, 2}));
  EXPECT_TRUE(AllClose(recv_.output(), Numbers({}, {2})));
  ThrowIfError(recv_.Run(step_, {7, 1}));
  EXPECT_TRUE(AllClose(recv_.output(), Numbers({}, {1})));
}

TEST_F(TransferTest, TheKeyHasDevicesIncarnationAndName) {
  auto done = recv_.Start(step_);
  const std::vector<std::string> expected = {
      StrCat(kCpu, ";ffffffffffffffff;", kGpu, ";edge_0_x;0:0")};
  EXPECT_EQ(rendezvous_->activity().waiting_keys, expected);
  rendezvous_->StartAbort(errors::Aborted("over"));
  done.get();
}

TEST_F(TransferTest, AnAbortEndsTheRecvWithItsStatus) {
  auto done = recv_.Start(step_);
  rendezvous_->StartAbort(errors::Aborted("a kernel failed"));
  done.get();
  EXPECT_EQ(recv_.status().code(), Code::kAborted);
  EXPECT_EQ(send_.With(x_).Run(step_).message(), "a kernel failed");
}

TEST_F(TransferTest, TwoStepsNeverMix) {
  const auto other_rendezvous = NewLocalRendezvous();
  const StepContext other_step{other_rendezvous.get()};
  ThrowIfError(send_.With(Numbers({}, {1})).Run(step_));
  ThrowIfError(send_.With(Numbers({}, {2})).Run(other_step));
  ThrowIfError(recv_.Run(other_step));
  EXPECT_TRUE(AllClose(recv_.output(), Numbers({}, {2})));
  ThrowIfError(recv_.Run(step_));
  EXPECT_TRUE(AllClose(recv_.output(), Numbers({}, {1})));
}

TEST_F(TransferTest, WithoutARendezvousBothFail) {
  for (End* end : {&send_.With(x_), &recv_}) {
    const Status status = end->Run(kNoStep);
    EXPECT_EQ(status.code(), Code::kInternal);
    EXPECT_EQ(status.message(), "Op kernel context needs to provide a rendezvous.");
  }
}

TEST_F(TransferTest, ADeviceThatIsNoneIsRefusedWhenTheKernelIsMade) {
  EXPECT_THROW(End("_Send", "/gpu:0"), Error);
}

}  // namespace
}  // namespace minitf::testing
