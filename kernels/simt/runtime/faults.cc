// Handlers of signals, and the watchdog.
//
// Compare    sigaction(2); cuda-memcheck's words for what a GPU reports
// Read next  kernels/simt/runtime/stream.cc

#include "kernels/simt/runtime/faults.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <link.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <string_view>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kernels/simt/runtime/block.h"
#include "kernels/simt/runtime/device_memory.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/settings.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kStackSize = 64 << 10;
constexpr int kMaxReminders = 100;
constexpr std::array<int, 4> kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::array<struct sigaction, kFaults.size()> handlers_before;

int SignalOfWatchdog() { return SIGRTMIN + 5; }

// What a thread that runs blocks has for its faults.
struct Place {
  pthread_t thread = pthread_self();
  std::atomic<Clock::rep> since = 0;  // when its launch began; 0: none runs
  std::unique_ptr<char[]> signal_stack{new char[kStackSize]};  // of handlers
  std::unique_ptr<char[]> last_stack{new char[kStackSize]};    // of LeaveKernel
  stack_t stack_before = {};
  int depth = 0;            // of FaultGuards
  bool is_leaving = false;  // a launch, in LeaveKernel
  int reminders = 0;        // of the watchdog, in vain
  int signal = 0;           // the last fault
  void* address = nullptr;

  Place();
  ~Place();
};

std::mutex places_mutex;
std::vector<Place*> places;  // of all threads
thread_local std::unique_ptr<Place> place;

// ---- After a fault: no longer in a handler, on a stack of its own ---------------------

[[noreturn]] void LeaveKernel() {
  Block::current()->EnterEmulator();
  const void* const address = place->address;
  Finding finding;
  cudaError_t error = cudaErrorLaunchFailure;
  if (place->signal == SignalOfWatchdog()) {
    finding = {"limit",
               "",
               {},
               Text("the launch took longer than ", Settings::Get().timeout_s,
                    " s (SIMT_TIMEOUT_S): an endless loop?")};
    error = cudaErrorLaunchTimeout;
  } else if (place->signal == SIGFPE) {
    finding = {
        "exception", "", {}, "an integer is divided by zero; a GPU gives any number"};
  } else if (place->signal == SIGILL) {
    finding = {"exception", "", {}, "an instruction that is none"};
  } else if (Block::current()->stacks().IsBeyond(address)) {
    finding = {"stack-overflow",
               "",
               {},
               Text("a thread has more than ", FiberStacks::kSize >> 10,
                    " KB of local variables: recursion without an end?")};
    error = cudaErrorHardwareStackError;
  } else {
    const bool is_null = reinterpret_cast<uintptr_t>(address) < kPage;
    finding = {is_null ? "null-pointer" : "oob",
               DeviceMemory::Get().Contains(address) ? "global" : "",
               {},
               Text("an access to ", Hex(reinterpret_cast<uintptr_t>(address)),
                    ", where there is no memory")};
    error = cudaErrorIllegalAddress;
  }
  finding.message += Text("\nby ", NameOf(position.thread, position.block), ", ",
                          Block::current()->num_threads(), " threads");
  Report(std::move(finding));
  Remember(error);
  place->is_leaving = false;
  Block::current()->GiveUp();
}

// Lets the interrupted thread go on in LeaveKernel. Returns false where that is not
// known.
bool SendToLeaveKernel(void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
  const auto top = reinterpret_cast<uintptr_t>(place->last_stack.get() + kStackSize);
  const uintptr_t aligned = top & ~uintptr_t{15};
#if defined(__x86_64__)
  registers.gregs[REG_RIP] = reinterpret_cast<greg_t>(&LeaveKernel);
  registers.gregs[REG_RSP] = static_cast<greg_t>(aligned - 8);  // as after a call
  return true;
#elif defined(__aarch64__)
  registers.pc = reinterpret_cast<uint64_t>(&LeaveKernel);
  registers.sp = aligned;
  return true;
#else
  (void)registers;
  (void)aligned;
  return false;
#endif
}

