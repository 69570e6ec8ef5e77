// Parsing Examples on the CPU: records in, columns out.
//
// The records are divided among threads. Values whose place is known go straight to it;
// those of a sparse or variable column are kept, a list for each thread's piece, until it
// is known how many there are.
//
// Op         minitf/ops/data/parsing_ops.cc
// Compare    tensorflow/core/kernels/example_parsing_ops.cc,
//            tensorflow/core/util/example_proto_fast_parsing.cc

#include <map>
#include <mutex>

#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/data/example_columns.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

constexpr int64_t kNanosecondsPerColumn = 150;  // of one record, measured

// What one thread has read of a sparse or variable column.
struct ColumnPiece {
  std::vector<int64_t> counts;  // how many values each record has
  ColumnValues values;
};

// Some records after another, and what came of them.
struct Piece {
  std::vector<ColumnPiece> columns;
  Status status;
};

// Reads records to columns.
class ExampleParser {
 public:
  ExampleParser(std::span<const std::string> records, std::span<const std::string> names,
                std::span<const ExampleColumn> columns, bool is_single)
      : records_(records),
        names_(names),
        columns_(columns),
        by_key_(ColumnsByKey(columns)),
        is_single_(is_single) {}

  // Reads all records. `fixed[i]` takes the values of column i, if it is a fixed one.
  Status Parse(std::span<Tensor* const> fixed, ThreadPool& threads) {
    fixed_ = fixed;
    const int64_t cost =
        kNanosecondsPerColumn * (1 + static_cast<int64_t>(columns_.size()));
    threads.ParallelFor(static_cast<int64_t>(records_.size()), cost,
                        [this](int64_t begin, int64_t end) {
                          Piece piece = ParsePiece(begin, end);
                          const std::scoped_lock lock(mutex_);
                          pieces_[begin] = std::move(piece);
                        });
    for (const auto& [begin, piece] : pieces_) {
      if (!piece.status.ok()) return piece.status;
    }
    return {};
  }

  // By the number of their first records.
  std::map<int64_t, Piece>& pieces() { return pieces_; }

 private:
  Piece ParsePiece(int64_t begin, int64_t end) const {
    Piece piece;
    for (const ExampleColumn& column : columns_) {
      piece.columns.push_back({{}, NoValues(column.dtype)});
    }
    std::vector<NamedFeature> features;
    std::vector<const FeatureView*> found(columns_.size());
    for (int64_t i = begin; i < end && piece.status.ok(); ++i) {
      piece.status = ParseRecord(i, &features, found, &piece.columns);
    }
    return piece;
  }

  // `features` and `found` are memory to work with, kept from record to record. A feature
  // is only looked at, not copied, until it is known that a column asks for it.
  Status ParseRecord(int64_t i, std::vector<NamedFeature>* features,
                     std::vector<const FeatureView*>& found,
                     std::vector<ColumnPiece>* pieces) const {
    if (!ReadExample(records_[i], features)) return NoExample(records_[i]);
    std::ranges::fill(found, nullptr);
    // Of two with one name the last counts.
    for (const auto& [name, feature] : *features) {
      const auto place = by_key_.find(name);
      if (place == by_key_.end()) continue;
      const bool is_there = feature.kind != FeatureKind::kNothing;
      found[place->second] = is_there ? &feature : nullptr;
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      Status status = columns_[c].kind == ColumnKind::kFixed
                          ? ParseFixed(i, c, found[c])
                          : ParseOther(i, c, found[c], &(*pieces)[c]);
      if (!status.ok()) return status;
    }
    return {};
  }

  Status ParseFixed(int64_t i, size_t c, const FeatureView* feature) const {
    const ExampleColumn& column = columns_[c];
    const int64_t size = column.shape.num_elements();
    if (feature != nullptr) {
      char* to = static_cast<char*>(fixed_[c]->mutable_data());
      const Status status =
          CopyValues(*feature, column, to + i * size * SizeOf(column.dtype));
      return status.ok() ? status : status.WithPrefix(Place(i, column));
    }
    if (column.default_value.num_elements() == 0) {
      return errors::InvalidArgument(NamePart(i), "Feature: ", column.key,
                                     " (data type: ", SpelledType(column.dtype),
                                     ") is required but could not be found.");
    }
    CopyElements(column.default_value, 0, size, fixed_[c], i * size);
    return {};
  }

