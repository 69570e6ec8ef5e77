// Products of matrices and convolutions on the GPU, against sums in double precision.

#include <string>

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/matmul.h"
#include "tests/kernels/gpu/device.h"

namespace minitf::gpu {
namespace {

class GpuConv2d : public GpuTest {};
class GpuMatMul : public GpuTest {};

std::string Text(const MatMulSizes& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n) +
         (s.transpose_a ? " At" : "") + (s.transpose_b ? " Bt" : "") + " batch " +
         std::to_string(s.batch) + (s.a_moves ? "" : " one A") +
         (s.b_moves ? "" : " one B");
}

template <typename T>
std::vector<double> Product(const MatMulSizes& s, const std::vector<T>& a,
                            const std::vector<T>& b) {
  std::vector<double> c;
  for (int batch = 0; batch < s.batch; ++batch) {
    const T* const left = a.data() + (s.a_moves ? int64_t{batch} * s.m * s.k : 0);
    const T* const right = b.data() + (s.b_moves ? int64_t{batch} * s.k * s.n : 0);
    for (int i = 0; i < s.m; ++i) {
      for (int j = 0; j < s.n; ++j) {
        double sum = 0;
        for (int k = 0; k < s.k; ++k) {
          sum += double{left[s.transpose_a ? k * s.m + i : i * s.k + k]} *
                 double{right[s.transpose_b ? j * s.k + k : k * s.n + j]};
        }
        c.push_back(sum);
      }
    }
  }
  return c;
}

template <typename T>
void CheckMatMul(MatMulTier tier, const MatMulSizes& s, std::mt19937* random) {
  const int64_t a_size = int64_t{s.m} * s.k * (s.a_moves ? s.batch : 1);
  const int64_t b_size = int64_t{s.k} * s.n * (s.b_moves ? s.batch : 1);
  const OnDevice<T> a(Numbers<T>(a_size, random));
  const OnDevice<T> b(Numbers<T>(b_size, random));
  const OnDevice<T> c(int64_t{s.m} * s.n * s.batch);
  ASSERT_EQ(LaunchMatMul(tier, s, a.get(), b.get(), c.get(), nullptr), cudaSuccess);
  ExpectNear(c.Read(), Product(s, a.host(), b.host()), sizeof(T) == 8 ? 1e-12 : 2e-5,
             Text(s));
}

TEST_F(GpuMatMul, AllTiersMultiplyMatricesOfAllSizes) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    MatMulSizes s;
    s.m = OneOf({0, 1, 2, 5, 31, 32, 33, 64, 130}, &random);
    s.n = OneOf({0, 1, 3, 4, 31, 32, 33, 129, 132}, &random);
    s.k = OneOf({0, 1, 4, 7, 8, 9, 16, 33, 40}, &random);
    s.transpose_a = random() % 2;
    s.transpose_b = random() % 2;
    s.batch = OneOf({1, 1, 2, 3}, &random);
    s.a_moves = s.batch == 1 || random() % 2;
    s.b_moves = s.batch == 1 || random() % 2;
    for (const auto tier :
         {MatMulTier::kNaive, MatMulTier::kShared, MatMulTier::kRegisters}) {
      CheckMatMul<float>(tier, s, &random);
      if (tier != MatMulTier::kRegisters) CheckMatMul<double>(tier, s, &random);
    }
  }
}

TEST_F(GpuMatMul, ANumberThatIsNoneStaysInItsRow) {
  std::vector<float> a(140 * 20, 1);
  a[3 * 20 + 5] = NAN;
  const OnDevice<float> left(a), right(std::vector<float>(20 * 8, 1)), c(140 * 8);
  const MatMulSizes sizes{140, 8, 20};
  LaunchMatMul(MatMulTier::kRegisters, sizes, left.get(), right.get(), c.get(), nullptr);
  const std::vector<float> got = c.Read();
  for (int i = 0; i < 140 * 8; ++i) EXPECT_EQ(std::isnan(got[i]), i / 8 == 3) << i;
}

// ---- Convolutions ---------------------------------------------------------------------

