// SequenceExamples to columns: a context, which is an Example, and lists of features with
// one entry for each step.
//
// A result has an axis for the records, one for the steps if it comes from a list, and
// those of the column. The op for a single record leaves the first one out.
//
// Compare    tensorflow/core/util/example_proto_fast_parsing.h, FastParseSequenceExample
// Read next  minitf/contrib/image/image_scale.h

#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/data/example_columns.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

/// What is asked for of SequenceExamples.
struct SequenceColumns {
  std::vector<ExampleColumn> context_sparse;
  std::vector<ExampleColumn> context_dense;
  std::vector<ExampleColumn> list_sparse;
  std::vector<ExampleColumn> list_dense;
  /// Names of dense lists that count as empty where they are missing.
  std::vector<std::string> may_be_missing;
};

/// A dense column whose shape must be known; `what` it is, for messages. Throws
/// InvalidArgument if the shape is not.
ExampleColumn KnownColumn(std::string key, DType dtype, const PartialShape& shape,
                          std::string_view what);

/// Parses `records`, and sets the outputs of `ctx`: all places, values and shapes of
/// context_sparse, those of context_dense, the same for the lists, and unless is_single
/// how many steps each record has in each of list_dense. Shorter lists are filled up with
/// zeros. `names` has a name of each record for messages, or none. Throws
/// InvalidArgument. Requires: is_single only for one record.
void ParseSequences(OpKernelContext* ctx, std::span<const std::string> records,
                    std::span<const std::string> names, const SequenceColumns& columns,
                    bool is_single);

}  // namespace minitf
