// PartialShape: what is known of a shape, and what two know together.
//
// Exercise   exercises/02_registry

#include <algorithm>

#include "minitf/tensor/shape.h"

namespace minitf {

PartialShape::PartialShape(std::span<const int64_t> sizes)
    : known_rank_(true), sizes_(sizes) {
  for (const int64_t size : sizes) {
    if (size < 0 && size != kUnknown) {
      throw Error(errors::InvalidArgument("negative size ", size, " in shape ", *this));
    }
  }
}

PartialShape PartialShape::OfRank(int rank) {
  return PartialShape(std::vector<int64_t>(rank, kUnknown));
}

int PartialShape::rank() const {
  Require(known_rank_, "the rank of the shape is not known");
  return sizes_.count();
}

int64_t PartialShape::dim(int axis) const {
  if (!known_rank_) return kUnknown;
  const int index = axis < 0 ? axis + sizes_.count() : axis;
  Require(0 <= index && index < sizes_.count(), "no axis ", axis, " in shape ", *this);
  return sizes_.data()[index];
}

bool PartialShape::IsFullyKnown() const {
  // LAB(02.9) begin: return it
  return known_rank_ && std::ranges::find(sizes(), kUnknown) == sizes().end();
  // LAB(02.9) end
}

Shape PartialShape::ToShape() const {
  Require(IsFullyKnown(), "shape ", *this, " is not fully known");
  return Shape(sizes());
}

int64_t PartialShape::num_elements() const {
  return IsFullyKnown() ? ToShape().num_elements() : kUnknown;
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  // LAB(02.9) begin: return it
  if (!known_rank_ || !other.known_rank_) return true;
  return std::ranges::equal(sizes(), other.sizes(), [](int64_t a, int64_t b) {
    return a == b || a == kUnknown || b == kUnknown;
  });
  // LAB(02.9) end
}

PartialShape PartialShape::MergedWith(const PartialShape& other) const {
  Require(IsCompatibleWith(other), "shapes ", *this, " and ", other, " differ");
  // LAB(02.9) begin: return what both know
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  PartialShape merged = *this;
  for (int axis = 0; axis < rank(); ++axis) {
    int64_t& size = merged.sizes_.data()[axis];
    size = std::max(size, other.dim(axis));
  }
  return merged;
  // LAB(02.9) end
}

std::ostream& operator<<(std::ostream& out, const PartialShape& shape) {
  if (!shape.has_rank()) return out << "<unknown>";
  const char* separator = "[";
  for (const int64_t size : shape.sizes()) {
    out << separator;
    size == kUnknown ? out << '?' : out << size;
    separator = ",";
  }
  return out << (shape.rank() == 0 ? "[]" : "]");
}

}  // namespace minitf
