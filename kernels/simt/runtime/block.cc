// Block: the scheduler of a block's threads, and its barrier.
//
// Read next  kernels/simt/runtime/warp.cc

#include "kernels/simt/runtime/block.h"

#include <exception>
#include <utility>

#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/faults.h"

namespace simt {

constinit thread_local Position position = {};
constinit thread_local Block* Block::current_ = nullptr;

// std::exit destroys the variables of the calling thread, here on a stack of a fiber that
// is about to go with them.
Block::~Block() {
  if (current_ == this) {
    EndProcess("simt: a kernel calls exit(), which a GPU does not have\n");
  }
}

// ---- One block ------------------------------------------------------------------------

bool Block::Run(const RunningLaunch& launch, size_t number) {
  Prepare(launch, number);
  if (observer()) observer()->BlockBegins(number, dynamic_shared());
  current_ = this;
  SwitchToNext(&main_);
  current_ = nullptr;
  if (was_given_up_) {  // what is left on the stacks is of no use
    has_fiber_.fill(false);
    free_stacks_.clear();
  }
  if (observer()) observer()->BlockEnds();
  return !was_given_up_;
}

void Block::Prepare(const RunningLaunch& launch, size_t number) {
  launch_ = &launch;
  const uint3 block = launch.info.block, grid = launch.info.grid;
  position.block_size = block;
  position.grid_size = grid;
  position.block = IndexOf(number, grid);
  num_threads_ = static_cast<int>(launch.info.threads());
  const bool is_known = launch.seed == 0 && order_seed_ == 0 && sizes_.x == block.x &&
                        sizes_.y == block.y && sizes_.z == block.z;
  if (!is_known) {
    sizes_ = block;
    order_seed_ = launch.seed;
    for (int i = 0; i < num_threads_; ++i) {
      threads_[i].index = IndexOf(i, block);
      order_[i] = i;
    }
  }
  if (launch.seed != 0) {
    uint64_t random = (launch.seed + number) * 0x9e3779b97f4a7c15U;
    for (int i = num_threads_ - 1; i > 0; --i) {
      random = NextRandom(random);
      std::swap(order_[i], order_[(random >> 33) % (i + 1)]);
    }
  }
  for (int i = 0; i < num_threads_; ++i) {
    threads_[i].state = State::kNew;
    threads_[i].warp_interval = 0;
  }
  begun_ = at_barrier_ = num_predicates_ = 0;
  unended_ = num_threads_;
  ready_.clear();
  next_ready_ = 0;
  interval_ = 0;
  warp_intervals_.fill(0);
  was_given_up_ = false;
  if (dynamic_shared_.size() < launch.info.dynamic_shared) {
    dynamic_shared_.resize(launch.info.dynamic_shared);
  }
}

// ---- Threads --------------------------------------------------------------------------

void Block::StackEntry() { current()->RunThreads(); }

// Runs on a stack: one thread after the other, for ever.
void Block::RunThreads() {
  for (;;) {
    try {
      is_in_emulator_ = false;
      launch_->info.call(launch_->info.arguments);
      EnterEmulator();
    } catch (const std::exception& error) {
      EnterEmulator();
      GiveUp({"exception", "", {}, std::string("a kernel threw: ") + error.what()},
             cudaErrorLaunchFailure);
    } catch (...) {
      EnterEmulator();
      GiveUp({"exception", "", {}, "a kernel threw something"}, cudaErrorLaunchFailure);
    }
    Thread& ended = threads_[running_];
    const int stack = ended.stack;
    ended.state = State::kDone;
    --unended_;
    if (unended_ > 0 && at_barrier_ == unended_) ReleaseBarrier();
    if (begun_ < num_threads_ && next_ready_ == ready_.size()) {
      Begin(order_[begun_++], stack);
      continue;
    }
    free_stacks_.push_back(stack);
    SwitchToNext(&fibers_[stack]);  // returns when a new thread has begun on this stack
  }
}

void Block::Begin(int thread, int stack) {
  running_ = thread;
  threads_[thread].stack = stack;
  threads_[thread].state = State::kReady;
  position.thread = threads_[thread].index;
}

// A stack with a new thread on it.
Fiber* Block::BeginNext() {
  int stack = 0;
  if (free_stacks_.empty()) {
    while (has_fiber_[stack]) ++stack;
  } else {
    stack = free_stacks_.back();
    free_stacks_.pop_back();
  }
  Begin(order_[begun_++], stack);
  if (!has_fiber_[stack]) {
    fibers_[stack].Prepare(stacks_.Bottom(stack), FiberStacks::Room(stack), StackEntry);
    has_fiber_[stack] = true;
  }
  return &fibers_[stack];
}

// Suspends what runs as `from`, and goes on with a thread that is ready, with a new one,
// or, if there is neither, with the caller of Run.
void Block::SwitchToNext(Fiber* from, bool prefers_new) {
  Fiber* to = &main_;
  const bool can_begin = begun_ < num_threads_;
  if (next_ready_ < ready_.size() && !(prefers_new && can_begin)) {
    running_ = ready_[next_ready_++];
    if (next_ready_ == ready_.size()) {
      ready_.clear();
      next_ready_ = 0;
    }
    threads_[running_].state = State::kReady;
    position.thread = threads_[running_].index;
    to = &fibers_[threads_[running_].stack];
  } else if (can_begin) {
    to = BeginNext();
  } else if (unended_ > 0) {
    ReportStuck();
    Remember(cudaErrorLaunchFailure);
    was_given_up_ = true;
  }
  if (to != from) Fiber::Switch(from, to);
}

void Block::Yield(bool begins) {
  ready_.push_back(running_);
  SwitchToNext(&fibers_[threads_[running_].stack], begins);
}

void Block::GiveUp() {
  was_given_up_ = true;
  Fiber abandoned;
  Fiber::Switch(&abandoned, &main_);
  __builtin_unreachable();
}

void Block::GiveUp(Finding finding, cudaError_t error) {
  Report(std::move(finding));
  Remember(error);
  GiveUp();
}

// ---- The barrier ----------------------------------------------------------------------

int Block::MeetInBlock(int predicate, Site site) {
  Thread& thread = threads_[running_];
  thread.site = site;
  thread.predicate = predicate != 0;
  thread.state = State::kAtBarrier;
  if (++at_barrier_ == unended_) ReleaseBarrier();
  SwitchToNext(&fibers_[thread.stack]);
  return num_predicates_;
}

// All threads that have not ended are at the barrier. They go on in the order of order_.
void Block::ReleaseBarrier() {
  if (observer()) {
    ReportDivergence();
    observer()->BarrierReleased();
  }
  num_predicates_ = 0;
  ready_.clear();
  next_ready_ = 0;
  for (int i = 0; i < num_threads_; ++i) {
    Thread& thread = threads_[order_[i]];
    if (thread.state != State::kAtBarrier) continue;
    num_predicates_ += thread.predicate;
    thread.state = State::kReady;
    ready_.push_back(order_[i]);
  }
  at_barrier_ = 0;
  ++interval_;
}

// ---- What threads call ----------------------------------------------------------------

uint3 UnseenThreadIndex() { return position.thread; }
uint3 UnseenBlockIndex() { return position.block; }
uint3 UnseenBlockSize() { return position.block_size; }
uint3 UnseenGridSize() { return position.grid_size; }

int MeetInBlock(int predicate, Site site) {
  const Emulating emulating(Block::current());
  return Block::current()->MeetInBlock(predicate, site);
}

uint64_t MeetInWarp(WarpCall call, Site site) {
  const Emulating emulating(Block::current());
  return Block::current()->MeetInWarp(call, site);
}

void Fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (observer() == nullptr || Block::current() == nullptr) return;
  const Emulating emulating(Block::current());
  observer()->Fenced();
}

void* DynamicShared() { return Block::current()->dynamic_shared(); }

bool IsInKernel() { return Block::current() != nullptr; }

}  // namespace simt
