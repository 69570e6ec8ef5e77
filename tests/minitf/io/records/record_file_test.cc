// Record files: the bytes that TensorFlow 2.21 writes, and what happens to damaged ones.

#include "minitf/io/records/record_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/status.h"
#include "minitf/io/records/crc32c.h"
#include "minitf/io/records/file_system.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::FromHex;

// Written by tf.io.TFRecordWriter: "abc", "defg" and "".
constexpr std::string_view kPlain =
    "0300000000000000b099490e6162636e57f121"
    "0400000000000000424552046465666727071ba1"
    "000000000000000029039807d8ea82a2";
constexpr std::string_view kGzip =
    "1f8b0800000000000003636680800d333df9129392f3c23f2ab240859c5c83585252d3d2d5d9a5174285"
    "18349967b0df78d5b408003afdd69537000000";
constexpr std::string_view kZlib =
    "789c636680800d333df9129392f3c23f2ab240859c5c83585252d3d2d5d9a517428518349967b0df78d5"
    "b408001b990bb3";

class RecordFile : public ::testing::Test {
 protected:
  RecordFile() {
    std::string name = ::testing::TempDir() + "record_file_XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/a.tfrecord";
  }
  ~RecordFile() override { std::filesystem::remove_all(folder_); }

  void WriteRecords(const std::vector<std::string>& records,
                    Compression compression = {}) {
    RecordWriter writer(path_, compression);
    for (const std::string& record : records) writer.Write(record);
    writer.Close();
  }

  std::vector<std::string> ReadRecords(Compression compression = {}) {
    RecordReader reader(path_, compression);
    std::vector<std::string> records;
    std::string record;
    while (reader.Read(&record)) records.push_back(record);
    return records;
  }

  // What reading `bytes` ends in: "" or the message of a DataLoss.
  std::string Failure(std::string_view bytes, Compression compression = {}) {
    WriteWholeFile(path_, bytes);
    try {
      ReadRecords(compression);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.status().code(), Code::kDataLoss) << error.what();
      return error.what();
    }
  }

  std::string folder_;
  std::string path_;
};

TEST_F(RecordFile, HasTheBytesThatTensorFlowWrites) {
  const std::vector<std::pair<Compression, std::string_view>> cases = {
      {Compression::kNone, kPlain},
      {Compression::kGzip, kGzip},
      {Compression::kZlib, kZlib}};
  for (const auto& [compression, hex] : cases) {
    WriteRecords({"abc", "defg", ""}, compression);
    EXPECT_EQ(ReadWholeFile(path_), FromHex(hex));
    EXPECT_EQ(ReadRecords(compression), (std::vector<std::string>{"abc", "defg", ""}));
  }
}

TEST_F(RecordFile, OffsetsAreLengthsAnd16BytesEach) {
  WriteRecords({"abc", "defg"});
  RecordReader reader(path_);
  std::string record;
  EXPECT_EQ(reader.offset(), 0);
  EXPECT_TRUE(reader.Read(&record));
  EXPECT_EQ(reader.offset(), 19);
  EXPECT_TRUE(reader.Read(&record));
  EXPECT_EQ(reader.offset(), 39);
  EXPECT_FALSE(reader.Read(&record));
  EXPECT_EQ(reader.offset(), 39);
}

