// A library of ops in C, which kernels_library_test.c and Python load.
//
//   CScaledAdd   z = x + scale * y, with a shape function and two kernels
//   CUnruly      makes the mistake that its attribute names
//
// Compare    docs/examples/c/custom_op.c, which shows no mistakes

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"

// ---- CScaledAdd -----------------------------------------------------------------------

static void SameShapes(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* x = TF_NewShapeHandle();
  TF_ShapeHandle* y = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, x, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextGetInput(ctx, 1, y, status);
  if (TF_GetCode(status) == TF_OK && TF_ShapeInferenceContextRankKnown(ctx, x)) {
    const int64_t rank = TF_ShapeInferenceContextRank(ctx, x);
    TF_ShapeInferenceContextWithRank(ctx, y, rank, y, status);
  }
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, x, status);
  TF_DeleteShapeHandle(y);
  TF_DeleteShapeHandle(x);
}

static void* NewScale(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  int64_t* scale = malloc(sizeof(*scale));
  TF_OpKernelConstruction_GetAttrInt64(construction, "scale", scale, status);
  if (TF_GetCode(status) == TF_OK && *scale > 1000) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "scale is more than 1000");
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return scale;
}

static int HaveOneShape(const TF_Tensor* x, const TF_Tensor* y) {
  if (TF_NumDims(x) != TF_NumDims(y) || TF_NumDims(x) > 16) return 0;
  for (int i = 0; i < TF_NumDims(x); ++i) {
    if (TF_Dim(x, i) != TF_Dim(y, i)) return 0;
  }
  return 1;
}

typedef void (*AddFn)(const void* x, const void* y, int64_t scale, int64_t count,
                      void* z);

static void AddFloats(const void* x, const void* y, int64_t scale, int64_t count,
                      void* z) {
  for (int64_t i = 0; i < count; ++i) {
    ((float*)z)[i] = ((const float*)x)[i] + (float)scale * ((const float*)y)[i];
  }
}

static void AddInts(const void* x, const void* y, int64_t scale, int64_t count, void* z) {
  for (int64_t i = 0; i < count; ++i) {
    ((int32_t*)z)[i] = ((const int32_t*)x)[i] + (int32_t)scale * ((const int32_t*)y)[i];
  }
}

static void Add(const int64_t* scale, TF_OpKernelContext* ctx, AddFn add) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* y = NULL;
  TF_Tensor* z = NULL;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) TF_GetInput(ctx, 1, &y, status);
  if (TF_GetCode(status) == TF_OK && !HaveOneShape(x, y)) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "x and y have different shapes");
  }
  if (TF_GetCode(status) == TF_OK) {
    int64_t dims[16];
    for (int i = 0; i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
    z = TF_AllocateOutput(ctx, 0, TF_ExpectedOutputDataType(ctx, 0), dims, TF_NumDims(x),
                          TF_TensorByteSize(x), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    add(TF_TensorData(x), TF_TensorData(y), *scale, TF_TensorElementCount(x),
        TF_TensorData(z));
  } else {
    TF_OpKernelContext_Failure(ctx, status);
  }
  TF_DeleteTensor(z);
  TF_DeleteTensor(y);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void ComputeFloats(void* kernel, TF_OpKernelContext* ctx) {
  Add(kernel, ctx, &AddFloats);
}

static void ComputeInts(void* kernel, TF_OpKernelContext* ctx) {
  Add(kernel, ctx, &AddInts);
}

// ---- CUnruly --------------------------------------------------------------------------

static int IsAttr(TF_OpKernelConstruction* construction, const char* expected) {
  TF_Status* status = TF_NewStatus();
  char mistake[32] = {0};
  TF_OpKernelConstruction_GetAttrString(construction, "mistake", mistake,
                                        sizeof(mistake) - 1, status);
  TF_DeleteStatus(status);
  return strcmp(mistake, expected) == 0;
}

static void* NewUnruly(TF_OpKernelConstruction* construction) {
  static const char* const mistakes[] = {"input", "output", "failure", "nothing", "type"};
  if (IsAttr(construction, "create")) {
    TF_Status* status = TF_NewStatus();
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "the kernel cannot be made");
    TF_OpKernelConstruction_Failure(construction, status);
    TF_DeleteStatus(status);
    return NULL;
  }
  for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); ++i) {
    if (IsAttr(construction, mistakes[i])) return (void*)mistakes[i];
  }
  return NULL;
}

static void MakeMistake(void* kernel, TF_OpKernelContext* ctx) {
  const char* mistake = kernel;
  if (strcmp(mistake, "nothing") == 0) return;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* tensor = NULL;
  if (strcmp(mistake, "input") == 0) {
    TF_GetInput(ctx, 7, &tensor, status);
  } else if (strcmp(mistake, "output") == 0) {
    TF_GetInput(ctx, 0, &tensor, status);
    TF_SetOutput(ctx, 7, tensor, status);
  } else if (strcmp(mistake, "type") == 0) {
    TF_ExpectedOutputDataType(ctx, 7);
  } else {
    TF_SetStatus(status, TF_ABORTED, "the kernel gives up");
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
}

// ---- Registration ---------------------------------------------------------------------

static void Complain(const char* what, const TF_Status* status) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "custom_op: %s: %s\n", what, TF_Message(status));
}

static void RegisterOps(TF_Status* status) {
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CScaledAdd");
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32}");
  TF_OpDefinitionBuilderAddAttr(op, "scale: int >= 1 = 2");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddInput(op, "y: T");
  TF_OpDefinitionBuilderAddOutput(op, "z: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, &SameShapes);
  TF_RegisterOpDefinition(op, status);
  Complain("CScaledAdd", status);

  op = TF_NewOpDefinitionBuilder("CUnruly");
  TF_OpDefinitionBuilderAddAttr(op, "mistake: string = 'input'");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "z: float");
  TF_RegisterOpDefinition(op, status);
  Complain("CUnruly", status);
}

static void RegisterKernels(TF_Status* status) {
  TF_KernelBuilder* kernel =
      TF_NewKernelBuilder("CScaledAdd", "CPU", &NewScale, &ComputeFloats, &free);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
  TF_RegisterKernelBuilder("CScaledAddFloat", kernel, status);
  Complain("CScaledAddFloat", status);

  kernel = TF_NewKernelBuilder("CScaledAdd", "CPU", &NewScale, &ComputeInts, &free);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_INT32, status);
  TF_RegisterKernelBuilder("CScaledAddInt", kernel, status);
  Complain("CScaledAddInt", status);

  kernel = TF_NewKernelBuilder("CUnruly", "CPU", &NewUnruly, &MakeMistake, NULL);
  TF_RegisterKernelBuilder("CUnruly", kernel, status);
  Complain("CUnruly", status);
}

__attribute__((constructor)) static void Register(void) {
  TF_Status* status = TF_NewStatus();
  RegisterOps(status);
  RegisterKernels(status);
  TF_DeleteStatus(status);
}
