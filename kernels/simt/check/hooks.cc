// The compiler's hooks, and what is done for each access.
//
// -fsanitize=thread puts a call of __tsan_read4 and the like before each access, and
// turns atomics into calls of __tsan_atomic32_load and so on; -fsanitize=bounds calls a
// __ubsan_handle for an index that is too large. These functions are ours here, so the
// sanitizers' own libraries must not be linked, and this file is compiled without both.
//
// Compare    gcc/tsan.c and LLVM's ThreadSanitizer.cpp, which put in the calls; the
//            declarations of both compilers' runtimes
// Read next  kernels/simt/check/check.h

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/simt/check/checker.h"
#include "kernels/simt/runtime/device_memory.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/text.h"

#define ALWAYS_INLINE __attribute__((always_inline)) inline

namespace simt {
// ---- Each access ----------------------------------------------------------------------

void Checker::EndlessLaunch(uintptr_t code) {
  Block::current()->GiveUp({"limit",
                            "",
                            {SiteOf(code)},
                            Text("the launch has made ", access_limit_,
                                 " accesses to memory (SIMT_ACCESS_LIMIT)")},
                           cudaErrorLaunchTimeout);
}

// What is done for atomics, for a profile, and where threads are preempted.
void Checker::SeeMore(const Region* region, uintptr_t address, size_t size, bool is_write,
                      uintptr_t code, bool is_atomic) {
  Block& block = *Block::current();
  if (is_atomic) {
    releases_.Atomic(address, block_, block.thread(), block.interval());
  }
  if (profile_.is_recording() && region->space != Space::kModule) {
    const bool is_shared = region->space == Space::kShared;
    profile_.Record(is_shared ? address - region->begin : address,
                    static_cast<unsigned>(size), is_shared, is_write, Pack(code),
                    block.thread());
  }
  if (preempt_ == 0 || is_atomic) return;
  // Now and then another thread goes on before this access, so that what depends on the
  // order goes wrong in fact.
  random_ = NextRandom(random_);
  if (static_cast<int>((random_ >> 33) % 100) < preempt_) {
    block.Yield((random_ >> 40) % 2 == 0);
  }
}

// Whether two accesses are a race. `now` has passed no fewer barriers than `earlier`.
ALWAYS_INLINE bool Checker::Conflicts(Access earlier, Access now, Space space) const {
  if (earlier.block() == now.block()) {
    if (earlier.interval() != now.interval() || earlier.thread() == now.thread()) {
      return false;
    }
    const bool is_of_warp = earlier.thread() / kWarpSize == now.thread() / kWarpSize;
    if (is_of_warp && earlier.warp_interval() < now.warp_interval()) return false;
  } else if (space == Space::kShared || earlier.block() < first_block_) {
    return false;
  }
  return (earlier.bytes() & now.bytes()) != 0 &&
         !(earlier.is_atomic() && now.is_atomic());
}

// Whether an access to some bytes of a cell is no race with those that it remembers.
template <bool kIsWrite>
ALWAYS_INLINE bool Checker::IsOrdered(const Cell& cell, Access now, Space space) const {
  return !Conflicts(cell.write, now, space) &&
         !(kIsWrite && (Conflicts(cell.reads[0], now, space) ||
                        Conflicts(cell.reads[1], now, space)));
}

// Puts `now` in the place of the last access of its kind. Of the same thread in the same
// interval all bytes count; and one that is not atomic stays, since it can be a race with
// atomics of others.
template <bool kIsWrite>
inline void RememberIn(Cell* cell, Access now) {
  constexpr uint64_t kBytes = uint64_t{15} << 32;
  Access* const last = kIsWrite ? &cell->write : &cell->reads[0];
  if (!kIsWrite && last->who >> 16 != now.who >> 16) {  // another thread
    cell->reads[1] = *last;
  }
  if (last->who == now.who) {
    if (now.is_atomic() && !last->is_atomic()) now.how = last->how | (now.how & kBytes);
    now.how |= last->how & kBytes;
  }
  *last = now;
}

// The region of device memory or shared memory in which an access lies as it should; null
// if it does not, or is elsewhere. Of modules only the first is asked for its variables.
ALWAYS_INLINE Region* Checker::FindUsual(uintptr_t address, size_t size) {
  if ((address & (size - 1)) != 0) return nullptr;
  if (address - arena_ < arena_size_) {
    Region* const region = regions_of_pages_[(address - arena_) / kPage];
    return region != nullptr && region->Contains(address, size) ? region : nullptr;
  }
  if (address - shared_begin_ < shared_size_) {
    return first_shared_->IsInVariable(address, size) ? &first_shared_->region : nullptr;
  }
  return dynamic_shared_.Contains(address, size) ? &dynamic_shared_ : nullptr;
}

void Checker::RefuseGlobal(uintptr_t address, size_t size, bool is_write,
                           uintptr_t code) {
  const Region* const region = regions_of_pages_[(address - arena_) / kPage];
  const char* kind = "oob";
  if (region != nullptr && region->Contains(address, size)) {
    kind = "misaligned";
  } else {
    const auto nearest = DeviceMemory::Get().Nearest(reinterpret_cast<void*>(address));
    if (nearest.is_freed && address < reinterpret_cast<uintptr_t>(nearest.end())) {
      kind = "use-after-free";
    }
  }
  Refuse(kind, "global", address, size, is_write, code);
}

// The region in which any access lies; null if it is elsewhere and may be done. Ends the
// launch if it may not.
Region* Checker::Find(uintptr_t address, size_t size, bool is_write, uintptr_t code) {
  if (Region* const usual = FindUsual(address, size)) return usual;
  if (address - arena_ < arena_size_) RefuseGlobal(address, size, is_write, code);
  if (dynamic_shared_.Contains(address, size)) {
    Refuse("misaligned", "shared", address, size, is_write, code);
  }
  if (Block::current()->stacks().Holder(reinterpret_cast<void*>(address)) >= 0) {
    Refuse("foreign-local", "", address, size, is_write, code);
  }
  if (address - reinterpret_cast<uintptr_t>(launch_.arguments) < launch_.arguments_size) {
    return nullptr;
  }
  for (Shared& shared : shared_) {
    if (!shared.region.Contains(address, 1)) continue;
    if (shared.variable_of[address - shared.region.begin] == kUnwatched) return nullptr;
    const bool is_inside = shared.IsInVariable(address, size);
    if (is_inside && (address & (size - 1)) == 0) return &shared.region;
    Refuse(is_inside ? "misaligned" : "oob", "shared", address, size, is_write, code);
  }
  for (const auto& region : variables_) {
    if (region->Contains(address, 1)) return region.get();
  }
  for (const Range& range : code_ranges_) {
    if (range.Contains(address) && !is_write) return nullptr;  // constants
  }
  const uintptr_t after = address - dynamic_shared_.begin;
  constexpr uintptr_t kNear = 65536;
  if (dynamic_shared_.size > 0 &&
      (after < dynamic_shared_.size + kNear || -after < kPage)) {
    Refuse("oob", "shared", address, size, is_write, code);
  }
  Refuse(address < kPage ? "null-pointer" : "host-pointer", "global", address, size,
         is_write, code);
}

// What a cell remembers of an access by the running thread.
ALWAYS_INLINE Access Checker::AccessNow(const Block& block, uint8_t bytes, uintptr_t code,
                                        bool is_atomic) const {
  return {Access::Who(block_, block.thread(), block.interval()),
          Access::How(block.warp_interval(), bytes, is_atomic, Pack(code))};
}

// Sees an access as most are: where it may be, and no race. Returns false if it is not
// so, or if more is to be done for it. Then SeeAccess begins anew: to remember twice what
// was remembered by then changes nothing.
template <bool kIsWrite>
ALWAYS_INLINE bool Checker::SeeUsual(const Block& block, uintptr_t address, size_t size,
                                     uintptr_t code) {
  if (is_slow_ || doubt_.size != 0 || accesses_ >= access_limit_) [[unlikely]] {
    return false;
  }
  const int stack = block.stacks().Holder(reinterpret_cast<void*>(address));
  if (stack >= 0) {
    if (stack != block.stack_of_thread()) return false;
    ++accesses_;
    return true;
  }
  const Region* const region = FindUsual(address, size);
  if (region == nullptr) [[unlikely]]
    return false;
  const size_t first = (address - region->begin) / 4;
  const uint8_t bytes = size < 4 ? ((1U << size) - 1) << address % 4 : 15;
  const Access now = AccessNow(block, bytes, code);
  for (size_t piece = first; piece < first + std::max<size_t>(size / 4, 1); ++piece) {
    Cell* const cell = &region->cells[piece];
    if (kIsWrite) region->written[piece] |= bytes;
    if ((region->written[piece] & bytes) != bytes ||
        !IsOrdered<kIsWrite>(*cell, now, region->space)) [[unlikely]] {
      return false;
    }
    RememberIn<kIsWrite>(cell, now);
  }
  ++accesses_;
  return true;
}

void Checker::ReportRaces(const Cell& cell, Access now, bool is_write, uintptr_t address,
                          uintptr_t code, Space space) {
  if (Conflicts(cell.write, now, space)) {
    ReportRace(cell.write, true, is_write, address, code, space);
  }
  const Access read = cell.reads[Conflicts(cell.reads[0], now, space) ? 0 : 1];
  if (is_write && Conflicts(read, now, space)) {
    ReportRace(read, false, true, address, code, space);
  }
}

// Sees any access, and says what is wrong with it.
template <bool kIsWrite>
__attribute__((noinline)) void Checker::SeeAccess(Block* block, uintptr_t address,
                                                  size_t size, uintptr_t code,
                                                  bool is_atomic) {
  const Emulating emulating(block);
  SettleDoubt();
  if (++accesses_ > access_limit_) EndlessLaunch(code);
  const int stack = block->stacks().Holder(reinterpret_cast<void*>(address));
  if (stack >= 0 && stack == block->stack_of_thread()) return;
  Region* const region = Find(address, size, kIsWrite, code);
  if (region == nullptr) return;
  const Space space = region->space;
  SeeMore(region, address, size, kIsWrite, code, is_atomic);
  for (uintptr_t at = address; at < address + size;) {
    const size_t count = std::min(address + size - at, 4 - at % 4);
    const auto bytes = static_cast<uint8_t>(((1U << count) - 1) << at % 4);
    const size_t piece = (at - region->begin) / 4;
    uint8_t& written = region->written[piece];
    if (!kIsWrite && (written & bytes) != bytes && space != Space::kModule) {
      ReportUnwritten(at, size, code, space);
    }
    written |= bytes;  // it is enough to be told once
    const Access now = AccessNow(*block, bytes, code, is_atomic);
    ReportRaces(region->cells[piece], now, kIsWrite, at, code, space);
    RememberIn<kIsWrite>(&region->cells[piece], now);
    at += count;
  }
}

template <bool kIsWrite>
inline void Checker::BeforeAccess(uintptr_t address, size_t size, uintptr_t code,
                                  bool is_atomic) {
  Block* const block = Block::current();
  if (block == nullptr) [[unlikely]] {
    if (address - arena_ < arena_size_) ReportHostAccess(address, code);
    return;
  }
  if (block->is_in_emulator()) [[unlikely]]
    return;
  if (!is_atomic && SeeUsual<kIsWrite>(*block, address, size, code)) [[likely]]
    return;
  SeeAccess<kIsWrite>(block, address, size, code, is_atomic);
}

}  // namespace simt

