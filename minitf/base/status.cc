// Status and Error: what need not be in every file that may fail.

#include "minitf/base/status.h"

namespace minitf {

Status::Status(Code code, std::string message) {
  if (code == Code::kOk) return;
  failure_ = std::make_shared<Failure>(Failure{code, std::move(message), ""});
}

Status Status::WithPrefix(std::string_view prefix) const {
  if (ok()) return *this;
  Status result(code(), std::string(prefix) + message());
  result.failure_->node = node();
  return result;
}

Status Status::AtNode(std::string name) const {
  if (ok()) return *this;
  Status result(code(), message());
  result.failure_->node = std::move(name);
  return result;
}

const std::string& Status::Empty() {
  static const std::string empty;
  return empty;
}

Error::Error(Status status)
    : std::runtime_error(status.message()), status_(std::move(status)) {}

Error::~Error() = default;

}  // namespace minitf
