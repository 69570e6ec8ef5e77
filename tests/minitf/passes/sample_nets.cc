// Small nets on which passes are measured.

#include "tests/minitf/passes/sample_nets.h"

#include <optional>
#include <utility>

#include "minitf/graph/gradients/graph_gradients.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

const std::string kNhwc = "NHWC";

Tensor SmallNumbers(const Shape& shape, unsigned seed) {
  const Tensor numbers = RandomTensor(shape, seed, -0.1, 0.1);
  const auto from = numbers.flat<double>();
  return Tensor::Of(shape, std::vector<float>(from.begin(), from.end()));
}

// Adds layers to a net, with a seed of its own for every weight.
class LayerBuilder {
 public:
  explicit LayerBuilder(SampleNet* net) : net_(net), graph_(&net->graph) {}

  Output Feed(const Shape& shape) {
    const Output x = Input(graph_, shape);
    net_->request.feeds.push_back(x);
    net_->feeds.push_back(SmallNumbers(shape, ++seed_));
    return x;
  }

  Output Weight(const Shape& shape) {
    return Const(graph_, SmallNumbers(shape, ++seed_), "weight");
  }

  // A variable that has been read; its handle is kept for the update.
  Output Variable(const Shape& shape) {
    Node* handle = AddOp(graph_, "VarHandleOp", "variable", {},
                         {{"dtype", DType::kFloat32}, {"shape", PartialShape(shape)}});
    net_->initializers.push_back(
        AddOp(graph_, "AssignVariableOp", "assign", {handle->output(0), Weight(shape)}));
    handles_.push_back(handle->output(0));
    reads_.push_back(Call(graph_, "ReadVariableOp", {handle->output(0)},
                          {{"dtype", DType::kFloat32}}, "read"));
    return Call(graph_, "Identity", {reads_.back()}, {}, "value");
  }

  Output Dense(Output x, int64_t inputs, int64_t outputs) {
    const Output y = Call(graph_, "MatMul", {x, Variable({inputs, outputs})});
    return Call(graph_, "BiasAdd", {y, Variable({outputs})});
  }

  Output Convolve(Output x, Output filter, const std::string& padding,
                  const std::string& format) {
    return Call(graph_, "Conv2D", {x, filter},
                {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                 {"padding", padding},
                 {"data_format", format}});
  }

  // y * (gamma * rsqrt(variance + epsilon)) + (beta - mean * that)
  Output Normalize(Output y, const Shape& shape) {
    const Output variance = Call(graph_, "Square", {Weight(shape)});
    const Output epsilon = Floats(graph_, {}, {0.001f});
    const Output root =
        Call(graph_, "Rsqrt", {Call(graph_, "AddV2", {variance, epsilon})});
    const Output scale = Call(graph_, "Mul", {root, Weight(shape)});
    const Output shift =
        Call(graph_, "Sub", {Weight(shape), Call(graph_, "Mul", {Weight(shape), scale})});
    return Call(graph_, "AddV2", {Call(graph_, "Mul", {y, scale}), shift});
  }

  Output Relu(Output x) { return Call(graph_, "Relu", {x}); }

  Output Pool(Output x, const std::string& format) {
    const std::vector<int64_t> window = format == kNhwc
                                            ? std::vector<int64_t>{1, 2, 2, 1}
                                            : std::vector<int64_t>{1, 1, 2, 2};
    return Call(graph_, "MaxPool", {x},
                {{"ksize", window},
                 {"strides", window},
                 {"padding", std::string("VALID")},
                 {"data_format", format}});
  }

  // One step of gradient descent on all variables.
  void Train(Output loss) {
    const auto gradients = GraphGradients(graph_, {loss}, reads_, {Output{}}, {});
    const Output rate = Floats(graph_, {}, {0.01f}, "rate");
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Output change = Call(graph_, "Mul", {gradients[i].at(0), rate});
      net_->request.targets.push_back(
          AddOp(graph_, "AssignSubVariableOp", "update", {handles_[i], change}));
    }
  }

 private:
  SampleNet* const net_;
  Graph* const graph_;
  unsigned seed_ = 0;
  std::vector<Output> handles_;
  std::vector<Output> reads_;
};

}  // namespace

void BuildMlpInference(SampleNet* net) {
  net->name = "MLP, inference";
  LayerBuilder layers(net);
  Output y = layers.Feed({32, 784});
  y = layers.Relu(layers.Dense(y, 784, 256));
  y = layers.Relu(layers.Dense(y, 256, 128));
  y = layers.Dense(y, 128, 10);
  net->request.fetches = {Call(&net->graph, "Softmax", {y}, {}, "probabilities")};
}

void BuildConvInference(SampleNet* net, const std::string& format) {
  net->name = "3 x (conv, batch norm, Relu), " + format;
  LayerBuilder layers(net);
  const bool nhwc = format == kNhwc;
  Output y = layers.Feed(nhwc ? Shape{4, 32, 32, 8} : Shape{4, 8, 32, 32});
  for (int i = 0; i < 3; ++i) {
    y = layers.Convolve(y, layers.Weight({3, 3, 8, 8}), "SAME", format);
    y = layers.Relu(layers.Normalize(y, nhwc ? Shape{8} : Shape{8, 1, 1}));
  }
  net->request.fetches = {layers.Pool(y, format)};
}

void BuildLeNetTraining(SampleNet* net) {
  net->name = "LeNet, training";
  Graph* graph = &net->graph;
  LayerBuilder layers(net);
  Output y = layers.Feed({32, 28, 28, 1});
  int64_t depth = 1;
  for (const int64_t filters : {6, 16}) {
    y = layers.Convolve(y, layers.Variable({5, 5, depth, filters}),
                        depth == 1 ? "SAME" : "VALID", kNhwc);
    y = layers.Relu(Call(graph, "BiasAdd", {y, layers.Variable({filters})}));
    y = layers.Pool(y, kNhwc);
    depth = filters;
  }
  y = Call(graph, "Reshape", {y, Ints(graph, {-1, 400})});
  y = layers.Relu(layers.Dense(y, 400, 120));
  y = layers.Relu(layers.Dense(y, 120, 84));
  y = layers.Dense(y, 84, 10);

  const Output labels = Ints(graph, std::vector<int32_t>(32, 3), "labels");
  const Output losses =
      Call(graph, "SparseSoftmaxCrossEntropyWithLogits", {y, labels}, {}, "losses");
  const Output loss = Call(graph, "Mean", {losses, Ints(graph, {0})}, {}, "loss");
  layers.Train(loss);
  net->request.fetches = {loss};
}

void BuildElementwiseChain(SampleNet* net) {
  net->name = "element-wise chain";
  Graph* graph = &net->graph;
  LayerBuilder layers(net);
  const Output x = layers.Feed({1'000'000});
  Output y = x;
  const Output two = Floats(graph, {}, {2}, "two");
  for (const char* op : {"Mul", "Tanh", "AddV2", "Sigmoid", "Sub", "Square", "Mul", "Neg",
                         "AddV2", "Relu"}) {
    const bool is_binary = FindOp(op).inputs.size() == 2;
    y = Call(graph, op, is_binary ? std::vector<Output>{y, two} : std::vector<Output>{y});
  }
  net->request.fetches = {Call(graph, "Sum", {y, Ints(graph, {0})}, {}, "sum")};
}

}  // namespace minitf::testing
