// One step of a kernel in C: inputs, outputs, memory.
//
// Compare    tensorflow/c/kernels.cc

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "minitf/c/internal.h"
#include "minitf/c/kernels/kernel_objects.h"
#include "minitf/c/kernels/registration.h"
#include "minitf/c/shared_tensor.h"

using minitf::DType;
using minitf::Error;
using minitf::OpKernelContext;
using minitf::Require;
using minitf::Shape;
using minitf::Tensor;
using minitf::ThrowIfError;
using minitf::c::DTypeToC;
using minitf::c::Guarded;
using minitf::c::NotNull;
using minitf::c::ShapeOfC;
using minitf::c::SharedTensorToC;

namespace {

OpKernelContext& ContextOf(const TF_OpKernelContext* ctx) {
  return *NotNull(ctx, "ctx").context;
}

void RequireIndex(int i, int count, const char* what) {
  if (0 <= i && i < count) return;
  throw Error(minitf::errors::OutOfRange(what, ' ', i, " does not exist; number of ",
                                         what, "s: ", count));
}

void RequireType(const OpKernelContext& ctx, int i, DType dtype) {
  Require(ctx.output_type(i) == dtype, "output ", i, " has element type ",
          ctx.output_type(i), ", the tensor has ", dtype);
}

// C code fills memory of plain elements only.
void RequirePlain(DType dtype, const char* function) {
  if (minitf::IsPlain(dtype)) return;
  throw Error(minitf::errors::Unimplemented(function, " makes no tensor of ", dtype,
                                            "; TF_SetOutput takes one"));
}

// Whether the kernel may write over input `i`, to make an output.
bool MayForward(const OpKernelContext& ctx, int i, int output, const Shape& shape) {
  const Tensor& input = ctx.input(i);
  return input.OwnsBuffer() && input.dtype() == ctx.output_type(output) &&
         input.num_elements() == shape.num_elements();
}

}  // namespace

TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx) {
  if (ctx == nullptr) return {"", 0};
  return {ctx->node_name.data(), ctx->node_name.size()};
}

int TF_NumInputs(TF_OpKernelContext* ctx) {
  return ctx == nullptr ? 0 : ctx->context->num_inputs();
}

int TF_NumOutputs(TF_OpKernelContext* ctx) {
  return ctx == nullptr ? 0 : ctx->context->num_outputs();
}

void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor, TF_Status* status) {
  Guarded(status, [&] {
    OpKernelContext& context = ContextOf(ctx);
    NotNull(tensor, "tensor");
    RequireIndex(i, context.num_inputs(), "input");
    *tensor = SharedTensorToC(context.input(i)).release();
  });
}

void TF_SetOutput(TF_OpKernelContext* ctx, int i, const TF_Tensor* tensor,
                  TF_Status* status) {
  Guarded(status, [&] {
    OpKernelContext& context = ContextOf(ctx);
    RequireIndex(i, context.num_outputs(), "output");
    Tensor value = minitf::c::SharedTensorOfC(tensor, "tensor");
    RequireType(context, i, value.dtype());
    context.set_output(i, std::move(value));
  });
}

void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx, TF_Status* status) {
  if (ctx == nullptr) return;
  Guarded(nullptr, [&] { ctx->context->SetStatus(minitf::c::FailureOfC(status)); });
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx, int i) {
  TF_Status status;
  const TF_DataType dtype = Guarded(&status, TF_DataType{}, [&] {
    RequireIndex(i, ContextOf(ctx).num_outputs(), "output");
    return DTypeToC(ctx->context->output_type(i));
  });
  if (status.code != TF_OK) TF_OpKernelContext_Failure(ctx, &status);
  return dtype;
}

int64_t TF_StepId(TF_OpKernelContext* ctx) {
  // A step has a manager of its own.
  return ctx == nullptr ? 0 : reinterpret_cast<intptr_t>(ctx->context->cancellation());
}

TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* context, int index, TF_DataType dtype,
                             const int64_t* dims, int num_dims, size_t len,
                             TF_Status* status) {
  return Guarded<TF_Tensor*>(status, nullptr, [&] {
    OpKernelContext& ctx = ContextOf(context);
    RequireIndex(index, ctx.num_outputs(), "output");
    const DType type = minitf::c::DTypeOfC(dtype);
    RequireType(ctx, index, type);
    RequirePlain(type, "TF_AllocateOutput");
    const Shape shape = ShapeOfC(dims, num_dims);
    const auto count = static_cast<size_t>(shape.num_elements());
    const bool fits = len % SizeOf(type) == 0 && len / SizeOf(type) == count;
    Require(fits, "output ", index, " of shape ", shape, " has ", count, " elements of ",
            SizeOf(type), " bytes; len is ", len);
    Tensor* output = nullptr;
    ThrowIfError(ctx.allocate_output(index, shape, &output));
    return SharedTensorToC(*output).release();
  });
}

TF_Tensor* TF_ForwardInputOrAllocateOutput(TF_OpKernelContext* context,
                                           const int* candidate_input_indices,
                                           int num_candidate_input_indices,
                                           int output_index, const int64_t* output_dims,
                                           int output_num_dims, int* forwarded_input,
                                           TF_Status* status) {
  return Guarded<TF_Tensor*>(status, nullptr, [&] {
    OpKernelContext& ctx = ContextOf(context);
    RequireIndex(output_index, ctx.num_outputs(), "output");
    RequirePlain(ctx.output_type(output_index), "TF_ForwardInputOrAllocateOutput");
    const Shape shape = ShapeOfC(output_dims, output_num_dims);
    minitf::c::RequireList(candidate_input_indices, num_candidate_input_indices,
                           "candidate_input_indices");
    for (int i = 0; i < num_candidate_input_indices; ++i) {
      RequireIndex(candidate_input_indices[i], ctx.num_inputs(), "input");
    }
    Tensor* output = nullptr;
    int forwarded = -1;
    for (int i = 0; i < num_candidate_input_indices && forwarded < 0; ++i) {
      const int candidate = candidate_input_indices[i];
      if (!MayForward(ctx, candidate, output_index, shape)) continue;
      ThrowIfError(ctx.forward_input_or_allocate_output({candidate}, output_index, shape,
                                                        &output));
      if (output->SharesBufferWith(ctx.input(candidate))) forwarded = candidate;
    }
    if (output == nullptr) {
      ThrowIfError(ctx.allocate_output(output_index, shape, &output));
    }
    if (forwarded_input != nullptr) *forwarded_input = forwarded;
    return SharedTensorToC(*output).release();
  });
}

TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* context, TF_DataType dtype,
                           const int64_t* dims, int num_dims,
                           TF_AllocatorAttributes* alloc_attrs, TF_Status* status) {
  return Guarded<TF_Tensor*>(status, nullptr, [&] {
    OpKernelContext& ctx = ContextOf(context);
    const DType type = minitf::c::DTypeOfC(dtype);
    RequirePlain(type, "TF_AllocateTemp");
    const Shape shape = ShapeOfC(dims, num_dims);
    bool is_on_host = false;
    if (alloc_attrs != nullptr) {
      constexpr size_t kEnd = offsetof(TF_AllocatorAttributes, on_host) + 1;
      Require(alloc_attrs->struct_size >= kEnd, "struct_size of alloc_attrs is ",
              alloc_attrs->struct_size, "; expected ", sizeof(TF_AllocatorAttributes));
      is_on_host = alloc_attrs->on_host != 0;
    }
    Tensor temp;
    minitf::Allocator* const host = ctx.device().host_allocator;
    if (is_on_host && host != nullptr) {
      temp = Tensor(type, shape, *host);
    } else {
      ThrowIfError(ctx.allocate_temp(type, shape, &temp));
    }
    return SharedTensorToC(temp).release();
  });
}
