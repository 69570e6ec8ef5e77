// Tests of attributes: every kind is set, read back and described.
//
// Any operation may have attributes whose names begin with "_", of any kind.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

// unknown_rank: true; and dim { size: 4 }
static const char kUnknownRank[] = "\x18\x01";
static const char kVectorOfFour[] = "\x12\x02\x08\x04";
// i: 5; and func { name: "f" }
static const char kFive[] = "\x18\x05";
static const char kFunction[] =
    "\x52\x03\x0a\x01"
    "f";

static TF_Operation* AllKinds(TF_Graph* graph, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "NoOp", "all");
  const void* const strings[2] = {"ab", "cde"};
  const size_t lengths[2] = {2, 3};
  const int64_t ints[2] = {3, -4};
  const float floats[2] = {0.5f, 1.5f};
  const unsigned char bools[3] = {1, 0, 7};
  const TF_DataType types[2] = {TF_FLOAT, TF_INT32};
  const int64_t dims[2] = {2, -1};
  const int64_t* const shapes[3] = {dims, NULL, NULL};
  const int ranks[3] = {2, -1, 0};
  TF_SetAttrString(desc, "_s", "text", 4);
  TF_SetAttrStringList(desc, "_ss", strings, lengths, 2);
  TF_SetAttrInt(desc, "_i", 42);
  TF_SetAttrIntList(desc, "_is", ints, 2);
  TF_SetAttrFloat(desc, "_f", 2.5f);
  TF_SetAttrFloatList(desc, "_fs", floats, 2);
  TF_SetAttrBool(desc, "_b", 9);
  TF_SetAttrBoolList(desc, "_bs", bools, 3);
  TF_SetAttrType(desc, "_t", TF_INT64);
  TF_SetAttrTypeList(desc, "_ts", types, 2);
  TF_SetAttrShape(desc, "_h", dims, 2);
  TF_SetAttrShape(desc, "_unknown", NULL, -1);
  TF_SetAttrShapeList(desc, "_hs", shapes, ranks, 3);
  TF_SetAttrTensorShapeProto(desc, "_hp", kVectorOfFour, 4, status);
  CHECK_OK(status);
  const void* const protos[2] = {kVectorOfFour, kUnknownRank};
  const size_t proto_lens[2] = {4, 2};
  TF_SetAttrTensorShapeProtoList(desc, "_hps", protos, proto_lens, 2, status);
  CHECK_OK(status);
  TF_Tensor* tensor = Scalar(8);
  TF_SetAttrTensor(desc, "_tensor", tensor, status);
  CHECK_OK(status);
  *(float*)TF_TensorData(tensor) = 9;  // the attribute keeps 8
  TF_DeleteTensor(tensor);
  TF_SetAttrValueProto(desc, "_p", kFive, 2, status);
  CHECK_OK(status);
  TF_Operation* oper = TF_FinishOperation(desc, status);
  CHECK_OK(status);
  return oper;
}

static void ExpectMetadata(TF_Operation* oper, const char* name, TF_AttrType type,
                           int is_list, int64_t list_size, int64_t total_size) {
  TF_Status* status = TF_NewStatus();
  const TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(oper, name, status);
  CHECK_OK(status);
  CHECK_EQ(metadata.type, type);
  CHECK_EQ(metadata.is_list, is_list);
  CHECK_EQ(metadata.list_size, list_size);
  CHECK_EQ(metadata.total_size, total_size);
  TF_DeleteStatus(status);
}

