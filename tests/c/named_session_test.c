// Tests of sessions that own their graph and take names.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

// The GraphDef of x (a placeholder) and y = -x.
static TF_Buffer* FirstPart(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  Unary(graph, "Neg", Out(x), "y", status);
  TF_Buffer* def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, status);
  CHECK_OK(status);
  TF_DeleteGraph(graph);
  return def;
}

// name: "z", op: "Neg", input: "y:0", attr { key: "T" value { type: DT_FLOAT } }
static const char kSecondPart[] =
    "\x0a\x16\x0a\x01z\x12\x03Neg\x1a\x03y:0\x2a\x07\x0a\x01T\x12\x02\x30\x01\x22\x00";

static TF_DeprecatedSession* NewSession(TF_Status* status) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_DeprecatedSession* session = TF_NewDeprecatedSession(options, status);
  CHECK_OK(status);
  TF_DeleteSessionOptions(options);
  return session;
}

static void TestRun(const TF_Buffer* first, TF_Status* status) {
  TF_DeprecatedSession* session = NewSession(status);
  TF_ExtendGraph(session, first->data, first->length, status);
  CHECK_OK(status);
  TF_ExtendGraph(session, first->data, first->length, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Node name 'x' already exists");
  TF_ExtendGraph(session, kSecondPart, sizeof(kSecondPart) - 1, status);
  CHECK_OK(status);

  const char* inputs[1] = {"x"};
  const char* outputs[2] = {"y:0", "z"};
  const char* targets[1] = {"y"};
  TF_Tensor* feeds[1] = {Scalar(4)};  // TF_Run deletes it
  TF_Tensor* results[2] = {NULL, NULL};
  TF_Run(session, NULL, inputs, feeds, 1, outputs, results, 2, targets, 1, NULL, status);
  CHECK_OK(status);
  CHECK(TakeScalar(results[0]) == -4 && TakeScalar(results[1]) == 4);

  TF_DeviceList* devices = TF_DeprecatedSessionListDevices(session, status);
  CHECK_OK(status);
  CHECK(TF_DeviceListCount(devices) >= 1);
  TF_DeleteDeviceList(devices);
  TF_CloseDeprecatedSession(session, status);
  CHECK_OK(status);
  feeds[0] = Scalar(4);
  TF_Run(session, NULL, inputs, feeds, 1, outputs, results, 2, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_CANCELLED, "closed Session");
  CHECK(results[0] == NULL && results[1] == NULL);
  TF_DeleteDeprecatedSession(session, status);
  CHECK_OK(status);
  feeds[0] = Scalar(4);
  TF_Run(session, NULL, inputs, feeds, 1, outputs, results, 2, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is a handle that was deleted");
  TF_DeleteDeprecatedSession(session, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is a handle that was deleted");
}

// Runs `output` with x fed, and expects an error.
static void ExpectRefused(TF_DeprecatedSession* session, const char* input,
                          const char* output, const char* target, TF_Code code,
                          const char* part) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* feed = Scalar(4);
  TF_Tensor* result = NULL;
  TF_Run(session, NULL, &input, &feed, 1, &output, &result, 1, &target, 1, NULL, status);
  CHECK_CODE(status, code, part);
  CHECK(result == NULL);
  TF_DeleteStatus(status);
}

static void TestErrors(const TF_Buffer* first, TF_Status* status) {
  TF_DeprecatedSession* session = NewSession(status);
  TF_ExtendGraph(session, first->data, first->length, status);
  ExpectRefused(session, "x", "foo:0", "y", TF_NOT_FOUND, "no operation 'foo'");
  ExpectRefused(session, "foo", "y:0", "y", TF_NOT_FOUND, "no operation 'foo'");
  ExpectRefused(session, "x", "y:0", "foo", TF_NOT_FOUND, "no operation 'foo'");
  ExpectRefused(session, "x", "y:1", "y", TF_INVALID_ARGUMENT, "has no output 1");
  ExpectRefused(session, "x", "^y", "y", TF_INVALID_ARGUMENT, "the control input '^y'");
  ExpectRefused(session, NULL, "y", "y", TF_INVALID_ARGUMENT, "input_names is null");
  ExpectRefused(session, "x", "y", NULL, TF_INVALID_ARGUMENT,
                "target_oper_names is null");
  ExpectRefused(NULL, "x", "y", "y", TF_INVALID_ARGUMENT, "session is null");
  TF_Run(session, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "input_names is null");
  TF_ExtendGraph(session, NULL, 4, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "proto has no data");
  TF_ExtendGraph(session, "\xff", 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "");
  TF_ExtendGraph(NULL, "", 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is null");
  CHECK(TF_NewDeprecatedSession(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "opts is null");
  CHECK(TF_DeprecatedSessionListDevices(NULL, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is null");
  TF_CloseDeprecatedSession(NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "session is null");
  TF_DeleteDeprecatedSession(session, status);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Buffer* first = FirstPart(status);
  TestRun(first, status);
  TestErrors(first, status);
  TF_DeleteBuffer(first);
  TF_DeleteStatus(status);
  return Failures();
}
