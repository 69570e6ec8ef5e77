// Python's lock: letting other threads have it while C++ works, and taking it.
//
// When the main thread ends, Python lets no other thread have its lock again: it ends
// those that ask for it, by unwinding their stacks like an exception that may not be
// caught. Destructors do not let that through, and C++ below a kernel catches it; either
// way the whole process would be aborted. A thread that comes here waits instead for the
// process to be over.
//
// Compare    pybind11::gil_scoped_release, gil_scoped_acquire
// Read next  python/bindings/bind_session.cc

#pragma once

#include <Python.h>
#include <atomic>
#include <thread>
#include <unistd.h>

namespace minitf {

inline bool PythonIsEnding() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

/// The thread that runs Python's exit handlers, from the moment on in which minitf's has
/// come; no thread before that (bind_session.cc).
inline std::atomic<std::thread::id> thread_that_ends_python;

/// Whether this thread has nothing more to do in Python.
inline bool MustStayOutside() {
  const std::thread::id ending = thread_that_ends_python;
  return ending != std::thread::id() && ending != std::this_thread::get_id();
}

/// Waits for the process to be over.
[[noreturn]] inline void WaitForTheEnd() {
  while (true) pause();
}

/// While it lives, this thread does without Python, and others may run.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    if (MustStayOutside()) WaitForTheEnd();
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      WaitForTheEnd();
    }
  }

  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

/// Python's lock, for a thread of C++ that has given it away or never had it.
class GilHeld {
 public:
  GilHeld() : state_(Acquire()) {}
  ~GilHeld() { PyGILState_Release(state_); }

  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  static PyGILState_STATE Acquire() {
    try {
      return PyGILState_Ensure();
    } catch (...) {
      WaitForTheEnd();
    }
  }

  const PyGILState_STATE state_;
};

}  // namespace minitf
