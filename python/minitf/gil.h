// Letting other Python threads run while C++ works, also when Python is about to end.
//
// When the main thread ends, Python lets no other thread have its lock again: it ends
// those that ask for it, by unwinding their stacks like an exception that may not be
// caught. Destructors do not let that through, so the whole process would be aborted. A
// thread that comes here waits instead for the process to be over.
//
// Compare    pybind11::gil_scoped_release
// Read next  python/minitf/bind_session.cc

#pragma once

#include <Python.h>
#include <unistd.h>

namespace minitf {

inline bool PythonIsEnding() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

/// While it lives, this thread does without Python, and others may run.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      while (true) pause();
    }
  }

  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

}  // namespace minitf
