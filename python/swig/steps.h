// One step of a session, put together call by call: what a wrapper of TF_SessionRun's
// arrays of pointers would need many typemaps for.
//
// Compare    tensorflow/c/python_api.h, tensorflow/python/client/tf_session_helper.h
// Read next  docs/c_api.md

#pragma once

#include <utility>
#include <vector>

#include "minitf/c/c_api.h"

namespace minitf::swig {

/// Adds output `index` of `oper` as the next input of `desc`.
inline void AddInput(TF_OperationDescription* desc, TF_Operation* oper, int index) {
  TF_AddInput(desc, {oper, index});
}

/// Outputs that are one input of an operation together.
class InputList {
 public:
  /// Appends output `index` of `oper`.
  void append(TF_Operation* oper, int index) { outputs_.push_back({oper, index}); }

  /// Adds the list as the next input of `desc`.
  void add_to(TF_OperationDescription* desc) const {
    TF_AddInputList(desc, outputs_.data(), static_cast<int>(outputs_.size()));
  }

 private:
  std::vector<TF_Output> outputs_;
};

/// Sets the attribute `attr_name` to a tensor, and deletes the tensor.
inline void SetAttrTensor(TF_OperationDescription* desc, const char* attr_name,
                          TF_Tensor* owned, TF_Status* status) {
  TF_SetAttrTensor(desc, attr_name, owned, status);
  TF_DeleteTensor(owned);
}

/// Returns a session that runs `graph` with default options.
inline TF_Session* NewSession(TF_Graph* graph, TF_Status* status) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  return session;
}

/// The feeds and fetches of a step. One thread uses a step.
class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() {
    Forget(&fed_);
    Forget(&fetched_);
  }

  /// Feeds output `index` of `oper`. The step owns `owned` from now on.
  void feed(TF_Operation* oper, int index, TF_Tensor* owned) {
    fed_outputs_.push_back({oper, index});
    fed_.push_back(owned);
  }

  /// Fetches output `index` of `oper`. Returns the number with which value() finds it.
  int fetch(TF_Operation* oper, int index) {
    fetched_outputs_.push_back({oper, index});
    return static_cast<int>(fetched_outputs_.size()) - 1;
  }

  /// Runs `oper` and fetches nothing of it.
  void target(TF_Operation* oper) { targets_.push_back(oper); }

  /// Runs the step in `session`. May be called again. Errors: those of TF_SessionRun.
  void run(TF_Session* session, TF_Status* status) {
    Forget(&fetched_);
    fetched_.assign(fetched_outputs_.size(), nullptr);
    TF_SessionRun(session, nullptr, fed_outputs_.data(), fed_.data(),
                  static_cast<int>(fed_.size()), fetched_outputs_.data(), fetched_.data(),
                  static_cast<int>(fetched_.size()), targets_.data(),
                  static_cast<int>(targets_.size()), nullptr, status);
  }

  /// Gives away fetched value `number` of the last run: null for an unknown number, and
  /// the second time.
  TF_Tensor* value(int number) {
    if (number < 0 || number >= static_cast<int>(fetched_.size())) return nullptr;
    return std::exchange(fetched_[number], nullptr);
  }

 private:
  static void Forget(std::vector<TF_Tensor*>* tensors) {
    for (TF_Tensor* tensor : *tensors) TF_DeleteTensor(tensor);
    tensors->clear();
  }

  std::vector<TF_Output> fed_outputs_;
  std::vector<TF_Tensor*> fed_;
  std::vector<TF_Output> fetched_outputs_;
  std::vector<TF_Tensor*> fetched_;
  std::vector<const TF_Operation*> targets_;
};

}  // namespace minitf::swig