static void TestMetadata(TF_Operation* oper) {
  ExpectMetadata(oper, "_s", TF_ATTR_STRING, 0, -1, 4);
  ExpectMetadata(oper, "_ss", TF_ATTR_STRING, 1, 2, 5);
  ExpectMetadata(oper, "_i", TF_ATTR_INT, 0, -1, -1);
  ExpectMetadata(oper, "_is", TF_ATTR_INT, 1, 2, -1);
  ExpectMetadata(oper, "_f", TF_ATTR_FLOAT, 0, -1, -1);
  ExpectMetadata(oper, "_fs", TF_ATTR_FLOAT, 1, 2, -1);
  ExpectMetadata(oper, "_b", TF_ATTR_BOOL, 0, -1, -1);
  ExpectMetadata(oper, "_bs", TF_ATTR_BOOL, 1, 3, -1);
  ExpectMetadata(oper, "_t", TF_ATTR_TYPE, 0, -1, -1);
  ExpectMetadata(oper, "_ts", TF_ATTR_TYPE, 1, 2, -1);
  ExpectMetadata(oper, "_h", TF_ATTR_SHAPE, 0, -1, 2);
  ExpectMetadata(oper, "_unknown", TF_ATTR_SHAPE, 0, -1, -1);
  ExpectMetadata(oper, "_hs", TF_ATTR_SHAPE, 1, 3, 2);
  ExpectMetadata(oper, "_tensor", TF_ATTR_TENSOR, 0, -1, -1);
}

static void TestScalars(TF_Operation* oper, TF_Status* status) {
  char text[4] = "....";
  TF_OperationGetAttrString(oper, "_s", text, 2, status);
  CHECK(memcmp(text, "te..", 4) == 0);
  TF_OperationGetAttrString(oper, "_s", text, 99, status);
  CHECK(memcmp(text, "text", 4) == 0);
  int64_t i = 0;
  TF_OperationGetAttrInt(oper, "_i", &i, status);
  CHECK_EQ(i, 42);
  TF_OperationGetAttrInt(oper, "_p", &i, status);
  CHECK_EQ(i, 5);
  float f = 0;
  TF_OperationGetAttrFloat(oper, "_f", &f, status);
  CHECK(f == 2.5f);
  unsigned char b = 0;
  TF_OperationGetAttrBool(oper, "_b", &b, status);
  CHECK_EQ(b, 1);
  TF_DataType t = TF_FLOAT;
  TF_OperationGetAttrType(oper, "_t", &t, status);
  CHECK_EQ(t, TF_INT64);
  CHECK_OK(status);
  TF_Tensor* tensor = NULL;
  TF_OperationGetAttrTensor(oper, "_tensor", &tensor, status);
  CHECK_OK(status);
  *(float*)TF_TensorData(tensor) += 1;  // changes the copy alone
  TF_DeleteTensor(tensor);
  TF_OperationGetAttrTensor(oper, "_tensor", &tensor, status);
  CHECK(TakeScalar(tensor) == 8);
}

static void TestLists(TF_Operation* oper, TF_Status* status) {
  void* values[2] = {NULL, NULL};
  size_t lengths[2] = {0, 0};
  char storage[5];
  TF_OperationGetAttrStringList(oper, "_ss", values, lengths, 2, storage, 5, status);
  CHECK_OK(status);
  CHECK(lengths[0] == 2 && memcmp(values[0], "ab", 2) == 0);
  CHECK(lengths[1] == 3 && memcmp(values[1], "cde", 3) == 0);
  int64_t ints[3] = {0, 0, 7};
  TF_OperationGetAttrIntList(oper, "_is", ints, 3, status);
  CHECK(ints[0] == 3 && ints[1] == -4 && ints[2] == 7);
  ints[1] = 7;
  TF_OperationGetAttrIntList(oper, "_is", ints, 1, status);
  CHECK(ints[0] == 3 && ints[1] == 7);
  float floats[2] = {0, 0};
  TF_OperationGetAttrFloatList(oper, "_fs", floats, 2, status);
  CHECK(floats[0] == 0.5f && floats[1] == 1.5f);
  unsigned char bools[3] = {5, 5, 5};
  TF_OperationGetAttrBoolList(oper, "_bs", bools, 3, status);
  CHECK(bools[0] == 1 && bools[1] == 0 && bools[2] == 1);
  TF_DataType types[2] = {TF_BOOL, TF_BOOL};
  TF_OperationGetAttrTypeList(oper, "_ts", types, 2, status);
  CHECK(types[0] == TF_FLOAT && types[1] == TF_INT32);
  CHECK_OK(status);
}

