// TransposeMatrix: every element is where it belongs, and nothing else is written, for
// sizes below, at and beyond the squares that are turned in registers.

#include "kernels/cpu/common/transpose_matrix.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

constexpr int64_t kSizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50};

// Rows lie `gap` elements further apart than they are long, in both matrices.
template <typename T>
void Check(int64_t rows, int64_t columns, int64_t gap) {
  const int64_t from_row = columns + gap;
  const int64_t to_row = rows + gap;
  std::vector<T> from(rows * from_row);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 1);
  std::vector<T> to(columns * to_row);
  TransposeMatrix(from.data(), from_row, rows, columns, to.data(), to_row);
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < to_row; ++i) {
      const T expected = i < rows ? from[i * from_row + j] : T(0);
      ASSERT_EQ(to[j * to_row + i], expected) << rows << " x " << columns << ", gap "
                                              << gap << ", at (" << j << "," << i << ")";
    }
  }
}

TEST(TransposeMatrix, TurnsAllSizesOfFourAndEightBytes) {
  for (const int64_t rows : kSizes) {
    for (const int64_t columns : kSizes) {
      for (const int64_t gap : {0, 5}) {
        Check<float>(rows, columns, gap);
        Check<uint32_t>(rows, columns, gap);
        Check<double>(rows, columns, gap);
        Check<uint64_t>(rows, columns, gap);
      }
    }
  }
}

}  // namespace
}  // namespace minitf
