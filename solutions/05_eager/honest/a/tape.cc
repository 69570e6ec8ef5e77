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
  const std::shared_ptr<TapesOfThread>& tapes = OurTapes();
  const std::lock_guard lock(tapes->mutex);
  tapes->recording.push_back(this);
  ++tapes->num_recording;
  recorded_by_ = tapes;
  stops_around_ = num_stops;
  // TODO(05.5) end
}

void Tape::Stop() {
  if (!is_recording()) return;
  const auto tapes = std::exchange(recorded_by_, nullptr);
  // TODO(05.5) begin: have them forget it
  const std::lock_guard lock(tapes->mutex);
  std::erase(tapes->recording, this);
  --tapes->num_recording;
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
  is_used_up_ = !persistent_;
  // Also if an op has no gradient, or fails.
  struct Forgetting {
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
    OpRecord call;
    call.op = record->op;
    call.attrs = &record->attrs;
    call.inputs = ValuesOf(record->inputs, &emitter);
    call.outputs = ValuesOf(record->outputs, &emitter);
    program.push_back(std::move(call));
  }
  GradientRequest request;
  request.ys = ValuesOf(ys, &emitter);
  request.xs = ValuesOf(xs, &emitter);
  request.dys = ValuesOf(dys, &emitter);

  std::vector<std::vector<EagerTensor>> gradients;
  for (const Value gradient : AddGradients(program, request, emitter)) {
    std::vector<EagerTensor>& parts = gradients.emplace_back();
    for (const Value part : emitter.PartsOf(gradient)) parts.push_back(emitter.Get(part));
  }
  return gradients;
  // TODO(05.8) end
}

void RecordOnTapes(const OpDef& op, const Attrs& attrs,
                   const std::vector<EagerTensor>& inputs,
                   const std::vector<EagerTensor>& outputs) {
  TapesOfThread& tapes = *OurTapes();
  if (tapes.num_recording == 0) return;
  const std::lock_guard lock(tapes.mutex);
  // TODO(05.6) begin: add a Record to each tape that is not stopped and watches an input
  for (Tape* tape : tapes.recording) {
    if (num_stops > tape->stops_around_) continue;
    bool watches = false;
    for (const EagerTensor& input : inputs) watches |= tape->IsWatched(input.id);
    if (!watches) continue;
    tape->records_.push_back(
        std::make_unique<Tape::Record>(Tape::Record{&op, attrs, inputs, outputs}));
    for (const EagerTensor& output : outputs) {
      if (IsDifferentiable(output.tensor.dtype())) tape->Watch(output);
    }
  }
  // TODO(05.6) end
}

StopRecording::StopRecording() {
  // TODO(05.7) begin: one more of them lives
  ++num_stops;
  // TODO(05.7) end
}

StopRecording::~StopRecording() { End(); }

void StopRecording::End() {
  TapesOfThread& tapes = *OurTapes();
  const std::lock_guard lock(tapes.mutex);
  // TODO(05.7) begin: one less; see to the tapes that were started while it lived
  --num_stops;
  for (Tape* tape : tapes.recording) {
    tape->stops_around_ = std::min(tape->stops_around_, num_stops);
  }
  // TODO(05.7) end
}

}  // namespace minitf
