// Readers: the order of the hooks, where records come from, and damaged files.

#include "minitf/io/readers/reader.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/io/readers/file_readers.h"
#include "minitf/io/records/record_file.h"
#include "tests/minitf/io/queues/queue_testing.h"

namespace minitf::testing {
namespace {

using ReadRecord = ReaderInterface::Record;
using Strings = std::vector<std::string>;

// A queue of work items.
std::shared_ptr<Queue> WorkQueue() {
  return std::make_shared<FifoQueue>(
      QueueSpec{.kind = "FIFOQueue",
                .name = "work",
                .element = {{DType::kString}, {PartialShape(Shape{})}}});
}

void Put(Queue& queue, const Strings& items) {
  queue.EnqueueMany({Tensor::Of({std::ssize(items)}, items)}, nullptr,
                    [](const Status& status, const Element&) { ThrowIfError(status); });
}

std::shared_ptr<Queue> ClosedQueueOf(const Strings& items) {
  auto queue = WorkQueue();
  Put(*queue, items);
  queue->Close(false, nullptr, [](const Status&, const Element&) {});
  return queue;
}

// A call of ReadUpTo and, later, its result.
class Read {
 public:
  Read(ReaderInterface& reader, std::shared_ptr<Queue> queue, int64_t count = 1,
       CancellationManager* manager = nullptr) {
    reader.ReadUpTo(
        count, std::move(queue), manager,
        [promise = promise_](const Status& status, std::vector<ReadRecord> got) {
          promise->set_value({status, std::move(got)});
        });
  }

  bool is_done() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  const std::pair<Status, std::vector<ReadRecord>>& Get() const {
    if (future_.wait_for(kLong) != std::future_status::ready) {
      throw std::runtime_error("the read does not end");
    }
    return future_.get();
  }
  std::string error() const { return Get().first.message(); }
  // "key=value" of each record.
  Strings records() const {
    ThrowIfError(Get().first);
    Strings texts;
    for (const ReadRecord& record : Get().second) {
      texts.push_back(record.key + "=" + record.value);
    }
    return texts;
  }

 private:
  using Result = std::pair<Status, std::vector<ReadRecord>>;
  std::shared_ptr<std::promise<Result>> promise_ =
      std::make_shared<std::promise<Result>>();
  std::shared_future<Result> future_ = promise_->get_future();
};

// All records up to the end of the work, and then the error.
Strings ReadAll(ReaderInterface& reader, const std::shared_ptr<Queue>& queue,
                int64_t count = 1) {
  Strings all;
  while (true) {
    const Read read(reader, queue, count);
    if (!read.Get().first.ok()) {
      all.push_back(read.Get().first.code() == Code::kOutOfRange ? "end" : read.error());
      return all;
    }
    for (const std::string& record : read.records()) all.push_back(record);
  }
}

// Gives "a1", "a2", ... for an item "a2"; writes down which hook is called.
class CountingReader final : public ReaderBase {
 public:
  CountingReader() : ReaderBase("CountingReader 'r'") {}

  Strings hooks;

 private:
  void OnWorkStartedLocked() override {
    hooks.push_back("start " + current_work());
    if (current_work() == "bad") throw Error(errors::NotFound("no bad"));
    next_ = 1;
  }
  void ReadLocked(std::string* key, std::string* value, bool* produced,
                  bool* at_end) override {
    hooks.emplace_back("read");
    if (current_work() == "stuck") return;
    if (next_ > current_work()[1] - '0') {
      *at_end = true;
      return;
    }
    if (next_ == 3) throw Error(errors::DataLoss("three"));
    *key = StrCat(current_work()[0], next_);
    *value = StrCat(next_++);
    *produced = true;
  }
  void OnWorkFinishedLocked() override { hooks.push_back("finish " + current_work()); }
  void ResetLocked() override {
    ReaderBase::ResetLocked();
    hooks.emplace_back("reset");
  }

  int next_ = 0;
};

// ---- What is common -------------------------------------------------------------------

TEST(ReaderBase, CallsTheHooksInOrder) {
  const auto reader = std::make_shared<CountingReader>();
  EXPECT_EQ(ReadAll(*reader, ClosedQueueOf({"a2", "b1"})),
            Strings({"a1=1", "a2=2", "b1=1", "end"}));
  reader->Reset();
  EXPECT_EQ(reader->hooks, Strings({"start a2", "read", "read", "read", "finish a2",
                                    "start b1", "read", "read", "finish b1", "reset"}));
}

TEST(ReaderBase, CountsRecordsAndWork) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = ClosedQueueOf({"a2", "b0", "c1"});
  Read(*reader, queue).Get();
  EXPECT_EQ(reader->NumRecordsProduced(), 1);
  EXPECT_EQ(reader->NumWorkUnitsCompleted(), 0);
  ReadAll(*reader, queue);
  EXPECT_EQ(reader->NumRecordsProduced(), 3);
  EXPECT_EQ(reader->NumWorkUnitsCompleted(), 3);
  reader->Reset();
  EXPECT_EQ(reader->NumRecordsProduced(), 0);
  EXPECT_EQ(reader->NumWorkUnitsCompleted(), 0);
}

TEST(ReaderBase, ReadsManyRecordsOfOneItem) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = ClosedQueueOf({"b0", "a2", "c1"});
  EXPECT_EQ(Read(*reader, queue, 5).records(), Strings({"a1=1", "a2=2"}));
  EXPECT_EQ(Read(*reader, queue, 5).records(), Strings({"c1=1"}));
  EXPECT_EQ(Read(*reader, queue, 0).records(), Strings());
}

