// Tests of tensors: memory, shapes, strings, conversions.

#include <stdlib.h>

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static int num_deallocations = 0;

static void CountDeallocation(void* data, size_t len, void* arg) {
  ++num_deallocations;
  CHECK_EQ(len, *(size_t*)arg);
  free(data);
}

// A new block of memory whose address is `remainder` modulo 64, and lies in `*block`.
static char* BlockAt(size_t remainder, size_t size, char** block) {
  *block = malloc(size + 128);
  const size_t past = (size_t)((uintptr_t)*block % 64);
  char* data = *block + (64 - past) + remainder;
  memset(data, 0, size);
  return data;
}

static int num_releases = 0;

static void CountRelease(void* data, size_t len, void* arg) {
  (void)data;
  (void)len;
  (void)arg;
  ++num_releases;
}

static void TestMemoryOfCaller(void) {
  const int64_t dims[2] = {2, 3};
  size_t len = 6 * sizeof(float);
  float* data = malloc(len);
  for (int i = 0; i < 6; ++i) data[i] = (float)i;
  TF_Tensor* tensor =
      TF_NewTensor(TF_FLOAT, dims, 2, data, len, &CountDeallocation, &len);
  CHECK_EQ(TF_TensorType(tensor), TF_FLOAT);
  CHECK_EQ(TF_NumDims(tensor), 2);
  CHECK_EQ(TF_Dim(tensor, 0), 2);
  CHECK_EQ(TF_Dim(tensor, 1), 3);
  CHECK_EQ(TF_Dim(tensor, 2), -1);
  CHECK_EQ(TF_Dim(tensor, -1), -1);
  CHECK_EQ(TF_TensorByteSize(tensor), len);
  CHECK_EQ(TF_TensorElementCount(tensor), 6);
  CHECK(TF_TensorData(tensor) == data);
  CHECK(TF_TensorMaybeMove(tensor) == NULL);  // the memory is not minitf's
  CHECK_EQ(num_deallocations, 0);
  TF_DeleteTensor(tensor);
  CHECK_EQ(num_deallocations, 1);
}

static void TestAlignment(void) {
  const int64_t dims[1] = {4};
  char* block = NULL;
  char* data = BlockAt(0, 16, &block);
  TF_Tensor* aligned = TF_NewTensor(TF_FLOAT, dims, 1, data, 16, &CountRelease, NULL);
  CHECK(TF_TensorIsAligned(aligned));
  CHECK(TF_TensorData(aligned) == data);
  TF_DeleteTensor(aligned);
  CHECK_EQ(num_releases, 1);
  free(block);

  // Aligned for floats, which is enough: no copy.
  data = BlockAt(4, 16, &block);
  TF_Tensor* shifted = TF_NewTensor(TF_FLOAT, dims, 1, data, 16, &CountRelease, NULL);
  CHECK(!TF_TensorIsAligned(shifted));
  CHECK(TF_TensorData(shifted) == data);
  TF_DeleteTensor(shifted);
  CHECK_EQ(num_releases, 2);
  free(block);

  // Not aligned for floats: a copy, and the memory goes back at once.
  data = BlockAt(1, 16, &block);
  data[0] = 7;
  TF_Tensor* copied = TF_NewTensor(TF_FLOAT, dims, 1, data, 16, &CountRelease, NULL);
  CHECK_EQ(num_releases, 3);
  CHECK(TF_TensorData(copied) != data);
  CHECK(TF_TensorIsAligned(copied));
  CHECK_EQ(((char*)TF_TensorData(copied))[0], 7);
  TF_DeleteTensor(copied);
  CHECK_EQ(num_releases, 3);
  free(block);
  CHECK(!TF_TensorIsAligned(NULL));
}

static void TestRefusedTensors(void) {
  const int64_t dims[2] = {2, 3};
  const int64_t negative[1] = {-1};
  const int64_t huge[3] = {1ll << 40, 1ll << 40, 1ll << 40};
  float data[6] = {0};
  num_releases = 0;
  CHECK(TF_NewTensor(TF_FLOAT, dims, 2, data, 23, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, negative, 1, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, huge, 3, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, NULL, 2, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, dims, -1, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_FLOAT, dims, 2, NULL, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor((TF_DataType)99, dims, 2, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_RESOURCE, dims, 2, data, 24, &CountRelease, NULL) == NULL);
  CHECK(TF_NewTensor(TF_STRING, dims, 2, data, 24, &CountRelease, NULL) == NULL);
  CHECK_EQ(num_releases, 9);
  CHECK(TF_NewTensor(TF_FLOAT, negative, 1, data, 24, NULL, NULL) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, dims, 2, 23) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, NULL, 1, 24) == NULL);
  CHECK(TF_AllocateTensor((TF_DataType)0, dims, 2, 24) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, negative, 1, 24) == NULL);
}