  Status ParseOther(int64_t i, size_t c, const FeatureView* feature,
                    ColumnPiece* piece) const {
    const ExampleColumn& column = columns_[c];
    int64_t& count = piece->counts.emplace_back(0);
    if (feature == nullptr) return {};
    Status status = AppendValues(*feature, column, &piece->values, &count);
    const int64_t step = column.shape.num_elements();
    if (status.ok() && column.kind == ColumnKind::kVariable &&
        (step == 0 ? count != 0 : count % step != 0)) {
      status = errors::InvalidArgument("Number of ", SpelledType(column.dtype),
                                       " values is not a multiple of stride length. Saw ",
                                       count, " values but output shape is: [?",
                                       column.shape.rank() > 0 ? "," : "",
                                       Join(column.shape.sizes(), ","), "]");
    }
    return status.ok() ? status : status.WithPrefix(Place(i, column));
  }

  std::string NamePart(int64_t i) const {
    if (is_single_) return "";
    return StrCat("Name: ", names_.empty() ? "<unknown>" : names_[i], ", ");
  }

  std::string Place(int64_t i, const ExampleColumn& column) const {
    const std::string index = is_single_ ? "" : StrCat(", Index: ", i);
    return StrCat(NamePart(i), "Key: ", column.key, index, ".  ");
  }

  std::span<const std::string> records_;
  std::span<const std::string> names_;
  std::span<const ExampleColumn> columns_;
  std::unordered_map<std::string_view, size_t> by_key_;
  bool is_single_;
  std::span<Tensor* const> fixed_;
  std::mutex mutex_;
  std::map<int64_t, Piece> pieces_;
};

// The outputs of an op that parses Examples, in their order: sparse_indices,
// sparse_values, sparse_shapes (each for all sparse columns), dense_values. Columns are
// the sparse ones, then the dense ones.
//
// For a single record the axis that counts records is left out.
class ExampleOutputs {
 public:
  ExampleOutputs(OpKernelContext* ctx, std::span<const ExampleColumn> columns,
                 int num_sparse, int64_t num_records, bool is_single)
      : ctx_(ctx),
        columns_(columns),
        num_sparse_(num_sparse),
        num_records_(num_records),
        is_single_(is_single) {}

