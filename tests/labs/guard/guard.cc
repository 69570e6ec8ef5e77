// Memory of tensors between pages that nobody may touch, for the process with a student's
// code: who reads or writes past the end of a tensor, or one that is freed, ends there.
//
//   | no access | poison, elements | no access |    elements end where a page ends
//   | no access | elements, poison | no access |    or begin where one begins
//
// The judge's worker loads this library before minitf's, so that its CpuAllocator is seen
// first. Elements that nobody wrote are poison too: NaN in each type of floating point.
// What is found goes to standard error as a line that begins with kMark, and the process
// ends by SIGSEGV.
//
// RunKernel is found here first as well: a kernel that changes an input which others see
// too ends the process. (A kernel may write over an input of its own; see forward_input.)
//
// Compare    minitf/tensor/allocator.cc
// Read next  python/minitf_lab/judge/guard.py

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/allocator.h"

namespace minitf {
namespace {

constexpr const char* kMark = "minitf guard: ";
// A quiet NaN as float16, bfloat16, float32 and float64; true and false are 1 and 0.
constexpr uint64_t kPoison = 0xFFF9FFF9FFF9FFF9;

const size_t kPage = sysconf(_SC_PAGE_SIZE);
// Rooms of 1, 2, 4 ... pages: each kind has addresses of its own, and so many of them.
constexpr size_t kKinds = 20, kBytesOfKind = size_t{1} << 36, kMaxRooms = 1 << 14;
constexpr size_t kGap = 16;                // pages between two rooms
constexpr size_t kResting = 16;            // rooms that are freed and not used again yet
constexpr size_t kMostLookedAt = 1 << 16;  // bytes of an input; more take too long
constexpr size_t kSmall = 1 << 16;  // bytes of a room that stays open while it rests

enum class State : uint8_t { kUnused, kInUse, kSealed, kFreed };

void FillPoison(char* from, size_t bytes) {
  std::fill_n(reinterpret_cast<uint64_t*>(from), bytes / sizeof(kPoison), kPoison);
}

// Where a tensor lives. `opened` bytes of it may be used, at its end or at its begin.
struct Room {
  State state;
  bool at_end;
  size_t bytes, opened;
};

// Rooms of `pages` pages each, with pages between them that nobody may touch.
struct Kind {
  char* begin = nullptr;
  size_t pages = 0, used = 0;
  Room* rooms = nullptr;
  std::deque<size_t> freed;

  size_t stride() const { return (pages + kGap) * kPage; }
  char* first(size_t i) const { return begin + i * stride() + kGap * kPage; }
  char* elements(size_t i) const {
    const Room& room = rooms[i];
    return room.at_end ? first(i) + pages * kPage - room.bytes : first(i);
  }
  // What is open of a room in use: whole pages that hold the elements.
  char* open(size_t i) const {
    return first(i) + (rooms[i].at_end ? pages * kPage - rooms[i].opened : 0);
  }

  // Has another part of a room open; whether the system can do that.
  bool Reopen(size_t i, bool at_end, size_t opened) {
    Room& room = rooms[i];
    if (room.opened == opened && (room.at_end == at_end || opened == pages * kPage)) {
      room.at_end = at_end;
      return true;
    }
    Close(i);
    room.at_end = at_end;
    room.opened = opened;
    if (mprotect(open(i), opened, PROT_READ | PROT_WRITE) == 0) {
      FillPoison(open(i), opened);
      return true;
    }
    room.opened = 0;
    return false;
  }

  // Nobody may use a room any more, and its memory goes back to the system.
  void Close(size_t i) {
    if (rooms[i].opened == 0) return;
    madvise(open(i), rooms[i].opened, MADV_DONTNEED);
    mprotect(open(i), rooms[i].opened, PROT_NONE);
    rooms[i].opened = 0;
  }
};

char* Reserve(size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// Ends the process as if it had used memory that is not its own.
void Say(const char* what) {
  char line[300];
  const int length = snprintf(line, sizeof(line), "\n%s%s\n", kMark, what);
  if (write(2, line, length) < 0) return;
}
[[noreturn]] void EndWith(const char* what) {
  Say(what);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  _exit(1);
}

bool IsPoison(const char* from, const char* to) {
  static const auto page = [] {
    alignas(8) static std::array<char, 4096> bytes;
    FillPoison(bytes.data(), bytes.size());
    return bytes.data();
  }();
  while (from < to) {
    const size_t odd = uintptr_t(from) % 2;
    const size_t count = std::min<size_t>(to - from, 4096 - odd);
    if (std::memcmp(from, page + odd, count) != 0) return false;
    from += count;
  }
  return true;
}

class GuardAllocator final : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    const std::lock_guard lock(mutex_);
    void* memory = TakeRoom(bytes);
    if (memory == nullptr)
      memory = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
    if (memory == nullptr) return nullptr;
    ++stats_.num_allocations;
    stats_.bytes_in_use += static_cast<int64_t>(bytes);
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
    return memory;
  }

