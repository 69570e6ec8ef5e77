// Shape and PartialShape: checking, comparing, printing.

#include "minitf/tensor/shape.h"

#include <algorithm>
#include <limits>

namespace minitf {
namespace {

// Prints "[2,?,3]"; in the sizes of a Shape, which are all known, -1 is a mistake to
// show.
void PrintSizes(std::ostream& out, std::span<const int64_t> sizes, bool may_be_unknown) {
  out << '[';
  const char* separator = "";
  for (const int64_t size : sizes) {
    out << separator;
    if (may_be_unknown && size == PartialShape::kUnknown) {
      out << '?';
    } else {
      out << size;
    }
    separator = ",";
  }
  out << ']';
}

// The product of `sizes`. A product that is not 0 but does not fit is refused.
int64_t Product(std::span<const int64_t> sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (product > std::numeric_limits<int64_t>::max() / size) {
      std::ostringstream text;
      PrintSizes(text, sizes, false);
      throw Error(
          errors::InvalidArgument("shape ", text.str(), " has 2^63 or more elements"));
    }
    product *= size;
  }
  return product;
}

}  // namespace

Sizes::Sizes(std::span<const int64_t> sizes) : count_(static_cast<int>(sizes.size())) {
  if (count_ > kInline) more_.resize(count_);
  std::copy(sizes.begin(), sizes.end(), data());
}

bool operator==(const Sizes& a, const Sizes& b) {
  return std::ranges::equal(a.span(), b.span());
}

Shape::Shape(std::span<const int64_t> sizes) : sizes_(sizes) {
  for (const int64_t size : sizes) {
    if (size < 0) {
      throw Error(errors::InvalidArgument("negative size ", size, " in shape ", *this));
    }
  }
  num_elements_ = Product(sizes);
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  PrintSizes(out, shape.sizes(), false);
  return out;
}

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
  return known_rank_ && std::ranges::find(sizes(), kUnknown) == sizes().end();
}

Shape PartialShape::ToShape() const {
  Require(IsFullyKnown(), "shape ", *this, " is not fully known");
  return Shape(sizes());
}

int64_t PartialShape::num_elements() const {
  return IsFullyKnown() ? ToShape().num_elements() : kUnknown;
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  return std::ranges::equal(sizes(), other.sizes(), [](int64_t a, int64_t b) {
    return a == b || a == kUnknown || b == kUnknown;
  });
}

PartialShape PartialShape::MergedWith(const PartialShape& other) const {
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  Require(IsCompatibleWith(other), "shapes ", *this, " and ", other, " differ");
  PartialShape merged = *this;
  for (int axis = 0; axis < rank(); ++axis) {
    int64_t& size = merged.sizes_.data()[axis];
    size = std::max(size, other.dim(axis));
  }
  return merged;
}

std::ostream& operator<<(std::ostream& out, const PartialShape& shape) {
  if (!shape.has_rank()) return out << "<unknown>";
  PrintSizes(out, shape.sizes(), true);
  return out;
}

}  // namespace minitf
