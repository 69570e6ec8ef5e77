// Tensors as text: printed, or as what a failed Assert says.
//
//   [1 2 3]     a vector        [[1 2]        a matrix       [0 1 2 ... 97 98 99]
//                                [3 4]]                      a long vector
//
// Op         minitf/ops/data/string_ops.cc
// Compare    tensorflow/core/kernels/string_format_op.cc, logging_ops.cc,
//            core/framework/tensor.cc
// Read next  kernels/cpu/array/identity.cc

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <mutex>
#include <span>
#include <string>

#include "kernels/cpu/common/scalars.h"
#include "minitf/base/logging.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// Writes the elements from `begin` on that belong to axis `axis` and those behind it.
class TensorText {
 public:
  TensorText(const Tensor& tensor, int64_t summarize)
      : tensor_(tensor), shape_(tensor.shape()), summarize_(summarize) {}

  void Write(int axis, int64_t begin, std::string* text) const {
    if (axis == shape_.rank()) {
      *text += tensor_.ElementText(begin);
      return;
    }
    const int64_t size = shape_.sizes()[axis];
    int64_t stride = 1;
    for (int i = axis + 1; i < shape_.rank(); ++i) stride *= shape_.sizes()[i];
    const int num_inner = shape_.rank() - axis - 1;
    // Rows stand below each other; between matrices there is an empty line.
    const std::string separator =
        num_inner == 0 ? " " : std::string(num_inner, '\n') + std::string(axis + 1, ' ');
    const bool is_cut = summarize_ >= 0 && size > 2 * summarize_;
    *text += '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) *text += separator;
      if (is_cut && i == summarize_) {
        *text += "...";
        i = size - summarize_ - 1;
        continue;
      }
      Write(axis + 1, begin + i * stride, text);
    }
    *text += ']';
  }

 private:
  const Tensor& tensor_;
  const Shape& shape_;
  const int64_t summarize_;
};

std::string TextOf(const Tensor& tensor, int64_t summarize) {
  std::string text;
  TensorText(tensor, summarize).Write(0, 0, &text);
  return text;
}

class StringFormatOp final : public OpKernel {
 public:
  explicit StringFormatOp(OpKernelConstruction* construction)
      : OpKernel(construction),
        template_(construction->attrs().Get<std::string>("template")),
        placeholder_(construction->attrs().Get<std::string>("placeholder")),
        summarize_(construction->attrs().Get<int64_t>("summarize")) {
    Require(!placeholder_.empty(), "placeholder must not be empty");
    int num_places = 0;
    for (size_t at = 0; (at = template_.find(placeholder_, at)) != std::string::npos;
         at += placeholder_.size()) {
      ++num_places;
    }
    Require(num_places == construction->num_inputs(), "num placeholders in template and ",
            "num inputs must match: ", num_places, " vs. ", construction->num_inputs());
  }

  void Compute(OpKernelContext* ctx) override {
    std::string text;
    size_t begin = 0;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const size_t place = template_.find(placeholder_, begin);
      text.append(template_, begin, place - begin);
      text += TextOf(ctx->input(i), summarize_);
      begin = place + placeholder_.size();
    }
    text.append(template_, begin);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape{}, &output));
    output->mutable_flat<std::string>()[0] = std::move(text);
  }

 private:
  const std::string template_;
  const std::string placeholder_;
  const int64_t summarize_;
};
REGISTER_KERNEL(Kernel("StringFormat").On(Device::kCpu), StringFormatOp);

