// Histogram: how numbers are spread, in buckets that grow by a tenth.
//
// Weights and gradients range over many powers of ten, so the limits of the buckets are a
// geometric series, 1e-12 * 1.1^k up to 1e20, once with each sign, with 0 between. The
// limits are TensorFlow's, so that histograms of both can be laid over each other.
//
// Compare    tensorflow/core/lib/histogram/histogram.h
// Read next  minitf/contrib/summary/summary_builder.h

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace minitf {

class Histogram {
 public:
  Histogram();

  /// Counts `value`. Requires: it is finite.
  void Add(double value);

  /// Of all values; DBL_MAX and -DBL_MAX if there are none.
  double min() const { return min_; }
  double max() const { return max_; }
  double num() const { return num_; }
  double sum() const { return sum_; }
  double sum_squares() const { return sum_squares_; }

  struct Bucket {
    double limit;  ///< values are less than this, and not less than the limit before
    double count;
  };
  /// The buckets, with every run of empty ones as a single one. At least one.
  std::vector<Bucket> Buckets() const;

 private:
  double min_ = std::numeric_limits<double>::max();
  double max_ = std::numeric_limits<double>::lowest();
  double num_ = 0;
  double sum_ = 0;
  double sum_squares_ = 0;
  std::vector<double> counts_;  // one for each limit
};

}  // namespace minitf
