// Tests of GraphDefs: export, import, every option, every result.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

// The GraphDef of x (a placeholder), y = -x, and z = NoOp after y and x.
static TF_Buffer* SmallGraphDef(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  TF_Operation* y = Unary(graph, "Neg", Out(x), "y", status);
  TF_OperationDescription* desc = TF_NewOperation(graph, "NoOp", "z");
  TF_AddControlInput(desc, y);
  TF_AddControlInput(desc, x);
  TF_FinishOperation(desc, status);
  CHECK_OK(status);
  TF_Buffer* def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, status);
  CHECK_OK(status);
  TF_DeleteGraph(graph);
  return def;
}

static int NumOperations(TF_Graph* graph) {
  int count = 0;
  for (size_t pos = 0; TF_GraphNextOperation(graph, &pos) != NULL;) ++count;
  return count;
}

static void TestExport(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Buffer* buffer = TF_NewBuffer();
  TF_GraphToGraphDef(graph, buffer, status);
  CHECK_OK(status);
  TF_GraphVersions(graph, buffer, status);
  CHECK_OK(status);
  CHECK(buffer->length == 3 && memcmp(buffer->data, "\x08\x86\x01", 3) == 0);  // 134
  TF_GraphGetOpDef(graph, "MatMul", buffer, status);
  CHECK_OK(status);
  CHECK(buffer->length > 50 && memcmp(buffer->data, "\x0a\x06MatMul", 8) == 0);
  TF_GraphGetOpDef(graph, "Foo", buffer, status);
  CHECK_CODE(status, TF_NOT_FOUND, "'Foo'");
  TF_GraphGetOpDef(graph, NULL, buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "op_name is null");
  TF_GraphGetOpDef(NULL, "MatMul", buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_GraphVersions(NULL, buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_GraphVersions(graph, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "buffer is null");
  TF_GraphToGraphDef(NULL, buffer, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_GraphToGraphDef(graph, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "buffer is null");
  TF_DeleteBuffer(buffer);
  TF_DeleteGraph(graph);
}

static void TestNames(const TF_Buffer* def, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_OK(status);
  CHECK_EQ(NumOperations(graph), 3);
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Node name 'x' already exists in the Graph");
  CHECK_EQ(NumOperations(graph), 3);
  TF_ImportGraphDefOptionsSetUniquifyNames(options, 1);
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_OK(status);
  CHECK(TF_GraphOperationByName(graph, "y_1") != NULL);
  TF_ImportGraphDefOptionsSetUniquifyNames(options, 0);

  TF_ImportGraphDefOptionsSetPrefix(options, "in");
  TF_ImportGraphDefOptionsSetDefaultDevice(options, "/device:CPU:0");
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_OK(status);
  TF_Operation* y = TF_GraphOperationByName(graph, "in/y");
  CHECK_TEXT(TF_OperationDevice(y), "/device:CPU:0");
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the prefix 'in' is the name");
  TF_ImportGraphDefOptionsSetUniquifyPrefix(options, 1);
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_OK(status);
  CHECK(TF_GraphOperationByName(graph, "in_1/y") != NULL);
  TF_ImportGraphDefOptionsSetPrefix(options, "a b");
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'a b/x' is not a valid node name");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void TestMappings(const TF_Buffer* def, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* one = Const(graph, Scalar(1), "one", status);
  TF_Operation* two = Const(graph, Scalar(2), "two", status);
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "in/");
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, Out(one));
  TF_ImportGraphDefOptionsAddInputMapping(options, "nobody", 3, Out(one));
  TF_ImportGraphDefOptionsRemapControlDependency(options, "y", two);
  TF_ImportGraphDefOptionsAddControlDependency(options, two);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "x", 0);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "y", 0);
  TF_ImportGraphDefOptionsAddReturnOperation(options, "z");
  CHECK_EQ(TF_ImportGraphDefOptionsNumReturnOutputs(options), 2);
  CHECK_EQ(TF_ImportGraphDefOptionsNumReturnOperations(options), 1);
  TF_ImportGraphDefResults* results =
      TF_GraphImportGraphDefWithResults(graph, def, options, status);
  CHECK_OK(status);

  int count = 0;
  TF_Output* outputs = NULL;
  TF_ImportGraphDefResultsReturnOutputs(results, &count, &outputs);
  CHECK_EQ(count, 2);
  CHECK(outputs[0].oper == one && outputs[0].index == 0);
  TF_Operation* y = TF_GraphOperationByName(graph, "in/y");
  CHECK(outputs[1].oper == y);
  CHECK(TakeScalar(RunOnce(graph, outputs[1], status)) == -1);
  CHECK_EQ(TF_OperationNumControlInputs(y), 1);
  TF_Operation** opers = NULL;
  TF_ImportGraphDefResultsReturnOperations(results, &count, &opers);
  CHECK_EQ(count, 1);
  CHECK_TEXT(TF_OperationName(opers[0]), "in/z");
  TF_Operation* controls[2] = {NULL, NULL};
  CHECK_EQ(TF_OperationGetControlInputs(opers[0], controls, 2), 2);
  CHECK(controls[0] == two);
  CHECK_TEXT(TF_OperationName(controls[1]), "in/x");
  const char** names = NULL;
  int* indexes = NULL;
  TF_ImportGraphDefResultsMissingUnusedInputMappings(results, &count, &names, &indexes);
  CHECK_EQ(count, 1);
  CHECK_TEXT(names[0], "nobody");
  CHECK_EQ(indexes[0], 3);
  TF_DeleteImportGraphDefResults(results);
  TF_DeleteImportGraphDefResults(results);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

