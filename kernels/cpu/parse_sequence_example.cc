// Parsing SequenceExamples on the CPU: a context, which is an Example, and lists of
// features with one entry for each step.
//
// Op         minitf/ops/parsing_ops.cc
// Compare    tensorflow/core/kernels/example_parsing_ops.cc

#include <algorithm>

#include "kernels/cpu/example_columns.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// The tensors of a sparse result.
struct SparseParts {
  Tensor indices;  // [total,rank]
  Tensor values;   // [total]
  Tensor shape;    // [rank]
};

// The values of steps that have `counts` of them. Without an axis for steps, rank 1.
SparseParts ToSparse(const std::vector<int64_t>& counts, ColumnValues* values,
                     DType dtype, bool has_steps) {
  int64_t total = 0;
  int64_t most = 0;
  for (const int64_t count : counts) {
    total += count;
    most = std::max(most, count);
  }
  const int64_t rank = has_steps ? 2 : 1;
  SparseParts parts = {Tensor(DType::kInt64, {total, rank}), Tensor(dtype, {total}),
                       Tensor(DType::kInt64, {rank})};
  int64_t* next = parts.indices.mutable_flat<int64_t>().data();
  for (size_t step = 0; step < counts.size(); ++step) {
    for (int64_t i = 0; i < counts[step]; ++i) {
      if (has_steps) *next++ = static_cast<int64_t>(step);
      *next++ = i;
    }
  }
  MoveValues(values, &parts.values, 0);
  const auto shape = parts.shape.mutable_flat<int64_t>();
  if (has_steps) shape[0] = static_cast<int64_t>(counts.size());
  shape[rank - 1] = most;
  return parts;
}

// The last of those that have the name `key`, or null.
template <typename Named>
const Named* LastNamed(const std::vector<Named>& all, std::string_view key) {
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [key](const Named& n) { return n.name == key; });
  return found == all.rend() ? nullptr : &*found;
}

// One record, and what columns find in it.
class SequenceParser {
 public:
  explicit SequenceParser(std::string name) : name_(std::move(name)) {}

  void Read(const std::string& record) {
    if (!ReadSequenceExample(record, &context_, &lists_)) {
      throw Error(NoExample(record));
    }
  }

  Tensor ContextDense(const ExampleColumn& column) const {
    const NamedFeature* found = LastNamed(context_, column.key);
    const bool is_there =
        found != nullptr && found->feature.kind != FeatureKind::kNothing;
    if (!is_there) {
      Require(column.default_value.num_elements() > 0, "Name: ", name_,
              ", Context feature '", column.key,
              "' (data type: ", SpelledType(column.dtype),
              ") is required but could not be found.");
      return column.default_value;
    }
    Tensor result(column.dtype, column.shape);
    ThrowIfWrong(CopyValues(found->feature, column, result.mutable_data()),
                 [&] { return ContextPlace(column); });
    return result;
  }

  SparseParts ContextSparse(const ExampleColumn& column) const {
    const NamedFeature* found = LastNamed(context_, column.key);
    ColumnValues values = NoValues(column.dtype);
    int64_t count = 0;
    if (found != nullptr) {
      ThrowIfWrong(AppendValues(found->feature, column, &values, &count),
                   [&] { return ContextPlace(column); });
    }
    return ToSparse({count}, &values, column.dtype, false);
  }

  Tensor ListDense(const ExampleColumn& column, bool may_be_missing) const {
    const NamedFeatureList* found = LastNamed(lists_, column.key);
    Require(found != nullptr || may_be_missing, "Name: ", name_, ", Feature list '",
            column.key, "' is required but could not be found.  Did you mean to include ",
            "it in feature_list_dense_missing_assumed_empty or ",
            "feature_list_dense_defaults?");
    const int64_t steps =
        found == nullptr ? 0 : static_cast<int64_t>(found->features.size());
    std::vector<int64_t> sizes = column.shape.ToVector();
    sizes.insert(sizes.begin(), steps);
    Tensor result(column.dtype, Shape(sizes));
    const int64_t step_bytes =
        column.shape.num_elements() * static_cast<int64_t>(SizeOf(column.dtype));
    char* to = static_cast<char*>(result.mutable_data());
    for (int64_t i = 0; i < steps; ++i) {
      ThrowIfWrong(CopyValues(found->features[i], column, to + i * step_bytes),
                   [&] { return ListPlace(column, i); });
    }
    return result;
  }

  SparseParts ListSparse(const ExampleColumn& column) const {
    const NamedFeatureList* found = LastNamed(lists_, column.key);
    ColumnValues values = NoValues(column.dtype);
    std::vector<int64_t> counts;
    const size_t steps = found == nullptr ? 0 : found->features.size();
    for (size_t i = 0; i < steps; ++i) {
      ThrowIfWrong(
          AppendValues(found->features[i], column, &values, &counts.emplace_back()),
          [&] { return ListPlace(column, static_cast<int64_t>(i)); });
    }
    return ToSparse(counts, &values, column.dtype, true);
  }

 private:
  // `place` makes the text that says where; it is only called if something is wrong.
  template <typename Place>
  static void ThrowIfWrong(const Status& status, Place place) {
    if (!status.ok()) throw Error(status.WithPrefix(place()));
  }