static void TestShapes(TF_Operation* oper, TF_Status* status) {
  int64_t dims[3] = {7, 7, 7};
  TF_OperationGetAttrShape(oper, "_h", dims, 3, status);
  CHECK_OK(status);
  CHECK(dims[0] == 2 && dims[1] == -1 && dims[2] == 7);
  TF_OperationGetAttrShape(oper, "_unknown", dims, 0, status);
  CHECK_OK(status);
  TF_OperationGetAttrShape(oper, "_hp", dims, 1, status);
  CHECK_EQ(dims[0], 4);
  int64_t* shapes[3] = {NULL, NULL, NULL};
  int ranks[3] = {7, 7, 7};
  int64_t storage[2] = {0, 0};
  TF_OperationGetAttrShapeList(oper, "_hs", shapes, ranks, 3, storage, 2, status);
  CHECK_OK(status);
  CHECK(ranks[0] == 2 && ranks[1] == -1 && ranks[2] == 0);
  CHECK(shapes[0][0] == 2 && shapes[0][1] == -1);

  TF_Buffer* buffer = TF_NewBuffer();
  TF_OperationGetAttrTensorShapeProto(oper, "_hp", buffer, status);
  CHECK_OK(status);
  CHECK_EQ(buffer->length, 4);
  CHECK(memcmp(buffer->data, kVectorOfFour, 4) == 0);
  TF_Buffer* buffers[2] = {NULL, NULL};
  TF_OperationGetAttrTensorShapeProtoList(oper, "_hps", buffers, 2, status);
  CHECK_OK(status);
  CHECK(buffers[1]->length == 2 && memcmp(buffers[1]->data, kUnknownRank, 2) == 0);
  TF_DeleteBuffer(buffers[0]);
  TF_DeleteBuffer(buffers[1]);
  TF_OperationGetAttrValueProto(oper, "_p", buffer, status);
  CHECK_OK(status);
  CHECK(buffer->length == 2 && memcmp(buffer->data, kFive, 2) == 0);
  TF_DeleteBuffer(buffer);
}

static const char kKind[] = "operation 'all' (NoOp): attribute '_s' is of kind string";

