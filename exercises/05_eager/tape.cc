// The tapes of a thread, recording, and going backwards.
//
// Exercise   exercises/05_eager
// Compare    tensorflow/c/eager/tape.h
// Read next  minitf/io/records/file_system.h

#include "minitf/eager/tape.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "minitf/base/lab.h"

namespace minitf {
namespace {

// How many StopRecordings live in this thread.
thread_local int num_stops = 0;

Value ValueOf(const EagerTensor& tensor, EagerEmitter* emitter) {
  return tensor.id < 0 ? Value::None() : emitter->Add(tensor);
}

std::vector<Value> ValuesOf(const std::vector<EagerTensor>& tensors,
                            EagerEmitter* emitter) {
  std::vector<Value> values;
  values.reserve(tensors.size());
  for (const EagerTensor& tensor : tensors) values.push_back(ValueOf(tensor, emitter));
  return values;
}

}  // namespace

/// The tapes that record what one thread calls. The lock is for a tape that another
/// thread stops, as Python's garbage collector may.
struct TapesOfThread {
  std::mutex mutex;
  std::vector<Tape*> recording;  // in the order in which they were started
  std::atomic<int> num_recording = 0;
};

namespace {

const std::shared_ptr<TapesOfThread>& OurTapes() {
  thread_local const auto tapes = std::make_shared<TapesOfThread>();
  return tapes;
}

}  // namespace

Tape::~Tape() { Stop(); }

void Tape::Start() {
  if (is_recording()) return;
  // TODO(05.5) begin: have this thread's tapes know it; note the StopRecordings around
  MINITF_TODO("05.5");
  // TODO(05.5) end
}

void Tape::Stop() {
  if (!is_recording()) return;
  const auto tapes = std::exchange(recorded_by_, nullptr);
  // TODO(05.5) begin: have them forget it
  MINITF_TODO("05.5");
  // TODO(05.5) end
}

void Tape::IgnoreStops(int most) { stops_around_ = std::min(stops_around_, most); }

void Tape::Watch(const EagerTensor& tensor) { watched_.insert(tensor.id); }

void Tape::Reset() {
  records_.clear();
  watched_.clear();
}

std::vector<std::vector<EagerTensor>> Tape::Gradient(
    const std::vector<EagerTensor>& ys, const std::vector<EagerTensor>& xs,
    const std::vector<EagerTensor>& dys) {
  if (is_used_up_) {
    throw Error(errors::FailedPrecondition(
        "a tape that is not persistent gives gradients once; make it with "
        "persistent=True"));
  }
  // TODO(05.8) begin: the records as a program, AddGradients, the parts; then forget
  MINITF_TODO("05.8");
  // TODO(05.8) end
}

void RecordOnTapes(const OpDef& op, const Attrs& attrs,
                   const std::vector<EagerTensor>& inputs,
                   const std::vector<EagerTensor>& outputs) {
  TapesOfThread& tapes = *OurTapes();
  if (tapes.num_recording == 0) return;
  const std::lock_guard lock(tapes.mutex);
  // TODO(05.6) begin: add a Record to each tape that is not stopped and watches an input
  MINITF_TODO("05.6");
  // TODO(05.6) end
}

StopRecording::StopRecording() {
  // TODO(05.7) begin: one more of them lives
  MINITF_TODO("05.7");
  // TODO(05.7) end
}

StopRecording::~StopRecording() {
  TapesOfThread& tapes = *OurTapes();
  const std::lock_guard lock(tapes.mutex);
  // TODO(05.7) begin: one less; see to the tapes that were started while it lived
  MINITF_TODO("05.7");
  // TODO(05.7) end
}

}  // namespace minitf
