// Kernels in C for a GPU, which is emulated where the machine has none.

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"
#include "tests/c/eager_helpers.h"

static int num_computed = 0;

// y is x, in the memory of the device. The elements of `size` are on the host.
static void PassOn(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* size = NULL;
  TF_GetInput(ctx, 0, &x, status);
  CHECK_OK(status);
  TF_GetInput(ctx, 1, &size, status);
  CHECK_OK(status);
  CHECK_EQ(*(const int32_t*)TF_TensorData(size), TF_TensorElementCount(x));

  TF_AllocatorAttributes on_host = {sizeof(on_host), 1};
  const int64_t two = 2;
  TF_Tensor* temp = TF_AllocateTemp(ctx, TF_FLOAT, &two, 1, &on_host, status);
  CHECK_OK(status);
  memset(TF_TensorData(temp), 0, TF_TensorByteSize(temp));
  TF_DeleteTensor(temp);
  temp = TF_AllocateTemp(ctx, TF_FLOAT, &two, 1, NULL, status);
  CHECK_OK(status);
  TF_DeleteTensor(temp);

  const TF_StringView name = TF_GetOpKernelName(ctx);
  CHECK(name.len == 1 && name.data[0] == 'y');
  TF_SetOutput(ctx, 0, x, status);
  CHECK_OK(status);
  TF_DeleteTensor(size);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
  ++num_computed;
}

static void Register(void) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CPassOnGpu");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddInput(op, "size: int32");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  // Where nothing emulates a GPU, a GPU in name runs the kernels of the CPU.
  static const char* const devices[] = {"GPU", "CPU"};
  for (int i = 0; i < 2; ++i) {
    TF_KernelBuilder* kernel =
        TF_NewKernelBuilder("CPassOnGpu", devices[i], NULL, &PassOn, NULL);
    TF_KernelBuilder_HostMemory(kernel, "size");
    TF_RegisterKernelBuilder("PassOnGpu", kernel, status);
    CHECK_OK(status);
  }
  TF_DeleteStatus(status);
}

static TF_Output AddPlaceholder(TF_Graph* graph, const char* name, TF_DataType dtype) {
  TF_Status* status = TF_NewStatus();
  TF_OperationDescription* node = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(node, "dtype", dtype);
  const TF_Output output = {TF_FinishOperation(node, status), 0};
  CHECK_OK(status);
  TF_DeleteStatus(status);
  return output;
}

static void RunOnGpu(TF_Graph* graph, const TF_Output* inputs, TF_Output y) {
  TF_Status* status = TF_NewStatus();
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  CHECK_OK(status);
  const float elements[] = {1.5f, -2};
  const int32_t count = 2;
  const int64_t two = 2;
  TF_Tensor* feeds[] = {TensorOf(TF_FLOAT, 1, &two, elements),
                        TensorOf(TF_INT32, 0, NULL, &count)};
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, inputs, feeds, 2, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK_EQ(num_computed, 1);
  CHECK_EQ(TF_TensorByteSize(result), sizeof(elements));
  if (result != NULL) CHECK(memcmp(TF_TensorData(result), elements, 8) == 0);
  TF_DeleteTensor(result);
  for (int i = 0; i < 2; ++i) TF_DeleteTensor(feeds[i]);
  TF_DeleteSession(session, status);
  CHECK_OK(status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
}

int main(void) {
  Register();
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  const TF_Output inputs[] = {AddPlaceholder(graph, "x", TF_FLOAT),
                              AddPlaceholder(graph, "size", TF_INT32)};
  TF_OperationDescription* node = TF_NewOperation(graph, "CPassOnGpu", "y");
  TF_SetDevice(node, "/gpu:0");
  for (int i = 0; i < 2; ++i) TF_AddInput(node, inputs[i]);
  const TF_Output y = {TF_FinishOperation(node, status), 0};
  CHECK_OK(status);
  RunOnGpu(graph, inputs, y);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return Failures();
}
