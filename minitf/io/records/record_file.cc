// Record files: framing, checksums, and what to do about a bad record.
//
// Exercise   exercises/14_input
// Compare    tensorflow/core/lib/io/record_writer.cc, record_reader.cc
// Read next  minitf/io/messages/example_wire.h

#include "minitf/io/records/record_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "minitf/base/status.h"
#include "minitf/io/records/crc32c.h"

namespace minitf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they are");

constexpr int64_t kPieceBytes = int64_t{1} << 20;

template <typename Number>
void Put(Number number, char* to) {
  std::memcpy(to, &number, sizeof number);
}

template <typename Number>
Number Get(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

}  // namespace

// ---- Writing -------------------------------------------------------------------------

RecordWriter::RecordWriter(const std::string& path, Compression compression,
                           const DeflateOptions& options)
    : sink_(OpenSink(path, compression, options)) {}

void RecordWriter::Write(std::string_view record) {
  // LAB(14.2) begin: write the length, its checksum, the data, and theirs
  char header[RecordReader::kHeaderBytes];
  Put(static_cast<uint64_t>(record.size()), header);
  Put(MaskCrc(Crc32c({header, sizeof(uint64_t)})), header + sizeof(uint64_t));
  char footer[RecordReader::kFooterBytes];
  Put(MaskCrc(Crc32c(record)), footer);

  sink_->Write({header, sizeof header});
  sink_->Write(record);
  sink_->Write({footer, sizeof footer});
  // LAB(14.2) end
}

// ---- Reading -------------------------------------------------------------------------

RecordReader::RecordReader(const std::string& path, Compression compression)
    : path_(path),
      source_(OpenSource(path, compression)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

bool RecordReader::Read(std::string* record) {
  if (!failure_.empty()) throw Error(errors::DataLoss(failure_));
  // LAB(14.3) begin: read the four fields; Fail if they are not there, or not right
  char header[kHeaderBytes];
  if (!ReadBytes(1, header)) return false;
  if (!ReadBytes(kHeaderBytes - 1, header + 1)) Fail("truncated", -1);
  const auto length = Get<uint64_t>(header);
  if (UnmaskCrc(Get<uint32_t>(header + sizeof length)) !=
      Crc32c({header, sizeof length})) {
    Fail("corrupted", -1);
  }
  if (length > static_cast<uint64_t>(kMaxRecordBytes)) Fail("corrupted", -1);

  char footer[kFooterBytes];
  const auto size = static_cast<int64_t>(length);
  if (!ReadData(size, record) || !ReadBytes(kFooterBytes, footer)) Fail("truncated", -1);
  const int64_t next = offset_ + kHeaderBytes + size + kFooterBytes;
  if (UnmaskCrc(Get<uint32_t>(footer)) != Crc32c(*record)) Fail("corrupted", next);
  offset_ = next;
  return true;
  // LAB(14.3) end
}

bool RecordReader::SkipCorrupted() {
  // LAB(14.3) begin: go on behind a bad record, if Fail was told where that is
  // All of the bad record has been read, so the source stands at its end.
  if (skip_to_ < 0) return false;
  offset_ = skip_to_;
  skip_to_ = -1;
  failure_.clear();
  return true;
  // LAB(14.3) end
}

void RecordReader::Fail(std::string_view what, int64_t skip_to) {
  skip_to_ = skip_to;
  failure_ = StrCat(what, " record at ", offset_, " in ", path_);
  throw Error(errors::DataLoss(failure_));
}

// Copies the next `count` bytes. False if there are fewer; then they are used up.
bool RecordReader::ReadBytes(int64_t count, char* to) {
  // LAB(14.4) begin: from the buffer, and from the source when that is used up
  auto wanted = static_cast<size_t>(count);
  while (wanted > 0) {
    if (begin_ == end_) {
      // What would fill the buffer need not go through it.
      if (wanted >= kBufferBytes) {
        const size_t direct = source_->Read(to, wanted);
        if (direct == 0) return false;
        to += direct;
        wanted -= direct;
        continue;
      }
      begin_ = end_ = 0;  // also if the source throws
      end_ = source_->Read(buffer_.get(), kBufferBytes);
      if (end_ == 0) return false;
    }
    const size_t piece = std::min(wanted, end_ - begin_);
    std::memcpy(to, buffer_.get() + begin_, piece);
    begin_ += piece;
    to += piece;
    wanted -= piece;
  }
  return true;
  // LAB(14.4) end
}

// Reads `length` bytes to *record. False if there are fewer, which need not be used up. A
// length may be wrong, so memory is taken only for bytes that exist.
bool RecordReader::ReadData(int64_t length, std::string* record) {
  // LAB(14.4) begin: look how many bytes are left; if that is not known, read in pieces
  record->clear();
  const auto here = static_cast<int64_t>(end_ - begin_);
  int64_t step = length;
  if (length > here) {
    const int64_t left = source_->bytes_left();
    if (left >= 0 && length > here + left) return false;
    if (left < 0) step = kPieceBytes;
  }
  int64_t filled = 0;
  while (filled < length) {
    const int64_t piece = std::min(length - filled, std::max(step, filled));
    record->resize(static_cast<size_t>(filled + piece));
    if (!ReadBytes(piece, record->data() + filled)) return false;
    filled += piece;
  }
  return true;
  // LAB(14.4) end
}

}  // namespace minitf
