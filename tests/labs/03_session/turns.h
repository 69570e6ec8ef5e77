// A function that is interrupted behind one of its instructions, while another thread
// does something: of what two threads do at once nothing is left to chance then.
//
// The processor does this for debuggers: while a flag is set, it stops with SIGTRAP after
// each instruction. Elsewhere than on x86-64 with Linux the two run one after the other.

#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#if defined(__linux__) && defined(__x86_64__)
#include <csignal>
#include <ucontext.h>
#endif

namespace minitf {

/// A thread that does something each time when it is its turn.
class OtherThread {
 public:
  template <typename Work>
  explicit OtherThread(Work work)
      : thread_([this, work = std::move(work)] {
          for (int turn = 1;; ++turn) {
            turn_.wait(turn - 1);
            if (is_over_) return;
            try {
              work();
            } catch (...) {
              thrown_ = std::current_exception();
            }
            num_done_ = turn;
          }
        }) {}
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;
  ~OtherThread() {
    is_over_ = true;
    GiveTurn();
    thread_.join();
  }

  void GiveTurn() {
    ++turn_;
    turn_.notify_one();
  }

  /// Waits until its turn is over, but not for long: it may itself wait for something.
  void WaitForAMoment() const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(5);
    while (num_done_ != turn_ && Clock::now() < end) std::this_thread::yield();
  }

  /// Waits until its turn is over. Throws what it has thrown.
  void Wait() {
    while (num_done_ != turn_) std::this_thread::yield();
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  std::atomic<int> turn_ = 0;
  std::atomic<int> num_done_ = 0;
  std::atomic<bool> is_over_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;  // the last one: it uses all others
};

// What is interrupted now; there is one at a time.
struct Interruption {
  OtherThread* other = nullptr;
  std::atomic<int> num_left = 0;  // instructions
  std::atomic<bool> is_over = false;
};
inline Interruption interruption;

#if defined(__linux__) && defined(__x86_64__)
// Behind each instruction: goes on to the next one, or gives the turn away.
inline void AtInstruction(int /*signal*/, siginfo_t* /*info*/, void* context) {
  constexpr greg_t kStopAtNext = 0x100;
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  flags &= ~kStopAtNext;
  if (interruption.is_over) return;
  if (interruption.num_left-- > 0) {
    flags |= kStopAtNext;
    return;
  }
  interruption.is_over = true;
  interruption.other->GiveTurn();
  interruption.other->WaitForAMoment();
}
#endif

/// Calls work(), and gives the turn to `other` behind so many of its instructions, or
/// else when it is over. Whether it has as many.
template <typename Work>
bool InterruptedBehind(int num_instructions, OtherThread* other, const Work& work) {
  bool was_interrupted = false;
#if defined(__linux__) && defined(__x86_64__)
  struct sigaction at_instruction = {};
  struct sigaction before = {};
  at_instruction.sa_sigaction = AtInstruction;
  at_instruction.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &at_instruction, &before);
  interruption.other = other;
  interruption.num_left = num_instructions;
  interruption.is_over = false;
  asm volatile("int3" ::: "memory");
  work();
  was_interrupted = interruption.is_over.exchange(true);
  sigaction(SIGTRAP, &before, nullptr);
#else
  static_cast<void>(num_instructions);
  work();
#endif
  if (!was_interrupted) other->GiveTurn();
  other->Wait();
  return was_interrupted;
}

}  // namespace minitf
