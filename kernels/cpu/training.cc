// Training ops on the CPU: an optimiser's formulas, over pieces that stay in the cache.
//
// A step reads and writes every variable once, and does little arithmetic with it: memory
// is the limit. So the formulas, three or four for each optimiser, all run on one piece
// of a few thousand elements before the next piece is fetched; the pieces are shared out
// among threads.
//
// Op         minitf/ops/training_ops.cc
// Compare    tensorflow/core/kernels/training_ops.cc
// Read next  kernels/cpu/locked_variables.h

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/locked_variables.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// Input i of the op, where that is a scalar.
template <typename T>
using Scalars = std::array<T, 10>;

constexpr int kMaxVariables = 4;

// One piece of an update: v(i) is variable i, g() the gradient, s the scalars.
template <typename T>
struct Piece {
  std::array<T*, kMaxVariables> variables;
  const T* gradient;
  int64_t count;
  const Scalars<T>& s;

  ArrayView<T> v(int i) const { return {variables[i], count}; }
  ConstArrayView<T> g() const { return {gradient, count}; }
};

// A rule has the number of its variables, which are the first inputs; the index of the
// gradient among the inputs; a constructor that reads attributes; and its formulas.

struct GradientDescent {
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 2;
  explicit GradientDescent(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T alpha = p.s[1];
    p.v(0) -= p.g() * alpha;
  }
};

struct Momentum {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  explicit Momentum(const Attrs& attrs) : use_nesterov(attrs.Get<bool>("use_nesterov")) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T lr = p.s[2];
    const T momentum = p.s[4];
    auto accum = p.v(1);
    accum = accum * momentum + p.g();
    if (use_nesterov) {
      p.v(0) -= p.g() * lr + accum * momentum * lr;
    } else {
      p.v(0) -= accum * lr;
    }
  }

  bool use_nesterov;
};

struct Adam {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 9;
  explicit Adam(const Attrs& attrs) : use_nesterov(attrs.Get<bool>("use_nesterov")) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T one(1);
    const T beta1_power = p.s[3];
    const T beta2_power = p.s[4];
    const T lr = p.s[5];
    const T beta1 = p.s[6];
    const T beta2 = p.s[7];
    const T epsilon = p.s[8];
    const T lr_t = lr * std::sqrt(one - beta2_power) / (one - beta1_power);
    auto m = p.v(1);
    auto v = p.v(2);
    m += (p.g() - m) * (one - beta1);
    v += (p.g().square() - v) * (one - beta2);
    if (use_nesterov) {
      p.v(0) -= (p.g() * (one - beta1) + m * beta1) * lr_t / (SqrtOf(v) + epsilon);
    } else {
      p.v(0) -= m * lr_t / (SqrtOf(v) + epsilon);
    }
  }

  bool use_nesterov;
};

struct Adagrad {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  explicit Adagrad(const Attrs& attrs) : update_slots(attrs.Get<bool>("update_slots")) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T lr = p.s[2];
    auto accum = p.v(1);
    if (update_slots) accum += p.g().square();
    p.v(0) -= p.g() * lr / SqrtOf(accum);
  }

  bool update_slots;
};

struct RmsProp {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 7;
  explicit RmsProp(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T one(1);
    const T lr = p.s[3];
    const T rho = p.s[4];
    const T momentum = p.s[5];
    const T epsilon = p.s[6];
    auto ms = p.v(1);
    auto mom = p.v(2);
    ms += (p.g().square() - ms) * (one - rho);
    mom = mom * momentum + p.g() * lr / SqrtOf(ms + epsilon);
    p.v(0) -= mom;
  }
};

struct CenteredRmsProp {
  static constexpr int kVariables = 4;
  static constexpr int kGradient = 8;
  explicit CenteredRmsProp(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T one(1);
    const T lr = p.s[4];
    const T rho = p.s[5];
    const T momentum = p.s[6];
    const T epsilon = p.s[7];
    auto mg = p.v(1);
    auto ms = p.v(2);
    auto mom = p.v(3);
    ms += (p.g().square() - ms) * (one - rho);
    mg += (p.g() - mg) * (one - rho);
    mom = mom * momentum + p.g() * lr / SqrtOf(ms - mg.square() + epsilon);
    p.v(0) -= mom;
  }
};

struct Adadelta {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 6;
  explicit Adadelta(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T one(1);
    const T lr = p.s[3];
    const T rho = p.s[4];
    const T epsilon = p.s[5];
    auto accum = p.v(1);
    auto accum_update = p.v(2);
    accum = accum * rho + p.g().square() * (one - rho);
    // The same expression twice: accum_update must be read before it is written.
    const auto update = SqrtOf(accum_update + epsilon) / SqrtOf(accum + epsilon) * p.g();
    p.v(0) -= update * lr;
    accum_update = accum_update * rho + update.square() * (one - rho);
  }
};

struct Ftrl {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 3;
  explicit Ftrl(const Attrs&) {}

