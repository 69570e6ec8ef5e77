// The formulas of the training ops: what an optimiser does to a piece of its variables.
//
// A rule has the number of its variables, which are the first inputs of the op that is
// dense; the index of the gradient among these inputs; a constructor that reads
// attributes; and its formulas, as operations on arrays of one length.
//
// Op         minitf/ops/state/training_ops.cc
// Compare    tensorflow/core/kernels/training_ops.cc
// Read next  kernels/cpu/data/example_columns.h

#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/lanes.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

/// Input i of the op, where that is a scalar.
template <typename T>
using Scalars = std::array<T, 10>;

constexpr int kMaxVariables = 4;

/// One piece of an update: v(i) is variable i, g() the gradient, s the scalars.
template <typename T>
struct Piece {
  std::array<T*, kMaxVariables> variables;
  const T* gradient;
  int64_t count;
  const Scalars<T>& s;

  ArrayView<T> v(int i) const { return {variables[i], count}; }
  ConstArrayView<T> g() const { return {gradient, count}; }
};

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

// What the two ops of FTRL share. `shrinkage` is added to the gradient for `linear` only,
// as often as 2 * var.
template <typename T>
void ApplyFtrl(const Piece<T>& p, T shrinkage, T power) {
  const T zero(0);
  const T lr = p.s[4];
  const T l1 = p.s[5];
  const T l2 = p.s[6];
  T* var = p.variables[0];
  T* accum = p.variables[1];
  T* linear = p.variables[2];
  for (int64_t i = 0; i < p.count; ++i) {
    const T g = p.gradient[i];
    const T new_accum = accum[i] + g * g;
    const T old_power = Eigen::numext::pow(accum[i], power);
    const T new_power = Eigen::numext::pow(new_accum, power);
    linear[i] += g + T(2) * shrinkage * var[i] - (new_power - old_power) / lr * var[i];
    accum[i] = new_accum;
    const T reach = linear[i] > zero ? l1 - linear[i] : -l1 - linear[i];
    const bool is_kept = Eigen::numext::abs(linear[i]) > l1;
    var[i] = is_kept ? reach / (new_power / lr + T(2) * l2) : zero;
  }
}

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
    ApplyFtrl(p, T(0), -p.s[7]);
  }
};

struct FtrlV2 {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 3;
  explicit FtrlV2(const Attrs&) {}

  template <typename T>
  static void Check(const Scalars<T>& s) {
    Require(s[7] >= 0, "l2 shrinkage regularization strength is not a non-negative ",
            "scalar: ", s[7]);
    Scalars<T> common = s;
    common[7] = s[8];
    Ftrl::Check(common);
  }

  template <typename T>
  void Apply(const Piece<T>& p) const {
    ApplyFtrl(p, p.s[7], -p.s[8]);
  }
};

// Leaves of x what is beyond l1 from 0, all of it made smaller by l2; both are times the
// rate at which x was changed.
template <typename T, typename Rate>
void Shrink(ArrayView<T> x, const Rate& rate, T l1, T l2) {
  if (l1 > T(0)) x = x.sign() * (x.abs() - rate * l1).cwiseMax(T(0));
  x /= rate * l2 + T(1);
}

struct ProximalGradientDescent {
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 4;
  explicit ProximalGradientDescent(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const auto rate = Eigen::Array<T, Eigen::Dynamic, 1>::Constant(p.count, p.s[1]);
    p.v(0) -= p.g() * rate;
    Shrink<T>(p.v(0), rate, p.s[2], p.s[3]);
  }
};

struct ProximalAdagrad {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 5;
  explicit ProximalAdagrad(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    auto accum = p.v(1);
    accum += p.g().square();
    const Eigen::Array<T, Eigen::Dynamic, 1> rate = p.s[2] / SqrtOf(accum);
    p.v(0) -= p.g() * rate;
    Shrink<T>(p.v(0), rate, p.s[3], p.s[4]);
  }
};

}  // namespace minitf
