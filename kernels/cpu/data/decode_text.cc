// Decoding strings on the CPU: raw numbers, and rows of CSV (RFC 4180).
//
// Op         minitf/ops/data/parsing_ops.cc
// Compare    tensorflow/core/kernels/decode_raw_op.cc, decode_csv_op.cc

#include <algorithm>

#include "kernels/cpu/data/example_columns.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// ---- DecodeRaw -----------------------------------------------------------------------

class DecodeRawOp final : public OpKernel {
 public:
  explicit DecodeRawOp(OpKernelConstruction* construction)
      : OpKernel(construction), dtype_(construction->output_type(0)) {
    OP_REQUIRES_OK(construction, construction->GetAttr("little_endian", &is_little_));
  }

  void Compute(OpKernelContext* ctx) override {
    const auto texts = ctx->input(0).flat<std::string>();
    const size_t length = texts.empty() ? 0 : texts[0].size();
    for (size_t i = 1; i < texts.size(); ++i) {
      Require(
          texts[i].size() == length, "DecodeRaw requires input strings to all be the ",
          "same size, but element ", i, " has size ", texts[i].size(), " != ", length);
    }
    const size_t size = SizeOf(dtype_);
    Require(length % size == 0, "Input to DecodeRaw has length ", length,
            " that is not a multiple of ", size, ", the size of ", NameOf(dtype_));
    std::vector<int64_t> sizes = ctx->input(0).shape().ToVector();
    sizes.push_back(static_cast<int64_t>(length / size));
    Tensor* numbers = nullptr;  // bytes.shape + [length / size]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &numbers));

    char* to = static_cast<char*>(numbers->mutable_data());
    for (const std::string& text : texts) {
      std::copy_n(text.data(), length, to);
      if (dtype_ == DType::kBool)
        std::for_each(to, to + length, [](char& c) { c = c != 0; });
      if (!is_little_) ReverseBytes(to, length);
      to += length;
    }
  }

 private:
  // Reverses the bytes of every number; a complex one is two.
  void ReverseBytes(char* bytes, size_t length) const {
    const size_t size = SizeOf(dtype_) / (IsComplex(dtype_) ? 2 : 1);
    for (size_t i = 0; i < length; i += size) std::reverse(bytes + i, bytes + i + size);
  }

  const DType dtype_;
  bool is_little_ = true;
};
REGISTER_KERNEL(Kernel("DecodeRaw").On(Device::kCpu), DecodeRawOp);

// ---- DecodeCSV -----------------------------------------------------------------------

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// Takes a row apart.
class RowReader {
 public:
  RowReader(char delimiter, bool use_quotes)
      : delimiter_(delimiter), use_quotes_(use_quotes) {}

  std::vector<std::string> Fields(std::string_view row) const {
    std::vector<std::string> fields;
    size_t at = 0;
    while (at < row.size()) {
      if (IsLineEnd(row[at])) {
        ++at;
        continue;
      }
      const bool is_quoted = use_quotes_ && row[at] == '"';
      fields.push_back(is_quoted ? Quoted(row, &at) : Unquoted(row, &at));
      // A row that ends in a delimiter has an empty field behind it.
      if (at < row.size() && at + 1 == row.size()) fields.emplace_back();
      ++at;
    }
    return fields;
  }

 private:
  // Both leave *at at the delimiter, or at the end.
  std::string Unquoted(std::string_view row, size_t* at) const {
    const size_t first = *at;
    while (*at < row.size() && row[*at] != delimiter_) {
      const char c = row[*at];
      Require(!(use_quotes_ && c == '"') && !IsLineEnd(c),
              "Unquoted fields cannot have quotes/CRLFs inside");
      ++*at;
    }
    return std::string(row.substr(first, *at - first));
  }

  std::string Quoted(std::string_view row, size_t* at) const {
    std::string field;
    ++*at;
    while (true) {
      Require(*at < row.size(),
              "Quoted field has to end with quote followed by delim or ", "end");
      const char c = row[(*at)++];
      if (c != '"') {
        field += c;
      } else if (*at < row.size() && row[*at] == '"') {
        field += '"';
        ++*at;
      } else {
        break;
      }
    }
    Require(*at == row.size() || row[*at] == delimiter_,
            "Quoted field has to end with quote followed by delim or end");
    return field;
  }

  char delimiter_;
  bool use_quotes_;
};