  std::string ContextPlace(const ExampleColumn& column) const {
    return StrCat("Name: ", name_, ", Context feature: ", column.key, ".  ");
  }
  std::string ListPlace(const ExampleColumn& column, int64_t step) const {
    return StrCat("Name: ", name_, ", Feature list: ", column.key, ", Index: ", step,
                  ".  ");
  }

  std::string name_;
  std::vector<NamedFeature> context_;
  std::vector<NamedFeatureList> lists_;
};

class ParseSingleSequenceExampleOp final : public OpKernel {
 public:
  explicit ParseSingleSequenceExampleOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("context_sparse_types", &context_sparse_types_));
    OP_REQUIRES_OK(c, c->GetAttr("Tcontext_dense", &context_dense_types_));
    OP_REQUIRES_OK(c, c->GetAttr("context_dense_shapes", &context_shapes_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_sparse_types", &list_sparse_types_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_dense_types", &list_dense_types_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_dense_shapes", &list_shapes_));
    const auto number = [c](std::string_view name) {
      int64_t count = 0;
      ThrowIfError(c->GetAttr(name, &count));
      return count;
    };
    CheckListSize("context_sparse_types", context_sparse_types_.size(),
                  number("Ncontext_sparse"));
    CheckListSize("feature_list_sparse_types", list_sparse_types_.size(),
                  number("Nfeature_list_sparse"));
    CheckListSize("Tcontext_dense", context_dense_types_.size(),
                  number("Ncontext_dense"));
    CheckListSize("context_dense_shapes", context_shapes_.size(),
                  number("Ncontext_dense"));
    CheckListSize("feature_list_dense_types", list_dense_types_.size(),
                  number("Nfeature_list_dense"));
    CheckListSize("feature_list_dense_shapes", list_shapes_.size(),
                  number("Nfeature_list_dense"));
  }

  void Compute(OpKernelContext* ctx) override {
    int next = 2;
    const auto keys = [&](size_t count) {
      std::vector<std::string> found;
      for (size_t i = 0; i < count; ++i) found.push_back(TextAt(ctx, next++, "a key"));
      return found;
    };
    const auto context_sparse = keys(context_sparse_types_.size());
    const auto context_dense = keys(context_dense_types_.size());
    const auto list_sparse = keys(list_sparse_types_.size());
    const auto list_dense = keys(list_dense_types_.size());
    const int first_default = next;
    const std::string name = ctx->input(ctx->num_inputs() - 1).num_elements() == 0
                                 ? ""
                                 : TextAt(ctx, ctx->num_inputs() - 1, "debug_name");

    SequenceParser parser(name.empty() ? "<unknown>" : name);
    parser.Read(TextAt(ctx, 0, "serialized"));
    int output = 0;
    std::vector<SparseParts> parts;
    for (size_t i = 0; i < context_sparse.size(); ++i) {
      parts.push_back(parser.ContextSparse(
          SparseColumn(context_sparse[i], context_sparse_types_[i])));
    }
    SetSparse(ctx, &parts, &output);
    for (size_t i = 0; i < context_dense.size(); ++i) {
      ExampleColumn column =
          DenseColumn(context_dense[i], context_dense_types_[i], context_shapes_[i]);
      Require(column.kind == ColumnKind::kFixed, "feature '", column.key,
              "': a context feature needs a known shape, not ", context_shapes_[i]);
      SetDefault(ctx->input(first_default + static_cast<int>(i)), &column);
      ctx->set_output(output++, parser.ContextDense(column));
    }
    for (size_t i = 0; i < list_sparse.size(); ++i) {
      parts.push_back(
          parser.ListSparse(SparseColumn(list_sparse[i], list_sparse_types_[i])));
    }
    SetSparse(ctx, &parts, &output);
    const auto may_be_missing = ctx->input(1).flat<std::string>();
    for (size_t i = 0; i < list_dense.size(); ++i) {
      const ExampleColumn column =
          DenseColumn(list_dense[i], list_dense_types_[i], list_shapes_[i]);
      Require(column.kind == ColumnKind::kFixed, "feature '", column.key,
              "': a feature list needs a known shape, not ", list_shapes_[i]);
      const bool missing_ok = std::ranges::count(may_be_missing, column.key) > 0;
      ctx->set_output(output++, parser.ListDense(column, missing_ok));
    }
  }

 private:
  static const std::string& TextAt(OpKernelContext* ctx, int input,
                                   std::string_view what) {
    const Tensor& text = ctx->input(input);
    Require(text.num_elements() == 1, what, " must be a scalar, its shape is ",
            text.shape());
    return text.flat<std::string>()[0];
  }

  // Puts all places, all values and all shapes on the outputs from *output on.
  static void SetSparse(OpKernelContext* ctx, std::vector<SparseParts>* parts,
                        int* output) {
    for (SparseParts& part : *parts) ctx->set_output((*output)++, part.indices);
    for (SparseParts& part : *parts) ctx->set_output((*output)++, part.values);
    for (SparseParts& part : *parts) ctx->set_output((*output)++, part.shape);
    parts->clear();
  }

  std::vector<DType> context_sparse_types_;
  std::vector<DType> context_dense_types_;
  std::vector<PartialShape> context_shapes_;
  std::vector<DType> list_sparse_types_;
  std::vector<DType> list_dense_types_;
  std::vector<PartialShape> list_shapes_;
};
REGISTER_KERNEL(Kernel("ParseSingleSequenceExample").On(Device::kCpu),
                ParseSingleSequenceExampleOp);

}  // namespace
}  // namespace minitf
