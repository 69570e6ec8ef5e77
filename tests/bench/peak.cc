// The most that a core can multiply and add, and the most that memory brings to it.
//
// Multiplying and adding is done in registers, and nothing else.
// Twelve sums, since each waits some 4 cycles for the one before and there are two units.
// It is compiled for the processor that it runs on.
//
// Beside these stands where callgrind begins and ends to count (counted.py).

#include <cstdint>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
constexpr int kSums = 12;
using Floats = float __attribute__((vector_size(kBytes)));

extern "C" {

/// The operations of a step of Spin.
int64_t OperationsOfStep() { return 2 * kSums * kBytes / 4; }

/// Does `steps` steps; what comes back keeps the compiler from leaving them out.
float Spin(int64_t steps, float factor) {
  Floats sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = Floats{} + factor * i;  // all different
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (Floats& sum : sums) sum = sum * factor + factor;
  }
  float total = 0;
  for (const Floats& sum : sums) total += sum[0];
  return total;
}

/// z = x + factor * y, for arrays of `count` numbers that no cache holds.
void Triad(int64_t count, float factor, const float* x, const float* y, float* z) {
  for (int64_t i = 0; i < count; ++i) z[i] = x[i] + factor * y[i];
}

#ifdef CALLGRIND_START_INSTRUMENTATION
/// From here on callgrind counts instructions.
void CountingBegins() {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

/// Here it writes down how many there were, and goes on without counting.
void CountingEnds() {
  CALLGRIND_DUMP_STATS;
  CALLGRIND_STOP_INSTRUMENTATION;
}
#endif

}  // extern "C"
