// The product of matrices of 16 bits, added up as floats and rounded once, at the end.
//
//   widened   both matrices become floats, which are multiplied as such
//   pairs     the processor multiplies bfloat16 by itself, two at a time: twice as many
//             products in an instruction as of floats
//
// For pairs, k goes by in steps of two, and the packed product does the rest, as if pairs
// were floats. If k is odd, a zero is the second one of the last pair.
//
//   a [m,k]  numbers 2p and 2p + 1 of a row     ->  number p of a row of a panel
//   b [k,n]  the numbers j of rows 2p, 2p + 1   ->  number j of row p of [k/2,n]
//
// A product of 1024 x 1024 numbers takes half the time of the same in floats.
//
// Compare    tensorflow/core/kernels/matmul_op.cc, where Eigen widens bfloat16; oneDNN
// Read next  kernels/cpu/gemm/product_naive.cc

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kernels/cpu/common/transpose_matrix.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/base/tier_note.h"
#include "minitf/tensor/half.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

// A thread pairs so many numbers in a nanosecond.
constexpr int64_t kNumbersPerNanosecond = 8;

int64_t PairsIn(int64_t count) { return (count + 1) / 2; }

// A row of `count` numbers as pairs of neighbours.
void PairNeighbours(const bfloat16* row, int64_t count, float* pairs) {
  std::memcpy(pairs, row, count / 2 * sizeof(float));
  if (count % 2 == 1)
    pairs[count / 2] = std::bit_cast<float>(uint32_t{row[count - 1].bits()});
}

// A matrix [k,columns], whose rows lie one behind another.
struct Rows {
  const bfloat16* data = nullptr;
  int64_t k = 0;
  int64_t columns = 0;
};

// Numbers [first, first + count) of rows 2p and 2p + 1 of a matrix as pairs. Behind the
// last row there are zeros.
void PairRows(const Rows& matrix, int64_t p, int64_t first, int64_t count, float* pairs) {
  const bfloat16* const row = matrix.data + 2 * p * matrix.columns + first;
  const bfloat16* const next = 2 * p + 1 < matrix.k ? row + matrix.columns : nullptr;
  for (int64_t j = 0; j < count; ++j) {
    const uint32_t second = next == nullptr ? 0 : next[j].bits();
    pairs[j] = std::bit_cast<float>(second << 16 | row[j].bits());
  }
}

// Panels of a.
class PairPanels final : public PanelSource<float> {
 public:
  PairPanels(const ProductSizes& sizes, const bfloat16* a) : sizes_(sizes), a_(a) {}

  StridedMatrix<float> Panel(int64_t first_row, int64_t rows, int64_t first,
                             int64_t depth, int64_t, float* room) const override {
    if (sizes_.transpose_a) {
      for (int64_t p = 0; p < depth; ++p) {
        PairRows({a_, sizes_.k, sizes_.m}, first + p, first_row, rows, room + p * rows);
      }
      return {room, 1, rows};
    }
    const int64_t count = std::min(2 * depth, sizes_.k - 2 * first);
    for (int64_t i = 0; i < rows; ++i) {
      PairNeighbours(a_ + (first_row + i) * sizes_.k + 2 * first, count,
                     room + i * (depth + kRowGap));
    }
    return {room, depth + kRowGap, 1};
  }

 private:
  const ProductSizes sizes_;
  const bfloat16* const a_;
};

// b as pairs, [k/2,n]; writes them to `pairs`.
void PairRight(const ProductSizes& s, const bfloat16* b, float* pairs,
               ThreadPool* threads) {
  const int64_t steps = PairsIn(s.k);
  if (!s.transpose_b) {
    ForPieces(threads, steps, 2 * s.n / kNumbersPerNanosecond + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t p = begin; p < end; ++p) {
                  PairRows({b, s.k, s.n}, p, 0, s.n, pairs + p * s.n);
                }
              });
    return;
  }
  // Some rows of b at a time, which become columns.
  constexpr int64_t kRows = 16;
  ForPieces(threads, (s.n + kRows - 1) / kRows, kRows * s.k / kNumbersPerNanosecond + 1,
            [&](int64_t begin, int64_t end) {
              Tensor room(DType::kFloat32, {kRows, steps});
              float* const rows = room.mutable_flat<float>().data();
              for (int64_t i = begin * kRows; i < std::min(end * kRows, s.n);
                   i += kRows) {
                const int64_t count = std::min(kRows, s.n - i);
                for (int64_t j = 0; j < count; ++j) {
                  PairNeighbours(b + (i + j) * s.k, s.k, rows + j * steps);
                }
                TransposeMatrix(rows, steps, count, steps, pairs + i, s.n);
              }
            });
}

