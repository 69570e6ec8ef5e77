// Tests of the functions that minitf does not have: each says so, with its name.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static void TestAttributes(TF_Graph* graph, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "NoOp", "n");
  TF_SetAttrPlaceholder(desc, "_p", "T");
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SetAttrPlaceholder is not implemented");
  desc = TF_NewOperation(graph, "NoOp", "n");
  TF_SetAttrFuncName(desc, "_f", "f", 1);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SetAttrFuncName");
  desc = TF_NewOperation(graph, "NoOp", "n");
  TF_SetAttrTensorList(desc, "_l", NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SetAttrTensorList");
  TF_Operation* oper = TF_FinishOperation(desc, status);
  CHECK_OK(status);
  TF_OperationGetAttrTensorList(oper, "_l", NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_OperationGetAttrTensorList");
}

static void TestFunctions(TF_Graph* graph, TF_Status* status) {
  CHECK(TF_GraphToFunction(graph, "f", 0, -1, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL,
                           status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_GraphToFunction");
  CHECK(TF_GraphToFunctionWithControlOutputs(graph, "f", 0, -1, NULL, 0, NULL, 0, NULL,
                                             NULL, 0, NULL, NULL, NULL, NULL,
                                             status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_GraphToFunctionWithControlOutputs");
  CHECK(TF_FunctionName(NULL) == NULL);
  TF_FunctionToFunctionDef(NULL, NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_FunctionToFunctionDef");
  CHECK(TF_FunctionImportFunctionDef(NULL, 0, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_FunctionImportFunctionDef");
  TF_FunctionSetAttrValueProto(NULL, "a", NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_FunctionSetAttrValueProto");
  TF_FunctionGetAttrValueProto(NULL, "a", NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_FunctionGetAttrValueProto");
  TF_DeleteFunction(NULL);
  TF_GraphCopyFunction(graph, NULL, NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_GraphCopyFunction");
  CHECK_EQ(TF_GraphNumFunctions(graph), 0);
  CHECK_EQ(TF_GraphGetFunctions(graph, NULL, 0, status), 0);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_GraphGetFunctions");
}

static void TestSessions(TF_Graph* graph, TF_Status* status) {
  CHECK(TF_LoadSessionFromSavedModel(NULL, NULL, "dir", NULL, 0, graph, NULL, status) ==
        NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_LoadSessionFromSavedModel");
  const char* handle = "";
  TF_SessionPRunSetup(NULL, NULL, 0, NULL, 0, NULL, 0, &handle, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SessionPRunSetup");
  CHECK(handle == NULL);
  TF_Tensor* tensor = Scalar(1);
  TF_Tensor* result = tensor;
  TF_SessionPRun(NULL, handle, NULL, &tensor, 1, NULL, &result, 1, NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_SessionPRun");
  CHECK(result == NULL);
  TF_DeletePRunHandle(handle);
  TF_Reset(NULL, NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_Reset");
  handle = "";
  TF_PRunSetup(NULL, NULL, 0, NULL, 0, NULL, 0, &handle, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_PRunSetup");
  CHECK(handle == NULL);
  result = tensor;
  TF_PRun(NULL, handle, NULL, &tensor, 1, NULL, &result, 1, NULL, 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_PRun");  // it has deleted the input
  CHECK(result == NULL);
}

static void TestOthers(TF_Status* status) {
  CHECK(TF_NewApiDefMap(NULL, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_NewApiDefMap");
  TF_ApiDefMapPut(NULL, "", 0, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_ApiDefMapPut");
  CHECK(TF_ApiDefMapGet(NULL, "", 0, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_ApiDefMapGet");
  TF_DeleteApiDefMap(NULL);
  CHECK(TF_NewServer(NULL, 0, status) == NULL);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_NewServer");
  TF_ServerStart(NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_ServerStart");
  TF_ServerStop(NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_ServerStop");
  TF_ServerJoin(NULL, status);
  CHECK_CODE(status, TF_UNIMPLEMENTED, "TF_ServerJoin");
  CHECK(TF_ServerTarget(NULL) == NULL);
  TF_DeleteServer(NULL);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TestAttributes(graph, status);
  TestFunctions(graph, status);
  TestSessions(graph, status);
  TestOthers(status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return Failures();
}
