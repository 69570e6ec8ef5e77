// The formulas of the training ops: what an optimiser does to a piece of its variables.
//
// A rule has the number of its variables, which are the first inputs of the op that is
// dense; the index of the gradient among these inputs; a constructor that reads
// attributes; and its formulas, for one element of each variable and of the gradient.
//
// Op         minitf/ops/state/training_ops.cc
// Compare    tensorflow/core/kernels/training_ops.cc
// Read next  kernels/cpu/data/example_columns.h

#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "minitf/framework/op_kernel.h"

namespace minitf {

/// Input i of the op, where that is a scalar.
template <typename T>
using Scalars = std::array<T, 10>;

constexpr int kMaxVariables = 4;

/// One piece of an update: v[i] is variable i, g the gradient, s the scalars.
template <typename T>
struct Piece {
  std::array<T*, kMaxVariables> v;
  const T* g;
  int64_t count;
  const Scalars<T>& s;
};

/// Calls formula(i) for every i below `count`. The compiler may take several at a time:
/// what a formula writes for one i, it reads for no other.
template <typename Formula>
void ForEach(int64_t count, const Formula& formula) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < count; ++i) formula(i);
}

struct GradientDescent {
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 2;
  explicit GradientDescent(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    ForEach(p.count, [var = p.v[0], g = p.g, alpha = p.s[1]](int64_t i) {
      var[i] -= g[i] * alpha;
    });
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
    ForEach(p.count, [=, var = p.v[0], accum = p.v[1], g = p.g,
                      nesterov = use_nesterov](int64_t i) {
      accum[i] = accum[i] * momentum + g[i];
      var[i] -= nesterov ? g[i] * lr + accum[i] * momentum * lr : accum[i] * lr;
    });
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
    ForEach(p.count, [=, var = p.v[0], m = p.v[1], v = p.v[2], g = p.g,
                      nesterov = use_nesterov](int64_t i) {
      m[i] += (g[i] - m[i]) * (one - beta1);
      v[i] += (g[i] * g[i] - v[i]) * (one - beta2);
      const T step = nesterov ? g[i] * (one - beta1) + m[i] * beta1 : m[i];
      var[i] -= step * lr_t / (std::sqrt(v[i]) + epsilon);
    });
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
    ForEach(p.count,
            [=, var = p.v[0], accum = p.v[1], g = p.g, update = update_slots](int64_t i) {
              if (update) accum[i] += g[i] * g[i];
              var[i] -= g[i] * lr / std::sqrt(accum[i]);
            });
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
    ForEach(p.count, [=, var = p.v[0], ms = p.v[1], mom = p.v[2], g = p.g](int64_t i) {
      ms[i] += (g[i] * g[i] - ms[i]) * (one - rho);
      mom[i] = mom[i] * momentum + g[i] * lr / std::sqrt(ms[i] + epsilon);
      var[i] -= mom[i];
    });
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
    ForEach(p.count, [=, var = p.v[0], mg = p.v[1], ms = p.v[2], mom = p.v[3],
                      g = p.g](int64_t i) {
      ms[i] += (g[i] * g[i] - ms[i]) * (one - rho);
      mg[i] += (g[i] - mg[i]) * (one - rho);
      const T root = std::sqrt(ms[i] - mg[i] * mg[i] + epsilon);
      mom[i] = mom[i] * momentum + g[i] * lr / root;
      var[i] -= mom[i];
    });
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
    ForEach(p.count,
            [=, var = p.v[0], accum = p.v[1], accum_update = p.v[2], g = p.g](int64_t i) {
              accum[i] = accum[i] * rho + g[i] * g[i] * (one - rho);
              const T root = std::sqrt(accum_update[i] + epsilon);
              const T update = root / std::sqrt(accum[i] + epsilon) * g[i];
              var[i] -= update * lr;
              accum_update[i] = accum_update[i] * rho + update * update * (one - rho);
            });
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
  T* var = p.v[0];
  T* accum = p.v[1];
  T* linear = p.v[2];
  for (int64_t i = 0; i < p.count; ++i) {
    const T g = p.g[i];
    const T new_accum = accum[i] + g * g;
    const T old_power = std::pow(accum[i], power);
    const T new_power = std::pow(new_accum, power);
    linear[i] += g + T(2) * shrinkage * var[i] - (new_power - old_power) / lr * var[i];
    accum[i] = new_accum;
    const T reach = linear[i] > zero ? l1 - linear[i] : -l1 - linear[i];
    const bool is_kept = std::abs(linear[i]) > l1;
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

// What is left of x beyond l1 from 0, made smaller by l2; both are times the rate at
// which x was changed. NaN stays NaN.
template <typename T>
T Shrunk(T x, T rate, T l1, T l2) {
  const T beyond = std::abs(x) - rate * l1;
  const T sign = static_cast<T>((x > T(0)) - (x < T(0)));
  const T left = l1 > T(0) ? sign * (beyond < T(0) ? T(0) : beyond) : x;
  return left / (rate * l2 + T(1));
}

struct ProximalGradientDescent {
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 4;
  explicit ProximalGradientDescent(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T rate = p.s[1];
    const T l1 = p.s[2];
    const T l2 = p.s[3];
    ForEach(p.count, [=, var = p.v[0], g = p.g](int64_t i) {
      var[i] = Shrunk(var[i] - g[i] * rate, rate, l1, l2);
    });
  }
};

struct ProximalAdagrad {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 5;
  explicit ProximalAdagrad(const Attrs&) {}

  template <typename T>
  void Apply(const Piece<T>& p) const {
    const T lr = p.s[2];
    const T l1 = p.s[3];
    const T l2 = p.s[4];
    ForEach(p.count, [=, var = p.v[0], accum = p.v[1], g = p.g](int64_t i) {
      accum[i] += g[i] * g[i];
      const T rate = lr / std::sqrt(accum[i]);
      var[i] = Shrunk(var[i] - g[i] * rate, rate, l1, l2);
    });
  }
};

}  // namespace minitf