TEST_F(RecordFile, HoldsRecordsOfEverySize) {
  std::vector<std::string> records;
  for (const int size : {0, 1, 262'143, 262'144, 262'145, 3'000'000, 2}) {
    std::string record(static_cast<size_t>(size), 'x');
    for (size_t i = 0; i < record.size(); i += 97) record[i] = static_cast<char>(i / 97);
    records.push_back(record);
  }
  for (const auto compression :
       {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    WriteRecords(records, compression);
    EXPECT_EQ(ReadRecords(compression), records);
  }
}

TEST_F(RecordFile, WithoutRecordsIsEmpty) {
  WriteRecords({});
  EXPECT_EQ(ReadWholeFile(path_), "");
  EXPECT_TRUE(ReadRecords().empty());
}

TEST_F(RecordFile, OfStrungGzipFilesHasTheRecordsOfAll) {
  WriteWholeFile(path_, FromHex(kGzip) + FromHex(kGzip));
  EXPECT_EQ(ReadRecords(Compression::kGzip).size(), 6U);
}

// Where reading fails, and "" if it does not.
std::string FailureOf(const std::string& path) {
  RecordReader reader(path);
  std::string record;
  try {
    while (reader.Read(&record)) {
    }
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(RecordFile, EveryFlippedBitIsFoundWithItsOffset) {
  std::vector<std::string> records;
  for (size_t i = 0; i < 100; ++i) records.emplace_back(i % 5, static_cast<char>(i));
  WriteRecords(records);
  const int file = open(path_.c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  off_t place = 0;
  for (const std::string& record : records) {
    const std::string message = StrCat("corrupted record at ", place, " in ", path_);
    for (size_t i = 0; i < record.size() + 16; ++i, ++place) {
      char byte;
      ASSERT_EQ(pread(file, &byte, 1, place), 1);
      for (int bit = 0; bit < 8; ++bit) {
        const char flipped = static_cast<char>(byte ^ (1 << bit));
        ASSERT_EQ(pwrite(file, &flipped, 1, place), 1);
        EXPECT_EQ(FailureOf(path_), message) << "byte " << place << ", bit " << bit;
      }
      ASSERT_EQ(pwrite(file, &byte, 1, place), 1);
    }
  }
  close(file);
  EXPECT_EQ(FailureOf(path_), "");
}

TEST_F(RecordFile, CutAnywhereIsTruncatedThere) {
  const std::string bytes = FromHex(kPlain);
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const bool at_end = length == 0 || length == 19 || length == 39 || length == 55;
    const int start = length < 19 ? 0 : length < 39 ? 19 : 39;
    const std::string message = StrCat("truncated record at ", start, " in ", path_);
    EXPECT_EQ(Failure(bytes.substr(0, length)), at_end ? "" : message);
  }
}

TEST_F(RecordFile, PackedAndDamagedIsDataLossOrTruncated) {
  for (const auto& [compression, hex] :
       {std::pair{Compression::kGzip, kGzip}, std::pair{Compression::kZlib, kZlib}}) {
    const std::string bytes = FromHex(hex);
    for (size_t length = 1; length < bytes.size(); ++length) {
      EXPECT_NE(Failure(bytes.substr(0, length), compression), "") << length;
    }
    EXPECT_NE(Failure("not packed at all", compression), "");
  }
}

// A header whose checksum is right, for a length that nobody wrote.
std::string HeaderOf(uint64_t length) {
  std::string header(reinterpret_cast<const char*>(&length), sizeof length);
  const uint32_t crc = MaskCrc(Crc32c(header));
  return header.append(reinterpret_cast<const char*>(&crc), sizeof crc);
}

TEST_F(RecordFile, LengthsBeyondTheFileTakeNoMemory) {
  const std::string message = "truncated record at 0 in " + path_;
  EXPECT_EQ(Failure(HeaderOf(1'500'000'000) + "abc"), message);
  EXPECT_EQ(Failure(HeaderOf(~uint64_t{0})), "corrupted record at 0 in " + path_);
  // Packed, where nobody knows how much is to come.
  const auto sink = OpenSink(path_, Compression::kZlib);
  sink->Write(HeaderOf(1'500'000'000) + "abc");
  sink->Close();
  EXPECT_EQ(Failure(ReadWholeFile(path_), Compression::kZlib), message);
}

TEST_F(RecordFile, ReadingGoesOnAfterABadRecord) {
  std::string bytes = FromHex(kPlain);
  bytes[13] = 'B';  // of "abc"
  WriteWholeFile(path_, bytes);
  RecordReader reader(path_);
  std::string record;
  EXPECT_THROW(reader.Read(&record), Error);
  EXPECT_EQ(reader.offset(), 0);
  EXPECT_THROW(reader.Read(&record), Error);
  EXPECT_TRUE(reader.SkipCorrupted());
  EXPECT_EQ(reader.offset(), 19);
  EXPECT_TRUE(reader.Read(&record));
  EXPECT_EQ(record, "defg");
  EXPECT_FALSE(reader.SkipCorrupted());  // nothing is wrong
  EXPECT_TRUE(reader.Read(&record));
  EXPECT_FALSE(reader.Read(&record));
}

TEST_F(RecordFile, ABadLengthIsTheEnd) {
  std::string bytes = FromHex(kPlain);
  bytes[0] = 4;
  WriteWholeFile(path_, bytes);
  RecordReader reader(path_);
  std::string record;
  EXPECT_THROW(reader.Read(&record), Error);
  EXPECT_FALSE(reader.SkipCorrupted());
  EXPECT_THROW(reader.Read(&record), Error);
}

TEST_F(RecordFile, FlushShowsTheRecordsToOthers) {
  for (const auto compression :
       {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    RecordWriter writer(path_, compression);
    writer.Write("first");
    writer.Flush();
    RecordReader reader(path_, compression);
    std::string record;
    EXPECT_TRUE(reader.Read(&record));
    EXPECT_EQ(record, "first");
  }
}

TEST_F(RecordFile, SaysWhichFileCannotBeOpened) {
  try {
    RecordReader reader(folder_ + "/none");
    FAIL() << "a file that is not there was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kNotFound);
    EXPECT_EQ(error.what(), folder_ + "/none; No such file or directory");
  }
  EXPECT_THROW(RecordWriter(folder_ + "/no/such/folder"), Error);
  RecordWriter writer(path_);
  writer.Close();
  EXPECT_THROW(writer.Write("late"), Error);
}

TEST(CompressionFromName, KnowsThree) {
  EXPECT_EQ(CompressionFromName(""), Compression::kNone);
  EXPECT_EQ(CompressionFromName("GZIP"), Compression::kGzip);
  EXPECT_EQ(CompressionFromName("ZLIB"), Compression::kZlib);
  EXPECT_THROW(CompressionFromName("LZ4"), Error);
}

}  // namespace
}  // namespace minitf