static void TestReturnedOutputs(const TF_Buffer* def, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* one = Const(graph, Scalar(1), "one", status);
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "in");
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, Out(one));
  TF_ImportGraphDefOptionsAddReturnOutput(options, "x", 0);
  TF_ImportGraphDefOptionsAddReturnOutput(options, "y", 0);
  TF_Output both[2];
  TF_GraphImportGraphDefWithReturnOutputs(graph, def, options, both, 2, status);
  CHECK_OK(status);
  CHECK(both[0].oper == one);
  TF_GraphImportGraphDefWithReturnOutputs(graph, def, options, both, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "num_return_outputs is 1; expected 2");
  TF_GraphImportGraphDefWithReturnOutputs(graph, def, options, NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "return_outputs is null");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
}

// Imports with one wrong option; nothing may be added.
static void ExpectRefused(TF_Graph* graph, const TF_Buffer* def,
                          TF_ImportGraphDefOptions* options, TF_Code code,
                          const char* part) {
  TF_Status* status = TF_NewStatus();
  const int before = NumOperations(graph);
  CHECK(TF_GraphImportGraphDefWithResults(graph, def, options, status) == NULL);
  CHECK_CODE(status, code, part);
  CHECK_EQ(NumOperations(graph), before);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteStatus(status);
}

static void TestWrongOptions(const TF_Buffer* def, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Graph* other = TF_NewGraph();
  TF_Operation* foreign = Const(other, Scalar(1), "foreign", status);
  TF_Operation* text = Placeholder(graph, TF_STRING, "text", status);
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, Out(foreign));
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "belongs to another graph");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, Out(NULL));
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "dst is null");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, Out(text));
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "Node 'y' (Neg)");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddInputMapping(options, NULL, 0, Out(text));
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "src_name is null");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsRemapControlDependency(options, "y", NULL);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "dst is null");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddControlDependency(options, foreign);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "belongs to another graph");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddReturnOutput(options, "y", 1);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "'y:1' not found");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddReturnOutput(options, "y", -5);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "'y:-5' not found");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddReturnOperation(options, "nobody");
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "'nobody' not found");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddReturnOperation(options, NULL);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "oper_name is null");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, NULL);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "prefix is null");
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetDefaultDevice(options, NULL);
  ExpectRefused(graph, def, options, TF_INVALID_ARGUMENT, "device is null");
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

static void TestWrongMessages(const TF_Buffer* def, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_Buffer* cut = TF_NewBufferFromString(def->data, def->length - 1);
  TF_GraphImportGraphDef(graph, cut, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph_def");
  TF_DeleteBuffer(cut);
  const TF_Buffer hollow = {NULL, 5, NULL};
  TF_GraphImportGraphDef(graph, &hollow, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph_def has no data");
  const char kUnknownOp[] =
      "\x0a\x08\x0a\x01"
      "a"
      "\x12\x03"
      "Foo";
  TF_Buffer* unknown = TF_NewBufferFromString(kUnknownOp, sizeof(kUnknownOp) - 1);
  TF_GraphImportGraphDef(graph, unknown, options, status);
  CHECK_CODE(status, TF_NOT_FOUND, "Op type not registered 'Foo', of node 'a'");
  TF_DeleteBuffer(unknown);
  TF_GraphImportGraphDef(graph, NULL, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph_def is null");
  TF_GraphImportGraphDef(graph, def, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "options is null");
  TF_GraphImportGraphDef(NULL, def, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_DeleteImportGraphDefOptions(options);
  TF_GraphImportGraphDef(graph, def, options, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "options is a handle that was deleted");
  CHECK_EQ(NumOperations(graph), 0);
  TF_DeleteGraph(graph);

  int count = 7;
  TF_ImportGraphDefResultsReturnOutputs(NULL, &count, NULL);
  CHECK_EQ(count, 0);
  TF_ImportGraphDefResultsReturnOperations(NULL, NULL, NULL);
  TF_ImportGraphDefResultsMissingUnusedInputMappings(NULL, NULL, NULL, NULL);
  CHECK_EQ(TF_ImportGraphDefOptionsNumReturnOutputs(NULL), 0);
  CHECK_EQ(TF_ImportGraphDefOptionsNumReturnOperations(NULL), 0);
  TF_ImportGraphDefOptionsSetPrefix(NULL, "p");
  TF_DeleteImportGraphDefOptions(NULL);
  TF_DeleteImportGraphDefResults(NULL);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Buffer* def = SmallGraphDef(status);
  TestExport(status);
  TestNames(def, status);
  TestMappings(def, status);
  TestReturnedOutputs(def, status);
  TestWrongOptions(def, status);
  TestWrongMessages(def, status);
  TF_DeleteBuffer(def);
  TF_DeleteStatus(status);
  return Failures();
}
