// Ops on each text by itself on the CPU: case, whitespace, length, substrings.
//
// Op         minitf/contrib/strings/string_ops.cc
// Compare    tensorflow/core/kernels/string_lower_op.cc, string_strip_op.cc,
//            string_length_op.cc, substr_op.cc

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

bool IsAscii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

// Whether a byte of UTF-8 goes on with a character that an earlier one has started.
bool IsTrailing(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// ---- Case and whitespace --------------------------------------------------------------

char Lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

template <char (*Change)(char)>
class ChangeCaseOp final : public OpKernel {
 public:
  explicit ChangeCaseOp(OpKernelConstruction* c) : OpKernel(c) {
    const auto& encoding = c->attrs().Get<std::string>("encoding");
    Require(encoding.empty() || encoding == "utf-8",
            "encoding must be '' or 'utf-8', is '", encoding, "'");
    is_utf8_ = !encoding.empty();
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    const auto from = x.flat<std::string>();
    const auto to = y->mutable_flat<std::string>();
    for (size_t i = 0; i < from.size(); ++i) {
      if (is_utf8_ && !std::ranges::all_of(from[i], IsAscii)) {
        throw Error(errors::Unimplemented("only letters of ASCII have a case here, got '",
                                          from[i], "'"));
      }
      to[i].resize(from[i].size());
      std::ranges::transform(from[i], to[i].begin(), Change);
    }
  }

 private:
  bool is_utf8_ = false;
};
REGISTER_KERNEL(Kernel("StringLower").On(Device::kCpu), ChangeCaseOp<Lower>);
REGISTER_KERNEL(Kernel("StringUpper").On(Device::kCpu), ChangeCaseOp<Upper>);

class StringStripOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    std::ranges::transform(x.flat<std::string>(), y->mutable_flat<std::string>().begin(),
                           [](const std::string& text) {
                             constexpr std::string_view kSpaces = " \t\n\v\f\r";
                             const size_t first = text.find_first_not_of(kSpaces);
                             if (first == std::string::npos) return std::string();
                             const size_t last = text.find_last_not_of(kSpaces);
                             return text.substr(first, last + 1 - first);
                           });
  }
};
REGISTER_KERNEL(Kernel("StringStrip").On(Device::kCpu), StringStripOp);

// ---- Length and parts -----------------------------------------------------------------

bool CountsCharacters(OpKernelConstruction* construction) {
  return construction->attrs().Get<std::string>("unit") == "UTF8_CHAR";
}

class StringLengthOp final : public OpKernel {
 public:
  explicit StringLengthOp(OpKernelConstruction* c)
      : OpKernel(c), is_utf8_(CountsCharacters(c)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    std::ranges::transform(x.flat<std::string>(), y->mutable_flat<int32_t>().begin(),
                           [this](const std::string& text) {
                             const auto trailing =
                                 is_utf8_ ? std::ranges::count_if(text, IsTrailing) : 0;
                             return static_cast<int32_t>(std::ssize(text) - trailing);
                           });
  }

 private:
  bool is_utf8_;
};
REGISTER_KERNEL(Kernel("StringLength").On(Device::kCpu), StringLengthOp);

// Moves `*at` forwards by `count` characters, or to the end. Whether it moved so far.
bool MoveForwards(std::string_view text, int64_t count, size_t* at) {
  for (; count > 0 && *at < text.size(); --count) {
    do ++*at;
    while (*at < text.size() && IsTrailing(text[*at]));
  }
  return count <= 0;
}

// The same backwards, or to the start.
bool MoveBackwards(std::string_view text, int64_t count, size_t* at) {
  for (; count > 0 && *at > 0; --count) {
    do --*at;
    while (*at > 0 && IsTrailing(text[*at]));
  }
  return count <= 0;
}

// Finds `length` bytes from `position` on. Whether the position is inside of the text. A
// negative length takes all the rest.
bool FindBytes(std::string_view text, int64_t position, int64_t length,
               std::string_view* part) {
  const int64_t size = std::ssize(text);
  const int64_t first = position < 0 ? size + position : position;
  if (first < 0 || first > size) return false;
  *part = text.substr(static_cast<size_t>(first), static_cast<size_t>(length));
  return true;
}

// The same for characters of UTF-8. A negative length takes nothing from a position at
// the start, as TensorFlow has it.
bool FindCharacters(std::string_view text, int64_t position, int64_t length,
                    std::string_view* part) {
  size_t first = 0;
  size_t last = 0;
  if (position >= 0) {
    if (!MoveForwards(text, position, &first)) return false;
    last = first;
    MoveForwards(text, length, &last);
  } else {
    // -position is the distance to the end, as an unsigned number of any size.
    const int64_t distance = position == INT64_MIN ? INT64_MAX : -position;
    const int64_t behind = length < 0 && distance > INT64_MAX + length
                               ? INT64_MAX
                               : std::max<int64_t>(distance - length, 0);
    last = text.size();
    if (!MoveBackwards(text, behind, &last)) return false;
    first = last;
    if (!MoveBackwards(text, distance - behind, &first)) return false;
  }
  *part = text.substr(first, last - first);
  return true;
}

class SubstrOp final : public OpKernel {
 public:
  explicit SubstrOp(OpKernelConstruction* c)
      : OpKernel(c), is_utf8_(CountsCharacters(c)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& pos = ctx->input(1);
    Require(pos.shape() == ctx->input(2).shape(),
            "pos and len must have one shape, have ", pos.shape(), " and ",
            ctx->input(2).shape());
    const Shape shape = BroadcastShapes(x.shape(), pos.shape());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    const std::vector<int64_t> positions = IntegersOf(pos);
    const std::vector<int64_t> lengths = IntegersOf(ctx->input(2));
    const auto from = x.flat<std::string>();
    const auto to = y->mutable_flat<std::string>();
    const StridedLayout texts = StridedLayout(x.shape()).Expand(shape);
    const StridedLayout places = StridedLayout(pos.shape()).Expand(shape);
    std::vector<int64_t> index(shape.rank(), 0);
    for (std::string& part : to) {
      const int64_t place = places.PlaceOf(index);
      part = PartOf(from[texts.PlaceOf(index)], positions[place], lengths[place]);
      Advance(shape, &index);
    }
  }

 private:
  std::string PartOf(std::string_view text, int64_t position, int64_t length) const {
    std::string_view part;
    const bool is_inside = is_utf8_ ? FindCharacters(text, position, length, &part)
                                    : FindBytes(text, position, length, &part);
    Require(is_inside, "pos ", position, " is out of range for the string '", text, "'");
    return std::string(part);
  }

  static void Advance(const Shape& shape, std::vector<int64_t>* index) {
    for (int axis = shape.rank(); axis-- > 0;) {
      if (++(*index)[axis] < shape.dim(axis)) return;
      (*index)[axis] = 0;
    }
  }

  bool is_utf8_;
};
REGISTER_KERNEL(Kernel("Substr").On(Device::kCpu), SubstrOp);

}  // namespace
}  // namespace minitf
