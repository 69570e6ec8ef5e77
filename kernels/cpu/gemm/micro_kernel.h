// MicroKernel: the innermost piece of a matrix product, in the registers of a processor.
//
//   c [rows,columns]   =  a [rows,k]  b [k,columns]       (or adds it to c)
//
// All of c is kept in vector registers while k goes by: a step loads a row of b, spreads
// one element of a over a vector, and adds `rows * vectors` products. With AVX-512 there
// are 32 registers of 16 floats, so c has up to 14 rows of 2 vectors (28 registers), b
// takes 2 and a 1. A step loads 2 + 14 times for 28 multiplications, so the processor
// multiplies in almost every cycle, where the loops of a textbook load twice for each.
//
// One source is compiled for every kind of vector (by Google Highway), and the best that
// this processor has is chosen once, when the program runs.
//
// Some processors multiply bfloat16: two in each lane of 32 bits. A float whose bits are
// two bfloat16 is called a pair; all but the micro-kernel treat pairs as floats.
//
// Compare    Eigen's GeneralBlockPanelKernel.h, which TensorFlow's MatMul ends in;
//            Van Zee and van de Geijn, "BLIS", ACM TOMS 41 (2015), the micro-kernel
// Read next  kernels/cpu/array/gather.h

#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace minitf {

/// What is multiplied. A row of a comes in runs of k elements, one run for each of
/// `starts`: element p of run j of row i is a[starts[j] + i * a_row + p * a_column]. Rows
/// of b and c are b_row and c_row elements apart. Of b whole vectors are read, of c only
/// `columns` are read or written.
template <typename T>
struct MicroProduct {
  std::span<const int64_t> starts;
  int64_t k;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int64_t columns;
  bool adds;                             ///< to c, which is zero otherwise
  std::span<const int64_t> b_runs = {};  ///< the first row of each; empty: without gaps
};

/// The starts of rows that come in one run.
inline constexpr std::array<int64_t, 1> kOneRun = {0};

template <typename T>
struct MicroKernel {
  /// Computes c. Adds in the order of p, so that the result is the same however m, n and
  /// k are cut.
  using Function = void (*)(const MicroProduct<T>& product);

  static constexpr int kMaxRows = 14;
  static constexpr int kMaxVectors = 2;

  int lanes = 0;  ///< elements in a vector
  int rows = 0;   ///< how many rows it can compute at a time
  /// [vectors][rows]: for 1 to kMaxVectors, 1 to rows.
  std::array<std::array<Function, kMaxRows + 1>, kMaxVectors + 1> functions = {};

  /// How many columns it can compute at a time.
  int columns() const { return lanes * kMaxVectors; }
};

/// The one for this processor. T is float or double.
template <typename T>
const MicroKernel<T>& BestMicroKernel();

/// The one for a and b of pairs, where c is floats; null if this processor has none. It
/// reads subnormal numbers, those below 1.2e-38, as 0, and writes 0 for them.
const MicroKernel<float>* MicroKernelOfPairs();

}  // namespace minitf
