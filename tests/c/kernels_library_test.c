// A library of ops in C that is loaded, in graphs and in eager mode.
//
//   kernels_library_test custom_op.so copy_of_custom_op.so

#include "minitf/c/c_api.h"
#include "tests/c/eager_helpers.h"

static const float kX[] = {1, 2};
static const float kY[] = {10, 20};

// ---- Eager mode -----------------------------------------------------------------------

static void ExpectSum(TFE_Context* context, TF_DataType dtype, const void* x,
                      const void* y, int64_t scale, const void* sum) {
  TF_Status* status = TF_NewStatus();
  const int64_t two = 2;
  TFE_TensorHandle* inputs[] = {HandleOf(dtype, 1, &two, x), HandleOf(dtype, 1, &two, y)};
  TFE_Op* op = NewCall(context, "CScaledAdd", 2, inputs);
  if (scale != 0) TFE_OpSetAttrInt(op, "scale", scale);
  TFE_TensorHandle* result = RunCall(op, status);
  CHECK_OK(status);
  CheckElements(result, sum, 2 * TF_DataTypeSize(dtype));
  TFE_DeleteTensorHandle(result);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

static void TestSums(TFE_Context* context) {
  const float sums[] = {21, 42};
  ExpectSum(context, TF_FLOAT, kX, kY, 0, sums);
  const float with_three[] = {31, 62};
  ExpectSum(context, TF_FLOAT, kX, kY, 3, with_three);
  const int32_t x[] = {1, 2};
  const int32_t y[] = {-1, 5};
  const int32_t int_sums[] = {-1, 12};
  ExpectSum(context, TF_INT32, x, y, 0, int_sums);
}

static void ExpectFailure(TFE_Context* context, TF_DataType dtype, int64_t size,
                          int64_t scale, TF_Code code, const char* message) {
  TF_Status* status = TF_NewStatus();
  const int64_t two = 2;
  const double elements[] = {1, 2};
  TFE_TensorHandle* inputs[] = {HandleOf(dtype, 1, &two, elements),
                                HandleOf(dtype, 1, &size, elements)};
  TFE_Op* op = NewCall(context, "CScaledAdd", 2, inputs);
  TFE_OpSetAttrInt(op, "scale", scale);
  CHECK(RunCall(op, status) == NULL);
  CHECK_CODE(status, code, message);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

static void TestFailures(TFE_Context* context) {
  ExpectFailure(context, TF_FLOAT, 1, 1, TF_INVALID_ARGUMENT,
                "CScaledAdd: x and y have different shapes");
  ExpectFailure(context, TF_FLOAT, 2, 0, TF_INVALID_ARGUMENT, "minimum 1");
  ExpectFailure(context, TF_FLOAT, 2, 1001, TF_INVALID_ARGUMENT,
                "scale is more than 1000");
  ExpectFailure(context, TF_DOUBLE, 2, 1, TF_INVALID_ARGUMENT, "allowed are");
  static const struct {
    const char* mistake;
    TF_Code code;
    const char* message;
  } cases[] = {
      {"input", TF_OUT_OF_RANGE, "input 7 does not exist; number of inputs: 1"},
      {"output", TF_OUT_OF_RANGE, "output 7 does not exist; number of outputs: 1"},
      {"type", TF_OUT_OF_RANGE, "output 7 does not exist"},
      {"failure", TF_ABORTED, "CUnruly: the kernel gives up"},
      {"nothing", TF_INTERNAL, "did not set output 0"},
      {"create", TF_FAILED_PRECONDITION, "the kernel cannot be made"},
  };
  TF_Status* status = TF_NewStatus();
  TFE_TensorHandle* x = Float(1);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    TFE_Op* op = NewCall(context, "CUnruly", 1, &x);
    TFE_OpSetAttrString(op, "mistake", cases[i].mistake, strlen(cases[i].mistake));
    CHECK(RunCall(op, status) == NULL);
    CHECK_CODE(status, cases[i].code, cases[i].message);
  }
  TFE_DeleteTensorHandle(x);
  TF_DeleteStatus(status);
}

// ---- Graphs ---------------------------------------------------------------------------

static TF_Output Constant(TF_Graph* graph, const char* name, int64_t size,
                          const float* elements, TF_Status* status) {
  TF_Tensor* tensor = TensorOf(TF_FLOAT, 1, &size, elements);
  TF_OperationDescription* node = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(node, "value", tensor, status);
  CHECK_OK(status);
  TF_SetAttrType(node, "dtype", TF_FLOAT);
  TF_Output output = {TF_FinishOperation(node, status), 0};
  CHECK_OK(status);
  TF_DeleteTensor(tensor);
  return output;
}

static void RunGraph(TF_Graph* graph, TF_Output sum, const float* expected) {
  TF_Status* status = TF_NewStatus();
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  CHECK_OK(status);
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &sum, &result, 1, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorByteSize(result), 8);
  if (result != NULL) CHECK(memcmp(TF_TensorData(result), expected, 8) == 0);
  TF_DeleteTensor(result);
  TF_DeleteSession(session, status);
  CHECK_OK(status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
}

static void TestGraph(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  const TF_Output x = Constant(graph, "x", 2, kX, status);
  const TF_Output y = Constant(graph, "y", 2, kY, status);
  TF_OperationDescription* node = TF_NewOperation(graph, "CScaledAdd", "sum");
  TF_AddInput(node, x);
  TF_AddInput(node, y);
  TF_SetAttrInt(node, "scale", 4);
  const TF_Output sum = {TF_FinishOperation(node, status), 0};
  CHECK_OK(status);
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, sum, status), 1);
  int64_t size = 0;
  TF_GraphGetTensorShape(graph, sum, &size, 1, status);
  CHECK_EQ(size, 2);
  const float expected[] = {41, 82};
  RunGraph(graph, sum, expected);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  TF_Status* status = TF_NewStatus();
  TF_Library* library = TF_LoadLibrary(argv[1], status);
  CHECK_OK(status);
  const TF_Buffer ops = TF_GetOpList(library);
  CHECK(ops.length > 0);
  TF_DeleteLibraryHandle(library);
  CHECK(TF_LoadLibrary(argv[2], status) == NULL);
  CHECK_CODE(status, TF_ALREADY_EXISTS, "CScaledAdd");

  TFE_Context* context = NewContext();
  TestSums(context);
  TestFailures(context);
  TestGraph();
  TFE_DeleteContext(context);
  TF_DeleteStatus(status);
  return Failures();
}