  // Null for columns that are not fixed.
  std::vector<Tensor*> AllocateFixed() {
    std::vector<Tensor*> fixed(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kFixed) continue;
      const Shape shape = WithRecords(columns_[c].shape.ToVector());
      ThrowIfError(ctx_->allocate_output(DenseOutput(c), shape, &fixed[c]));
    }
    return fixed;
  }

  void SetOthers(std::map<int64_t, Piece>* pieces) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind == ColumnKind::kSparse) SetSparse(c, pieces);
      if (columns_[c].kind == ColumnKind::kVariable) SetVariable(c, pieces);
    }
  }

 private:
  int DenseOutput(size_t c) const { return 2 * num_sparse_ + static_cast<int>(c); }

  Shape WithRecords(std::vector<int64_t> sizes) const {
    if (!is_single_) sizes.insert(sizes.begin(), num_records_);
    return Shape(sizes);
  }

  // Two passes over the pieces: the first counts, as outputs are allocated with their
  // sizes, the second writes. Pieces come in the order of their records, whichever thread
  // has parsed them.
  void SetSparse(size_t c, std::map<int64_t, Piece>* pieces) {
    int64_t total = 0;
    int64_t most = 0;
    for (const auto& [begin, piece] : *pieces) {
      for (const int64_t count : piece.columns[c].counts) {
        total += count;
        most = std::max(most, count);
      }
    }
    const int64_t rank = is_single_ ? 1 : 2;
    const int output = static_cast<int>(c);
    Tensor* indices = nullptr;  // [total,rank]
    Tensor* values = nullptr;   // [total]
    Tensor* shape = nullptr;    // [rank]
    ThrowIfError(ctx_->allocate_output(output, {total, rank}, &indices));
    ThrowIfError(ctx_->allocate_output(num_sparse_ + output, {total}, &values));
    ThrowIfError(ctx_->allocate_output(2 * num_sparse_ + output, {rank}, &shape));
    const auto sizes = shape->mutable_flat<int64_t>();
    if (!is_single_) sizes[0] = num_records_;
    sizes[rank - 1] = most;

    int64_t* next = indices->mutable_flat<int64_t>().data();
    int64_t first = 0;
    int64_t record = 0;
    for (auto& [begin, piece] : *pieces) {
      MoveValues(&piece.columns[c].values, values, first);
      for (const int64_t count : piece.columns[c].counts) {
        for (int64_t i = 0; i < count; ++i) {
          if (!is_single_) *next++ = record;
          *next++ = i;
        }
        first += count;
        ++record;
      }
    }
  }

  // The record with most values decides the size; the others are filled up behind theirs.
  void SetVariable(size_t c, std::map<int64_t, Piece>* pieces) {
    const ExampleColumn& column = columns_[c];
    const int64_t step = column.shape.num_elements();
    int64_t most = 0;
    int64_t total = 0;
    for (const auto& [begin, piece] : *pieces) {
      for (const int64_t count : piece.columns[c].counts) {
        most = std::max(most, count);
        total += count;
      }
    }
    std::vector<int64_t> sizes = column.shape.ToVector();
    sizes.insert(sizes.begin(), step == 0 ? 0 : most / step);
    Tensor* result = nullptr;  // [N, most / step, shape...]
    const Shape shape = WithRecords(sizes);
    ThrowIfError(ctx_->allocate_output(DenseOutput(c), shape, &result));

    Tensor all(column.dtype, {total});
    int64_t first = 0;
    int64_t record = 0;
    for (auto& [begin, piece] : *pieces) {
      MoveValues(&piece.columns[c].values, &all, first);
      for (const int64_t count : piece.columns[c].counts) {
        CopyElements(all, first, count, result, record * most);
        FillUp(column, result, record * most + count, most - count);
        first += count;
        ++record;
      }
    }
  }

  // With the default, or zeros.
  static void FillUp(const ExampleColumn& column, Tensor* to, int64_t first,
                     int64_t count) {
    Tensor filler = column.default_value;
    if (filler.num_elements() == 0) filler = ZeroOf(column.dtype);
    for (int64_t i = 0; i < count; ++i) CopyElements(filler, 0, 1, to, first + i);
  }

  static Tensor ZeroOf(DType dtype) {
    if (dtype == DType::kString) return Tensor::Scalar(std::string());
    if (dtype == DType::kFloat32) return Tensor::Scalar(0.0f);
    return Tensor::Scalar(int64_t{0});
  }

  OpKernelContext* ctx_;
  std::span<const ExampleColumn> columns_;
  int num_sparse_;
  int64_t num_records_;
  bool is_single_;
};

void ParseToOutputs(OpKernelContext* ctx, std::span<const std::string> names,
                    std::span<const ExampleColumn> columns, int num_sparse,
                    bool is_single) {
  const auto records = ctx->input(0).flat<std::string>();
  ExampleOutputs outputs(ctx, columns, num_sparse, static_cast<int64_t>(records.size()),
                         is_single);
  const std::vector<Tensor*> fixed = outputs.AllocateFixed();
  ExampleParser parser(records, names, columns, is_single);
  ThrowIfError(parser.Parse(fixed, ctx->threads()));
  outputs.SetOthers(&parser.pieces());
}