// ---- The hooks ------------------------------------------------------------------------

namespace {

inline void Read(const volatile void* p, size_t size, void* code,
                 bool is_atomic = false) {
  simt::checker->BeforeAccess<false>(reinterpret_cast<uintptr_t>(p), size,
                                     reinterpret_cast<uintptr_t>(code), is_atomic);
}

inline void Write(const volatile void* p, size_t size, void* code,
                  bool is_atomic = false) {
  simt::checker->BeforeAccess<true>(reinterpret_cast<uintptr_t>(p), size,
                                    reinterpret_cast<uintptr_t>(code), is_atomic);
}

void Change(volatile void* p, size_t size, void* code, bool is_atomic = true) {
  Read(p, size, code, is_atomic);
  Write(p, size, code, is_atomic);
}

// A range as accesses of up to 16 bytes that are aligned to their size.
template <typename Access>
void ForPieces(const void* p, size_t size, Access access) {
  auto address = reinterpret_cast<uintptr_t>(p);
  while (size > 0) {
    size_t piece = 16;
    while (piece > size || address % piece != 0) piece /= 2;
    access(reinterpret_cast<void*>(address), piece);
    address += piece;
    size -= piece;
  }
}

void SeeCopy(void* to, const void* from, size_t size, void* code) {
  ForPieces(from, size, [code](void* at, size_t n) { Read(at, n, code); });
  ForPieces(to, size, [code](void* at, size_t n) { Write(at, n, code); });
}

}  // namespace

