// A C++ program on the C API, with a class for each kind of object.
//
//   g++ -std=c++20 -I MINITF wrappers.cc -o wrappers -L BUILD -lminitf_c
//   ./wrappers
//   w = 2.000, b = 1.000
//
// MINITF is the folder of minitf's source, BUILD that of libminitf_c.so. The program fits a
// line y = w x + b by gradient descent. The classes delete what they own and turn a status
// into an exception, so the program has neither.

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "minitf/c/c_api.h"

namespace {

// ---- The wrappers -----------------------------------------------------------------------

/// A status that throws its error.
class Status {
 public:
  Status() : status_(TF_NewStatus()) {}
  ~Status() { TF_DeleteStatus(status_); }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  operator TF_Status*() const { return status_; }  // NOLINT: the last argument of calls
  void ThrowIfError() const {
    if (TF_GetCode(status_) != TF_OK) throw std::runtime_error(TF_Message(status_));
  }

 private:
  TF_Status* const status_;
};

/// A float tensor.
class Tensor {
 public:
  Tensor(const std::vector<int64_t>& dims, const std::vector<float>& elements)
      : Tensor(TF_AllocateTensor(TF_FLOAT, dims.data(), static_cast<int>(dims.size()),
                                 elements.size() * sizeof(float))) {
    std::memcpy(TF_TensorData(get()), elements.data(), elements.size() * sizeof(float));
  }
  explicit Tensor(TF_Tensor* tensor) : tensor_(tensor, &TF_DeleteTensor) {
    if (tensor == nullptr) throw std::runtime_error("there is no tensor");
  }

  TF_Tensor* get() const { return tensor_.get(); }
  float scalar() const { return *static_cast<const float*>(TF_TensorData(get())); }

 private:
  std::unique_ptr<TF_Tensor, void (*)(TF_Tensor*)> tensor_;
};

class Graph {
 public:
  Graph() : graph_(TF_NewGraph(), &TF_DeleteGraph) {}

  TF_Graph* get() const { return graph_.get(); }

  TF_Output Placeholder(const std::string& name) {
    TF_OperationDescription* node = New("Placeholder", name);
    TF_SetAttrType(node, "dtype", TF_FLOAT);
    return Finish(node);
  }

  TF_Output Constant(const std::string& name, const Tensor& value) {
    const Status status;
    TF_OperationDescription* node = New("Const", name);
    TF_SetAttrTensor(node, "value", value.get(), status);
    TF_SetAttrType(node, "dtype", TF_FLOAT);
    return Finish(node);
  }

  /// A node of `op` with these inputs.
  TF_Output Call(const std::string& op, const std::vector<TF_Output>& inputs) {
    TF_OperationDescription* node = New(op, op + std::to_string(num_calls_++));
    for (const TF_Output input : inputs) TF_AddInput(node, input);
    return Finish(node);
  }

  /// The gradients of y for each of xs.
  std::vector<TF_Output> Gradients(TF_Output y, std::vector<TF_Output> xs) {
    const Status status;
    std::vector<TF_Output> gradients(xs.size());
    TF_AddGradients(get(), &y, 1, xs.data(), static_cast<int>(xs.size()), nullptr, status,
                    gradients.data());
    status.ThrowIfError();
    return gradients;
  }

 private:
  TF_OperationDescription* New(const std::string& op, const std::string& name) {
    return TF_NewOperation(get(), op.c_str(), name.c_str());
  }

  static TF_Output Finish(TF_OperationDescription* node) {
    const Status status;
    TF_Operation* const operation = TF_FinishOperation(node, status);
    status.ThrowIfError();
    return {operation, 0};
  }

  std::unique_ptr<TF_Graph, void (*)(TF_Graph*)> graph_;
  int num_calls_ = 0;
};

class Session {
 public:
  using Feeds = std::vector<std::pair<TF_Output, const Tensor*>>;

  explicit Session(const Graph& graph) {
    const Status status;
    TF_SessionOptions* const options = TF_NewSessionOptions();
    session_ = TF_NewSession(graph.get(), options, status);
    TF_DeleteSessionOptions(options);
    status.ThrowIfError();
  }
  ~Session() { TF_DeleteSession(session_, Status()); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::vector<Tensor> Run(const Feeds& feeds, const std::vector<TF_Output>& fetches) {
    std::vector<TF_Output> inputs;
    std::vector<TF_Tensor*> values;
    for (const auto& [input, value] : feeds) {
      inputs.push_back(input);
      values.push_back(value->get());
    }
    std::vector<TF_Tensor*> results(fetches.size());
    const Status status;
    TF_SessionRun(session_, nullptr, inputs.data(), values.data(),
                  static_cast<int>(inputs.size()), fetches.data(), results.data(),
                  static_cast<int>(fetches.size()), nullptr, 0, nullptr, status);
    status.ThrowIfError();
    std::vector<Tensor> tensors;
    for (TF_Tensor* result : results) tensors.emplace_back(result);
    return tensors;
  }

 private:
  TF_Session* session_ = nullptr;
};

// ---- The program ------------------------------------------------------------------------

void FitLine() {
  Graph graph;
  const TF_Output w = graph.Placeholder("w");
  const TF_Output b = graph.Placeholder("b");
  const TF_Output x = graph.Constant("x", Tensor({4}, {0, 1, 2, 3}));
  const TF_Output y = graph.Constant("y", Tensor({4}, {1, 3, 5, 7}));
  const TF_Output line = graph.Call("Add", {graph.Call("Mul", {w, x}), b});
  const TF_Output loss = graph.Call("SquaredDifference", {line, y});
  const std::vector<TF_Output> gradients = graph.Gradients(loss, {w, b});

  constexpr float kRate = 0.02F;
  constexpr int kSteps = 500;
  std::array<float, 2> values = {0, 0};
  Session session(graph);
  for (int step = 0; step < kSteps; ++step) {
    const Tensor w_value({}, {values[0]});
    const Tensor b_value({}, {values[1]});
    const auto results = session.Run({{w, &w_value}, {b, &b_value}}, gradients);
    for (size_t i = 0; i < 2; ++i) values[i] -= kRate * results[i].scalar();
  }
  std::printf("w = %.3f, b = %.3f\n", values[0], values[1]);
}

}  // namespace

int main() {
  try {
    FitLine();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wrappers: %s\n", error.what());
    return 1;
  }
  return 0;
}
