// Eager ops: inputs, lists, devices, and running them.

#include <limits.h>

#include "tests/c/eager_helpers.h"

// [[3,3]] x [[2],[2]] = [[12]]
static void TestMatMul(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  const int64_t row[] = {1, 2};
  const int64_t column[] = {2, 1};
  const float threes[] = {3, 3};
  const float twos[] = {2, 2};
  TFE_TensorHandle* inputs[] = {HandleOf(TF_FLOAT, 2, row, threes),
                                HandleOf(TF_FLOAT, 2, column, twos)};
  TFE_Op* op = NewCall(context, "MatMul", 2, inputs);
  TFE_TensorHandle* results[] = {NULL, NULL, NULL};
  int num_results = 3;
  TFE_Execute(op, results, &num_results, status);
  CHECK_OK(status);
  CHECK_EQ(num_results, 1);
  CHECK(results[1] == NULL);
  const float twelve = 12;
  CheckElements(results[0], &twelve, sizeof(twelve));

  // A call may run again.
  num_results = 3;
  TFE_Execute(op, results + 1, &num_results, status);
  CHECK_OK(status);
  CheckElements(results[1], &twelve, sizeof(twelve));
  TFE_DeleteOp(op);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(results[i]);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

static void TestErrorsOfRuns(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  const float elements[] = {1, 2, 3};
  TFE_TensorHandle* inputs[] = {Floats(3, elements), Floats(2, elements)};
  TFE_Op* op = NewCall(context, "Add", 2, inputs);
  TFE_TensorHandle* result = NULL;
  int num_results = 0;
  TFE_Execute(op, &result, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "room for 1 outputs, but *num_retvals is 0");
  num_results = -1;
  TFE_Execute(op, &result, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-1");
  num_results = 1;
  TFE_Execute(op, NULL, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "retvals is null");
  TFE_Execute(op, &result, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "num_retvals is null");
  TFE_Execute(op, &result, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Add: ");
  CHECK_EQ(num_results, 1);
  CHECK(result == NULL);
  TFE_DeleteOp(op);

  op = NewCall(context, "Add", 1, inputs);
  TFE_Execute(op, &result, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "needs 2 inputs, got 1");
  TFE_DeleteOp(op);
  TFE_TensorHandle* three[] = {inputs[0], inputs[0], inputs[0]};
  CHECK(RunCall(NewCall(context, "Add", 3, three), status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "needs 2 inputs, got 3");

  const int32_t one = 1;
  TFE_TensorHandle* mixed[] = {inputs[0], HandleOf(TF_INT32, 0, NULL, &one)};
  CHECK(RunCall(NewCall(context, "Add", 2, mixed), status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attribute 'T'");
  TFE_DeleteTensorHandle(mixed[1]);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

static void TestInvalid(TFE_Context* context, TFE_Op* op, const char* message) {
  TF_Status* status = TF_NewStatus();
  TFE_TensorHandle* input = Float(1);
  unsigned char is_list = 0;
  int num_results = 0;
  TFE_OpAddInput(op, input, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpAddInputList(op, &input, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpSetDevice(op, "", status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK(TFE_OpGetDevice(op, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK_EQ(TFE_OpGetAttrType(op, "T", &is_list, status), TF_ATTR_INT);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK_EQ(TFE_OpGetInputLength(op, "x", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  CHECK_EQ(TFE_OpGetOutputLength(op, "x", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpSetAttrShape(op, "shape", NULL, -1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpSetAttrShapeList(op, "shapes", NULL, NULL, 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpSetAttrTensor(op, "value", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_Execute(op, NULL, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
  TFE_OpSetAttrInt(op, "n", 1);
  TFE_OpSetXLACompilation(op, 1);
  TFE_DeleteOp(op);
  (void)context;
  TFE_DeleteTensorHandle(input);
  TF_DeleteStatus(status);
}

static void TestNewOp(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  CHECK(TFE_NewOp(context, "Nonsense", status) == NULL);
  CHECK_CODE(status, TF_NOT_FOUND, "Op type not registered 'Nonsense'");
  CHECK(TFE_NewOp(context, NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "op_or_function_name is null");
  CHECK(TFE_NewOp(NULL, "Add", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");

  TFE_Op* op = TFE_NewOp(context, "Add", status);
  TFE_OpAddInput(op, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input is null");
  TFE_TensorHandle* deleted = Float(1);
  TFE_DeleteTensorHandle(deleted);
  TFE_OpAddInput(op, deleted, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input is a handle that was deleted");
  TFE_DeleteOp(op);
  TestInvalid(context, NULL, "op is null");
  TestInvalid(context, op, "op is a handle that was deleted");
  TF_DeleteStatus(status);
}

static void TestDevices(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TFE_TensorHandle* inputs[] = {Float(1), Float(2)};
  TFE_Op* op = NewCall(context, "Add", 2, inputs);
  CHECK_TEXT(TFE_OpGetDevice(op, status), "");
  TFE_OpSetDevice(op, "/gpu:0", status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "device '/gpu:0' does not exist");
  TFE_OpSetDevice(op, "nonsense", status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "nonsense");
  TFE_OpSetDevice(op, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "device_name is null");
  TFE_OpSetDevice(op, "cpu:0", status);
  CHECK_OK(status);
  CHECK_TEXT(TFE_OpGetDevice(op, status), "/device:CPU:0");
  TFE_DeleteTensorHandle(RunCall(op, status));
  CHECK_OK(status);

  op = NewCall(context, "Add", 2, inputs);
  TFE_OpSetXLACompilation(op, 0);
  TFE_OpSetXLACompilation(op, 1);
  CHECK(RunCall(op, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TFE_OpSetXLACompilation");

  // With soft placement (field 7 of ConfigProto), an op of a GPU runs on the CPU.
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, "\x38\x01", 2, status);
  TFE_Context* soft = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  op = NewCall(soft, "Add", 2, inputs);
  TFE_OpSetDevice(op, "/gpu:0", status);
  CHECK_OK(status);
  TFE_DeleteTensorHandle(RunCall(op, status));
  CHECK_OK(status);
  TFE_DeleteContext(soft);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

// ---- Lists ----------------------------------------------------------------------------

static void TestLists(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  const float elements[] = {1, 2};
  const int32_t zero = 0;
  TFE_TensorHandle* inputs[] = {Floats(2, elements), Floats(1, elements),
                                HandleOf(TF_INT32, 0, NULL, &zero)};
  TFE_Op* op = TFE_NewOp(context, "ConcatV2", status);
  TFE_OpAddInputList(op, inputs, 2, status);
  CHECK_OK(status);
  TFE_OpAddInputList(op, inputs, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input 'axis' is one tensor");
  TFE_OpAddInput(op, inputs[2], status);
  CHECK_OK(status);
  TFE_OpAddInputList(op, inputs, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "all 2 inputs are there");
  CHECK_EQ(TFE_OpGetInputLength(op, "values", status), 2);
  CHECK_OK(status);
  CHECK_EQ(TFE_OpGetInputLength(op, "axis", status), 1);
  CHECK_OK(status);
  CHECK_EQ(TFE_OpGetInputLength(op, "nonsense", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "no argument 'nonsense'");
  CHECK_EQ(TFE_OpGetInputLength(op, NULL, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input_name is null");
  CHECK_EQ(TFE_OpGetOutputLength(op, "output", status), 1);
  CHECK_OK(status);
  CHECK_EQ(TFE_OpGetOutputLength(op, NULL, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output_name is null");
  TFE_TensorHandle* joined = RunCall(op, status);
  CHECK_OK(status);
  const float expected[] = {1, 2, 1};
  CheckElements(joined, expected, sizeof(expected));
  TFE_DeleteTensorHandle(joined);

  op = TFE_NewOp(context, "ConcatV2", status);
  TFE_OpAddInputList(op, NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "inputs is null");
  TFE_OpAddInputList(op, inputs, -1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-1");
  TFE_TensorHandle* with_null[] = {inputs[0], NULL};
  TFE_OpAddInputList(op, with_null, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input is null");
  // One by one, as long as the number of inputs tells the length.
  for (int i = 0; i < 3; ++i) TFE_OpAddInput(op, inputs[i], status);
  CHECK_EQ(TFE_OpGetInputLength(op, "values", status), 2);
  CHECK_OK(status);
  TFE_DeleteOp(op);
  for (int i = 0; i < 3; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

static void TestListOutputs(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  const int32_t zero = 0;
  const float elements[] = {1, 2, 3, 4};
  TFE_TensorHandle* inputs[] = {HandleOf(TF_INT32, 0, NULL, &zero), Floats(4, elements)};
  TFE_Op* op = NewCall(context, "Split", 2, inputs);
  CHECK_EQ(TFE_OpGetOutputLength(op, "output", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Split: attribute 'num_split' is not set");
  TFE_OpSetAttrInt(op, "num_split", 2);
  CHECK_EQ(TFE_OpGetOutputLength(op, "output", status), 2);
  CHECK_OK(status);
  TFE_TensorHandle* halves[] = {NULL, NULL};
  int num_halves = 1;
  TFE_Execute(op, halves, &num_halves, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "room for 2 outputs, but *num_retvals is 1");
  num_halves = 2;
  TFE_Execute(op, halves, &num_halves, status);
  CHECK_OK(status);
  CHECK_EQ(num_halves, 2);
  CheckElements(halves[1], elements + 2, 2 * sizeof(float));
  TFE_OpSetAttrInt(op, "num_split", 1LL << 40);
  CHECK_EQ(TFE_OpGetOutputLength(op, "output", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Split: ");
  TFE_DeleteOp(op);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(halves[i]);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TF_DeleteStatus(status);
}

int main(void) {
  TFE_Context* context = NewContext();
  TestMatMul(context);
  TestErrorsOfRuns(context);
  TestNewOp(context);
  TestDevices(context);
  TestLists(context);
  TestListOutputs(context);
  TFE_DeleteContext(context);
  return Failures();
}
