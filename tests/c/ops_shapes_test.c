// Shape functions in C: each function of the context, on shapes that are known or not.

#include <limits.h>

#include "minitf/c/c_api.h"
#include "minitf/c/ops.h"
#include "tests/c/check.h"

typedef void (*ShapeFn)(TF_ShapeInferenceContext* ctx, TF_Status* status);

static int num_calls = 0;

// ---- Shape functions, which check what they get ---------------------------------------
// The input is [2,?,4].

static void CheckInputs(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  CHECK_EQ(TF_ShapeInferenceContextNumInputs(ctx), 1);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, shape), -1);
  CHECK_EQ(TF_ShapeInferenceContextRankKnown(ctx, shape), 0);
  const int wrong[] = {1, -1, INT_MAX};
  for (int i = 0; i < 3; ++i) {
    TF_ShapeInferenceContextGetInput(ctx, wrong[i], shape, status);
    CHECK_CODE(status, TF_INVALID_ARGUMENT, "number of inputs: 1");
    TF_ShapeInferenceContextSetOutput(ctx, wrong[i], shape, status);
    CHECK_CODE(status, TF_INVALID_ARGUMENT, "number of outputs: 1");
  }
  TF_ShapeInferenceContextGetInput(ctx, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "handle is null");
  TF_ShapeInferenceContextGetInput(NULL, 0, shape, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_ShapeInferenceContextSetOutput(ctx, 0, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "handle is null");
  TF_ShapeInferenceContextSetOutput(NULL, 0, shape, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, shape), 3);
  CHECK_EQ(TF_ShapeInferenceContextRankKnown(ctx, shape), 1);
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  CHECK_OK(status);
  TF_DeleteShapeHandle(shape);
  ++num_calls;
}

static void CheckRanks(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeHandle* result = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextWithRank(ctx, shape, 3, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, result), 3);
  TF_ShapeInferenceContextWithRank(ctx, shape, 2, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "[2,?,4] has rank 3; expected rank 2");
  TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 3, result, status);
  CHECK_OK(status);
  TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 4, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "expected a rank of at least 4");
  TF_ShapeInferenceContextWithRankAtMost(ctx, shape, 3, result, status);
  CHECK_OK(status);
  TF_ShapeInferenceContextWithRankAtMost(ctx, shape, 2, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "expected a rank of at most 2");
  TF_ShapeInferenceContextWithRank(ctx, shape, 3, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "result is null");
  TF_ShapeInferenceContextWithRank(ctx, NULL, 3, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "handle is null");
  TF_ShapeInferenceContextWithRank(NULL, shape, 3, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");

  TF_ShapeHandle* unknown = TF_NewShapeHandle();
  TF_ShapeInferenceContextWithRank(ctx, unknown, 2, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, result), 2);
  TF_ShapeInferenceContextWithRank(ctx, unknown, -2, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "rank -2");
  TF_ShapeInferenceContextWithRank(ctx, unknown, INT64_MAX, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "a shape cannot have rank");
  TF_ShapeInferenceContextWithRankAtLeast(ctx, unknown, 2, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, result), -1);
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteShapeHandle(unknown);
  TF_DeleteShapeHandle(result);
  TF_DeleteShapeHandle(shape);
  ++num_calls;
}

