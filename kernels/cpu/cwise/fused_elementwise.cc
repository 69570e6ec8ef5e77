// The CPU kernel of _FusedElementwise: a small program, run block by block.
//
// Tanh(x * w + b) as three kernels goes through memory three times; what takes the time
// is the memory. Here all steps are done on a block that stays in the first cache, with
// the very loops that the three kernels use:
//
//   for each block:   r0 = Mul(x, w)   r1 = Add(r0, b)   output = Tanh(r1)
//
// Results between steps lie in scratch blocks. A block of scratch is taken again once no
// later step reads it, so that a chain of any length needs two.
//
// Inputs have the shape of the output, or are scalars, or rows: a row [C] beside
// [N,H,W,C] is read over and over, from a block that holds it as often as it fits.
// Another input is stretched first; the pass avoids that, so it happens only where shapes
// were not known.
//
// Op         minitf/ops/step/fused_ops.cc
// Compare    XLA's loop fusion, tensorflow/compiler/xla/service/instruction_fusion.h
// Read next  minitf/passes/elementwise_fusion.cc

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cpu/common/broadcast_plan.h"
#include "minitf/framework/elementwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// A quarter of the first cache, for all blocks that a step may touch. Blocks start at
// multiples of 64 elements, so that vector instructions cut them as they cut the whole.
constexpr int64_t kCacheBytes = 16 << 10;
constexpr int64_t kAlignment = 64;

struct Step {
  ElementwiseLoop loop;
  // Below the number of inputs: an input. From there on: a block of scratch. -1: none.
  int x = -1;
  int y = -1;
  int result = -1;  ///< a scratch block; -1: the output
};

struct Program {
  std::vector<Step> steps;
  int num_inputs = 0;
  int num_blocks = 0;
  int64_t cost = 0;

  /// Throws InvalidArgument if `ops` and `arguments` make no program.
  static Program Of(const std::vector<std::string>& ops,
                    const std::vector<int64_t>& arguments, int num_inputs, DType dtype);

 private:
  void AssignBlocks();
};

Program Program::Of(const std::vector<std::string>& ops,
                    const std::vector<int64_t>& arguments, int num_inputs, DType dtype) {
  Program program;
  program.num_inputs = num_inputs;
  Require(!ops.empty() && arguments.size() == 2 * ops.size(),
          "there must be two arguments for each op; there are ", arguments.size(),
          " for ", ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    const ElementwiseLoop* loop = FindElementwiseLoop(Device::kCpu, ops[i], dtype);
    Require(loop != nullptr, "there is no element-wise loop for ", ops[i], " of ", dtype);
    const int64_t x = arguments[2 * i];
    const int64_t y = arguments[2 * i + 1];
    const int64_t end = num_inputs + static_cast<int64_t>(i);
    const bool y_fits = loop->unary ? y == -1 : 0 <= y && y < end;
    Require(0 <= x && x < end && y_fits, "step ", i, ", ", ops[i], ", has arguments ", x,
            " and ", y);
    program.steps.push_back({*loop, static_cast<int>(x), static_cast<int>(y), -1});
    program.cost += loop->cost;
  }
  program.AssignBlocks();
  return program;
}

// Gives each result a scratch block that holds nothing needed at that time.
void Program::AssignBlocks() {
  const int count = static_cast<int>(steps.size());
  std::vector<int> last_use(count, -1);
  for (int i = 0; i < count; ++i) {
    if (steps[i].x >= num_inputs) last_use[steps[i].x - num_inputs] = i;
    if (steps[i].y >= num_inputs) last_use[steps[i].y - num_inputs] = i;
  }
  std::vector<int> block_of(count, -1);
  std::vector<int> free_blocks;
  const auto place_of = [&](int argument) {
    return argument < num_inputs ? argument
                                 : num_inputs + block_of[argument - num_inputs];
  };
  for (int i = 0; i + 1 < count; ++i) {
    if (free_blocks.empty()) free_blocks.push_back(num_blocks++);
    block_of[i] = free_blocks.back();
    free_blocks.pop_back();
    // What step i reads for the last time is free for step i + 1.
    for (int j = 0; j < i; ++j) {
      if (last_use[j] == i) free_blocks.push_back(block_of[j]);
    }
    if (last_use[i] < 0) free_blocks.push_back(block_of[i]);
  }
  for (int i = 0; i < count; ++i) {
    steps[i].x = place_of(steps[i].x);
    if (steps[i].y >= 0) steps[i].y = place_of(steps[i].y);
    steps[i].result = block_of[i];
  }
}

