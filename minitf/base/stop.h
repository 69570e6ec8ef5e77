// StopIfAsked: how a long piece of work learns that its result is not needed any more.
//
// A step can be given up while a kernel computes: its time is over, the user presses
// Ctrl-C, the session closes, another node fails. Nothing can be taken from a thread by
// force, so long work asks, several times a second, whether to go on. Each thread has the
// question that it has to ask: the executor leaves it there before it runs nodes,
// ThreadPool::ParallelFor hands it on to the threads that help, and kernels call
//
//   StopIfAsked();   // throws Cancelled
//
// between their blocks. ParallelFor asks by itself; only a kernel whose pieces are long
// in spite of that has to.
//
// Read next  minitf/base/philox.h

#pragma once

#include <functional>

namespace minitf {

/// Says whether to give up the work. Any thread may ask, and several at once.
using StopQuestion = std::function<bool()>;

/// While it lives, `question` is the one of this thread; null, or one without a function,
/// means that the work goes on to its end.
class StopScope {
 public:
  explicit StopScope(const StopQuestion* question);
  ~StopScope();

  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// The question of this thread, or null.
  static const StopQuestion* Current();

 private:
  const StopQuestion* const outer_;
};

/// Throws Cancelled if this thread's question says that the work is given up.
void StopIfAsked();

}  // namespace minitf
