// Symbols: what addresses are called in the source.
//
// Lines come from the debugging information (by libbacktrace, a part of GCC). A
// __shared__ variable is a thread_local one, so its name, its function and its size stand
// in the symbol table of the module that holds it.
//
// Read next  kernels/simt/check/shadow.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/cuda_types.h"

namespace simt {

/// The line of the instruction before a return address, outside of the emulator's own
/// headers; no file if it is not known. The text of `file` lives for ever.
Site SiteOf(uintptr_t return_address);

/// "matmul<16>", without types and parameters; "?" if it is not known.
std::string NameOfFunction(const void* function);

/// A line of a source file, without the blanks before it; empty if it is not there.
std::string SourceLine(Site site);

/// The last part of a path.
std::string FileName(const char* path);

/// A __shared__ variable, for the calling thread. One without a name is the compiler's,
/// and need not be watched.
struct SharedVariable {
  std::string name;
  std::string function;
  uintptr_t begin = 0;
  size_t size = 0;  ///< bytes
};

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool Contains(uintptr_t address) const { return address >= begin && address < end; }
};

/// A program or library that is loaded.
struct Module {
  Range code;                   ///< all of it, from the first to the last segment
  std::vector<Range> writable;  ///< variables
  Range thread_local_;          ///< of the calling thread
  std::vector<SharedVariable> shared;
};

/// The modules with code that was compiled for check mode, by an address in each.
std::vector<Module> FindModules(const std::vector<uintptr_t>& addresses);

}  // namespace simt
