// Record files: framing, checksums, and what to do about a bad record.
//
// Exercise   exercises/14_input
// Compare    tensorflow/core/lib/io/record_writer.cc, record_reader.cc
// Read next  minitf/io/messages/example_wire.h

#include "minitf/io/records/record_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "minitf/base/lab.h"
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
  // TODO(14.2) begin: write the length, its checksum, the data, and theirs
  MINITF_TODO("14.2");
  // TODO(14.2) end
}

// ---- Reading -------------------------------------------------------------------------

RecordReader::RecordReader(const std::string& path, Compression compression)
    : path_(path),
      source_(OpenSource(path, compression)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

bool RecordReader::Read(std::string* record) {
  if (!failure_.empty()) throw Error(errors::DataLoss(failure_));
  // TODO(14.3) begin: read the four fields; Fail if they are not there, or not right
  MINITF_TODO("14.3");
  // TODO(14.3) end
}

bool RecordReader::SkipCorrupted() {
  // TODO(14.3) begin: go on behind a bad record, if Fail was told where that is
  MINITF_TODO("14.3");
  // TODO(14.3) end
}

void RecordReader::Fail(std::string_view what, int64_t skip_to) {
  skip_to_ = skip_to;
  failure_ = StrCat(what, " record at ", offset_, " in ", path_);
  throw Error(errors::DataLoss(failure_));
}

// Copies the next `count` bytes. False if there are fewer; then they are used up.
bool RecordReader::ReadBytes(int64_t count, char* to) {
  // TODO(14.4) begin: from the buffer, and from the source when that is used up
  MINITF_TODO("14.4");
  // TODO(14.4) end
}

// Reads `length` bytes to *record. False if there are fewer, which need not be used up. A
// length may be wrong, so memory is taken only for bytes that exist.
bool RecordReader::ReadData(int64_t length, std::string* record) {
  // TODO(14.4) begin: look how many bytes are left; if that is not known, read in pieces
  MINITF_TODO("14.4");
  // TODO(14.4) end
}

}  // namespace minitf
