// Random graphs for tests of passes: about 30 ops, shapes of rank 0 to 4, shared
// subexpressions, constants of many kinds, control edges, state, devices.

#pragma once

#include <random>
#include <string>
#include <vector>

#include "minitf/graph/graph.h"
#include "minitf/graph/step_graph.h"

namespace minitf::testing {

class RandomGraph {
 public:
  /// The same seed makes the same graph in every run.
  explicit RandomGraph(unsigned seed);

  const RunRequest& request() const { return request_; }
  /// Values for request().feeds, different for each step.
  std::vector<Tensor> Feeds(int step) const;

 private:
  int Below(int limit) { return static_cast<int>(random_() % limit); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  const T& AnyOf(const std::vector<T>& list) {
    return list[Below(static_cast<int>(list.size()))];
  }

  Output Add(std::string op, std::vector<Output> inputs, Attrs attrs = {});
  Output Constant(const Shape& shape, DType dtype);
  Output Integers(const std::vector<int64_t>& values);
  Output Number(float value, const Shape& shape, DType dtype);
  Output ScalarZero();
  Output AnyValue();
  Output AnyOfRank(int rank);
  Shape AnyShape(int rank);
  Output Tamed(Output value);
  Output Like(Output value);

  void AddInputs();
  void AddSomething();
  Output AddUnary();
  Output AddBinary();
  Output AddNeutral();
  Output AddReshape();
  Output AddTranspose();
  Output AddReduction();
  Output AddProduct();
  Output AddProductSum();
  Output AddProductPart();
  Output AddConvolution();
  Output AddBatchNorm(Output images, int64_t channels);
  Output AddJoin();
  Output AddShapeArithmetic();
  Output AddConstantArithmetic();
  Output AddState();
  Output AddTwin();
  void ChooseFetches();

  std::mt19937 random_;
  Graph graph_;
  std::vector<Output> values_;  // float32 or float64, elements between -4 and 4 or so
  RunRequest request_;
};

}  // namespace minitf::testing