// Gives `multiply` floats for the sums, and rounds them to `product`.
template <typename T, typename Multiply>
void RoundOnce(const ProductSizes& s, T* product, ThreadPool* threads,
               const Multiply& multiply) {
  Tensor room(DType::kFloat32, {s.m, s.n});
  float* const sums = room.mutable_flat<float>().data();
  multiply(sums);
  ForPieces(threads, s.m * s.n, 1, [&](int64_t begin, int64_t end) {
    Narrow(sums + begin, product + begin, end - begin);
  });
}

// sums [m,n]
void AddUpPairs(const ProductSizes& s, const bfloat16* a, const bfloat16* b, float* sums,
                ThreadPool* threads) {
  const int64_t steps = PairsIn(s.k);
  Tensor room(DType::kFloat32, {steps, s.n});
  float* const pairs = room.mutable_flat<float>().data();
  PairRight(s, b, pairs, threads);
  MultiplyPacked<float>({s.m, steps, s.n}, PairPanels(s, a), {pairs, s.n, 1}, sums,
                        threads, *MicroKernelOfPairs());
}

void MultiplyPairs(const ProductSizes& s, const bfloat16* a, const bfloat16* b,
                   bfloat16* product, ThreadPool* threads) {
  NoteTier("pairs");
  constexpr int64_t kFew = 64;
  RoundOnce(s, product, threads, [&](float* sums) {
    if (!s.transpose_b || s.m > kFew || s.m >= s.n) {
      return AddUpPairs(s, a, b, sums, threads);
    }
    // product' = b a': the pairs of b lie side by side, and a is smaller.
    Tensor turned(DType::kFloat32, {s.n, s.m});
    float* const columns = turned.mutable_flat<float>().data();
    AddUpPairs({s.n, s.k, s.m, false, !s.transpose_a}, b, a, columns, threads);
    TransposeMatrix(columns, s.m, s.n, s.m, sums, s.n);
  });
}

template <typename T>
void MultiplyWidened(const ProductSizes& s, const T* a, const T* b, T* product,
                     ThreadPool* threads) {
  Tensor room(DType::kFloat32, {s.m * s.k + s.k * s.n});
  float* const wide_a = room.mutable_flat<float>().data();
  float* const wide_b = wide_a + s.m * s.k;
  const auto widen = [&](const T* from, float* to, int64_t total) {
    ForPieces(threads, total, 1, [&](int64_t begin, int64_t end) {
      Widen(from + begin, to + begin, end - begin);
    });
  };
  widen(a, wide_a, s.m * s.k);
  widen(b, wide_b, s.k * s.n);
  RoundOnce(s, product, threads,
            [&](float* sums) { MultiplyMatrices(s, wide_a, wide_b, sums, threads); });
}

bool NamesATier() {
  const char* const tier = std::getenv("MINITF_MATMUL");
  return tier != nullptr && *tier != 0;
}

}  // namespace

template <>
Multiplier<bfloat16> FindMultiplier(std::string_view tier) {
  if (tier == "widened") return MultiplyWidened<bfloat16>;
  Require(tier == "pairs", "there is no tier of MatMul of bfloat16 called \"", tier,
          "\": widened, or pairs");
  if (MicroKernelOfPairs() == nullptr) {
    ThrowIfError(errors::Unimplemented(
        "the tier \"pairs\" of MatMul needs a processor that "
        "multiplies bfloat16 (avx512_bf16), which this one does not"));
  }
  return MultiplyPairs;
}

bool IsComputedByPairs(const ProductSizes& s) {
  static const bool is_widened = NamesATier();  // which is one of floats
  // A product by a row or a column reads each number once: there is little to multiply.
  const bool is_vector = s.m == 1 || s.n == 1;
  return !is_widened && !is_vector && MicroKernelOfPairs() != nullptr;
}

template <typename T>
void MultiplyHalves(const ProductSizes& s, const T* a, const T* b, T* product,
                    ThreadPool* threads) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    if (IsComputedByPairs(s)) return MultiplyPairs(s, a, b, product, threads);
  }
  MultiplyWidened(s, a, b, product, threads);
}

template decltype(MultiplyHalves<float16>) MultiplyHalves<float16>;
template decltype(MultiplyHalves<bfloat16>) MultiplyHalves<bfloat16>;

}  // namespace minitf
