// Gradients: reading and parsing have none. Scaling images is a weighted sum, and its
// gradient the same sum from the other side.
//
// Compare    tensorflow/python/ops/image_grad.py
// Read next  minitf/gradients/emit.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

std::vector<Value> ScaledGrad(const GradientContext& ctx, const std::string& op) {
  const Attrs attrs = {{"align_corners", ctx.attr<bool>("align_corners")},
                       {"half_pixel_centers", ctx.attr<bool>("half_pixel_centers")}};
  return {ctx.Call(op, {ctx.dy[0], ctx.inputs[0]}, attrs), Value::None()};
}

std::vector<Value> ResizeBilinearGrad(const GradientContext& ctx) {
  return ScaledGrad(ctx, "ResizeBilinearGrad");
}
REGISTER_GRADIENT("ResizeBilinear", ResizeBilinearGrad);

// As in TensorFlow, images of 16 bit numbers have a gradient by ResizeBilinear only.
std::vector<Value> ResizeBicubicGrad(const GradientContext& ctx) {
  const DType dtype = ctx.attr<DType>("T");
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64)
    return {Value::None(), Value::None()};
  return ScaledGrad(ctx, "ResizeBicubicGrad");
}
REGISTER_GRADIENT("ResizeBicubic", ResizeBicubicGrad);

// The height and width of `images` [N,H,W,C].
Value SidesOf(const GradientContext& ctx, Value images) {
  const Value shape = ctx.Call("Shape", {images});
  const Value begin = ctx.emitter.Constant(Tensor::Of<int32_t>({1}, {1}));
  const Value size = ctx.emitter.Constant(Tensor::Of<int32_t>({1}, {2}));
  return ctx.Call("Slice", {shape, begin, size});
}

Attrs HowResized(const GradientContext& ctx) {
  return {{"align_corners", ctx.attr<bool>("align_corners")},
          {"half_pixel_centers", ctx.attr<bool>("half_pixel_centers")}};
}

// The gradient op wants to know how large the images were.
std::vector<Value> ResizeNearestNeighborGrad(const GradientContext& ctx) {
  return {ctx.Call("ResizeNearestNeighborGrad", {ctx.dy[0], SidesOf(ctx, ctx.inputs[0])},
                   HowResized(ctx)),
          Value::None()};
}
REGISTER_GRADIENT("ResizeNearestNeighbor", ResizeNearestNeighborGrad);

// Each of `grads` went to one pixel, and takes what comes from there.
std::vector<Value> ResizeNearestNeighborGradGrad(const GradientContext& ctx) {
  return {ctx.Call("ResizeNearestNeighbor", {ctx.dy[0], SidesOf(ctx, ctx.inputs[0])},
                   HowResized(ctx)),
          Value::None()};
}
REGISTER_GRADIENT("ResizeNearestNeighborGrad", ResizeNearestNeighborGradGrad);

// The values are where dy is listed, the default is everywhere else.
std::vector<Value> SparseToDenseGrad(const GradientContext& ctx) {
  const Value dy = ctx.dy[0];
  const Value places = ctx.inputs[0];
  const PartialShape shape = ctx.emitter.shape(places);
  const PartialShape values = ctx.emitter.shape(ctx.inputs[2]);
  Require(
      shape.has_rank() && shape.rank() == 2 && values.has_rank(),
      "sparse_indices must be known to be a matrix, and the rank of sparse_values must "
      "be known; their shapes are ",
      shape, " and ", values);
  const Value of_values = ctx.Call("GatherNd", {dy, places});
  const auto sum = [&ctx](Value x) {
    const Value rank = ctx.Call("Rank", {x});
    const Value zero = ctx.emitter.Constant(Tensor::Scalar<int32_t>(0));
    const Value one = ctx.emitter.Constant(Tensor::Scalar<int32_t>(1));
    return ctx.Call("Sum", {x, ctx.Call("Range", {zero, rank, one})});
  };
  const Value of_default = ctx.Call("Sub", {sum(dy), sum(of_values)});
  const bool is_one = values.rank() == 0;
  return {Value::None(), Value::None(), is_one ? sum(of_values) : of_values, of_default};
}
REGISTER_GRADIENT("SparseToDense", SparseToDenseGrad);

const GradientRegistrar kIoWithoutGradient[] = {
    {"AddManySparseToTensorsMap", kNotDifferentiable},
    {"AddSparseToTensorsMap", kNotDifferentiable},
    {"DecodeBmp", kNotDifferentiable},
    {"DecodeCSV", kNotDifferentiable},
    {"DecodeGif", kNotDifferentiable},
    {"DecodeJpeg", kNotDifferentiable},
    {"DecodeJSONExample", kNotDifferentiable},
    {"DecodePng", kNotDifferentiable},
    {"DecodeRaw", kNotDifferentiable},
    {"DeserializeManySparse", kNotDifferentiable},
    {"EncodeJpeg", kNotDifferentiable},
    {"EncodePng", kNotDifferentiable},
    {"ExtractJpegShape", kNotDifferentiable},
    {"HSVToRGB", kNotDifferentiable},
    {"MatchingFiles", kNotDifferentiable},
    {"ParseExample", kNotDifferentiable},
    {"ParseSequenceExample", kNotDifferentiable},
    {"ParseSingleExample", kNotDifferentiable},
    {"ParseSingleSequenceExample", kNotDifferentiable},
    {"ParseTensor", kNotDifferentiable},
    {"ReadFile", kNotDifferentiable},
    {"ResizeBilinearGrad", kNotDifferentiable},
    {"SerializeManySparse", kNotDifferentiable},
    {"SerializeSparse", kNotDifferentiable},
    {"SerializeTensor", kNotDifferentiable},
    {"TakeManySparseFromTensorsMap", kNotDifferentiable},
    {"WriteFile", kNotDifferentiable},
};

}  // namespace
}  // namespace minitf
