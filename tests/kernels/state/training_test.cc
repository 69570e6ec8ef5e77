// Training ops: several steps against the formulas, written term by term for one element.

#include <array>
#include <functional>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor Number(double value) { return Tensor::Scalar(value); }

constexpr int kSteps = 4;

TEST(GradientDescent, TakesOneStep) {
  const Tensor w = NewVariable(Numbers({1}, {1}));
  RunOp("ResourceApplyGradientDescent", {w, Number(0.1), Numbers({1}, {2})});
  EXPECT_TRUE(AllClose(Read(w), Numbers({1}, {0.8})));
}

// Runs `op` on variables of 3000 elements (two pieces), the state of element i starting
// at start[k] + i / 1000, and compares with `formula`, which takes one element's state
// and gradient through one step.
template <size_t kStates>
void ExpectSteps(
    const std::string& op, const std::array<double, kStates>& start,
    const std::function<std::vector<Tensor>(int step, const Tensor& g)>& inputs,
    const std::function<void(std::array<double, kStates>&, double g, int step)>& formula,
    Attrs attrs = {}) {
  const int64_t count = 3000;
  std::vector<Tensor> handles;
  std::vector<std::array<double, kStates>> expected(count);
  for (size_t k = 0; k < kStates; ++k) {
    Tensor value(DType::kFloat64, {count});
    for (int64_t i = 0; i < count; ++i) {
      expected[i][k] = start[k] + 0.001 * static_cast<double>(i);
      value.mutable_flat<double>()[i] = expected[i][k];
    }
    handles.push_back(NewVariable(value));
  }
  for (int step = 1; step <= kSteps; ++step) {
    const Tensor g = RandomTensor({count}, step);
    std::vector<Tensor> arguments = handles;
    for (const Tensor& input : inputs(step, g)) arguments.push_back(input);
    RunOp(op, arguments, attrs);
    for (int64_t i = 0; i < count; ++i) formula(expected[i], g.flat<double>()[i], step);
  }
  for (size_t k = 0; k < kStates; ++k) {
    Tensor value(DType::kFloat64, {count});
    for (int64_t i = 0; i < count; ++i) value.mutable_flat<double>()[i] = expected[i][k];
    EXPECT_TRUE(AllClose(Read(handles[k]), value, 1e-12)) << op << " variable " << k;
  }
}

TEST(Momentum, FollowsItsFormula) {
  for (const bool nesterov : {false, true}) {
    ExpectSteps<2>(
        "ResourceApplyMomentum", {1, 0.5},
        [](int, const Tensor& g) {
          return std::vector<Tensor>{Number(0.1), g, Number(0.9)};
        },
        [nesterov](std::array<double, 2>& s, double g, int) {
          auto& [var, accum] = s;
          accum = 0.9 * accum + g;
          var -= nesterov ? 0.1 * (g + 0.9 * accum) : 0.1 * accum;
        },
        {{"use_nesterov", nesterov}});
  }
}

TEST(Adam, FollowsItsFormula) {
  for (const bool nesterov : {false, true}) {
    ExpectSteps<3>(
        "ResourceApplyAdam", {1, 0.2, 0.3},
        [](int step, const Tensor& g) {
          return std::vector<Tensor>{Number(std::pow(0.9, step)),
                                     Number(std::pow(0.99, step)),
                                     Number(0.01),
                                     Number(0.9),
                                     Number(0.99),
                                     Number(1e-8),
                                     g};
        },
        [nesterov](std::array<double, 3>& s, double g, int step) {
          auto& [var, m, v] = s;
          m = 0.9 * m + 0.1 * g;
          v = 0.99 * v + 0.01 * g * g;
          const double lr =
              0.01 * std::sqrt(1 - std::pow(0.99, step)) / (1 - std::pow(0.9, step));
          const double last = nesterov ? 0.9 * m + 0.1 * g : m;
          var -= lr * last / (std::sqrt(v) + 1e-8);
        },
        {{"use_nesterov", nesterov}});
  }
}

TEST(Adagrad, FollowsItsFormula) {
  for (const bool update_slots : {false, true}) {
    ExpectSteps<2>(
        "ResourceApplyAdagrad", {1, 0.1},
        [](int, const Tensor& g) {
          return std::vector<Tensor>{Number(0.1), g};
        },
        [update_slots](std::array<double, 2>& s, double g, int) {
          auto& [var, accum] = s;
          if (update_slots) accum += g * g;
          var -= 0.1 * g / std::sqrt(accum);
        },
        {{"update_slots", update_slots}});
  }
}

std::vector<Tensor> RmsPropInputs(const Tensor& g) {
  return {Number(0.01), Number(0.9), Number(0.5), Number(1e-3), g};
}

TEST(RmsProp, FollowsItsFormula) {
  ExpectSteps<3>(
      "ResourceApplyRMSProp", {1, 0.4, 0.2},
      [](int, const Tensor& g) { return RmsPropInputs(g); },
      [](std::array<double, 3>& s, double g, int) {
        auto& [var, ms, mom] = s;
        ms = 0.9 * ms + 0.1 * g * g;
        mom = 0.5 * mom + 0.01 * g / std::sqrt(ms + 1e-3);
        var -= mom;
      });
}

TEST(CenteredRmsProp, FollowsItsFormula) {
  ExpectSteps<4>(
      "ResourceApplyCenteredRMSProp", {1, 0.0, 30.0, 0.2},
      [](int, const Tensor& g) { return RmsPropInputs(g); },
      [](std::array<double, 4>& s, double g, int) {
        auto& [var, mg, ms, mom] = s;
        ms = 0.9 * ms + 0.1 * g * g;
        mg = 0.9 * mg + 0.1 * g;
        mom = 0.5 * mom + 0.01 * g / std::sqrt(ms - mg * mg + 1e-3);
        var -= mom;
      });
}

