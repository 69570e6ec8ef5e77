// Small nets on which passes are measured, built as a user's graph would be.

#pragma once

#include <string>
#include <vector>

#include "minitf/graph/graph.h"
#include "minitf/graph/step_graph.h"

namespace minitf::testing {

struct SampleNet {
  std::string name;
  Graph graph;
  RunRequest request;
  std::vector<Node*> initializers;  ///< targets that give the variables their values
  std::vector<Tensor> feeds;
};

/// [32,784] -> 256 -> 128 -> 10 -> Softmax; weights and biases are variables.
void BuildMlpInference(SampleNet* net);
/// Three times convolution, batch normalisation, Relu; all weights are constants.
void BuildConvInference(SampleNet* net, const std::string& format);
/// LeNet-5 on [32,28,28,1], its loss, gradients, and one step of gradient descent.
void BuildLeNetTraining(SampleNet* net);
/// Ten element-wise ops, one after another, on a million floats.
void BuildElementwiseChain(SampleNet* net);

}  // namespace minitf::testing
