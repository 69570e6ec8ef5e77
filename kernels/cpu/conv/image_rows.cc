// ImageRows: how many rows at a time, and their copy.
//
// Exercise   exercises/09_conv
// Read next  kernels/cpu/conv/conv2d.h

#include "kernels/cpu/conv/image_rows.h"

#include <algorithm>

namespace minitf {

template <typename T>
int64_t ImageRows<T>::RowsThatFit() const {
  constexpr int64_t kBytes = 200'000;  // a part of the second cache
  // LAB(09.6) begin: return how many rows of the result see what fits; 1 to P
  const int64_t rows = kBytes / (row_size() * static_cast<int64_t>(sizeof(T)) + 1);
  const int64_t more = (rows - Reach(g_.r, g_.dilation_h)) / g_.stride_h;
  return std::clamp<int64_t>(more + 1, 1, g_.p);
  // LAB(09.6) end
}

template <typename T>
void ImageRows<T>::Copy(int64_t image, int64_t first, T* room) const {
  // LAB(09.6) begin: write height_ rows of width_ pixels, zeros included
  const int64_t left = std::clamp<int64_t>(g_.pad_left, 0, width_);
  const int64_t from = std::max<int64_t>(-g_.pad_left, 0);
  const int64_t count = std::clamp<int64_t>(g_.w - from, 0, width_ - left);
  const int64_t top = first * g_.stride_h - g_.pad_top;
  for (int64_t row = top; row < top + height_; ++row, room += row_size()) {
    if (row < 0 || row >= g_.h) {
      std::fill_n(room, row_size(), T(0));
      continue;
    }
    const T* const pixels = x_ + ((image * g_.h + row) * g_.w + from) * g_.c;
    std::fill_n(room, left * g_.c, T(0));
    std::copy_n(pixels, count * g_.c, room + left * g_.c);
    std::fill(room + (left + count) * g_.c, room + row_size(), T(0));
  }
  // LAB(09.6) end
}

template class ImageRows<float>;
template class ImageRows<double>;

}  // namespace minitf
