// Convolver: where operands lie for cuDNN, and which algorithm is taken.

#include "kernels/gpu/vendor/convolver.h"

#include <algorithm>
#include <utility>

#include "kernels/gpu/device/cuda_stream.h"
#include "kernels/gpu/pad.h"
#include "kernels/gpu/strided_copy.h"
#include "minitf/base/logging.h"

namespace minitf::gpu {
namespace {

const char* NameOf(ConvLayout layout) {
  return layout == ConvLayout::kNhwc ? "NHWC" : "NCHW";
}

// For messages.
std::string Text(const ConvProblem& problem) {
  const Conv2dSizes& g = problem.sizes;
  const char* const kind = problem.kind == ConvKind::kForward ? "convolution"
                           : problem.kind == ConvKind::kInput ? "gradient of the images"
                                                              : "gradient of the filters";
  return StrCat("a ", kind, " of ", g.n, " images of ", g.h, "x", g.w, " with ", g.c,
                " channels and ", g.k, " filters of ", g.r, "x", g.s, ", strides ",
                g.stride_h, " and ", g.stride_w, ", dilations ", g.dilation_h, " and ",
                g.dilation_w, ", in ", NameOf(problem.layout));
}

// In which layouts to look for algorithms, the one first that needs no copy. cuDNN lists
// NHWC for filters without dilations, and not for float64.
std::vector<ConvLayout> LayoutsFor(const ConvProblem& problem) {
  const Conv2dSizes& g = problem.sizes;
  const bool is_simple =
      problem.type == ElementType::kFloat32 && g.dilation_h == 1 && g.dilation_w == 1;
  if (problem.layout == ConvLayout::kNchw || !is_simple) return {ConvLayout::kNchw};
  return {ConvLayout::kNhwc, ConvLayout::kNchw};
}

bool HasEvenPadding(const ConvCall& call) {
  const Conv2dSizes& g = call.problem.sizes;
  return g.pad_top == call.pad_bottom && g.pad_left == call.pad_right;
}

// The call in another layout, on images that have uneven zeros in them.
ConvProblem ProblemIn(ConvLayout layout, const ConvCall& call) {
  ConvProblem problem = call.problem;
  problem.layout = layout;
  if (HasEvenPadding(call)) return problem;
  Conv2dSizes& g = problem.sizes;
  g.h += g.pad_top + call.pad_bottom;
  g.w += g.pad_left + call.pad_right;
  g.pad_top = g.pad_left = 0;
  return problem;
}

// ---- Where operands lie ---------------------------------------------------------------

// A way to copy an operand to where it lies differently, or, if `back`, from there.
using Move = std::function<cudaError_t(bool back, const void* from, void* to)>;

// Images between [N,H,W,C] and [N,C,H,W].
Move TurnImages(int size, int64_t n, int64_t places, int64_t channels,
                cudaStream_t stream) {
  return [=](bool back, const void* from, void* to) {
    return back ? LaunchTranspose(size, n, channels, places, from, to, stream)
                : LaunchTranspose(size, n, places, channels, from, to, stream);
  };
}

// Filters from [R,S,C/groups,K], which cuDNN takes in no layout.
Move TurnFilters(int size, const ConvProblem& problem, cudaStream_t stream) {
  const Conv2dSizes& g = problem.sizes;
  const int64_t taps = int64_t{g.r} * g.s;
  const int64_t channels = g.c / g.groups;
  const int64_t filters = g.k;
  if (problem.layout == ConvLayout::kNhwc) {
    return [=](bool back, const void* from, void* to) {
      const auto [rows, columns] = back ? std::pair(filters, taps * channels)
                                        : std::pair(taps * channels, filters);
      return LaunchTranspose(size, 1, rows, columns, from, to, stream);
    };
  }
  return [=](bool back, const void* from, void* to) {
    StridedLoops loops{3,
                       {taps, channels, filters},
                       {channels * filters, filters, 1},
                       {1, taps, taps * channels}};
    if (back) std::swap(loops.from_stride, loops.to_stride);
    return LaunchStridedCopy(size, loops, from, to, stream);
  };
}

// Images with zeros around them. Those in [N,C,H,W] are N*C images of one channel.
template <typename T>
Move PadImages(ConvLayout layout, const ConvCall& call, cudaStream_t stream) {
  const Conv2dSizes& g = call.problem.sizes;
  const bool is_nhwc = layout == ConvLayout::kNhwc;
  const PadSizes sizes{
      is_nhwc ? g.n : g.n * g.c, g.h,        g.w,           is_nhwc ? g.c : 1, g.pad_top,
      call.pad_bottom,           g.pad_left, call.pad_right};
  return [=](bool back, const void* from, void* to) {
    const auto launch = back ? LaunchCrop<T> : LaunchPad<T>;
    return launch(sizes, static_cast<const T*>(from), static_cast<T*>(to), stream);
  };
}

// The operands of a call where cuDNN wants them: what it reads is copied at once, what it
// writes by Finish.
class Placement {
 public:
  Placement(const ConvCall& call, const ConvProblem& problem, const ConvOperands& given,
            const AllocateRoom& allocate, cudaStream_t stream)
      : problem_(problem), allocate_(allocate), operands_(given) {
    const Conv2dSizes& g = call.problem.sizes;
    const bool is_double = problem.type == ElementType::kFloat64;
    if (problem.layout != call.problem.layout) {
      Place(ConvKind::kInput, &operands_.x, g.x_size(),
            TurnImages(size(), g.n, int64_t{g.h} * g.w, g.c, stream));
      Place(ConvKind::kForward, &operands_.y, g.y_size(),
            TurnImages(size(), g.n, int64_t{g.p} * g.q, g.k, stream));
    }
    if (!HasEvenPadding(call)) {
      const auto pad = is_double ? PadImages<double> : PadImages<float>;
      Place(ConvKind::kInput, &operands_.x, problem.sizes.x_size(),
            pad(problem.layout, call, stream));
    }
    Place(ConvKind::kFilter, &operands_.w, g.w_size(),
          TurnFilters(size(), problem, stream));
  }

