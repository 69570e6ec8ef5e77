// Launches: what a device accepts, and who runs the blocks.
//
// In fast mode the calling thread begins. If a launch turns out to be long, other threads
// help, each taking the next block that nobody has taken. In check mode one thread runs
// all, block after block.
//
// Read next  kernels/simt/runtime/faults.h

#include "kernels/simt/launch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "kernels/simt/runtime/block.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/faults.h"
#include "kernels/simt/runtime/limits.h"
#include "kernels/simt/runtime/settings.h"
#include "kernels/simt/runtime/stream.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

std::mutex attributes_mutex;
std::map<const void*, int> max_dynamic_shared;  // of kernels for which one was set

// ---- What a device accepts ------------------------------------------------------------

// Why a device would refuse a launch; empty if it would not.
std::string WhyNot(const LaunchInfo& launch) {
  const dim3 g = launch.grid, b = launch.block;
  if (launch.blocks() == 0) {
    return Text("a grid of ", g.x, " x ", g.y, " x ", g.z, " blocks has none");
  }
  if (g.x > limits::kGridX || g.y > limits::kGridYZ || g.z > limits::kGridYZ) {
    return Text("a grid of ", g.x, " x ", g.y, " x ", g.z, " blocks; at most ",
                limits::kGridX, " x ", limits::kGridYZ, " x ", limits::kGridYZ,
                " are possible");
  }
  if (launch.threads() == 0 || b.x > limits::kThreads || b.y > limits::kThreads ||
      b.z > limits::kBlockZ || launch.threads() > limits::kThreads) {
    return Text("a block of ", b.x, " x ", b.y, " x ", b.z, " = ", launch.threads(),
                " threads; 1 to ", limits::kThreads, " are possible, ", limits::kBlockZ,
                " at most along z");
  }
  size_t most = limits::kSharedUsual;
  {
    const std::lock_guard lock(attributes_mutex);
    const auto found = max_dynamic_shared.find(launch.kernel);
    if (found != max_dynamic_shared.end()) {
      most = std::max<size_t>(most, found->second);
    }
  }
  if (launch.dynamic_shared > most) {
    return Text(launch.dynamic_shared, " bytes of dynamic shared memory; at most ", most,
                ", or ", limits::kSharedMost, " after cudaFuncSetAttribute");
  }
  return "";
}

// ---- Who runs the blocks --------------------------------------------------------------

Block& BlockOfThisThread() {
  static thread_local std::unique_ptr<Block> block;
  if (block == nullptr) block = std::make_unique<Block>();
  return *block;
}

class Pool {
 public:
  static Pool& Get() {
    static auto& pool = *new Pool;  // its threads may outlive main
    return pool;
  }

  // One launch at a time.
  void Run(const RunningLaunch& launch) {
    const std::lock_guard running(running_);
    launch_ = &launch;
    next_ = 0;
    count_ = launch.info.blocks();
    const int helpers = Settings::Get().threads - 1;
    const auto begin = std::chrono::steady_clock::now();
    bool is_alone = helpers > 0;
    RunBlocks([&](size_t done) {
      if (!is_alone || next_ >= count_) return;
      // Waking others takes some 20 us; so only if there is more than that to do.
      const auto so_far = std::chrono::steady_clock::now() - begin;
      const size_t left = count_ - done;
      if (so_far * left < std::chrono::microseconds(100) * done) return;
      is_alone = false;
      Wake(std::min<size_t>(helpers, left));
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return wanted_ == 0 && helping_ == 0; });
    launch_ = nullptr;
  }

 private:
  template <typename Done>
  void RunBlocks(Done done) {
    const FaultGuard guard;
    Block& block = BlockOfThisThread();
    size_t mine = 0;
    for (size_t i; (i = next_.fetch_add(1)) < count_;) {
      if (!block.Run(*launch_, i)) next_ = count_;  // the others stop as well
      done(++mine);
    }
  }

  void Wake(size_t count) {
    std::unique_lock lock(mutex_);
    wanted_ = static_cast<int>(count);
    while (threads_ < wanted_) {
      try {
        std::thread([this] { Help(); }).detach();
        ++threads_;
      } catch (const std::system_error&) {  // as many as the system allows
        wanted_ = threads_;
      }
    }
    lock.unlock();
    changed_.notify_all();
  }

  void Help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return wanted_ > 0; });
      --wanted_;
      ++helping_;
      lock.unlock();
      try {
        RunBlocks([](size_t) {});
      } catch (const std::bad_alloc&) {
        // No stacks for one more thread: the others run the blocks.
      }
      lock.lock();
      --helping_;
      changed_.notify_all();
    }
  }

  std::mutex running_;
  const RunningLaunch* launch_ = nullptr;
  std::atomic<size_t> next_ = 0;  // block
  size_t count_ = 0;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int threads_ = 0;
  int wanted_ = 0;   // helpers that have not begun yet
  int helping_ = 0;  // and that have not ended
};

void RunChecked(const RunningLaunch& launch) {
  const FaultGuard guard;
  Block& block = BlockOfThisThread();
  observer()->LaunchBegins(launch.info);
  for (size_t i = 0; i < launch.info.blocks(); ++i) {
    if (!block.Run(launch, i)) break;
  }
  observer()->LaunchEnds();
}

void Run(const LaunchRequest& request) {
  if (LastingError() != cudaSuccess) return;
  RunningLaunch launch;
  launch.info = request.info;
  launch.seed = observer() ? observer()->seed() : Settings::Get().seed;
  if (observer()) return RunChecked(launch);
  try {
    Pool::Get().Run(launch);
  } catch (const std::bad_alloc&) {
    Remember(cudaErrorLaunchOutOfResources);
  }
}

}  // namespace

void Start(const LaunchRequest& request, Site site) {
  if (std::string reason = WhyNot(request.info); !reason.empty()) {
    Report({"bad-launch", "", {site}, std::move(reason)});
    Remember(cudaErrorInvalidConfiguration);
    return;
  }
  if (LastingError() != cudaSuccess) return;
  AddToStream(request.stream, [request] { Run(request); });
}

cudaError_t SetMaxDynamicShared(const void* kernel, int size) {
  if (size < 0 || static_cast<size_t>(size) > limits::kSharedMost) {
    return Remember(cudaErrorInvalidValue);
  }
  const std::lock_guard lock(attributes_mutex);
  max_dynamic_shared[kernel] = size;
  return cudaSuccess;
}

void FailAssertion(const char* text, const char* function, Site site) {
  if (!IsInKernel()) {
    std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", site.file, site.line,
                 function, text);
    std::abort();
  }
  Block::current()->EnterEmulator();
  const uint3 t = position.thread, b = position.block;
  Block::current()->GiveUp(
      {"exception",
       "",
       {site},
       Text(function, ": block: [", b.x, ",", b.y, ",", b.z, "], thread: [", t.x, ",",
            t.y, ",", t.z, "] Assertion `", text, "` failed.")},
      cudaErrorAssert);
}

void OnlyOnHost(const char* what, Site site, const void* caller) {
  if (!IsInKernel()) return;
  Block::current()->EnterEmulator();
  if (site.file == nullptr && observer()) site = observer()->PlaceOf(caller);
  Finding finding = {"host-call", "", {site}, Text("a kernel ", what)};
  finding.message += "\nby " + NameOf(position.thread, position.block);
  Block::current()->GiveUp(std::move(finding), cudaErrorLaunchFailure);
}

}  // namespace simt