static void CheckDims(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  static const int64_t sizes[] = {2, -1, 4};
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_DimensionHandle* size = TF_NewDimensionHandle();
  CHECK_EQ(TF_DimensionHandleValueKnown(size), 0);
  CHECK_EQ(TF_DimensionHandleValue(size), -1);
  TF_ShapeInferenceContextDim(ctx, shape, 5, size);
  CHECK_EQ(TF_DimensionHandleValueKnown(size), 0);
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  for (int i = 0; i < 3; ++i) {
    for (int from_end = 0; from_end < 2; ++from_end) {
      TF_ShapeInferenceContextDim(ctx, shape, i - 3 * from_end, size);
      CHECK_EQ(TF_DimensionHandleValue(size), sizes[i]);
      CHECK_EQ(TF_DimensionHandleValueKnown(size), sizes[i] >= 0);
    }
  }
  TF_DataType type = TF_INT8;
  TF_ShapeInferenceContext_GetAttrType(ctx, "T", &type, status);
  CHECK_OK(status);
  CHECK_EQ(type, TF_FLOAT);
  TF_ShapeInferenceContext_GetAttrType(ctx, "S", &type, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "'S' is not set");
  TF_ShapeInferenceContext_GetAttrType(ctx, "n", &type, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "of kind int, not type");
  TF_ShapeInferenceContext_GetAttrType(ctx, "T", NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "val is null");
  TF_ShapeInferenceContext_GetAttrType(ctx, NULL, &type, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "attr_name is null");
  TF_ShapeInferenceContext_GetAttrType(NULL, "T", &type, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteDimensionHandle(size);
  TF_DeleteShapeHandle(shape);
  ++num_calls;
}

static void ExpectSubshape(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape,
                           int64_t start, int64_t end, int64_t rank) {
  TF_Status* status = TF_NewStatus();
  TF_ShapeHandle* result = TF_NewShapeHandle();
  TF_ShapeInferenceContextSubshape(ctx, shape, start, end, result, status);
  CHECK_EQ(TF_GetCode(status), rank < 0 ? TF_INVALID_ARGUMENT : TF_OK);
  if (rank >= 0) CHECK_EQ(TF_ShapeInferenceContextRank(ctx, result), rank);
  TF_DeleteShapeHandle(result);
  TF_DeleteStatus(status);
}

static void CheckParts(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeHandle* result = TF_NewShapeHandle();
  TF_ShapeInferenceContextSubshape(ctx, shape, 0, 1, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRankKnown(ctx, result), 0);
  TF_ShapeInferenceContextConcatenateShapes(ctx, shape, shape, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRankKnown(ctx, result), 0);
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  ExpectSubshape(ctx, shape, 0, 3, 3);
  ExpectSubshape(ctx, shape, 1, 2, 1);
  ExpectSubshape(ctx, shape, -1, INT64_MAX, 1);
  ExpectSubshape(ctx, shape, -3, -1, 2);
  ExpectSubshape(ctx, shape, 9, 9, 0);
  ExpectSubshape(ctx, shape, 2, 1, -1);
  ExpectSubshape(ctx, shape, -4, 1, -1);
  ExpectSubshape(ctx, shape, INT64_MIN, INT64_MAX, -1);
  TF_ShapeInferenceContextSubshape(NULL, shape, 0, 1, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_ShapeInferenceContextSubshape(ctx, NULL, 0, 1, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "shape_handle is null");
  TF_ShapeInferenceContextSubshape(ctx, shape, 0, 1, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "result is null");

  TF_ShapeHandle* vector = TF_ShapeInferenceContextVectorFromSize(ctx, 7);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, vector), 1);
  TF_ShapeInferenceContextConcatenateShapes(ctx, vector, shape, result, status);
  CHECK_OK(status);
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, result), 4);
  TF_ShapeInferenceContextConcatenateShapes(ctx, NULL, shape, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "first is null");
  TF_ShapeInferenceContextConcatenateShapes(ctx, vector, NULL, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "second is null");
  TF_ShapeInferenceContextConcatenateShapes(ctx, vector, shape, NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "result is null");
  TF_ShapeInferenceContextConcatenateShapes(NULL, vector, shape, result, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_ShapeInferenceContextSetOutput(ctx, 0, vector, status);
  CHECK_OK(status);
  TF_DeleteShapeHandle(vector);
  TF_DeleteShapeHandle(result);
  TF_DeleteShapeHandle(shape);
  ++num_calls;
}

