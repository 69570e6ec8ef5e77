// Rows of 16 bits: computed many at a time, they have the bits that single elements have.

#include "kernels/cpu/common/arithmetic.h"

#include <vector>

#include "minitf/tensor/half.h"
#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

// Around the limits of what is computed at a time, and in between.
const std::vector<int64_t> kCounts = {0, 1, 7, 8, 9, 16, 1023, 1024, 1025, 1032, 3000};

template <typename T>
std::vector<T> Drawn(int64_t count, unsigned seed) {
  const Tensor numbers = RandomTensor({count}, seed, -100, 100);
  std::vector<T> result;
  for (const double number : numbers.flat<double>()) result.push_back(T(number));
  return result;
}

template <typename T>
Tensor AsTensor(const Shape& shape, const std::vector<T>& elements) {
  return Tensor::Of<T>(shape, elements);
}

template <typename T>
std::vector<uint16_t> BitsOf(std::span<const T> elements) {
  std::vector<uint16_t> bits;
  for (const T element : elements) bits.push_back(element.bits());
  return bits;
}

template <typename T>
class Rows : public ::testing::Test {};

using Halves = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(Rows, Halves);

TYPED_TEST(Rows, AreStoredAsSingleElementsAre) {
  using T = TypeParam;
  for (const int64_t count : kCounts) {
    std::vector<T> got(count + 1, T(7));
    std::vector<T> expected;
    for (int64_t i = 0; i < count; ++i) expected.push_back(T(0.3F * i));
    expected.push_back(T(7));  // what follows the row stays
    StoreEach(count, got.data(), [](int64_t i) { return 0.3F * i; });
    EXPECT_EQ(BitsOf<T>(got), BitsOf<T>(expected)) << count;
  }
}

TYPED_TEST(Rows, AreJoinedAsSingleElementsAre) {
  using T = TypeParam;
  for (const int64_t count : kCounts) {
    const std::vector<T> from = Drawn<T>(count, 1);
    std::vector<T> got = Drawn<T>(count, 2);
    std::vector<T> expected;
    for (int64_t i = 0; i < count; ++i) expected.push_back(got[i] - from[i]);
    JoinInto(from.data(), count, got.data(), [](float x, float y) { return x - y; });
    EXPECT_EQ(BitsOf<T>(got), BitsOf<T>(expected)) << count;
  }
}

TYPED_TEST(Rows, AddNRoundsAfterEachTerm) {
  using T = TypeParam;
  for (const int64_t count : kCounts) {
    const auto a = Drawn<T>(count, 1), b = Drawn<T>(count, 2), c = Drawn<T>(count, 3);
    std::vector<T> expected;
    for (int64_t i = 0; i < count; ++i) expected.push_back(a[i] + b[i] + c[i]);
    const Shape shape{count};
    const Tensor sum =
        OutputOf("AddN", {AsTensor(shape, a), AsTensor(shape, b), AsTensor(shape, c)});
    EXPECT_EQ(BitsOf<T>(sum.flat<T>()), BitsOf<T>(expected)) << count;
  }
}

TYPED_TEST(Rows, BiasAddHasRowsOfAllLengths) {
  using T = TypeParam;
  for (const int64_t channels : {1, 3, 32, 1000, 1025}) {
    for (const int64_t places : {1, 5, 400}) {
      const auto x = Drawn<T>(places * channels, 1);
      const auto bias = Drawn<T>(channels, 2);
      std::vector<T> last, first;
      for (int64_t i = 0; i < places * channels; ++i) {
        last.push_back(x[i] + bias[i % channels]);
        first.push_back(x[i] + bias[i / places]);
      }
      const Tensor b = AsTensor({channels}, bias);
      const Tensor nhwc = OutputOf("BiasAdd", {AsTensor({places, channels}, x), b});
      EXPECT_EQ(BitsOf<T>(nhwc.flat<T>()), BitsOf<T>(last)) << channels << " " << places;
      const Tensor nchw = OutputOf("BiasAdd", {AsTensor({1, channels, places}, x), b},
                                   {{"data_format", std::string("NCHW")}});
      EXPECT_EQ(BitsOf<T>(nchw.flat<T>()), BitsOf<T>(first)) << channels << " " << places;
    }
  }
}

