// Tests of gradients, while loops and constant evaluation.

#include "minitf/c/c_api.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

// d(x*x)/dx = 2x, once with weights and once without.
static void TestGradients(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* x = Const(graph, Scalar(3), "x", status);
  TF_Operation* y = Binary(graph, "Mul", Out(x), Out(x), "y", status);
  TF_Operation* weight = Const(graph, Scalar(10), "weight", status);
  TF_Output ys[1] = {Out(y)};
  TF_Output xs[2] = {Out(x), Out(weight)};
  TF_Output dxs[1] = {Out(weight)};
  TF_Output dys[2];
  TF_AddGradients(graph, ys, 1, xs, 2, NULL, status, dys);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, dys[0], status)) == 6);
  CHECK(dys[1].oper == NULL && dys[1].index == -1);
  CHECK(strncmp(TF_OperationName(dys[0].oper), "gradients/", 10) == 0);
  TF_AddGradients(graph, ys, 1, xs, 1, dxs, status, dys);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, dys[0], status)) == 60);
  CHECK(strncmp(TF_OperationName(dys[0].oper), "gradients_1/", 12) == 0);

  TF_AddGradientsWithPrefix(graph, "mine", ys, 1, xs, 1, NULL, status, dys);
  CHECK_OK(status);
  CHECK(strncmp(TF_OperationName(dys[0].oper), "mine/", 5) == 0);
  TF_AddGradientsWithPrefix(graph, "mine", ys, 1, xs, 1, NULL, status, dys);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the prefix 'mine'");
  TF_AddGradientsWithPrefix(graph, NULL, ys, 1, xs, 1, NULL, status, dys);
  CHECK_OK(status);
  CHECK(strncmp(TF_OperationName(dys[0].oper), "gradients_2/", 12) == 0);
  TF_DeleteGraph(graph);
}

// The gradient of a gather is sparse; it comes out as one tensor.
static void TestSparseGradient(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  const int64_t dims[1] = {3};
  const float values[3] = {1, 2, 3};
  TF_Operation* params = Const(graph, Floats(dims, 1, values), "params", status);
  const int64_t two[1] = {2};
  TF_Tensor* indices = TF_AllocateTensor(TF_INT32, two, 1, 8);
  ((int32_t*)TF_TensorData(indices))[0] = 2;
  ((int32_t*)TF_TensorData(indices))[1] = 2;
  TF_Operation* where = Const(graph, indices, "where", status);
  TF_Operation* y = Binary(graph, "Gather", Out(params), Out(where), "y", status);
  CHECK_OK(status);
  TF_Output ys[1] = {Out(y)};
  TF_Output xs[1] = {Out(params)};
  TF_Output dy;
  TF_AddGradients(graph, ys, 1, xs, 1, NULL, status, &dy);
  CHECK_OK(status);
  TF_Tensor* gradient = RunOnce(graph, dy, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorElementCount(gradient), 3);
  const float* data = TF_TensorData(gradient);
  CHECK(data[0] == 0 && data[1] == 0 && data[2] == 2);
  TF_DeleteTensor(gradient);
  TF_DeleteGraph(graph);
}