class PrintV2Op final : public OpKernel {
 public:
  explicit PrintV2Op(OpKernelConstruction* construction)
      : OpKernel(construction),
        stream_(construction->attrs().Get<std::string>("output_stream")),
        end_(construction->attrs().Get<std::string>("end")) {
    Require(stream_ == "stdout" || stream_ == "stderr" || stream_.starts_with(kFile),
            "output_stream must be stdout, stderr or file://PATH, got '", stream_, "'");
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    RequireScalar(input, "input");
    const std::string text = input.scalar<std::string>() + end_;
    if (LogToListeners(text)) return;
    // Two steps may print at once, and lines must stay whole.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (stream_ == "stdout") {
      std::cout << text << std::flush;
    } else if (stream_ == "stderr") {
      std::cerr << text << std::flush;
    } else {
      std::ofstream file(stream_.substr(kFile.size()), std::ios::app | std::ios::binary);
      Require((file << text << std::flush).good(), "cannot write to ", stream_);
    }
  }

 private:
  static constexpr std::string_view kFile = "file://";

  const std::string stream_;
  const std::string end_;
};
REGISTER_KERNEL(Kernel("PrintV2").On(Device::kCpu), PrintV2Op);

// ---- Failing, and printing what passes ------------------------------------------------

// Appends the elements from *next to `end` that belong to axis `axis` and the inner axes.
// TensorFlow prints "?" for a complex number.
void AppendSummary(const Tensor& tensor, std::span<const int64_t> sizes, size_t axis,
                   int64_t end, int64_t* next, std::string* text) {
  const bool is_last = axis + 1 == sizes.size();
  for (int64_t i = 0; i < sizes[axis]; ++i) {
    if (*next == end) {
      if (is_last && axis > 0) *text += "...";
      return;
    }
    if (is_last) {
      if (i > 0) *text += ' ';
      *text += IsComplex(tensor.dtype()) ? "?" : tensor.ElementText(*next, false);
      ++*next;
    } else {
      *text += '[';
      AppendSummary(tensor, sizes, axis + 1, end, next, text);
      *text += ']';
    }
  }
}

// "[[1 2][3...]...]": the first `count` elements, or all if that is negative. Complex
// numbers, as a scalar, have no inner brackets.
std::string Summary(const Tensor& tensor, int64_t count) {
  const int64_t size = tensor.num_elements();
  const int64_t end = count < 0 ? size : std::min(count, size);
  const bool is_flat = tensor.rank() == 0 || IsComplex(tensor.dtype());
  int64_t next = 0;
  std::string text = "[";
  if (end > 0) {
    const std::span<const int64_t> sizes =
        is_flat ? std::span(&size, 1) : tensor.shape().sizes();
    AppendSummary(tensor, sizes, 0, end, &next, &text);
  }
  return text + (end < size ? "...]" : "]");
}

class AssertOp final : public OpKernel {
 public:
  explicit AssertOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("summarize", &summarize_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->host_input(0);
    Require(condition.rank() == 0, "In[0] should be a scalar: ", condition.shape());
    if (condition.scalar<bool>()) return;
    std::string message = "assertion failed:";
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      message += ' ';
      message += Summary(ctx->host_input(i), summarize_);
    }
    ctx->SetStatus(errors::InvalidArgument(message));
  }

 private:
  int64_t summarize_ = 3;
};
REGISTER_KERNEL(Kernel("Assert").On(Device::kCpu).HostMemory("condition", "data"),
                AssertOp);

class PrintOp final : public OpKernel {
 public:
  explicit PrintOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("message", &message_));
    OP_REQUIRES_OK(construction, construction->GetAttr("first_n", &first_n_));
    OP_REQUIRES_OK(construction, construction->GetAttr("summarize", &summarize_));
  }

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input(0));
    if (first_n_ >= 0 && num_printed_.fetch_add(1) >= first_n_) return;
    std::string line = message_;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      line += Summary(ctx->input(i), summarize_);
    }
    std::cerr << line + "\n" << std::flush;
  }

 private:
  std::string message_;
  int64_t first_n_ = -1;
  int64_t summarize_ = 3;
  std::atomic<int64_t> num_printed_{0};
};
REGISTER_KERNEL(Kernel("Print").On(Device::kCpu), PrintOp);

}  // namespace
}  // namespace minitf
