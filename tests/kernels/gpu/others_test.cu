// The GPU's other kernels, against plain loops on the host.

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "kernels/gpu/elementwise.h"
#include "kernels/gpu/nn/pooling.h"
#include "kernels/gpu/nn/softmax.h"
#include "kernels/gpu/random.h"
#include "kernels/gpu/reduction.h"
#include "kernels/gpu/strided_copy.h"
#include "kernels/gpu/training.h"
#include "tests/kernels/gpu/device.h"

namespace minitf::gpu {
namespace {

class GpuElementwise : public GpuTest {};
class GpuPooling : public GpuTest {};
class GpuRandom : public GpuTest {};
class GpuReduction : public GpuTest {};
class GpuSoftmax : public GpuTest {};
class GpuStridedCopy : public GpuTest {};
class GpuTraining : public GpuTest {};
class GpuTranspose : public GpuTest {};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- Element-wise ---------------------------------------------------------------------

const std::map<std::string, std::function<double(double)>>& UnaryFunctions() {
  static const std::map<std::string, std::function<double(double)>> functions = {
      {"Abs", [](double x) { return std::abs(x); }},
      {"Neg", [](double x) { return -x; }},
      {"Square", [](double x) { return x * x; }},
      {"Sign", [](double x) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : x; }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Inv", [](double x) { return 1 / x; }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Expm1", [](double x) { return std::expm1(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Log1p", [](double x) { return std::log1p(x); }},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Cos", [](double x) { return std::cos(x); }},
      {"Tan", [](double x) { return std::tan(x); }},
      {"Asin", [](double x) { return std::asin(x); }},
      {"Acos", [](double x) { return std::acos(x); }},
      {"Atan", [](double x) { return std::atan(x); }},
      {"Sinh", [](double x) { return std::sinh(x); }},
      {"Cosh", [](double x) { return std::cosh(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Asinh", [](double x) { return std::asinh(x); }},
      {"Acosh", [](double x) { return std::acosh(x); }},
      {"Atanh", [](double x) { return std::atanh(x); }},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Erfc", [](double x) { return std::erfc(x); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Rint", [](double x) { return std::nearbyint(x); }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"IsNan", [](double x) { return std::isnan(x); }},
      {"IsInf", [](double x) { return std::isinf(x); }},
      {"IsFinite", [](double x) { return std::isfinite(x); }},
      {"LogicalNot", [](double x) { return x == 0; }},
      {"Relu", [](double x) { return x < 0 ? 0 : x; }},
      {"Relu6", [](double x) { return x < 0   ? 0
                                      : x > 6 ? 6
                                              : x; }},
      {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {"Selu",
       [](double x) {
         return x < 0 ? 1.7580993408473768 * std::expm1(x) : 1.0507009873554805 * x;
       }},
      {"Softsign", [](double x) { return x / (1 + std::abs(x)); }},
      {"Softplus",
       [](double x) {
         return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
       }},
  };
  return functions;
}

template <typename T>
std::vector<T> Samples(std::mt19937* random) {
  std::vector<T> samples = Numbers<T>(300, random);
  for (const double x : {0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 7.0, -30.0}) {
    samples.push_back(static_cast<T>(x));
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (const double x : {kInfinity, -kInfinity, double{NAN}, -0.0}) {
      samples.push_back(static_cast<T>(x));
    }
  }
  return samples;
}

template <typename In, typename Out>
void CheckUnary(const UnaryKernel& kernel, std::mt19937* random) {
  const auto& function = UnaryFunctions().at(kernel.op);
  const OnDevice<In> x(Samples<In>(random));
  const auto count = static_cast<int64_t>(x.host().size());
  const OnDevice<Out> y(count);
  ASSERT_EQ(kernel.launch(count, x.get(), y.get(), nullptr), cudaSuccess);
  std::vector<double> expected;
  for (const In number : x.host()) expected.push_back(function(number));
  ExpectNear(y.Read(), expected, sizeof(In) == 8 ? 1e-13 : 1e-5, kernel.op);
}

TEST_F(GpuElementwise, EachFunctionOfOneNumberIsRight) {
  std::mt19937 random(1);
  for (const UnaryKernel& kernel : UnaryKernels()) {
    ASSERT_TRUE(UnaryFunctions().count(kernel.op)) << kernel.op;
    const bool is_test = kernel.in != kernel.out;
    switch (kernel.in) {
      case ElementType::kFloat32:
        is_test ? CheckUnary<float, uint8_t>(kernel, &random)
                : CheckUnary<float, float>(kernel, &random);
        break;
      case ElementType::kFloat64:
        is_test ? CheckUnary<double, uint8_t>(kernel, &random)
                : CheckUnary<double, double>(kernel, &random);
        break;
      case ElementType::kInt64: CheckUnary<int64_t, int64_t>(kernel, &random); break;
      case ElementType::kInt32: FAIL() << kernel.op; break;
      case ElementType::kBool: break;  // LogicalNot, see below
    }
  }
}

TEST_F(GpuElementwise, LogicalNotTurnsTruth) {
  const bool values[] = {true, false, false};
  bool* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 3), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, values, 3, cudaMemcpyHostToDevice), cudaSuccess);
  for (const UnaryKernel& kernel : UnaryKernels()) {
    if (kernel.in != ElementType::kBool) continue;
    ASSERT_EQ(kernel.launch(3, memory, memory, nullptr), cudaSuccess);
  }
  bool got[3] = {};
  ASSERT_EQ(cudaMemcpy(got, memory, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(!got[0] && got[1] && got[2]);
  cudaFree(memory);
}

TEST_F(GpuElementwise, BroadcastsAlongAnyAxes) {
  // z [3,4,5], x [3,1,5], y [4,1].
  std::mt19937 random(2);
  const OnDevice<float> x(Numbers<float>(15, &random)), y(Numbers<float>(4, &random));
  const OnDevice<float> z(60);
  Broadcast broadcast{3, {3, 4, 5}, {{5, 0, 1}, {0, 1, 0}}};
  for (const BinaryKernel& kernel : BinaryKernels()) {
    if (std::string(kernel.op) != "Sub" || kernel.in != ElementType::kFloat32) continue;
    ASSERT_EQ(kernel.launch(60, 15, 4, broadcast, x.get(), y.get(), z.get(), nullptr), 0);
  }
  std::vector<double> expected;
  for (int i = 0; i < 60; ++i) {
    expected.push_back(double{x.host()[i / 20 * 5 + i % 5]} - y.host()[i / 5 % 4]);
  }
  ExpectNear(z.Read(), expected, 1e-6, "Sub");
}

TEST_F(GpuElementwise, CastsBetweenAllTypes) {
  const OnDevice<float> x({0.0F, 1.9F, -1.9F, 250.0F});
  const OnDevice<int64_t> y(4);
  const OnDevice<double> z(4);
  ASSERT_EQ(LaunchCast(ElementType::kFloat32, ElementType::kInt64, 4, x.get(), y.get(),
                       nullptr),
            cudaSuccess);
  EXPECT_EQ(y.Read(), (std::vector<int64_t>{0, 1, -1, 250}));
  ASSERT_EQ(LaunchCast(ElementType::kInt64, ElementType::kFloat64, 4, y.get(), z.get(),
                       nullptr),
            cudaSuccess);
  EXPECT_EQ(z.Read(), (std::vector<double>{0, 1, -1, 250}));
}

TEST_F(GpuElementwise, Selects) {
  const OnDevice<uint8_t> condition({1, 0});
  const OnDevice<float> a({1, 2, 3, 4, 5, 6});
  const OnDevice<float> b(std::vector<float>{-1}), y(6);
  const Broadcast broadcast{2, {2, 3}, {{1, 0}, {3, 1}, {0, 0}}};
  ASSERT_EQ(LaunchSelect(4, 6, broadcast, reinterpret_cast<bool*>(condition.get()),
                         a.get(), b.get(), y.get(), nullptr),
            cudaSuccess);
  EXPECT_EQ(y.Read(), (std::vector<float>{1, 2, 3, -1, -1, -1}));
}

// ---- Reductions, softmax --------------------------------------------------------------

template <typename T>
void CheckReduce(ReduceFunction function, const ReduceSizes& sizes,
                 std::mt19937* random) {
  const OnDevice<T> x(Numbers<T>(sizes.outer * sizes.length * sizes.inner, random));
  const OnDevice<T> y(sizes.outer * sizes.inner);
  const OnDevice<T> room(ReduceRoom(sizes));
  ASSERT_EQ(LaunchReduce(function, sizes, x.get(), y.get(), room.get(), nullptr), 0);
  std::vector<double> expected;
  for (int64_t o = 0; o < sizes.outer; ++o) {
    for (int64_t i = 0; i < sizes.inner; ++i) {
      double value = function == ReduceFunction::kProd  ? 1
                     : function == ReduceFunction::kMax ? -kInfinity
                     : function == ReduceFunction::kMin ? kInfinity
                                                        : 0;
      for (int64_t l = 0; l < sizes.length; ++l) {
        const double next = x.host()[(o * sizes.length + l) * sizes.inner + i];
        switch (function) {
          case ReduceFunction::kProd: value *= next; break;
          case ReduceFunction::kMax: value = std::max(value, next); break;
          case ReduceFunction::kMin: value = std::min(value, next); break;
          default: value += next;
        }
      }
      if (function == ReduceFunction::kMean) value /= static_cast<double>(sizes.length);
      expected.push_back(value);
    }
  }
  ExpectNear(y.Read(), expected, sizeof(T) == 8 ? 1e-12 : 3e-5,
             std::to_string(sizes.outer) + "x" + std::to_string(sizes.length) + "x" +
                 std::to_string(sizes.inner));
}

TEST_F(GpuReduction, ReducesAlongAnyAxis) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const ReduceSizes sizes{OneOf<int64_t>({0, 1, 3, 40}, &random),
                            OneOf<int64_t>({0, 1, 2, 31, 33, 100, 1500, 2700}, &random),
                            OneOf<int64_t>({1, 1, 2, 32, 45}, &random)};
    const auto function = static_cast<ReduceFunction>(i % 5);
    CheckReduce<float>(function, sizes, &random);
    CheckReduce<double>(function, sizes, &random);
  }
}

TEST_F(GpuReduction, AnExtremeOfANumberThatIsNoneIsNone) {
  for (const int at : {0, 1, 40, 63}) {
    std::vector<float> numbers(64, 1);
    numbers[at] = NAN;
    const OnDevice<float> x(numbers), y(1);
    for (const auto function : {ReduceFunction::kMax, ReduceFunction::kMin}) {
      ASSERT_EQ(LaunchReduce(function, {1, 64, 1}, x.get(), y.get(),
                             static_cast<float*>(nullptr), nullptr),
                0);
      EXPECT_TRUE(std::isnan(y.Read()[0])) << at;
    }
  }
}

template <typename T>
void CheckSoftmax(int64_t rows, int64_t classes, std::mt19937* random) {
  std::vector<T> numbers = Numbers<T>(rows * classes, random);
  for (T& number : numbers) number *= 100;
  const OnDevice<T> x(numbers), y(rows * classes), log_y(rows * classes);
  const OnDevice<T> loss(rows), gradient(rows * classes);
  std::vector<int32_t> classes_of_rows(rows);
  for (auto& label : classes_of_rows) label = static_cast<int32_t>((*random)() % classes);
  const OnDevice<int32_t> labels(classes_of_rows);
  LaunchSoftmax(false, rows, classes, x.get(), y.get(), nullptr);
  LaunchSoftmax(true, rows, classes, x.get(), log_y.get(), nullptr);
  ASSERT_EQ(LaunchSparseCrossEntropy(rows, classes, x.get(), labels.get(), loss.get(),
                                     gradient.get(), nullptr),
            cudaSuccess);
  std::vector<double> p, log_p, losses, gradients;
  for (int64_t r = 0; r < rows; ++r) {
    const T* const row = numbers.data() + r * classes;
    const double largest = *std::max_element(row, row + classes);
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(row[i] - largest);
    for (int64_t i = 0; i < classes; ++i) {
      log_p.push_back(row[i] - largest - std::log(sum));
      p.push_back(std::exp(log_p.back()));
      gradients.push_back(p.back() - (i == classes_of_rows[r]));
    }
    losses.push_back(-log_p[r * classes + classes_of_rows[r]]);
  }
  const double tolerance = sizeof(T) == 8 ? 1e-12 : 1e-5;
  ExpectNear(y.Read(), p, tolerance, "softmax");
  ExpectNear(log_y.Read(), log_p, tolerance, "its logarithm");
  ExpectNear(loss.Read(), losses, tolerance, "cross entropy");
  ExpectNear(gradient.Read(), gradients, tolerance, "its gradient");
}

TEST_F(GpuSoftmax, RowsOfAllLengths) {
  std::mt19937 random(4);
  for (const int64_t classes : {1, 2, 10, 32, 33, 700, 1500}) {
    CheckSoftmax<float>(5, classes, &random);
    CheckSoftmax<double>(3, classes, &random);
  }
}

TEST_F(GpuSoftmax, ALabelThatIsNoClassMakesItsRowNaN) {
  const OnDevice<float> x({1, 2, 3, 1, 2, 3}), loss(2), gradient(6);
  const OnDevice<int64_t> labels({3, 1});
  LaunchSparseCrossEntropy(2, 3, x.get(), labels.get(), loss.get(), gradient.get(),
                           nullptr);
  const auto losses = loss.Read();
  EXPECT_TRUE(std::isnan(losses[0]) && !std::isnan(losses[1]));
  const auto gradients = gradient.Read();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(gradients[i]), i < 3);
}

TEST_F(GpuSoftmax, LabelsMayBroadcast) {
  const OnDevice<double> x({1, 2, 3, 4, 5, 7}), loss(2), gradient(6);
  const OnDevice<double> labels({0.5, 0.25, 0.25});
  LaunchCrossEntropy(2, 3, x.get(), {3, 1}, labels.get(), {0, 1}, loss.get(),
                     gradient.get(), nullptr);
  std::vector<double> losses;
  for (const double* row : {x.host().data(), x.host().data() + 3}) {
    const double log_sum =
        std::log(std::exp(row[0]) + std::exp(row[1]) + std::exp(row[2]));
    losses.push_back(log_sum - (0.5 * row[0] + 0.25 * row[1] + 0.25 * row[2]));
  }
  ExpectNear(loss.Read(), losses, 1e-12, "loss");
}

// ---- Order of elements ----------------------------------------------------------------

TEST_F(GpuTranspose, TurnsMatricesOfAllSizes) {
  std::mt19937 random(5);
  for (const auto& [batch, rows, columns] : {std::array<int64_t, 3>{1, 1, 1},
                                             {2, 32, 32},
                                             {3, 33, 65},
                                             {1, 1, 100},
                                             {1, 70, 2},
                                             {2, 0, 3}}) {
    const OnDevice<double> x(Numbers<double>(batch * rows * columns, &random));
    const OnDevice<double> y(batch * rows * columns);
    ASSERT_EQ(LaunchTranspose(8, batch, rows, columns, x.get(), y.get(), nullptr), 0);
    const auto got = y.Read();
    for (int64_t i = 0; i < batch * rows * columns; ++i) {
      const int64_t b = i / rows / columns, row = i / columns % rows,
                    column = i % columns;
      ASSERT_EQ(got[(b * columns + column) * rows + row], x.host()[i]);
    }
  }
}

TEST_F(GpuStridedCopy, MovesElementsAlongAnyLoops) {
  // x [2,3,4] to y [4,2,3], the first axis backwards.
  std::mt19937 random(6);
  const OnDevice<float> x(Numbers<float>(24, &random)), y(24);
  const StridedLoops loops{3, {4, 2, 3}, {-1, 12, 4}, {6, 3, 1}};
  ASSERT_EQ(LaunchStridedCopy(4, loops, x.get() + 3, y.get(), nullptr), cudaSuccess);
  const auto got = y.Read();
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(got[i], x.host()[3 - i / 6 + i / 3 % 2 * 12 + i % 3 * 4]);
  }
}

TEST_F(GpuStridedCopy, TurnsManyMatrices) {
  std::mt19937 random(7);
  const OnDevice<double> x(Numbers<double>(3 * 5 * 40, &random)), y(3 * 5 * 40);
  const StridedLoops loops{3, {3, 40, 5}, {200, 1, 40}, {200, 5, 1}};
  ASSERT_EQ(LaunchStridedCopy(8, loops, x.get(), y.get(), nullptr), cudaSuccess);
  const auto got = y.Read();
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(got[i], x.host()[i / 200 * 200 + i % 5 * 40 + i / 5 % 40]);
  }
}

