  // TODO(14.2) begin
  char header[RecordReader::kHeaderBytes];
  Put(static_cast<uint64_t>(record.size()), header);
  Put(MaskCrc(Crc32c({header, sizeof(uint64_t)})), header + sizeof(uint64_t));
  char footer[RecordReader::kFooterBytes];
  Put(MaskCrc(Crc32c(record)), footer);
  sink_->Write({header, sizeof header});
  sink_->Write(record);
  sink_->Write({footer, sizeof footer});
  // TODO(14.2) end

  // TODO(14.3) begin
  char header[kHeaderBytes];
  // One byte alone tells the end of the file from a header that is cut.
  if (!ReadBytes(1, header)) return false;
  if (!ReadBytes(kHeaderBytes - 1, header + 1)) Fail("truncated", -1);
  const auto length = Get<uint64_t>(header);
  if (UnmaskCrc(Get<uint32_t>(header + sizeof length)) !=
      Crc32c({header, sizeof length})) {
    Fail("corrupted", -1);
  }
  if (length > static_cast<uint64_t>(kMaxRecordBytes)) Fail("corrupted", -1);
  const auto size = static_cast<int64_t>(length);
  char footer[kFooterBytes];
  if (!ReadData(size, record) || !ReadBytes(kFooterBytes, footer)) {
    Fail("truncated", -1);
  }
  const int64_t next = offset_ + kHeaderBytes + size + kFooterBytes;
  if (UnmaskCrc(Get<uint32_t>(footer)) != Crc32c(*record)) Fail("corrupted", next);
  offset_ = next;
  return true;
  // TODO(14.3) end

  // TODO(14.3) begin
  if (failure_.empty() || skip_to_ < 0) return false;
  // Read has used up all of the bad record: the source stands behind it already.
  offset_ = skip_to_;
  skip_to_ = -1;
  failure_.clear();
  return true;
  // TODO(14.3) end

  // TODO(14.4) begin
  while (count > 0) {
    if (begin_ < end_) {
      const size_t n = std::min(static_cast<size_t>(count), end_ - begin_);
      std::memcpy(to, buffer_.get() + begin_, n);
      begin_ += n;
      to += n;
      count -= static_cast<int64_t>(n);
    } else if (static_cast<size_t>(count) > kBufferBytes) {
      const size_t n = source_->Read(to, static_cast<size_t>(count));
      if (n == 0) return false;
      to += n;
      count -= static_cast<int64_t>(n);
    } else {
      begin_ = end_ = 0;
      end_ = source_->Read(buffer_.get(), kBufferBytes);
      if (end_ == 0) return false;
    }
  }
  return true;
  // TODO(14.4) end

  // TODO(14.4) begin
  record->clear();
  const int64_t left = source_->bytes_left();
  if (left >= 0) {
    if (length > left + static_cast<int64_t>(end_ - begin_)) return false;
    record->resize(static_cast<size_t>(length));
    return ReadBytes(length, record->data());
  }
  int64_t have = 0;
  while (have < length) {
    const int64_t piece = std::min(length - have, std::max(kPieceBytes, have));
    record->resize(static_cast<size_t>(have + piece));
    if (!ReadBytes(piece, record->data() + have)) return false;
    have += piece;
  }
  return true;
  // TODO(14.4) end
