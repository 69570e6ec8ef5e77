// The state of fuzz_capi.cc: the bytes of the input, and the handles that exist.
//
// Read next  tests/fuzz/fuzz_capi.cc

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// An op with the number of its inputs, for calls that are likely to be right.
struct SimpleOp {
  const char* name;
  int num_inputs;
};
inline constexpr std::array kSimpleOps = {
    SimpleOp{"Add", 2},         SimpleOp{"Mul", 2},     SimpleOp{"MatMul", 2},
    SimpleOp{"Identity", 1},    SimpleOp{"Relu", 1},    SimpleOp{"Softmax", 1},
    SimpleOp{"Shape", 1},       SimpleOp{"Reshape", 2}, SimpleOp{"Sum", 2},
    SimpleOp{"Neg", 1},         SimpleOp{"Less", 2},    SimpleOp{"FuzzOp0", 1},
    SimpleOp{"Placeholder", 0}, SimpleOp{"Const", 0},
};

inline SimpleOp SimpleOpFrom(Input* in) {
  return kSimpleOps[in->Below(static_cast<int>(kSimpleOps.size()))];
}

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
  /// Most often a handle that exists; at times null, or a handle that was deleted.
  T* Pick(Input* in) const {
    const int kind = in->Below(16);
    const std::vector<T*>& from = kind == 1 ? all_ : alive_;
    const int index = in->Below(static_cast<int>(from.size()));
    return kind == 0 || from.empty() ? nullptr : from[index];
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
  /// A graph, a context and some tensors exist from the start.
  explicit State(Input input) : in(input) {
    graphs.Add(TF_NewGraph());
    TFE_ContextOptions* defaults = TFE_NewContextOptions();
    contexts.Add(TFE_NewContext(defaults, status));
    TFE_DeleteContextOptions(defaults);
    AddTensor(TF_FLOAT, {2}, {0x3fc00000, 0xc0200000});
    AddTensor(TF_FLOAT, {2, 2}, {0x3f800000, 0, 0x40400000, 0xbf800000});
    AddTensor(TF_INT32, {}, {0});
    AddTensor(TF_INT32, {2}, {2, 1});
  }
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

  /// Adds a tensor and a handle of it; all elements have 32 bits.
  void AddTensor(TF_DataType type, const std::vector<int64_t>& dims,
                 const std::vector<uint32_t>& elements) {
    TF_Tensor* tensor = TF_AllocateTensor(
        type, dims.data(), static_cast<int>(dims.size()), 4 * elements.size());
    std::memcpy(TF_TensorData(tensor), elements.data(), 4 * elements.size());
    tensors.Add(tensor);
    handles.Add(TFE_NewTensorHandle(tensor, status));
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