  void Free(void* memory, size_t bytes) override {
    const std::lock_guard lock(mutex_);
    stats_.bytes_in_use -= static_cast<int64_t>(bytes);
    size_t i = 0;
    Kind* kind = Find(memory, &i);
    if (kind == nullptr) return ::operator delete (memory, std::align_val_t{64});
    Room& room = kind->rooms[i];
    if (room.state == State::kFreed) EndWith("it frees a tensor twice");
    if (room.state == State::kInUse) CheckPoison(*kind, i);
    if (room.state == State::kSealed || room.opened > kSmall || is_thorough_) {
      kind->Close(i);
    } else {
      FillPoison(kind->open(i), room.opened);
    }
    room.state = State::kFreed;
    kind->freed.push_back(i);
  }

  Stats stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void Begin(bool at_end, bool is_thorough) {
    at_end_ = at_end;
    is_thorough_ = is_thorough;
  }

  // From now on, until it is freed, nobody writes to it.
  void Seal(void* memory) {
    const std::lock_guard lock(mutex_);
    size_t i = 0;
    Kind* kind = Find(memory, &i);
    if (kind == nullptr || kind->rooms[i].state != State::kInUse) return;
    CheckPoison(*kind, i);
    kind->rooms[i].state = State::kSealed;
    mprotect(kind->open(i), kind->rooms[i].opened, PROT_READ);
  }

  void CheckAll() {
    const std::lock_guard lock(mutex_);
    for (const Kind& kind : kinds_) {
      for (size_t i = 0; i < kind.used; ++i) {
        if (kind.rooms[i].state == State::kInUse) CheckPoison(kind, i);
        if (kind.rooms[i].state == State::kFreed) CheckFreed(kind, i);
      }
    }
  }

  // A number that changes if the elements at `memory` do; 0 where nobody looks.
  uint64_t Sum(const void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    size_t i = 0;
    const Kind* kind = Find(memory, &i);
    if (kind == nullptr || kind->rooms[i].state != State::kInUse ||
        bytes > kMostLookedAt) {
      return 0;
    }
    uint64_t sum = 1, word = 0;
    const char* at = static_cast<const char*>(memory);
    for (size_t left = bytes; left > 0;) {
      const size_t size = std::min(left, sizeof(word));
      std::memcpy(&word, at, size);
      sum = (sum ^ word) * 0x9E3779B97F4A7C15 + (sum >> 31);
      at += size, left -= size;
    }
    return sum;
  }

  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

  // What is wrong with using `address`; false if that is none of ours. Takes no lock: the
  // thread that is asked for may hold it.
  bool Explain(const char* address, const char* verb, char* text, size_t size) const {
    for (const Kind& kind : kinds_) {
      if (kind.begin == nullptr || address < kind.begin ||
          address > kind.begin + (kind.used + 1) * kind.stride()) {
        continue;
      }
      const size_t i = (address - kind.begin) / kind.stride();
      if (address >= kind.first(i) && kind.rooms[i].state == State::kSealed &&
          address >= kind.open(i) && address < kind.open(i) + kind.rooms[i].opened) {
        snprintf(text, size, "it %s a tensor of %zu bytes that is not its own to change",
                 verb, kind.rooms[i].bytes);
        return true;
      }
      if (address >= kind.first(i) && kind.rooms[i].state == State::kFreed) {
        snprintf(text, size, "it %s a tensor of %zu bytes that is freed already", verb,
                 kind.rooms[i].bytes);
        return true;
      }
      ExplainPlace(kind, Nearest(kind, i, address), address, verb, text, size);
      return true;
    }
    return false;
  }

