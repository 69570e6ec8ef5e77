// ReaderState: varints, and the four fields.

#include "minitf/io/readers/reader_state.h"

namespace minitf {
namespace {

// How a field's value is written; the low three bits of what stands before it.
enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Seven bits a byte, the lowest first; the eighth bit says that there are more.
void AppendVarint(uint64_t number, std::string* bytes) {
  for (; number >= 0x80; number >>= 7) bytes->push_back(static_cast<char>(number | 0x80));
  bytes->push_back(static_cast<char>(number));
}

bool TakeVarint(std::string_view* bytes, uint64_t* number) {
  *number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes->empty()) return false;
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *number |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool TakeBytes(std::string_view* bytes, uint64_t count, std::string_view* taken) {
  if (count > bytes->size()) return false;
  *taken = bytes->substr(0, count);
  bytes->remove_prefix(count);
  return true;
}

void AppendNumber(uint64_t field, int64_t number, std::string* bytes) {
  if (number == 0) return;
  AppendVarint(field << 3 | kVarint, bytes);
  AppendVarint(number, bytes);
}

void SetNumber(uint64_t field, uint64_t value, ReaderState* state) {
  const auto number = static_cast<int64_t>(value);
  if (field == 1) state->work_started = number;
  if (field == 2) state->work_finished = number;
  if (field == 3) state->num_records_produced = number;
}

}  // namespace

std::string ReaderStateBytes(const ReaderState& state) {
  std::string bytes;
  AppendNumber(1, state.work_started, &bytes);
  AppendNumber(2, state.work_finished, &bytes);
  AppendNumber(3, state.num_records_produced, &bytes);
  if (state.current_work.empty()) return bytes;
  AppendVarint(4 << 3 | kBytes, &bytes);
  AppendVarint(state.current_work.size(), &bytes);
  return bytes + state.current_work;
}

bool ParseReaderState(std::string_view bytes, ReaderState* state) {
  while (!bytes.empty()) {
    uint64_t tag = 0;
    uint64_t value = 0;
    std::string_view content;
    if (!TakeVarint(&bytes, &tag) || tag >> 3 == 0) return false;
    switch (tag & 7) {
      case kVarint:
        if (!TakeVarint(&bytes, &value)) return false;
        SetNumber(tag >> 3, value, state);
        break;
      case kBytes:
        if (!TakeVarint(&bytes, &value) || !TakeBytes(&bytes, value, &content)) {
          return false;
        }
        if (tag >> 3 == 4) state->current_work = content;
        break;
      case kFixed64:
      case kFixed32:
        if (!TakeBytes(&bytes, (tag & 7) == kFixed64 ? 8 : 4, &content)) return false;
        break;
      default: return false;
    }
  }
  return true;
}

}  // namespace minitf
