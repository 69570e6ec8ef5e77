// Tape: what eager mode must remember to differentiate later.
//
// A tape records a call only if one of its inputs is watched; the outputs are watched
// from then on. So what does not depend on a watched tensor costs nothing and keeps no
// tensor alive. Several tapes may record at once: the calls that one makes while it goes
// backwards are recorded by those still open, which gives derivatives of derivatives.
//
// Compare    tensorflow/c/eager/tape.h, tensorflow/python/eager/backprop.py
// Read next  minitf/io/records/file_system.h

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "minitf/eager/dispatch.h"
#include "minitf/framework/op.h"
#include "minitf/gradients/add_gradients.h"

namespace minitf {

struct TapesOfThread;

class Tape {
 public:
  /// A persistent tape may be asked more than once; others forget everything when asked,
  /// also if that ends with an error. They stay started.
  explicit Tape(bool persistent) : persistent_(persistent) {}
  ~Tape();

  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Starts and ends recording what the calling thread does. Tapes nest: the last one
  /// started need not be the first one stopped. Any thread may stop a tape.
  void Start();
  void Stop();
  bool is_recording() const { return recorded_by_ != nullptr; }

  /// For a tape that is started again within a StopRecording that had stopped it: ignores
  /// so many of those that live, at most.
  void IgnoreStops(int most);

  void Watch(const EagerTensor& tensor);
  bool IsWatched(int64_t id) const { return watched_.contains(id); }

  /// dL/dx for every x, where L is the sum of ys, each weighted by its dys (an
  /// EagerTensor with id -1 stands for ones). Of each gradient the parts: none where L
  /// does not depend on x, one, or the three of IndexedSlices. Throws NotFound if an op
  /// has no gradient, and FailedPrecondition when a tape that is not persistent is asked
  /// again, also if it was asked in vain.
  std::vector<std::vector<EagerTensor>> Gradient(const std::vector<EagerTensor>& ys,
                                                 const std::vector<EagerTensor>& xs,
                                                 const std::vector<EagerTensor>& dys);

  /// How many calls are recorded.
  size_t num_records() const { return records_.size(); }

  /// Forgets all that was recorded and watched.
  void Reset();

 private:
  friend void RecordOnTapes(const OpDef& op, const Attrs& attrs,
                            const std::vector<EagerTensor>& inputs,
                            const std::vector<EagerTensor>& outputs);
  friend class StopRecording;

  struct Record {
    const OpDef* op;
    Attrs attrs;
    std::vector<EagerTensor> inputs;
    std::vector<EagerTensor> outputs;
  };

  const bool persistent_;
  std::shared_ptr<TapesOfThread> recorded_by_;  ///< null: not recording
  int stops_around_ = 0;                        ///< how many StopRecordings it ignores
  bool is_used_up_ = false;
  std::vector<std::unique_ptr<Record>> records_;
  std::unordered_set<int64_t> watched_;
};

/// Records a call on every tape of this thread that watches one of `inputs`.
void RecordOnTapes(const OpDef& op, const Attrs& attrs,
                   const std::vector<EagerTensor>& inputs,
                   const std::vector<EagerTensor>& outputs);

/// While one lives, no tape records that this thread had started before.
class StopRecording {
 public:
  StopRecording();
  ~StopRecording();

  StopRecording(const StopRecording&) = delete;
  StopRecording& operator=(const StopRecording&) = delete;
};

}  // namespace minitf