 private:
  Kind* Find(const void* memory, size_t* i) {
    const auto* address = static_cast<const char*>(memory);
    for (Kind& kind : kinds_) {
      if (kind.begin == nullptr || address < kind.begin ||
          address > kind.begin + kind.used * kind.stride()) {
        continue;
      }
      // Without elements it is where the page after its room begins.
      *i = (address - kind.begin - 1) / kind.stride();
      return &kind;
    }
    return nullptr;
  }

  // A room with `bytes` of poison; null if there is none.
  void* TakeRoom(size_t bytes) {
    const size_t pages = std::max<size_t>(1, (bytes + kPage - 1) / kPage);
    const size_t which = std::bit_width(pages - 1);
    if (which >= kKinds) return nullptr;
    Kind& kind = kinds_[which];
    if (kind.begin == nullptr && !Open(&kind, size_t{1} << which)) return nullptr;
    size_t i = kind.used;
    const bool is_full = i == kMaxRooms || (i + 2) * kind.stride() > kBytesOfKind;
    if (kind.freed.size() > kResting || (is_full && !kind.freed.empty())) {
      i = kind.freed.front();
      kind.freed.pop_front();
    } else if (is_full) {
      return nullptr;
    } else {
      ++kind.used;
    }
    if (kind.rooms[i].state == State::kFreed) CheckFreed(kind, i);
    kind.rooms[i].state = State::kFreed;
    if (!kind.Reopen(i, at_end_, pages * kPage)) {
      kind.freed.push_back(i);
      return nullptr;
    }
    kind.rooms[i].state = State::kInUse;
    kind.rooms[i].bytes = bytes;
    return kind.elements(i);
  }

  static bool Open(Kind* kind, size_t pages) {
    char* rooms = Reserve(kMaxRooms * sizeof(Room), PROT_READ | PROT_WRITE);
    char* begin = rooms == nullptr ? nullptr : Reserve(kBytesOfKind, PROT_NONE);
    if (begin == nullptr) return false;
    kind->pages = pages;
    kind->rooms = reinterpret_cast<Room*>(rooms);
    kind->begin = begin;
    return true;
  }

  // Ends the process if something was written beside the elements.
  void CheckPoison(const Kind& kind, size_t i) const {
    const Room& room = kind.rooms[i];
    const char* elements = kind.elements(i);
    const char* from = room.at_end ? kind.open(i) : elements + room.bytes;
    const char* to = room.at_end ? elements : kind.open(i) + room.opened;
    if (IsPoison(from, to)) return;
    char text[200];
    const char* at = room.at_end ? to - 1 : from;  // the nearest to the elements
    while (IsPoison(at, at + 1)) at += room.at_end ? -1 : 1;
    ExplainPlace(kind, i, at, "writes to", text, sizeof(text));
    EndWith(text);
  }

  // Ends the process if something was written to a room after it was freed.
  static void CheckFreed(const Kind& kind, size_t i) {
    const char* from = kind.open(i);
    if (IsPoison(from, from + kind.rooms[i].opened)) return;
    char text[100];
    snprintf(text, sizeof(text),
             "it writes to a tensor of %zu bytes that is freed already",
             kind.rooms[i].bytes);
    EndWith(text);
  }

  // The tensor that is meant by an address in room i or before it.
  static size_t Nearest(const Kind& kind, size_t i, const char* address) {
    const auto is_there = [&](size_t one) {
      return one < kind.used && kind.rooms[one].state != State::kUnused &&
             kind.rooms[one].state != State::kFreed;
    };
    if (i == kind.used) return i - 1;
    if (i == 0 || address >= kind.first(i) || !is_there(i - 1)) return i;
    if (!is_there(i)) return i - 1;
    const char* end = kind.elements(i - 1) + kind.rooms[i - 1].bytes;
    return address - end <= kind.elements(i) - address ? i - 1 : i;
  }

  static void ExplainPlace(const Kind& kind, size_t i, const char* address,
                           const char* verb, char* text, size_t size) {
    const ptrdiff_t place = address - kind.elements(i);
    snprintf(text, size, "it %s byte %td of a tensor of %zu bytes, %s", verb, place,
             kind.rooms[i].bytes,
             place < 0 ? "which is before its first" : "which is past its last");
  }

