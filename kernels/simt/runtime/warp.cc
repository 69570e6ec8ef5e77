// Block: what the lanes of a warp do together, and what keeps threads waiting for ever.
//
// The last lane of the mask to arrive computes the results of all. So no lane has to wait
// twice, warps that are not full need no care, and which lanes are missing is known.
//
// Compare    CUDA C++ Programming Guide, sections 7.19 to 7.22
// Read next  kernels/simt/runtime/launch.cc

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/simt/runtime/block.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

constexpr uint64_t kNoValue = 0xdeadbeefdeadbeef;  // of a lane that does not take part

// The lane whose value a shuffle gives to `lane`. Beyond its segment it keeps its own.
int SourceOf(const WarpCall& call, int lane) {
  const int first = lane / call.width * call.width;
  int source = lane;
  switch (call.op) {
    case WarpOp::kShuffle: return first + (call.parameter & (call.width - 1));
    case WarpOp::kShuffleUp: source = lane - call.parameter; break;
    case WarpOp::kShuffleDown: source = lane + call.parameter; break;
    default:
      // A lower segment can be read, a higher one cannot.
      source = lane ^ call.parameter;
      return source < first + call.width ? source : lane;
  }
  return source >= first && source < first + call.width ? source : lane;
}

uint64_t Reduced(WarpOp op, uint64_t x, uint64_t y) {
  const auto a = static_cast<unsigned>(x), b = static_cast<unsigned>(y);
  const auto i = static_cast<int>(a), j = static_cast<int>(b);
  switch (op) {
    case WarpOp::kReduceAdd: return a + b;
    case WarpOp::kReduceMin: return std::min(a, b);
    case WarpOp::kReduceMax: return std::max(a, b);
    case WarpOp::kReduceMinSigned: return static_cast<unsigned>(std::min(i, j));
    case WarpOp::kReduceMaxSigned: return static_cast<unsigned>(std::max(i, j));
    case WarpOp::kReduceAnd: return a & b;
    case WarpOp::kReduceOr: return a | b;
    default: return a ^ b;
  }
}

}  // namespace

uint64_t Block::MeetInWarp(const WarpCall& call, Site site) {
  const int first = running_ / kWarpSize * kWarpSize;
  const int lane = running_ - first;
  const int lanes = std::min(kWarpSize, num_threads_ - first);
  const unsigned all = lanes == kWarpSize ? ~0U : (1U << lanes) - 1;
  if ((call.mask >> lane & 1) == 0) {
    Finding finding = {"warp-mask",
                       "",
                       {site},
                       Text(NameOf(running_), " is lane ", lane, " and not in the mask ",
                            Hex(call.mask), " that it names")};
    if (!observer()) GiveUp(std::move(finding), cudaErrorLaunchFailure);
    Report(std::move(finding));
  }
  const bool is_width = call.width >= 1 && call.width <= kWarpSize &&
                        std::has_single_bit(static_cast<unsigned>(call.width));
  if (!is_width) {
    GiveUp(
        {"warp-mask",
         "",
         {site},
         Text(NameOf(running_),
              ": the width of a shuffle is a power of two up to 32, not ", call.width)},
        cudaErrorLaunchFailure);
  }
  Thread& thread = threads_[running_];
  thread.call = call;
  thread.call.mask = (call.mask & all) | 1U << lane;
  thread.site = site;
  thread.state = State::kInWarp;
  for (unsigned rest = thread.call.mask; rest != 0; rest &= rest - 1) {
    const Thread& other = threads_[first + std::countr_zero(rest)];
    const bool has_come = other.state == State::kInWarp && other.call.op == call.op &&
                          other.call.mask == thread.call.mask;
    if (has_come) continue;
    SwitchToNext(&fibers_[thread.stack]);
    return thread.call.value;
  }
  FinishWarpCall(first, thread.call.mask);
  thread.state = State::kReady;
  return thread.call.value;
}

// All lanes of the mask have come: writes their results, and makes all others ready.
void Block::FinishWarpCall(int first, unsigned mask) {
  Thread* const warp = &threads_[first];
  std::array<uint64_t, kWarpSize> results;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    results[lane] = ResultOf(warp, lane, mask);
  }
  const bool is_sync = threads_[running_].call.op == WarpOp::kSync;
  uint16_t& interval = warp_intervals_[first / kWarpSize];
  if (is_sync) ++interval;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp[lane].call.value = results[lane];
    if (is_sync) warp[lane].warp_interval = interval;
    if (first + lane == running_) continue;
    warp[lane].state = State::kReady;
    ready_.push_back(first + lane);
  }
}

