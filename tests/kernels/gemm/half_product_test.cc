// Products of 16 bits, by pairs and widened, against sums in integers.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/base/thread_pool.h"
#include "minitf/tensor/half.h"
#include "tests/kernels/gemm/whole_numbers.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// The tiers of bfloat16 that this processor has.
std::vector<std::string> Tiers() {
  if (MicroKernelOfPairs() == nullptr) return {"widened"};
  return {"widened", "pairs"};
}

std::vector<bfloat16> Filled(int64_t count, float value) {
  return std::vector<bfloat16>(count, bfloat16(value));
}

TEST(HalfProduct, IsExactForWholeNumbersAndRoundedOnce) {
  std::mt19937 generator(1);
  ThreadPool threads(3);
  for (int run = 0; run < 400; ++run) {
    const ProductSizes s = {.m = DrawSize(&generator),
                            .k = run % 20 == 0 ? 2051 : DrawSize(&generator),
                            .n = DrawSize(&generator),
                            .transpose_a = run % 2 == 1,
                            .transpose_b = run % 4 >= 2};
    const auto a = WholeNumbers<float>(s.m * s.k, &generator);
    const auto b = WholeNumbers<float>(s.k * s.n, &generator);
    const std::vector<float> expected = ExactProduct(s, a, b);
    const std::vector<bfloat16> half_a(a.begin(), a.end());
    const std::vector<bfloat16> half_b(b.begin(), b.end());
    for (const std::string& tier : Tiers()) {
      // What lies behind the product must stay.
      std::vector<bfloat16> product = Filled(s.m * s.n + 64, 7);
      FindMultiplier<bfloat16>(tier)(s, half_a.data(), half_b.data(), product.data(),
                                     run % 3 == 0 ? nullptr : &threads);
      for (int64_t i = 0; i < s.m * s.n + 64; ++i) {
        const bfloat16 wanted(i < s.m * s.n ? expected[i] : 7);
        ASSERT_EQ(product[i].bits(), wanted.bits())
            << tier << " of " << s.m << "x" << s.k << "x" << s.n << ", transposes "
            << s.transpose_a << s.transpose_b << ", element " << i;
      }
    }
  }
}

// Several blocks of rows, and slivers that are copied before all others.
TEST(HalfProduct, GivesTheSameBitsInSeveralThreads) {
  std::mt19937 generator(2);
  std::normal_distribution<float> number;
  const ProductSizes s = {.m = 900, .k = 1501, .n = 300};
  std::vector<bfloat16> a(s.m * s.k);
  std::vector<bfloat16> b(s.k * s.n);
  for (bfloat16& x : a) x = bfloat16(number(generator));
  for (bfloat16& x : b) x = bfloat16(number(generator));
  for (const std::string& tier : Tiers()) {
    std::vector<bfloat16> alone(s.m * s.n);
    FindMultiplier<bfloat16>(tier)(s, a.data(), b.data(), alone.data(), nullptr);
    for (const int64_t i : {int64_t{0}, s.m * s.n / 2 + 17, s.m * s.n - 1}) {
      double sum = 0, size = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        const double product =
            double{float{a[i / s.n * s.k + p]}} * double{float{b[p * s.n + i % s.n]}};
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(float{alone[i]}, sum, std::abs(sum) / 256 + size * 1e-6) << tier;
    }
    for (const int count : {2, 5}) {
      ThreadPool threads(count);
      std::vector<bfloat16> product(s.m * s.n);
      FindMultiplier<bfloat16>(tier)(s, a.data(), b.data(), product.data(), &threads);
      for (int64_t i = 0; i < s.m * s.n; ++i) {
        ASSERT_EQ(product[i].bits(), alone[i].bits()) << tier << ", element " << i;
      }
    }
  }
}

// The second number of the last pair of an odd row is not there.
TEST(HalfProduct, PaddingMeetsNoInfinityAndNanStays) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool turned : {false, true}) {
    const ProductSizes s = {
        .m = 5, .k = 3, .n = 7, .transpose_a = turned, .transpose_b = turned};
    for (const std::string& tier : Tiers()) {
      std::vector<bfloat16> a = Filled(s.m * s.k, infinity);
      std::vector<bfloat16> product(s.m * s.n);
      const std::vector<bfloat16> b = Filled(s.k * s.n, 1);
      const auto multiply = FindMultiplier<bfloat16>(tier);
      multiply(s, a.data(), b.data(), product.data(), nullptr);
      for (const bfloat16 x : product) ASSERT_EQ(float{x}, infinity) << tier;
      a.back() = bfloat16(std::nanf(""));  // of the last row
      multiply(s, a.data(), b.data(), product.data(), nullptr);
      for (int64_t i = 0; i < s.m * s.n; ++i) {
        ASSERT_EQ(std::isnan(float{product[i]}), i / s.n == s.m - 1) << tier << i;
      }
    }
  }
}

TEST(HalfProduct, PairsNeedAProcessorThatHasThem) {
  const OnlyTarget only(HWY_SSE4);
  EXPECT_EQ(MicroKernelOfPairs(), nullptr);
  EXPECT_EQ(MessageOf([] { FindMultiplier<bfloat16>("pairs"); }),
            "the tier \"pairs\" of MatMul needs a processor that multiplies bfloat16 "
            "(avx512_bf16), which this one does not");
}

TEST(HalfProduct, UnknownTiersAreRefused) {
  EXPECT_EQ(
      MessageOf([] { FindMultiplier<bfloat16>("packed"); }),
      "there is no tier of MatMul of bfloat16 called \"packed\": widened, or pairs");
}

}  // namespace
}  // namespace minitf::testing
