// The C API: calls in any order, with handles that are valid, null or deleted.
//
// Each byte of the input selects a call or an argument. Whatever the order, a call
// returns a status. The input never uses a deleted TF_Tensor, TF_Buffer, TF_Status or
// operation: a program in C that does so is wrong, and minitf does not notice.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"
#include "tests/fuzz/capi_state.h"

namespace minitf::testing {
namespace {

// ---- Tensors and buffers --------------------------------------------------------------

void NewTensor(State* s) {
  if (s->tensors.is_full()) return;
  const TF_DataType type = TypeFrom(&s->in);
  const std::vector<int64_t> dims = DimsFrom(&s->in);
  size_t size = TF_DataTypeSize(type);
  for (const int64_t dim : dims) size *= dim < 0 ? 1 : dim;
  if (s->in.Below(8) == 0) size = s->in.Byte();
  if (type == TF_STRING) size = s->in.Below(64);
  TF_Tensor* tensor =
      TF_AllocateTensor(type, dims.data(), static_cast<int>(dims.size()), size);
  for (size_t i = 0; tensor != nullptr && i < TF_TensorByteSize(tensor); ++i) {
    static_cast<char*>(TF_TensorData(tensor))[i] = static_cast<char>(s->in.Byte());
  }
  s->tensors.Add(tensor);
}

void ReadTensor(State* s) {
  const TF_Tensor* tensor = s->tensors.Pick(&s->in);
  TF_Dim(tensor, s->in.Index());
  TF_TensorElementCount(tensor);
  TF_TensorIsAligned(tensor);
}

void DeleteTensor(State* s) {
  if (s->in.Below(2) != 0) return;
  s->tensors.Delete(s->tensors.Pick(&s->in), &TF_DeleteTensor, true);
}

void BitcastTensor(State* s) {
  const TF_Tensor* from = s->tensors.Pick(&s->in);
  TF_Tensor* to = s->tensors.Pick(&s->in);
  const std::vector<int64_t> dims = DimsFrom(&s->in);
  TF_TensorBitcastFrom(from, TypeFrom(&s->in), to, dims.data(),
                       static_cast<int>(dims.size()), s->status);
}

void NewBuffer(State* s) {
  if (s->buffers.is_full()) return;
  const std::string bytes = s->in.Bytes();
  s->buffers.Add(TF_NewBufferFromString(bytes.data(), bytes.size()));
}

void ReadTensorProto(State* s) {
  const TF_Buffer* buffer = s->buffers.Pick(&s->in);
  TF_TensorFromProto(buffer, s->tensors.Pick(&s->in), s->status);
}

// ---- Graphs ---------------------------------------------------------------------------

void NewGraph(State* s) {
  if (!s->graphs.is_full()) s->graphs.Add(TF_NewGraph());
}

void DeleteGraph(State* s) {
  if (s->in.Below(4) != 0) return;  // or nearly all calls would find none
  TF_Graph* graph = s->graphs.Pick(&s->in);
  std::erase_if(s->outputs,
                [graph](const auto& output) { return output.graph == graph; });
  s->graphs.Delete(graph, &TF_DeleteGraph);
}

void NewNode(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  const char* op = OpFrom(&s->in);
  if (!s->nodes.is_full()) s->nodes.Add(TF_NewOperation(graph, op, NameFrom(&s->in)));
}

void AddInput(State* s) {
  TF_OperationDescription* node = s->nodes.Pick(&s->in);
  const TF_Output outputs[] = {s->PickOutput(), s->PickOutput()};
  switch (s->in.Below(4)) {
    case 0: return TF_AddInputList(node, outputs, s->in.Below(4) - 1);
    case 1: return TF_AddControlInput(node, outputs[0].oper);
    case 2: return TF_ColocateWith(node, outputs[0].oper);
    default: return TF_AddInput(node, outputs[0]);
  }
}

void SetNodeAttr(State* s) {
  TF_OperationDescription* node = s->nodes.Pick(&s->in);
  const char* name = NameFrom(&s->in);
  const std::vector<int64_t> dims = DimsFrom(&s->in);
  const auto rank = static_cast<int>(dims.size());
  switch (s->in.Below(8)) {
    case 0: return TF_SetAttrInt(node, name, s->in.Index());
    case 1: return TF_SetAttrType(node, name, TypeFrom(&s->in));
    case 2: return TF_SetAttrShape(node, name, dims.data(), s->in.Below(2) ? rank : -1);
    case 3: return TF_SetAttrTensor(node, name, s->tensors.Pick(&s->in), s->status);
    case 4: return TF_SetAttrIntList(node, name, dims.data(), rank);
    case 5: return TF_SetAttrBool(node, name, s->in.Byte());
    case 6: return TF_SetDevice(node, kDevices[s->in.Below(kDevices.size())]);
    default: break;
  }
  const std::string bytes = s->in.Bytes();
  if (s->in.Below(2) == 0) {
    TF_SetAttrString(node, name, bytes.data(), bytes.size());
  } else {
    TF_SetAttrValueProto(node, name, bytes.data(), bytes.size(), s->status);
  }
}

// A node belongs to the graph in which the graph finds it.
void FinishNode(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  TF_OperationDescription* node = s->nodes.Pick(&s->in);
  TF_Operation* oper = TF_FinishOperation(node, s->status);
  if (oper == nullptr) return;
  size_t position = 0;
  while (TF_Operation* each = TF_GraphNextOperation(graph, &position)) {
    if (each == oper) return s->AddOutputs(graph, oper);
  }
}

// A node that is likely to be right.
void AddNode(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  const std::string name = "n" + std::to_string(s->outputs.size());
  const SimpleOp op = SimpleOpFrom(&s->in);
  TF_OperationDescription* node = TF_NewOperation(graph, op.name, name.c_str());
  for (int i = 0; i < op.num_inputs; ++i) TF_AddInput(node, s->PickOutput());
  if (op.num_inputs == 0) {
    TF_Tensor* value = s->tensors.Pick(&s->in);
    TF_SetAttrType(node, "dtype", TF_TensorType(value));
    if (std::string_view(op.name) == "Const") {
      TF_SetAttrTensor(node, "value", value, s->status);
    }
  }
  s->AddOutputs(graph, TF_FinishOperation(node, s->status));
}

void ReadNode(State* s) {
  const TF_Output output = s->PickOutput();
  TF_OperationName(output.oper);
  TF_OperationOutputType(output);
  TF_OperationInputType({output.oper, s->in.Index()});
  TF_OperationInput({output.oper, s->in.Index()});
  TF_OperationOutputNumConsumers(output);
  TF_OperationInputListLength(output.oper, NameFrom(&s->in), s->status);
  TF_OperationGetAttrMetadata(output.oper, NameFrom(&s->in), s->status);
  int64_t value = 0;
  TF_OperationGetAttrInt(output.oper, NameFrom(&s->in), &value, s->status);
  TF_Tensor* tensor = nullptr;
  TF_OperationGetAttrTensor(output.oper, NameFrom(&s->in), &tensor, s->status);
  TF_DeleteTensor(tensor);
  TF_OperationToNodeDef(output.oper, s->buffers.Pick(&s->in), s->status);
}

void ReadShape(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  const TF_Output output = s->PickOutput();
  std::array<int64_t, 8> dims{};
  const int rank = TF_GraphGetTensorNumDims(graph, output, s->status);
  const int room = s->in.Below(2) == 0 ? std::min(rank, 8) : s->in.Below(9);
  TF_GraphGetTensorShape(graph, output, dims.data(), room, s->status);
  const std::vector<int64_t> wanted = DimsFrom(&s->in);
  TF_GraphSetTensorShape(graph, output, wanted.data(), static_cast<int>(wanted.size()),
                         s->status);
}

void AddGradients(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  if (s->outputs.size() >= kMaxOutputs) return;
  TF_Output ys[] = {s->PickOutput(), s->PickOutput()};
  TF_Output xs[] = {s->PickOutput(), s->PickOutput()};
  TF_Output results[2] = {};
  const int num_ys = s->in.Below(4) - 1;
  const int num_xs = s->in.Below(4) - 1;
  TF_Output* starts = s->in.Below(4) == 0 ? xs : nullptr;
  TF_AddGradientsWithPrefix(graph, NameFrom(&s->in), ys, num_ys, xs, num_xs, starts,
                            s->status, results);
  if (TF_GetCode(s->status) == TF_OK && num_xs > 0) s->AddOutputs(graph, results[0].oper);
}

void BuildLoop(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  TF_Output inputs[] = {s->PickOutput(), s->PickOutput()};
  const int count = s->in.Below(4) - 1;
  TF_WhileParams loop = TF_NewWhile(graph, inputs, count, s->status);
  if (TF_GetCode(s->status) != TF_OK) return;
  loop.name = NameFrom(&s->in);
  if (s->in.Below(2) == 0) loop.cond_output = loop.cond_inputs[0];
  for (int i = 0; i < loop.ninputs; ++i) {
    if (s->in.Below(4) != 0) loop.body_outputs[i] = loop.body_inputs[s->in.Below(count)];
  }
  TF_Output outputs[2] = {};
  if (s->in.Below(3) == 0) {
    TF_AbortWhile(&loop);
  } else {
    TF_FinishWhile(&loop, s->status, outputs);
  }
}

void ExchangeGraphDefs(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  TF_Buffer* buffer = s->buffers.Pick(&s->in);
  if (s->in.Below(2) == 0) return TF_GraphToGraphDef(graph, buffer, s->status);
  if (s->outputs.size() >= kMaxOutputs) return;
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  const char* prefix = NameFrom(&s->in);
  if (prefix != nullptr) TF_ImportGraphDefOptionsSetPrefix(options, prefix);
  TF_ImportGraphDefOptionsSetUniquifyNames(options, s->in.Below(2));
  TF_ImportGraphDefOptionsAddReturnOutput(options, NameFrom(&s->in), s->in.Index());
  TF_GraphImportGraphDef(graph, buffer, options, s->status);
  TF_DeleteImportGraphDefOptions(options);
}

void EvaluateConstant(State* s) {
  TF_Graph* graph = s->graphs.Pick(&s->in);
  TF_Tensor* result = nullptr;
  TF_TryEvaluateConstant(graph, s->PickOutput(), &result, s->status);
  TF_DeleteTensor(result);
}

// ---- Sessions -------------------------------------------------------------------------

void NewSession(State* s) {
  if (s->options.is_full() || s->sessions.is_full()) return;
  TF_SessionOptions* options = TF_NewSessionOptions();
  s->options.Add(options);
  const std::string config = s->in.Bytes();
  // A config may ask for many threads: most sessions have none.
  if (s->in.Below(8) == 0) TF_SetConfig(options, "\x10\x02", 2, s->status);
  TF_Graph* graph = s->graphs.Pick(&s->in);
  s->sessions.Add(TF_NewSession(graph, s->options.Pick(&s->in), s->status));
}

void RunSession(State* s) {
  TF_Session* session = s->sessions.Pick(&s->in);
  const TF_Output inputs[] = {s->PickOutput(), s->PickOutput()};
  TF_Tensor* values[] = {s->tensors.Pick(&s->in), s->tensors.Pick(&s->in)};
  const TF_Output fetches[] = {s->PickOutput(), s->PickOutput()};
  const TF_Operation* targets[] = {s->PickOutput().oper};
  TF_Tensor* results[2] = {};
  const int num_inputs = s->in.Below(4) - 1;
  const int num_fetches = s->in.Below(4) - 1;
  // At most 50 ms: a loop may have no end.
  TF_Buffer* options = TF_NewBufferFromString("\x10\x32", 2);
  TF_SessionRun(session, options, inputs, values, num_inputs, fetches, results,
                num_fetches, targets, s->in.Below(3) - 1, nullptr, s->status);
  TF_DeleteBuffer(options);
  for (TF_Tensor* result : results) TF_DeleteTensor(result);
}

void EndSession(State* s) {
  TF_Session* session = s->sessions.Pick(&s->in);
  if (s->in.Below(2) == 0) return TF_CloseSession(session, s->status);
  s->sessions.Delete(session, &DeleteSession);
}

// ---- Eager execution ------------------------------------------------------------------

void NewContext(State* s) {
  if (s->contexts.is_full()) return;
  TFE_ContextOptions* options = TFE_NewContextOptions();
  if (s->in.Below(8) == 0) TFE_ContextOptionsSetAsync(options, s->in.Byte());
  const std::string config = s->in.Bytes();
  if (s->in.Below(2) == 0) {
    TFE_ContextOptionsSetConfig(options, config.data(), config.size(), s->status);
  }
  s->contexts.Add(TFE_NewContext(options, s->status));
  TFE_DeleteContextOptions(options);
}

void DeleteContext(State* s) {
  if (s->in.Below(4) != 0) return;
  s->contexts.Delete(s->contexts.Pick(&s->in), &TFE_DeleteContext);
}

void NewHandle(State* s) {
  if (s->handles.is_full()) return;
  TF_Tensor* tensor = s->tensors.Pick(&s->in);
  s->handles.Add(TFE_NewTensorHandle(tensor, s->status));
}

void DeleteHandle(State* s) {
  s->handles.Delete(s->handles.Pick(&s->in), &TFE_DeleteTensorHandle);
}

void ReadHandle(State* s) {
  TFE_TensorHandle* handle = s->handles.Pick(&s->in);
  TFE_TensorHandleDim(handle, s->in.Index(), s->status);
  TFE_TensorHandleDataType(handle);
  TF_DeleteTensor(TFE_TensorHandleResolve(handle, s->status));
  const char* device = kDevices[s->in.Below(kDevices.size())];
  TFE_Context* context = s->contexts.Pick(&s->in);
  TFE_DeleteTensorHandle(
      TFE_TensorHandleCopyToDevice(handle, context, device, s->status));
}

void NewCall(State* s) {
  if (s->ops.is_full()) return;
  TFE_Context* context = s->contexts.Pick(&s->in);
  s->ops.Add(TFE_NewOp(context, OpFrom(&s->in), s->status));
}

void AddEagerInput(State* s) {
  TFE_Op* op = s->ops.Pick(&s->in);
  TFE_TensorHandle* inputs[] = {s->handles.Pick(&s->in), s->handles.Pick(&s->in)};
  if (s->in.Below(3) == 0) {
    TFE_OpAddInputList(op, inputs, s->in.Below(4) - 1, s->status);
  } else {
    TFE_OpAddInput(op, inputs[0], s->status);
  }
}

void SetEagerAttr(State* s) {
  TFE_Op* op = s->ops.Pick(&s->in);
  const char* name = NameFrom(&s->in);
  const std::vector<int64_t> dims = DimsFrom(&s->in);
  const auto rank = static_cast<int>(dims.size());
  const std::string bytes = s->in.Bytes();
  switch (s->in.Below(7)) {
    case 0: return TFE_OpSetAttrInt(op, name, s->in.Index());
    case 1: return TFE_OpSetAttrType(op, name, TypeFrom(&s->in));
    case 2: return TFE_OpSetAttrShape(op, name, dims.data(), rank, s->status);
    case 3: return TFE_OpSetAttrTensor(op, name, s->tensors.Pick(&s->in), s->status);
    case 4: return TFE_OpSetAttrIntList(op, name, dims.data(), rank);
    case 5: return TFE_OpSetAttrBool(op, name, s->in.Byte());
    default: return TFE_OpSetAttrString(op, name, bytes.data(), bytes.size());
  }
}

void Execute(State* s) {
  TFE_Op* op = s->ops.Pick(&s->in);
  TFE_TensorHandle* results[4] = {};
  int count = s->in.Below(6) - 1;
  count = std::min(count, 4);
  TFE_Execute(op, results, &count, s->status);
  for (TFE_TensorHandle* result : results) {
    if (s->handles.is_full()) {
      TFE_DeleteTensorHandle(result);
    } else {
      s->handles.Add(result);
    }
  }
}

// A call that is likely to be right.
void RunSimpleOp(State* s) {
  const SimpleOp simple = SimpleOpFrom(&s->in);
  TFE_Op* op = TFE_NewOp(s->contexts.Pick(&s->in), simple.name, s->status);
  for (int i = 0; i < simple.num_inputs; ++i) {
    TFE_OpAddInput(op, s->handles.Pick(&s->in), s->status);
  }
  TFE_TensorHandle* result = nullptr;
  int count = 1;
  TFE_Execute(op, &result, &count, s->status);
  TFE_DeleteOp(op);
  if (s->handles.is_full()) {
    TFE_DeleteTensorHandle(result);
  } else {
    s->handles.Add(result);
  }
}

void EndCall(State* s) {
  TFE_Op* op = s->ops.Pick(&s->in);
  unsigned char is_list = 0;
  TFE_OpGetAttrType(op, NameFrom(&s->in), &is_list, s->status);
  TFE_OpGetInputLength(op, NameFrom(&s->in), s->status);
  TFE_OpGetOutputLength(op, NameFrom(&s->in), s->status);
  TFE_OpSetDevice(op, kDevices[s->in.Below(kDevices.size())], s->status);
  s->ops.Delete(op, &TFE_DeleteOp);
}

// ---- Ops and kernels ------------------------------------------------------------------

void PassOn(void* /*kernel*/, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = nullptr;
  TF_GetInput(ctx, 0, &x, status);
  TF_SetOutput(ctx, 0, x, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

void InferPart(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextSubshape(ctx, shape, 0, -1, shape, status);
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// There are two names, so the registry does not grow.
void RegisterOp(State* s) {
  const char* name = s->in.Below(2) == 0 ? "FuzzOp0" : "FuzzOp1";
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  if (s->in.Below(2) == 0) TF_OpDefinitionBuilderAddAttr(op, s->in.Bytes().c_str());
  TF_OpDefinitionBuilderAddAttr(op, "T: numbertype");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op,
                                  s->in.Below(4) == 0 ? s->in.Bytes().c_str() : "y: T");
  if (s->in.Below(2) == 0)
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, &InferPart);
  TF_RegisterOpDefinition(op, s->status);
  TF_KernelBuilder* kernel = TF_NewKernelBuilder(name, "CPU", nullptr, &PassOn, nullptr);
  if (s->in.Below(8) == 0) TF_KernelBuilder_HostMemory(kernel, NameFrom(&s->in));
  TF_RegisterKernelBuilder(name, kernel, s->status);
}

constexpr std::array kCalls = {
    &NewTensor,       &ReadTensor,   &DeleteTensor, &BitcastTensor,     &NewBuffer,
    &ReadTensorProto, &NewGraph,     &DeleteGraph,  &NewNode,           &AddInput,
    &SetNodeAttr,     &FinishNode,   &AddNode,      &AddNode,           &ReadNode,
    &ReadShape,       &AddGradients, &BuildLoop,    &ExchangeGraphDefs, &EvaluateConstant,
    &NewSession,      &RunSession,   &EndSession,   &NewContext,        &DeleteContext,
    &NewHandle,       &DeleteHandle, &ReadHandle,   &NewCall,           &AddEagerInput,
    &SetEagerAttr,    &Execute,      &EndCall,      &RegisterOp,        &RunSimpleOp,
    &RunSimpleOp,     &AddNode,      &RunSession};

}  // namespace
}  // namespace minitf::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using minitf::testing::kCalls;
  minitf::testing::State state(minitf::testing::Input(data, size));
  while (!state.in.is_empty()) {
    kCalls[state.in.Below(static_cast<int>(kCalls.size()))](&state);
  }
  return 0;
}
