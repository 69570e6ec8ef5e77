// Queues: where the threads that read data leave it for the thread that trains.
//
// An element of a queue is a tuple, one tensor for each component. If the queue is full
// or has too few elements, a call becomes a pending operation and its thread goes on. The
// thread whose call makes the operation possible runs the callback.
//
//   enqueuers  ->  | a a b |  ->  elements, up to `capacity`  ->  | c d |  ->  dequeuers
//              pending enqueues                              pending dequeues
//
// Pending operations wait in FIFO order. Only the first one runs, and it may run in part:
// a dequeue of 10 elements from a queue for 3 takes the elements as they come. If it is
// cancelled, its elements return to the queue.
//
// A closed queue refuses new elements. Once it is empty, a dequeue gets OutOfRange.
//
// Lab 14     queues.cc
// Compare    tensorflow/core/kernels/queue_base.h, fifo_queue.cc
// Read next  minitf/io/queues/forget_callback.h

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/random.h"
#include "minitf/io/queues/queue_element.h"
#include "minitf/tensor/resource_handle.h"

namespace minitf {

/// What a queue is. Two nodes that share a queue must agree on it.
struct QueueSpec {
  std::string kind;  ///< "FIFOQueue": how messages call it
  std::string name;
  int64_t capacity = -1;          ///< most elements it may hold; negative: any number
  ElementSpec element;            ///< types and shapes of the components
  int64_t min_after_dequeue = 0;  ///< of a RandomShuffleQueue: it keeps so many
  int64_t seed = 0, seed2 = 0;    ///< of a RandomShuffleQueue; both 0: any seed
};

/// All kinds of queues. They differ in where an element goes and which one comes next.
/// Safe to use from any thread. Owned by shared_ptr.
class Queue : public Resource, public std::enable_shared_from_this<Queue> {
 public:
  static constexpr const char* kKind = "queue";

  /// Is called once: with an error, or with what was asked for.
  using Done = std::function<void(const Status& status, Element element)>;

  explicit Queue(QueueSpec spec);
  ~Queue() override;

  /// Puts one element in. Calls `done` without an element, when it is in; with Cancelled,
  /// when the queue is closed, or `cancellation` (may be null) gives the step up before.
  void Enqueue(Element element, CancellationManager* cancellation, Done done);

  /// Puts the rows of `batch` in, one after another. They need not all fit at once; after
  /// Cancelled those that were in stay.
  void EnqueueMany(Element batch, CancellationManager* cancellation, Done done);

  /// Takes one element. OutOfRange, when the queue is closed and has none.
  void Dequeue(CancellationManager* cancellation, Done done);

  /// Takes `count` elements and stacks each component along a new axis 0. OutOfRange,
  /// when the queue is closed and has fewer; unless `allow_fewer`, and it has one.
  /// InvalidArgument, if the shapes of the components are not known well enough.
  void DequeueMany(int64_t count, bool allow_fewer, CancellationManager* cancellation,
                   Done done);

  /// Refuses every later enqueue. Those in line before this call come first, and `done`
  /// waits for them; with `cancel_pending_enqueues` they get Cancelled instead.
  void Close(bool cancel_pending_enqueues, CancellationManager* cancellation, Done done);

  bool is_closed() const;
  int64_t size() const;
  const QueueSpec& spec() const { return spec_; }
  std::string DebugString() const override;

  /// Throws InvalidArgument if a node that asks for `spec` must not get this queue.
  void RequireSameAs(const QueueSpec& spec) const;

 protected:
  // What a kind of queue decides. All are called with the queue's lock held.
  virtual void Put(Element element) = 0;
  virtual Element Take() = 0;
  /// Puts an element back that Take has given: the next Take may give it again.
  virtual void PutBack(Element element) = 0;
  virtual int64_t NumElements() const = 0;
  /// Elements that must stay as long as the queue is open.
  virtual int64_t NumKept() const { return 0; }
  /// Throws InvalidArgument if elements of this kind could not be stacked.
  virtual void RequireStackable() const;

 private:
  // A call that stands in line.
  struct Attempt;
  using Line = std::list<Attempt>;
  // An attempt that has left its line, and what its callback is to be told.
  struct Outcome;

  void StandInLine(Line* line, Attempt attempt);
  bool JoinLine(Line* line, Line* joining);
  void GiveUp(Line* line, int64_t id);
  void ServeLines();
  bool ServeFirst(Line* line, std::vector<Outcome>* outcomes);
  bool ServeEnqueue(Attempt* attempt, Status* status, bool* is_done);
  bool ServeDequeue(Attempt* attempt, Status* status, bool* is_done);
  void PutBackAll(Attempt* attempt);
  void Report(Outcome outcome);
  Status TooFew(int64_t requested, int64_t size) const;

  const QueueSpec spec_;
  mutable std::mutex mutex_;  // guards all below, and what the kinds hold
  bool is_closed_ = false;
  int64_t next_id_ = 0;
  Line enqueuers_;  // closing stands in this line, too
  Line dequeuers_;
};

/// First in, first out.
class FifoQueue : public Queue {
 public:
  using Queue::Queue;

 protected:
  void Put(Element element) override { elements_.push_back(std::move(element)); }
  Element Take() override;
  void PutBack(Element element) override { elements_.push_front(std::move(element)); }
  int64_t NumElements() const override { return std::ssize(elements_); }

 private:
  std::deque<Element> elements_;
};

/// A FifoQueue whose elements may differ in size. A batch of them is filled up with zeros
/// (or empty strings) to the size of the largest.
class PaddingFifoQueue final : public FifoQueue {
 public:
  /// Throws InvalidArgument unless every shape has a rank.
  explicit PaddingFifoQueue(QueueSpec spec);

 protected:
  void RequireStackable() const override {}
};

/// Any element comes next, all with the same chance. While it is open it keeps
/// `min_after_dequeue` elements: the more, the better they are mixed.
class RandomShuffleQueue final : public Queue {
 public:
  /// Throws InvalidArgument unless 0 <= min_after_dequeue < capacity.
  explicit RandomShuffleQueue(QueueSpec spec);

 protected:
  void Put(Element element) override { elements_.push_back(std::move(element)); }
  Element Take() override;
  void PutBack(Element element) override { Put(std::move(element)); }
  int64_t NumElements() const override { return std::ssize(elements_); }
  int64_t NumKept() const override { return spec().min_after_dequeue; }

 private:
  std::vector<Element> elements_;
  PhiloxNumbers random_;
};

/// The smallest comes next, by component 0, an int64 scalar. Of equal ones the first.
class PriorityQueue final : public Queue {
 public:
  /// Throws InvalidArgument unless component 0 is an int64 scalar.
  explicit PriorityQueue(QueueSpec spec);

 protected:
  void Put(Element element) override;
  Element Take() override;
  void PutBack(Element element) override;
  int64_t NumElements() const override { return std::ssize(elements_); }

 private:
  void Insert(Element element, int64_t order);

  // By priority; of equal ones by order.
  std::map<std::pair<int64_t, int64_t>, Element> elements_;
  int64_t first_order_ = 0;
  int64_t last_order_ = 0;
};

}  // namespace minitf
