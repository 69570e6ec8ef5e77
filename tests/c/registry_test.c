// Tests of libraries, lists of ops and kernels, and the log.
//
//   registry_test LIBRARY    a library of ops

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static int Contains(const void* data, size_t length, const char* text) {
  const size_t size = strlen(text);
  for (size_t i = 0; i + size <= length; ++i) {
    if (memcmp((const char*)data + i, text, size) == 0) return 1;
  }
  return 0;
}

static void TestLibraries(const char* path, TF_Status* status) {
  TF_Library* library = TF_LoadLibrary(path, status);
  CHECK_OK(status);
  TF_Buffer ops = TF_GetOpList(library);
  CHECK(Contains(ops.data, ops.length, "CScaledAdd"));
  CHECK(!Contains(ops.data, ops.length, "MatMul"));
  TF_Library* again = TF_LoadLibrary(path, status);
  CHECK_OK(status);
  TF_DeleteLibraryHandle(library);
  ops = TF_GetOpList(again);
  CHECK(Contains(ops.data, ops.length, "CScaledAdd"));
  TF_DeleteLibraryHandle(again);
  CHECK(TF_GetOpList(again).data == NULL);
  CHECK(TF_GetOpList(NULL).data == NULL);
  TF_DeleteLibraryHandle(again);
  TF_DeleteLibraryHandle(NULL);

  CHECK(TF_LoadLibrary("/nowhere/libnone.so", status) == NULL);
  CHECK_CODE(status, TF_NOT_FOUND, "cannot load '/nowhere/libnone.so'");
  CHECK(TF_LoadLibrary(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "library_filename is null");
}

static void TestLists(TF_Status* status) {
  TF_Buffer* ops = TF_GetAllOpList();
  CHECK(Contains(ops->data, ops->length, "MatMul"));
  CHECK(Contains(ops->data, ops->length, "transpose_a"));
  TF_DeleteBuffer(ops);
  TF_Buffer* kernels = TF_GetAllRegisteredKernels(status);
  CHECK_OK(status);
  CHECK(Contains(kernels->data, kernels->length, "MatMul"));
  CHECK(Contains(kernels->data, kernels->length, "CPU"));
  TF_Buffer* some = TF_GetRegisteredKernelsForOp("MatMul", status);
  CHECK_OK(status);
  CHECK(Contains(some->data, some->length, "MatMul"));
  CHECK(!Contains(some->data, some->length, "Conv2D"));
  CHECK(some->length < kernels->length);
  TF_DeleteBuffer(some);
  TF_DeleteBuffer(kernels);
  some = TF_GetRegisteredKernelsForOp("Foo", status);
  CHECK_OK(status);
  CHECK_EQ(some->length, 0);
  TF_DeleteBuffer(some);
  CHECK(TF_GetRegisteredKernelsForOp(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "name is null");
}

static char printed[2][64];

static void First(const char* text) { strncat(printed[0], text, 30); }
static void Second(const char* text) { strncat(printed[1], text, 30); }

// Runs PrintV2 with "hello".
static void Print(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Tensor* text = TF_AllocateTensor(TF_STRING, NULL, 0, 8 + 6);
  memset(TF_TensorData(text), 0, 8);
  TF_StringEncode("hello", 5, (char*)TF_TensorData(text) + 8, 6, status);
  TF_Operation* constant = Const(graph, text, "text", status);
  TF_Operation* print = Unary(graph, "PrintV2", Out(constant), "print", status);
  CHECK_OK(status);
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  const TF_Operation* target = print;
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
  CHECK_OK(status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
}

static void TestLog(TF_Status* status) {
  TF_RegisterLogListener(NULL);
  TF_RegisterLogListener(&First);
  Print(status);
  CHECK_TEXT(printed[0], "hello\n");
  TF_RegisterLogListener(&Second);
  Print(status);
  CHECK_TEXT(printed[0], "hello\nhello\n");
  CHECK_TEXT(printed[1], "hello\n");
}

int main(int argc, char** argv) {
  TF_Status* status = TF_NewStatus();
  CHECK_EQ(argc, 2);
  if (argc == 2) TestLibraries(argv[1], status);
  TestLists(status);
  TestLog(status);
  TF_DeleteStatus(status);
  return Failures();
}
