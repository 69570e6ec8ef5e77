// Gradients of batch normalization, and gradients of these.
//
// As in kernels/cpu/nn/batch_norm.cc, of one channel with n numbers:
//
//   y  = scale * h + offset                for h = (x - m) * r
//   dx = scale * r * (dy - mean of dy - h * mean of (dy * h))
//
// The first line is the op Forward(scale, offset) of x, the second G(dy, scale).dx, which
// also gives G.dscale = sum of (dy * h) and G.doffset = sum of dy. Both h and r depend on
// every x of the channel:
//
//   dh_j/dx_i = r * ([i = j] - 1 / n - h_i * h_j / n)      dr/dx_i = -r^2 * h_i / n
//
// So all terms of a second derivative have the forms that the two ops have, and are calls
// of them with other scales and offsets. They are differentiable in turn.
//
// Ops        minitf/ops/nn/batch_norm_ops.cc
// Compare    tensorflow/python/ops/nn_grad.py (_BaseFusedBatchNormGrad), nn_impl.py
// Read next  minitf/gradients/nn/activation_grad.cc

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

constexpr std::string_view kBatchNorm = "FusedBatchNorm";

Attrs BatchNormAttrsOf(const GradientContext& ctx) {
  Attrs result;
  for (const char* name : {"epsilon", "data_format", "is_training"}) {
    result.Set(name, *ctx.attrs.Find(name));
  }
  return result;
}

// Nothing flows to mean and variance: in training the op has its own, and given ones are
// those of other batches. Neither do outputs 1 and 2 hand anything on.
std::vector<Value> BatchNormGrad(const GradientContext& ctx) {
  std::vector<Value> gradients(ctx.inputs.size(), Value::None());
  if (ctx.dy[0].is_none()) return gradients;
  const std::string version = ctx.op.name.substr(kBatchNorm.size());
  std::vector<Value> inputs = {ctx.dy[0], ctx.inputs[0], ctx.inputs[1]};
  inputs.insert(inputs.end(), ctx.outputs.begin() + 3, ctx.outputs.end());
  const auto found = ctx.emitter.CallAll(StrCat(kBatchNorm, "Grad", version), inputs,
                                         BatchNormAttrsOf(ctx));
  std::copy_n(found.begin(), 3, gradients.begin());
  return gradients;
}
REGISTER_GRADIENT("FusedBatchNorm", BatchNormGrad);
REGISTER_GRADIENT("FusedBatchNormV2", BatchNormGrad);
REGISTER_GRADIENT("FusedBatchNormV3", BatchNormGrad);

// ---- Second derivatives ---------------------------------------------------------------

// The node is G(dy, scale) of x. Its two ops with other arguments, and short forms.
class SecondGradient {
 public:
  explicit SecondGradient(const GradientContext& ctx)
      : ctx_(ctx), attrs_(BatchNormAttrsOf(ctx)) {}

  // What G gives: dx, dscale, doffset.
  std::vector<Value> Gradient(Value dy, Value scale) const {
    std::vector<Value> inputs = ctx_.inputs;
    inputs[0] = dy;
    inputs[2] = scale;
    return ctx_.emitter.CallAll(ctx_.op.name, inputs, attrs_);
  }
  Value Forward(Value scale, Value offset) const {
    const std::string version = ctx_.op.name.substr(kBatchNorm.size() + 4);  // "Grad"
    return ctx_.Call(StrCat(kBatchNorm, version),
                     {x(), scale, offset, ctx_.inputs[3], ctx_.inputs[4]}, attrs_);
  }
  // r [C].
  Value Root() const {
    Value variance = ctx_.inputs[4];
    if (is_training()) {
      const Value wide = Wide(x());
      const Value mean = OverPlaces("Mean", wide, true);
      const Value squares = ctx_.Call("SquaredDifference", {wide, mean});
      variance = OverPlaces("Mean", squares, false);
    }
    const Value epsilon = NumberLike(ctx_, variance, ctx_.attr<float>("epsilon"));
    return ctx_.Call("Rsqrt", {Add(variance, epsilon)});
  }
  // n, a float.
  Value Count() const {
    const Value one = ctx_.emitter.Constant(Tensor::Scalar(int32_t{1}));
    const Value channels =
        ctx_.Call("Maximum", {ctx_.Call("Size", {ctx_.inputs[2]}), one});
    const Value count =
        ctx_.Call("FloorDiv", {ctx_.Call("Size", {ctx_.inputs[1]}), channels});
    return ctx_.Call("Cast", {ctx_.Call("Maximum", {count, one})},
                     {{"DstT", DType::kFloat32}});
  }
  // The sum of a * b for each channel, in float.
  Value InnerProduct(Value a, Value b) const {
    return OverPlaces("Sum", Times(Wide(a), Wide(b)), false);
  }