std::string Text(const Conv2dSizes& g) {
  std::string text;
  for (const int size :
       {g.n, g.h, g.w, g.c, g.r, g.s, g.k, g.p, g.q, g.stride_h, g.stride_w, g.dilation_h,
        g.dilation_w, g.pad_top, g.pad_left, g.groups}) {
    text += std::to_string(size) + " ";
  }
  return "n h w c  r s k  p q  strides dilations pads groups: " + text;
}

Conv2dSizes RandomSizes(std::mt19937* random, bool has_groups) {
  Conv2dSizes g;
  g.n = OneOf({1, 2, 3}, random);
  g.h = OneOf({1, 4, 7, 10, 17}, random);
  g.w = OneOf({1, 3, 8, 9, 12}, random);
  g.groups = has_groups ? OneOf({1, 2, 3}, random) : 1;
  g.c = OneOf({1, 2, 3, 4, 8}, random) * g.groups;
  g.k = OneOf({1, 3, 4, 8, 33}, random) * g.groups;
  g.r = OneOf({1, 2, 3, 5}, random);
  g.s = OneOf({1, 2, 3}, random);
  g.stride_h = OneOf({1, 1, 2, 3}, random);
  g.stride_w = OneOf({1, 1, 2}, random);
  g.dilation_h = OneOf({1, 1, 2}, random);
  g.dilation_w = OneOf({1, 1, 3}, random);
  g.pad_top = OneOf({0, 1, 2}, random);
  g.pad_left = OneOf({0, 1}, random);
  const int reach_h = (g.r - 1) * g.dilation_h + 1;
  const int reach_w = (g.s - 1) * g.dilation_w + 1;
  const int pad_bottom = OneOf({0, 1, 2}, random);
  const int pad_right = OneOf({0, 1}, random);
  const int rows = g.h + g.pad_top + pad_bottom - reach_h;
  const int columns = g.w + g.pad_left + pad_right - reach_w;
  g.p = rows < 0 ? 0 : rows / g.stride_h + 1;
  g.q = columns < 0 ? 0 : columns / g.stride_w + 1;
  return g;
}

// Calls visit(index in x, index in w, index in y) for each product of a convolution.
template <typename Visit>
void ForEachProduct(const Conv2dSizes& g, Visit visit) {
  const int depth = g.c / g.groups;
  for (int64_t i = 0; i < g.y_size(); ++i) {
    const int64_t k = i % g.k, q = i / g.k % g.q, p = i / g.k / g.q % g.p;
    const int64_t n = i / g.k / g.q / g.p;
    for (int64_t r = 0; r < g.r; ++r) {
      for (int64_t s = 0; s < g.s; ++s) {
        const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
        const int64_t column = q * g.stride_w + s * g.dilation_w - g.pad_left;
        if (row < 0 || row >= g.h || column < 0 || column >= g.w) continue;
        for (int64_t c = 0; c < depth; ++c) {
          const int64_t channel = k / (g.k / g.groups) * depth + c;
          visit(((n * g.h + row) * g.w + column) * g.c + channel,
                ((r * g.s + s) * depth + c) * g.k + k, i);
        }
      }
    }
  }
}

// The operands of a convolution, and what forward and backward should give.
template <typename T>
struct Conv {
  Conv(const Conv2dSizes& g, std::mt19937* random)
      : x(Numbers<T>(g.x_size(), random)),
        w(Numbers<T>(g.w_size(), random)),
        dy(Numbers<T>(g.y_size(), random)),
        y(g.y_size()),
        dx(g.x_size()),
        dw(g.w_size()) {
    ForEachProduct(g, [&](int64_t in, int64_t tap, int64_t out) {
      y[out] += double{x.host()[in]} * double{w.host()[tap]};
      dx[in] += double{dy.host()[out]} * double{w.host()[tap]};
      dw[tap] += double{dy.host()[out]} * double{x.host()[in]};
    });
  }

  OnDevice<T> x, w, dy;
  std::vector<double> y, dx, dw;
};