static void TestNullTensor(void) {
  CHECK_EQ(TF_TensorType(NULL), 0);
  CHECK_EQ(TF_NumDims(NULL), -1);
  CHECK_EQ(TF_Dim(NULL, 0), -1);
  CHECK_EQ(TF_TensorByteSize(NULL), 0);
  CHECK_EQ(TF_TensorElementCount(NULL), 0);
  CHECK(TF_TensorData(NULL) == NULL);
  CHECK(TF_TensorMaybeMove(NULL) == NULL);
  TF_DeleteTensor(NULL);
}

static void TestAllocatedTensors(void) {
  const int64_t dims[2] = {2, 3};
  TF_Tensor* tensor = TF_AllocateTensor(TF_INT64, dims, 2, 48);
  CHECK(TF_TensorIsAligned(tensor));
  CHECK_EQ(TF_TensorByteSize(tensor), 48);
  memset(TF_TensorData(tensor), 1, 48);
  const void* data = TF_TensorData(tensor);
  TF_Tensor* moved = TF_TensorMaybeMove(tensor);
  CHECK(moved != NULL && TF_TensorData(moved) == data);
  TF_DeleteTensor(moved);

  const int64_t none[2] = {0, 3};
  TF_Tensor* empty = TF_AllocateTensor(TF_FLOAT, none, 2, 0);
  CHECK(empty != NULL);
  CHECK_EQ(TF_TensorElementCount(empty), 0);
  CHECK_EQ(TF_TensorByteSize(empty), 0);
  TF_DeleteTensor(empty);

  TF_Tensor* scalar = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  CHECK_EQ(TF_NumDims(scalar), 0);
  CHECK_EQ(TF_TensorElementCount(scalar), 1);
  TF_DeleteTensor(scalar);
}

