// Readers: from the names of files to records, one after another.
//
// A reader takes a work item, such as the name of a file, from a queue and returns its
// records one by one, each with a key. A new format is a class derived from ReaderBase
// that overrides some of these hooks:
//
//   OnWorkStartedLocked     a new item: open the file current_work()
//   ReadLocked              the next record; or there is none left in this item
//   OnWorkFinishedLocked    close the file
//   ResetLocked             back to the start
//
// and a kernel that makes one (reader_op_kernel.h). The queue may make a reader wait; it
// holds no thread meanwhile. Reads of one reader are served in line.
//
//   OnWorkStarted, ReadLocked, ..., ReadLocked (at end), OnWorkFinished, OnWorkStarted
//
// Compare    tensorflow/core/framework/reader_interface.h, reader_base.h
// Read next  minitf/io/readers/file_readers.h

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/cancellation.h"
#include "minitf/io/queues/queues.h"
#include "minitf/tensor/resource_handle.h"

namespace minitf {

/// What ops know of a reader. Safe to use from any thread. Owned by shared_ptr.
class ReaderInterface : public Resource {
 public:
  static constexpr const char* kKind = "reader";

  struct Record {
    std::string key;
    std::string value;
  };
  /// Is called once: with an error, or with the records.
  using Done = std::function<void(const Status& status, std::vector<Record> records)>;

  /// Reads up to `count` records, and at least one: as many as the work item has that is
  /// under way. Takes items from `queue`, whose elements are string scalars; its errors
  /// are passed on, OutOfRange at the end of all work among them. `cancellation` may be
  /// null.
  virtual void ReadUpTo(int64_t count, std::shared_ptr<Queue> queue,
                        CancellationManager* cancellation, Done done) = 0;

  /// Forgets everything: the reader is as new.
  virtual void Reset() = 0;
  virtual int64_t NumRecordsProduced() = 0;
  virtual int64_t NumWorkUnitsCompleted() = 0;
};

/// What is common to readers. A derived class implements the hooks; they are called by
/// one thread at a time, with the reader's lock held, and may throw Error.
class ReaderBase : public ReaderInterface,
                   public std::enable_shared_from_this<ReaderBase> {
 public:
  /// `name` is used in messages.
  explicit ReaderBase(std::string name) : name_(std::move(name)) {}
  ~ReaderBase() override;

  void ReadUpTo(int64_t count, std::shared_ptr<Queue> queue,
                CancellationManager* cancellation, Done done) override;
  void Reset() override;
  int64_t NumRecordsProduced() override;
  int64_t NumWorkUnitsCompleted() override;
  std::string DebugString() const override { return name_; }

 protected:
  /// Reads the next record of current_work(): sets *key and *value, and *produced to
  /// true. When there is none left, sets *at_end to true. It may do both. Both are false
  /// before the call, and one of them must be true after it.
  virtual void ReadLocked(std::string* key, std::string* value, bool* produced,
                          bool* at_end) = 0;
  /// Is called before the first ReadLocked of a work item.
  virtual void OnWorkStartedLocked() {}
  /// Is called when ReadLocked has set *at_end.
  virtual void OnWorkFinishedLocked() {}
  /// A derived class that overrides this calls it too.
  virtual void ResetLocked();

  const std::string& name() const { return name_; }
  /// The work item under way, or the last one.
  const std::string& current_work() const { return work_; }
  bool work_in_progress() const { return work_finished_ < work_started_; }

 private:
  // A call of ReadUpTo, standing in line.
  struct Request;
  using RequestPointer = std::shared_ptr<Request>;

  void Serve();
  bool TryServe(Request* request);
  bool FetchWork(const RequestPointer& request);
  void ReadRecords(int64_t count, std::vector<Record>* records);
  void StartWork(const Element& element);
  void GiveUp(const RequestPointer& request);

  const std::string name_;

  std::mutex line_mutex_;                // guards the line
  std::deque<RequestPointer> requests_;  // the first is being served
  bool is_serving_ = false;

  std::mutex mutex_;  // guards all below, and what derived classes hold
  int64_t work_started_ = 0;
  int64_t work_finished_ = 0;
  int64_t num_records_produced_ = 0;
  std::string work_;
  Status deferred_;  // the error that ended a read after its first record
};

}  // namespace minitf
