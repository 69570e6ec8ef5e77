// Convolver: where operands lie for cuDNN, and which algorithm is taken.

#include "kernels/gpu/vendor/convolver.h"

#include <set>
#include <utility>

#include "kernels/gpu/pad.h"
#include "kernels/gpu/strided_copy.h"
#include "minitf/base/logging.h"

namespace minitf::gpu {
namespace {

const char* NameOf(ConvLayout layout) {
  return layout == ConvLayout::kNhwc ? "NHWC" : "NCHW";
}

// The sizes of the op, for messages.
std::string Text(const ConvCall& call) {
  const ConvProblem& problem = call.problem;
  const Conv2dSizes& g = problem.sizes;
  const char* const kind = problem.kind == ConvKind::kForward ? "convolution"
                           : problem.kind == ConvKind::kInput ? "gradient of the images"
                                                              : "gradient of the filters";
  return StrCat("a ", kind, " of ", g.n, " images of ", g.h, "x", g.w, " with ", g.c,
                " channels and ", g.k, " filters of ", g.r, "x", g.s, ", strides ",
                g.stride_h, " and ", g.stride_w, ", dilations ", g.dilation_h, " and ",
                g.dilation_w, ", padding ", g.pad_top, "+", call.pad_bottom, " and ",
                g.pad_left, "+", call.pad_right, ", in ", NameOf(problem.layout));
}

// In which layouts to look for algorithms, that one first which needs no copy. cuDNN
// lists NHWC for filters without dilations, and not for float64.
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

Status NoMemory(size_t bytes) {
  return errors::ResourceExhausted("there is no memory of ", bytes, " bytes for cuDNN");
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

// Filters from [R,S,C,K], which cuDNN takes in no layout.
Move TurnFilters(int size, const ConvProblem& problem, cudaStream_t stream) {
  const Conv2dSizes& g = problem.sizes;
  const int64_t taps = int64_t{g.r} * g.s;
  const int64_t channels = g.c;
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
    const size_t bytes = static_cast<size_t>(count) * size();
    void* const place = allocate_(bytes);
    if (place == nullptr) ThrowIfError(NoMemory(bytes));
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

}  // namespace

// ---- Which algorithm ------------------------------------------------------------------

std::vector<ConvAlgorithm> Convolver::Allowed(std::vector<ConvAlgorithm> found) const {
  std::erase_if(found, [this](const ConvAlgorithm& algorithm) {
    return algorithm.workspace > options_.workspace_limit ||
           (options_.only_deterministic && !algorithm.is_deterministic);
  });
  return found;
}

// Takes note of an error. What the library only does not take is none.
void Convolver::Note(const Status& status, Plan* plan) {
  if (status.ok() || status.code() == Code::kUnimplemented) return;
  if (plan->error.ok()) plan->error = status;
  plan->calls_left = kCallsAfterError;
  // In another layout, there would have to be memory for copies.
  if (status.code() == Code::kResourceExhausted) plan->layouts.clear();
}

Convolver::Plan& Convolver::PlanFor(const ConvCall& call) {
  if (const auto known = plans_.find(call); known != plans_.end()) {
    int& left = known->second.calls_left;
    const bool has_failed = left > 0;
    if (has_failed) --left;
    if (!has_failed || left > 0) return known->second;
    plans_.erase(known);
  }
  Plan& plan = plans_[call];
  plan.layouts = LayoutsFor(call.problem);
  FindAlgorithms(call, &plan);
  return plan;
}

// Lists the algorithms of the first layout that has any.
void Convolver::FindAlgorithms(const ConvCall& call, Plan* plan) {
  while (plan->algorithms.empty() && !plan->layouts.empty()) {
    plan->problem = ProblemIn(plan->layouts.front(), call);
    plan->layouts.erase(plan->layouts.begin());
    plan->is_chosen = false;
    std::vector<ConvAlgorithm> found;
    const Status status = card_.CallWithMemory(
        [&] { return library_.FindAlgorithms(plan->problem, &found); });
    Note(status, plan);
    if (status.ok()) plan->algorithms = Allowed(std::move(found));
  }
  if (plan->algorithms.empty()) Log(call, *plan);
}

void Convolver::Log(const ConvCall& call, const Plan& plan) const {
  if (plan.algorithms.empty()) {
    VLOG(1) << "cuDNN has no algorithm that is allowed and works for " << Text(call)
            << (plan.error.ok() ? "" : ": ") << plan.error.message();
    return;
  }
  const ConvAlgorithm& first = plan.algorithms.front();
  VLOG(1) << "cuDNN takes algorithm " << first.id << " with " << first.workspace
          << " bytes of workspace in " << NameOf(plan.problem.layout)
          << (options_.autotune ? ", measured" : ", expected") << " to take "
          << first.milliseconds << " ms, for " << Text(call);
}

// As much memory as one of the algorithms needs: the most that there is.
Workspace Convolver::LargestRoom(const AllocateRoom& allocate, Plan* plan) {
  std::set<size_t, std::greater<>> needs;
  for (const ConvAlgorithm& one : plan->algorithms) needs.insert(one.workspace);
  for (const size_t bytes : needs) {
    if (bytes == 0) break;
    if (void* const memory = allocate(bytes)) return {memory, bytes};
    Note(NoMemory(bytes), plan);
  }
  return {};
}

Workspace Convolver::Choose(const ConvOperands& operands, const AllocateRoom& allocate,
                            cudaStream_t stream, Plan* plan) {
  Workspace room;
  if (options_.autotune) {
    room = LargestRoom(allocate, plan);
    std::vector<ConvAlgorithm> measured;
    const Status status = card_.CallWithMemory([&] {
      return library_.MeasureAlgorithms(plan->problem, operands, room, stream, &measured);
    });
    Note(status, plan);  // Then they stay in the order that the library expects.
    if (status.ok()) plan->algorithms = Allowed(std::move(measured));
  }
  plan->is_chosen = true;
  return room;
}

// Takes the first of the plan's algorithms that works. Those before it are dropped, since
// a card gives back all that it keeps before it refuses a workspace. False if none works.
bool Convolver::RunPlan(const ConvCall& call, const ConvOperands& operands,
                        const AllocateRoom& allocate, cudaStream_t stream, Plan* plan) {
  const Placement placement(call, plan->problem, operands, allocate, stream);
  Workspace room;
  if (!plan->is_chosen) {
    room = Choose(placement.operands(), allocate, stream, plan);
    if (!plan->algorithms.empty()) Log(call, *plan);
  }
  std::vector<ConvAlgorithm>& algorithms = plan->algorithms;
  for (; !algorithms.empty(); algorithms.erase(algorithms.begin())) {
    const ConvAlgorithm& taken = algorithms.front();
    if (room.bytes < taken.workspace) {
      void* const memory = allocate(taken.workspace);
      if (memory == nullptr) {
        Note(NoMemory(taken.workspace), plan);
        continue;
      }
      room = {memory, taken.workspace};
    }
    const Status status = card_.CallWithMemory([&] {
      return library_.Convolve(plan->problem, placement.operands(), taken, room, stream);
    });
    Note(status, plan);
    if (!status.ok()) continue;
    placement.Finish();
    last_algorithm_ = taken;
    plan->error = {};
    return true;
  }
  return false;
}

bool Convolver::Run(const ConvCall& call, const ConvOperands& operands,
                    const AllocateRoom& allocate, cudaStream_t stream) {
  Plan& plan = PlanFor(call);
  for (; !plan.algorithms.empty(); FindAlgorithms(call, &plan)) {
    if (RunPlan(call, operands, allocate, stream, &plan)) return true;
  }
  if (plan.error.ok()) return false;
  const Status error(plan.error.code(),
                     StrCat(plan.error.message(), ", for ", Text(call),
                            "; cuDNN got it in ", NameOf(plan.problem.layout)));
  // Memory that is short is remembered for a while. Other errors are not.
  if (error.code() != Code::kResourceExhausted) plans_.erase(call);
  throw Error(error);
}

}  // namespace minitf::gpu
