// Record files: any number of byte strings, one after another, each with its checksums.
//
// A record is four fields, numbers in little endian:
//
//   bytes  8          4                    length   4
//          length     masked crc of        data     masked crc of
//                     the length field              the data
//
// so a file takes 16 bytes more for each record, and "abc" is these 19:
//
//   0300000000000000 b099490e 616263 6e57f121
//
// There is no index and no mark where a record begins: to find the next one, a reader
// relies on a length. That is why the length has a checksum of its own.
//
// Compare    tensorflow/core/lib/io/record_writer.h, record_reader.h
// Read next  minitf/io/messages/example_wire.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "minitf/io/records/byte_stream.h"

namespace minitf {

class RecordWriter {
 public:
  /// Makes the file, in place of one that may be there. Throws Error if it cannot.
  explicit RecordWriter(const std::string& path, Compression compression = {},
                        const DeflateOptions& options = {});

  /// Adds a record. Throws FailedPrecondition after Close.
  void Write(std::string_view record);
  /// Makes all records so far readable to others.
  void Flush() { sink_->Flush(); }
  /// Flushes, and closes the file. A second call does nothing.
  void Close() { sink_->Close(); }

 private:
  std::unique_ptr<ByteSink> sink_;
};

/// Reads records in order. All offsets count bytes of the file as it is unpacked.
class RecordReader {
 public:
  static constexpr int64_t kHeaderBytes = 12;
  static constexpr int64_t kFooterBytes = 4;
  /// No record is longer: a reader holds a whole record in memory.
  static constexpr int64_t kMaxRecordBytes = (int64_t{1} << 31) - 1;

  /// Throws Error (NotFound, ...) if the file cannot be opened.
  explicit RecordReader(const std::string& path, Compression compression = {});

  /// Reads the next record to *record. Returns false at the end of the file.
  ///
  /// Throws DataLoss, with the offset where the record begins and the file's name:
  /// "corrupted record at 19 in ...", when a checksum is wrong; "truncated record at
  /// ...", when the file ends within the record. Then offset() stays, and every further
  /// call throws the same, unless SkipCorrupted() finds a way on. What the source
  /// throws, such as DataLoss of packed bytes that make no sense, passes as it is.
  bool Read(std::string* record);

  /// After Read has thrown: goes to the record after the bad one, and returns true. That
  /// needs an intact length, and all bytes of the record; without them, or if Read has
  /// not thrown since, it returns false, and nothing changes.
  bool SkipCorrupted();

  /// Where the next record begins.
  int64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  bool ReadBytes(int64_t count, char* to);
  bool ReadData(int64_t length, std::string* record);
  [[noreturn]] void Fail(std::string_view what, int64_t skip_to);

  const std::string path_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;  // buffer_[begin_, end_) is read from the source, and not yet used
  size_t end_ = 0;
  int64_t offset_ = 0;
  std::string failure_;   // what Read has thrown; empty: nothing
  int64_t skip_to_ = -1;  // where the record after a bad one begins; -1: not known
};

}  // namespace minitf
