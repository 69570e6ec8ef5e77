// Tests of versions, sizes of element types, statuses and buffers.

#include <stdlib.h>

#include "minitf/c/c_api.h"
#include "tests/c/check.h"

static void TestVersionAndSizes(void) {
  CHECK_TEXT(TF_Version(), "1.15.0");
  CHECK_EQ(TF_DataTypeSize(TF_FLOAT), 4);
  CHECK_EQ(TF_DataTypeSize(TF_DOUBLE), 8);
  CHECK_EQ(TF_DataTypeSize(TF_HALF), 2);
  CHECK_EQ(TF_DataTypeSize(TF_BOOL), 1);
  CHECK_EQ(TF_DataTypeSize(TF_QINT32), 4);
  CHECK_EQ(TF_DataTypeSize(TF_COMPLEX64), 8);
  CHECK_EQ(TF_DataTypeSize(TF_COMPLEX128), 16);
  CHECK_EQ(TF_DataTypeSize(TF_STRING), 0);
  CHECK_EQ(TF_DataTypeSize(TF_RESOURCE), 0);
  CHECK_EQ(TF_DataTypeSize((TF_DataType)0), 0);
  CHECK_EQ(TF_DataTypeSize((TF_DataType)999), 0);
}

static void TestStatus(void) {
  TF_Status* status = TF_NewStatus();
  CHECK_EQ(TF_GetCode(status), TF_OK);
  CHECK_TEXT(TF_Message(status), "");
  TF_SetStatus(status, TF_UNAUTHENTICATED, "who are you");
  CHECK_EQ(TF_GetCode(status), 16);
  CHECK_TEXT(TF_Message(status), "who are you");
  TF_SetStatus(status, TF_CANCELLED, NULL);
  CHECK_EQ(TF_GetCode(status), TF_CANCELLED);
  CHECK_TEXT(TF_Message(status), "");
  TF_SetStatus(status, TF_OK, "gone");
  CHECK_TEXT(TF_Message(status), "");
  TF_SetStatus(NULL, TF_OK, "");
  CHECK_EQ(TF_GetCode(NULL), TF_INVALID_ARGUMENT);
  CHECK(TF_Message(NULL) != NULL);
  TF_DeleteStatus(status);
  TF_DeleteStatus(NULL);
}

static size_t freed_bytes = 0;

static void CountFreed(void* data, size_t length) {
  freed_bytes += length;
  free(data);
}

static void TestBuffers(void) {
  TF_Buffer* copy = TF_NewBufferFromString("abc", 3);
  CHECK_EQ(copy->length, 3);
  CHECK(memcmp(copy->data, "abc", 3) == 0);
  CHECK(TF_GetBuffer(copy).data == copy->data);
  TF_DeleteBuffer(copy);

  TF_Buffer* empty = TF_NewBuffer();
  CHECK(empty->data == NULL && empty->length == 0 && empty->data_deallocator == NULL);
  empty->data = malloc(5);
  empty->length = 5;
  empty->data_deallocator = &CountFreed;
  TF_DeleteBuffer(empty);
  CHECK_EQ(freed_bytes, 5);

  TF_Buffer* nothing = TF_NewBufferFromString(NULL, 0);
  CHECK_EQ(nothing->length, 0);
  TF_DeleteBuffer(nothing);
  CHECK(TF_NewBufferFromString(NULL, 4) == NULL);
  CHECK(TF_GetBuffer(NULL).data == NULL);
  TF_DeleteBuffer(NULL);
}

int main(void) {
  TestVersionAndSizes();
  TestStatus();
  TestBuffers();
  return Failures();
}
