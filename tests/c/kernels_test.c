// Kernels in C: registration, inputs and outputs, memory, failures.

#include "minitf/c/kernels.h"

#include <limits.h>
#include <stdlib.h>

#include "minitf/c/ops.h"
#include "tests/c/eager_helpers.h"

static int num_created = 0;
static int num_deleted = 0;

static void DefineOp(const char* name, const char* output) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32, string, bool}");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, output);
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

static void RegisterKernel(const char* op, void (*compute)(void*, TF_OpKernelContext*)) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* kernel = TF_NewKernelBuilder(op, "CPU", NULL, compute, NULL);
  TF_RegisterKernelBuilder(op, kernel, status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

// Runs the op on a vector of two floats.
static TFE_TensorHandle* RunOn2(TFE_Context* context, const char* op, TF_Status* status) {
  const float elements[] = {1.5f, 2.5f};
  TFE_TensorHandle* x = Floats(2, elements);
  TFE_TensorHandle* result = RunCall(NewCall(context, op, 1, &x), status);
  TFE_DeleteTensorHandle(x);
  return result;
}

// ---- The context ----------------------------------------------------------------------

static void CheckContext(void* kernel, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  CHECK(kernel == NULL);
  CHECK_EQ(TF_NumInputs(ctx), 1);
  CHECK_EQ(TF_NumOutputs(ctx), 1);
  CHECK_EQ(TF_ExpectedOutputDataType(ctx, 0), TF_FLOAT);
  CHECK_EQ(TF_GetOpKernelName(ctx).len, 0);
  CHECK_EQ(TF_StepId(ctx), 0);

  TF_Tensor* x = NULL;
  const int wrong[] = {1, -1, INT_MAX, INT_MIN};
  for (int i = 0; i < 4; ++i) {
    TF_GetInput(ctx, wrong[i], &x, status);
    CHECK_CODE(status, TF_OUT_OF_RANGE, "number of inputs: 1");
    CHECK(x == NULL);
    TF_SetOutput(ctx, wrong[i], x, status);
    CHECK_CODE(status, TF_OUT_OF_RANGE, "number of outputs: 1");
  }
  TF_GetInput(ctx, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "tensor is null");
  TF_GetInput(NULL, 0, &x, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_SetOutput(ctx, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "tensor is null");
  TF_SetOutput(NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");

  const int32_t one = 1;
  TF_Tensor* integer = TensorOf(TF_INT32, 0, NULL, &one);
  TF_SetOutput(ctx, 0, integer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output 0 has element type float32");
  TF_DeleteTensor(integer);

  TF_GetInput(ctx, 0, &x, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorElementCount(x), 2);
  TF_SetOutput(ctx, 0, x, status);
  CHECK_OK(status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void TestContext(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  DefineOp("CContext", "y: T");
  RegisterKernel("CContext", &CheckContext);
  TFE_TensorHandle* y = RunOn2(context, "CContext", status);
  CHECK_OK(status);
  const float expected[] = {1.5f, 2.5f};
  CheckElements(y, expected, sizeof(expected));
  TFE_DeleteTensorHandle(y);

  CHECK_EQ(TF_NumInputs(NULL), 0);
  CHECK_EQ(TF_NumOutputs(NULL), 0);
  CHECK_EQ(TF_GetOpKernelName(NULL).len, 0);
  CHECK_EQ(TF_StepId(NULL), 0);
  CHECK_EQ(TF_ExpectedOutputDataType(NULL, 0), 0);
  TF_OpKernelContext_Failure(NULL, status);
  TF_DeleteStatus(status);
}

// ---- Outputs --------------------------------------------------------------------------

static void CheckAllocation(TF_OpKernelContext* ctx, TF_Status* status) {
  const int64_t dims[] = {2};
  const int64_t negative[] = {-2};
  CHECK(TF_AllocateOutput(ctx, 1, TF_FLOAT, dims, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_OUT_OF_RANGE, "output 1 does not exist");
  CHECK(TF_AllocateOutput(ctx, 0, TF_INT32, dims, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the tensor has int32");
  CHECK(TF_AllocateOutput(ctx, 0, (TF_DataType)99, dims, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "99");
  CHECK(TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, 7, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "len is 7");
  CHECK(TF_AllocateOutput(ctx, 0, TF_FLOAT, negative, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-2");
  CHECK(TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  CHECK(TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, -1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-1");
  CHECK(TF_AllocateOutput(NULL, 0, TF_FLOAT, dims, 1, 8, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
}

static void CheckTemps(TF_OpKernelContext* ctx, TF_Status* status) {
  const int64_t dims[] = {3};
  TF_AllocatorAttributes attributes = {sizeof(attributes), 1};
  TF_Tensor* temp = TF_AllocateTemp(ctx, TF_INT64, dims, 1, &attributes, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorByteSize(temp), 24);
  memset(TF_TensorData(temp), 0, 24);
  TF_DeleteTensor(temp);
  temp = TF_AllocateTemp(ctx, TF_INT64, dims, 1, NULL, status);
  CHECK_OK(status);
  TF_DeleteTensor(temp);
  attributes.struct_size = 1;
  CHECK(TF_AllocateTemp(ctx, TF_INT64, dims, 1, &attributes, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "struct_size");
  CHECK(TF_AllocateTemp(ctx, TF_STRING, dims, 1, NULL, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SetOutput");
  CHECK(TF_AllocateTemp(NULL, TF_INT64, dims, 1, NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
}

static void Twice(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  CheckAllocation(ctx, status);
  CheckTemps(ctx, status);
  TF_Tensor* x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  const int64_t dims[] = {2};
  TF_Tensor* y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, 8, status);
  CHECK_OK(status);
  for (int i = 0; i < 2; ++i) {
    ((float*)TF_TensorData(y))[i] = 2 * ((const float*)TF_TensorData(x))[i];
  }
  TF_DeleteTensor(y);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void Forward(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  const int candidates[] = {0};
  const int wrong[] = {3};
  const int64_t dims[] = {2};
  int forwarded = 5;
  CHECK(TF_ForwardInputOrAllocateOutput(ctx, wrong, 1, 0, dims, 1, &forwarded, status) ==
        NULL);
  CHECK_CODE(status, TF_OUT_OF_RANGE, "input 3 does not exist");
  CHECK(TF_ForwardInputOrAllocateOutput(ctx, NULL, 1, 0, dims, 1, NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "candidate_input_indices is null");
  CHECK(TF_ForwardInputOrAllocateOutput(ctx, candidates, 1, 9, dims, 1, NULL, status) ==
        NULL);
  CHECK_CODE(status, TF_OUT_OF_RANGE, "output 9 does not exist");
  TF_Tensor* y =
      TF_ForwardInputOrAllocateOutput(ctx, candidates, 1, 0, dims, 1, &forwarded, status);
  CHECK_OK(status);
  CHECK(forwarded == 0 || forwarded == -1);
  ((float*)TF_TensorData(y))[0] = 7;
  ((float*)TF_TensorData(y))[1] = 8;
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void TestOutputs(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  DefineOp("CTwice", "y: T");
  RegisterKernel("CTwice", &Twice);
  TFE_TensorHandle* y = RunOn2(context, "CTwice", status);
  CHECK_OK(status);
  const float twice[] = {3, 5};
  CheckElements(y, twice, sizeof(twice));
  TFE_DeleteTensorHandle(y);

  DefineOp("CForward", "y: T");
  RegisterKernel("CForward", &Forward);
  y = RunOn2(context, "CForward", status);
  CHECK_OK(status);
  const float forward[] = {7, 8};
  CheckElements(y, forward, sizeof(forward));
  TFE_DeleteTensorHandle(y);
  TF_DeleteStatus(status);
}

// ---- Strings --------------------------------------------------------------------------

static void PassOn(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  CHECK(TF_AllocateOutput(ctx, 0, TF_STRING, NULL, 0, 8, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_AllocateOutput makes no tensor of string");
  TF_SetOutput(ctx, 0, x, status);
  CHECK_OK(status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void TestStrings(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  DefineOp("CPassOn", "y: T");
  RegisterKernel("CPassOn", &PassOn);
  char encoded[16] = {0};  // the offset 0, then the text
  const size_t size = 8 + TF_StringEncode("abc", 3, encoded + 8, 8, status);
  CHECK_OK(status);
  TF_Tensor* text = TF_AllocateTensor(TF_STRING, NULL, 0, size);
  memcpy(TF_TensorData(text), encoded, size);
  TFE_TensorHandle* x = TFE_NewTensorHandle(text, status);
  TF_DeleteTensor(text);
  TFE_TensorHandle* y = RunCall(NewCall(context, "CPassOn", 1, &x), status);
  CHECK_OK(status);
  CheckElements(y, encoded, size);
  TFE_DeleteTensorHandle(y);
  TFE_DeleteTensorHandle(x);
  TF_DeleteStatus(status);
}

// ---- Failures -------------------------------------------------------------------------

static void SetNothing(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  (void)ctx;
}

static void FailWithNull(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_OpKernelContext_Failure(ctx, NULL);
}

static void FailWithOk(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

static void FailTwice(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_SetStatus(status, TF_DATA_LOSS, "the first failure");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_ABORTED, "the second failure");
  TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

static void AskForType(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  CHECK_EQ(TF_ExpectedOutputDataType(ctx, -1), 0);
}

static void TestFailures(TFE_Context* context) {
  static const struct {
    const char* op;
    void (*compute)(void*, TF_OpKernelContext*);
    TF_Code code;
    const char* message;
  } cases[] = {
      {"CNothing", &SetNothing, TF_INTERNAL, "did not set output 0"},
      {"CFailNull", &FailWithNull, TF_INVALID_ARGUMENT, "status of a failure is null"},
      {"CFailOk", &FailWithOk, TF_INTERNAL, "status of a failure is TF_OK"},
      {"CFailTwice", &FailTwice, TF_DATA_LOSS, "CFailTwice: the first failure"},
      {"CAskForType", &AskForType, TF_OUT_OF_RANGE, "output -1 does not exist"},
  };
  TF_Status* status = TF_NewStatus();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    DefineOp(cases[i].op, "y: T");
    RegisterKernel(cases[i].op, cases[i].compute);
    CHECK(RunOn2(context, cases[i].op, status) == NULL);
    CHECK_CODE(status, cases[i].code, cases[i].message);
  }
  TF_DeleteStatus(status);
}

// ---- Registration ---------------------------------------------------------------------

static void* CountCreate(TF_OpKernelConstruction* construction) {
  (void)construction;
  ++num_created;
  return &num_created;
}

static void* FailCreate(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  TF_SetStatus(status, TF_FAILED_PRECONDITION, "cannot create");
  TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return &num_created;
}

static void CountDelete(void* kernel) {
  CHECK(kernel == &num_created);
  ++num_deleted;
}

static void TestLifetime(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  DefineOp("CLifetime", "y: T");
  TF_KernelBuilder* kernel =
      TF_NewKernelBuilder("CLifetime", "CPU", &CountCreate, &SetNothing, &CountDelete);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
  CHECK_OK(status);
  TF_RegisterKernelBuilder("first", kernel, status);
  CHECK_OK(status);
  kernel = TF_NewKernelBuilder("CLifetime", "CPU", &FailCreate, &PassOn, &CountDelete);
  TF_KernelBuilder_Priority(kernel, 3);
  TF_RegisterKernelBuilder("second", kernel, status);
  CHECK_OK(status);
  CHECK(RunOn2(context, "CLifetime", status) == NULL);
  CHECK_CODE(status, TF_FAILED_PRECONDITION, "CLifetime: cannot create");
  CHECK_EQ(num_created, 0);
  CHECK_EQ(num_deleted, 1);

  kernel =
      TF_NewKernelBuilder("CLifetime", "CPU", &CountCreate, &SetNothing, &CountDelete);
  TF_KernelBuilder_Priority(kernel, 4);
  TF_RegisterKernelBuilder("third", kernel, status);
  CHECK_OK(status);
  for (int i = 0; i < 2; ++i) {
    CHECK(RunOn2(context, "CLifetime", status) == NULL);
    CHECK_CODE(status, TF_INTERNAL, "did not set output 0");
  }
  CHECK_EQ(num_created, 1);
  TFE_ContextClearCaches(context);
  CHECK_EQ(num_deleted, 2);
  TF_DeleteStatus(status);
}

static void ExpectRefusal(const char* op, const char* device, const char* attr,
                          const char* argument, TF_Code code, const char* message) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* kernel = TF_NewKernelBuilder(op, device, NULL, &PassOn, NULL);
  if (attr != NULL) TF_KernelBuilder_TypeConstraint(kernel, attr, TF_FLOAT, status);
  if (argument != NULL) TF_KernelBuilder_HostMemory(kernel, argument);
  TF_RegisterKernelBuilder("Refused", kernel, status);
  CHECK_CODE(status, code, message);
  TF_DeleteStatus(status);
}

static void TestRegistration(void) {
  DefineOp("CRegistered", "y: T");
  RegisterKernel("CRegistered", &PassOn);
  ExpectRefusal("CRegistered", "CPU", NULL, NULL, TF_ALREADY_EXISTS,
                "kernel 'Refused' of op CRegistered");
  ExpectRefusal("CRegistered", "TPU", NULL, NULL, TF_INVALID_ARGUMENT, "'TPU'");
  ExpectRefusal("CRegistered", "CPU", "S", NULL, TF_INVALID_ARGUMENT,
                "no attribute 'S' of kind type");
  ExpectRefusal("CRegistered", "CPU", "T", "z", TF_INVALID_ARGUMENT,
                "the arguments of the op are x, y");
  ExpectRefusal(NULL, "CPU", NULL, NULL, TF_INVALID_ARGUMENT, "op_name is null");
  ExpectRefusal("CRegistered", NULL, NULL, NULL, TF_INVALID_ARGUMENT,
                "device_name is null");
  ExpectRefusal("CRegistered", "GPU", "T", "x", TF_OK, "");

  TF_Status* status = TF_NewStatus();
  TF_RegisterKernelBuilder(
      "NoCompute", TF_NewKernelBuilder("CRegistered", "CPU", NULL, NULL, NULL), status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "compute_func is null");
  TF_RegisterKernelBuilder(
      NULL, TF_NewKernelBuilder("CRegistered", "CPU", NULL, &PassOn, NULL), status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "kernel_name is null");
  TF_RegisterKernelBuilder("Null", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "builder is null");

  TF_KernelBuilder* kernel = TF_NewKernelBuilder("Any", "CPU", NULL, &PassOn, NULL);
  TF_KernelBuilder_TypeConstraint(kernel, NULL, TF_FLOAT, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TF_KernelBuilder_TypeConstraint(kernel, "T", (TF_DataType)77, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "77");
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_INT32, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'T' is limited twice");
  TF_KernelBuilder_TypeConstraint(NULL, "T", TF_FLOAT, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "kernel_builder is null");
  TF_KernelBuilder_HostMemory(kernel, NULL);
  TF_RegisterKernelBuilder("HostMemoryOfNull", kernel, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "arg_name is null");
  TF_KernelBuilder_HostMemory(NULL, "x");
  TF_KernelBuilder_Priority(NULL, 1);
  TF_DeleteKernelBuilder(TF_NewKernelBuilder("Any", "CPU", NULL, &PassOn, NULL));
  TF_DeleteKernelBuilder(NULL);
  TF_DeleteStatus(status);
}

int main(void) {
  TFE_Context* context = NewContext();
  TestContext(context);
  TestOutputs(context);
  TestStrings(context);
  TestFailures(context);
  TestLifetime(context);
  TestRegistration();
  TFE_DeleteContext(context);
  return Failures();
}
