// TF_Status, the guard at the boundary, and TF_Buffer.

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/c/internal.h"
#include "minitf/graph/graph_def.h"

namespace minitf::c {

void SetStatus(TF_Status* status, const Status& value) {
  if (status == nullptr) return;
  status->code = static_cast<TF_Code>(value.code());
  try {
    status->message = value.message();
  } catch (const std::bad_alloc&) {
    status->message.clear();  // the code says enough
  }
}

void SetCaught(TF_Status* status) {
  try {
    SetStatus(status, CaughtStatus());
  } catch (...) {  // CaughtStatus itself found no memory
    if (status != nullptr) status->code = TF_RESOURCE_EXHAUSTED;
  }
}

std::string TextOf(const char* text, std::string_view argument) {
  return &NotNull(text, argument);
}

void RequireList(const void* list, int64_t count, std::string_view argument) {
  Require(count >= 0, "the number of elements of ", argument, " is ", count,
          "; expected 0 or more");
  Require(count == 0 || list != nullptr, argument, " is null; expected ", count,
          " elements");
}

void ThrowUnimplemented(std::string_view function) {
  throw Error(errors::Unimplemented(function, " is not implemented in minitf"));
}

void ParseArgument(std::string_view bytes, std::string_view argument,
                   google::protobuf::Message* message) {
  CheckArgument([&] { FromBytes(bytes, argument, message); });
}

std::string_view BytesOfC(const TF_Buffer* buffer, std::string_view argument) {
  NotNull(buffer, argument);
  Require(buffer->data != nullptr || buffer->length == 0, argument,
          " has no data; expected ", buffer->length, " bytes");
  return {static_cast<const char*>(buffer->data), buffer->length};
}

namespace {

void FreeBytes(void* data, size_t /*length*/) { std::free(data); }

void Release(TF_Buffer* buffer) {
  if (buffer->data_deallocator != nullptr) {
    buffer->data_deallocator(const_cast<void*>(buffer->data), buffer->length);
  }
  *buffer = {nullptr, 0, nullptr};
}

}  // namespace

void FillBuffer(TF_Buffer* buffer, std::string_view bytes) {
  NotNull(buffer, "buffer");
  void* const copy = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (copy == nullptr) throw std::bad_alloc();
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  Release(buffer);
  *buffer = {copy, bytes.size(), &FreeBytes};
}

void FillBuffer(TF_Buffer* buffer, const google::protobuf::Message& message) {
  NotNull(buffer, "buffer");
  FillBuffer(buffer, ToBytes(message));
}

TF_Buffer* NewBuffer(std::string_view bytes) {
  auto buffer = std::make_unique<TF_Buffer>();
  FillBuffer(buffer.get(), bytes);
  return buffer.release();
}

}  // namespace minitf::c

using minitf::c::Guarded;

TF_Status* TF_NewStatus(void) { return new (std::nothrow) TF_Status; }

void TF_DeleteStatus(TF_Status* s) { delete s; }

void TF_SetStatus(TF_Status* s, TF_Code code, const char* msg) {
  if (s == nullptr) return;
  Guarded(nullptr, [&] {
    s->code = code;
    s->message = code == TF_OK || msg == nullptr ? "" : msg;
  });
}

TF_Code TF_GetCode(const TF_Status* s) {
  return s == nullptr ? TF_INVALID_ARGUMENT : s->code;
}

const char* TF_Message(const TF_Status* s) {
  return s == nullptr ? "status is null; expected a TF_Status" : s->message.c_str();
}

TF_Buffer* TF_NewBufferFromString(const void* proto, size_t proto_len) {
  if (proto == nullptr && proto_len != 0) return nullptr;
  return Guarded<TF_Buffer*>(nullptr, nullptr, [&] {
    return minitf::c::NewBuffer({static_cast<const char*>(proto), proto_len});
  });
}

TF_Buffer* TF_NewBuffer(void) {
  return new (std::nothrow) TF_Buffer{nullptr, 0, nullptr};
}

void TF_DeleteBuffer(TF_Buffer* buffer) {
  if (buffer == nullptr) return;
  minitf::c::Release(buffer);
  delete buffer;
}

TF_Buffer TF_GetBuffer(TF_Buffer* buffer) {
  return buffer == nullptr ? TF_Buffer{nullptr, 0, nullptr} : *buffer;
}
