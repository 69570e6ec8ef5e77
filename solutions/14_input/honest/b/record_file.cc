#include <utility>

  // TODO(14.2) begin
  const auto masked = [](std::string_view bytes) { return MaskCrc(Crc32c(bytes)); };
  char header[RecordReader::kHeaderBytes];
  char footer[RecordReader::kFooterBytes];
  Put(uint64_t{record.size()}, header);
  Put(masked({header, sizeof(uint64_t)}), header + sizeof(uint64_t));
  Put(masked(record), footer);
  sink_->Write({header, sizeof header});
  sink_->Write(record);
  sink_->Write({footer, sizeof footer});
  // TODO(14.2) end

  // TODO(14.3) begin
  constexpr int64_t kLengthBytes = sizeof(uint64_t);
  const auto is_right = [](std::string_view bytes, const char* masked) {
    return UnmaskCrc(Get<uint32_t>(masked)) == Crc32c(bytes);
  };
  char header[kHeaderBytes];
  // The first byte tells whether a record begins at all.
  if (!ReadBytes(1, header)) return false;
  if (!ReadBytes(kHeaderBytes - 1, header + 1)) Fail("truncated", -1);
  const auto length = Get<uint64_t>(header);
  if (!is_right({header, kLengthBytes}, header + kLengthBytes) ||
      length > uint64_t{kMaxRecordBytes}) {
    Fail("corrupted", -1);
  }
  char footer[kFooterBytes];
  if (!ReadData(static_cast<int64_t>(length), record) ||
      !ReadBytes(kFooterBytes, footer)) {
    Fail("truncated", -1);
  }
  const int64_t next = offset_ + kHeaderBytes + static_cast<int64_t>(length) + kFooterBytes;
  if (!is_right(*record, footer)) Fail("corrupted", next);
  offset_ = next;
  return true;
  // TODO(14.3) end

  // TODO(14.3) begin
  if (failure_.empty() || skip_to_ < 0) return false;
  offset_ = std::exchange(skip_to_, -1);
  failure_.clear();
  return true;
  // TODO(14.3) end

  // TODO(14.4) begin
  while (count > 0) {
    if (begin_ == end_) {
      begin_ = end_ = 0;
      if (count > static_cast<int64_t>(kBufferBytes)) {
        const size_t got = source_->Read(to, static_cast<size_t>(count));
        if (got == 0) return false;
        to += got;
        count -= static_cast<int64_t>(got);
        continue;
      }
      end_ = source_->Read(buffer_.get(), kBufferBytes);
      if (end_ == 0) return false;
    }
    const size_t some = std::min(static_cast<size_t>(count), end_ - begin_);
    std::memcpy(to, buffer_.get() + begin_, some);
    begin_ += some;
    to += some;
    count -= static_cast<int64_t>(some);
  }
  return true;
  // TODO(14.4) end

  // TODO(14.4) begin
  record->clear();
  const auto append = [&](int64_t count) {
    const size_t size = record->size();
    record->resize(size + static_cast<size_t>(count));
    return ReadBytes(count, record->data() + size);
  };
  const int64_t left = source_->bytes_left();
  if (left >= 0) {
    return length <= left + static_cast<int64_t>(end_ - begin_) && append(length);
  }
  while (std::ssize(*record) < length) {
    const int64_t size = std::ssize(*record);
    if (!append(std::min(length - size, std::max(size, kPieceBytes)))) return false;
  }
  return true;
  // TODO(14.4) end
