/* An op in C: ClipByNorm scales x down to an L2 norm of at most `limit`.

     gcc -std=c11 -shared -fPIC -I MINITF custom_op.c -o custom_op.so -L BUILD -lminitf_c

   MINITF is the folder of minitf's source, BUILD that of libminitf_c.so. A program in C
   loads the library with TF_LoadLibrary, a program in Python with

     clip_by_norm = tf.load_op_library("./custom_op.so").c_clip_by_norm

   An op has three parts: a definition, a shape function, and a kernel for each element
   type. docs/adding_an_op.md shows the same in C++. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"

/* ---- The shape function: y has the shape of x. It runs when a node is made. ---------- */

static void SameShape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) {
    TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  }
  TF_DeleteShapeHandle(shape);
}

/* ---- The kernel. Create runs once for a node, Compute once for a step. --------------- */

/* Returns the limit, which is all that the kernel needs of the node. */
static void* Create(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  float* limit = malloc(sizeof(*limit));
  TF_OpKernelConstruction_GetAttrFloat(construction, "limit", limit, status);
  if (TF_GetCode(status) == TF_OK && !(*limit > 0)) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "limit must be more than 0");
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return limit;
}

static double Norm(TF_DataType type, const void* x, int64_t count) {
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double element =
        type == TF_FLOAT ? ((const float*)x)[i] : ((const int32_t*)x)[i];
    squares += element * element;
  }
  return sqrt(squares);
}

static void Scale(TF_DataType type, const void* x, int64_t count, double factor,
                  void* y) {
  for (int64_t i = 0; i < count; ++i) {
    if (type == TF_FLOAT) {
      ((float*)y)[i] = (float)(factor * ((const float*)x)[i]);
    } else {
      ((int32_t*)y)[i] = (int32_t)(factor * ((const int32_t*)x)[i]);
    }
  }
}

/* Makes output 0, with the type and shape of x. */
static TF_Tensor* OutputLike(TF_OpKernelContext* context, const TF_Tensor* x,
                             TF_Status* status) {
  int64_t dims[32] = {0};
  const int rank = TF_NumDims(x);
  if (rank > 32) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "x has more than 32 axes");
    return NULL;
  }
  for (int i = 0; i < rank; ++i) dims[i] = TF_Dim(x, i);
  return TF_AllocateOutput(context, 0, TF_TensorType(x), dims, rank, TF_TensorByteSize(x),
                           status);
}

static void Compute(void* kernel, TF_OpKernelContext* context) {
  const double limit = *(const float*)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* y = NULL;
  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) y = OutputLike(context, x, status);
  if (TF_GetCode(status) == TF_OK) {
    const int64_t count = TF_TensorElementCount(x);
    const double norm = Norm(TF_TensorType(x), TF_TensorData(x), count);
    Scale(TF_TensorType(x), TF_TensorData(x), count, norm > limit ? limit / norm : 1,
          TF_TensorData(y));
  } else {
    TF_OpKernelContext_Failure(context, status);
  }
  TF_DeleteTensor(y);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

/* ---- Registration: when the library is loaded ---------------------------------------- */

static void RegisterKernel(const char* name, TF_DataType type, TF_Status* status) {
  TF_KernelBuilder* kernel =
      TF_NewKernelBuilder("CClipByNorm", "CPU", &Create, &Compute, &free);
  TF_KernelBuilder_TypeConstraint(kernel, "T", type, status);
  TF_RegisterKernelBuilder(name, kernel, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
}

__attribute__((constructor)) static void Register(void) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("CClipByNorm");
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32}");
  TF_OpDefinitionBuilderAddAttr(op, "limit: float = 1.0");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, "y: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, &SameShape);
  TF_RegisterOpDefinition(op, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  RegisterKernel("ClipByNormFloat", TF_FLOAT, status);
  RegisterKernel("ClipByNormInt", TF_INT32, status);
  TF_DeleteStatus(status);
}