static void TestWrongGradients(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Graph* other = TF_NewGraph();
  TF_Operation* x = Placeholder(graph, TF_FLOAT, "x", status);
  TF_Operation* n = Placeholder(graph, TF_INT32, "n", status);
  TF_Operation* foreign = Placeholder(other, TF_FLOAT, "foreign", status);
  TF_Output y = Out(Unary(graph, "Neg", Out(x), "y", status));
  TF_Output in = Out(x);
  TF_Output wrong = Out(foreign);
  TF_Output number = Out(n);
  TF_Output nothing = Out(NULL);
  TF_Output dy;
  TF_AddGradients(NULL, &y, 1, &in, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "g is null");
  TF_AddGradients(graph, &nothing, 1, &in, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "y is null");
  TF_AddGradients(graph, &y, 1, &wrong, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "x: operation 'foreign' (Placeholder)");
  TF_AddGradients(graph, &y, -1, &in, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the number of elements of y is -1");
  TF_AddGradients(graph, &y, 1, NULL, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "x is null");
  TF_AddGradients(graph, &y, 1, &in, 1, NULL, status, NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dy is null");
  TF_AddGradients(graph, &y, 1, &in, 1, &number, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "dx[0] is int32; expected float32");
  TF_AddGradientsWithPrefix(graph, "a b", &y, 1, &in, 1, NULL, status, &dy);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "");
  TF_AddGradients(graph, NULL, 0, NULL, 0, NULL, status, NULL);
  CHECK_OK(status);
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

static TF_Output Literal(TF_Graph* graph, float value, const char* name) {
  TF_Status* status = TF_NewStatus();
  TF_Operation* oper = Const(graph, Scalar(value), name, status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
  return Out(oper);
}

// while (i < limit) { i = i + 1; total = total * 2; }
static void BuildLoop(TF_WhileParams* loop, float limit) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* cond = loop->cond_graph;
  TF_Graph* body = loop->body_graph;
  loop->cond_output = Out(Binary(cond, "Less", loop->cond_inputs[0],
                                 Literal(cond, limit, "limit"), "less", status));
  CHECK_OK(status);
  loop->body_outputs[0] = Out(
      Binary(body, "Add", loop->body_inputs[0], Literal(body, 1, "one"), "add", status));
  CHECK_OK(status);
  loop->body_outputs[1] = Out(
      Binary(body, "Mul", loop->body_inputs[1], Literal(body, 2, "two"), "mul", status));
  CHECK_OK(status);
  loop->name = "loop";
  TF_DeleteStatus(status);
}

static void TestWhile(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Output inputs[2] = {Literal(graph, 0, "i"), Literal(graph, 3, "total")};
  TF_WhileParams loop = TF_NewWhile(graph, inputs, 2, status);
  CHECK_OK(status);
  CHECK_EQ(loop.ninputs, 2);
  CHECK(loop.name == NULL && loop.cond_output.oper == NULL);
  BuildLoop(&loop, 5);
  TF_Output outputs[2];
  TF_FinishWhile(&loop, status, outputs);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, outputs[0], status)) == 5);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, outputs[1], status)) == 96);
  TF_FinishWhile(&loop, status, outputs);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "cond_graph is a handle that was deleted");
  TF_AbortWhile(&loop);

  // d(total)/d(total at first) = 2^5
  TF_Output gradient;
  TF_AddGradients(graph, &outputs[1], 1, &inputs[1], 1, NULL, status, &gradient);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, gradient, status)) == 32);
  CHECK_OK(status);

  // The name is taken.
  TF_WhileParams again = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&again, 5);
  TF_FinishWhile(&again, status, outputs);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "the prefix 'loop'");
  TF_DeleteGraph(graph);
}

// The body of a loop may return its inputs, a constant, and run nodes of its own.
static void TestWhileWithShortcuts(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Operation* yes = NULL;
  const unsigned char true_byte = 1;
  TF_Tensor* truth = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  memcpy(TF_TensorData(truth), &true_byte, 1);
  yes = Const(graph, truth, "yes", status);
  TF_Output inputs[2] = {Out(yes), Literal(graph, 3, "kept")};
  TF_WhileParams loop = TF_NewWhile(graph, inputs, 2, status);
  CHECK_OK(status);
  loop.cond_output = loop.cond_inputs[0];
  TF_Tensor* falsehood = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  memset(TF_TensorData(falsehood), 0, 1);
  loop.body_outputs[0] = Out(Const(loop.body_graph, falsehood, "no", status));
  loop.body_outputs[1] = loop.body_inputs[1];
  loop.name = "once";
  TF_Output outputs[2];
  TF_FinishWhile(&loop, status, outputs);
  CHECK_OK(status);
  CHECK(TakeScalar(RunOnce(graph, outputs[1], status)) == 3);
  CHECK_OK(status);
  TF_DeleteGraph(graph);
}

// Finishes a loop with one mistake.
static void ExpectRefused(TF_WhileParams* loop, const char* part) {
  TF_Status* status = TF_NewStatus();
  TF_Output outputs[2];
  TF_FinishWhile(loop, status, outputs);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, part);
  TF_DeleteStatus(status);
}

