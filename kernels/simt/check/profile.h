// Profile: how the accesses of a warp fall together. It counts, and is no model of time.
//
// A GPU serves the 32 lanes of a warp at once. In global memory it moves sectors of 32
// bytes: 32 neighbouring floats are 4 sectors, 32 floats 128 bytes apart are 32. Shared
// memory has 32 banks of 4 bytes: lanes that want different words of one bank wait for
// each other, a wavefront each.
//
// Lanes are paired by instruction and by how often each has come to it. That is exact
// while they go the same way, and a guess after they part. There are no caches.
//
// Compare    Nsight Compute's "sectors per request" and "shared load bank conflicts"
// Read next  kernels/simt/check/shadow.h

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/simt/runtime/observer.h"

namespace simt {

/// What the lanes of a warp asked for at one instruction.
struct Request {
  uint32_t mask = 0;  ///< of the lanes that took part
  unsigned size = 0;  ///< bytes of a lane
  std::array<uint64_t, 32> offsets;
};

/// What the accesses of one line of a kernel add up to.
struct ProfileLine {
  std::string kernel;
  std::string kind;  ///< global-load, global-store, shared-load or shared-store
  Site site;
  uint64_t requests = 0;       ///< of warps
  uint64_t lanes = 0;          ///< that took part
  uint64_t bytes = 0;          ///< that they asked for
  uint64_t units = 0;          ///< sectors, or wavefronts
  uint64_t ideal = 0;          ///< as few as could be for so many bytes
  std::vector<Request> first;  ///< requests, as examples (access_page.py)

  double per_request() const { return static_cast<double>(units) / requests; }
  double ideal_per_request() const { return static_cast<double>(ideal) / requests; }
};

/// How many blocks fit on a processor at a time, registers left aside.
struct Occupancy {
  size_t static_shared = 0, dynamic_shared = 0;  ///< bytes of a block
  int blocks = 0;                                ///< of a processor
  int percent = 0;                               ///< of the warps that it can have
  std::string limit;  ///< "threads", "shared memory" or "blocks"
};

class Profile {
 public:
  void set_enabled(bool is_enabled) { is_enabled_ = is_enabled; }
  bool is_enabled() const { return is_enabled_; }
  /// Whether the accesses of the running block are to be recorded.
  bool is_recording() const { return is_recording_; }

  void BlockBegins(size_t number, size_t blocks);
  /// An access by a thread. `offset`: the address, or the place in shared memory.
  void Record(uint64_t offset, unsigned size, bool is_shared, bool is_write,
              uint32_t code, int thread);
  /// All threads have met, or ended: what was recorded is added up.
  void Flush();
  /// `site_of`: the line of an instruction.
  void LaunchEnds(const std::string& kernel, const LaunchInfo& launch,
                  size_t static_shared, const std::function<Site(uint32_t)>& site_of);

  /// Of all launches; by kernel, line and kind.
  const std::vector<ProfileLine>& lines() const { return lines_; }
  const Occupancy& occupancy() const { return occupancy_; }  ///< of the last launch

  /// The lines as text.
  std::string text() const;
  /// [{"kernel":..,"kind":..,"file":..,"line":..,"requests":..,"bytes":..,
  /// "per_request":..,"ideal":..,"first":[{"size":..,"lanes":[offset or null,..]}]}]
  std::string json() const;
  void Clear();

 private:
  struct Instruction {
    std::array<uint32_t, 32> times = {};  // by lane
    std::vector<Request> requests;        // for the n-th time each
  };

  void Add(const Request& request, bool is_shared, ProfileLine* line) const;

  bool is_enabled_ = false;
  bool is_recording_ = false;
  std::array<std::unordered_map<uint64_t, Instruction>, 32> warps_;  // by code and kind
  std::map<uint64_t, ProfileLine> sums_;                             // of the launch
  std::vector<ProfileLine> lines_;
  Occupancy occupancy_;
};

}  // namespace simt
