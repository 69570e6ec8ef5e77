// Non-maximum suppression on the CPU.
//
// Candidates wait in a heap, the highest score on top. The top one is compared with all
// boxes that were selected since its last comparison. Hard suppression drops it. Soft
// suppression lowers its score and puts it back. A candidate that keeps its score is
// selected.
//
// Op         minitf/contrib/detection/detection_ops.cc
// Compare    tensorflow/core/kernels/non_max_suppression_op.cc

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The elements of a tensor of float or half as floats.
std::vector<float> FloatsOf(const Tensor& tensor) {
  std::vector<float> values(tensor.num_elements());
  if (tensor.dtype() == DType::kFloat32) {
    std::ranges::copy(tensor.flat<float>(), values.begin());
  } else {
    std::ranges::transform(tensor.flat<float16>(), values.begin(),
                           [](float16 x) { return static_cast<float>(x); });
  }
  return values;
}

float FloatOf(const Tensor& tensor, std::string_view name) {
  RequireScalar(tensor, name);
  return FloatsOf(tensor)[0];
}

struct Rectangle {
  explicit Rectangle(const float* box)
      : top(std::min(box[0], box[2])),
        left(std::min(box[1], box[3])),
        bottom(std::max(box[0], box[2])),
        right(std::max(box[1], box[3])) {}

  float Area() const { return (bottom - top) * (right - left); }

  float top;
  float left;
  float bottom;
  float right;
};

// The area of the intersection divided by that of the union; 0 for an empty box.
float IntersectionOverUnion(const float* first, const float* second) {
  const Rectangle a(first);
  const Rectangle b(second);
  if (a.Area() <= 0 || b.Area() <= 0) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float both = std::max(height, 0.0F) * std::max(width, 0.0F);
  return both / (a.Area() + b.Area() - both);
}

struct Limits {
  int64_t max_output_size;
  float overlap;
  float score = std::numeric_limits<float>::lowest();
  float sigma = 0;  // of the soft suppression; 0 for a hard one
};

struct Selection {
  std::vector<int32_t> indices;
  std::vector<float> scores;
};

struct Candidate {
  int32_t index;
  float score;
  size_t compared;  // with so many of the selected boxes

  // Whether it is selected after `other`: of equal scores the first box counts more.
  bool operator<(const Candidate& other) const {
    return score < other.score || (score == other.score && index > other.index);
  }
};

// Lowers the score of `candidate` by each selected box that it was not compared with.
// Returns false if it is dropped at once.
template <typename Similarity>
bool Suppress(const Selection& selected, const Limits& limits,
              const Similarity& similarity, Candidate* candidate) {
  for (size_t j = selected.indices.size(); j-- > candidate->compared;) {
    const float similar = similarity(candidate->index, selected.indices[j]);
    if (limits.sigma > 0) {
      candidate->score *= std::exp(-0.5F / limits.sigma * similar * similar);
    } else if (similar > limits.overlap) {
      return false;
    }
    if (candidate->score <= limits.score) break;
  }
  candidate->compared = selected.indices.size();
  return true;
}

template <typename Similarity>
Selection Select(const std::vector<float>& scores, const Limits& limits,
                 const Similarity& similarity) {
  std::priority_queue<Candidate> candidates;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > limits.score)
      candidates.push({static_cast<int32_t>(i), scores[i], 0});
  }
  Selection selected;
  while (std::ssize(selected.indices) < limits.max_output_size && !candidates.empty()) {
    Candidate candidate = candidates.top();
    candidates.pop();
    const float former = candidate.score;
    if (!Suppress(selected, limits, similarity, &candidate)) continue;
    if (candidate.score == former) {
      selected.indices.push_back(candidate.index);
      selected.scores.push_back(candidate.score);
    } else if (candidate.score > limits.score) {
      candidates.push(candidate);
    }
  }
  return selected;
}

// ---- Kernels --------------------------------------------------------------------------

// Inputs 0 and 1 as boxes [n, width] and scores [n], where a width of -1 means n.
void RequireCandidates(const Tensor& boxes, const Tensor& scores, int64_t width) {
  Require(scores.rank() == 1, "scores must be a vector, their shape is ", scores.shape());
  const int64_t count = scores.dim(0);
  const Shape expected{count, width < 0 ? count : width};
  Require(boxes.shape() == expected, width < 0 ? "overlaps" : "boxes",
          " must have shape ", expected, " for ", count, " scores, their shape is ",
          boxes.shape());
}

int64_t MaxOutputSize(OpKernelContext* ctx) {
  const int64_t size = IntegerOf(ctx->host_input(2), "max_output_size");
  Require(size >= 0, "max_output_size must not be negative, is ", size);
  return size;
}

