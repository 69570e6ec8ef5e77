// Tests of queries: types, neighbours, consumers, devices, NodeDefs.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static int Contains(const TF_Buffer* buffer, const char* text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= buffer->length; ++i) {
    if (memcmp((const char*)buffer->data + i, text, length) == 0) return 1;
  }
  return 0;
}

static void TestEdges(TF_Graph* graph, TF_Status* status) {
  TF_Operation* a = TF_GraphOperationByName(graph, "a");
  TF_Operation* b = TF_GraphOperationByName(graph, "b");
  TF_Operation* sum = TF_GraphOperationByName(graph, "sum");
  CHECK_EQ(TF_OperationNumInputs(sum), 3);
  CHECK_EQ(TF_OperationNumOutputs(sum), 1);
  CHECK_EQ(TF_OperationInputListLength(sum, "inputs", status), 3);
  CHECK_OK(status);
  CHECK_EQ(TF_OperationOutputListLength(sum, "sum", status), 1);
  CHECK_OK(status);
  const TF_Input second = {sum, 1};
  CHECK_EQ(TF_OperationInputType(second), TF_FLOAT);
  CHECK_EQ(TF_OperationOutputType(Out(sum)), TF_FLOAT);
  CHECK(TF_OperationInput(second).oper == b);
  CHECK_EQ(TF_OperationInput(second).index, 0);
  TF_Output inputs[3] = {{NULL, 5}, {NULL, 5}, {NULL, 5}};
  TF_OperationAllInputs(sum, inputs, 2);
  CHECK(inputs[0].oper == a && inputs[1].oper == b && inputs[2].oper == NULL);

  CHECK_EQ(TF_OperationOutputNumConsumers(Out(a)), 2);
  TF_Input consumers[2] = {{NULL, 0}, {NULL, 0}};
  CHECK_EQ(TF_OperationOutputConsumers(Out(a), consumers, 1), 2);
  CHECK(consumers[0].oper == sum && consumers[0].index == 0);
  CHECK(consumers[1].oper == NULL);
  CHECK_EQ(TF_OperationOutputConsumers(Out(a), consumers, 2), 2);
  CHECK(consumers[1].oper == sum && consumers[1].index == 2);
  CHECK_EQ(TF_OperationOutputConsumers(Out(a), NULL, 2), 2);

  CHECK_EQ(TF_OperationNumControlInputs(sum), 1);
  TF_Operation* controls[1] = {NULL};
  CHECK_EQ(TF_OperationGetControlInputs(sum, controls, 1), 1);
  CHECK(controls[0] == b);
  controls[0] = NULL;
  CHECK_EQ(TF_OperationGetControlInputs(sum, controls, -1), 1);
  CHECK(controls[0] == NULL);
  CHECK_EQ(TF_OperationNumControlOutputs(b), 1);
  CHECK_EQ(TF_OperationGetControlOutputs(b, controls, 1), 1);
  CHECK(controls[0] == sum);
  CHECK_EQ(TF_OperationNumControlOutputs(sum), 0);
}

static void TestTexts(TF_Graph* graph, TF_Status* status) {
  TF_Operation* sum = TF_GraphOperationByName(graph, "sum");
  CHECK_TEXT(TF_OperationName(sum), "sum");
  CHECK_TEXT(TF_OperationOpType(sum), "AddN");
  CHECK_TEXT(TF_OperationDevice(sum), "/device:CPU:0");
  CHECK_TEXT(TF_OperationDevice(TF_GraphOperationByName(graph, "a")), "");
  TF_Buffer* def = TF_NewBuffer();
  TF_OperationToNodeDef(sum, def, status);
  CHECK_OK(status);
  CHECK(Contains(def, "AddN") && Contains(def, "^b") && Contains(def, "loc:@a"));
  CHECK(Contains(def, "/device:CPU:0"));
  TF_OperationToNodeDef(sum, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "buffer is null");
  TF_OperationToNodeDef(NULL, def, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "oper is null");
  TF_DeleteBuffer(def);
}

static void TestWrongQueries(TF_Graph* graph, TF_Status* status) {
  TF_Operation* sum = TF_GraphOperationByName(graph, "sum");
  CHECK(TF_OperationName(NULL) == NULL);
  CHECK(TF_OperationOpType(NULL) == NULL);
  CHECK(TF_OperationDevice(NULL) == NULL);
  CHECK_EQ(TF_OperationNumInputs(NULL), 0);
  CHECK_EQ(TF_OperationNumOutputs(NULL), 0);
  CHECK_EQ(TF_OperationNumControlInputs(NULL), 0);
  CHECK_EQ(TF_OperationNumControlOutputs(NULL), 0);
  CHECK_EQ(TF_OperationGetControlInputs(NULL, NULL, 0), 0);
  CHECK_EQ(TF_OperationGetControlOutputs(NULL, NULL, 0), 0);
  CHECK_EQ(TF_OperationOutputNumConsumers(Out(NULL)), 0);
  CHECK_EQ(TF_OperationOutputConsumers(Out(NULL), NULL, 0), 0);
  TF_OperationAllInputs(NULL, NULL, 1);
  for (int index = -1; index < 4; index += 4) {
    const TF_Output output = {sum, index};
    const TF_Input input = {sum, index};
    CHECK_EQ(TF_OperationOutputType(output), 0);
    CHECK_EQ(TF_OperationInputType(input), 0);
    CHECK(TF_OperationInput(input).oper == NULL);
    CHECK_EQ(TF_OperationInput(input).index, -1);
    CHECK_EQ(TF_OperationOutputNumConsumers(output), 0);
  }
  CHECK_EQ(TF_OperationInputListLength(sum, "foo", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'sum' (AddN) has no argument 'foo'");
  CHECK_EQ(TF_OperationOutputListLength(sum, "inputs", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no argument 'inputs'");
  CHECK_EQ(TF_OperationInputListLength(sum, NULL, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "arg_name is null");
  CHECK_EQ(TF_OperationOutputListLength(NULL, "sum", status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "oper is null");
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* a = Placeholder(graph, TF_FLOAT, "a", status);
  TF_Operation* b = Placeholder(graph, TF_FLOAT, "b", status);
  const TF_Output three[3] = {Out(a), Out(b), Out(a)};
  TF_OperationDescription* desc = TF_NewOperation(graph, "AddN", "sum");
  TF_AddInputList(desc, three, 3);
  TF_AddControlInput(desc, b);
  TF_SetDevice(desc, "/device:CPU:0");
  TF_ColocateWith(desc, a);
  TF_ColocateWith(desc, b);
  CHECK(TF_FinishOperation(desc, status) != NULL);
  CHECK_OK(status);
  TestEdges(graph, status);
  TestTexts(graph, status);
  TestWrongQueries(graph, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return Failures();
}
