// File readers: each is a few lines on top of ReaderBase.

#include "minitf/io/readers/file_readers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace minitf {
namespace {

constexpr int64_t kReadBytes = 256 << 10;
constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();

// "file:number". Made for each record, and so without a stream.
std::string KeyOf(const std::string& work, int64_t number) {
  std::string key = work;
  key += ':';
  key += std::to_string(number);
  return key;
}

}  // namespace

void IdentityReader::ReadLocked(std::string* key, std::string* value, bool* produced,
                                bool* at_end) {
  *key = current_work();
  *value = current_work();
  *produced = true;
  *at_end = true;
}

void WholeFileReader::ReadLocked(std::string* key, std::string* value, bool* produced,
                                 bool* at_end) {
  *key = current_work();
  *value = std::move(contents_);
  *produced = true;
  *at_end = true;
}

// ---- Reading ahead --------------------------------------------------------------------

bool ReadAhead::Prepare(int64_t count) {
  while (std::ssize(ready()) < count) {
    if (!ReadMore()) return false;
  }
  return true;
}

bool ReadAhead::ReadMore() {
  bytes_.erase(0, begin_);
  begin_ = 0;
  const size_t size = bytes_.size();
  // Twice as much each time, so that one long line is not moved again and again.
  bytes_.resize(size + std::max<size_t>(kReadBytes, size));
  const size_t count = source_->Read(bytes_.data() + size, bytes_.size() - size);
  bytes_.resize(size + count);
  return count > 0;
}

void ReadAhead::Skip(int64_t count) {
  while (count > std::ssize(ready())) {
    count -= std::ssize(ready());
    begin_ = bytes_.size();
    if (!ReadMore()) return;
  }
  begin_ += count;
}

// ---- Lines ----------------------------------------------------------------------------

void TextLineReader::OnWorkStartedLocked() {
  file_ = std::make_unique<ReadAhead>(current_work(), Compression::kNone);
  std::string header;
  for (line_number_ = 0; line_number_ < skip_header_lines_; ++line_number_) {
    if (!ReadLine(&header)) return;
  }
}

bool TextLineReader::ReadLine(std::string* line) {
  size_t end = file_->ready().find('\n');
  while (end == std::string_view::npos) {
    const size_t searched = file_->ready().size();
    if (!file_->Prepare(std::ssize(file_->ready()) + 1)) break;
    Require(std::ssize(file_->ready()) <= kMaxBytes, "line ", line_number_ + 1, " of ",
            current_work(), " has 2^31 bytes or more");
    end = file_->ready().find('\n', searched);
  }
  const std::string_view ready = file_->ready();
  if (ready.empty()) return false;

  std::string_view found = ready.substr(0, end);
  if (end != std::string_view::npos && found.ends_with('\r')) found.remove_suffix(1);
  *line = found;
  file_->Skip(end == std::string_view::npos ? std::ssize(ready)
                                            : static_cast<int64_t>(end) + 1);
  return true;
}

void TextLineReader::ReadLocked(std::string* key, std::string* value, bool* produced,
                                bool* at_end) {
  *produced = ReadLine(value);
  *at_end = !*produced;
  if (*produced) *key = KeyOf(current_work(), ++line_number_);
}

void TextLineReader::ResetLocked() {
  ReaderBase::ResetLocked();
  file_.reset();
  line_number_ = 0;
}

// ---- Records of fixed length ----------------------------------------------------------

FixedLengthRecordReader::FixedLengthRecordReader(std::string name,
                                                 const RecordLayout& layout,
                                                 Compression compression)
    : ReaderBase(std::move(name)), layout_(layout), compression_(compression) {
  const auto check = [](int64_t bytes, std::string_view what) {
    Require(bytes >= 0, what, " must be >= 0 not ", bytes);
  };
  check(layout.header_bytes, "header_bytes");
  check(layout.footer_bytes, "footer_bytes");
  check(layout.hop_bytes, "hop_bytes");
  Require(layout.record_bytes > 0, "record_bytes must be > 0 not ", layout.record_bytes);
  Require(layout.record_bytes <= kMaxBytes && layout.footer_bytes <= kMaxBytes,
          "record_bytes and footer_bytes must be less than 2^31, are ",
          layout.record_bytes, " and ", layout.footer_bytes);
}

void FixedLengthRecordReader::OnWorkStartedLocked() {
  record_number_ = 0;
  file_ = std::make_unique<ReadAhead>(current_work(), compression_);
  file_->Skip(layout_.header_bytes);
}

void FixedLengthRecordReader::ReadLocked(std::string* key, std::string* value,
                                         bool* produced, bool* at_end) {
  if (!file_->Prepare(layout_.record_bytes + layout_.footer_bytes)) {
    *at_end = true;
    return;
  }
  *key = KeyOf(current_work(), record_number_++);
  *value = file_->ready().substr(0, layout_.record_bytes);
  *produced = true;
  file_->Skip(layout_.hop_bytes == 0 ? layout_.record_bytes : layout_.hop_bytes);
}

void FixedLengthRecordReader::ResetLocked() {
  ReaderBase::ResetLocked();
  file_.reset();
  record_number_ = 0;
}

// ---- TFRecords ------------------------------------------------------------------------

void TFRecordReader::OnWorkStartedLocked() {
  file_ = std::make_unique<RecordReader>(current_work(), compression_);
}

void TFRecordReader::ReadLocked(std::string* key, std::string* value, bool* produced,
                                bool* at_end) {
  const int64_t offset = file_->offset();
  *produced = file_->Read(value);
  *at_end = !*produced;
  if (*produced) *key = KeyOf(current_work(), offset);
}

void TFRecordReader::ResetLocked() {
  ReaderBase::ResetLocked();
  file_.reset();
}

}  // namespace minitf