template <typename T>
void CheckDirect(const Conv2dSizes& g, std::mt19937* random) {
  const double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
  const Conv<T> conv(g, random);
  const OnDevice<T> y(g.y_size()), dx(g.x_size()), dw(g.w_size());
  ASSERT_EQ(LaunchConv2dDirect(g, conv.x.get(), conv.w.get(), y.get(), nullptr), 0);
  ASSERT_EQ(LaunchConv2dInputDirect(g, conv.dy.get(), conv.w.get(), dx.get(), nullptr),
            0);
  ASSERT_EQ(LaunchConv2dFilterDirect(g, conv.x.get(), conv.dy.get(), dw.get(), nullptr),
            0);
  ExpectNear(y.Read(), conv.y, tolerance, "y of " + Text(g));
  ExpectNear(dx.Read(), conv.dx, tolerance, "dx of " + Text(g));
  ExpectNear(dw.Read(), conv.dw, tolerance, "dw of " + Text(g));
}

TEST_F(GpuConv2d, DirectFollowsTheFormula) {
  std::mt19937 random(2);
  for (int i = 0; i < 25; ++i) {
    CheckDirect<float>(RandomSizes(&random, true), &random);
    CheckDirect<double>(RandomSizes(&random, true), &random);
  }
}

TEST_F(GpuConv2d, SharedMemoryAndPatchesGiveTheSame) {
  std::mt19937 random(3);
  for (int i = 0; i < 25; ++i) {
    const Conv2dSizes g = RandomSizes(&random, false);
    const Conv<float> conv(g, &random);
    const OnDevice<float> shared(g.y_size()), columns(g.y_size());
    const OnDevice<float> patches(int64_t{g.n} * g.p * g.q * g.r * g.s * g.c);
    ASSERT_TRUE(FitsConv2dShared(g)) << Text(g);
    ASSERT_EQ(LaunchConv2dShared(g, conv.x.get(), conv.w.get(), shared.get(), nullptr),
              0);
    ExpectNear(shared.Read(), conv.y, 2e-5, "shared, " + Text(g));
    ASSERT_EQ(LaunchConv2dIm2col(g, conv.x.get(), conv.w.get(), patches.get(),
                                 columns.get(), nullptr),
              0);
    ExpectNear(columns.Read(), conv.y, 2e-5, "im2col, " + Text(g));
  }
}

void CheckTiles(const Conv2dSizes& g, std::mt19937* random) {
  const Conv<float> conv(g, random);
  const OnDevice<float> y(g.y_size()), dx(g.x_size()), dw(g.w_size());
  const OnDevice<float> partial(g.w_size() * Conv2dFilterSplits(g));
  ASSERT_TRUE(FitsConv2dTiles(g)) << Text(g);
  ASSERT_EQ(LaunchConv2dTiles(g, conv.x.get(), conv.w.get(), y.get(), nullptr), 0);
  ExpectNear(y.Read(), conv.y, 2e-5, "y of " + Text(g));
  ASSERT_EQ(LaunchConv2dInputTiles(g, conv.dy.get(), conv.w.get(), dx.get(), nullptr), 0);
  ExpectNear(dx.Read(), conv.dx, 2e-5, "dx of " + Text(g));
  ASSERT_EQ(LaunchConv2dFilterTiles(g, conv.x.get(), conv.dy.get(), partial.get(),
                                    dw.get(), nullptr),
            0);
  ExpectNear(dw.Read(), conv.dw, 2e-5, "dw of " + Text(g));
}

TEST_F(GpuConv2d, TilesGiveTheSame) {
  std::mt19937 random(4);
  for (int i = 0; i < 40; ++i) CheckTiles(RandomSizes(&random, false), &random);
}

TEST_F(GpuConv2d, TilesGiveTheSameWhereTheFilterGradientIsSplit) {
  std::mt19937 random(5);
  for (const int channels : {4, 5}) {
    Conv2dSizes g{2, 20, 20, channels, 3, 3, 8, 20, 20};
    g.pad_top = g.pad_left = 1;
    ASSERT_GT(Conv2dFilterSplits(g), 1);
    CheckTiles(g, &random);
  }
}

TEST_F(GpuConv2d, TilesNeedOneGroup) {
  Conv2dSizes g{1, 4, 4, 2, 1, 1, 2, 4, 4};
  EXPECT_TRUE(FitsConv2dTiles(g) && FitsConv2dShared(g));
  g.groups = 2;
  EXPECT_FALSE(FitsConv2dTiles(g) || FitsConv2dShared(g));
}

}  // namespace
}  // namespace minitf::gpu
