// The tiers of MatMul against sums in integers, over random sizes.
//
// Elements are whole numbers from -4 to 4, so every sum is exact in floats, in whatever
// order it is made, and results are compared bit by bit. Sizes are drawn so that tiles,
// slivers, panels and depths are met whole, cut short, and not at all.

#include "kernels/cpu/gemm/product_tiers.h"

#include <cmath>
#include <hwy/targets.h>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/thread_pool.h"
#include "tests/kernels/gemm/whole_numbers.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

const char* const kTiers[] = {"naive", "reordered", "tiled",
                              "eigen", "packed",    "autotune"};

template <typename T>
class ProductTiers : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ProductTiers, FloatTypes);

TYPED_TEST(ProductTiers, AreExactForWholeNumbers) {
  using T = TypeParam;
  std::mt19937 generator(1);
  ThreadPool threads(3);
  for (int run = 0; run < 300; ++run) {
    const ProductSizes s = {.m = DrawSize(&generator),
                            .k = run % 20 == 0 ? 1030 : DrawSize(&generator),
                            .n = DrawSize(&generator),
                            .transpose_a = run % 2 == 1,
                            .transpose_b = run % 4 >= 2};
    const auto a = WholeNumbers<T>(s.m * s.k, &generator);
    const auto b = WholeNumbers<T>(s.k * s.n, &generator);
    const std::vector<T> expected = ExactProduct(s, a, b);
    for (const char* tier : kTiers) {
      // What lies behind the product must stay.
      std::vector<T> product(s.m * s.n + 64, std::numeric_limits<T>::quiet_NaN());
      FindMultiplier<T>(tier)(s, a.data(), b.data(), product.data(), &threads);
      for (int64_t i = 0; i < s.m * s.n; ++i) {
        ASSERT_EQ(product[i], expected[i])
            << tier << " of " << s.m << "x" << s.k << "x" << s.n << ", transposes "
            << s.transpose_a << s.transpose_b << ", element " << i / s.n << ","
            << i % s.n;
      }
      for (size_t i = s.m * s.n; i < product.size(); ++i) {
        ASSERT_TRUE(std::isnan(product[i])) << tier << " wrote behind the product";
      }
    }
  }
}

// However the product is cut: m, n and the number of threads change where an element is
// computed, not how.
TYPED_TEST(ProductTiers, PackedGivesTheSameBitsHoweverItIsCut) {
  using T = TypeParam;
  std::mt19937 generator(2);
  std::uniform_real_distribution<T> number(-1, 1);
  const ProductSizes s = {.m = 400, .k = 700, .n = 150};
  std::vector<T> a(s.m * s.k);
  std::vector<T> b(s.k * s.n);
  for (T& x : a) x = number(generator);
  for (T& x : b) x = number(generator);
  const auto multiply = FindMultiplier<T>("packed");
  std::vector<T> whole(s.m * s.n);
  multiply(s, a.data(), b.data(), whole.data(), nullptr);
  for (const int count : {1, 2, 5}) {
    ThreadPool threads(count);
    std::vector<T> product(s.m * s.n);
    multiply(s, a.data(), b.data(), product.data(), &threads);
    ASSERT_EQ(product, whole) << count << " threads";
  }
  for (const int64_t row : {0, 1, 13, 399}) {
    std::vector<T> product(s.n);
    multiply({.m = 1, .k = s.k, .n = s.n}, &a[row * s.k], b.data(), product.data(),
             nullptr);
    for (int64_t j = 0; j < s.n; ++j) ASSERT_EQ(product[j], whole[row * s.n + j]);
  }
}

// Every kind of vector that this processor has, not only the best.
TYPED_TEST(ProductTiers, PackedIsExactInAllVectors) {
  using T = TypeParam;
  std::mt19937 generator(3);
  const std::map<int64_t, int> bytes_of = {
      {HWY_AVX3, 64}, {HWY_AVX2, 32}, {HWY_SSE4, 16}};
  const int64_t all = hwy::SupportedTargets();
  for (int64_t targets = all; targets != 0; targets &= targets - 1) {
    const int64_t target = targets & -targets;
    const OnlyTarget only(target);
    if (bytes_of.contains(target)) {
      EXPECT_EQ(BestMicroKernel<T>().lanes * sizeof(T), bytes_of.at(target));
    }
    for (int run = 0; run < 100; ++run) {
      const ProductSizes s = {.m = DrawSize(&generator),
                              .k = run % 20 == 0 ? 1030 : DrawSize(&generator),
                              .n = DrawSize(&generator),
                              .transpose_a = run % 2 == 1,
                              .transpose_b = run % 4 >= 2};
      const auto a = WholeNumbers<T>(s.m * s.k, &generator);
      const auto b = WholeNumbers<T>(s.k * s.n, &generator);
      std::vector<T> product(s.m * s.n);
      FindMultiplier<T>("packed")(s, a.data(), b.data(), product.data(), nullptr);
      EXPECT_EQ(product, ExactProduct(s, a, b))
          << hwy::TargetName(target) << " of " << s.m << "x" << s.k << "x" << s.n
          << ", transposes " << s.transpose_a << s.transpose_b;
    }
  }
}

// A number that is not there must not meet one that is: inf * 0 is nan.
TYPED_TEST(ProductTiers, PaddingMeetsNoInfinity) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const ProductSizes s = {.m = 5, .k = 3, .n = 7};
  const std::vector<T> a(s.m * s.k, infinity);
  const std::vector<T> b(s.k * s.n, 1);
  for (const char* tier : kTiers) {
    std::vector<T> product(s.m * s.n);
    FindMultiplier<T>(tier)(s, a.data(), b.data(), product.data(), nullptr);
    for (const T x : product) ASSERT_EQ(x, infinity) << tier;
  }
}

TEST(ProductTiers, UnknownOnesAreRefused) {
  EXPECT_EQ(MessageOf([] { FindMultiplier<float>("fast"); }),
            "there is no tier of MatMul called \"fast\": naive, reordered, tiled, eigen, "
            "packed, or autotune");
}

}  // namespace
}  // namespace minitf::testing
