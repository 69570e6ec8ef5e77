// The ops of test_ops.h.

#include "tests/test_ops.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "minitf/base/lab.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf::testing {
namespace {

// The kernels of these tests are the CPU's, and so are those of their GPUs. It is set
// before the first device is made.
[[maybe_unused]] const bool kGpusAreSet = setenv("MINITF_GPU", "cpu", 0) == 0;

std::mutex recorded_mutex;
std::vector<std::string> recorded_runs;

void AttrShape(InferenceContext* ctx) {
  ctx->set_output(0, ctx->attr<PartialShape>("shape"));
}

REGISTER_OP("TestSource")
    .Output("y: float")
    .Attr("value: float")
    .SetShapeFn(ScalarShape)
    .Doc("A scalar.");
REGISTER_OP("TestFeed")
    .Output("y: float")
    .Attr("shape: shape")
    .SetShapeFn(AttrShape)
    .Doc("What is fed.");
REGISTER_OP("TestAdd")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: type")
    .SetShapeFn(MergedShape)
    .Doc("x + y.");
REGISTER_OP("TestSum")
    .Input("xs: N * float")
    .Output("y: float")
    .Attr("N: int >= 1")
    .SetShapeFn(ScalarShape)
    .Doc("The sum of scalars.");
REGISTER_OP("TestSleep")
    .Input("x: float")
    .Output("y: float")
    .Attr("ms: int")
    .SetShapeFn(UnchangedShape)
    .Doc("x, later.");
REGISTER_OP("TestFail")
    .Input("x: float")
    .Output("y: float")
    .Attr("how: {'status', 'error', 'exception', 'not_written', 'no_memory', 'silent'}")
    .SetShapeFn(UnchangedShape)
    .Doc("Fails.");
REGISTER_OP("TestRecord")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(UnchangedShape)
    .SetIsStateful()
    .Doc("x, and remembers that it has run.");
REGISTER_OP("TestState")
    .Output("y: float")
    .Attr("start: float = 0")
    .SetShapeFn(ScalarShape)
    .SetIsStateful()
    .Doc("How often it has run.");
REGISTER_OP("TestInt").Output("y: int32").SetShapeFn(ScalarShape).Doc("An integer.");

class SourceOp final : public OpKernel {
 public:
  explicit SourceOp(OpKernelConstruction* construction)
      : OpKernel(construction),
        value_(DType::kFloat32, Shape{}, *construction->device().allocator) {
    value_.mutable_flat<float>()[0] = construction->attrs().Get<float>("value");
  }
  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, value_); }
  bool IsExpensive() const override { return false; }

 private:
  Tensor value_;
};

class FeedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::InvalidArgument("must be fed"));
  }
};

class SumOfTwoOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    Tensor* z = nullptr;
    OP_REQUIRES(ctx, x.shape() == y.shape(),
                errors::InvalidArgument("x is ", x.shape(), ", y is ", y.shape()));
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, x.shape(), &z));
    const auto a = x.flat<float>();
    const auto b = y.flat<float>();
    const auto c = z->mutable_flat<float>();
    for (size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
  }
};

void SetNumber(OpKernelContext* ctx, float number) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape{}, &y));
  y->mutable_flat<float>()[0] = number;
}

class SumOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    float sum = 0;
    for (int i = 0; i < ctx->num_inputs(); ++i) sum += ctx->input(i).scalar<float>();
    SetNumber(ctx, sum);
  }
};

class SleepOp final : public OpKernel {
 public:
  explicit SleepOp(OpKernelConstruction* construction)
      : OpKernel(construction), ms_(construction->attrs().Get<int64_t>("ms")) {}
  void Compute(OpKernelContext* ctx) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms_));
    ctx->set_output(0, ctx->input(0));
  }

 private:
  const int64_t ms_;
};