// ---- Pooling --------------------------------------------------------------------------

template <typename T>
void CheckPooling(const Conv2dSizes& g, std::mt19937* random) {
  std::vector<T> numbers = Numbers<T>(g.x_size(), random);
  for (T& number : numbers) number = std::round(number);  // many are equal
  const OnDevice<T> x(numbers), dy(Numbers<T>(g.y_size(), random));
  std::vector<double> largest(g.y_size()), mean(g.y_size());
  std::vector<double> d_largest(g.x_size()), d_mean(g.x_size());
  for (int64_t i = 0; i < g.y_size(); ++i) {
    const int64_t c = i % g.k, q = i / g.k % g.q, p = i / g.k / g.q % g.p;
    const int64_t n = i / g.k / g.q / g.p;
    std::vector<int64_t> seen;
    for (int64_t r = 0; r < g.r; ++r) {
      for (int64_t s = 0; s < g.s; ++s) {
        const int64_t row = p * g.stride_h + r - g.pad_top;
        const int64_t column = q * g.stride_w + s - g.pad_left;
        if (row < 0 || row >= g.h || column < 0 || column >= g.w) continue;
        seen.push_back(((n * g.h + row) * g.w + column) * g.c + c);
      }
    }
    int64_t best = seen.front();
    for (const int64_t at : seen) {
      if (numbers[at] > numbers[best]) best = at;
      mean[i] += numbers[at] / static_cast<double>(seen.size());
      d_mean[at] += dy.host()[i] / static_cast<double>(seen.size());
    }
    largest[i] = numbers[best];
    d_largest[best] += dy.host()[i];
  }
  const OnDevice<T> y(g.y_size()), dx(g.x_size());
  ASSERT_EQ(LaunchMaxPool(g, x.get(), y.get(), nullptr), cudaSuccess);
  ExpectNear(y.Read(), largest, 0, "largest");
  ASSERT_EQ(LaunchMaxPoolGrad(g, x.get(), dy.get(), dx.get(), nullptr), cudaSuccess);
  ExpectNear(dx.Read(), d_largest, 1e-5, "gradient of the largest");
  ASSERT_EQ(LaunchAvgPool(g, x.get(), y.get(), nullptr), cudaSuccess);
  ExpectNear(y.Read(), mean, 1e-5, "mean");
  ASSERT_EQ(LaunchAvgPoolGrad(g, dy.get(), dx.get(), nullptr), cudaSuccess);
  ExpectNear(dx.Read(), d_mean, 1e-5, "gradient of the mean");
}