[[noreturn]] void EndStuckProcess() {
  EndProcess("simt: a kernel cannot be left; the process ends\n");
}

void OnFault(int signal, siginfo_t* info, void* context) {
  if (place != nullptr && Block::current() != nullptr) {
    if (std::exchange(place->is_leaving, true)) EndStuckProcess();
    place->signal = signal;
    place->address = info->si_addr;
    if (SendToLeaveKernel(context)) return;
    EndStuckProcess();
  }
  // Host code has done it. Without this handler it does so again, and ends as ever.
  for (size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i] == signal) sigaction(signal, &handlers_before[i], nullptr);
  }
}

// ---- The watchdog ---------------------------------------------------------------------

// The code of the C library, whose locks must not be left taken.
struct Range {
  uintptr_t begin = 0, end = 0;
};
Range library;

void FindLibrary() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (std::string_view(info->dlpi_name).find("libc.so") == std::string_view::npos) {
          return 0;
        }
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          library.begin = info->dlpi_addr + part.p_vaddr;
          library.end = library.begin + part.p_memsz;
        }
        return 1;
      },
      nullptr);
}

uintptr_t CounterOf(void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return registers.gregs[REG_RIP];
#elif defined(__aarch64__)
  return registers.pc;
#else
  (void)registers;
  return 0;
#endif
}

void OnWatchdog(int signal, siginfo_t*, void* context) {
  if (place == nullptr || Block::current() == nullptr) return;
  const uintptr_t counter = CounterOf(context);
  // The watchdog asks again, until the thread is elsewhere.
  if (place->is_leaving || (counter >= library.begin && counter < library.end)) {
    if (++place->reminders > kMaxReminders) EndStuckProcess();
    return;
  }
  place->is_leaving = true;
  place->signal = signal;
  place->address = nullptr;
  if (!SendToLeaveKernel(context)) EndStuckProcess();
}

// Looks now and then at all that run.
void Watch(std::chrono::seconds limit) {
  constexpr std::chrono::milliseconds kPause(250);
  for (;;) {
    std::this_thread::sleep_for(kPause);
    const Clock::rep now = Clock::now().time_since_epoch().count();
    const std::lock_guard lock(places_mutex);
    for (const Place* one : places) {
      const Clock::rep since = one->since;
      if (since != 0 && Clock::duration(now - since) > limit) {
        pthread_kill(one->thread, SignalOfWatchdog());
      }
    }
  }
}

// ---- Set up and taken down ------------------------------------------------------------

void Install() {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = OnFault;
  for (size_t i = 0; i < kFaults.size(); ++i) {
    sigaction(kFaults[i], &action, &handlers_before[i]);
  }
  FindLibrary();
  action.sa_sigaction = OnWatchdog;
  sigaction(SignalOfWatchdog(), &action, nullptr);
  if (const int64_t limit = Settings::Get().timeout_s; limit > 0) {
    std::thread(Watch, std::chrono::seconds(limit)).detach();
  }
}

Place::Place() {
  stack_t stack = {};
  stack.ss_sp = signal_stack.get();
  stack.ss_size = kStackSize;
  sigaltstack(&stack, &stack_before);
  const std::lock_guard lock(places_mutex);
  places.push_back(this);
}

Place::~Place() {
  {
    const std::lock_guard lock(places_mutex);
    std::erase(places, this);
  }
  sigaltstack(&stack_before, nullptr);
}

}  // namespace

void EndProcess(std::string_view why) {
  (void)!write(STDERR_FILENO, why.data(), why.size());
  _exit(99);
}

FaultGuard::FaultGuard() {
  static std::once_flag once;
  std::call_once(once, Install);
  if (place == nullptr) place = std::make_unique<Place>();
  if (place->depth++ > 0) return;
  place->reminders = 0;
  place->since = Clock::now().time_since_epoch().count();
}

FaultGuard::~FaultGuard() {
  if (--place->depth == 0) place->since = 0;
}

}  // namespace simt