static void TestWrongWhile(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Output inputs[2] = {Literal(graph, 0, "i"), Literal(graph, 3, "total")};
  TF_WhileParams empty = TF_NewWhile(graph, inputs, 0, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ninputs is 0");
  CHECK(empty.cond_graph == NULL);
  TF_NewWhile(NULL, inputs, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "g is null");
  TF_NewWhile(graph, NULL, 2, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "inputs is null");

  TF_WhileParams nameless = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&nameless, 5);
  nameless.name = NULL;
  ExpectRefused(&nameless, "name is null");
  TF_WhileParams blank = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&blank, 5);
  blank.name = "";
  ExpectRefused(&blank, "name is ''");
  TF_WhileParams unconditional = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&unconditional, 5);
  unconditional.cond_output = Out(NULL);
  ExpectRefused(&unconditional, "cond_output is null");
  TF_WhileParams numeric = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&numeric, 5);
  numeric.cond_output = numeric.cond_inputs[0];
  ExpectRefused(&numeric, "cond_output cond_input0:0 is float32; expected bool");
  TF_WhileParams foreign = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&foreign, 5);
  foreign.body_outputs[1] = inputs[1];
  ExpectRefused(&foreign, "body_outputs: operation 'total' (Const) belongs to another");
  TF_WhileParams mixed = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&mixed, 5);
  mixed.body_outputs[1] = Out(Placeholder(mixed.body_graph, TF_INT32, "p", status));
  ExpectRefused(&mixed, "body_outputs[1], p:0, is int32; expected float32");
  TF_WhileParams incomplete = TF_NewWhile(graph, inputs, 2, status);
  ExpectRefused(&incomplete, "name is null");

  TF_DeleteGraph(graph);
}

static void TestAbortedWhile(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Output inputs[2] = {Literal(graph, 0, "i"), Literal(graph, 3, "total")};
  TF_WhileParams aborted = TF_NewWhile(graph, inputs, 2, status);
  CHECK_OK(status);
  BuildLoop(&aborted, 5);
  TF_AbortWhile(&aborted);
  TF_AbortWhile(&aborted);
  TF_AbortWhile(NULL);
  TF_FinishWhile(NULL, status, inputs);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "params is null");
  TF_WhileParams unread = TF_NewWhile(graph, inputs, 2, status);
  BuildLoop(&unread, 5);
  TF_FinishWhile(&unread, status, NULL);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "outputs is null");
  TF_DeleteGraph(graph);
}

static void TestConstants(TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  TF_Output one = Literal(graph, 1, "one");
  TF_Output x = Out(Placeholder(graph, TF_FLOAT, "x", status));
  TF_Output two = Out(Binary(graph, "Add", one, one, "two", status));
  TF_Output open = Out(Binary(graph, "Add", one, x, "open", status));
  TF_Tensor* result = NULL;
  CHECK_EQ(TF_TryEvaluateConstant(graph, one, &result, status), 1);
  CHECK(TakeScalar(result) == 1);
  CHECK_EQ(TF_TryEvaluateConstant(graph, two, &result, status), 1);
  CHECK_OK(status);
  CHECK(TakeScalar(result) == 2);
  CHECK_EQ(TF_TryEvaluateConstant(graph, open, &result, status), 0);
  CHECK_OK(status);
  CHECK(result == NULL);
  CHECK_EQ(TF_TryEvaluateConstant(graph, x, &result, status), 0);
  CHECK_OK(status);

  // Matrices that do not fit are refused when they are added; a failing kernel is not.
  const int64_t dims[2] = {2, 2};
  const float zeros[4] = {0, 0, 0, 0};
  TF_Operation* matrix = Const(graph, Floats(dims, 2, zeros), "matrix", status);
  TF_Operation* inverse = Unary(graph, "MatrixInverse", Out(matrix), "inverse", status);
  CHECK_OK(status);
  CHECK_EQ(TF_TryEvaluateConstant(graph, Out(inverse), &result, status), 0);
  CHECK_OK(status);
  CHECK(result == NULL);

  const TF_Output past = {one.oper, 1};
  CHECK_EQ(TF_TryEvaluateConstant(graph, past, &result, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "has no output 1");
  CHECK_EQ(TF_TryEvaluateConstant(graph, Out(NULL), &result, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "output is null");
  CHECK_EQ(TF_TryEvaluateConstant(NULL, one, &result, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "graph is null");
  CHECK_EQ(TF_TryEvaluateConstant(graph, one, NULL, status), 0);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "result is null");
  TF_DeleteGraph(graph);
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TestGradients(status);
  TestSparseGradient(status);
  TestWrongGradients(status);
  TestWhile(status);
  TestWhileWithShortcuts(status);
  TestWrongWhile(status);
  TestAbortedWhile(status);
  TestConstants(status);
  TF_DeleteStatus(status);
  return Failures();
}