// The keys of the columns are inputs.
class ParseExampleOp final : public OpKernel {
 public:
  explicit ParseExampleOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("sparse_types", &sparse_types_));
    OP_REQUIRES_OK(construction, construction->GetAttr("Tdense", &dense_types_));
    OP_REQUIRES_OK(construction, construction->GetAttr("dense_shapes", &dense_shapes_));
    int64_t num_sparse = 0;
    int64_t num_dense = 0;
    OP_REQUIRES_OK(construction, construction->GetAttr("Nsparse", &num_sparse));
    OP_REQUIRES_OK(construction, construction->GetAttr("Ndense", &num_dense));
    CheckListSize("sparse_types", sparse_types_.size(), num_sparse);
    CheckListSize("Tdense", dense_types_.size(), num_dense);
    CheckListSize("dense_shapes", dense_shapes_.size(), num_dense);
    num_sparse_ = static_cast<int>(num_sparse);
    num_dense_ = static_cast<int>(num_dense);
  }

  // serialized [N], names [N] or [0], Nsparse keys, Ndense keys, Ndense defaults
  void Compute(OpKernelContext* ctx) override {
    const Tensor& serialized = ctx->input(0);
    const Tensor& names = ctx->input(1);
    RequireRecords(serialized, names, "names");
    std::vector<ExampleColumn> columns;
    for (int i = 0; i < num_sparse_; ++i) {
      columns.push_back(SparseColumn(KeyAt(ctx, 2 + i), sparse_types_[i]));
    }
    const int dense_keys = 2 + num_sparse_;
    for (int i = 0; i < num_dense_; ++i) {
      columns.push_back(
          DenseColumn(KeyAt(ctx, dense_keys + i), dense_types_[i], dense_shapes_[i]));
      SetDefault(ctx->input(dense_keys + num_dense_ + i), &columns.back());
    }
    ParseToOutputs(ctx, names.flat<std::string>(), columns, num_sparse_, false);
  }

 private:
  static std::string KeyAt(OpKernelContext* ctx, int input) {
    const Tensor& key = ctx->input(input);
    Require(key.num_elements() == 1, "a key must be a scalar, its shape is ",
            key.shape());
    return key.flat<std::string>()[0];
  }

  std::vector<DType> sparse_types_;
  std::vector<DType> dense_types_;
  std::vector<PartialShape> dense_shapes_;
  int num_sparse_ = 0;
  int num_dense_ = 0;
};
REGISTER_KERNEL(Kernel("ParseExample").On(Device::kCpu), ParseExampleOp);

// The keys of the columns are attributes.
class ParseSingleExampleOp final : public OpKernel {
 public:
  explicit ParseSingleExampleOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    std::vector<std::string> sparse_keys;
    std::vector<std::string> dense_keys;
    std::vector<DType> sparse_types;
    std::vector<DType> dense_types;
    std::vector<PartialShape> shapes;
    OP_REQUIRES_OK(construction, construction->GetAttr("sparse_keys", &sparse_keys));
    OP_REQUIRES_OK(construction, construction->GetAttr("dense_keys", &dense_keys));
    OP_REQUIRES_OK(construction, construction->GetAttr("sparse_types", &sparse_types));
    OP_REQUIRES_OK(construction, construction->GetAttr("Tdense", &dense_types));
    OP_REQUIRES_OK(construction, construction->GetAttr("dense_shapes", &shapes));
    int64_t num_sparse = 0;
    OP_REQUIRES_OK(construction, construction->GetAttr("num_sparse", &num_sparse));
    const auto num_dense = static_cast<int64_t>(dense_types.size());
    CheckListSize("sparse_keys", sparse_keys.size(), num_sparse);
    CheckListSize("sparse_types", sparse_types.size(), num_sparse);
    CheckListSize("dense_keys", dense_keys.size(), num_dense);
    CheckListSize("dense_shapes", shapes.size(), num_dense);
    num_sparse_ = static_cast<int>(num_sparse);
    for (size_t i = 0; i < sparse_keys.size(); ++i) {
      columns_.push_back(SparseColumn(sparse_keys[i], sparse_types[i]));
    }
    for (size_t i = 0; i < dense_keys.size(); ++i) {
      columns_.push_back(DenseColumn(dense_keys[i], dense_types[i], shapes[i]));
    }
  }

  // serialized [], then a default for each dense column
  void Compute(OpKernelContext* ctx) override {
    const Tensor& serialized = ctx->input(0);
    RequireScalar(serialized, "serialized");
    std::vector<ExampleColumn> columns = columns_;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      SetDefault(ctx->input(i), &columns[num_sparse_ + i - 1]);
    }
    ParseToOutputs(ctx, {}, columns, num_sparse_, true);
  }

 private:
  std::vector<ExampleColumn> columns_;
  int num_sparse_ = 0;
};
REGISTER_KERNEL(Kernel("ParseSingleExample").On(Device::kCpu), ParseSingleExampleOp);

}  // namespace
}  // namespace minitf
