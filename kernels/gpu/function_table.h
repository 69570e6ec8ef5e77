// FunctionTable: rows of element-wise kernels, one for each op and type of elements.
//
// Read next  kernels/gpu/elementwise_unary.cu

#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/gpu/elementwise.h"

namespace minitf::gpu {

template <typename T>
constexpr ElementType kTypeOf = std::is_same_v<T, bool>      ? ElementType::kBool
                                : std::is_same_v<T, int32_t> ? ElementType::kInt32
                                : std::is_same_v<T, int64_t> ? ElementType::kInt64
                                : std::is_same_v<T, float>   ? ElementType::kFloat32
                                                             : ElementType::kFloat64;

/// Launcher::Of<Function, In, Out> is what launches the kernel of a function of elements
/// In.
template <typename Row, typename Launcher>
class FunctionTable {
 public:
  template <typename Function, typename In, typename Out = In>
  void Add(const char* op) {
    rows_.push_back(
        {op, kTypeOf<In>, kTypeOf<Out>, Launcher::template Of<Function, In, Out>});
  }
  template <typename Function>
  void AddFloating(const char* op) {
    Add<Function, float>(op);
    Add<Function, double>(op);
  }
  template <typename Function>
  void AddNumbers(const char* op) {
    AddFloating<Function>(op);
    Add<Function, int64_t>(op);
  }
  /// A function to bool, of floating-point numbers.
  template <typename Function>
  void AddTests(const char* op) {
    Add<Function, float, bool>(op);
    Add<Function, double, bool>(op);
  }

  std::vector<Row> Rows() { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

}  // namespace minitf::gpu
