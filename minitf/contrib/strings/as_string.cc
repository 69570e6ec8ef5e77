// Numbers as text, and text as numbers, on the CPU.
//
// Op         minitf/contrib/strings/string_ops.cc
// Compare    tensorflow/core/kernels/as_string_op.cc, string_to_number_op.cc

#include <algorithm>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/data/example_columns.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The part of a conversion of printf before its letter, such as "%05.2".
class PrintFormat {
 public:
  explicit PrintFormat(OpKernelConstruction* c) {
    const auto precision = c->attrs().Get<int64_t>("precision");
    const auto width = c->attrs().Get<int64_t>("width");
    const auto& fill = c->attrs().Get<std::string>("fill");
    RequireInt32("precision", precision);
    RequireInt32("width", width);
    Require(fill.size() <= 1, "fill must be one character or none, is '", fill, "'");
    Require(fill.empty() || std::string_view(" +-0#").find(fill) != std::string::npos,
            "fill must be one of ' ', '+', '-', '0' and '#', is '", fill, "'");
    prefix_ = "%" + fill;
    if (width >= 0) prefix_ += std::to_string(width);
    if (precision >= 0) prefix_ += "." + std::to_string(precision);
  }

  // Requires: `conversion`, such as "lld", takes a T.
  template <typename T>
  std::string Print(const char* conversion, T number) const {
    const std::string format = prefix_ + conversion;
    const int size = std::snprintf(nullptr, 0, format.c_str(), number);
    Require(size >= 0, "the text of format '", format, "' is too long");
    std::string text(static_cast<size_t>(size), '\0');
    std::snprintf(text.data(), text.size() + 1, format.c_str(), number);
    return text;
  }

 private:
  static void RequireInt32(std::string_view name, int64_t value) {
    Require(value >= std::numeric_limits<int32_t>::min() &&
                value <= std::numeric_limits<int32_t>::max(),
            name, " must fit into int32, is ", value);
  }

  std::string prefix_;
};

class AsStringOp final : public OpKernel {
 public:
  explicit AsStringOp(OpKernelConstruction* c) : OpKernel(c), format_(c) {
    const auto dtype = c->attrs().Get<DType>("T");
    const bool scientific = c->attrs().Get<bool>("scientific");
    const bool shortest = c->attrs().Get<bool>("shortest");
    if (!IsFloatingPoint(dtype)) {
      Require(!scientific && !shortest,
              "scientific and shortest format not supported for datatype ", dtype);
      Require(c->attrs().Get<int64_t>("precision") < 0,
              "precision not supported for datatype ", dtype);
    }
    Require(!scientific || !shortest,
            "Cannot select both scientific and shortest notation");
    letter_ = shortest ? "g" : scientific ? "e" : "f";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    VisitDType(x.dtype(), [&]<typename T>() {
      if constexpr (!std::is_same_v<T, std::string> &&
                    !std::is_same_v<T, ResourceHandle>) {
        std::ranges::transform(x.flat<T>(), y->mutable_flat<std::string>().begin(),
                               [this](const T& value) { return TextOf(value); });
      }
    });
  }

 private:
  static bool IsFloatingPoint(DType dtype) {
    bool is_floating_point = false;
    VisitDType(dtype, [&]<typename T>() {
      is_floating_point = std::is_floating_point_v<T> || kIsHalf<T> || kIsComplex<T>;
    });
    return is_floating_point;
  }

  template <typename T>
  std::string TextOf(const T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (kIsComplex<T>) {
      return "(" + TextOf(value.real()) + "," + TextOf(value.imag()) + ")";
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      return format_.Print("lld", static_cast<long long>(value));  // NOLINT: printf's
    } else if constexpr (std::is_integral_v<T>) {
      return format_.Print("llu", static_cast<unsigned long long>(value));  // NOLINT
    } else {
      return format_.Print(letter_.c_str(), static_cast<double>(value));
    }
  }

  PrintFormat format_;
  std::string letter_;
};
REGISTER_KERNEL(Kernel("AsString").On(Device::kCpu), AsStringOp);

template <typename T>
class StringToNumberOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    std::ranges::transform(x.flat<std::string>(), y->mutable_flat<T>().begin(),
                           [](const std::string& text) {
                             T number{};
                             Require(ReadNumber(text, &number), "'", text,
                                     "' is not a number of type ", DTypeOf<T>());
                             return number;
                           });
  }
};
REGISTER_KERNEL(Kernel("StringToNumber").Type<float>("out_type"),
                StringToNumberOp<float>);
REGISTER_KERNEL(Kernel("StringToNumber").Type<double>("out_type"),
                StringToNumberOp<double>);
REGISTER_KERNEL(Kernel("StringToNumber").Type<int32_t>("out_type"),
                StringToNumberOp<int32_t>);
REGISTER_KERNEL(Kernel("StringToNumber").Type<int64_t>("out_type"),
                StringToNumberOp<int64_t>);

}  // namespace
}  // namespace minitf