template <typename T>
class FusedElementwiseOp final : public OpKernel {
 public:
  explicit FusedElementwiseOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    std::vector<std::string> ops;
    std::vector<int64_t> arguments;
    OP_REQUIRES_OK(construction, construction->GetAttr("ops", &ops));
    OP_REQUIRES_OK(construction, construction->GetAttr("arguments", &arguments));
    program_ = Program::Of(ops, arguments, construction->num_inputs(), DTypeOf<T>());
  }

  void Compute(OpKernelContext* ctx) override {
    Shape shape = ctx->input(0).shape();
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      if (ctx->input(i).shape() == shape) continue;
      shape = BroadcastShapes(shape, ctx->input(i).shape());
    }
    std::vector<Tensor> stretched;  // copies of inputs of yet another shape
    std::vector<Input> inputs;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const Tensor* input = &ctx->input(i);
      if (input->num_elements() != 1 && !IsRowOf(input->shape(), shape)) {
        stretched.push_back(Stretched(ctx, *input, shape));
        input = &stretched.back();
      }
      const bool is_whole = input->num_elements() == shape.num_elements();
      inputs.push_back({input->flat<T>().data(), input->num_elements(), is_whole});
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, MakeOutput(ctx, shape, &output));
    if (output->num_elements() == 0) return;

    T* to = output->mutable_flat<T>().data();
    ctx->threads().ParallelFor(
        output->num_elements(), program_.cost,
        [&](int64_t begin, int64_t end) { Run(inputs, begin, end, to); });
  }

 private:
  // A whole input has an element for each of the result. Another one is a row of `size`
  // elements, maybe of one.
  struct Input {
    const T* elements;
    int64_t size;
    bool is_whole;

    bool repeats() const { return !is_whole && size != 1; }
  };

  // Elements that a step reads: one for each of the result, or one for all.
  struct Argument {
    const T* elements = nullptr;
    bool moves = true;
  };

  // Whether a tensor of shape `row` has the last sizes of `shape`, and no others: that is
  // also true of `shape` itself.
  static bool IsRowOf(const Shape& row, const Shape& shape) {
    int i = row.rank();
    int j = shape.rank();
    while (i > 0 && j > 0 && row.dim(i - 1) == shape.dim(j - 1)) --i, --j;
    return std::ranges::all_of(row.sizes().first(i),
                               [](int64_t size) { return size == 1; });
  }

  // The last step writes element i when all steps have read it, so the output may take
  // the place of an input.
  static Status MakeOutput(OpKernelContext* ctx, const Shape& shape, Tensor** output) {
    switch (ctx->num_inputs()) {
      case 1: return ctx->forward_input_or_allocate_output({0}, 0, shape, output);
      case 2: return ctx->forward_input_or_allocate_output({0, 1}, 0, shape, output);
      default: return ctx->forward_input_or_allocate_output({0, 1, 2}, 0, shape, output);
    }
  }

  // A copy of `input` that has `shape`.
  static Tensor Stretched(OpKernelContext* ctx, const Tensor& input, const Shape& shape) {
    Tensor result;
    ThrowIfError(ctx->allocate_temp(input.dtype(), shape, &result));
    const std::array<const Shape*, 1> shapes = {&input.shape()};
    const BroadcastPlan plan(shape, shapes);
    const int64_t stride = plan.row().strides[0];
    const T* from = input.flat<T>().data();
    T* to = result.mutable_flat<T>().data();
    plan.ForEachRow(0, result.num_elements(),
                    [&](const auto& offsets, int64_t begin, int64_t count) {
                      for (int64_t i = 0; i < count; ++i) {
                        to[begin + i] = from[offsets[0] + i * stride];
                      }
                    });
    return result;
  }

  // How many elements are computed at a time.
  int64_t BlockSize(const std::vector<Input>& inputs) const {
    const int64_t num_places = program_.num_blocks + 1 + program_.num_inputs;
    const auto fits = kCacheBytes / (num_places * static_cast<int64_t>(sizeof(T)));
    int64_t unit = kAlignment;  // with whole rows in it, if these are short
    for (const Input& input : inputs) {
      const int64_t both = input.is_whole ? unit : std::lcm(unit, input.size);
      if (both <= fits) unit = both;
    }
    return std::max(unit, fits / unit * unit);
  }

  // Elements [first, first + count) of a row that is read over and over.
  static void Repeat(const Input& row, int64_t first, int64_t count, T* to) {
    int64_t at = first % row.size;
    for (int64_t done = 0; done < count; at = 0) {
      const int64_t run = std::min(row.size - at, count - done);
      std::copy_n(row.elements + at, run, to + done);
      done += run;
    }
  }

  void Run(const std::vector<Input>& inputs, int64_t begin, int64_t end, T* to) const {
    const int64_t block = BlockSize(inputs);
    std::vector<T> scratch(program_.num_blocks * block);
    std::vector<T> rows(std::ranges::count_if(inputs, &Input::repeats) * block);

    // First the inputs, then the blocks of scratch.
    std::vector<Argument> arguments(inputs.size());
    for (int i = 0; i < program_.num_blocks; ++i) {
      arguments.push_back({scratch.data() + i * block, true});
    }
    for (int64_t first = begin; first < end; first += block) {
      const int64_t count = std::min(block, end - first);
      T* repeated = rows.data();
      for (size_t i = 0; i < inputs.size(); ++i) {
        const Input& input = inputs[i];
        if (!input.repeats()) {
          arguments[i] = {input.elements + (input.is_whole ? first : 0), input.is_whole};
          continue;
        }
        // Blocks of whole rows are all alike.
        const bool is_there = first > begin && block % input.size == 0;
        if (!is_there) Repeat(input, first, count, repeated);
        arguments[i] = {repeated, true};
        repeated += block;
      }
      for (const Step& step : program_.steps) {
        T* result = step.result < 0 ? to + first : scratch.data() + step.result * block;
        RunStep(step, arguments, result, count);
      }
    }
  }

  static void RunStep(const Step& step, const std::vector<Argument>& arguments, T* result,
                      int64_t count) {
    const Argument& x = arguments[step.x];
    if (step.loop.binary != nullptr) {
      const Argument& y = arguments[step.y];
      step.loop.binary(x.elements, y.elements, result, count, x.moves, y.moves);
    } else if (x.moves) {
      step.loop.unary(x.elements, result, count);
    } else {  // of a scalar: once for all
      step.loop.unary(x.elements, result, 1);
      std::fill_n(result, count, result[0]);
    }
  }

  Program program_;
};

REGISTER_KERNEL(Kernel("_FusedElementwise").Type<float>("T"), FusedElementwiseOp<float>);
REGISTER_KERNEL(Kernel("_FusedElementwise").Type<double>("T"),
                FusedElementwiseOp<double>);

}  // namespace
}  // namespace minitf
