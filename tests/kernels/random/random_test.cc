// Random ops: the generator's published values, TensorFlow's numbers for the same seeds,
// and the shape of the distributions.

#include "minitf/framework/random.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Philox, GivesThePublishedValues) {
  Philox zeros(0, 0);
  EXPECT_EQ(zeros(), (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  Philox ones(~uint64_t{0}, ~uint64_t{0});
  ones.Skip(~uint64_t{0});
  EXPECT_EQ(ones(), (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  Philox pi(0x299f31d0a4093822, 0x0370734413198a2e);
  pi.Skip(0x85a308d3243f6a88);
  EXPECT_EQ(pi(), (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SkipsAcrossTheWords) {
  Philox stepping(1, 2);
  stepping.Skip(~uint64_t{0} - 1);
  Philox skipping = stepping;
  stepping();
  stepping();
  skipping.Skip(2);
  EXPECT_EQ(stepping(), skipping());
}

Attrs Seeds(int64_t seed, int64_t seed2, DType dtype) {
  return {{"seed", seed}, {"seed2", seed2}, {"dtype", dtype}};
}

// The numbers of TensorFlow for seed = 87654321, seed2 = 42; of the next step the first.
struct Golden {
  const char* op;
  DType dtype;
  std::vector<double> first_step;
  double next;
};

const Golden kGolden[] = {
    {"RandomUniform",
     DType::kFloat32,
     {0.9522714614868164, 0.6774077415466309, 0.7953182458877563, 0.7557817697525024,
      0.475955605506897, 0.6310148239135742, 0.1860203742980957},
     0.5001906156539917},
    {"RandomUniform",
     DType::kFloat64,
     {0.6181726095777149, 0.36254602252651336, 0.8076457653772362, 0.4881631901754211,
      0.6897747269334924, 0.7535973263109803, 0.5913636136714606},
     0.0015257954156875364},
    {"RandomStandardNormal",
     DType::kFloat32,
     {-0.2807750701904297, -0.13775210082530975, -0.6763296127319336,
      0.024580413475632668, -0.8935845494270325, -0.8284732699394226, 1.2068943977355957},
     1.0532718896865845},
    {"RandomStandardNormal",
     DType::kFloat64,
     {0.7456244549943906, -0.6371964266311646, 0.04856931364585292, -0.6518469707884212,
      -0.861626965289776, 0.01947838523914368, 0.15208843595329613},
     -1.2623945076031615},
    {"TruncatedNormal",
     DType::kFloat32,
     {-0.2807750701904297, -0.13775210082530975, -0.6763296127319336,
      0.024580413475632668, -0.4684547185897827, -0.002466318430379033,
      -0.974591076374054},
     1.0532718896865845},
    {"TruncatedNormal",
     DType::kFloat64,
     {0.7456244549943906, -0.6371964266311646, 1.0386338435537557, 0.8440623680320994,
      -0.10011952002828886, 1.884183291284533, -0.47788560475926145},
     -1.2623945076031615},
};

// How close a step from the golden numbers must be: uniform numbers are exact, normal
// ones depend on the last bits of the C library's sine and logarithm.
double ToleranceOf(const Golden& golden) {
  if (std::string(golden.op) == "RandomUniform") return 0;
  return golden.dtype == DType::kFloat32 ? 1e-6 : 1e-14;
}

TEST(Random, GivesTheNumbersOfTensorFlow) {
  for (const Golden& golden : kGolden) {
    const Attrs attrs = Seeds(87654321, 42, golden.dtype);
    const Tensor first = OutputOf(golden.op, {Ints({7})}, attrs);
    const Tensor second = OutputOf(golden.op, {Ints({7})}, attrs);
    EXPECT_TRUE(AllClose(first, Numbers({7}, golden.first_step), ToleranceOf(golden)))
        << golden.op << golden.dtype;
    EXPECT_NEAR(AsDoubles(second)[0], golden.next, ToleranceOf(golden) * 2) << golden.op;
  }
}

// float16 and bfloat16 by their bits.
TEST(Random, GivesTheHalvesOfTensorFlow) {
  const auto as_double = [](const Tensor& x) {
    return AsDoubles(OutputOf("Cast", {x}, {{"DstT", DType::kFloat64}}));
  };
  EXPECT_EQ(as_double(OutputOf("RandomUniform", {Ints({3})},
                               Seeds(87654321, 42, DType::kFloat16))),
            (std::vector<double>{0.0078125, 0.32421875, 0.2470703125}));
  EXPECT_EQ(as_double(OutputOf("RandomUniform", {Ints({3})},
                               Seeds(87654321, 42, DType::kBfloat16))),
            (std::vector<double>{0.0625, 0.59375, 0.9765625}));
  EXPECT_EQ(as_double(OutputOf("TruncatedNormal", {Ints({6})},
                               Seeds(87654321, 42, DType::kFloat16)))[5],
            -0.0024662017822265625);
}

TEST(RandomUniformInt, GivesTheNumbersOfTensorFlow) {
  const Attrs attrs = {{"seed", int64_t{1}}, {"seed2", int64_t{2}}};
  const auto small = [&] {
    return OutputOf("RandomUniformInt",
                    {Ints({6}), Tensor::Scalar(-5), Tensor::Scalar(10)}, attrs);
  };
  EXPECT_TRUE(AllClose(small(), Ints({9, 0, 7, 9, 6, -4})));
  EXPECT_TRUE(AllClose(small(), Ints({-5, 4, -1, 0, 2, -2})));
  const Tensor large = OutputOf("RandomUniformInt",
                                {Ints({6}), Tensor::Scalar(int64_t{-5}),
                                 Tensor::Scalar(int64_t{1'000'000'000'000})},
                                attrs);
  EXPECT_TRUE(AllClose(
      large, Tensor::Of<int64_t>({6}, {248647278884, 816829796616, 863450034322,
                                       556790831751, 656262154543, 645879487448})));
}

TEST(RandomUniformInt, NeedsARange) {
  EXPECT_TRUE(
      Says(ErrorOf("RandomUniformInt", {Ints({1}), Tensor::Scalar(5), Tensor::Scalar(5)}),
           "Need minval < maxval, got 5 >= 5"));
  // The whole of int32 overflows as a signed difference.
  const Tensor y = OutputOf("RandomUniformInt", {Ints({1000}), Tensor::Scalar(INT32_MIN),
                                                 Tensor::Scalar(INT32_MAX)});
  const auto [low, high] = std::ranges::minmax(y.flat<int32_t>());
  EXPECT_LT(low, -2'000'000'000);
  EXPECT_GT(high, 2'000'000'000);
}

TEST(RandomShuffle, GivesTheOrderOfTensorFlow) {
  const Attrs attrs = {{"seed", int64_t{3}}, {"seed2", int64_t{4}}};
  const Tensor x = Ints({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_TRUE(
      AllClose(OutputOf("RandomShuffle", {x}, attrs), Ints({1, 4, 7, 2, 3, 6, 0, 5})));
  EXPECT_TRUE(
      AllClose(OutputOf("RandomShuffle", {x}, attrs), Ints({1, 3, 7, 5, 6, 4, 2, 0})));
}

TEST(RandomShuffle, KeepsRowsTogether) {
  const Tensor y = OutputOf("RandomShuffle", {Counting({50, 3})});
  std::set<double> rows;
  for (int64_t i = 0; i < 50; ++i) {
    const double first = y.flat<double>()[3 * i];
    rows.insert(first);
    EXPECT_EQ(y.flat<double>()[3 * i + 2], first + 2);
  }
  EXPECT_EQ(rows.size(), 50U);
  EXPECT_EQ(OutputOf("RandomShuffle", {Tensor::Scalar(1.0)}).scalar<double>(), 1);
  EXPECT_EQ(OutputOf("RandomShuffle", {Counting({3, 0})}).shape(), (Shape{3, 0}));
}

TEST(Multinomial, GivesTheClassesOfTensorFlow) {
  const Tensor logits =
      Tensor::Of<float>({2, 3}, {std::log(.1F), std::log(.2F), std::log(.7F),
                                 std::log(.5F), std::log(.5F), -INFINITY});
  const Tensor y = OutputOf("Multinomial", {logits, Tensor::Scalar(10)},
                            {{"seed", int64_t{5}}, {"seed2", int64_t{6}}});
  EXPECT_TRUE(AllClose(y, Tensor::Of<int64_t>({2, 10}, {2, 2, 2, 2, 2, 1, 2, 2, 2, 2,  //
                                                        0, 0, 0, 1, 1, 0, 0, 0, 1, 1})));
}

TEST(Multinomial, FollowsTheProbabilities) {
  const Tensor logits = Numbers({1, 3}, {std::log(1.0), std::log(2.0), std::log(7.0)});
  const Tensor y = OutputOf("Multinomial", {logits, Tensor::Scalar(20000)},
                            {{"seed", int64_t{8}}, {"output_dtype", DType::kInt32}});
  std::vector<int> counts(3);
  for (const int32_t chosen : y.flat<int32_t>()) ++counts[chosen];
  EXPECT_NEAR(counts[0], 2000, 150);
  EXPECT_NEAR(counts[1], 4000, 200);
  EXPECT_NE(ErrorOf("Multinomial", {Counting({3}), Tensor::Scalar(1)}), "");
  EXPECT_NE(ErrorOf("Multinomial", {Counting({1, 0}), Tensor::Scalar(1)}), "");
  EXPECT_NE(ErrorOf("Multinomial", {logits, Tensor::Scalar(-1)}), "");
}

// The largest distance between the numbers' distribution and `cumulative`.
template <typename Cumulative>
double DistanceTo(Cumulative cumulative, std::vector<double> numbers) {
  std::ranges::sort(numbers);
  double distance = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / numbers.size();
    distance = std::max(distance, std::abs(cumulative(numbers[i]) - share));
  }
  return distance;
}

double NormalCumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Kolmogorov's bound for 100,000 numbers at one in a thousand: 1.95 / sqrt(100,000).
constexpr double kBound = 0.0062;
constexpr int32_t kMany = 100'000;

TEST(Random, FollowsItsDistribution) {
  const auto draw = [](const char* op) {
    return AsDoubles(OutputOf(op, {Ints({kMany})}, Seeds(11, 12, DType::kFloat32)));
  };
  EXPECT_LT(DistanceTo([](double x) { return x; }, draw("RandomUniform")), kBound);
  EXPECT_LT(DistanceTo(NormalCumulative, draw("RandomStandardNormal")), kBound);
  const double tail = NormalCumulative(-2);
  const auto truncated = [tail](double x) {
    return (NormalCumulative(x) - tail) / (1 - 2 * tail);
  };
  const std::vector<double> numbers = draw("TruncatedNormal");
  EXPECT_LT(DistanceTo(truncated, numbers), kBound);
  for (const double number : numbers) ASSERT_LT(std::abs(number), 2);
}

TEST(Random, DoesNotDependOnTheNumberOfThreads) {
  // A prefix of a larger tensor is filled by other threads than all of a small one.
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    const Tensor large = OutputOf(op, {Ints({300'001})}, Seeds(21, 0, DType::kFloat32));
    const Tensor again = OutputOf(op, {Ints({300'001})}, Seeds(0, 21, DType::kFloat32));
    ASSERT_NE(AsDoubles(large), AsDoubles(again)) << op;
    const Tensor small = OutputOf(op, {Ints({5})},
                                  {{"seed", int64_t{21}},
                                   {"seed2", int64_t{0}},
                                   {"dtype", DType::kFloat32},
                                   {"T", DType::kInt32}});
    EXPECT_TRUE(AllClose(small, large.Slice(0, 5), 0)) << op;
  }
}

TEST(Random, WithoutSeedsDiffersFromCallToCall) {
  const auto draw = [] {
    return AsDoubles(
        OutputOf("RandomUniform", {Ints({4})}, {{"dtype", DType::kFloat32}}));
  };
  EXPECT_NE(draw(), draw());
}

TEST(Random, TakesAnyShape) {
  const Attrs attrs = {{"dtype", DType::kFloat32}};
  EXPECT_EQ(OutputOf("RandomUniform", {Ints({})}, attrs).shape(), Shape());
  EXPECT_EQ(OutputOf("TruncatedNormal", {Ints({3, 0})}, attrs).num_elements(), 0);
  EXPECT_NE(ErrorOf("RandomUniform", {Ints({-1})}, attrs), "");
  EXPECT_NE(ErrorOf("RandomUniform", {Tensor::Scalar(3)}, attrs), "");
  EXPECT_NE(ErrorOf("RandomUniform", {Ints({2})}, {{"dtype", DType::kInt32}}), "");
}

}  // namespace
}  // namespace minitf::testing
