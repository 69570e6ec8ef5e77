// Tests of building operations: inputs, control inputs, devices, errors.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

static TF_Tensor* Matrix(int64_t rows, int64_t columns, float a, float b) {
  const int64_t dims[2] = {rows, columns};
  const float values[2] = {a, b};
  return Floats(dims, 2, values);
}

// [[3,3]] x [[2],[2]] = [[12]], as in every course.
static void TestMatMul(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* a = Const(graph, Matrix(1, 2, 3, 3), "a", status);
  TF_Operation* b = Const(graph, Matrix(2, 1, 2, 2), "b", status);
  TF_OperationDescription* desc = TF_NewNode(graph, "MatMul", "product");
  TF_AddInput(desc, Out(a));
  TF_AddInput(desc, Out(b));
  TF_Operation* product = TF_FinishOperation(desc, status);
  CHECK_OK(status);
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, Out(product), status), 2);
  TF_Tensor* result = RunOnce(graph, Out(product), status);
  CHECK_OK(status);
  CHECK_EQ(TF_NumDims(result), 2);
  CHECK_EQ(TF_TensorElementCount(result), 1);
  CHECK(TakeScalar(result) == 12);
  TF_DeleteGraph(graph);
}

static void TestInputLists(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  const TF_Output two[2] = {Out(Const(graph, Scalar(1), "a", status)),
                            Out(Const(graph, Scalar(2), "b", status))};
  TF_OperationDescription* desc = TF_NewOperation(graph, "AddN", "sum");
  TF_AddInputList(desc, two, 2);
  TF_Operation* sum = TF_FinishOperation(desc, status);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, Out(sum), status)) == 3);

  // A list needs TF_AddInputList, a single tensor TF_AddInput (T19).
  desc = TF_NewOperation(graph, "AddN", "wrong");
  TF_AddInput(desc, two[0]);
  TF_AddInput(desc, two[1]);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Node 'wrong' (AddN): needs 1 inputs, got 2");
  desc = TF_NewOperation(graph, "Sub", "wrong");
  TF_AddInputList(desc, two, 2);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Node 'wrong' (Sub)");
  desc = TF_NewOperation(graph, "AddN", "wrong");
  TF_AddInputList(desc, two, 0);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "minimum 1");
  desc = TF_NewOperation(graph, "AddN", "wrong");
  TF_AddInputList(desc, two, -1);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of inputs is -1");
  desc = TF_NewOperation(graph, "AddN", "wrong");
  TF_AddInputList(desc, NULL, 2);
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "inputs is null");
  TF_DeleteGraph(graph);
}

// Opens a description of Neg, for one mistake.
static TF_OperationDescription* Neg(TF_Graph* graph) {
  return TF_NewOperation(graph, "Neg", "neg");
}

static void ExpectRefused(TF_OperationDescription* desc, TF_Code code, const char* part) {
  TF_Status* status = TF_NewStatus();
  CHECK(TF_FinishOperation(desc, status) == NULL);
  CHECK_CODE(status, code, part);
  TF_DeleteStatus(status);
}

static void TestWrongInputs(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Graph* other = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  TF_Operation* text = Placeholder(graph, TF_STRING, "text", status);
  TF_Operation* foreign = Placeholder(other, TF_FLOAT, "foreign", status);
  const TF_Output nowhere = {NULL, 0};
  const TF_Output past = {x, 1};
  const TF_Output before = {x, -1};

  TF_OperationDescription* desc = Neg(graph);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "Node 'neg' (Neg): needs 1 inputs, got 0");
  TF_AddInput(desc = Neg(graph), nowhere);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "input is null");
  TF_AddInput(desc = Neg(graph), past);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "node 'x' (Placeholder) has no output 1");
  TF_AddInput(desc = Neg(graph), before);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "has no output -1");
  TF_AddInput(desc = Neg(graph), Out(foreign));
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "'foreign' (Placeholder) belongs to another");
  TF_AddInput(desc = Neg(graph), Out(text));
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "attribute 'T' is string");
  TF_AddControlInput(desc = Neg(graph), NULL);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "input is null");
  TF_AddControlInput(desc = Neg(graph), foreign);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "belongs to another graph");
  TF_ColocateWith(desc = Neg(graph), NULL);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "op is null");
  TF_ColocateWith(desc = Neg(graph), foreign);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "belongs to another graph");
  TF_SetDevice(desc = Neg(graph), NULL);
  ExpectRefused(desc, TF_INVALID_ARGUMENT, "device is null");

  // Nothing was added, and the name is free.
  CHECK(TF_GraphOperationByName(graph, "neg") == NULL);
  CHECK(Unary(graph, "Neg", Out(x), "neg", status) != NULL);
  CHECK_OK(status);
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