static void SetUnknown(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeInferenceContextSetUnknownShape(NULL, status);
  CHECK_CODE(status, TF_INVALID_ARGUMENT, "ctx is null");
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
  CHECK_OK(status);
  ++num_calls;
}

static void Refuse(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  (void)ctx;
  TF_SetStatus(status, TF_INVALID_ARGUMENT, "the shape function refuses");
}

static void ReadMissingAxis(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_DimensionHandle* size = TF_NewDimensionHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextDim(ctx, shape, 3, size);
  CHECK_EQ(TF_DimensionHandleValueKnown(size), 0);
  TF_DeleteDimensionHandle(size);
  TF_DeleteShapeHandle(shape);
}

static void ReadNull(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  CHECK_EQ(TF_ShapeInferenceContextRank(ctx, NULL), -1);
  TF_ShapeInferenceContextDim(ctx, NULL, 0, NULL);
  (void)status;
}

static void TooLargeVector(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  (void)status;
  CHECK(TF_ShapeInferenceContextVectorFromSize(ctx, SIZE_MAX) == NULL);
}

// ---- Running them ---------------------------------------------------------------------

static void Define(const char* name, ShapeFn shape_fn) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddAttr(op, "T: type");
  TF_OpDefinitionBuilderAddAttr(op, "n: int = 1");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, "y: T");
  if (shape_fn != NULL) TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape_fn);
  TF_RegisterOpDefinition(op, status);
  CHECK_OK(status);
  TF_DeleteStatus(status);
}

// Adds a node of the op behind a placeholder of [2,?,4]. Returns the rank of its output,
// -1 if that is unknown, -2 if the node is refused with the message.
static int RankOfNode(const char* name, const char* message) {
  static const int64_t dims[] = {2, -1, 4};
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_OperationDescription* node = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(node, "dtype", TF_FLOAT);
  TF_SetAttrShape(node, "shape", dims, 3);
  TF_Output x = {TF_FinishOperation(node, status), 0};
  CHECK_OK(status);
  node = TF_NewOperation(graph, name, "y");
  TF_AddInput(node, x);
  TF_Output y = {TF_FinishOperation(node, status), 0};
  int rank = -2;
  if (message == NULL) {
    CHECK_OK(status);
    rank = TF_GraphGetTensorNumDims(graph, y, status);
    CHECK_OK(status);
  } else {
    CHECK_CODE(status, TF_INVALID_ARGUMENT, message);
    CHECK(y.oper == NULL);
  }
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return rank;
}

int main(void) {
  static const struct {
    const char* op;
    ShapeFn shape_fn;
    int rank;
    const char* message;
  } cases[] = {
      {"CInputs", &CheckInputs, 3, NULL},
      {"CRanks", &CheckRanks, -1, NULL},
      {"CDims", &CheckDims, -1, NULL},
      {"CParts", &CheckParts, 1, NULL},
      {"CUnknown", &SetUnknown, -1, NULL},
      {"CWithout", NULL, -1, NULL},
      {"CRefuse", &Refuse, -2, "the shape function refuses"},
      {"CMissingAxis", &ReadMissingAxis, -2, "axis 3 does not exist in shape [2,?,4]"},
      {"CReadNull", &ReadNull, -2, "handle is null"},
      {"CTooLarge", &TooLargeVector, -2, "more than 2^63 - 1"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    Define(cases[i].op, cases[i].shape_fn);
    CHECK_EQ(RankOfNode(cases[i].op, cases[i].message), cases[i].rank);
  }
  CHECK(num_calls >= 5);
  CHECK_EQ(TF_ShapeInferenceContextNumInputs(NULL), 0);
  CHECK_EQ(TF_ShapeInferenceContextRank(NULL, NULL), -1);
  CHECK_EQ(TF_DimensionHandleValue(NULL), -1);
  CHECK_EQ(TF_DimensionHandleValueKnown(NULL), 0);
  TF_DeleteShapeHandle(NULL);
  TF_DeleteDimensionHandle(NULL);
  return Failures();
}