TEST_F(GpuPooling, LargestAndMeanOfAllWindows) {
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    Conv2dSizes g;
    g.n = OneOf({1, 2}, &random);
    g.h = OneOf({4, 7, 9}, &random);
    g.w = OneOf({3, 5, 8}, &random);
    g.c = g.k = OneOf({1, 3, 4}, &random);
    g.r = OneOf({1, 2, 3}, &random);
    g.s = OneOf({1, 2, 3}, &random);
    g.stride_h = OneOf({1, 2, 3}, &random);
    g.stride_w = OneOf({1, 2}, &random);
    g.pad_top = static_cast<int>(random() % g.r);
    g.pad_left = static_cast<int>(random() % g.s);
    // As with SAME: windows may reach beyond the end.
    g.p = (g.h + g.pad_top + g.r - 1 - g.r) / g.stride_h + 1;
    g.q = (g.w + g.pad_left + g.s - 1 - g.s) / g.stride_w + 1;
    CheckPooling<float>(g, &random);
    CheckPooling<double>(g, &random);
  }
}

// ---- Random numbers, training ---------------------------------------------------------

TEST_F(GpuRandom, UniformNumbersHaveTheBitsOfTheGenerator) {
  const OnDevice<float> y(1003);
  Philox generator(0x123456789abcULL, 42);
  ASSERT_EQ(LaunchRandom(Distribution::kUniform, generator, 1003, y.get(), nullptr), 0);
  const auto got = y.Read();
  for (int i = 0; i < 1003; i += 4) {
    const Philox::Block bits = generator();
    for (int j = 0; j < 4 && i + j < 1003; ++j) {
      EXPECT_EQ(got[i + j], static_cast<float>(bits[j] & 0x7fffff) / 8388608.0F);
    }
  }
}

