// Attributes that a kernel in C reads when it is made: every kind, and every mistake.

#include <limits.h>

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"
#include "tests/c/eager_helpers.h"

static int num_read = 0;

// ---- Single values --------------------------------------------------------------------

static void ReadNumbers(TF_OpKernelConstruction* node, TF_Status* status) {
  int32_t narrow = 0;
  int64_t wide = 0;
  float real = 0;
  TF_Bool truth = 7;
  TF_DataType type = TF_FLOAT;
  TF_OpKernelConstruction_GetAttrInt32(node, "i", &narrow, status);
  CHECK_OK(status);
  CHECK_EQ(narrow, -3);
  TF_OpKernelConstruction_GetAttrInt64(node, "large", &wide, status);
  CHECK_OK(status);
  CHECK_EQ(wide, 1LL << 40);
  TF_OpKernelConstruction_GetAttrInt32(node, "large", &narrow, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "does not fit into 32 bits");
  TF_OpKernelConstruction_GetAttrFloat(node, "f", &real, status);
  CHECK_OK(status);
  CHECK(real == 0.5f);
  TF_OpKernelConstruction_GetAttrBool(node, "b", &truth, status);
  CHECK_OK(status);
  CHECK_EQ(truth, 1);
  TF_OpKernelConstruction_GetAttrType(node, "t", &type, status);
  CHECK_OK(status);
  CHECK_EQ(type, TF_INT64);
}

static void ReadText(TF_OpKernelConstruction* node, TF_Status* status) {
  char text[4] = "....";
  int32_t list = 0;
  int32_t total = 0;
  TF_OpKernelConstruction_GetAttrSize(node, "s", &list, &total, status);
  CHECK_OK(status);
  CHECK_EQ(list, -1);
  CHECK_EQ(total, 3);
  TF_OpKernelConstruction_GetAttrString(node, "s", text, 4, status);
  CHECK_OK(status);
  CHECK(memcmp(text, "abc.", 4) == 0);
  TF_OpKernelConstruction_GetAttrString(node, "s", memset(text, '.', 4), 2, status);
  CHECK(memcmp(text, "ab..", 4) == 0);
  TF_OpKernelConstruction_GetAttrString(node, "s", NULL, 0, status);
  CHECK_OK(status);
  TF_OpKernelConstruction_GetAttrString(node, "s", NULL, 4, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "val is null");
}

static void ReadOthers(TF_OpKernelConstruction* node, TF_Status* status) {
  int32_t list = 0;
  int32_t total = 0;
  TF_OpKernelConstruction_GetAttrSize(node, "shape", &list, &total, status);
  CHECK_OK(status);
  CHECK_EQ(list, -1);
  CHECK_EQ(total, 2);
  TF_OpKernelConstruction_GetAttrSize(node, "unknown", &list, &total, status);
  CHECK_EQ(total, -1);
  TF_OpKernelConstruction_GetAttrSize(node, "i", &list, &total, status);
  CHECK_EQ(list, -1);
  CHECK_EQ(total, -1);
  TF_OpKernelConstruction_GetAttrSize(node, "i", NULL, NULL, status);
  CHECK_OK(status);

  TF_Tensor* tensor = NULL;
  TF_OpKernelConstruction_GetAttrTensor(node, "tensor", &tensor, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorType(tensor), TF_FLOAT);
  CHECK(*(const float*)TF_TensorData(tensor) == 2.5f);
  TF_DeleteTensor(tensor);
  TF_OpKernelConstruction_GetAttrTensor(node, "tensor", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "val is null");
}

// ---- Lists ----------------------------------------------------------------------------

