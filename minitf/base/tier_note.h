// TierNote: by which of its ways a kernel has worked, for logs and traces.
//
// Some kernels have several ways to the same result and choose one when they see the
// sizes. Which one it was is noted on the thread, deep inside of the kernel, and taken by
// what watches the kernel: a trace writes "y = Conv2D[winograd](x, w)".
//
// Read next  minitf/base/thread_pool.h

#pragma once

#include <string_view>

namespace minitf {

/// Notes `tier`, which must live as long as the process, on this thread.
void NoteTier(std::string_view tier);

/// What was noted last on this thread, or "" if nothing was since the last call.
std::string_view TakeTierNote();

}  // namespace minitf
