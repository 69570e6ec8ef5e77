// What fuzz_capi.cc works on: the bytes of the input, and the handles that exist.
//
// Read next  tests/fuzz/fuzz_capi.cc

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "minitf/c/c_api.h"
#include "minitf/c/eager/c_api.h"

namespace minitf::testing {

inline constexpr size_t kMaxObjects = 16;
inline constexpr size_t kMaxOutputs = 64;

// ---- The input ------------------------------------------------------------------------

class Input {
 public:
  Input(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}

  bool is_empty() const { return next_ == end_; }
  uint8_t Byte() { return is_empty() ? 0 : *next_++; }
  /// A number below `count`.
  int Below(int count) { return count == 0 ? 0 : Byte() % count; }
  /// A small number that is negative at times, or one that no list has.
  int Index() {
    const int byte = Byte();
    return byte == 255 ? 1 << 30 : byte % 8 - 1;
  }
  /// Some bytes, of which a call with a length reads all.
  std::string Bytes() {
    std::string bytes(Below(24), '\0');
    for (char& byte : bytes) byte = static_cast<char>(Byte());
    return bytes;
  }

 private:
  const uint8_t* next_;
  const uint8_t* const end_;
};

inline constexpr std::array kNames = {
    "x",    "y",         "loop",        "T",      "dtype", "value",  "shape",
    "axis", "N",         "_hint",       "",       "a/b",   "output", "transpose_a",
    "DstT", "num_split", "shared_name", "_class", "SrcT",  "perm",   "values",
};
inline constexpr std::array kOps = {
    "Add",
    "Mul",
    "MatMul",
    "Const",
    "ConcatV2",
    "Split",
    "Reshape",
    "Identity",
    "Shape",
    "Cast",
    "Transpose",
    "Sum",
    "Relu",
    "Softmax",
    "Pack",
    "Unpack",
    "Placeholder",
    "NoOp",
    "AddN",
    "Switch",
    "Merge",
    "Slice",
    "VarHandleOp",
    "AssignVariableOp",
    "ReadVariableOp",
    "Nonsense",
    "StridedSlice",
    "FuzzOp0",
    "FuzzOp1",
};
inline constexpr std::array kDevices = {"",         "/cpu:0", "/gpu:0", "/job:nowhere",
                                        "nonsense", "/"};

inline const char* NameFrom(Input* in) {
  const int index = in->Below(static_cast<int>(kNames.size()) + 1);
  return index == static_cast<int>(kNames.size()) ? nullptr : kNames[index];
}

inline const char* OpFrom(Input* in) {
  const int index = in->Below(static_cast<int>(kOps.size()) + 1);
  return index == static_cast<int>(kOps.size()) ? nullptr : kOps[index];
}

inline TF_DataType TypeFrom(Input* in) { return static_cast<TF_DataType>(in->Below(26)); }

inline std::vector<int64_t> DimsFrom(Input* in) {
  std::vector<int64_t> dims(in->Below(5));
  for (int64_t& dim : dims) dim = in->Below(6) - 1;
  return dims;
}

// ---- The objects ----------------------------------------------------------------------

// Handles of one kind. Deleted ones stay for a while.
template <typename T>
class Pool {
 public:
  /// Null, a handle that exists, or one that was deleted.
  T* Pick(Input* in) const {
    const int index = in->Below(static_cast<int>(all_.size()) + 1);
    return index == static_cast<int>(all_.size()) ? nullptr : all_[index];
  }
  void Add(T* object) {
    if (object == nullptr) return;
    alive_.push_back(object);
    all_.push_back(object);
  }
  /// Whether there is no room for another object.
  bool is_full() const { return all_.size() >= kMaxObjects; }
  void Delete(T* object, void (*destroy)(T*), bool forgets = false) {
    std::erase(alive_, object);
    if (forgets) std::erase(all_, object);
    destroy(object);
  }
  void DeleteAll(void (*destroy)(T*)) {
    for (T* object : alive_) destroy(object);
    alive_.clear();
    all_.clear();
  }

 private:
  std::vector<T*> alive_;
  std::vector<T*> all_;
};

inline void DeleteSession(TF_Session* session) { TF_DeleteSession(session, nullptr); }

struct State {
  explicit State(Input input) : in(input) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    sessions.DeleteAll(&DeleteSession);
    options.DeleteAll(&TF_DeleteSessionOptions);
    graphs.DeleteAll(&TF_DeleteGraph);
    ops.DeleteAll(&TFE_DeleteOp);
    handles.DeleteAll(&TFE_DeleteTensorHandle);
    contexts.DeleteAll(&TFE_DeleteContext);
    tensors.DeleteAll(&TF_DeleteTensor);
    buffers.DeleteAll(&TF_DeleteBuffer);
    TF_DeleteStatus(status);
  }

  TF_Output PickOutput() {
    if (outputs.empty()) return {nullptr, in.Index()};
    TF_Output output = outputs[in.Below(static_cast<int>(outputs.size()))].output;
    if (in.Below(16) == 0) output.index = in.Index();
    return output;
  }
  void AddOutputs(TF_Graph* graph, TF_Operation* oper) {
    if (oper == nullptr || outputs.size() >= kMaxOutputs) return;
    const int count = std::clamp(TF_OperationNumOutputs(oper), 1, 3);
    for (int i = 0; i < count; ++i) outputs.push_back({graph, {oper, i}});
  }

  struct GraphOutput {
    TF_Graph* graph;
    TF_Output output;
  };

  Input in;
  TF_Status* const status = TF_NewStatus();
  Pool<TF_Tensor> tensors;
  Pool<TF_Buffer> buffers;
  Pool<TF_Graph> graphs;
  Pool<TF_OperationDescription> nodes;  // which their graph deletes
  std::vector<GraphOutput> outputs;
  Pool<TF_SessionOptions> options;
  Pool<TF_Session> sessions;
  Pool<TFE_Context> contexts;
  Pool<TFE_TensorHandle> handles;
  Pool<TFE_Op> ops;
};

}  // namespace minitf::testing
