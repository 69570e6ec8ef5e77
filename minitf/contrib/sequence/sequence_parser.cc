// SequenceExamples to columns.
//
// Compare    tensorflow/core/util/example_proto_fast_parsing.cc

#include "minitf/contrib/sequence/sequence_parser.h"

#include <algorithm>
#include <utility>

#include "minitf/contrib/sparse/sparse_rows.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The last of those that have the name `key`, or null.
template <typename Named>
const Named* LastNamed(const std::vector<Named>& all, std::string_view key) {
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [key](const Named& n) { return n.name == key; });
  return found == all.rend() ? nullptr : &*found;
}

// One record.
class SequenceRecord {
 public:
  SequenceRecord(const std::string& bytes, std::string name) : name_(std::move(name)) {
    if (!ReadSequenceExample(bytes, &context_, &lists_)) throw Error(NoExample(bytes));
  }

  // Copies the values of a dense column, or its default, to element `first` of *to and
  // those that follow it.
  void CopyContext(const ExampleColumn& column, Tensor* to, int64_t first) const {
    const NamedFeature* found = LastNamed(context_, column.key);
    if (found != nullptr && found->feature.kind != FeatureKind::kNothing) {
      const Status status = CopyValues(found->feature, column, At(to, first));
      if (!status.ok()) throw Error(status.WithPrefix(ContextPlace(column)));
      return;
    }
    Require(column.default_value.num_elements() > 0, "Name: ", name_,
            ", Context feature '", column.key,
            "' (data type: ", SpelledType(column.dtype),
            ") is required but could not be found.");
    CopyElements(column.default_value, 0, column.shape.num_elements(), to, first);
  }

  // Appends the values of a column; returns how many.
  int64_t AppendContext(const ExampleColumn& column, ColumnValues* values) const {
    const NamedFeature* found = LastNamed(context_, column.key);
    int64_t count = 0;
    if (found == nullptr) return count;
    const Status status = AppendValues(found->feature, column, values, &count);
    if (!status.ok()) throw Error(status.WithPrefix(ContextPlace(column)));
    return count;
  }

  // The steps of a dense column.
  int64_t CountSteps(const ExampleColumn& column, bool may_be_missing) const {
    const NamedFeatureList* found = LastNamed(lists_, column.key);
    Require(found != nullptr || may_be_missing, "Name: ", name_, ", Feature list '",
            column.key, "' is required but could not be found.  Did you mean to include ",
            "it in feature_list_dense_missing_assumed_empty or ",
            "feature_list_dense_defaults?");
    return found == nullptr ? 0 : std::ssize(found->features);
  }

  // Copies all steps of a dense column to element `first` of *to and those behind it.
  void CopyList(const ExampleColumn& column, Tensor* to, int64_t first) const {
    const NamedFeatureList* found = LastNamed(lists_, column.key);
    const int64_t size = column.shape.num_elements();
    const int64_t steps = found == nullptr ? 0 : std::ssize(found->features);
    for (int64_t i = 0; i < steps; ++i) {
      const Status status =
          CopyValues(found->features[i], column, At(to, first + i * size));
      if (!status.ok()) throw Error(status.WithPrefix(ListPlace(column, i)));
    }
  }

  // Appends the values of all steps; returns how many each step has.
  std::vector<int64_t> AppendList(const ExampleColumn& column,
                                  ColumnValues* values) const {
    const NamedFeatureList* found = LastNamed(lists_, column.key);
    const size_t steps = found == nullptr ? 0 : found->features.size();
    std::vector<int64_t> counts(steps);
    for (size_t i = 0; i < steps; ++i) {
      const Status status = AppendValues(found->features[i], column, values, &counts[i]);
      if (!status.ok()) {
        throw Error(status.WithPrefix(ListPlace(column, static_cast<int64_t>(i))));
      }
    }
    return counts;
  }

