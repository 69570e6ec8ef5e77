// Tests of sessions: options, feeds, fetches, targets, metadata, devices, errors.

#include <pthread.h>

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static TF_Session* NewSession(TF_Graph* graph, TF_Status* status) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  CHECK_OK(status);
  TF_DeleteSessionOptions(options);
  return session;
}

// A graph with x (a placeholder), y = -x and v, a variable that `init` sets to 7.
static TF_Graph* SmallGraph(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  Unary(graph, "Neg", Out(x), "y", status);
  TF_OperationDescription* desc = TF_NewOperation(graph, "VarHandleOp", "v");
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  TF_SetAttrShape(desc, "shape", NULL, 0);
  TF_Operation* v = TF_FinishOperation(desc, status);
  TF_Operation* seven = Const(graph, Scalar(7), "seven", status);
  Binary(graph, "AssignVariableOp", Out(v), Out(seven), "init", status);
  desc = TF_NewOperation(graph, "ReadVariableOp", "read");
  TF_AddInput(desc, Out(v));
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  TF_FinishOperation(desc, status);
  CHECK_OK(status);
  return graph;
}

static TF_Output Named(TF_Graph* graph, const char* name) {
  return Out(TF_GraphOperationByName(graph, name));
}

static void TestRun(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Output x = Named(graph, "x");
  const TF_Output outputs[2] = {Named(graph, "y"), x};
  TF_Tensor* feed = Scalar(4);
  TF_Tensor* results[2] = {NULL, NULL};
  TF_SessionRun(session, NULL, &x, &feed, 1, outputs, results, 2, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK(TF_TensorData(results[1]) != TF_TensorData(feed));  // a result is the caller's
  CHECK(TakeScalar(results[0]) == -4 && TakeScalar(results[1]) == 4);

  // A target runs; a session keeps the variable; a graph grows.
  const TF_Operation* target = TF_GraphOperationByName(graph, "init");
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
  CHECK_OK(status);
  TF_Operation* twice =
      Binary(graph, "Add", Named(graph, "read"), Named(graph, "read"), "twice", status);
  const TF_Output late = Out(twice);
  TF_SessionRun(session, NULL, NULL, NULL, 0, &late, results, 1, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK(TakeScalar(results[0]) == 14);

  // The graph exists as long as the session.
  TF_DeleteGraph(graph);
  TF_SessionRun(session, NULL, NULL, NULL, 0, &late, results, 1, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK(TakeScalar(results[0]) == 14);
  TF_DeleteTensor(feed);
  TF_DeleteSession(session, status);
  CHECK_OK(status);
}

// A handle comes out as a TF_RESOURCE tensor, and may be fed again.
static void TestResources(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Operation* target = TF_GraphOperationByName(graph, "init");
  const TF_Output v = Named(graph, "v");
  const TF_Output fed = Out(Placeholder(graph, TF_RESOURCE, "fed", status));
  TF_OperationDescription* desc = TF_NewOperation(graph, "ReadVariableOp", "read_fed");
  TF_AddInput(desc, fed);
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  const TF_Output read = Out(TF_FinishOperation(desc, status));
  TF_Tensor* handle = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &v, &handle, 1, &target, 1, NULL, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorType(handle), TF_RESOURCE);
  CHECK_EQ(TF_TensorByteSize(handle), 0);
  CHECK(TF_TensorData(handle) == NULL);
  TF_Tensor* value = NULL;
  TF_SessionRun(session, NULL, &fed, &handle, 1, &read, &value, 1, NULL, 0, NULL, status);
  CHECK_OK(status);
  CHECK(TakeScalar(value) == 7);
  TF_DeleteTensor(handle);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
}

static void TestMetadata(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Output x = Named(graph, "x");
  const TF_Output y = Named(graph, "y");
  TF_Tensor* feed = Scalar(4);
  TF_Tensor* result = NULL;
  TF_Buffer* options = TF_NewBufferFromString("\x08\x03", 2);  // FULL_TRACE
  TF_Buffer* metadata = TF_NewBuffer();
  TF_SessionRun(session, options, &x, &feed, 1, &y, &result, 1, NULL, 0, metadata,
                status);
  CHECK_OK(status);
  CHECK(TakeScalar(result) == -4);
  CHECK(metadata->length > 20);
  TF_SessionRun(session, options, &x, &feed, 1, &y, &result, 1, NULL, 0, metadata,
                status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "non-empty run_metadata");
  CHECK(result == NULL);
  TF_DeleteBuffer(metadata);
  metadata = TF_NewBuffer();
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, &result, 1, NULL, 0, metadata, status);
  CHECK_OK(status);
  CHECK(TakeScalar(result) == -4);
  TF_DeleteBuffer(metadata);
  TF_Buffer* wrong = TF_NewBufferFromString("\xff", 1);
  TF_SessionRun(session, wrong, &x, &feed, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK(TF_GetCode(status) != TF_OK);
  TF_DeleteBuffer(wrong);
  TF_DeleteBuffer(options);
  TF_DeleteTensor(feed);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
}

static void TestWrongRuns(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Graph* other = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Output x = Named(graph, "x");
  const TF_Output y = Named(graph, "y");
  const TF_Output foreign = Named(other, "x");
  const TF_Output past = {y.oper, 1};
  const TF_Output nothing = {NULL, 0};
  const TF_Output twice[2] = {x, x};
  const TF_Operation* targets[2] = {NULL, foreign.oper};
  TF_Tensor* feed = Scalar(4);
  TF_Tensor* const feeds[2] = {feed, feed};
  TF_Tensor* result = feed;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'x'");
  CHECK(result == NULL);
  TF_SessionRun(session, NULL, &foreign, &feed, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "inputs: operation 'x' (Placeholder)");
  TF_SessionRun(session, NULL, &x, &feed, 1, &past, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "node 'y' (Neg) has no output 1");
  TF_SessionRun(session, NULL, &x, &feed, 1, &nothing, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "outputs is null");
  TF_SessionRun(session, NULL, twice, feeds, 2, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Tensor 'x:0' is fed twice");
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, &result, 1, targets, 1, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "an element of target_opers is null");
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, &result, 1, targets + 1, 1, NULL,
                status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "belongs to another graph");
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, &result, 1, NULL, 1, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "target_opers is null");
  TF_SessionRun(session, NULL, &x, NULL, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input_values is null");
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, NULL, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output_values is null");
  TF_SessionRun(session, NULL, &x, &feed, -1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of inputs is -1");
  TF_SessionRun(NULL, NULL, &x, &feed, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is null");
  TF_DeleteTensor(feed);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

static void TestWrongFeeds(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Output x = Named(graph, "x");
  const TF_Output y = Named(graph, "y");
  TF_Tensor* nothing = NULL;
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, &x, &nothing, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "an element of input_values is null");
  TF_Tensor* number = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
  memset(TF_TensorData(number), 0, 4);
  TF_SessionRun(session, NULL, &x, &number, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Cannot feed value of type int32");
  TF_DeleteTensor(number);
  TF_Tensor* quantized = TF_AllocateTensor(TF_QINT8, NULL, 0, 1);
  TF_SessionRun(session, NULL, &x, &quantized, 1, &y, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "element type 11");
  TF_DeleteTensor(quantized);
  const TF_Output read = Named(graph, "read");
  TF_SessionRun(session, NULL, NULL, NULL, 0, &read, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_FAILED_PRECONDITION, "");  // the variable has no value
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
}

static void TestClosedSessions(TF_Status* status) {
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  const TF_Output seven = Named(graph, "seven");
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the step has nothing to do");
  TF_CloseSession(session, status);
  CHECK_OK(status);
  TF_SessionRun(session, NULL, NULL, NULL, 0, &seven, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_CANCELLED, "closed Session");
  TF_CloseSession(session, status);
  CHECK_OK(status);
  TF_DeleteSession(session, status);
  CHECK_OK(status);
  TF_SessionRun(session, NULL, NULL, NULL, 0, &seven, &result, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is a handle that was deleted");
  TF_DeleteSession(session, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is a handle that was deleted");
  TF_CloseSession(NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is null");
  CHECK(TF_SessionListDevices(session, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is a handle that was deleted");
  TF_DeleteGraph(graph);
}

static void TestOptions(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_SetTarget(options, "local");
  TF_SetConfig(options, "\x10\x01\x28\x01", 4, status);  // one thread of each kind
  CHECK_OK(status);
  TF_Session* session = TF_NewSession(graph, options, status);
  CHECK_OK(status);
  TF_DeleteSession(session, status);
  TF_SetConfig(options, "\xff", 1, status);
  CHECK(TF_GetCode(status) != TF_OK);
  TF_SetConfig(options, NULL, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "proto has no data");
  TF_SetConfig(NULL, "", 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "options is null");
  TF_SetTarget(options, NULL);
  TF_SetTarget(NULL, "");
  TF_SetTarget(options, "grpc://localhost:1");
  CHECK(TF_NewSession(graph, options, status) == NULL);
  CHECK_CODE(status, TF_NOT_FOUND, "target 'grpc://localhost:1'");
  CHECK(TF_NewSession(graph, NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "opts is null");
  CHECK(TF_NewSession(NULL, options, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_DeleteSessionOptions(options);
  CHECK(TF_NewSession(graph, options, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "opts is a handle that was deleted");
  TF_DeleteSessionOptions(options);
  TF_DeleteSessionOptions(NULL);
  TF_DeleteGraph(graph);
}

static void TestDevices(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Session* session = NewSession(graph, status);
  TF_DeviceList* list = TF_SessionListDevices(session, status);
  CHECK_OK(status);
  CHECK(TF_DeviceListCount(list) >= 1);
  CHECK_TEXT(TF_DeviceListName(list, 0, status),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  CHECK_TEXT(TF_DeviceListType(list, 0, status), "CPU");
  CHECK(TF_DeviceListMemoryBytes(list, 0, status) > 0);
  CHECK(TF_DeviceListIncarnation(list, 0, status) != 0);
  CHECK_OK(status);
  const int past = TF_DeviceListCount(list);
  CHECK(TF_DeviceListName(list, past, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "but the list has");
  CHECK(TF_DeviceListType(list, -1, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "index is -1");
  CHECK_EQ(TF_DeviceListMemoryBytes(list, past, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "but the list has");
  CHECK_EQ(TF_DeviceListIncarnation(list, past, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "but the list has");
  TF_DeleteDeviceList(list);
  CHECK_EQ(TF_DeviceListCount(list), 0);
  CHECK_EQ(TF_DeviceListCount(NULL), 0);
  CHECK(TF_DeviceListName(NULL, 0, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "list is null");
  TF_DeleteDeviceList(NULL);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
}

typedef struct {
  TF_Session* session;
  TF_Output x;
  TF_Output y;
  int num_right;
} Runs;

static void* RunMany(void* argument) {
  Runs* runs = argument;
  TF_Status* status = TF_NewStatus();
  for (int i = 0; i < 50; ++i) {
    TF_Tensor* feed = Scalar((float)i);
    TF_Tensor* result = NULL;
    TF_SessionRun(runs->session, NULL, &runs->x, &feed, 1, &runs->y, &result, 1, NULL, 0,
                  NULL, status);
    TF_DeleteTensor(feed);
    runs->num_right += TF_GetCode(status) == TF_OK && TakeScalar(result) == -(float)i;
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void TestThreads(TF_Status* status) {
  enum { kThreads = 4 };
  TF_Graph* graph = SmallGraph(status);
  TF_Session* session = NewSession(graph, status);
  Runs runs[kThreads];
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    runs[i] = (Runs){session, Named(graph, "x"), Named(graph, "y"), 0};
    pthread_create(&threads[i], NULL, &RunMany, &runs[i]);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    CHECK_EQ(runs[i].num_right, 50);
  }
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TestRun(status);
  TestResources(status);
  TestMetadata(status);
  TestWrongRuns(status);
  TestWrongFeeds(status);
  TestClosedSessions(status);
  TestOptions(status);
  TestDevices(status);
  TestThreads(status);
  TF_DeleteStatus(status);
  return Failures();
}