  const ConvOperands& operands() const { return operands_; }

  void Finish() const {
    for (auto at = moves_back_.rbegin(); at != moves_back_.rend(); ++at) {
      Check(at->move(/*back=*/true, at->from, at->to));
    }
  }

 private:
  struct MoveBack {
    Move move;
    const void* from;
    void* to;
  };

  int size() const { return problem_.type == ElementType::kFloat64 ? 8 : 4; }

  static void Check(cudaError_t error) {
    ThrowIfError(StatusOf(error, "moving operands of cuDNN"));
  }

  // Gives an operand another place, of `count` elements. It is the result if the problem
  // is of the kind `writes`.
  void Place(ConvKind writes, void** operand, int64_t count, const Move& move) {
    void* const place = allocate_(static_cast<size_t>(count) * size());
    if (place == nullptr) {
      throw Error(errors::ResourceExhausted("there is no memory for ", count,
                                            " numbers in the order that cuDNN takes"));
    }
    void* const former = std::exchange(*operand, place);
    if (problem_.kind == writes) {
      moves_back_.push_back({move, place, former});
    } else {
      Check(move(/*back=*/false, former, place));
    }
  }

  const ConvProblem problem_;
  const AllocateRoom& allocate_;
  ConvOperands operands_;
  std::vector<MoveBack> moves_back_;
};

// What the library says, and of which sizes.
void CheckLibrary(const Status& status, const ConvProblem& problem) {
  if (status.ok()) return;
  throw Error({status.code(), StrCat(status.message(), ", for ", Text(problem))});
}

}  // namespace

// ---- Which algorithm ------------------------------------------------------------------

std::vector<ConvAlgorithm> Convolver::Allowed(std::vector<ConvAlgorithm> found) const {
  std::erase_if(found, [this](const ConvAlgorithm& algorithm) {
    return algorithm.workspace > options_.workspace_limit ||
           (options_.only_deterministic && !algorithm.is_deterministic);
  });
  return found;
}

Convolver::Plan& Convolver::PlanFor(const ConvCall& call) {
  if (const auto known = plans_.find(call); known != plans_.end()) return known->second;
  Plan plan;
  for (const ConvLayout layout : LayoutsFor(call.problem)) {
    plan.problem = ProblemIn(layout, call);
    std::vector<ConvAlgorithm> found;
    CheckLibrary(library_.FindAlgorithms(plan.problem, &found), plan.problem);
    plan.algorithms = Allowed(std::move(found));
    if (!plan.algorithms.empty()) break;
  }
  if (plan.algorithms.empty()) Log(plan);
  return plans_.emplace(call, std::move(plan)).first->second;
}

void Convolver::Log(const Plan& plan) const {
  if (plan.algorithms.empty()) {
    VLOG(1) << "cuDNN has no algorithm that is allowed for " << Text(plan.problem);
    return;
  }
  const ConvAlgorithm& first = plan.algorithms.front();
  VLOG(1) << "cuDNN takes algorithm " << first.id << " with " << first.workspace
          << " bytes of workspace" << (options_.autotune ? ", the fastest," : "")
          << " for " << Text(plan.problem);
}

// As much memory as one of the algorithms needs: the most that there is.
Workspace Convolver::LargestRoom(const Plan& plan, const AllocateRoom& allocate) {
  std::vector<size_t> needs;
  for (const ConvAlgorithm& one : plan.algorithms) needs.push_back(one.workspace);
  std::ranges::sort(needs, std::greater());
  for (const size_t bytes : needs) {
    if (bytes == 0) break;
    if (void* const memory = allocate(bytes)) return {memory, bytes};
  }
  return {};
}

Workspace Convolver::Choose(const ConvOperands& operands, const AllocateRoom& allocate,
                            cudaStream_t stream, Plan* plan) {
  Workspace room;
  if (options_.autotune) {
    room = LargestRoom(*plan, allocate);
    std::vector<ConvAlgorithm> measured;
    CheckLibrary(
        library_.MeasureAlgorithms(plan->problem, operands, room, stream, &measured),
        plan->problem);
    plan->algorithms = Allowed(std::move(measured));
  }
  plan->is_chosen = true;
  Log(*plan);
  return room;
}

bool Convolver::Run(const ConvCall& call, const ConvOperands& operands,
                    const AllocateRoom& allocate, cudaStream_t stream) {
  Plan& plan = PlanFor(call);
  if (plan.algorithms.empty()) return false;
  const Placement placement(call, plan.problem, operands, allocate, stream);
  Workspace room;
  if (!plan.is_chosen) room = Choose(placement.operands(), allocate, stream, &plan);

  for (auto taken = plan.algorithms.begin(); taken != plan.algorithms.end();) {
    if (room.bytes < taken->workspace) {
      void* const memory = allocate(taken->workspace);
      if (memory == nullptr) {  // A slower one may need less.
        ++taken;
        continue;
      }
      room = {memory, taken->workspace};
    }
    const Status status =
        library_.Convolve(plan.problem, placement.operands(), *taken, room, stream);
    if (status.code() == Code::kUnimplemented) {  // It was listed, and is not there.
      taken = plan.algorithms.erase(taken);
      Log(plan);
      continue;
    }
    CheckLibrary(status, plan.problem);
    placement.Finish();
    last_algorithm_ = *taken;
    return true;
  }
  if (plan.algorithms.empty()) return false;
  throw Error(errors::ResourceExhausted("there is no memory for the workspace of any ",
                                        "algorithm of cuDNN, for ", Text(plan.problem)));
}

}  // namespace minitf::gpu