static void ReadIntLists(TF_OpKernelConstruction* node, TF_Status* status) {
  int32_t narrow[3] = {9, 9, 9};
  int64_t wide[3] = {9, 9, 9};
  int32_t list = 0;
  TF_OpKernelConstruction_GetAttrSize(node, "is", &list, NULL, status);
  CHECK_EQ(list, 2);
  TF_OpKernelConstruction_GetAttrInt32List(node, "is", narrow, 3, status);
  CHECK_OK(status);
  CHECK(narrow[0] == 4 && narrow[1] == -5 && narrow[2] == 9);
  TF_OpKernelConstruction_GetAttrInt64List(node, "is", wide, 1, status);
  CHECK_OK(status);
  CHECK(wide[0] == 4 && wide[1] == 9);
  TF_OpKernelConstruction_GetAttrInt32List(node, "large_is", narrow, 3, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "does not fit into 32 bits");
  TF_OpKernelConstruction_GetAttrInt64List(node, "is", NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "vals is null");
  TF_OpKernelConstruction_GetAttrInt64List(node, "is", wide, -1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-1");
  TF_OpKernelConstruction_GetAttrInt64List(node, "is", NULL, 0, status);
  CHECK_OK(status);
}

static void ReadOtherLists(TF_OpKernelConstruction* node, TF_Status* status) {
  float reals[2] = {0, 0};
  TF_Bool truths[2] = {9, 9};
  TF_DataType types[2] = {TF_FLOAT, TF_FLOAT};
  int32_t list = 0;
  int32_t total = 0;
  TF_OpKernelConstruction_GetAttrFloatList(node, "fs", reals, 2, status);
  CHECK_OK(status);
  CHECK(reals[0] == 1.5f && reals[1] == 0);
  TF_OpKernelConstruction_GetAttrBoolList(node, "bs", truths, 2, status);
  CHECK_OK(status);
  CHECK(truths[0] == 1 && truths[1] == 0);
  TF_OpKernelConstruction_GetAttrTypeList(node, "ts", types, 2, status);
  CHECK_OK(status);
  CHECK(types[0] == TF_HALF && types[1] == TF_BOOL);
  TF_OpKernelConstruction_GetAttrSize(node, "shapes", &list, &total, status);
  CHECK_OK(status);
  CHECK_EQ(list, 3);
  CHECK_EQ(total, 3);
}

static void ReadTextList(TF_OpKernelConstruction* node, TF_Status* status) {
  char* texts[3] = {NULL, NULL, NULL};
  size_t lengths[3] = {9, 9, 9};
  char storage[8] = {0};
  int32_t list = 0;
  int32_t total = 0;
  TF_OpKernelConstruction_GetAttrSize(node, "ss", &list, &total, status);
  CHECK_EQ(list, 3);
  CHECK_EQ(total, 3);
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", texts, lengths, 3, storage, 3,
                                            status);
  CHECK_OK(status);
  CHECK(lengths[0] == 1 && lengths[1] == 0 && lengths[2] == 2);
  CHECK(texts[0] == storage && texts[2] == storage + 1);
  CHECK(memcmp(storage, "xyz", 3) == 0);
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", texts, lengths, 3, storage, 2,
                                            status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage_size is 2");
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", texts, lengths, 1, storage, 1,
                                            status);
  CHECK_OK(status);
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", NULL, lengths, 3, storage, 8,
                                            status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "vals is null");
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", texts, NULL, 3, storage, 8,
                                            status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "lengths is null");
  TF_OpKernelConstruction_GetAttrStringList(node, "ss", texts, lengths, 3, NULL, 8,
                                            status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage is null");
}

// ---- Mistakes -------------------------------------------------------------------------

