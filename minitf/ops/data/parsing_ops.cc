// Parsing: from bytes to tensors. Examples, rows of CSV, raw numbers.
//
// An Example holds named lists of strings, floats or integers
// (minitf/io/messages/example_wire.h). An op that parses it is told which names to look
// for. Its outputs stand in groups: places, values and shapes of all features that are
// asked for as sparse, then the dense ones.
//
// Kernels    kernels/cpu/data/parse_example.cc, decode_text.cc, serialize_tensor.cc
// Gradients  minitf/gradients/data/io_grad.cc
// Compare    tensorflow/core/ops/parsing_ops.cc
// Read next  minitf/ops/data/string_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/data/example_shapes.h"

namespace minitf {
namespace {

void ParseExampleShape(InferenceContext* ctx) {
  const int64_t records = ctx->WithRank(0, 1, "serialized").dim(0);
  const int64_t num_sparse = ctx->attr<int64_t>("Nsparse");
  const int64_t num_dense = ctx->attr<int64_t>("Ndense");
  const auto& shapes = ctx->attr<Shapes>("dense_shapes");
  RequireSize("sparse_types", ctx->attr<Types>("sparse_types").size(), num_sparse);
  RequireSize("Tdense", ctx->attr<Types>("Tdense").size(), num_dense);
  RequireSize("dense_shapes", shapes.size(), num_dense);
  const int first_dense = static_cast<int>(3 * num_sparse);
  SetSparseOutputs(ctx, 0, static_cast<int>(num_sparse), 2);
  for (int i = 0; i < num_dense; ++i) {
    ctx->set_output(first_dense + i, Behind(records, shapes[i]));
  }
}

REGISTER_OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .SetShapeFn(ParseExampleShape)
    .Doc(
        "The features of Examples `serialized` [N] called `sparse_keys`, as sparse "
        "tensors of shape [N, most values], and `dense_keys`, as tensors [N] + shape.");

void ParseSingleExampleShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "serialized");
  const int64_t num_sparse = ctx->attr<int64_t>("num_sparse");
  const auto& shapes = ctx->attr<Shapes>("dense_shapes");
  const auto num_dense = static_cast<int64_t>(ctx->attr<Types>("Tdense").size());
  using Keys = std::vector<std::string>;
  RequireSize("sparse_keys", ctx->attr<Keys>("sparse_keys").size(), num_sparse);
  RequireSize("sparse_types", ctx->attr<Types>("sparse_types").size(), num_sparse);
  RequireSize("dense_keys", ctx->attr<Keys>("dense_keys").size(), num_dense);
  RequireSize("dense_shapes", shapes.size(), num_dense);
  SetSparseOutputs(ctx, 0, static_cast<int>(num_sparse), 1);
  for (int i = 0; i < num_dense; ++i) {
    ctx->set_output(static_cast<int>(3 * num_sparse) + i, shapes[i]);
  }
}

REGISTER_OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .SetShapeFn(ParseSingleExampleShape)
    .Doc(
        "The features of one Example `serialized` called `sparse_keys`, as sparse "
        "vectors, and `dense_keys`, as tensors of `dense_shapes`.");

// ---- Tensors and text -----------------------------------------------------------------

REGISTER_OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .SetShapeFn(ScalarShape)
    .Doc("A tensor as a serialized TensorProto.");

REGISTER_OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "serialized");
      UnknownShape(ctx);
    })
    .Doc("The tensor of a serialized TensorProto, which must be of `out_type`.");

REGISTER_OP("DecodeJSONExample")
    .Input("json_examples: string")
    .Output("binary_examples: string")
    .SetShapeFn(UnchangedShape)
    .Doc("Serialized Examples from their JSON, in the same shape.");

REGISTER_OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
        "complex64, complex128, bool}")
    .Attr("little_endian: bool = true")
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& bytes = ctx->input(0);
      if (!bytes.has_rank()) return ctx->set_output(0, {});
      std::vector<int64_t> sizes(bytes.sizes().begin(), bytes.sizes().end());
      sizes.push_back(PartialShape::kUnknown);
      ctx->set_output(0, PartialShape(sizes));
    })
    .Doc("The bytes of strings, all of one length, as numbers: bytes.shape + [numbers].");

void DecodeCsvShape(InferenceContext* ctx) {
  const auto& types = ctx->attr<Types>("OUT_TYPE");
  for (int i = 1; i < ctx->num_inputs(); ++i) {
    const PartialShape& value = ctx->input(i);
    if (!value.has_rank()) continue;
    Require(value.rank() <= 1, "Shape of a default must be a length-0 or length-1 ",
            "vector, or a scalar, its shape is ", value);
    Require(value.rank() == 0 || value.dim(0) <= 1, "Shape of a default must be a ",
            "length-0 or length-1 vector, or a scalar, its shape is ", value);
  }
  for (size_t i = 0; i < types.size(); ++i) {
    ctx->set_output(static_cast<int>(i), ctx->input(0));
  }
}

REGISTER_OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .SetShapeFn(DecodeCsvShape)
    .Doc(
        "The fields of rows of CSV, a tensor in the shape of `records` for each column; "
        "an empty field gets its default.");

}  // namespace
}  // namespace minitf
