// Checker: check mode. It sees every access of a kernel before it is done.
//
// A kernel's file is compiled with -fsanitize=thread,bounds, which puts a call of a hook
// before each access to memory, but it is linked to the hooks of this folder (hooks.cc)
// and not to the sanitizer. One thread of the system runs all fibers, and launches of
// several threads wait for each other, so no access needs a lock and every run of a
// program with one thread is the same.
//
// An access that cannot be done ends the launch, as it does on a GPU. A race, or a read
// of what nobody has written, is reported, and the kernel goes on.
//
// Compare    the Linux kernel's KCSAN, which has hooks of its own in the same way;
//            compute-sanitizer's memcheck, racecheck, initcheck and synccheck
// Read next  kernels/simt/check/check.h

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/simt/check/findings.h"
#include "kernels/simt/check/profile.h"
#include "kernels/simt/check/releases.h"
#include "kernels/simt/check/shadow.h"
#include "kernels/simt/check/symbols.h"
#include "kernels/simt/runtime/block.h"
#include "kernels/simt/runtime/observer.h"

namespace simt {

class Checker final : public Observer {
 public:
  /// The one there is. It becomes the observer when code that was compiled for check mode
  /// is loaded.
  static Checker& Get();

  /// Code at `address` was compiled for check mode.
  void AddCode(uintptr_t address);

  // ---- Called by the hooks, `code` is the return address ----
  template <bool kIsWrite>
  void BeforeAccess(uintptr_t address, size_t size, uintptr_t code, bool is_atomic);
  /// An index beyond an array whose size the compiler knows. Ends the launch.
  void OutOfBounds(Site site, const char* type, int64_t index);

  // ---- Observer ----
  void LaunchBegins(const LaunchInfo& launch) override;
  void LaunchEnds() override;
  void BlockBegins(size_t number, const void* dynamic_shared) override;
  void BlockEnds() override;
  void BarrierReleased() override;
  void Fenced() override;
  void Allocated(void* memory, size_t size, Site site) override;
  void Freed(void* memory) override;
  void Set(const void* to, size_t size) override;
  void Copied(const void* to, const void* from, size_t size, Site site) override;
  void Found(Finding finding) override;
  Site PlaceOf(const void* code) const override {
    return SiteOf(reinterpret_cast<uintptr_t>(code));
  }

  // ---- For tests and programs (check.h) ----
  Findings& findings() { return findings_; }
  Profile& profile() { return profile_; }
  /// The text of all findings but notes; afterwards there are none.
  std::string TakeErrors();
  /// Reports what is allocated as leaks, unless they are not asked for.
  void ReportLeaks();
  void set_finds_leaks(bool finds_leaks) { finds_leaks_ = finds_leaks; }
  void SetSchedule(uint64_t seed, int preempt);
  uint64_t seed() const override { return seed_; }
  void set_access_limit(int64_t limit) { access_limit_ = limit; }

 private:
  static constexpr uint16_t kUnwatched = 0xffff;  // in variable_of: the compiler's own
  struct Shared {                                 // a module's __shared__ variables
    Region region;
    std::vector<SharedVariable> variables;
    // For each byte, 1 + its place in variables; 0: none.
    ZeroArray<uint16_t> variable_of;

    // Whether an access lies within one that is watched. Requires: it begins in region.
    bool IsInVariable(uintptr_t address, size_t count) const {
      const uint16_t* const of = &variable_of[address - region.begin];
      return of[0] == of[count - 1] && of[0] != 0 && of[0] != kUnwatched;
    }
  };

  // A race of two writes, until it is seen what the second one has written.
  struct Doubt {
    uintptr_t address = 0;
    size_t size = 0;
    std::array<char, 4> before;
    uint64_t pair = 0;  // of instructions
    Finding finding;
  };

  Checker();