// Every getter refuses an attribute of another kind, a missing one and null.
static void TestWrongReads(TF_Operation* oper, TF_Status* status) {
  int64_t i = 0;
  float f = 0;
  unsigned char b = 0;
  TF_DataType t = TF_FLOAT;
  TF_Tensor* tensor = NULL;
  TF_OperationGetAttrInt(oper, "_s", &i, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrFloat(oper, "_s", &f, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrBool(oper, "_s", &b, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrType(oper, "_s", &t, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrShape(oper, "_s", &i, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrTensor(oper, "_s", &tensor, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrString(oper, "_i", &i, 8, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "is of kind int; expected string");
  TF_OperationGetAttrMetadata(oper, "_none", status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no attribute '_none'");
  TF_OperationGetAttrString(oper, "_none", &i, 8, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no attribute '_none'");
  TF_OperationGetAttrInt(oper, "_none", &i, status);
  CHECK_CODE(status, TF_NOT_FOUND, "has no attribute '_none'");
  TF_OperationGetAttrShape(oper, "_none", &i, 1, status);
  CHECK_CODE(status, TF_NOT_FOUND, "has no attribute '_none'");
  TF_OperationGetAttrTensor(oper, "_none", &tensor, status);
  CHECK_CODE(status, TF_NOT_FOUND, "has no attribute '_none'");
  TF_OperationGetAttrInt(NULL, "_i", &i, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "oper is null");
  TF_OperationGetAttrInt(oper, NULL, &i, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TF_OperationGetAttrInt(oper, "_i", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_OperationGetAttrTensor(oper, "_tensor", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
}

static void TestWrongListReads(TF_Operation* oper, TF_Status* status) {
  int64_t i = 0;
  float f = 0;
  unsigned char b = 0;
  TF_DataType t = TF_FLOAT;
  void* p = NULL;
  int64_t* dims = NULL;
  size_t length = 0;
  int rank = 0;
  TF_Buffer* buffer = TF_NewBuffer();
  TF_OperationGetAttrIntList(oper, "_s", &i, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrFloatList(oper, "_s", &f, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrBoolList(oper, "_s", &b, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrTypeList(oper, "_s", &t, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrStringList(oper, "_s", &p, &length, 1, &i, 8, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrShapeList(oper, "_s", &dims, &rank, 1, &i, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrTensorShapeProto(oper, "_s", buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrTensorShapeProtoList(oper, "_s", &buffer, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, kKind);
  TF_OperationGetAttrValueProto(oper, "_none", buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no attribute '_none'");
  TF_DeleteBuffer(buffer);
}

static void TestShortBuffers(TF_Operation* oper, TF_Status* status) {
  void* values[2] = {NULL, NULL};
  size_t lengths[2] = {0, 0};
  int64_t* shapes[3] = {NULL, NULL, NULL};
  int ranks[3] = {0, 0, 0};
  int64_t storage[2] = {0, 0};
  TF_OperationGetAttrStringList(oper, "_ss", values, lengths, 2, storage, 4, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage_size is 4; 2 strings");
  TF_OperationGetAttrStringList(oper, "_ss", values, lengths, 2, NULL, 5, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage is null");
  TF_OperationGetAttrStringList(oper, "_ss", values, NULL, 2, storage, 5, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "lengths is null");
  TF_OperationGetAttrStringList(oper, "_ss", NULL, lengths, 2, storage, 5, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "values is null");
  TF_OperationGetAttrStringList(oper, "_ss", values, lengths, -1, storage, 5, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of values is -1");
  TF_OperationGetAttrString(oper, "_s", NULL, 4, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_OperationGetAttrShape(oper, "_h", storage, -1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of value is -1");
  TF_OperationGetAttrShape(oper, "_h", storage, 1, status);  // the first dimension
  CHECK_OK(status);
  TF_OperationGetAttrShape(oper, "_h", NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_OperationGetAttrShapeList(oper, "_hs", shapes, ranks, 3, storage, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage_size is 1; 3 shapes");
  TF_OperationGetAttrShapeList(oper, "_hs", shapes, ranks, 3, NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "storage is null");
  TF_OperationGetAttrIntList(oper, "_is", NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "values is null");
  TF_OperationGetAttrIntList(oper, "_is", storage, -2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of values is -2");
}

static TF_OperationDescription* NoOp(TF_Graph* graph) {
  return TF_NewOperation(graph, "NoOp", "wrong");
}

static void ExpectRefused(TF_OperationDescription* desc, const char* part) {
  TF_Status* status = TF_NewStatus();
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, part);
  TF_DeleteStatus(status);
}

// A setter without a status reports through TF_FinishOperation.
static void TestWrongSetters(TF_Graph* graph, TF_Status* status) {
  const int64_t negative[1] = {-2};
  const int ranks[1] = {-3};
  const int64_t* const shapes[1] = {negative};
  TF_OperationDescription* desc = NULL;
  TF_SetAttrString(desc = NoOp(graph), "_s", NULL, 4);
  ExpectRefused(desc, "value is null; expected 4 bytes");
  TF_SetAttrString(desc = NoOp(graph), NULL, "a", 1);
  ExpectRefused(desc, "attr_name is null");
  TF_SetAttrStringList(desc = NoOp(graph), "_s", NULL, NULL, 1);
  ExpectRefused(desc, "lengths is null");
  TF_SetAttrIntList(desc = NoOp(graph), "_i", NULL, 1);
  ExpectRefused(desc, "values is null");
  TF_SetAttrFloatList(desc = NoOp(graph), "_f", NULL, -1);
  ExpectRefused(desc, "the number of elements of values is -1");
  TF_SetAttrBoolList(desc = NoOp(graph), "_b", NULL, 1);
  ExpectRefused(desc, "values is null");
  TF_SetAttrTypeList(desc = NoOp(graph), "_t", NULL, 1);
  ExpectRefused(desc, "values is null");
  TF_SetAttrType(desc = NoOp(graph), "_t", (TF_DataType)77);
  ExpectRefused(desc, "77 is not the number of an element type");
  TF_SetAttrShape(desc = NoOp(graph), "_h", NULL, 2);
  ExpectRefused(desc, "dims is null");
  TF_SetAttrShape(desc = NoOp(graph), "_h", negative, 1);
  ExpectRefused(desc, "-2");
  TF_SetAttrShapeList(desc = NoOp(graph), "_h", shapes, ranks, 1);
  ExpectRefused(desc, "the number of elements of dims is -3");
  TF_SetAttrShapeList(desc = NoOp(graph), "_h", NULL, ranks, 1);
  ExpectRefused(desc, "values is null");
  // The first error counts.
  TF_SetAttrType(desc = NoOp(graph), "_t", (TF_DataType)77);
  TF_SetAttrString(desc, "_s", NULL, 4);
  ExpectRefused(desc, "77 is not");
  // A kind that the op does not have, and a name that it does not have.
  desc = TF_NewOperation(graph, "Placeholder", "wrong");
  TF_SetAttrInt(desc, "dtype", 1);
  ExpectRefused(desc, "attribute 'dtype' must be of kind type, is 1");
  TF_SetAttrInt(desc = NoOp(graph), "foo", 1);
  ExpectRefused(desc, "has no attribute 'foo'");
  desc = TF_NewOperation(graph, "Placeholder", "wrong");
  ExpectRefused(desc, "attribute 'dtype' is not set");
  (void)status;
}

// A second value is an error if it differs, as in TensorFlow.
static void TestSetTwice(TF_Graph* graph, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "NoOp", "twice");
  TF_SetAttrInt(desc, "_i", 1);
  TF_SetAttrInt(desc, "_i", 1);
  CHECK(TF_FinishOperation(desc, status) != NULL);
  CHECK_OK(status);
  TF_SetAttrInt(desc = NoOp(graph), "_i", 1);
  TF_SetAttrInt(desc, "_i", 2);
  ExpectRefused(desc, "attribute '_i' is set twice, to different values");
}

static void TestWrongMessages(TF_Graph* graph, TF_Status* status) {
  TF_OperationDescription* desc = NoOp(graph);
  const void* const protos[1] = {NULL};
  const size_t proto_lens[1] = {3};
  TF_SetAttrTensorShapeProto(desc, "_h", "\xff", 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "TensorShapeProto");
  TF_SetAttrTensorShapeProto(desc, "_h", NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_SetAttrTensorShapeProtoList(desc, "_h", protos, proto_lens, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_SetAttrTensorShapeProtoList(desc, "_h", protos, NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "proto_lens is null");
  TF_SetAttrTensor(desc, "_t", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "value is null");
  TF_SetAttrTensor(NULL, "_t", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "desc is null");
  TF_SetAttrValueProto(desc, "_p", "\xff", 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "AttrValue");
  TF_SetAttrValueProto(desc, "_p", kFunction, 5, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "attribute '_p' is a function");
  TF_SetAttrValueProto(desc, NULL, kFive, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TF_SetAttrValueProto(desc, "_p", "", 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "");
  CHECK(TF_FinishOperation(desc, status) != NULL);  // these errors were reported
  CHECK_OK(status);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* oper = AllKinds(graph, status);
  TestMetadata(oper);
  TestScalars(oper, status);
  TestLists(oper, status);
  TestShapes(oper, status);
  TestWrongReads(oper, status);
  TestWrongListReads(oper, status);
  TestShortBuffers(oper, status);
  TestWrongSetters(graph, status);
  TestSetTwice(graph, status);
  TestWrongMessages(graph, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return Failures();
}