static void TestBitcast(TF_Status* status) {
  const int64_t four[1] = {4};
  const int64_t two[2] = {2, 1};
  const float values[4] = {1, 2, 3, 4};
  TF_Tensor* from = Floats(four, 1, values);
  TF_Tensor* to = Scalar(0);
  TF_TensorBitcastFrom(from, TF_COMPLEX64, to, two, 2, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorType(to), TF_COMPLEX64);
  CHECK_EQ(TF_NumDims(to), 2);
  CHECK(TF_TensorData(to) == TF_TensorData(from));
  CHECK(TF_TensorMaybeMove(from) == NULL);  // `to` shares the memory
  TF_TensorBitcastFrom(from, TF_FLOAT, to, two, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the new shape [2,1] has 2 elements");
  CHECK_EQ(TF_TensorType(to), TF_COMPLEX64);
  TF_TensorBitcastFrom(from, TF_STRING, to, four, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "fixed size");
  TF_TensorBitcastFrom(NULL, TF_FLOAT, to, four, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "from is null");
  TF_TensorBitcastFrom(from, TF_FLOAT, NULL, four, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "to is null");
  TF_TensorBitcastFrom(from, TF_FLOAT, to, NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);
}

static void TestStrings(TF_Status* status) {
  char bytes[300];
  CHECK_EQ(TF_StringEncodedSize(0), 1);
  CHECK_EQ(TF_StringEncodedSize(127), 128);
  CHECK_EQ(TF_StringEncodedSize(128), 130);
  CHECK_EQ(TF_StringEncodedSize(1 << 14), (1 << 14) + 3);
  CHECK_EQ(TF_StringEncode("erin", 4, bytes, sizeof(bytes), status), 5);
  CHECK_OK(status);
  CHECK_EQ(bytes[0], 4);
  const char* text = NULL;
  size_t length = 0;
  CHECK_EQ(TF_StringDecode(bytes, 5, &text, &length, status), 5);
  CHECK_OK(status);
  CHECK(length == 4 && memcmp(text, "erin", 4) == 0);

  CHECK_EQ(TF_StringEncode("erin", 4, bytes, 4, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dst_len is 4; a string of 4 bytes needs 5");
  CHECK_EQ(TF_StringEncode(NULL, 4, bytes, 9, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "src is null");
  CHECK_EQ(TF_StringEncode("a", 1, NULL, 9, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dst_len is 0");
  CHECK_EQ(TF_StringEncode("a", SIZE_MAX, bytes, 9, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "more than memory has");
  CHECK_EQ(TF_StringDecode(bytes, 4, &text, &length, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "before the end of the data");
  CHECK_EQ(TF_StringDecode(bytes, 0, &text, &length, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "not a varint");
  memset(bytes, 0xff, sizeof(bytes));
  CHECK_EQ(TF_StringDecode(bytes, sizeof(bytes), &text, &length, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "not a varint");
  CHECK_EQ(TF_StringDecode(NULL, 4, &text, &length, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "src is null");
  CHECK_EQ(TF_StringDecode(bytes, 4, NULL, &length, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dst is null");
  CHECK_EQ(TF_StringDecode(bytes, 4, &text, NULL, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dst_len is null");
}

// A TF_STRING tensor of two elements, whose second one begins at `offset`.
static TF_Tensor* TwoStrings(uint64_t offset, TF_Status* status) {
  const int64_t dims[1] = {2};
  const size_t data_size = 5 + 204;
  TF_Tensor* tensor = TF_AllocateTensor(TF_STRING, dims, 1, 16 + data_size);
  char* bytes = TF_TensorData(tensor);
  const uint64_t offsets[2] = {0, offset};
  memcpy(bytes, offsets, sizeof(offsets));
  char text[202];
  memset(text, 'x', sizeof(text));
  TF_StringEncode("erin", 4, bytes + 16, 5, status);
  TF_StringEncode(text, sizeof(text), bytes + 21, 204, status);
  return tensor;
}

static void TestStringTensors(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* strings = Const(graph, TwoStrings(5, status), "strings", status);
  CHECK_OK(status);
  TF_Tensor* result = RunOnce(graph, Out(strings), status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorElementCount(result), 2);
  const char* bytes = TF_TensorData(result);
  uint64_t offsets[2];
  memcpy(offsets, bytes, sizeof(offsets));
  const char* text = NULL;
  size_t length = 0;
  const size_t end = TF_TensorByteSize(result) - 16;
  CHECK(TF_StringDecode(bytes + 16 + offsets[0], end - offsets[0], &text, &length,
                        status) > 0);
  CHECK(length == 4 && memcmp(text, "erin", 4) == 0);
  CHECK(TF_StringDecode(bytes + 16 + offsets[1], end - offsets[1], &text, &length,
                        status) > 0);
  CHECK_EQ(length, 202);
  TF_DeleteTensor(result);

  const uint64_t wrong[3] = {209, 1ull << 63, 208};
  for (int i = 0; i < 3; ++i) {
    TF_Tensor* tensor = TwoStrings(wrong[i], status);
    TF_OperationDescription* desc = TF_NewOperation(graph, "Const", "wrong");
    TF_SetAttrTensor(desc, "value", tensor, status);
    CHECK_CODE(status, TF_INVALID_ARGUMENT, i < 2 ? "leads out of" : "before the end");
    TF_DeleteTensor(tensor);
    CHECK(TF_FinishOperation(desc, status) == NULL);
  }
  TF_DeleteGraph(graph);
}

// Bools other than 0 and 1 are refused: C++ has two.
static void TestBools(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  const int64_t dims[1] = {3};
  TF_Tensor* tensor = TF_AllocateTensor(TF_BOOL, dims, 1, 3);
  memcpy(TF_TensorData(tensor), "\0\1\2", 3);
  TF_OperationDescription* desc = TF_NewOperation(graph, "Const", "c");
  TF_SetAttrTensor(desc, "value", tensor, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "element 2 of a TF_BOOL tensor is 2");
  TF_DeleteTensor(tensor);
  tensor = TF_AllocateTensor(TF_QINT8, dims, 1, 3);
  TF_SetAttrTensor(desc, "value", tensor, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "element type 11");
  TF_DeleteTensor(tensor);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  TF_DeleteGraph(graph);
}

// dtype DT_INT32, shape [2], int_val 5 and 6.
static const char kMessage[] = "\x08\x03\x12\x04\x12\x02\x08\x02\x3a\x02\x05\x06";

static void TestTensorFromProto(TF_Status* status) {
  TF_Tensor* tensor = Scalar(1);
  TF_Buffer* buffer = TF_NewBufferFromString(kMessage, sizeof(kMessage) - 1);
  TF_TensorFromProto(buffer, tensor, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorType(tensor), TF_INT32);
  CHECK_EQ(TF_Dim(tensor, 0), 2);
  CHECK_EQ(((const int32_t*)TF_TensorData(tensor))[1], 6);
  TF_TensorFromProto(buffer, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "to is null");
  TF_TensorFromProto(NULL, tensor, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "from is null");
  buffer->length -= 1;
  TF_TensorFromProto(buffer, tensor, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "");
  CHECK_EQ(TF_TensorType(tensor), TF_INT32);
  TF_DeleteBuffer(buffer);
  TF_DeleteTensor(tensor);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TestMemoryOfCaller();
  TestAlignment();
  TestRefusedTensors();
  TestNullTensor();
  TestAllocatedTensors();
  TestBitcast(status);
  TestStrings(status);
  TestStringTensors(status);
  TestBools(status);
  TestTensorFromProto(status);
  TF_DeleteStatus(status);
  return Failures();
}