  template <bool kIsWrite>
  bool SeeUsual(const Block& block, uintptr_t address, size_t size, uintptr_t code);
  template <bool kIsWrite>
  void SeeAccess(Block* block, uintptr_t address, size_t size, uintptr_t code,
                 bool is_atomic);
  Access AccessNow(const Block& block, uint8_t bytes, uintptr_t code,
                   bool is_atomic = false) const;
  void FindShared();
  /// Bytes of the __shared__ variables that the block has written to. What a kernel
  /// declares and leaves alone takes no room on a GPU either.
  size_t SharedInUse() const;
  Region* FindUsual(uintptr_t address, size_t size);
  Region* Find(uintptr_t address, size_t size, bool is_write, uintptr_t code);
  template <bool kIsWrite>
  bool IsOrdered(const Cell& cell, Access now, Space space) const;
  bool Conflicts(Access earlier, Access now, Space space) const;
  [[noreturn]] void Refuse(const char* kind, const char* space, uintptr_t address,
                           size_t size, bool is_write, uintptr_t code);
  [[noreturn]] void RefuseGlobal(uintptr_t address, size_t size, bool is_write,
                                 uintptr_t code);
  [[noreturn]] void EndlessLaunch(uintptr_t code);
  void SeeMore(const Region* region, uintptr_t address, size_t size, bool is_write,
               uintptr_t code, bool is_atomic);

  void ReportRaces(const Cell& cell, Access now, bool is_write, uintptr_t address,
                   uintptr_t code, Space space);
  void ReportRace(const Access& earlier, bool was_write, bool is_write, uintptr_t address,
                  uintptr_t code, Space space);
  void ReportUnwritten(uintptr_t address, size_t size, uintptr_t code, Space space);
  void ReportHostAccess(uintptr_t address, uintptr_t code);
  void SettleDoubt();
  std::string Describe(uintptr_t address) const;
  std::string DescribeGlobal(uintptr_t address) const;
  std::string Running() const;
  const std::string& Kernel() const;

  // An instruction in 32 bits: the module, and the place in it.
  uint32_t Pack(uintptr_t code) const {
    if (code - first_code_.begin < first_code_.end - first_code_.begin) [[likely]] {
      return static_cast<uint32_t>(code - first_code_.begin);
    }
    return PackOther(code);
  }
  uint32_t PackOther(uintptr_t code) const;
  uintptr_t Unpack(uint32_t code) const;

  // Held during a launch, and while memory comes and goes. The thread that launches
  // reports findings meanwhile.
  std::recursive_mutex mutex_;
  Findings findings_;
  Profile profile_;
  Releases releases_;

  // ---- Memory ----
  ZeroArray<Region*> regions_of_pages_;  // of the arena of DeviceMemory
  std::deque<Region> global_;
  std::vector<Shared> shared_;
  uintptr_t shared_begin_ = 0;  // of shared_[0], for each access
  size_t shared_size_ = 0;
  Shared* first_shared_ = nullptr;
  std::vector<std::unique_ptr<Region>> variables_;  // __device__ and __constant__
  Region dynamic_shared_;
  uintptr_t arena_ = 0;
  size_t arena_size_ = 0;

  // ---- Code ----
  std::vector<uintptr_t> code_;
  std::vector<Range> code_ranges_;
  Range first_code_;  // code_ranges_[0]
  bool knows_modules_ = false;
  const Position* position_of_thread_ = nullptr;  // of the one for which shared_ is

  // ---- What runs ----
  LaunchInfo launch_;
  mutable std::string kernel_;  // its name; empty until it is asked for
  uint32_t first_block_ = 1;    // of the launch
  uint32_t block_ = 0;          // that runs
  int64_t accesses_ = 0;        // of the launch
  size_t shared_in_use_ = 0;    // of the block of the launch that uses the most
  int64_t access_limit_;
  bool finds_leaks_ = true;
  uint64_t seed_;
  int preempt_;
  uint64_t random_ = 1;
  bool is_slow_ = false;  // accesses of the block are recorded, or preempted
  Doubt doubt_;
  // By both instructions: how often it is still asked whether they write the same.
  std::unordered_map<uint64_t, int> known_races_;
};

/// The one there is, once code for check mode is loaded: what the hooks call.
inline constinit Checker* checker = nullptr;

}  // namespace simt
