// Status: whether something worked, and if not, why. Every error in minitf is one.
//
// An error travels in one of two ways:
//
//   on one thread       it is thrown, as an Error: while a graph is built, a shape worked
//                       out, a pass run. Require() is the short way to throw
//   between threads     it is carried, as a Status: a kernel leaves it in its context
//                       (OP_REQUIRES), a rendezvous hands it to the Recvs that wait
//
// Both hold the same code and the same sentence, and Python gets tf.errors.* for either.
// The sentence says what was expected and what came instead; the op's name is put in
// front of it by the code that runs the op:
//
//   MatMul: inner sizes differ: a is [2,3], b is [4,5]
//
// A Status that is ok costs one null pointer, so a step may carry one for every node.
//
// Compare    tensorflow/core/lib/core/status.h, errors.h: there, nothing is ever thrown
// Read next  minitf/base/caught.h

#pragma once

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace minitf {

/// What kind of error. The numbers are TensorFlow's.
enum class Code {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

class Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  bool ok() const { return failure_ == nullptr; }
  Code code() const { return ok() ? Code::kOk : failure_->code; }
  const std::string& message() const { return ok() ? Empty() : failure_->message; }

  /// The name of the node that failed; empty when no node did.
  const std::string& node() const { return ok() ? Empty() : failure_->node; }

  /// The same failure, with `prefix` in front of its message.
  Status WithPrefix(std::string_view prefix) const;

  /// The same failure, found at the node `name`.
  Status AtNode(std::string name) const;

 private:
  struct Failure {
    Code code;
    std::string message;
    std::string node;
  };

  static const std::string& Empty();

  std::shared_ptr<Failure> failure_;
};

/// A Status that is not ok, thrown.
class Error : public std::runtime_error {
 public:
  explicit Error(Status status);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  const Status& status() const { return status_; }

 private:
  Status status_;
};

inline void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}

/// `parts`, printed one after another. As most calls are made only when something went
/// wrong, they are kept out of line, and small.
template <typename... Parts>
[[gnu::cold, gnu::noinline]] std::string StrCat(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

namespace errors {

/// The caller asked for something that makes no sense. The message says what to change.
template <typename... Parts>
Status InvalidArgument(const Parts&... parts) {
  return {Code::kInvalidArgument, StrCat(parts...)};
}

/// A name that is not registered, or a file that is not there.
template <typename... Parts>
Status NotFound(const Parts&... parts) {
  return {Code::kNotFound, StrCat(parts...)};
}

/// Something that may exist once exists already.
template <typename... Parts>
Status AlreadyExists(const Parts&... parts) {
  return {Code::kAlreadyExists, StrCat(parts...)};
}

/// The state does not allow it now: a variable that has no value yet, a closed session.
template <typename... Parts>
Status FailedPrecondition(const Parts&... parts) {
  return {Code::kFailedPrecondition, StrCat(parts...)};
}

/// No memory for it.
template <typename... Parts>
Status ResourceExhausted(const Parts&... parts) {
  return {Code::kResourceExhausted, StrCat(parts...)};
}

/// Took longer than the caller wanted to wait.
template <typename... Parts>
Status DeadlineExceeded(const Parts&... parts) {
  return {Code::kDeadlineExceeded, StrCat(parts...)};
}

/// Ended because others ended it: a rendezvous that was aborted, a closed queue.
template <typename... Parts>
Status Aborted(const Parts&... parts) {
  return {Code::kAborted, StrCat(parts...)};
}

/// Past the end of something that is read one by one.
template <typename... Parts>
Status OutOfRange(const Parts&... parts) {
  return {Code::kOutOfRange, StrCat(parts...)};
}

/// Makes sense, and is not there: a feature, or a kernel for this element type.
template <typename... Parts>
Status Unimplemented(const Parts&... parts) {
  return {Code::kUnimplemented, StrCat(parts...)};
}

/// Given up because something else failed, or because the caller said so.
template <typename... Parts>
Status Cancelled(const Parts&... parts) {
  return {Code::kCancelled, StrCat(parts...)};
}

/// Bytes that cannot be what they claim to be.
template <typename... Parts>
Status DataLoss(const Parts&... parts) {
  return {Code::kDataLoss, StrCat(parts...)};
}

/// A mistake in minitf itself.
template <typename... Parts>
Status Internal(const Parts&... parts) {
  return {Code::kInternal, StrCat(parts...)};
}

}  // namespace errors

/// Throws InvalidArgument, with `parts` as the message.
template <typename... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void ThrowInvalidArgument(const Parts&... parts) {
  throw Error(errors::InvalidArgument(parts...));
}

/// Throws InvalidArgument, with `parts` as the message, unless `ok`. As in any call the
/// parts are worked out first: where that takes time, as a StrCat does, use if and throw.
template <typename... Parts>
void Require(bool ok, const Parts&... parts) {
  if (!ok) ThrowInvalidArgument(parts...);
}

}  // namespace minitf
