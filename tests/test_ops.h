// Ops that exist in the tests alone, for graphs whose every number and every moment is
// known: they add, wait, fail in a chosen way, and remember that they have run.
//
//   TestSource   value                  a scalar that is an attribute
//   TestFeed     none                   fails unless it is fed
//   TestAdd      x, y -> x + y          in place where it may
//   TestSum      xs -> their sum
//   TestSleep    x -> x                 after `ms` milliseconds
//   TestFail     x -> x                 never: fails as `how` says
//   TestRecord   x -> x                 adds the node's name to RecordedRuns()
//   TestState    none -> 1, 2, 3, ...   counts its own runs, in its kernel
//   TestInt      value                  an int32 scalar

#pragma once

#include <string>
#include <vector>

#include "minitf/graph/graph.h"
#include "minitf/tensor/tensor.h"

namespace minitf::testing {

/// Whether `op` is registered by a test: these are called "Test..." or "KernelTest...".
inline bool BelongsToATest(const std::string& op) {
  return op.starts_with("Test") || op.starts_with("KernelTest");
}

/// The names of the TestRecord nodes that have run since the last call, in that order.
std::vector<std::string> TakeRecordedRuns();

/// Adds a node of `op` to `graph`.
Node* AddOp(Graph* graph, std::string op, std::string name,
            const std::vector<Output>& inputs = {}, Attrs attrs = {},
            const std::vector<Node*>& control_inputs = {});

Output Source(Graph* graph, float value, std::string name = "source");
Output Feed(Graph* graph, std::string name, const PartialShape& shape = {});
Output Add(Graph* graph, Output x, Output y, std::string name = "add");
Output Sum(Graph* graph, const std::vector<Output>& xs, std::string name = "sum");
Output Sleep(Graph* graph, Output x, int64_t ms, std::string name = "sleep");
Output Fail(Graph* graph, Output x, std::string how, std::string name = "fail");
Output Record(Graph* graph, Output x, std::string name);

inline Tensor Scalar(float value) { return Tensor::Scalar(value); }

/// The one element of a float32 tensor.
inline float Number(const Tensor& tensor) { return tensor.scalar<float>(); }

}  // namespace minitf::testing
