// File readers: whole files, lines, records of fixed length, and TFRecords.
//
//   IdentityReader            the work item itself               key: the item
//   WholeFileReader           all bytes of the file              key: the file
//   TextLineReader            a line, without its end            key: file:line, from 1
//   FixedLengthRecordReader   so many bytes                      key: file:record, from 0
//   TFRecordReader            a record (record_file.h)           key: file:offset
//
// A file that cannot be opened, or holds nonsense, is an Error with the file's name.
//
// Compare    tensorflow/core/kernels/identity_reader_op.cc, whole_file_read_ops.cc,
//            text_line_reader_op.cc, fixed_length_record_reader_op.cc,
//            tf_record_reader_op.cc
// Read next  minitf/io/readers/reader_op_kernel.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "minitf/io/readers/reader.h"
#include "minitf/io/records/byte_stream.h"
#include "minitf/io/records/file_system.h"
#include "minitf/io/records/record_file.h"

namespace minitf {

class IdentityReader final : public ReaderBase {
 public:
  using ReaderBase::ReaderBase;

 private:
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override;
};

class WholeFileReader final : public ReaderBase {
 public:
  using ReaderBase::ReaderBase;

 private:
  // Reads it here: a file that cannot be read is no work, and is left behind.
  void OnWorkStartedLocked() override { contents_ = ReadWholeFile(current_work()); }
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override;

  std::string contents_;
};

/// Bytes of a file that have been read and not yet used. Asks for no more memory than the
/// file has bytes.
class ReadAhead {
 public:
  ReadAhead(const std::string& path, Compression compression)
      : source_(OpenSource(path, compression)) {}

  /// Makes `count` bytes ready, if the file has so many more. Returns whether it has.
  bool Prepare(int64_t count);
  /// The bytes that are ready: after Prepare(count) at least so many, or all there are.
  std::string_view ready() const { return std::string_view(bytes_).substr(begin_); }
  /// Goes on by `count` bytes, or to the end of the file, whichever comes first.
  void Skip(int64_t count);

 private:
  bool ReadMore();

  std::unique_ptr<ByteSource> source_;
  std::string bytes_;
  size_t begin_ = 0;
};

/// Lines end with `\n` or `\r\n`; the last one may do without.
class TextLineReader final : public ReaderBase {
 public:
  /// The first `skip_header_lines` lines of each file are left out.
  TextLineReader(std::string name, int64_t skip_header_lines)
      : ReaderBase(std::move(name)), skip_header_lines_(skip_header_lines) {}

 private:
  void OnWorkStartedLocked() override;
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override;
  void OnWorkFinishedLocked() override { file_.reset(); }
  void ResetLocked() override;
  bool ReadLine(std::string* line);

  const int64_t skip_header_lines_;
  std::unique_ptr<ReadAhead> file_;
  int64_t line_number_ = 0;
};

/// Where the records of a file lie: a header, then records that begin hop_bytes apart,
/// then a footer. Bytes before the footer that are no whole record are left out.
struct RecordLayout {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;  ///< 0: one record after the other
};

class FixedLengthRecordReader final : public ReaderBase {
 public:
  /// Throws InvalidArgument for a layout that makes no sense.
  FixedLengthRecordReader(std::string name, const RecordLayout& layout,
                          Compression compression);

 private:
  void OnWorkStartedLocked() override;
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override;
  void OnWorkFinishedLocked() override { file_.reset(); }
  void ResetLocked() override;

  const RecordLayout layout_;
  const Compression compression_;
  std::unique_ptr<ReadAhead> file_;
  int64_t record_number_ = 0;
};

class TFRecordReader final : public ReaderBase {
 public:
  TFRecordReader(std::string name, Compression compression)
      : ReaderBase(std::move(name)), compression_(compression) {}

 private:
  void OnWorkStartedLocked() override;
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override;
  void OnWorkFinishedLocked() override { file_.reset(); }
  void ResetLocked() override;

  const Compression compression_;
  std::unique_ptr<RecordReader> file_;
};

}  // namespace minitf
