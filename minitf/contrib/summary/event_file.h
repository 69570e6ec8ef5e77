// EventFile: what TensorBoard reads, a record file of Event messages.
//
// TensorBoard looks for files with ".out.tfevents." in their name and reads them while
// they grow. The first record says which version of the format follows.
//
// Each writer has a file of its own, which it creates exclusively. If the name of the
// present second is taken, the writer uses the next free second. No file is truncated,
// and the names of one host sort in the order of creation.
//
// Compare    tensorflow/core/util/events_writer.h
// Read next  minitf/io/queues/queues.h

#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "minitf/io/records/record_file.h"

namespace minitf {

class EventFile {
 public:
  /// Creates the file `prefix.out.tfevents.SECONDS.HOST` and writes its first record.
  /// SECONDS are those since 1970; `suffix` stands behind the name. Throws Error if the
  /// file cannot be created.
  EventFile(const std::string& prefix, const std::string& suffix);

  /// Adds an Event, given as bytes. Throws FailedPrecondition after Close. Any thread may
  /// call.
  void Write(std::string_view event);
  /// Makes all events so far readable to others.
  void Flush();
  /// A second call does nothing.
  void Close();

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  std::mutex mutex_;
  RecordWriter writer_;
};

}  // namespace minitf