// Output `i`: `values`, and zeros up to `size`.
template <typename T, typename From>
void SetPadded(OpKernelContext* ctx, int i, const std::vector<From>& values,
               int64_t size) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(i, {size}, &y));
  const auto to = y->mutable_flat<T>();
  std::ranges::fill(to, T{});
  std::ranges::transform(values, to.begin(),
                         [](From value) { return static_cast<T>(value); });
}

// The ops that take boxes, from NonMaxSuppression to V5, by their number of outputs.
class NonMaxSuppressionOp final : public OpKernel {
 public:
  explicit NonMaxSuppressionOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->attrs().Find("iou_threshold") != nullptr) {
      OP_REQUIRES_OK(c, c->GetAttr("iou_threshold", &overlap_));
    }
    if (c->attrs().Find("pad_to_max_output_size") != nullptr) {
      OP_REQUIRES_OK(c, c->GetAttr("pad_to_max_output_size", &pads_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& boxes = ctx->input(0);
    RequireCandidates(boxes, ctx->input(1), 4);
    const Limits limits = LimitsOf(ctx);
    const std::vector<float> ends = FloatsOf(boxes);
    const Selection selected =
        Select(FloatsOf(ctx->input(1)), limits, [&](int64_t i, int64_t j) {
          return IntersectionOverUnion(ends.data() + 4 * i, ends.data() + 4 * j);
        });
    const int64_t count = std::ssize(selected.indices);
    const int64_t size = pads_ ? limits.max_output_size : count;
    SetPadded<int32_t>(ctx, 0, selected.indices, size);
    if (ctx->num_outputs() > 1) {
      ctx->set_output(ctx->num_outputs() - 1,
                      Tensor::Scalar(static_cast<int32_t>(count)));
    }
    if (ctx->num_outputs() < 3) return;
    if (boxes.dtype() == DType::kFloat32) {
      SetPadded<float>(ctx, 1, selected.scores, size);
    } else {
      SetPadded<float16>(ctx, 1, selected.scores, size);
    }
  }

 private:
  Limits LimitsOf(OpKernelContext* ctx) const {
    Limits limits{MaxOutputSize(ctx), overlap_};
    if (ctx->num_inputs() > 3) {
      limits.overlap = FloatOf(ctx->host_input(3), "iou_threshold");
    }
    if (ctx->num_inputs() > 4) {
      limits.score = FloatOf(ctx->host_input(4), "score_threshold");
    }
    if (ctx->num_inputs() > 5) {
      limits.sigma = FloatOf(ctx->host_input(5), "soft_nms_sigma");
    }
    Require(limits.overlap >= 0 && limits.overlap <= 1,
            "iou_threshold must be in [0, 1], is ", limits.overlap);
    Require(limits.sigma >= 0, "soft_nms_sigma must not be negative, is ", limits.sigma);
    return limits;
  }

  float overlap_ = 0.5F;
  bool pads_ = false;
};
REGISTER_KERNEL(
    Kernel("NonMaxSuppression").On(Device::kCpu).HostMemory("max_output_size"),
    NonMaxSuppressionOp);
REGISTER_KERNEL(Kernel("NonMaxSuppressionV2")
                    .On(Device::kCpu)
                    .HostMemory("max_output_size", "iou_threshold"),
                NonMaxSuppressionOp);
REGISTER_KERNEL(Kernel("NonMaxSuppressionV3")
                    .On(Device::kCpu)
                    .HostMemory("max_output_size", "iou_threshold", "score_threshold"),
                NonMaxSuppressionOp);
REGISTER_KERNEL(Kernel("NonMaxSuppressionV4")
                    .On(Device::kCpu)
                    .HostMemory("max_output_size", "iou_threshold", "score_threshold"),
                NonMaxSuppressionOp);
REGISTER_KERNEL(Kernel("NonMaxSuppressionV5")
                    .On(Device::kCpu)
                    .HostMemory("max_output_size", "iou_threshold", "score_threshold",
                                "soft_nms_sigma"),
                NonMaxSuppressionOp);

class NonMaxSuppressionWithOverlapsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& overlaps = ctx->input(0);
    RequireCandidates(overlaps, ctx->input(1), -1);
    const Limits limits{MaxOutputSize(ctx),
                        FloatOf(ctx->host_input(3), "overlap_threshold"),
                        FloatOf(ctx->host_input(4), "score_threshold")};
    const auto values = overlaps.flat<float>();
    const Selection selected =
        Select(FloatsOf(ctx->input(1)), limits,
               [&](int64_t i, int64_t j) { return values[i * overlaps.dim(1) + j]; });
    SetPadded<int32_t>(ctx, 0, selected.indices, std::ssize(selected.indices));
  }
};
REGISTER_KERNEL(Kernel("NonMaxSuppressionWithOverlaps")
                    .On(Device::kCpu)
                    .HostMemory("max_output_size", "overlap_threshold",
                                "score_threshold"),
                NonMaxSuppressionWithOverlapsOp);

}  // namespace
}  // namespace minitf