static void ReadWrongly(TF_OpKernelConstruction* node, TF_Status* status) {
  int64_t wide = 0;
  float real = 0;
  int32_t size = 0;
  CHECK(TF_OpKernelConstruction_HasAttr(node, "i", status));
  CHECK(!TF_OpKernelConstruction_HasAttr(node, "j", status));
  CHECK_OK(status);
  CHECK(!TF_OpKernelConstruction_HasAttr(node, NULL, status));
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  CHECK(!TF_OpKernelConstruction_HasAttr(NULL, "i", status));
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_OpKernelConstruction_GetAttrInt64(node, "j", &wide, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'j' is not set");
  TF_OpKernelConstruction_GetAttrFloat(node, "i", &real, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "of kind int, not float");
  TF_OpKernelConstruction_GetAttrInt64(node, NULL, &wide, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TF_OpKernelConstruction_GetAttrInt64(node, "i", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "val is null");
  TF_OpKernelConstruction_GetAttrInt64(NULL, "i", &wide, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_OpKernelConstruction_GetAttrSize(node, "j", &size, &size, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'j' is not set");
  TF_OpKernelConstruction_GetAttrSize(NULL, "i", &size, &size, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
}

static void* ReadAll(TF_OpKernelConstruction* node) {
  TF_Status* status = TF_NewStatus();
  ReadNumbers(node, status);
  ReadText(node, status);
  ReadOthers(node, status);
  ReadIntLists(node, status);
  ReadOtherLists(node, status);
  ReadTextList(node, status);
  ReadWrongly(node, status);
  CHECK_EQ(TF_OpKernelConstruction_GetName(node).len, 0);
  TF_DeleteStatus(status);
  ++num_read;
  return NULL;
}

static void DoNothing(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  (void)ctx;
}

static void* FailWithoutReason(TF_OpKernelConstruction* node) {
  TF_OpKernelConstruction_Failure(node, NULL);
  return NULL;
}

static void Register(const char* name, const char* const* attrs, int num_attrs,
                     void* (*create)(TF_OpKernelConstruction*)) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  for (int i = 0; i < num_attrs; ++i) TF_OpDefinitionBuilderAddAttr(op, attrs[i]);
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  TF_KernelBuilder* kernel = TF_NewKernelBuilder(name, "CPU", create, &DoNothing, NULL);
  TF_RegisterKernelBuilder(name, kernel, status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

int main(void) {
  static const char* const attrs[] = {
      "i: int = -3",
      "large: int = 1099511627776",
      "f: float = 0.5",
      "b: bool = true",
      "t: type = DT_INT64",
      "s: string = 'abc'",
      "shape: shape = [2, ?]",
      "unknown: shape = <unknown>",
      "tensor: tensor",
      "is: list(int) = [4, -5]",
      "large_is: list(int) = [1099511627776]",
      "fs: list(float) = [1.5]",
      "bs: list(bool) = [true, false]",
      "ts: list(type) = [DT_HALF, DT_BOOL]",
      "ss: list(string) = ['x', '', 'yz']",
      "shapes: list(shape) = [[1, 2], <unknown>, [3]]",
  };
  TF_Status* status = TF_NewStatus();
  Register("CAttrs", attrs, sizeof(attrs) / sizeof(attrs[0]), &ReadAll);
  TFE_Context* context = NewContext();
  TFE_Op* op = TFE_NewOp(context, "CAttrs", status);
  const float element = 2.5f;
  TF_Tensor* tensor = TensorOf(TF_FLOAT, 0, NULL, &element);
  TFE_OpSetAttrTensor(op, "tensor", tensor, status);
  CHECK_OK(status);
  TF_DeleteTensor(tensor);
  int num_results = 0;
  TFE_Execute(op, NULL, &num_results, status);
  CHECK_OK(status);
  CHECK_EQ(num_read, 1);
  TFE_DeleteOp(op);

  Register("CFail", NULL, 0, &FailWithoutReason);
  op = TFE_NewOp(context, "CFail", status);
  TFE_Execute(op, NULL, &num_results, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "CFail: the status of a failure is null");
  TFE_DeleteOp(op);
  TF_OpKernelConstruction_Failure(NULL, status);
  CHECK_EQ(TF_OpKernelConstruction_GetName(NULL).len, 0);
  TFE_DeleteContext(context);
  TF_DeleteStatus(status);
  return Failures();
}
