// Histogram: how numbers are spread.

#include "minitf/contrib/summary/histogram.h"

#include <algorithm>

namespace minitf {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

// -DBL_MAX, ..., -1e-12, 0, 1e-12, 1.1e-12, ..., DBL_MAX
std::vector<double> MakeLimits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(kMost);
  std::vector<double> limits;
  for (auto i = positive.rbegin(); i != positive.rend(); ++i) limits.push_back(-*i);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

const std::vector<double>& Limits() {
  static const std::vector<double> limits = MakeLimits();
  return limits;
}

}  // namespace

Histogram::Histogram() : counts_(Limits().size()) {}

void Histogram::Add(double value) {
  const std::vector<double>& limits = Limits();
  const auto above = std::ranges::upper_bound(limits, value);
  // Nothing is above DBL_MAX itself.
  const size_t bucket = std::min<size_t>(above - limits.begin(), limits.size() - 1);
  ++counts_[bucket];
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++num_;
  sum_ += value;
  sum_squares_ += value * value;
}

std::vector<Histogram::Bucket> Histogram::Buckets() const {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const bool extends_empty =
        counts_[i] == 0 && !buckets.empty() && buckets.back().count == 0;
    if (extends_empty)
      buckets.back().limit = Limits()[i];
    else
      buckets.push_back({Limits()[i], counts_[i]});
  }
  return buckets;
}

}  // namespace minitf