TYPED_TEST(Rows, ScatterNdAndSegmentsAddOneRowAfterAnother) {
  using T = TypeParam;
  for (const int64_t size : {1, 8, 9, 1030}) {
    const auto rows = Drawn<T>(3 * size, 1);  // to the places 1, 0 and 1
    std::vector<T> expected(rows.begin() + size, rows.begin() + 2 * size);
    for (int64_t i = 0; i < size; ++i) {
      expected.push_back(rows[i] + rows[2 * size + i]);
    }
    const Tensor updates = AsTensor({3, size}, rows);
    const Tensor scattered =
        OutputOf("ScatterNd", {Tensor::Of<int32_t>({3, 1}, {1, 0, 1}), updates,
                               Ints({2, static_cast<int32_t>(size)})});
    EXPECT_EQ(BitsOf<T>(scattered.flat<T>()), BitsOf<T>(expected)) << size;
    const Tensor segments =
        OutputOf("UnsortedSegmentSum", {updates, Ints({1, 0, 1}), Tensor::Scalar(2)});
    EXPECT_EQ(BitsOf<T>(segments.flat<T>()), BitsOf<T>(expected)) << size;
  }
}

TYPED_TEST(Rows, CumulativeSumsAreRoundedOnce) {
  using T = TypeParam;
  const int64_t size = 1030;
  const auto rows = Drawn<T>(3 * size, 1);
  for (const bool exclusive : {false, true}) {
    std::vector<T> expected;
    for (int64_t i = 0; i < 3 * size; ++i) {
      float sum = 0;
      const int64_t end = exclusive ? i - size : i;
      for (int64_t k = i % size; k <= end; k += size) sum += rows[k];
      expected.push_back(T(sum));
    }
    const Tensor sums = OutputOf("Cumsum", {AsTensor({3, size}, rows), Tensor::Scalar(0)},
                                 {{"exclusive", exclusive}});
    EXPECT_EQ(BitsOf<T>(sums.flat<T>()), BitsOf<T>(expected)) << exclusive;
  }
}

TYPED_TEST(Rows, AreCastFromAllNumbers) {
  using T = TypeParam;
  const int64_t count = 1500;
  const Tensor numbers = RandomTensor({count}, 1, 0, 200);
  for (const DType dtype :
       {DType::kFloat64, DType::kInt32, DType::kUint8, DType::kComplex64}) {
    const Tensor x = CastTo(dtype, numbers);
    const Tensor wide = CastTo(DType::kFloat32, x);
    std::vector<T> expected;
    for (const float number : wide.flat<float>()) expected.push_back(T(number));
    const Tensor cast = CastTo(DTypeOf<T>(), x);
    EXPECT_EQ(BitsOf<T>(cast.flat<T>()), BitsOf<T>(expected)) << NameOf(dtype);
  }
}

// Images of 17 by 3 places and 5 channels: blocks of a transpose with a rest.
TYPED_TEST(Rows, PoolsOfBothLayoutsHaveTheSameBits) {
  using T = TypeParam;
  const Tensor x = AsTensor({2, 17, 3, 5}, Drawn<T>(510, 1));
  const std::vector<int64_t> ones = {1, 1, 1, 1}, rows = {1, 2, 1, 1};
  const Tensor y =
      OutputOf("AvgPool", {x},
               {{"ksize", rows}, {"strides", ones}, {"padding", std::string("SAME")}});
  const Tensor to_nchw = Ints({0, 3, 1, 2});
  const Tensor nchw = OutputOf("AvgPool", {OutputOf("Transpose", {x, to_nchw})},
                               {{"ksize", std::vector<int64_t>{1, 1, 2, 1}},
                                {"strides", ones},
                                {"padding", std::string("SAME")},
                                {"data_format", std::string("NCHW")}});
  const Tensor expected = OutputOf("Transpose", {y, to_nchw});
  EXPECT_EQ(BitsOf<T>(nchw.flat<T>()), BitsOf<T>(expected.flat<T>()));
}

}  // namespace
}  // namespace minitf::testing
