// Attributes of eager ops: their kinds, every setter, and mistakes.

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"
#include "tests/c/eager_helpers.h"

// ---- Kinds ----------------------------------------------------------------------------

static void ExpectKind(TFE_Context* context, const char* attr, TF_AttrType type,
                       int is_list) {
  TF_Status* status = TF_NewStatus();
  unsigned char list = 9;
  CHECK_EQ(TFE_OpNameGetAttrType(context, "CKinds", attr, &list, status), type);
  CHECK_OK(status);
  CHECK_EQ(list, is_list);
  TFE_Op* op = TFE_NewOp(context, "CKinds", status);
  list = 9;
  CHECK_EQ(TFE_OpGetAttrType(op, attr, &list, status), type);
  CHECK_OK(status);
  CHECK_EQ(list, is_list);
  TFE_DeleteOp(op);
  TF_DeleteStatus(status);
}

static void TestKinds(TFE_Context* context) {
  ExpectKind(context, "s", TF_ATTR_STRING, 0);
  ExpectKind(context, "i", TF_ATTR_INT, 0);
  ExpectKind(context, "f", TF_ATTR_FLOAT, 0);
  ExpectKind(context, "b", TF_ATTR_BOOL, 0);
  ExpectKind(context, "t", TF_ATTR_TYPE, 0);
  ExpectKind(context, "shape", TF_ATTR_SHAPE, 0);
  ExpectKind(context, "tensor", TF_ATTR_TENSOR, 0);
  ExpectKind(context, "ss", TF_ATTR_STRING, 1);
  ExpectKind(context, "shapes", TF_ATTR_SHAPE, 1);
  TF_Status* status = TF_NewStatus();
  unsigned char list = 0;
  CHECK_EQ(TFE_OpNameGetAttrType(context, "CKinds", "x", &list, status), TF_ATTR_INT);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "CKinds has no attribute 'x'");
  CHECK_EQ(TFE_OpNameGetAttrType(context, "Nonsense", "x", &list, status), TF_ATTR_INT);
  CHECK_CODE(status, TF_NOT_FOUND, "Nonsense");
  TFE_OpNameGetAttrType(context, NULL, "i", &list, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "op_or_function_name is null");
  TFE_OpNameGetAttrType(context, "CKinds", NULL, &list, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TFE_OpNameGetAttrType(context, "CKinds", "i", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "is_list is null");
  TFE_OpNameGetAttrType(NULL, "CKinds", "i", &list, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_DeleteStatus(status);
}

// ---- Setters --------------------------------------------------------------------------

static void ReadSizes(TF_OpKernelConstruction* node, const char* attr, int32_t list,
                      int32_t total) {
  TF_Status* status = TF_NewStatus();
  int32_t list_size = 9;
  int32_t total_size = 9;
  TF_OpKernelConstruction_GetAttrSize(node, attr, &list_size, &total_size, status);
  CHECK_OK(status);
  CHECK_EQ(list_size, list);
  CHECK_EQ(total_size, total);
  TF_DeleteStatus(status);
}

// What the kernel gets is what the setters below have set.
static void* ReadAll(TF_OpKernelConstruction* node) {
  TF_Status* status = TF_NewStatus();
  int64_t integer = 0;
  float real = 0;
  TF_Bool truth = 9;
  TF_DataType type = TF_FLOAT;
  TF_OpKernelConstruction_GetAttrInt64(node, "i", &integer, status);
  CHECK_EQ(integer, -7);
  TF_OpKernelConstruction_GetAttrFloat(node, "f", &real, status);
  CHECK(real == 2.5f);
  TF_OpKernelConstruction_GetAttrBool(node, "b", &truth, status);
  CHECK_EQ(truth, 1);
  TF_OpKernelConstruction_GetAttrType(node, "t", &type, status);
  CHECK_EQ(type, TF_UINT8);
  ReadSizes(node, "s", -1, 4);
  ReadSizes(node, "shape", -1, 2);
  ReadSizes(node, "ss", 2, 3);
  ReadSizes(node, "is", 3, -1);
  ReadSizes(node, "fs", 1, -1);
  ReadSizes(node, "bs", 2, -1);
  ReadSizes(node, "ts", 0, -1);
  ReadSizes(node, "shapes", 2, 1);
  CHECK_OK(status);
  TF_DeleteStatus(status);
  return NULL;
}

static void DoNothing(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  (void)ctx;
}

static void Define(void) {
  static const char* const attrs[] = {
      "s: string",
      "i: int",
      "f: float",
      "b: bool",
      "t: type",
      "shape: shape",
      "tensor: tensor",
      "ss: list(string)",
      "is: list(int)",
      "fs: list(float)",
      "bs: list(bool)",
      "ts: list(type)",
      "shapes: list(shape)",
  };
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CKinds");
  for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); ++i) {
    TF_OpDefinitionBuilderAddAttr(op, attrs[i]);
  }
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  TF_RegisterKernelBuilder(
      "CKinds", TF_NewKernelBuilder("CKinds", "CPU", &ReadAll, &DoNothing, NULL), status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

static void SetLists(TFE_Op* op, TF_Status* status) {
  static const int64_t ints[] = {1, 2, 3};
  static const int64_t dim = 5;
  static const float reals[] = {0.5f};
  static const unsigned char truths[] = {0, 200};
  const void* texts[] = {"ab", "c"};
  const size_t lengths[] = {2, 1};
  const int64_t* shapes[] = {NULL, &dim};
  const int ranks[] = {-1, 1};
  TFE_OpSetAttrStringList(op, "ss", texts, lengths, 2);
  TFE_OpSetAttrIntList(op, "is", ints, 3);
  TFE_OpSetAttrFloatList(op, "fs", reals, 1);
  TFE_OpSetAttrBoolList(op, "bs", truths, 2);
  TFE_OpSetAttrTypeList(op, "ts", NULL, 0);
  TFE_OpSetAttrShapeList(op, "shapes", shapes, ranks, 2, status);
  CHECK_OK(status);
}

// A call of CKinds with all attributes.
static TFE_Op* NewKinds(TFE_Context* context) {
  static const int64_t dims[] = {2, -1};
  TF_Status* status = TF_NewStatus();
  TFE_Op* op = TFE_NewOp(context, "CKinds", status);
  const float element = 1;
  TF_Tensor* tensor = TensorOf(TF_FLOAT, 0, NULL, &element);
  TFE_OpSetAttrString(op, "s", "a\0bc", 4);
  TFE_OpSetAttrInt(op, "i", -7);
  TFE_OpSetAttrFloat(op, "f", 2.5f);
  TFE_OpSetAttrBool(op, "b", 200);
  TFE_OpSetAttrType(op, "t", TF_UINT8);
  TFE_OpSetAttrShape(op, "shape", dims, 2, status);
  CHECK_OK(status);
  TFE_OpSetAttrTensor(op, "tensor", tensor, status);
  CHECK_OK(status);
  SetLists(op, status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return op;
}

// Runs the call, which has one mistake, and deletes it.
static void ExpectError(TFE_Op* op, TF_Code code, const char* message) {
  TF_Status* status = TF_NewStatus();
  int num_results = 0;
  TFE_Execute(op, NULL, &num_results, status);
  CHECK_CODE(status, code, message);
  TFE_DeleteOp(op);
  TF_DeleteStatus(status);
}

static void TestSetters(TFE_Context* context) {
  ExpectError(NewKinds(context), TF_OK, "");
  TFE_Op* op = NewKinds(context);
  TFE_OpSetAttrInt(op, "_hint", 3);
  ExpectError(op, TF_OK, "");
}

// ---- Mistakes -------------------------------------------------------------------------

static void TestMistakes(TFE_Context* context) {
  TF_Status* status = TF_NewStatus();
  TFE_Op* op = NewKinds(context);
  TFE_OpSetAttrInt(op, "x", 1);
  TFE_OpSetAttrInt(op, "i", -7);
  ExpectError(op, TF_INVALID_ARGUMENT, "CKinds has no attribute 'x'");
  op = NewKinds(context);
  TFE_OpSetAttrInt(op, "f", 1);
  ExpectError(op, TF_INVALID_ARGUMENT, "'f' is of kind float, the value is of kind int");
  op = NewKinds(context);
  TFE_OpSetAttrInt(op, NULL, 1);
  ExpectError(op, TF_INVALID_ARGUMENT, "attr_name is null");
  op = NewKinds(context);
  TFE_OpSetAttrString(op, "s", NULL, 3);
  ExpectError(op, TF_INVALID_ARGUMENT, "value is null");
  op = NewKinds(context);
  TFE_OpSetAttrType(op, "t", (TF_DataType)101);
  ExpectError(op, TF_INVALID_ARGUMENT, "101");
  op = NewKinds(context);
  TFE_OpSetAttrIntList(op, "is", NULL, 2);
  ExpectError(op, TF_INVALID_ARGUMENT, "values is null");
  op = NewKinds(context);
  TFE_OpSetAttrFloatList(op, "fs", NULL, -2);
  ExpectError(op, TF_INVALID_ARGUMENT, "-2");
  op = NewKinds(context);
  TFE_OpSetAttrStringList(op, "ss", NULL, NULL, 1);
  ExpectError(op, TF_INVALID_ARGUMENT, "values is null");
  op = NewKinds(context);
  const int64_t negative[] = {-2};
  TFE_OpSetAttrShape(op, "shape", negative, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-2");
  TFE_OpSetAttrShape(op, "shape", NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  TFE_OpSetAttrShape(op, "shape", negative, -2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-2");
  TFE_OpSetAttrShapeList(op, "shapes", NULL, NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  TFE_OpSetAttrTensor(op, "tensor", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "tensor is null");
  ExpectError(op, TF_OK, "");
  TF_DeleteStatus(status);
}

static void TestFunctions(TFE_Context* context) {
  TFE_Op* op = NewKinds(context);
  TFE_OpSetAttrFunction(op, "f", op);
  ExpectError(op, TF_UNIMPLEMENTED, "TFE_OpSetAttrFunction is");
  op = NewKinds(context);
  TFE_OpSetAttrFunctionName(op, "f", "g", 1);
  ExpectError(op, TF_UNIMPLEMENTED, "TFE_OpSetAttrFunctionName");
  op = NewKinds(context);
  TFE_OpSetAttrFunctionList(op, "f", NULL, 0);
  ExpectError(op, TF_UNIMPLEMENTED, "TFE_OpSetAttrFunctionList");
}

int main(void) {
  TFE_Context* context = NewContext();
  Define();
  TestKinds(context);
  TestSetters(context);
  TestMistakes(context);
  TestFunctions(context);
  TFE_DeleteContext(context);
  return Failures();
}
