// LoadOpLibrary: ops and kernels out of a shared library.
//
// A library registers its ops when the system loads it, as minitf's own files do. So a
// library needs no function that somebody calls.
//
// Compare    tensorflow/core/framework/load_library.cc
// Read next  minitf/eager/dispatch.h

#pragma once

#include <set>
#include <string>

namespace minitf {

/// Loads the shared library `path`, unless it is loaded. Returns the names of its ops, and
/// of the ops of libraries that are loaded with it. Throws NotFound if the system cannot
/// load it, and the error of a registration that failed. Safe to call from any thread.
std::set<std::string> LoadOpLibrary(const std::string& path);

}  // namespace minitf