  template <typename T>
  static void Check(const Scalars<T>& s) {
    Require(s[4] > 0, "lr is not a positive scalar: ", s[4]);
    Require(s[5] >= 0, "l1 regularization strength is not a non-negative scalar: ", s[5]);
    Require(s[6] >= 0, "l2 regularization strength is not a non-negative scalar: ", s[6]);
    Require(s[7] <= 0, "lr_power is not a non-positive scalar: ", s[7]);
  }

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T zero(0);
    const T lr = p.s[4];
    const T l1 = p.s[5];
    const T l2 = p.s[6];
    const T power = -p.s[7];
    T* var = p.variables[0];
    T* accum = p.variables[1];
    T* linear = p.variables[2];
    for (int64_t i = 0; i < p.count; ++i) {
      const T g = p.gradient[i];
      const T new_accum = accum[i] + g * g;
      const T old_power = Eigen::numext::pow(accum[i], power);
      const T new_power = Eigen::numext::pow(new_accum, power);
      linear[i] += g - (new_power - old_power) / lr * var[i];
      accum[i] = new_accum;
      const T reach = linear[i] > zero ? l1 - linear[i] : -l1 - linear[i];
      const bool is_kept = Eigen::numext::abs(linear[i]) > l1;
      var[i] = is_kept ? reach / (new_power / lr + T(2) * l2) : zero;
    }
  }
};

// float16 and bfloat16 are computed as floats, a piece at a time: exact in between, and
// the formulas exist only for float and double.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

constexpr int64_t kPieceSize = 2048;

// Applies `rule` to `count` elements of the variables and the gradient.
template <typename T, typename Rule>
void ApplyToPiece(const Rule& rule, const std::array<T*, kMaxVariables>& variables,
                  const T* gradient, int64_t count, const Scalars<Computed<T>>& scalars) {
  if constexpr (std::is_same_v<T, Computed<T>>) {
    rule.Apply(Piece<T>{variables, gradient, count, scalars});
  } else {
    std::array<std::array<float, kPieceSize>, kMaxVariables + 1> wide;
    Piece<float> piece{{}, wide[kMaxVariables].data(), count, scalars};
    std::copy_n(gradient, count, wide[kMaxVariables].begin());
    for (int i = 0; i < Rule::kVariables; ++i) {
      piece.variables[i] = wide[i].data();
      std::copy_n(variables[i], count, wide[i].begin());
    }
    rule.Apply(piece);
    for (int i = 0; i < Rule::kVariables; ++i) {
      std::transform(wide[i].begin(), wide[i].begin() + count, variables[i],
                     [](float x) { return T(x); });
    }
  }
}

template <typename T, typename Rule>
class ApplyOp final : public OpKernel {
 public:
  explicit ApplyOp(OpKernelConstruction* construction)
      : OpKernel(construction), rule_(construction->attrs()) {
    for (const ArgDef& input : construction->op().inputs) names_.push_back(input.name);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(Rule::kGradient);
    const Scalars<Computed<T>> scalars = ScalarsOf(ctx);
    LockedVariables variables(ctx, Rule::kVariables, DTypeOf<T>());
    variables.RequireShapeOf(gradient, names_[Rule::kGradient]);
    std::array<T*, kMaxVariables> elements{};
    for (int i = 0; i < Rule::kVariables; ++i) {
      elements[i] = variables.MutableElements<T>(i).data();
    }

    const T* g = gradient.flat<T>().data();
    const int64_t total = gradient.num_elements();
    const int64_t pieces = (total + kPieceSize - 1) / kPieceSize;
    ctx->threads().ParallelFor(pieces, kPieceSize, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i * kPieceSize;
        std::array<T*, kMaxVariables> at = elements;
        for (int k = 0; k < Rule::kVariables; ++k) at[k] += first;
        ApplyToPiece(rule_, at, g + first, std::min(kPieceSize, total - first), scalars);
      }
    });
  }

 private:
  Scalars<Computed<T>> ScalarsOf(OpKernelContext* ctx) const {
    Scalars<Computed<T>> scalars{};
    for (int i = Rule::kVariables; i < ctx->num_inputs(); ++i) {
      if (i == Rule::kGradient) continue;
      const Tensor& scalar = ctx->input(i);
      Require(scalar.rank() == 0, names_[i], " is not a scalar: ", scalar.shape());
      scalars[i] = static_cast<Computed<T>>(scalar.scalar<T>());
    }
    if constexpr (std::is_same_v<Rule, Ftrl>) Rule::Check(scalars);
    return scalars;
  }

  Rule rule_;
  std::vector<std::string> names_;  // of the inputs
};

template <typename Rule>
void RegisterRule(const std::string& op) {
  RegisterKernel<ApplyOp<float, Rule>>(Kernel(op).On(Device::kCpu).Type<float>("T"));
  RegisterKernel<ApplyOp<double, Rule>>(Kernel(op).On(Device::kCpu).Type<double>("T"));
  RegisterKernel<ApplyOp<float16, Rule>>(Kernel(op).On(Device::kCpu).Type<float16>("T"));
  RegisterKernel<ApplyOp<bfloat16, Rule>>(
      Kernel(op).On(Device::kCpu).Type<bfloat16>("T"));
}

const bool kRulesAreRegistered = [] {
  RegisterRule<GradientDescent>("ResourceApplyGradientDescent");
  RegisterRule<Momentum>("ResourceApplyMomentum");
  RegisterRule<Adam>("ResourceApplyAdam");
  RegisterRule<Adagrad>("ResourceApplyAdagrad");
  RegisterRule<RmsProp>("ResourceApplyRMSProp");
  RegisterRule<CenteredRmsProp>("ResourceApplyCenteredRMSProp");
  RegisterRule<Adadelta>("ResourceApplyAdadelta");
  RegisterRule<Ftrl>("ResourceApplyFtrl");
  return true;
}();

}  // namespace
}  // namespace minitf