uint64_t Block::ResultOf(const Thread* warp, int lane, unsigned mask) const {
  const WarpCall& call = warp[lane].call;
  if (call.op == WarpOp::kSync) return 0;
  if (call.op <= WarpOp::kShuffleXor) {
    const int source = SourceOf(call, lane);
    if (source >= 0 && source < kWarpSize && (mask >> source & 1) != 0) {
      return warp[source].call.value;
    }
    ReportMissingSource(warp, lane, source, mask);
    return kNoValue;
  }
  uint64_t found = call.value;
  unsigned lanes = 0;  // with a value that is not 0, or the same as this lane's
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int other = std::countr_zero(rest);
    const uint64_t value = warp[other].call.value;
    const bool counts = call.op == WarpOp::kBallot ? value != 0 : value == call.value;
    lanes |= unsigned{counts} << other;
    if (call.op >= WarpOp::kReduceAdd && other != lane) {
      found = Reduced(call.op, found, value);
    }
  }
  if (call.op == WarpOp::kMatchAll) return lanes == mask ? mask : 0;
  return call.op >= WarpOp::kReduceAdd ? found : lanes;
}

// ---- What is said of those that wait --------------------------------------------------

std::string Block::NameOf(int thread) const {
  return simt::NameOf(threads_[thread].index, position.block);
}

void Block::ReportMissingSource(const Thread* warp, int lane, int source,
                                unsigned mask) const {
  if (!observer()) return;  // the value is undefined; that is all
  Report({"warp-mask",
          "",
          {warp[lane].site},
          Text("lane ", lane, " reads from lane ", source,
               ", which does not take part; the mask is ", Hex(mask))});
}

// Threads of one barrier come from different lines, or some have ended: a GPU may wait
// for ever, or go on with the barrier of another place.
void Block::ReportDivergence() const {
  int first = -1, other = -1, ended = -1;
  for (int i = 0; i < num_threads_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.state == State::kDone && ended < 0) ended = i;
    if (thread.state != State::kAtBarrier) continue;
    if (first < 0) first = i;
    const Site site = threads_[first].site;
    const bool differs =
        thread.site.line != site.line || std::string_view(thread.site.file) != site.file;
    if (differs && other < 0) other = i;
  }
  if (first < 0) return;
  const Site site = threads_[first].site;
  if (other >= 0) {
    Report({"barrier-divergence",
            "",
            {site, threads_[other].site},
            Text("threads of a block wait at different barriers\n", NameOf(first),
                 " at the first\n", NameOf(other), " at the second")});
  }
  if (ended >= 0) {
    Report({"barrier-divergence",
            "",
            {site},
            Text(at_barrier_, " threads of the block wait at a barrier, ",
                 num_threads_ - unended_, " have ended\n", NameOf(ended),
                 " is one that has ended")});
  }
}

// Nobody is ready: those that are left wait for each other. As a barrier lets go when all
// wait at it, some wait for lanes of their warp.
void Block::ReportStuck() const {
  int in_warp = -1, at_barrier = -1;
  int num_in_warp = 0;
  for (int i = 0; i < num_threads_; ++i) {
    num_in_warp += threads_[i].state == State::kInWarp;
    if (threads_[i].state == State::kInWarp && in_warp < 0) in_warp = i;
    if (threads_[i].state == State::kAtBarrier && at_barrier < 0) at_barrier = i;
  }
  const int first = in_warp / kWarpSize * kWarpSize;
  unsigned here = 0;
  for (int i = first; i < std::min(first + kWarpSize, num_threads_); ++i) {
    if (threads_[i].state == State::kInWarp) here |= 1U << (i - first);
  }
  std::string message = Text(
      "threads wait for each other: ", at_barrier_, " at __syncthreads(), ", num_in_warp,
      " for lanes of their warp, ", num_threads_ - unended_, " have ended\n",
      NameOf(in_warp), " names lanes ", Hex(threads_[in_warp].call.mask),
      ", but of its warp only ", Hex(here), " have come");
  const Site site = threads_[in_warp].site;
  if (at_barrier < 0) return Report({"warp-mask", "", {site}, std::move(message)});
  Report({"deadlock", "", {site, threads_[at_barrier].site}, std::move(message)});
}

}  // namespace simt
