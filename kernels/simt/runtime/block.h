// Block: runs the threads of one block, one fiber each, on the calling thread.
//
// A thread runs until it waits: at a barrier, or for the lanes of its warp. Then the next
// one that is ready goes on, or one that has not begun. The last to arrive at a barrier
// makes all ready again. So nothing is locked, and nobody spins.
//
// A finished thread leaves its stack to the next one that begins, without a switch: a
// kernel without barriers runs as a loop over its threads.
//
// Compare    MCUDA (Stratton et al., LCPC 2008), which makes these loops in a compiler
// Read next  kernels/simt/launch.h

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/simt/cuda_threads.h"
#include "kernels/simt/runtime/fiber.h"
#include "kernels/simt/runtime/fiber_stacks.h"
#include "kernels/simt/runtime/limits.h"
#include "kernels/simt/runtime/observer.h"

namespace simt {

inline constexpr int kMaxThreads = limits::kThreads;  // of a block
using limits::kWarpSize;

/// The next of a row of numbers that look random, by Knuth's multiplier.
inline uint64_t NextRandom(uint64_t number) {
  return number * 6364136223846793005U + 1442695040888963407U;
}

/// A launch that runs. Blocks are run by several threads at a time in fast mode.
struct RunningLaunch {
  LaunchInfo info;
  uint64_t seed = 0;  ///< of the order in which threads begin; 0: as they are numbered
};

class Block {
 public:
  Block() = default;
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs block `number` of a launch. Returns false if it was given up.
  bool Run(const RunningLaunch& launch, size_t number);

  /// The block that the calling thread runs; null if none.
  static Block* current() { return current_; }

  // ---- Called by threads of the block ----
  int MeetInBlock(int predicate, Site site);
  uint64_t MeetInWarp(const WarpCall& call, Site site);
  /// Lets others go on first. `begins`: a thread that has not begun, if there is one.
  void Yield(bool begins);
  /// From here on the emulator works for a thread, until an Emulating ends. What it
  /// shares with a program, such as functions of std::vector, may have been compiled for
  /// check mode: the accesses in them are not the kernel's.
  void EnterEmulator() { is_in_emulator_ = true; }
  bool is_in_emulator() const { return is_in_emulator_; }
  /// Ends the launch, from any depth of calls. What the threads have open stays open.
  [[noreturn]] void GiveUp();
  /// The same, with what is said of it, and the error that it is for the host. Requires:
  /// the emulator was entered.
  [[noreturn]] void GiveUp(Finding finding, cudaError_t error);

  // ---- Asked by checkers ----
  int thread() const { return running_; }  ///< the running one
  int num_threads() const { return num_threads_; }
  uint16_t interval() const { return interval_; }  ///< barriers passed
  /// Calls of __syncwarp in which the warp of a thread took part, with the thread.
  uint16_t warp_interval() const { return threads_[running_].warp_interval; }
  const FiberStacks& stacks() const { return stacks_; }
  int stack_of_thread() const { return threads_[running_].stack; }
  void* dynamic_shared() { return dynamic_shared_.data(); }

 private:
  friend class Emulating;

  enum class State : uint8_t { kNew, kReady, kAtBarrier, kInWarp, kDone };

  struct Thread {
    State state;
    int stack;               // the one on which it runs
    uint16_t warp_interval;  // the last __syncwarp in which it took part
    int predicate;
    WarpCall call;
    Site site;  // where it waits
    uint3 index;
  };

  void Prepare(const RunningLaunch& launch, size_t number);
  static void StackEntry();
  void RunThreads();
  void Begin(int thread, int stack);
  Fiber* BeginNext();
  void SwitchToNext(Fiber* from, bool prefers_new = false);
  void ReleaseBarrier();
  void FinishWarpCall(int first, unsigned mask);
  uint64_t ResultOf(const Thread* warp, int lane, unsigned mask) const;
  void ReportDivergence() const;
  void ReportMissingSource(const Thread* warp, int lane, int source, unsigned mask) const;
  void ReportStuck() const;
  std::string NameOf(int thread) const;

  static constinit thread_local Block* current_;

  FiberStacks stacks_;
  std::array<Fiber, kMaxThreads> fibers_;  // one for each stack
  std::array<bool, kMaxThreads> has_fiber_ = {};
  std::vector<int> free_stacks_;
  Fiber main_;

  const RunningLaunch* launch_ = nullptr;
  std::array<Thread, kMaxThreads> threads_;
  std::array<int, kMaxThreads> order_;  // in which they begin
  uint3 sizes_ = {0, 0, 0};             // for which indices and the order are made
  uint64_t order_seed_ = 0;
  int num_threads_ = 0;
  int begun_ = 0;    // threads
  int unended_ = 0;  // threads that have not ended
  int at_barrier_ = 0;
  int running_ = -1;
  std::vector<int> ready_;  // from next_ready_ on
  size_t next_ready_ = 0;
  uint16_t interval_ = 0;
  int num_predicates_ = 0;  // of the last barrier
  std::array<uint16_t, kMaxThreads / kWarpSize> warp_intervals_ = {};
  std::vector<char> dynamic_shared_;
  bool was_given_up_ = false;
  bool is_in_emulator_ = true;
};

/// While it lives, the emulator works for a thread of a block.
class Emulating {
 public:
  explicit Emulating(Block* block) : block_(block) { block->EnterEmulator(); }
  ~Emulating() { block_->is_in_emulator_ = false; }
  Emulating(const Emulating&) = delete;
  Emulating& operator=(const Emulating&) = delete;

 private:
  Block* const block_;
};

}  // namespace simt
