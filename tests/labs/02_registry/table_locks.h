// The lock of a table of names: who goes first, and who waits for it.

#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

#include <pybind11/pybind11.h>

#include "minitf/base/name_table.h"
#include "minitf/base/status.h"

namespace minitf {

// The lock of a NameTable, which is private: naming a member to make a template of it is
// the one place where the language does not ask.
std::shared_mutex& LockOf(NameTable& table);
template <std::shared_mutex NameTable::*lock>
struct Opened {
  friend std::shared_mutex& LockOf(NameTable& table) { return table.*lock; }
};
template struct Opened<&NameTable::mutex_>;

// Has whoever wants to write go before those who want to read. The standard leaves open
// who goes first, so a thread that reads may wait for a lock that it has already.
inline void LetWritersGoFirst(std::shared_mutex& lock) {
  pthread_rwlockattr_t attr;
  pthread_rwlockattr_init(&attr);
  pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  auto* const handle = static_cast<pthread_rwlock_t*>(lock.native_handle());
  pthread_rwlock_destroy(handle);
  pthread_rwlock_init(handle, &attr);
  pthread_rwlockattr_destroy(&attr);
}

// Whether calls of Get, for what is there and what is not, come to an end while another
// thread replaces an entry. They go on until that has come between two of them so many
// times, or for a second. A thread that is stuck is left alone.
inline bool GetEndsWhileOthersWrite(int num_turns) {
  const auto table = std::make_shared<NameTable>("op");
  LetWritersGoFirst(LockOf(*table));
  table->Add("there", std::make_shared<int>());
  const auto is_over = std::make_shared<std::atomic<bool>>(false);
  const auto num_written = std::make_shared<std::atomic<int>>(0);
  std::promise<void> promise;
  const std::future<void> end = promise.get_future();
  std::thread writer([table, is_over, num_written] {
    for (; !*is_over; ++*num_written) {
      table->Replace("there", std::make_shared<int>());
      // Whoever wakes up does so at any point of what the other one does.
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  std::thread reader([=, promise = std::move(promise)]() mutable {
    const auto start = std::chrono::steady_clock::now();
    int turns = 0, seen = 0;
    for (int i = 0; turns < num_turns; ++i) {
      if (seen != *num_written) ++turns;
      seen = *num_written;
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(1)) break;
      try {
        table->Get(i % 2 == 0 ? "there" : "not there");
      } catch (const Error&) {
      }
    }
    promise.set_value();
  });
  const pybind11::gil_scoped_release release;
  const bool ends = end.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  *is_over = true;
  if (ends) {
    writer.join();
    reader.join();
  } else {
    writer.detach();
    reader.detach();
  }
  return ends;
}

// Whether Get of `key`, in a table that has "there" alone, waits while this thread holds
// the lock, and ends once it is free.
inline bool GetWaitsForLock(const std::string& key) {
  NameTable table("op");
  table.Add("there", std::make_shared<int>());
  const pybind11::gil_scoped_release release;
  std::unique_lock lock(LockOf(table));
  std::promise<void> started;
  std::future<void> end = std::async(std::launch::async, [&table, &key, &started] {
    started.set_value();
    try {
      table.Get(key);
    } catch (const Error&) {
    }
  });
  started.get_future().wait();
  const bool waits =
      end.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout;
  lock.unlock();
  end.wait();
  return waits;
}

}  // namespace minitf