  mutable std::mutex mutex_;
  Stats stats_;
  std::array<Kind, kKinds> kinds_;
  std::atomic<bool> at_end_{true}, is_thorough_{false};
};

// Never destroyed: tensors in static objects are freed after it would be.
GuardAllocator& TheAllocator() {
  static auto* allocator = [] {
    auto* made = new GuardAllocator;
    pthread_atfork([] { TheAllocator().Lock(); }, [] { TheAllocator().Unlock(); },
                   [] { TheAllocator().Unlock(); });
    return made;
  }();
  return *allocator;
}

// The default action follows: what was used is used again.
void OnFault(int, siginfo_t* info, [[maybe_unused]] void* context) {
  const char* verb = "uses";
#if defined(__x86_64__)
  const auto* where = static_cast<const ucontext_t*>(context);
  verb = where->uc_mcontext.gregs[REG_ERR] & 2 ? "writes to" : "reads";
#endif
  char text[200];
  const auto* address = static_cast<const char*>(info->si_addr);
  if (TheAllocator().Explain(address, verb, text, sizeof(text))) Say(text);
}

}  // namespace

// In place of minitf's own.
Allocator& CpuAllocator() { return TheAllocator(); }

// Inline functions of op_kernel.h refer to ThrowNoElement, and minitf's own is not loaded
// yet. This copy is for this file alone, whose indices exist.
__attribute__((visibility("hidden"))) void ThrowNoElement(size_t, int64_t, const char*) {
  std::abort();
}

// A function of minitf's library, which is loaded after this one.
template <typename Function>
Function OfMinitf(const char* name) {
  void* minitf = dlopen("libminitf.so", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function>(dlsym(minitf, name));
}

// In place of minitf's own, which it calls.
void RunKernel(OpKernel* kernel, OpKernelContext* ctx) {
  static const auto run = OfMinitf<decltype(&RunKernel)>(
      "_ZN6minitf9RunKernelEPNS_8OpKernelEPNS_15OpKernelContextE");
  static const auto size_of = OfMinitf<decltype(&SizeOf)>("_ZN6minitf6SizeOfENS_5DTypeE");
  // Strings and handles may be copied, which changes what they hold of themselves.
  const auto sum = [&](int i) -> uint64_t {
    const Tensor& input = ctx->input(i);
    const bool is_plain =
        input.dtype() != DType::kString && input.dtype() != DType::kResource;
    if (!is_plain || input.OwnsBuffer()) return 0;
    const size_t bytes = input.num_elements() * size_of(input.dtype());
    return TheAllocator().Sum(input.data(), bytes);
  };
  struct Seen {
    const void* data;
    uint64_t sum;
  };
  std::vector<Seen> before;
  for (int i = 0; i < ctx->num_inputs(); ++i)
    before.push_back({ctx->input(i).data(), sum(i)});
  run(kernel, ctx);
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    // What has become an output was the kernel's own by then.
    bool is_given = ctx->input(i).data() != before[i].data;
    for (int j = 0; j < ctx->num_outputs(); ++j)
      is_given |= ctx->output(j)->data() == before[i].data;
    if (before[i].sum == 0 || is_given) continue;
    const uint64_t after = sum(i);
    if (after == 0 || after == before[i].sum) continue;
    char text[100];
    snprintf(text, sizeof(text), "it changes input %d of an op, which others see too", i);
    EndWith(text);
  }
}

}  // namespace minitf

extern "C" {

/// Begins: faults are explained from now on. Of tensors that are made later, the elements
/// end where a page ends, or begin where one begins. What is freed is filled with poison;
/// if `is_thorough`, nobody may touch it, which takes more time.
void minitf_guard_begin(bool at_end, bool is_thorough) {
  minitf::TheAllocator().Begin(at_end, is_thorough);
  struct sigaction action = {};
  action.sa_sigaction = &minitf::OnFault;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaction(SIGSEGV, &action, nullptr);
}

/// Memory like that of a tensor, for an input; null if there is none.
void* minitf_guard_allocate(size_t bytes) {
  return minitf::TheAllocator().Allocate(bytes);
}

void minitf_guard_free(void* memory, size_t bytes) {
  minitf::TheAllocator().Free(memory, bytes);
}

/// Whoever writes to the tensor at `memory` ends the process, until it is freed.
void minitf_guard_seal(void* memory) { minitf::TheAllocator().Seal(memory); }

/// Ends the process if something was written beside the elements of a tensor.
void minitf_guard_check() { minitf::TheAllocator().CheckAll(); }
}
