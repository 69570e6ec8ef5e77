// Parsing SequenceExamples on the CPU: one, or a batch of them.
//
// Op         minitf/ops/data/parsing_ops.cc
// Compare    tensorflow/core/kernels/example_parsing_ops.cc

#include <string>
#include <vector>

#include "minitf/contrib/sequence/sequence_parser.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

using Keys = std::vector<std::string>;

// The types and shapes that are attributes of both ops.
class SequenceOp : public OpKernel {
 public:
  explicit SequenceOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("context_sparse_types", &context_sparse_types_));
    OP_REQUIRES_OK(c, c->GetAttr("Tcontext_dense", &context_dense_types_));
    OP_REQUIRES_OK(c, c->GetAttr("context_dense_shapes", &context_shapes_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_sparse_types", &list_sparse_types_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_dense_types", &list_dense_types_));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_dense_shapes", &list_shapes_));
    const auto check = [c](std::string_view list, size_t size, std::string_view number) {
      CheckListSize(list, size, c->attrs().Get<int64_t>(number));
    };
    check("context_sparse_types", context_sparse_types_.size(), "Ncontext_sparse");
    check("Tcontext_dense", context_dense_types_.size(), "Ncontext_dense");
    check("context_dense_shapes", context_shapes_.size(), "Ncontext_dense");
    check("feature_list_sparse_types", list_sparse_types_.size(), "Nfeature_list_sparse");
    check("feature_list_dense_types", list_dense_types_.size(), "Nfeature_list_dense");
    check("feature_list_dense_shapes", list_shapes_.size(), "Nfeature_list_dense");
  }

 protected:
  // Requires: as many keys as there are types.
  SequenceColumns ColumnsOf(const Keys& context_sparse, const Keys& context_dense,
                            const Keys& list_sparse, const Keys& list_dense) const {
    SequenceColumns columns;
    for (size_t i = 0; i < context_sparse.size(); ++i) {
      columns.context_sparse.push_back(
          SparseColumn(context_sparse[i], context_sparse_types_[i]));
    }
    for (size_t i = 0; i < context_dense.size(); ++i) {
      columns.context_dense.push_back(KnownColumn(context_dense[i],
                                                  context_dense_types_[i],
                                                  context_shapes_[i], "context feature"));
    }
    for (size_t i = 0; i < list_sparse.size(); ++i) {
      columns.list_sparse.push_back(SparseColumn(list_sparse[i], list_sparse_types_[i]));
    }
    for (size_t i = 0; i < list_dense.size(); ++i) {
      columns.list_dense.push_back(KnownColumn(list_dense[i], list_dense_types_[i],
                                               list_shapes_[i], "feature list"));
    }
    return columns;
  }

  // The defaults of context_dense are inputs from `first` on.
  static void SetDefaults(OpKernelContext* ctx, int first, SequenceColumns* columns) {
    for (ExampleColumn& column : columns->context_dense) {
      SetDefault(ctx->input(first++), &column);
    }
  }

  std::vector<DType> context_sparse_types_;
  std::vector<DType> context_dense_types_;
  std::vector<PartialShape> context_shapes_;
  std::vector<DType> list_sparse_types_;
  std::vector<DType> list_dense_types_;
  std::vector<PartialShape> list_shapes_;
};

// The keys of the columns are inputs.
class ParseSingleSequenceExampleOp final : public SequenceOp {
 public:
  using SequenceOp::SequenceOp;

  // serialized [], names that may be missing, keys, defaults, debug_name []
  void Compute(OpKernelContext* ctx) override {
    int next = 2;
    const auto keys = [&](size_t count) {
      Keys found;
      for (size_t i = 0; i < count; ++i) found.push_back(TextAt(ctx, next++, "a key"));
      return found;
    };
    const Keys context_sparse = keys(context_sparse_types_.size());
    const Keys context_dense = keys(context_dense_types_.size());
    const Keys list_sparse = keys(list_sparse_types_.size());
    const Keys list_dense = keys(list_dense_types_.size());
    SequenceColumns columns =
        ColumnsOf(context_sparse, context_dense, list_sparse, list_dense);
    SetDefaults(ctx, next, &columns);
    const auto may_be_missing = ctx->input(1).flat<std::string>();
    columns.may_be_missing.assign(may_be_missing.begin(), may_be_missing.end());

    const int last = ctx->num_inputs() - 1;
    Keys names;
    if (ctx->input(last).num_elements() > 0) {
      names.push_back(TextAt(ctx, last, "debug_name"));
    }
    ParseSequences(ctx, std::span(&TextAt(ctx, 0, "serialized"), 1), names, columns,
                   true);
  }

 private:
  static const std::string& TextAt(OpKernelContext* ctx, int input,
                                   std::string_view what) {
    const Tensor& text = ctx->input(input);
    Require(text.num_elements() == 1, what, " must be a scalar, its shape is ",
            text.shape());
    return text.flat<std::string>()[0];
  }
};
REGISTER_KERNEL(Kernel("ParseSingleSequenceExample").On(Device::kCpu),
                ParseSingleSequenceExampleOp);

// The keys of the columns are attributes.
class ParseSequenceExampleOp final : public SequenceOp {
 public:
  explicit ParseSequenceExampleOp(OpKernelConstruction* c) : SequenceOp(c) {
    const auto keys = [c](std::string_view list, size_t count) {
      const Keys& found = c->attrs().Get<Keys>(list);
      CheckListSize(list, found.size(), static_cast<int64_t>(count));
      return found;
    };
    columns_ = ColumnsOf(keys("context_sparse_keys", context_sparse_types_.size()),
                         keys("context_dense_keys", context_dense_types_.size()),
                         keys("feature_list_sparse_keys", list_sparse_types_.size()),
                         keys("feature_list_dense_keys", list_dense_types_.size()));
    OP_REQUIRES_OK(c, c->GetAttr("feature_list_dense_missing_assumed_empty",
                                 &columns_.may_be_missing));
  }

  // serialized [N], debug_name [N] or [0], defaults
  void Compute(OpKernelContext* ctx) override {
    const Tensor& serialized = ctx->input(0);
    const Tensor& names = ctx->input(1);
    RequireRecords(serialized, names, "debug_name");
    SequenceColumns columns = columns_;
    SetDefaults(ctx, 2, &columns);
    ParseSequences(ctx, serialized.flat<std::string>(), names.flat<std::string>(),
                   columns, false);
  }

 private:
  SequenceColumns columns_;
};
REGISTER_KERNEL(Kernel("ParseSequenceExample").On(Device::kCpu), ParseSequenceExampleOp);

}  // namespace
}  // namespace minitf
