// Ops in C: definitions, their texts and their properties.

#include "minitf/c/ops.h"

#include "minitf/c/kernels.h"
#include "tests/c/eager_helpers.h"

static void Zero(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* z = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, status);
  CHECK_OK(status);
  memset(TF_TensorData(z), 0, 4);
  TF_DeleteTensor(z);
  TF_DeleteStatus(status);
}

static void RegisterZero(const char* name) {
  TF_Status* status = TF_NewStatus();
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, &Zero, NULL),
                           status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

// ---- Texts ----------------------------------------------------------------------------

// Registers an op with one attribute, and one input and output of a type.
static void ExpectSpec(const char* name, const char* attr, const char* input,
                       TF_Code code, const char* message) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  if (attr != NULL) TF_OpDefinitionBuilderAddAttr(op, attr);
  if (input != NULL) TF_OpDefinitionBuilderAddInput(op, input);
  TF_OpDefinitionBuilderAddOutput(op, "z: float");
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, code, message);
  TF_DeleteStatus(status);
}

static void TestTexts(void) {
  ExpectSpec("CNumbers", "T: numbertype", "x: T", TF_OK, "");
  ExpectSpec("CReals", "T: {realnumbertype, string} = DT_FLOAT", "x: T", TF_OK, "");
  ExpectSpec("CList", "Ts: list(numbertype) >= 2", "xs: Ts", TF_OK, "");
  ExpectSpec("CQuoted", "s: {'numbertype', 'DT_FLOAT', \"}\"} = 'DT_FLOAT'", NULL, TF_OK,
             "");
  ExpectSpec("CBad", "T: nonsense", NULL, TF_INVALID_ARGUMENT, "'nonsense'");
  ExpectSpec("CBad", "T float", NULL, TF_INVALID_ARGUMENT, "T float");
  ExpectSpec("CBad", "", NULL, TF_INVALID_ARGUMENT, "");
  ExpectSpec("CBad", "n: int >= 3 = 2", NULL, TF_INVALID_ARGUMENT, "minimum 3");
  ExpectSpec("CBad", NULL, "x: T", TF_INVALID_ARGUMENT, "'T'");
  ExpectSpec("CBad", NULL, "x: Ref(float)", TF_INVALID_ARGUMENT, "Ref");
  ExpectSpec("CBad", "T: type", "T: T", TF_INVALID_ARGUMENT, "has 'T' twice");
  ExpectSpec("CNumbers", NULL, NULL, TF_ALREADY_EXISTS, "CNumbers");
  ExpectSpec("MatMul", NULL, NULL, TF_ALREADY_EXISTS, "MatMul");
  ExpectSpec("lower", NULL, NULL, TF_INVALID_ARGUMENT, "the name of an op is 'lower'");
  ExpectSpec("Bad name", NULL, NULL, TF_INVALID_ARGUMENT, "'Bad name'");
  ExpectSpec("", NULL, NULL, TF_INVALID_ARGUMENT, "the name of an op is ''");
  ExpectSpec(NULL, NULL, NULL, TF_INVALID_ARGUMENT, "op_name is null");
}

static void TestNulls(void) {
  TF_Status* status = TF_NewStatus();
  TF_RegisterOpDefinition(NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "builder is null");
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CNull");
  TF_OpDefinitionBuilderAddAttr(op, NULL);
  TF_OpDefinitionBuilderAddInput(op, NULL);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_spec is null");
  op = TF_NewOpDefinitionBuilder("CNull");
  TF_OpDefinitionBuilderAddInput(op, NULL);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input_spec is null");
  op = TF_NewOpDefinitionBuilder("CNull");
  TF_OpDefinitionBuilderAddOutput(op, NULL);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output_spec is null");
  op = TF_NewOpDefinitionBuilder("CNull");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, NULL);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "shape_inference_func is null");
  op = TF_NewOpDefinitionBuilder("CNull");
  TF_OpDefinitionBuilderDeprecated(op, 3, NULL);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "explanation is null");

  TF_OpDefinitionBuilderAddAttr(NULL, "n: int");
  TF_OpDefinitionBuilderAddInput(NULL, "x: float");
  TF_OpDefinitionBuilderAddOutput(NULL, "y: float");
  TF_OpDefinitionBuilderSetIsCommutative(NULL, true);
  TF_OpDefinitionBuilderSetIsAggregate(NULL, true);
  TF_OpDefinitionBuilderSetIsStateful(NULL, true);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(NULL, true);
  TF_OpDefinitionBuilderDeprecated(NULL, 1, "never");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(NULL, NULL);
  TF_DeleteOpDefinitionBuilder(NULL);
  TF_DeleteOpDefinitionBuilder(TF_NewOpDefinitionBuilder("CDeleted"));
  TF_DeleteStatus(status);
}

// ---- Properties -----------------------------------------------------------------------

static void TestProperties(void) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CProperties");
  TF_OpDefinitionBuilderSetIsCommutative(op, true);
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  TF_OpDefinitionBuilderSetIsAggregate(op, false);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(op, false);
  TF_OpDefinitionBuilderDeprecated(op, 12, "Use CNumbers.");
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  op = TF_NewOpDefinitionBuilder("CAggregate");
  TF_OpDefinitionBuilderSetIsAggregate(op, true);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "op CAggregate: is_aggregate is true");
  op = TF_NewOpDefinitionBuilder("CUninitialized");
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(op, true);
  TF_RegisterOpDefinition(op, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "allows_uninitialized_input is true");
  TF_DeleteStatus(status);
}

// A list has at least one tensor, unless its text says otherwise.
static void TestMinimum(TFE_Context* context) {
  static const struct {
    const char* op;
    const char* attr;
    TF_Code code;
  } cases[] = {
      {"CMany", "N: int", TF_INVALID_ARGUMENT},
      {"CAny", "N: int >= 0", TF_OK},
  };
  TF_Status* status = TF_NewStatus();
  for (int i = 0; i < 2; ++i) {
    ExpectSpec(cases[i].op, cases[i].attr, "xs: N * float", TF_OK, "");
    RegisterZero(cases[i].op);
    TFE_Op* op = TFE_NewOp(context, cases[i].op, status);
    TFE_OpAddInputList(op, NULL, 0, status);
    CHECK_OK(status);
    TFE_TensorHandle* result = RunCall(op, status);
    CHECK_CODE(status, cases[i].code, cases[i].code == TF_OK ? "" : "minimum 1");
    TFE_DeleteTensorHandle(result);
  }
  TF_DeleteStatus(status);
}

int main(void) {
  TFE_Context* context = NewContext();
  TestTexts();
  TestNulls();
  TestProperties();
  TestMinimum(context);
  TFE_DeleteContext(context);
  return Failures();
}