class DecodeCsvOp final : public OpKernel {
 public:
  explicit DecodeCsvOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string delimiter;
    OP_REQUIRES_OK(construction, construction->GetAttr("field_delim", &delimiter));
    OP_REQUIRES_OK(construction, construction->GetAttr("use_quote_delim", &use_quotes_));
    OP_REQUIRES_OK(construction, construction->GetAttr("na_value", &na_value_));
    OP_REQUIRES_OK(construction, construction->GetAttr("OUT_TYPE", &types_));
    OP_REQUIRES_OK(construction, construction->GetAttr("select_cols", &selected_));
    OP_REQUIRES(construction, delimiter.size() == 1,
                errors::InvalidArgument("field_delim should be only 1 char, is '",
                                        delimiter, "'"));
    delimiter_ = delimiter[0];
    OP_REQUIRES(construction, selected_.empty() || selected_.size() == types_.size(),
                errors::InvalidArgument("select_cols should match output size: ",
                                        selected_.size(), " != ", types_.size()));
    for (size_t i = 0; i < selected_.size(); ++i) {
      OP_REQUIRES(construction, selected_[i] >= 0,
                  errors::InvalidArgument("select_cols should be non-negative indices"));
      OP_REQUIRES(construction, i == 0 || selected_[i] > selected_[i - 1],
                  errors::InvalidArgument("select_cols should be strictly increasing "
                                          "indices"));
    }
    for (const DType type : types_) {
      const bool is_known = type == DType::kFloat32 || type == DType::kFloat64 ||
                            type == DType::kInt32 || type == DType::kInt64 ||
                            type == DType::kString;
      OP_REQUIRES(construction, is_known,
                  errors::InvalidArgument("csv: data type ", NameOf(type),
                                          " not supported in field; there are float, "
                                          "double, int32, int64 and string"));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const auto records = ctx->input(0).flat<std::string>();
    std::vector<Tensor*> columns(types_.size());
    for (size_t f = 0; f < types_.size(); ++f) {
      const auto f_int = static_cast<int>(f);
      const Tensor& given = ctx->input(1 + f_int);
      OP_REQUIRES(ctx, given.rank() <= 1 && given.num_elements() <= 1,
                  errors::InvalidArgument("There should only be 1 default per field but "
                                          "field ",
                                          f, " has shape ", given.shape()));
      OP_REQUIRES_OK(ctx,
                     ctx->allocate_output(f_int, ctx->input(0).shape(), &columns[f]));
    }
    const RowReader reader(delimiter_, use_quotes_);
    for (size_t i = 0; i < records.size(); ++i) {
      const std::vector<std::string> fields = reader.Fields(records[i]);
      const bool fits = selected_.empty()
                            ? fields.size() == types_.size()
                            : static_cast<int64_t>(fields.size()) > selected_.back();
      const int64_t wanted =
          selected_.empty() ? static_cast<int64_t>(types_.size()) : selected_.back() + 1;
      Require(fits, "Expect ", wanted, " fields but have ", fields.size(), " in record ",
              i);
      for (size_t f = 0; f < types_.size(); ++f) {
        const size_t place = selected_.empty() ? f : static_cast<size_t>(selected_[f]);
        SetField(fields[place], ctx->input(1 + static_cast<int>(f)), f, i, columns[f]);
      }
    }
  }

 private:
  // Puts field f of record i, or its default, on element i of *column.
  void SetField(const std::string& field, const Tensor& given, size_t f, size_t i,
                Tensor* column) const {
    const auto set = [&]<typename T>() {
      T& value = column->mutable_flat<T>()[i];
      if (field.empty() || field == na_value_) {
        Require(given.num_elements() == 1, "Field ", f,
                " is required but missing in record ", i, "!");
        value = given.flat<T>()[0];
      } else if constexpr (std::is_same_v<T, std::string>) {
        value = field;
      } else {
        Require(
            ReadNumber(field, &value), "Field ", f, " in record ", i, " is not a valid ",
            (types_[f] == DType::kFloat32 ? "float" : NameOf(types_[f])), ": ", field);
      }
    };
    switch (types_[f]) {
      case DType::kFloat32: return set.template operator()<float>();
      case DType::kFloat64: return set.template operator()<double>();
      case DType::kInt32: return set.template operator()<int32_t>();
      case DType::kInt64: return set.template operator()<int64_t>();
      default: return set.template operator()<std::string>();
    }
  }

  char delimiter_ = ',';
  bool use_quotes_ = true;
  std::string na_value_;
  std::vector<DType> types_;
  std::vector<int64_t> selected_;
};
REGISTER_KERNEL(Kernel("DecodeCSV").On(Device::kCpu), DecodeCsvOp);

}  // namespace
}  // namespace minitf
