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
  // LAB(05.5) begin: have this thread's tapes know it; note the StopRecordings around
  recorded_by_ = OurTapes();
  stops_around_ = num_stops;
  const std::lock_guard lock(recorded_by_->mutex);
  recorded_by_->recording.push_back(this);
  ++recorded_by_->num_recording;
  // LAB(05.5) end
}

void Tape::Stop() {
  if (!is_recording()) return;
  const auto tapes = std::exchange(recorded_by_, nullptr);
  // LAB(05.5) begin: have them forget it
  const std::lock_guard lock(tapes->mutex);
  std::erase(tapes->recording, this);
  --tapes->num_recording;
  // LAB(05.5) end
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
  // LAB(05.8) begin: the records as a program, AddGradients, the parts; then forget
  is_used_up_ = !persistent_;
  struct Forgetting {  // also if an op has no gradient
    Tape* tape;
    ~Forgetting() {
      if (!tape->persistent_) tape->Reset();
    }
  };
  const Forgetting forgetting{this};

  EagerEmitter emitter;
  std::vector<OpRecord> program;
  program.reserve(records_.size());
  for (const auto& record : records_) {
    program.push_back({record->op, &record->attrs, ValuesOf(record->inputs, &emitter),
                       ValuesOf(record->outputs, &emitter), ""});
  }
  const GradientRequest request{
      ValuesOf(ys, &emitter), ValuesOf(xs, &emitter), ValuesOf(dys, &emitter), {}};

  std::vector<std::vector<EagerTensor>> gradients;
  for (const Value gradient : AddGradients(program, request, emitter)) {
    gradients.emplace_back();
    for (const Value part : emitter.PartsOf(gradient)) {
      gradients.back().push_back(emitter.Get(part));
    }
  }
  return gradients;
  // LAB(05.8) end
}

void RecordOnTapes(const OpDef& op, const Attrs& attrs,
                   const std::vector<EagerTensor>& inputs,
                   const std::vector<EagerTensor>& outputs) {
  TapesOfThread& tapes = *OurTapes();
  if (tapes.num_recording == 0) return;
  const std::lock_guard lock(tapes.mutex);
  // LAB(05.6) begin: add a Record to each tape that is not stopped and watches an input
  for (Tape* tape : tapes.recording) {
    if (num_stops > tape->stops_around_) continue;
    const bool depends = std::ranges::any_of(
        inputs, [&](const EagerTensor& input) { return tape->IsWatched(input.id); });
    if (!depends) continue;
    tape->records_.push_back(
        std::make_unique<Tape::Record>(Tape::Record{&op, attrs, inputs, outputs}));
    for (const EagerTensor& output : outputs) {
      if (IsDifferentiable(output.tensor.dtype())) tape->Watch(output);
    }
  }
  // LAB(05.6) end
}

StopRecording::StopRecording() {
  // LAB(05.7) begin: one more of them lives
  ++num_stops;
  // LAB(05.7) end
}

StopRecording::~StopRecording() {
  TapesOfThread& tapes = *OurTapes();
  const std::lock_guard lock(tapes.mutex);
  // LAB(05.7) begin: one less; see to the tapes that were started while it lived
  --num_stops;
  for (Tape* tape : tapes.recording)
    tape->stops_around_ = std::min(tape->stops_around_, num_stops);
  // LAB(05.7) end
}

}  // namespace minitf
