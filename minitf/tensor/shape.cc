// Sizes and Shape: checking, comparing, printing.

#include "minitf/tensor/shape.h"

#include <algorithm>
#include <limits>

#include "minitf/base/text.h"

namespace minitf {
namespace {

// The product of `sizes`. A product that is not 0 but does not fit is refused.
int64_t Product(std::span<const int64_t> sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (product > std::numeric_limits<int64_t>::max() / size) {
      throw Error(errors::InvalidArgument("shape [", Join(sizes, ","),
                                          "] has 2^63 or more elements"));
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
  return out << '[' << Join(shape.sizes(), ",") << ']';
}

}  // namespace minitf
