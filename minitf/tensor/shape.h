// Shape: the sizes of a tensor's axes, outermost first. PartialShape: what is known of
// them before a graph runs.
//
// The shape [2,3] has rank 2: two rows of three. The shape [] has rank 0 and holds one
// element, a scalar. A size may be 0; then the tensor holds no element.
//
// In a PartialShape a size may be unknown, printed as ?, and so may the rank, printed as
// <unknown>: a placeholder of [?,784] takes any number of rows.
//
// Up to four sizes stand in the object itself, so that copying a small tensor allocates
// nothing.
//
// Compare    tensorflow/core/framework/tensor_shape.h
// Read next  minitf/tensor/allocator.h

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <vector>

#include "minitf/base/status.h"

namespace minitf {

/// A short list of sizes. The first four need no memory of their own.
class Sizes {
 public:
  Sizes() = default;
  explicit Sizes(std::span<const int64_t> sizes);

  int count() const { return count_; }
  int64_t* data() { return count_ <= kInline ? inline_.data() : more_.data(); }
  const int64_t* data() const {
    return count_ <= kInline ? inline_.data() : more_.data();
  }
  std::span<const int64_t> span() const { return {data(), static_cast<size_t>(count_)}; }

  friend bool operator==(const Sizes& a, const Sizes& b);

 private:
  static constexpr int kInline = 4;

  int count_ = 0;
  std::array<int64_t, kInline> inline_{};
  std::vector<int64_t> more_;  // all sizes, when there are more than kInline
};

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes)
      : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  explicit Shape(const std::vector<int64_t>& sizes)
      : Shape(std::span<const int64_t>(sizes)) {}

  /// Requires: every size is at least 0, and their product is less than 2^63.
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return sizes_.count(); }
  std::span<const int64_t> sizes() const { return sizes_.span(); }
  std::vector<int64_t> ToVector() const { return {sizes().begin(), sizes().end()}; }

  /// The size of `axis`. Requires: 0 <= axis < rank().
  int64_t dim(int axis) const {
    Require(0 <= axis && axis < rank(), "no axis ", axis, " in shape ", *this);
    return sizes_.data()[axis];
  }

  /// The product of all sizes; 1 for a scalar.
  int64_t num_elements() const { return num_elements_; }

  friend bool operator==(const Shape& a, const Shape& b) { return a.sizes_ == b.sizes_; }
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);

 private:
  Sizes sizes_;
  int64_t num_elements_ = 1;
};

class PartialShape {
 public:
  static constexpr int64_t kUnknown = -1;

  /// Nothing is known, not even the rank.
  PartialShape() = default;
  PartialShape(const Shape& shape)  // NOLINT: a known shape is one that is known in part
      : known_rank_(true), sizes_(shape.sizes()) {}
  PartialShape(std::initializer_list<int64_t> sizes)
      : PartialShape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  explicit PartialShape(const std::vector<int64_t>& sizes)
      : PartialShape(std::span<const int64_t>(sizes)) {}

  /// Requires: every size is at least 0, or kUnknown.
  explicit PartialShape(std::span<const int64_t> sizes);

  /// `rank` unknown sizes.
  static PartialShape OfRank(int rank);

  bool has_rank() const { return known_rank_; }
  /// Requires: has_rank().
  int rank() const;
  /// The size of `axis`, or kUnknown, also when the rank is not known.
  /// Requires: axis < rank() if the rank is known. A negative axis counts from the end.
  int64_t dim(int axis) const;
  std::span<const int64_t> sizes() const { return sizes_.span(); }
  std::vector<int64_t> ToVector() const { return {sizes().begin(), sizes().end()}; }

  /// Whether the rank and all sizes are known.
  bool IsFullyKnown() const;
  /// Requires: IsFullyKnown().
  Shape ToShape() const;
  /// The number of elements, or kUnknown.
  int64_t num_elements() const;

  /// Whether one shape may be what both describe.
  bool IsCompatibleWith(const PartialShape& other) const;

  /// What both know together. Throws InvalidArgument when they contradict each other.
  PartialShape MergedWith(const PartialShape& other) const;

  friend bool operator==(const PartialShape& a, const PartialShape& b) {
    return a.known_rank_ == b.known_rank_ && a.sizes_ == b.sizes_;
  }
  friend std::ostream& operator<<(std::ostream& out, const PartialShape& shape);

 private:
  bool known_rank_ = false;
  Sizes sizes_;
};

/// In short, for code that works out shapes.
inline constexpr int64_t kUnknown = PartialShape::kUnknown;

}  // namespace minitf
