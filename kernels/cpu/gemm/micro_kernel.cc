// The micro-kernel: compiled once for each kind of vector.
//
// The loops over rows and vectors have fixed bounds and are unrolled, so that `sums`
// lives in registers: an array that is indexed by a variable would lie in memory. That is
// why there is a function for each number of rows.
//
// Rows of b may lie a page or more apart, if it has not been copied: the processor does
// not see which one comes next, so they are asked for some steps ahead.
//
// Read next  kernels/cpu/math/batch_matmul.cc

#include "kernels/cpu/gemm/micro_kernel.h"

#include <algorithm>

// Highway includes this file again, for each target, and changes HWY_NAMESPACE.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm/micro_kernel.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace minitf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 28 sums, 2 vectors of b and 1 of a fit 32 registers; 12 and those fit 16.
constexpr bool kHas32Registers = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON;
constexpr int kRowsAtATime = kHas32Registers ? 14 : 6;

// How many rows of b are on their way from a cache: about 110 cycles.
constexpr int kRowsAhead = 8;

// Elements in a vector: 1 on a processor that has no vectors.
template <typename T>
constexpr int kLanes = hn::MaxLanes(hn::ScalableTag<T>());

// The first `count` elements at p, which may lie anywhere, and zeros. No others are read.
template <typename D, typename T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, int64_t count, const T* p) {
  if constexpr (HWY_TARGET <= HWY_AVX2) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, p);
  } else {  // Here MaskedLoad reads a whole vector, from an address that must be aligned.
    HWY_ALIGN T first[kLanes<T>] = {};
    std::copy_n(p, count, first);
    return hn::Load(d, first);
  }
}

// Writes the first `count` elements to p, and no others.
template <typename D, typename T>
HWY_INLINE void StoreFirst(D d, int64_t count, hn::Vec<D> lanes, T* p) {
  if (count == kLanes<T>) {  // A masked store takes 12 cycles on an AMD Zen 3.
    hn::StoreU(lanes, d, p);
  } else if constexpr (HWY_TARGET <= HWY_AVX2) {
    hn::BlendedStore(lanes, hn::FirstN(d, count), d, p);
  } else {  // Here BlendedStore may write a whole vector, as read before.
    HWY_ALIGN T all[kLanes<T>];
    hn::Store(lanes, d, all);
    std::copy_n(all, count, p);
  }
}

// How the product of an element and a row is added to sums, lane by lane.
struct AddProducts {
  template <typename V>
  static HWY_INLINE V Of(V element, V row, V sums) {
    return hn::MulAdd(element, row, sums);
  }
};

#if HWY_TARGET == HWY_AVX3
// The same of lanes that are pairs. The instruction is written out, since the compiler
// has a name for it only in programs for no other processors.
struct AddProductsOfPairs {
  template <typename V>
  static HWY_INLINE V Of(V element, V row, V sums) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sums.raw) : "v"(element.raw), "v"(row.raw));
    return sums;
  }
};
#endif

template <typename T, typename Add, int kVectors, int kRows>
void Multiply(const MicroProduct<T>& product) {
  const auto [starts, k, first_a, a_row, a_column, first_b, b_row, first_c, c_row,
              columns, adds, b_runs] = product;
  const T* HWY_RESTRICT b = first_b;
  T* HWY_RESTRICT c = first_c;
  const hn::ScalableTag<T> d;
  using Vector = hn::Vec<decltype(d)>;
  constexpr int kLast = kVectors - 1;  // the vector that may be wider than what is left
  const int64_t last = columns - kLast * kLanes<T>;

  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    const T* row = c + i * c_row;
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = hn::Zero(d);
      if (adds && v < kLast) sums[i][v] = hn::LoadU(d, row + v * kLanes<T>);
      if (adds && v == kLast) sums[i][v] = LoadFirst(d, last, row + v * kLanes<T>);
      // The next rows of c, which are likely to come next.
      __builtin_prefetch(row + kRows * c_row + v * kLanes<T>, 1, 2);
    }
  }
  for (size_t j = 0; j < starts.size(); ++j) {
    const T* HWY_RESTRICT a = first_a + starts[j];
    if (!b_runs.empty()) b = first_b + b_runs[j] * b_row;
    for (int64_t p = 0; p < k; ++p, a += a_column, b += b_row) {
      Vector row[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        row[v] = hn::LoadU(d, b + v * kLanes<T>);
        __builtin_prefetch(b + kRowsAhead * b_row +
                           v * kLanes<T>);  // maybe none is there
      }
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vector element = hn::Set(d, a[i * a_row]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          sums[i][v] = Add::Of(element, row[v], sums[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    T* row = c + i * c_row;
    if constexpr (kVectors == 2) hn::StoreU(sums[i][0], d, row);
    StoreFirst(d, last, sums[i][kLast], row + kLast * kLanes<T>);
  }
}

template <typename T, typename Add, int kVectors, int kRows>
void AddFunctions(MicroKernel<T>* kernel) {
  kernel->functions[kVectors][kRows] = Multiply<T, Add, kVectors, kRows>;
  if constexpr (kRows > 1) AddFunctions<T, Add, kVectors, kRows - 1>(kernel);
}

template <typename T, typename Add>
MicroKernel<T> Make() {
  MicroKernel<T> kernel;
  kernel.lanes = kLanes<T>;
  kernel.rows = kRowsAtATime;
  AddFunctions<T, Add, 1, kRowsAtATime>(&kernel);
  AddFunctions<T, Add, 2, kRowsAtATime>(&kernel);
  return kernel;
}

template <typename T, typename Add>
const MicroKernel<T>* Only() {
  static const MicroKernel<T> kernel = Make<T, Add>();
  return &kernel;
}

const MicroKernel<float>* ForFloat() { return Only<float, AddProducts>(); }
const MicroKernel<double>* ForDouble() { return Only<double, AddProducts>(); }

const MicroKernel<float>* ForPairs() {
#if HWY_TARGET == HWY_AVX3
  if (__builtin_cpu_supports("avx512bf16")) return Only<float, AddProductsOfPairs>();
#endif
  return nullptr;
}

}  // namespace minitf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minitf {

HWY_EXPORT(ForFloat);
HWY_EXPORT(ForDouble);
HWY_EXPORT(ForPairs);

template <>
const MicroKernel<float>& BestMicroKernel<float>() {
  return *HWY_DYNAMIC_DISPATCH(ForFloat)();
}

template <>
const MicroKernel<double>& BestMicroKernel<double>() {
  return *HWY_DYNAMIC_DISPATCH(ForDouble)();
}

const MicroKernel<float>* MicroKernelOfPairs() {
  return HWY_DYNAMIC_DISPATCH(ForPairs)();
}

}  // namespace minitf
#endif  // HWY_ONCE