TEST(Adadelta, FollowsItsFormula) {
  ExpectSteps<3>(
      "ResourceApplyAdadelta", {1, 0.1, 0.2},
      [](int, const Tensor& g) {
        return std::vector<Tensor>{Number(0.5), Number(0.9), Number(1e-3), g};
      },
      [](std::array<double, 3>& s, double g, int) {
        auto& [var, accum, accum_update] = s;
        accum = 0.9 * accum + 0.1 * g * g;
        const double update =
            std::sqrt(accum_update + 1e-3) / std::sqrt(accum + 1e-3) * g;
        var -= 0.5 * update;
        accum_update = 0.9 * accum_update + 0.1 * update * update;
      });
}

TEST(Ftrl, FollowsItsFormula) {
  for (const double power : {-0.5, -0.3}) {
    ExpectSteps<3>(
        "ResourceApplyFtrl", {1, 0.1, -0.2},
        [power](int, const Tensor& g) {
          return std::vector<Tensor>{g, Number(0.1), Number(0.3), Number(0.2),
                                     Number(power)};
        },
        [power](std::array<double, 3>& s, double g, int) {
          auto& [var, accum, linear] = s;
          const double after = std::pow(accum + g * g, -power);
          linear += g - (after - std::pow(accum, -power)) / 0.1 * var;
          accum += g * g;
          const double sign = linear > 0 ? 1 : -1;
          var = std::abs(linear) > 0.3 ? (sign * 0.3 - linear) / (after / 0.1 + 2 * 0.2)
                                       : 0;
        });
  }
}

TEST(Ftrl, RefusesScalarsOfTheWrongSign) {
  const Tensor v = NewVariable(Numbers({1}, {1}));
  const Tensor a = NewVariable(Numbers({1}, {1}));
  const Tensor l = NewVariable(Numbers({1}, {1}));
  EXPECT_TRUE(Says(ErrorOf("ResourceApplyFtrl", {v, a, l, Numbers({1}, {1}), Number(0),
                                                 Number(0), Number(0), Number(-0.5)}),
                   "lr is not a positive scalar: 0"));
}

TEST(Training, ComputesHalvesAsFloats) {
  const Tensor half_w =
      OutputOf("Cast", {Numbers({3}, {1, 2, -4})}, {{"DstT", DType::kFloat16}});
  const Tensor half_g =
      OutputOf("Cast", {Numbers({3}, {2, 1, 0.5})}, {{"DstT", DType::kFloat16}});
  const Tensor rate = OutputOf("Cast", {Number(0.5)}, {{"DstT", DType::kFloat16}});
  const Tensor w = NewVariable(half_w);
  RunOp("ResourceApplyGradientDescent", {w, rate, half_g});
  EXPECT_TRUE(
      AllClose(OutputOf("Cast", {Read(w, DType::kFloat16)}, {{"DstT", DType::kFloat64}}),
               Numbers({3}, {0, 1.5, -4.25})));
}

TEST(Training, AValueThatWasReadDoesNotChange) {
  const Tensor w = NewVariable(Numbers({2}, {1, 2}));
  const Tensor before = Read(w);
  RunOp("ResourceApplyGradientDescent", {w, Number(1), Numbers({2}, {1, 1})});
  EXPECT_TRUE(AllClose(before, Numbers({2}, {1, 2})));
  EXPECT_TRUE(AllClose(Read(w), Numbers({2}, {0, 1})));
}

TEST(Training, NamesWhatDoesNotFit) {
  const Tensor w = NewVariable(Numbers({2}, {1, 2}));
  const Tensor accum = NewVariable(Numbers({3}, {1, 2, 3}));
  EXPECT_TRUE(
      Says(ErrorOf("ResourceApplyGradientDescent", {w, Number(1), Numbers({1}, {1})}),
           "and delta do not have the same shape: [2] and [1]"));
  EXPECT_TRUE(Says(ErrorOf("ResourceApplyMomentum",
                           {w, accum, Number(1), Numbers({2}, {1, 1}), Number(0)}),
                   "[3] and [2]"));
  EXPECT_TRUE(Says(ErrorOf("ResourceApplyMomentum",
                           {w, w, Number(1), Numbers({2}, {1, 1}), Number(0)}),
                   "is given more than once"));
  EXPECT_NE(ErrorOf("ResourceApplyGradientDescent",
                    {w, Numbers({1}, {1}), Numbers({2}, {1, 1})}),
            "");
  EXPECT_NE(ErrorOf("ResourceApplyGradientDescent",
                    {w, Tensor::Scalar(1.0F), Tensor::Of<float>({2}, {1, 1})}),
            "");
  const Tensor empty = OutputOf("VarHandleOp", {},
                                {{"dtype", DType::kFloat64}, {"shape", PartialShape{2}}});
  EXPECT_TRUE(Says(
      ErrorOf("ResourceApplyGradientDescent", {empty, Number(1), Numbers({2}, {1, 1})}),
      "uninitialized value"));
}

TEST(Training, TakesNoElements) {
  const Tensor w = NewVariable(Counting({0}));
  RunOp("ResourceApplyGradientDescent", {w, Number(1), Counting({0})});
  EXPECT_EQ(Read(w).num_elements(), 0);
}

}  // namespace
}  // namespace minitf::testing