 private:
  static void* At(Tensor* tensor, int64_t element) {
    return static_cast<char*>(tensor->mutable_data()) + element * SizeOf(tensor->dtype());
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

// The values of a sparse column, and how many each step of each record has. What comes
// from a context has one step.
struct SparseColumnValues {
  ColumnValues values;
  std::vector<std::vector<int64_t>> counts;
};

// With as many axes in front of that of the values as there are true Booleans.
SparseParts ToSparse(SparseColumnValues* column, DType dtype, bool has_records,
                     bool has_steps) {
  int64_t total = 0;
  int64_t most_steps = 0;
  int64_t most = 0;
  for (const auto& steps : column->counts) {
    most_steps = std::max<int64_t>(most_steps, std::ssize(steps));
    for (const int64_t count : steps) {
      total += count;
      most = std::max(most, count);
    }
  }
  const int64_t rank = 1 + (has_records ? 1 : 0) + (has_steps ? 1 : 0);
  SparseParts parts = {Tensor(DType::kInt64, {total, rank}), Tensor(dtype, {total}),
                       Tensor(DType::kInt64, {rank})};
  int64_t* next = parts.indices.mutable_flat<int64_t>().data();
  for (int64_t record = 0; record < std::ssize(column->counts); ++record) {
    const auto& steps = column->counts[record];
    for (int64_t step = 0; step < std::ssize(steps); ++step) {
      for (int64_t i = 0; i < steps[step]; ++i) {
        if (has_records) *next++ = record;
        if (has_steps) *next++ = step;
        *next++ = i;
      }
    }
  }
  MoveValues(&column->values, &parts.values, 0);
  int64_t* size = parts.shape.mutable_flat<int64_t>().data();
  if (has_records) *size++ = std::ssize(column->counts);
  if (has_steps) *size++ = most_steps;
  *size = most;
  return parts;
}

// Sets one output after another.
class SequenceOutputs {
 public:
  SequenceOutputs(OpKernelContext* ctx, std::vector<SequenceRecord> records,
                  bool is_single)
      : ctx_(ctx), records_(std::move(records)), is_single_(is_single) {}

  void SetSparse(const std::vector<ExampleColumn>& columns, bool are_lists) {
    std::vector<SparseParts> all;
    for (const ExampleColumn& column : columns) {
      SparseColumnValues found = {NoValues(column.dtype), {}};
      for (const SequenceRecord& record : records_) {
        if (are_lists) {
          found.counts.push_back(record.AppendList(column, &found.values));
        } else {
          found.counts.push_back({record.AppendContext(column, &found.values)});
        }
      }
      all.push_back(ToSparse(&found, column.dtype, !is_single_, are_lists));
    }
    for (SparseParts& parts : all) ctx_->set_output(next_++, std::move(parts.indices));
    for (SparseParts& parts : all) ctx_->set_output(next_++, std::move(parts.values));
    for (SparseParts& parts : all) ctx_->set_output(next_++, std::move(parts.shape));
  }

  void SetContextDense(const std::vector<ExampleColumn>& columns) {
    for (const ExampleColumn& column : columns) {
      Tensor* values = AllocateNext(column.shape.ToVector());  // [N, shape...]
      const int64_t size = column.shape.num_elements();
      for (int64_t i = 0; i < std::ssize(records_); ++i) {
        records_[i].CopyContext(column, values, i * size);
      }
    }
  }

  void SetListDense(const std::vector<ExampleColumn>& columns,
                    const std::vector<std::string>& may_be_missing) {
    std::vector<Tensor> lengths;  // [N] of each column
    for (const ExampleColumn& column : columns) {
      const bool is_allowed = std::ranges::count(may_be_missing, column.key) > 0;
      lengths.emplace_back(DType::kInt64, Shape{std::ssize(records_)});
      const auto steps = lengths.back().mutable_flat<int64_t>();
      for (size_t i = 0; i < records_.size(); ++i) {
        steps[i] = records_[i].CountSteps(column, is_allowed);
      }
      SetList(column, steps);
    }
    if (is_single_) return;
    for (Tensor& steps : lengths) ctx_->set_output(next_++, std::move(steps));
  }

 private:
  void SetList(const ExampleColumn& column, std::span<const int64_t> steps) {
    const int64_t most = steps.empty() ? 0 : std::ranges::max(steps);
    std::vector<int64_t> sizes = column.shape.ToVector();
    sizes.insert(sizes.begin(), most);
    Tensor* values = AllocateNext(sizes);  // [N, most, shape...]
    const int64_t size = column.shape.num_elements();
    for (int64_t i = 0; i < std::ssize(records_); ++i) {
      records_[i].CopyList(column, values, i * most * size);
      VisitDType(column.dtype, [&]<typename T>() {
        const auto rest = values->mutable_flat<T>().subspan((i * most + steps[i]) * size,
                                                            (most - steps[i]) * size);
        std::ranges::fill(rest, T());
      });
    }
  }

  Tensor* AllocateNext(std::vector<int64_t> sizes) {
    if (!is_single_) sizes.insert(sizes.begin(), std::ssize(records_));
    Tensor* output = nullptr;
    ThrowIfError(ctx_->allocate_output(next_++, Shape(sizes), &output));
    return output;
  }

  OpKernelContext* ctx_;
  const std::vector<SequenceRecord> records_;
  const bool is_single_;
  int next_ = 0;
};

}  // namespace

ExampleColumn KnownColumn(std::string key, DType dtype, const PartialShape& shape,
                          std::string_view what) {
  ExampleColumn column = DenseColumn(std::move(key), dtype, shape);
  Require(column.kind == ColumnKind::kFixed, "feature '", column.key, "': a ", what,
          " needs a known shape, not ", shape);
  return column;
}

void ParseSequences(OpKernelContext* ctx, std::span<const std::string> records,
                    std::span<const std::string> names, const SequenceColumns& columns,
                    bool is_single) {
  std::vector<SequenceRecord> parsed;
  for (size_t i = 0; i < records.size(); ++i) {
    const bool has_name = !names.empty() && !names[i].empty();
    parsed.emplace_back(records[i], has_name ? names[i] : "<unknown>");
  }
  SequenceOutputs outputs(ctx, std::move(parsed), is_single);
  outputs.SetSparse(columns.context_sparse, false);
  outputs.SetContextDense(columns.context_dense);
  outputs.SetSparse(columns.list_sparse, true);
  outputs.SetListDense(columns.list_dense, columns.may_be_missing);
}

}  // namespace minitf
