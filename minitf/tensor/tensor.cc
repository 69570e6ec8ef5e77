// Tensor and Buffer: the parts that need no template.

#include "minitf/tensor/tensor.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "minitf/tensor/half.h"
#include "minitf/tensor/resource_handle.h"

namespace minitf {
namespace {

// Calls `action` with the elements as what they are, if they have constructors.
template <typename Action>
void ForObjects(DType dtype, char* memory, int64_t count, Action action) {
  if (dtype == DType::kString) {
    action(reinterpret_cast<std::string*>(memory), count);
  } else if (dtype == DType::kResource) {
    action(reinterpret_cast<ResourceHandle*>(memory), count);
  }
}

// As few digits as tell the number from its neighbours, `few` of them or `all`.
std::string NumberText(double number, int few, int all, bool is_float) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", few, number);
  const double read =
      is_float ? double{std::strtof(text, nullptr)} : std::strtod(text, nullptr);
  if (read != number && number == number) {
    std::snprintf(text, sizeof(text), "%.*g", all, number);
  }
  const std::string_view view(text);
  return std::string(view == "-nan" ? "nan" : view);
}

// `bytes` as C writes them: "\n", or "\303" for a byte that is not printable ASCII.
std::string Escaped(std::string_view bytes) {
  constexpr std::string_view kSpecial = "\n\r\t\"'\\";
  constexpr std::string_view kLetters = "nrt\"'\\";
  std::string text;
  for (const char c : bytes) {
    if (const size_t i = kSpecial.find(c); i != std::string_view::npos) {
      (text += '\\') += kLetters[i];
    } else if (' ' <= c && c <= '~') {
      text += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof(octal), "\\%03o", static_cast<unsigned char>(c));
      text += octal;
    }
  }
  return text;
}

}  // namespace

Buffer* Buffer::Allocate(DType dtype, int64_t count, Allocator& allocator) {
  const auto size = static_cast<int64_t>(SizeOf(dtype));
  const bool fits = count <= std::numeric_limits<int64_t>::max() / size;
  auto* memory = fits ? static_cast<char*>(allocator.Allocate(count * size)) : nullptr;
  if (memory == nullptr) {
    throw Error(errors::ResourceExhausted("no memory for ", count, " elements of ", dtype,
                                          RoomLeft(allocator)));
  }
  ForObjects(dtype, memory, count, [](auto* objects, int64_t n) {
    std::uninitialized_default_construct_n(objects, n);
  });
  auto* buffer = new Buffer;
  buffer->dtype_ = dtype;
  buffer->memory_ = memory;
  buffer->num_elements_ = count;
  buffer->allocator_ = &allocator;
  return buffer;
}

Buffer* Buffer::Borrow(void* memory, std::function<void()> release) {
  auto* buffer = new Buffer;
  buffer->memory_ = static_cast<char*>(memory);
  buffer->release_ = std::move(release);
  return buffer;
}

void Buffer::Destroy() {
  if (IsBorrowed()) {
    if (release_) release_();
  } else {
    ForObjects(dtype_, memory_, num_elements_,
               [](auto* objects, int64_t n) { std::destroy_n(objects, n); });
    allocator_->Free(memory_, num_elements_ * SizeOf(dtype_));
  }
  delete this;
}

Tensor::Tensor(DType dtype, const Shape& shape, Allocator& allocator)
    : shape_(shape),
      buffer_(Buffer::Allocate(dtype, shape.num_elements(), allocator)),
      data_(buffer_->memory()),
      dtype_(dtype) {}

Tensor Tensor::Borrowed(DType dtype, const Shape& shape, void* memory,
                        std::function<void()> release) {
  Tensor result;
  result.shape_ = shape;
  result.buffer_ = Buffer::Borrow(memory, std::move(release));
  result.data_ = result.buffer_->memory();
  result.dtype_ = dtype;
  return result;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  if (buffer_ != nullptr) buffer_->Unref();
  shape_ = std::move(other.shape_);
  buffer_ = std::exchange(other.buffer_, nullptr);
  data_ = std::exchange(other.data_, nullptr);
  dtype_ = std::exchange(other.dtype_, DType::kInvalid);
  return *this;
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  Require(shape.num_elements() == num_elements(), "cannot reshape ", shape_, " to ",
          shape);
  Tensor result = *this;
  result.shape_ = shape;
  return result;
}

Tensor Tensor::Reinterpreted(DType dtype, const Shape& shape) const {
  const size_t bytes = shape.num_elements() * SizeOf(dtype);
  Require(IsPlain(dtype_) && IsPlain(dtype) && bytes == num_bytes(), "the ", num_bytes(),
          " bytes of a tensor of ", dtype_, ' ', shape_, " cannot be read as ", dtype,
          ' ', shape);
  Tensor result = *this;
  result.shape_ = shape;
  result.dtype_ = dtype;
  return result;
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  Require(rank() >= 1 && 0 <= begin && begin <= end && end <= dim(0), "no rows [", begin,
          ",", end, ") in shape ", shape_);
  std::vector<int64_t> sizes = shape_.ToVector();
  const int64_t rows = std::exchange(sizes[0], end - begin);
  Tensor result = *this;
  result.data_ += rows == 0 ? 0 : num_bytes() / rows * begin;
  result.shape_ = Shape(sizes);
  return result;
}

Tensor Tensor::Clone() const {
  if (!has_value()) return {};
  Tensor result(dtype_, shape_);
  if (dtype_ == DType::kString) {
    std::ranges::copy(flat<std::string>(), result.mutable_flat<std::string>().begin());
  } else if (dtype_ == DType::kResource) {
    std::ranges::copy(flat<ResourceHandle>(),
                      result.mutable_flat<ResourceHandle>().begin());
  } else if (num_bytes() > 0) {
    ElementMover* const mover = allocator() == nullptr ? nullptr : allocator()->mover();
    if (mover != nullptr) {
      mover->ToHost(result.data_, data_, num_bytes());
    } else {
      std::memcpy(result.data_, data_, num_bytes());
    }
  }
  return result;
}

std::string Tensor::ElementText(int64_t i, bool is_quoted) const {
  return VisitDType(dtype_, [&]<typename T>() -> std::string {
    const T& element = flat<T>()[i];
    if constexpr (std::is_same_v<T, std::string>) {
      return is_quoted ? StrCat('"', Escaped(element), '"') : Escaped(element);
    } else if constexpr (std::is_same_v<T, ResourceHandle>) {
      return element.get() ? element.get()->DebugString() : "no resource";
    } else if constexpr (std::is_same_v<T, double>) {
      return NumberText(element, 15, 17, false);
    } else if constexpr (std::is_same_v<T, float> || kIsHalf<T>) {
      return NumberText(static_cast<float>(element), 6, 9, true);
    } else if constexpr (std::is_integral_v<T>) {
      return std::to_string(element);
    } else {
      return StrCat(element);
    }
  });
}

std::string Tensor::ElementsText(int64_t count) const {
  const int64_t size = num_elements();
  const int64_t shown = count < 0 ? size : std::min(count, size);
  std::string text;
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) text += ' ';
    text += ElementText(i);
  }
  return text + (shown < size ? "..." : "");
}

std::string Tensor::DebugString(int64_t max_elements) const {
  if (!has_value()) return "Tensor<no value>";
  return StrCat("Tensor<", dtype_, ' ', shape_, ": ", ElementsText(max_elements), '>');
}

}  // namespace minitf