TEST(ReaderBase, AnErrorComesAfterTheRecordsBeforeIt) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = ClosedQueueOf({"a5"});
  EXPECT_EQ(Read(*reader, queue, 5).records(), Strings({"a1=1", "a2=2"}));
  EXPECT_EQ(Read(*reader, queue, 5).error(), "three");
}

TEST(ReaderBase, AnItemThatCannotBeStartedIsLeftBehind) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = ClosedQueueOf({"bad", "a1"});
  EXPECT_EQ(Read(*reader, queue).error(), "no bad");
  EXPECT_EQ(Read(*reader, queue).records(), Strings({"a1=1"}));
  EXPECT_EQ(reader->NumWorkUnitsCompleted(), 0);
}

TEST(ReaderBase, AReaderThatDoesNothingIsAnError) {
  const auto reader = std::make_shared<CountingReader>();
  EXPECT_EQ(Read(*reader, ClosedQueueOf({"stuck"})).error(),
            "ReadLocked() for CountingReader 'r' set *at_end=false *produced=false");
}

TEST(ReaderBase, WaitsForWorkWithoutAThread) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = WorkQueue();
  const Read first(*reader, queue);
  const Read second(*reader, queue);
  EXPECT_FALSE(first.is_done() || second.is_done());
  EXPECT_EQ(reader->NumRecordsProduced(), 0);  // may be asked meanwhile
  Put(*queue, {"a1"});
  EXPECT_EQ(first.records(), Strings({"a1=1"}));
  EXPECT_FALSE(second.is_done());
  Put(*queue, {"b0", "c1"});
  EXPECT_EQ(second.records(), Strings({"c1=1"}));
}

TEST(ReaderBase, ManyEmptyItemsNeedNoDeepStack) {
  const auto reader = std::make_shared<CountingReader>();
  Strings items(100'000, "a0");
  items.emplace_back("z1");
  EXPECT_EQ(Read(*reader, ClosedQueueOf(items)).records(), Strings({"z1=1"}));
}

TEST(ReaderBase, ACancelledStepStopsWaiting) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = WorkQueue();
  CancellationManager manager;
  CancellationManager other;
  const Read first(*reader, queue, 1, &manager);
  const Read second(*reader, queue, 1, &other);
  const Read third(*reader, queue);
  other.StartCancel();  // not the first in line
  EXPECT_EQ(second.error(), "Read operation was cancelled");
  manager.StartCancel();
  EXPECT_EQ(first.Get().first.code(), Code::kCancelled);
  Put(*queue, {"a1"});
  EXPECT_EQ(third.records(), Strings({"a1=1"}));
  EXPECT_EQ(Read(*reader, queue, 1, &manager).Get().first.code(), Code::kCancelled);
}

TEST(ReaderBase, FourThreadsReadEachRecordOnce) {
  const auto reader = std::make_shared<CountingReader>();
  const auto queue = WorkQueue();
  std::atomic<int> num_read = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (Read(*reader, queue).Get().first.ok()) ++num_read;
    });
  }
  for (int i = 0; i < 500; ++i) Put(*queue, {"a2", "b0"});
  queue->Close(false, nullptr, [](const Status&, const Element&) {});
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_read, 1000);
  EXPECT_EQ(reader->NumRecordsProduced(), 1000);
}

TEST(ReaderBase, RefusesAQueueOfNumbers) {
  const auto reader = std::make_shared<CountingReader>();
  EXPECT_THROW(Read(*reader, Fifo(3)), Error);
  EXPECT_THROW(Read(*reader, WorkQueue(), -1), Error);
}

// ---- Files ----------------------------------------------------------------------------

