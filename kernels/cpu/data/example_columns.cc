// Columns: checks of types and numbers of values, once for all ops that parse Examples.
//
// A fixed column has a place for each record before anything is parsed, so its values are
// written there at once (CopyValues). How many values the other columns have is known at
// the end only, so these are collected (AppendValues) and moved to tensors (MoveValues).
//
// Compare    tensorflow/core/util/example_proto_helper.cc

#include "kernels/cpu/data/example_columns.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "minitf/base/quoted_bytes.h"

namespace minitf {
namespace {

// Calls visitor.operator()<T>() with the C++ type of one of the three dtypes.
template <typename Visitor>
decltype(auto) VisitValueType(DType dtype, Visitor&& visitor) {
  if (dtype == DType::kString) return visitor.template operator()<std::string>();
  if (dtype == DType::kFloat32) return visitor.template operator()<float>();
  return visitor.template operator()<int64_t>();
}

void CheckDType(const std::string& key, DType dtype) {
  Require(dtype == DType::kString || dtype == DType::kFloat32 || dtype == DType::kInt64,
          "feature '", key, "' is asked for as ", dtype,
          "; a feature holds float32, int64 or string");
}

Status CheckType(const FeatureView& feature, const ExampleColumn& column) {
  const DType found = DTypeOfFeature(feature.kind);
  if (found == column.dtype || found == DType::kInvalid) return {};
  return errors::InvalidArgument(
      "Data types don't match. Data type: ", SpelledType(found),
      " but expected type: ", SpelledType(column.dtype));
}

Status Unreadable() { return errors::InvalidArgument("its values cannot be read"); }

}  // namespace

std::string SpelledType(DType dtype) {
  return dtype == DType::kFloat32 ? "float" : std::string(NameOf(dtype));
}

void RequireRecords(const Tensor& serialized, const Tensor& names,
                    std::string_view argument) {
  Require(serialized.rank() == 1, "serialized must be a vector, its shape is ",
          serialized.shape());
  Require(names.num_elements() == 0 || names.shape() == serialized.shape(), argument,
          " must be empty or of shape ", serialized.shape(), ", its shape is ",
          names.shape());
}

void CheckListSize(std::string_view list, size_t size, int64_t wanted) {
  Require(static_cast<int64_t>(size) == wanted, "attribute '", list, "' has ", size,
          " items, needs ", wanted);
}

Status NoExample(std::string_view bytes) {
  return errors::InvalidArgument("Could not parse example input, value: ",
                                 QuotedBytes(bytes));
}

template <typename T>
bool ReadNumber(std::string_view text, T* value) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if constexpr (std::is_floating_point_v<T>) {
    const size_t sign = text[0] == '-' ? 1 : 0;
    const std::string_view mark = text.substr(sign, 2);
    if (mark == "0x" || mark == "0X") {
      const std::string_view digits = text.substr(sign + 2);
      const auto [end, error] = std::from_chars(
          digits.data(), digits.data() + digits.size(), *value, std::chars_format::hex);
      if (sign == 1) *value = -*value;
      return error == std::errc() && end == digits.data() + digits.size() &&
             digits[0] != '-';
    }
  }
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  if constexpr (std::is_floating_point_v<T>) {
    // Too large or too small is infinity or zero, as a compiler would have it.
    if (error == std::errc::result_out_of_range) {
      *value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
      return end == text.data() + text.size();
    }
  }
  return error == std::errc() && end == text.data() + text.size();
}
template bool ReadNumber(std::string_view text, int32_t* value);
template bool ReadNumber(std::string_view text, int64_t* value);
template bool ReadNumber(std::string_view text, float* value);
template bool ReadNumber(std::string_view text, double* value);

ExampleColumn DenseColumn(std::string key, DType dtype, const PartialShape& shape) {
  CheckDType(key, dtype);
  const bool is_variable =
      shape.has_rank() && shape.rank() > 0 && shape.dim(0) == PartialShape::kUnknown;
  const PartialShape rest = is_variable ? PartialShape(shape.sizes().subspan(1)) : shape;
  Require(rest.IsFullyKnown(), "feature '", key, "': the dense shape ", shape,
          " has unknown rank or unknown inner dimensions");
  return {std::move(key),
          dtype,
          is_variable ? ColumnKind::kVariable : ColumnKind::kFixed,
          rest.ToShape(),
          {}};
}

ExampleColumn SparseColumn(std::string key, DType dtype) {
  CheckDType(key, dtype);
  return {std::move(key), dtype, ColumnKind::kSparse, {}, {}};
}

void SetDefault(const Tensor& value, ExampleColumn* column) {
  Require(value.dtype() == column->dtype, "feature '", column->key, "': the default is ",
          value.dtype(), ", must be ", column->dtype);
  const int64_t count = value.num_elements();
  if (column->kind == ColumnKind::kVariable) {
    Require(count <= 1, "feature '", column->key, "': dense_shape[0] is unknown, so the ",
            "default must be one value, its shape is ", value.shape());
  } else {
    Require(count == 0 || value.shape() == column->shape, "feature '", column->key,
            "': the default has shape ", value.shape(), ", must have ", column->shape);
  }
  column->default_value = value;
}

std::unordered_map<std::string_view, size_t> ColumnsByKey(
    std::span<const ExampleColumn> columns) {
  std::unordered_map<std::string_view, size_t> positions;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool is_new = positions.emplace(columns[i].key, i).second;
    Require(is_new, "feature '", columns[i].key, "' is asked for twice");
  }
  return positions;
}

ColumnValues NoValues(DType dtype) {
  return VisitValueType(dtype,
                        []<typename T>() -> ColumnValues { return std::vector<T>{}; });
}

Status AppendValues(const FeatureView& feature, const ExampleColumn& column,
                    ColumnValues* values, int64_t* count) {
  *count = 0;
  if (Status status = CheckType(feature, column); !status.ok()) return status;
  if (!CountValues(feature, count)) return Unreadable();
  const bool is_read = std::visit(
      [&](auto& list) {
        const size_t before = list.size();
        list.resize(before + static_cast<size_t>(*count));
        return ReadValues(feature, std::span(list).subspan(before));
      },
      *values);
  return is_read ? Status() : Unreadable();
}

Status CopyValues(const FeatureView& feature, const ExampleColumn& column, void* to) {
  if (Status status = CheckType(feature, column); !status.ok()) return status;
  int64_t count = 0;
  if (!CountValues(feature, &count)) return Unreadable();
  if (count != column.shape.num_elements()) {
    return errors::InvalidArgument("Number of ", SpelledType(column.dtype),
                                   " values != expected.  Values size: ", count,
                                   " but output shape: ", column.shape);
  }
  const bool is_read = VisitValueType(column.dtype, [&]<typename T>() {
    return ReadValues(feature,
                      std::span(static_cast<T*>(to), static_cast<size_t>(count)));
  });
  return is_read ? Status() : Unreadable();
}

void MoveValues(ColumnValues* from, Tensor* to, int64_t first) {
  std::visit(
      [&]<typename T>(std::vector<T>& list) {
        std::ranges::move(list, to->mutable_flat<T>().begin() + first);
      },
      *from);
}

}  // namespace minitf