static void TestNames(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  CHECK(Placeholder(graph, TF_FLOAT, "x", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Duplicate node name in graph: 'x'");
  // Case tells names apart here.
  TF_Operation* upper = Placeholder(graph, TF_FLOAT, "X", status);
  CHECK_OK(status);
  CHECK_TEXT(TF_OperationName(upper), "X");
  CHECK(Placeholder(graph, TF_FLOAT, "", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'' is not a valid name");
  CHECK(Placeholder(graph, TF_FLOAT, "a/", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'a/' is not a valid name");
  CHECK(Placeholder(graph, TF_FLOAT, "a b", status) == NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'a b' is not a valid node name");
  ExpectRefused(TF_NewOperation(graph, "Foo", "foo"), TF_INVALID_ARGUMENT, "'Foo'");
  ExpectRefused(TF_NewOperation(graph, "", "foo"), TF_INVALID_ARGUMENT, "no name");
  ExpectRefused(TF_NewOperation(graph, NULL, "foo"), TF_INVALID_ARGUMENT,
                "op_type is null");
  ExpectRefused(TF_NewOperation(graph, "Neg", NULL), TF_INVALID_ARGUMENT,
                "oper_name is null");

  CHECK(TF_GraphOperationByName(graph, "x") == x);
  CHECK(TF_GraphOperationByName(graph, "y") == NULL);
  CHECK(TF_GraphOperationByName(graph, NULL) == NULL);
  CHECK(TF_GraphOperationByName(NULL, "x") == NULL);
  size_t pos = 0;
  CHECK(TF_GraphNextOperation(graph, &pos) == x);
  CHECK(TF_GraphNextOperation(graph, &pos) == upper);
  CHECK(TF_GraphNextOperation(graph, &pos) == NULL);
  CHECK(TF_GraphNextOperation(graph, NULL) == NULL);
  CHECK(TF_GraphNextOperation(NULL, &pos) == NULL);
  TF_DeleteGraph(graph);
}

// A handle that is null, or was deleted, gives an error and never a crash.
static void TestHandles(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  TF_OperationDescription* finished = Neg(graph);
  TF_AddInput(finished, Out(x));
  CHECK(TF_FinishOperation(finished, status) != NULL);
  TF_AddInput(finished, Out(x));
  TF_SetDevice(finished, "/cpu:0");
  ExpectRefused(finished, TF_INVALID_ARGUMENT, "desc is a handle that was deleted");
  ExpectRefused(NULL, TF_INVALID_ARGUMENT, "desc is null");
  TF_AddInput(NULL, Out(x));
  TF_AddInputList(NULL, NULL, 0);
  TF_AddControlInput(NULL, x);
  TF_ColocateWith(NULL, x);
  TF_SetAttrInt(NULL, "i", 1);

  TF_OperationDescription* unfinished = Neg(graph);
  TF_DeleteGraph(graph);
  ExpectRefused(unfinished, TF_INVALID_ARGUMENT, "desc is a handle that was deleted");
  CHECK(TF_NewOperation(graph, "Neg", "n") == NULL);
  CHECK(TF_NewNode(NULL, "Neg", "n") == NULL);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(NULL);
}

static void TestShapes(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Graph* other = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  int64_t dims[2] = {7, 7};
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, Out(x), status), -1);
  CHECK_OK(status);
  TF_GraphGetTensorShape(graph, Out(x), dims, 2, status);
  CHECK_OK(status);
  CHECK_EQ(dims[0], 7);
  TF_GraphSetTensorShape(graph, Out(x), NULL, -1, status);
  CHECK_OK(status);
  const int64_t partial[2] = {-1, 2};
  TF_GraphSetTensorShape(graph, Out(x), partial, 2, status);
  CHECK_OK(status);
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, Out(x), status), 2);
  TF_GraphGetTensorShape(graph, Out(x), dims, 2, status);
  CHECK(dims[0] == -1 && dims[1] == 2);
  const int64_t rest[2] = {3, -1};
  TF_GraphSetTensorShape(graph, Out(x), rest, 2, status);
  TF_GraphGetTensorShape(graph, Out(x), dims, 2, status);
  CHECK(dims[0] == 3 && dims[1] == 2);

  const int64_t wrong[2] = {4, 2};
  TF_GraphSetTensorShape(graph, Out(x), wrong, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "Node 'x' (Placeholder)");
  const int64_t negative[2] = {-2, 2};
  TF_GraphSetTensorShape(graph, Out(x), negative, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "-2");
  TF_GraphSetTensorShape(graph, Out(x), NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  TF_GraphSetTensorShape(other, Out(x), partial, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "belongs to another graph");
  TF_GraphGetTensorShape(graph, Out(x), dims, 1, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "num_dims is 1");
  TF_GraphGetTensorShape(graph, Out(x), NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dims is null");
  TF_GraphGetTensorShape(NULL, Out(x), dims, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  const TF_Output past = {x, 1};
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, past, status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no output 1");
  CHECK_EQ(TF_GraphGetTensorNumDims(graph, Out(NULL), status), -1);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output is null");
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

static void TestUpdateEdge(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* one = Const(graph, Scalar(1), "one", status);
  TF_Operation* two = Const(graph, Scalar(2), "two", status);
  TF_Operation* text = Placeholder(graph, TF_STRING, "text", status);
  TF_Operation* neg = Unary(graph, "Neg", Out(one), "neg", status);
  TF_Input first = {neg, 0};
  TF_UpdateEdge(graph, Out(two), first, status);
  CHECK_OK(status);
  CHECK(TF_OperationInput(first).oper == two);
  CHECK(TakeScalar(RunOnce(graph, Out(neg), status)) == -2);
  TF_UpdateEdge(graph, Out(text), first, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "cannot come from text:0");
  first.index = 1;
  TF_UpdateEdge(graph, Out(two), first, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no input 1");
  TF_UpdateEdge(NULL, Out(two), first, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  TF_DeleteGraph(graph);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TestMatMul(status);
  TestInputLists(status);
  TestWrongInputs(status);
  TestNames(status);
  TestHandles(status);
  TestShapes(status);
  TestUpdateEdge(status);
  TF_DeleteStatus(status);
  return Failures();
}