TEST_F(GpuRandom, NormalNumbersHaveMean0AndDeviation1) {
  const OnDevice<double> y(20000);
  ASSERT_EQ(LaunchRandom(Distribution::kNormal, Philox(1, 2), 20000, y.get(), nullptr),
            cudaSuccess);
  double sum = 0, squares = 0;
  for (const double number : y.Read()) {
    sum += number;
    squares += number * number;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.04);
}

TEST_F(GpuTraining, MomentumAndAdamFollowTheirFormulas) {
  std::mt19937 random(8);
  const int count = 300;
  const OnDevice<double> var(Numbers<double>(count, &random));
  const OnDevice<double> m(Numbers<double>(count, &random));
  const OnDevice<double> g(Numbers<double>(count, &random));
  std::vector<double> squares = Numbers<double>(count, &random);
  for (double& x : squares) x = std::abs(x);
  const OnDevice<double> v(squares);
  const OnDevice<double> scalars({0.9, 0.999, 0.01, 0.8, 0.99, 1e-3});
  TrainingInputs<double> inputs;
  inputs.variables[0] = var.get();
  inputs.variables[1] = m.get();
  inputs.variables[2] = v.get();
  for (int i = 0; i < 6; ++i) inputs.scalars[i] = scalars.get() + i;
  inputs.gradient = g.get();
  ASSERT_EQ(LaunchTraining(TrainingRule::kAdam, count, inputs, nullptr), cudaSuccess);
  std::vector<double> expected;
  for (int i = 0; i < count; ++i) {
    const double mean = m.host()[i] * 0.8 + g.host()[i] * (1 - 0.8);
    const double square = v.host()[i] * 0.99 + g.host()[i] * g.host()[i] * (1 - 0.99);
    expected.push_back(var.host()[i] - 0.01 * std::sqrt(1 - 0.999) / (1 - 0.9) * mean /
                                           (std::sqrt(square) + 1e-3));
  }
  ExpectNear(var.Read(), expected, 1e-12, "Adam");

  const OnDevice<double> w(Numbers<double>(count, &random)), accum(squares);
  inputs.variables[0] = w.get();
  inputs.variables[1] = accum.get();
  inputs.flag = true;  // Nesterov
  ASSERT_EQ(LaunchTraining(TrainingRule::kMomentum, count, inputs, nullptr), cudaSuccess);
  expected.clear();
  for (int i = 0; i < count; ++i) {
    const double sum = squares[i] * 0.999 + g.host()[i];
    expected.push_back(w.host()[i] - 0.9 * (g.host()[i] + 0.999 * sum));
  }
  ExpectNear(w.Read(), expected, 1e-12, "Momentum");
}

}  // namespace
}  // namespace minitf::gpu
