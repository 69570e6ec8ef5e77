// FolderOf: where a shared library lies, so that others are found beside it.
//
// Read next  minitf/base/lab.h

#pragma once

#include <dlfcn.h>
#include <string>

namespace minitf {

/// The folder of the library or program that has the function at `address`.
inline std::string FolderOf(void* address) {
  Dl_info info = {};
  if (dladdr(address, &info) == 0) return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace minitf