#define CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() { simt::Checker::Get().AddCode(reinterpret_cast<uintptr_t>(CODE)); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

#define HOOKS(kind, n)                                         \
  void __tsan_##kind##read##n(void* p) { Read(p, n, CODE); }   \
  void __tsan_##kind##write##n(void* p) { Write(p, n, CODE); } \
  void __tsan_##kind##read_write##n(void* p) { Change(p, n, CODE, false); }
#define HOOKS_OF_SIZE(n) \
  HOOKS(, n) HOOKS(volatile_, n) HOOKS(unaligned_, n) HOOKS(unaligned_volatile_, n)
HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

void __tsan_read_range(void* p, size_t size) {
  ForPieces(p, size, [code = CODE](void* at, size_t n) { Read(at, n, code); });
}
void __tsan_write_range(void* p, size_t size) {
  ForPieces(p, size, [code = CODE](void* at, size_t n) { Write(at, n, code); });
}
void* __tsan_memcpy(void* to, const void* from, size_t size) {
  SeeCopy(to, from, size, CODE);
  return memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
  SeeCopy(to, from, size, CODE);
  return memmove(to, from, size);
}
void* __tsan_memset(void* to, int byte, size_t size) {
  ForPieces(to, size, [code = CODE](void* at, size_t n) { Write(at, n, code); });
  return memset(to, byte, size);
}