class FailOp final : public OpKernel {
 public:
  explicit FailOp(OpKernelConstruction* construction)
      : OpKernel(construction), how_(construction->attrs().Get<std::string>("how")) {}
  void Compute(OpKernelContext* ctx) override {
    if (how_ == "status") ctx->SetStatus(errors::OutOfRange("7 is not in [0, 5)"));
    if (how_ == "error") throw Error(errors::NotFound("no 7"));
    if (how_ == "exception") throw std::runtime_error("seven");
    if (how_ == "not_written") ThrowNotWritten("09.9", "Seven");
    if (how_ == "no_memory") throw std::bad_alloc();
  }

 private:
  const std::string how_;
};

class RecordOp final : public OpKernel {
 public:
  explicit RecordOp(OpKernelConstruction* construction)
      : OpKernel(construction), name_(construction->node_name()) {}
  void Compute(OpKernelContext* ctx) override {
    const std::lock_guard lock(recorded_mutex);
    recorded_runs.push_back(name_);
    ctx->set_output(0, ctx->input(0));
  }

 private:
  const std::string name_;
};

class StateOp final : public OpKernel {
 public:
  explicit StateOp(OpKernelConstruction* construction)
      : OpKernel(construction), start_(construction->attrs().Get<float>("start")) {}
  void Compute(OpKernelContext* ctx) override {
    SetNumber(ctx, start_ + static_cast<float>(++num_runs_));
  }

 private:
  const float start_;
  std::atomic<int> num_runs_ = 0;
};

REGISTER_KERNEL(Kernel("TestSource").On(Device::kCpu), SourceOp);
REGISTER_KERNEL(Kernel("TestFeed").On(Device::kCpu), FeedOp);
REGISTER_KERNEL(Kernel("TestAdd").On(Device::kCpu).Type<float>("T"), SumOfTwoOp);
REGISTER_KERNEL(Kernel("TestSum").On(Device::kCpu), SumOp);
REGISTER_KERNEL(Kernel("TestSleep").On(Device::kCpu), SleepOp);
REGISTER_KERNEL(Kernel("TestFail").On(Device::kCpu), FailOp);
REGISTER_KERNEL(Kernel("TestRecord").On(Device::kCpu), RecordOp);
REGISTER_KERNEL(Kernel("TestState").On(Device::kCpu), StateOp);

}  // namespace

std::vector<std::string> TakeRecordedRuns() {
  const std::lock_guard lock(recorded_mutex);
  return std::exchange(recorded_runs, {});
}

Node* AddOp(Graph* graph, std::string op, std::string name,
            const std::vector<Output>& inputs, Attrs attrs,
            const std::vector<Node*>& control_inputs) {
  NodeSpec spec;
  spec.op = std::move(op);
  spec.name = std::move(name);
  spec.inputs = inputs;
  spec.attrs = std::move(attrs);
  spec.control_inputs = control_inputs;
  return graph->AddNode(std::move(spec));
}

Output Source(Graph* graph, float value, std::string name) {
  return {AddOp(graph, "TestSource", std::move(name), {}, {{"value", value}})};
}

Output Feed(Graph* graph, std::string name, const PartialShape& shape) {
  return {AddOp(graph, "TestFeed", std::move(name), {}, {{"shape", shape}})};
}

Output Add(Graph* graph, Output x, Output y, std::string name) {
  return {AddOp(graph, "TestAdd", std::move(name), {x, y})};
}

Output Sum(Graph* graph, const std::vector<Output>& xs, std::string name) {
  return {AddOp(graph, "TestSum", std::move(name), xs)};
}

Output Sleep(Graph* graph, Output x, int64_t ms, std::string name) {
  return {AddOp(graph, "TestSleep", std::move(name), {x}, {{"ms", ms}})};
}

Output Fail(Graph* graph, Output x, std::string how, std::string name) {
  return {AddOp(graph, "TestFail", std::move(name), {x}, {{"how", std::move(how)}})};
}

Output Record(Graph* graph, Output x, std::string name) {
  return {AddOp(graph, "TestRecord", std::move(name), {x})};
}

}  // namespace minitf::testing