  bool is_training() const { return ctx_.attr<bool>("is_training"); }
  Value x() const { return ctx_.inputs[1]; }
  Value OrZeros(Value gradient, Value like) const {
    return gradient.is_none() ? ctx_.Call("ZerosLike", {like}) : gradient;
  }
  Value Add(Value a, Value b) const { return ctx_.Call("Add", {a, b}); }
  Value Minus(Value a, Value b) const { return ctx_.Call("Sub", {a, b}); }
  Value Times(Value a, Value b) const { return ctx_.Call("Mul", {a, b}); }
  Value Over(Value a, Value b) const { return ctx_.Call("RealDiv", {a, b}); }

 private:
  // Reduces the axes of images and places; what is kept is [C], or of 4 axes.
  Value OverPlaces(std::string_view op, Value images, bool keep_dims) const {
    const bool is_nchw = ctx_.attr<std::string>("data_format") == "NCHW";
    const Value axes = is_nchw ? Ints(ctx_, {0, 2, 3}) : Ints(ctx_, {0, 1, 2});
    return ctx_.Call(op, {images, axes}, {{"keep_dims", keep_dims}});
  }
  Value Wide(Value a) const {
    if (ctx_.emitter.dtype(a) == DType::kFloat32) return a;
    return ctx_.Call("Cast", {a}, {{"DstT", DType::kFloat32}});
  }

  const GradientContext& ctx_;
  const Attrs attrs_;
};

// ddx, a and b are the gradients of dx, dscale and doffset. Where moments are given,
//
//   dL/d(dy)    = G(ddx, scale).dx + Forward(a, b)
//   dL/d(scale) = r * sum of (ddx * dy)
//   dL/dx       = G(dy, a).dx
//
// In training there is more, by p = mean of (ddx * h) and q = mean of (dy * h):
//
//   dL/d(scale) = r * (sum of (ddx * dy) - n * (mean of ddx) * (mean of dy) - n * p * q)
//   dL/dx       = G(dy, a - scale * r * p).dx - G(ddx, scale * r * q).dx
//                 - Forward(scale * r / n * dL/d(scale), 0)
std::vector<Value> BatchNormGradGrad(const GradientContext& ctx) {
  std::vector<Value> gradients(ctx.inputs.size(), Value::None());
  if (std::all_of(ctx.dy.begin(), ctx.dy.begin() + 3,
                  [](Value value) { return value.is_none(); })) {
    return gradients;
  }
  const SecondGradient of(ctx);
  const Value dy = ctx.inputs[0];
  const Value scale = ctx.inputs[2];
  const Value ddx = of.OrZeros(ctx.dy[0], dy);
  const Value a = of.OrZeros(ctx.dy[1], scale);
  const Value b = of.OrZeros(ctx.dy[2], scale);
  const Value r = of.Root();
  const auto through = of.Gradient(ddx, scale);
  gradients[0] = of.Add(through[0], of.Forward(a, b));
  Value product = of.InnerProduct(ddx, dy);
  if (!of.is_training()) {
    gradients[1] = of.Gradient(dy, a)[0];
    gradients[2] = of.Times(r, product);
    return gradients;
  }
  // n * p, n * q, and the sums of ddx and dy.
  const Value np = through[1], nq = ctx.outputs[1];
  const Value sum_ddx = through[2], sum_dy = ctx.outputs[2];
  const Value n = of.Count();
  const Value common = of.Add(of.Times(sum_ddx, sum_dy), of.Times(np, nq));
  product = of.Minus(product, of.Over(common, n));
  gradients[2] = of.Times(r, product);

  const Value slope = of.Over(of.Times(scale, r), n);
  const Value by_dy = of.Gradient(dy, of.Minus(a, of.Times(slope, np)))[0];
  const Value by_ddx = of.Gradient(ddx, of.Times(slope, nq))[0];
  const Value by_root =
      of.Forward(of.Times(slope, gradients[2]), ctx.Call("ZerosLike", {scale}));
  gradients[1] = of.Minus(of.Minus(by_dy, by_ddx), by_root);
  return gradients;
}
REGISTER_GRADIENT("FusedBatchNormGrad", BatchNormGradGrad);
REGISTER_GRADIENT("FusedBatchNormGradV2", BatchNormGradGrad);
REGISTER_GRADIENT("FusedBatchNormGradV3", BatchNormGradGrad);

}  // namespace
}  // namespace minitf