#define ATOMIC_CHANGE(bits, T, name, builtin)                   \
  T __tsan_atomic##bits##_##name(volatile T* p, T value, int) { \
    Change(p, sizeof(T), CODE);                                 \
    return builtin(p, value, __ATOMIC_SEQ_CST);                 \
  }
#define ATOMIC_EXCHANGE(bits, T, strength)                                          \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* p, T* expected, \
                                                        T value, int, int) {        \
    Change(p, sizeof(T), CODE);                                                     \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                           \
  }
#define ATOMICS_OF_SIZE(bits, T)                                                        \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                              \
    Read(p, sizeof(T), CODE, true);                                                     \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                        \
  }                                                                                     \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                       \
    Write(p, sizeof(T), CODE, true);                                                    \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                     \
  ATOMIC_CHANGE(bits, T, exchange, __atomic_exchange_n)                                 \
  ATOMIC_CHANGE(bits, T, fetch_add, __atomic_fetch_add)                                 \
  ATOMIC_CHANGE(bits, T, fetch_sub, __atomic_fetch_sub)                                 \
  ATOMIC_CHANGE(bits, T, fetch_and, __atomic_fetch_and)                                 \
  ATOMIC_CHANGE(bits, T, fetch_or, __atomic_fetch_or)                                   \
  ATOMIC_CHANGE(bits, T, fetch_xor, __atomic_fetch_xor)                                 \
  ATOMIC_CHANGE(bits, T, fetch_nand, __atomic_fetch_nand)                               \
  ATOMIC_EXCHANGE(bits, T, strong)                                                      \
  ATOMIC_EXCHANGE(bits, T, weak)                                                        \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int, \
                                               int) {                                   \
    Change(p, sizeof(T), CODE);                                                         \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST,           \
                                __ATOMIC_SEQ_CST);                                      \
    return expected;                                                                    \
  }
ATOMICS_OF_SIZE(8, int8_t)
ATOMICS_OF_SIZE(16, int16_t)
ATOMICS_OF_SIZE(32, int32_t)
ATOMICS_OF_SIZE(64, int64_t)

// ---- -fsanitize=bounds ----

struct UbsanPlace {
  const char* file;
  uint32_t line, column;
};
struct UbsanType {
  uint16_t kind, info;
  char name[1];
};
struct UbsanIndex {
  UbsanPlace place;
  const UbsanType* array;
  const UbsanType* index;
};

void __ubsan_handle_out_of_bounds(const UbsanIndex* found, uintptr_t index) {
  simt::Checker::Get().OutOfBounds(
      {found->place.file, static_cast<int>(found->place.line)}, found->array->name,
      static_cast<int32_t>(index));
}
void __ubsan_handle_out_of_bounds_abort(const UbsanIndex* found, uintptr_t index) {
  __ubsan_handle_out_of_bounds(found, index);
}

}  // extern "C"