class FileReaders : public ::testing::Test {
 protected:
  FileReaders() {
    std::string name = ::testing::TempDir() + "readers_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~FileReaders() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  // What a reader gives for these files, with the folder left out of the keys.
  template <typename Reader>
  Strings All(const std::shared_ptr<Reader>& reader, const Strings& files,
              int64_t count = 1) {
    Strings all = ReadAll(*reader, ClosedQueueOf(files), count);
    const std::string prefix = folder_.string() + "/";
    for (std::string& text : all) {
      for (size_t at; (at = text.find(prefix)) != std::string::npos;) {
        text.erase(at, prefix.size());
      }
    }
    return all;
  }
  Strings Lines(const Strings& files, int64_t skipped = 0) {
    return All(std::make_shared<TextLineReader>("TextLineReader 't'", skipped), files);
  }
  Strings Fixed(const std::string& file, const RecordLayout& layout) {
    return All(std::make_shared<FixedLengthRecordReader>("f", layout, Compression::kNone),
               {file});
  }

  std::filesystem::path folder_;
};

TEST_F(FileReaders, LinesEndWithLfOrCrLfOrTheFile) {
  const std::string a = File("a", "one\ntwo\r\nth\rree\n\nlast");
  EXPECT_EQ(
      Lines({a, File("b", ""), File("c", "x\n")}),
      Strings({"a:1=one", "a:2=two", "a:3=th\rree", "a:4=", "a:5=last", "c:1=x", "end"}));
  EXPECT_EQ(Lines({a}, 3), Strings({"a:4=", "a:5=last", "end"}));
  EXPECT_EQ(Lines({a}, 9), Strings({"end"}));
}

TEST_F(FileReaders, ALineMayBeLongerThanABuffer) {
  const std::string line(1'000'000, 'x');
  const Strings lines = Lines({File("a", line + "\r\nend\n" + line)});
  EXPECT_EQ(lines[0], "a:1=" + line);
  EXPECT_EQ(lines[1], "a:2=end");
  EXPECT_EQ(lines[2], "a:3=" + line);
}

TEST_F(FileReaders, WholeFilesAreRecords) {
  const auto reader = std::make_shared<WholeFileReader>("w");
  EXPECT_EQ(All(reader, {File("a", "x\ny"), File("b", "")}),
            Strings({"a=x\ny", "b=", "end"}));
}

TEST_F(FileReaders, FixedRecordsLieBetweenHeaderAndFooter) {
  const std::string file = File("f", "HHaaabbbcccF");
  EXPECT_EQ(Fixed(file, {2, 3, 1, 0}), Strings({"f:0=aaa", "f:1=bbb", "f:2=ccc", "end"}));
  EXPECT_EQ(Fixed(file, {2, 3, 1, 2}),
            Strings({"f:0=aaa", "f:1=abb", "f:2=bbc", "f:3=ccc", "end"}));
  EXPECT_EQ(Fixed(file, {2, 3, 1, 4}), Strings({"f:0=aaa", "f:1=bbc", "end"}));
  EXPECT_EQ(Fixed(file, {2, 4, 0, 0}), Strings({"f:0=aaab", "f:1=bbcc", "end"}));
  EXPECT_EQ(Fixed(file, {20, 1, 0, 0}), Strings({"end"}));
  EXPECT_EQ(Fixed(File("e", ""), {2, 3, 1, 0}), Strings({"end"}));
}

TEST_F(FileReaders, FixedRecordsRefuseSizesThatMakeNoSense) {
  const auto error = [&](const RecordLayout& layout) -> std::string {
    try {
      Fixed("f", layout);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error({0, 0, 0, 0}), "record_bytes must be > 0 not 0");
  EXPECT_EQ(error({-1, 1, 0, 0}), "header_bytes must be >= 0 not -1");
  EXPECT_EQ(error({0, 1, -1, 0}), "footer_bytes must be >= 0 not -1");
  EXPECT_EQ(error({0, 1, 0, -1}), "hop_bytes must be >= 0 not -1");
  EXPECT_NE(error({0, int64_t{1} << 40, 0, 0}), "");
}

TEST_F(FileReaders, KeysOfTFRecordsAreTheirOffsets) {
  const std::string file = folder_ / "r";
  {
    RecordWriter writer(file);
    writer.Write("abc");
    writer.Write("defg");
    writer.Close();
  }
  const auto read = [&](const std::string& path) {
    return All(std::make_shared<TFRecordReader>("t", Compression::kNone), {path});
  };
  EXPECT_EQ(read(file), Strings({"r:0=abc", "r:19=defg", "end"}));

  std::string bytes = ReadWholeFile(file);
  EXPECT_EQ(read(File("cut", bytes.substr(0, 30))),
            Strings({"cut:0=abc", "truncated record at 19 in cut"}));
  bytes[32] ^= 1;
  EXPECT_EQ(read(File("bad", bytes)),
            Strings({"bad:0=abc", "corrupted record at 19 in bad"}));
}

TEST_F(FileReaders, AMissingFileIsNamedAndLeftBehind) {
  const auto reader = std::make_shared<TextLineReader>("t", 0);
  const auto queue = ClosedQueueOf({folder_ / "none", File("a", "x")});
  const Read missing(*reader, queue);
  EXPECT_EQ(missing.Get().first.code(), Code::kNotFound);
  EXPECT_EQ(missing.error(), (folder_ / "none").string() + "; No such file or directory");
  EXPECT_EQ(Read(*reader, queue).Get().second[0].value, "x");
}

}  // namespace
}  // namespace minitf::testing
