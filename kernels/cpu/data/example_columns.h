// Columns: what is asked for of Examples, and the values of one feature after another.
//
// A column stands for one key, and becomes one of three things:
//
//   fixed      a dense tensor [N, shape...]: every record has as many values
//   variable   a dense tensor [N, most steps, shape...]: short records are filled up
//   sparse     places, values and a shape: a record has any number of values
//
// Compare    tensorflow/core/util/example_proto_helper.h
// Read next  minitf/gradients/emit.h

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/io/messages/example_wire.h"
#include "minitf/tensor/copy_elements.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

enum class ColumnKind { kFixed, kVariable, kSparse };

struct ExampleColumn {
  std::string key;
  DType dtype = DType::kInvalid;  ///< string, float32 or int64
  ColumnKind kind = ColumnKind::kSparse;
  /// Of one record (fixed), or of one step of it (variable).
  Shape shape;
  /// For records without the feature, or that are filled up. Empty: there is none.
  Tensor default_value;
};

/// A dense or a sparse column. `shape` is variable, if the first size is unknown. Throws
/// InvalidArgument if more than that is unknown.
ExampleColumn DenseColumn(std::string key, DType dtype, const PartialShape& shape);
ExampleColumn SparseColumn(std::string key, DType dtype);

/// Reads `text`, with spaces around it, as a number. Returns false for other text. T is
/// int32_t, int64_t, float or double.
template <typename T>
bool ReadNumber(std::string_view text, T* value);

/// Gives `column` its default. Throws InvalidArgument if dtype or shape do not fit.
void SetDefault(const Tensor& value, ExampleColumn* column);

/// The positions of columns by their keys. Throws InvalidArgument if a key comes twice.
/// The columns must outlive it.
std::unordered_map<std::string_view, size_t> ColumnsByKey(
    std::span<const ExampleColumn> columns);

/// Values of one type.
using ColumnValues =
    std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;

/// No values, of `dtype`.
ColumnValues NoValues(DType dtype);

/// Appends the values of `feature` to *values, and sets *count to their number. An error
/// says in which way the feature is not as expected, without naming it.
Status AppendValues(const FeatureView& feature, const ExampleColumn& column,
                    ColumnValues* values, int64_t* count);

/// Copies the values of `feature`, which must be as many as column.shape has elements, to
/// `to`, the first of so many elements of column.dtype.
Status CopyValues(const FeatureView& feature, const ExampleColumn& column, void* to);

/// Moves `from` to element `first` of `to` and those that follow it.
void MoveValues(ColumnValues* from, Tensor* to, int64_t first);

/// Throws InvalidArgument unless `serialized` is a vector and `names`, in messages called
/// `argument`, is empty or has its shape.
void RequireRecords(const Tensor& serialized, const Tensor& names,
                    std::string_view argument);

/// Throws InvalidArgument unless attribute `list` has `wanted` items. A kernel may be
/// made before the op's shape function has checked them.
void CheckListSize(std::string_view list, size_t size, int64_t wanted);

/// The message that the value of an Example cannot be read.
Status NoExample(std::string_view bytes);

/// float, int64 or string: the name that is used in messages.
std::string SpelledType(DType dtype);

}  // namespace minitf
