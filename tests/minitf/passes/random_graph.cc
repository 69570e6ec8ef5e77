// Random graphs: each Add... function adds what one pass may find something in.

#include "tests/minitf/passes/random_graph.h"

#include <algorithm>
#include <utility>

#include "tests/testing.h"

namespace minitf::testing {
namespace {

Tensor RandomOf(const Shape& shape, DType dtype, unsigned seed) {
  const Tensor numbers = RandomTensor(shape, seed, -2, 2);
  if (dtype == DType::kFloat64) return numbers;
  const auto from = numbers.flat<double>();
  return Tensor::Of(shape, std::vector<float>(from.begin(), from.end()));
}

std::vector<int64_t> SizesOf(const Output& value) {
  const auto sizes = value.shape().sizes();
  return {sizes.begin(), sizes.end()};
}

}  // namespace

RandomGraph::RandomGraph(unsigned seed) : random_(seed) {
  AddInputs();
  const int num_steps = 5 + Below(25);
  for (int i = 0; i < num_steps; ++i) AddSomething();
  ChooseFetches();
}

std::vector<Tensor> RandomGraph::Feeds(int step) const {
  std::vector<Tensor> feeds;
  for (size_t i = 0; i < request_.feeds.size(); ++i) {
    std::vector<int64_t> sizes = SizesOf(request_.feeds[i]);
    for (int64_t& size : sizes) {
      if (size == PartialShape::kUnknown) size = 3;
    }
    feeds.push_back(RandomOf(Shape(sizes), request_.feeds[i].dtype(),
                             static_cast<unsigned>(17 * step + i)));
  }
  return feeds;
}

// Adds a node, now and then with a control input and a device.
Output RandomGraph::Add(std::string op, std::vector<Output> inputs, Attrs attrs) {
  NodeSpec spec;
  spec.op = std::move(op);
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  if (OneIn(15) && spec.op != "Placeholder") {
    spec.control_inputs.push_back(AnyOf(graph_.nodes()));
  }
  if (OneIn(12)) spec.device = OneIn(2) ? "/cpu:0" : "/cpu:1";
  return graph_.AddNode(std::move(spec))->output(0);
}

Shape RandomGraph::AnyShape(int rank) {
  std::vector<int64_t> sizes;
  for (int i = 0; i < rank; ++i) sizes.push_back(1 + Below(4));
  return Shape(sizes);
}

Output RandomGraph::Constant(const Shape& shape, DType dtype) {
  return graph_.AddConstant(RandomOf(shape, dtype, random_()))->output(0);
}

Output RandomGraph::Integers(const std::vector<int64_t>& values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  if (OneIn(3)) return graph_.AddConstant(Tensor::Of(shape, values))->output(0);
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return graph_.AddConstant(Tensor::Of(shape, narrow))->output(0);
}

Output RandomGraph::Number(float value, const Shape& shape, DType dtype) {
  const std::vector<float> values(shape.num_elements(), value);
  if (dtype == DType::kFloat32) {
    return graph_.AddConstant(Tensor::Of(shape, values))->output(0);
  }
  const std::vector<double> wide(values.begin(), values.end());
  return graph_.AddConstant(Tensor::Of(shape, wide))->output(0);
}

Output RandomGraph::AnyValue() {
  // Young values more often than old ones, so that chains grow.
  const int n = static_cast<int>(values_.size());
  return values_[std::max(Below(n), Below(n))];
}

Output RandomGraph::AnyOfRank(int rank) {
  for (int i = 0; i < 20; ++i) {
    const Output value = AnyValue();
    if (value.shape().has_rank() && value.shape().rank() == rank) return value;
  }
  return Constant(AnyShape(rank), DType::kFloat32);
}

Output RandomGraph::ScalarZero() {
  return graph_.AddConstant(Tensor::Scalar<int32_t>(0))->output(0);
}

// The same with elements between -1 and 1, so that numbers do not grow from op to op.
Output RandomGraph::Tamed(Output value) { return Add("Tanh", {value}); }

// Another value of the same type and shape; or one that broadcasts.
Output RandomGraph::Like(Output value) {
  for (int i = 0; i < 10; ++i) {
    const Output other = AnyValue();
    if (other.dtype() == value.dtype() && other.shape() == value.shape()) return other;
  }
  if (!value.shape().IsFullyKnown() || OneIn(3)) return Constant({}, value.dtype());
  return Constant(value.shape().ToShape(), value.dtype());
}

void RandomGraph::AddInputs() {
  const int num_feeds = 1 + Below(3);
  for (int i = 0; i < num_feeds; ++i) {
    const Shape shape = AnyShape(1 + Below(4));
    std::vector<int64_t> sizes = shape.ToVector();
    if (OneIn(3)) sizes[0] = PartialShape::kUnknown;
    const DType dtype = OneIn(4) ? DType::kFloat64 : DType::kFloat32;
    values_.push_back(
        Add("Placeholder", {}, {{"dtype", dtype}, {"shape", PartialShape(sizes)}}));
    request_.feeds.push_back(values_.back());
  }
  for (int i = 0; i < 2; ++i) {
    values_.push_back(Constant(AnyShape(Below(4)), DType::kFloat32));
  }
}

void RandomGraph::AddSomething() {
  using Adder = Output (RandomGraph::*)();
  static const std::vector<Adder> kAdders = {
      &RandomGraph::AddUnary,       &RandomGraph::AddUnary,
      &RandomGraph::AddUnary,       &RandomGraph::AddBinary,
      &RandomGraph::AddBinary,      &RandomGraph::AddBinary,
      &RandomGraph::AddNeutral,     &RandomGraph::AddReshape,
      &RandomGraph::AddTranspose,   &RandomGraph::AddTranspose,
      &RandomGraph::AddReduction,   &RandomGraph::AddProduct,
      &RandomGraph::AddProduct,     &RandomGraph::AddProductSum,
      &RandomGraph::AddProductPart, &RandomGraph::AddConvolution,
      &RandomGraph::AddJoin,        &RandomGraph::AddShapeArithmetic,
      &RandomGraph::AddState,       &RandomGraph::AddConstantArithmetic,
      &RandomGraph::AddTwin,
  };
  try {
    values_.push_back((this->*AnyOf(kAdders))());
  } catch (const Error&) {  // NOLINT: shapes that do not fit; another will do
  }
}

Output RandomGraph::AddUnary() {
  static const std::vector<std::string> kOps = {
      "Neg",      "Tanh",     "Sigmoid", "Relu",         "Abs",
      "Identity", "Identity", "Sin",     "StopGradient", "Neg",
      "Cos",      "Softplus", "Relu6",   "Elu",          "Rsqrt"};
  Output x = AnyValue();
  const std::string& op = AnyOf(kOps);
  if (op == "Rsqrt") x = Add("AddV2", {Add("Abs", {x}), Number(0.5, {}, x.dtype())});
  const Output y = Add(op, {x});
  return OneIn(4) ? Add(op == "Rsqrt" ? "Identity" : op, {y}) : y;
}

Output RandomGraph::AddBinary() {
  static const std::vector<std::string> kOps = {
      "AddV2", "Add", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"};
  const Output x = AnyValue();
  const Output y = OneIn(6) ? x : Like(x);
  const bool swapped = OneIn(2);
  const Output z = Add(AnyOf(kOps), {swapped ? y : x, swapped ? x : y});
  return OneIn(2) ? Tamed(z) : Add("Mul", {z, Number(0.25, {}, z.dtype())});
}

Output RandomGraph::AddNeutral() {
  const Output x = AnyValue();
  Shape shape;  // one that stretches the result, now and then
  if (OneIn(2)) shape = OneIn(2) ? Shape{1} : AnyShape(Below(3));
  if (x.shape().IsFullyKnown() && OneIn(3)) shape = x.shape().ToShape();
  try {
    switch (Below(4)) {
      case 0: return Add("Mul", {x, Number(1, shape, x.dtype())});
      case 1: return Add("AddV2", {Number(0, shape, x.dtype()), x});
      case 2: return Add("Sub", {x, Number(0, shape, x.dtype())});
      default: return Add("RealDiv", {x, Number(1, shape, x.dtype())});
    }
  } catch (const Error&) {
    return x;  // shapes that do not broadcast
  }
}

Output RandomGraph::AddReshape() {
  const Output x = AnyValue();
  const PartialShape& shape = x.shape();
  if (!shape.IsFullyKnown()) return Add("Reshape", {x, Integers({-1})});
  std::vector<int64_t> sizes = SizesOf(x);
  switch (Below(5)) {
    case 0: return Add("Reshape", {x, Integers(sizes)});
    case 1: return Add("Reshape", {Add("Reshape", {x, Integers({-1})}), Integers(sizes)});
    case 2: return Add("ExpandDims", {x, ScalarZero()});
    case 3: return Add("Squeeze", {x});
    default:
      std::ranges::shuffle(sizes, random_);
      return Add("Reshape", {x, Integers(sizes)});
  }
}

Output RandomGraph::AddTranspose() {
  const Output x = AnyOfRank(1 + Below(4));
  std::vector<int64_t> axes(x.shape().rank());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::ranges::shuffle(axes, random_);
  const Output y = Add("Transpose", {x, Integers(axes)});
  if (OneIn(2)) return y;
  std::vector<int64_t> inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) inverse[axes[i]] = static_cast<int64_t>(i);
  return Add("Transpose", {y, Integers(OneIn(2) ? axes : inverse)});
}

Output RandomGraph::AddReduction() {
  static const std::vector<std::string> kOps = {"Mean", "Max", "Min", "Mean", "Sum"};
  const Output x = AnyOfRank(1 + Below(3));
  std::vector<int64_t> axes;
  if (!OneIn(4)) axes.push_back(Below(x.shape().rank()));
  const Output y = Add(AnyOf(kOps), {x, Integers(axes)}, {{"keep_dims", OneIn(2)}});
  return Tamed(y);
}

// A product of matrices, some of them transposed first; with a bias and an activation
// now and then.
Output RandomGraph::AddProduct() {
  Output a = AnyOfRank(OneIn(4) ? 3 : 2);
  if (!a.shape().IsFullyKnown()) return a;
  const bool is_batch = a.shape().rank() == 3;
  const bool transpose_a = OneIn(2);
  const bool transpose_b = OneIn(2);
  const std::vector<int64_t> swap =
      is_batch ? std::vector<int64_t>{0, 2, 1} : std::vector<int64_t>{1, 0};
  if (OneIn(2)) a = Add("Transpose", {a, Integers(swap)});
  const int64_t inner = a.shape().dim(transpose_a ? -2 : -1);
  const int64_t columns = 1 + Below(4);
  std::vector<int64_t> sizes = {inner, columns};
  if (is_batch) sizes.insert(sizes.begin(), a.shape().dim(0));
  const bool has_transpose = OneIn(2);
  if (transpose_b != has_transpose)
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  Output b = Constant(Shape(sizes), a.dtype());
  if (OneIn(2)) b = Add("Identity", {b});
  if (has_transpose) b = Add("Transpose", {b, Integers(swap)});
  const Output y =
      is_batch
          ? Add("BatchMatMulV2", {a, b}, {{"adj_x", transpose_a}, {"adj_y", transpose_b}})
          : Add("MatMul", {a, b},
                {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
  static const std::vector<std::string> kActivations = {"Relu", "Tanh", "Relu6", "Elu",
                                                        "Sigmoid"};
  if (OneIn(3)) return Tamed(y);
  const Output bias = Constant(Shape{columns}, y.dtype());
  const Output z = Add(OneIn(3) ? "AddV2" : "BiasAdd", {y, bias});
  return Tamed(OneIn(3) ? z : Add(AnyOf(kActivations), {z}));
}

// A sum of products, as in the gradient of a weight that is used several times.
Output RandomGraph::AddProductSum() {
  const Output x = AnyOfRank(2);
  if (!x.shape().IsFullyKnown()) return x;
  const int64_t columns = 4 + Below(4);
  std::vector<Output> products;
  for (int i = 4 + Below(3); i > 0; --i) {
    const Output a = OneIn(2) ? x : Add("Sin", {x});
    const Output b = Constant(Shape{x.shape().dim(0), columns}, x.dtype());
    products.push_back(Add("MatMul", {a, b}, {{"transpose_a", true}}));
  }
  return Tamed(Add("AddN", products));
}

// A piece of the columns of a product, as in the gradient of joined inputs.
Output RandomGraph::AddProductPart() {
  const Output x = AnyOfRank(2);
  const std::vector<int64_t> sizes = {Below(3), 1 + Below(3), 1 + Below(3)};
  const int64_t columns = sizes[0] + sizes[1] + sizes[2];
  Output b = Constant(Shape{columns, x.shape().dim(1)}, x.dtype());
  if (OneIn(2)) b = Add("Sin", {b});
  const Output product = Add("MatMul", {x, b}, {{"transpose_b", true}});
  const Output axis = graph_.AddConstant(Tensor::Scalar(OneIn(2) ? 1 : -1))->output(0);
  const Output first =
      Add("SplitV", {product, Integers(sizes), axis}, {{"num_split", int64_t{3}}});
  if (OneIn(4)) values_.push_back(first.node->output(2));  // which may be used, too
  return Tamed(first.node->output(1));
}

Output RandomGraph::AddConvolution() {
  Output x = AnyOfRank(4);
  if (!x.shape().IsFullyKnown()) return x;
  const bool nchw = OneIn(2);
  const std::string format = nchw ? "NCHW" : "NHWC";
  const int64_t channels = x.shape().dim(nchw ? 1 : 3);
  const int64_t k = 1 + Below(3);
  const Output filters =
      Constant(Shape{1 + Below(2), 1 + Below(2), channels, k}, x.dtype());
  Output y = Add("Conv2D", {x, filters},
                 {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                  {"padding", std::string("SAME")},
                  {"data_format", format}});
  if (!nchw && OneIn(2)) y = AddBatchNorm(y, k);
  if (!OneIn(3)) {
    y = Add("BiasAdd", {y, Constant(Shape{k}, y.dtype())}, {{"data_format", format}});
  }
  if (!nchw && OneIn(4)) y = AddBatchNorm(y, k);
  if (!OneIn(3)) y = Add(OneIn(2) ? "Relu" : "Tanh", {y});
  if (OneIn(2)) {
    const std::vector<int64_t> window =
        nchw ? std::vector<int64_t>{1, 1, 2, 2} : std::vector<int64_t>{1, 2, 2, 1};
    y = Add(OneIn(2) ? "MaxPool" : "AvgPool", {y},
            {{"ksize", window},
             {"strides", window},
             {"padding", std::string("SAME")},
             {"data_format", format}});
  }
  return Tamed(y);
}

// Batch normalisation for inference, as tf.nn.batch_normalization writes it:
// y * scale + offset, for each channel.
Output RandomGraph::AddBatchNorm(Output images, int64_t channels) {
  const Output scaled = Add("Mul", {images, Constant(Shape{channels}, images.dtype())});
  return Add("AddV2", {scaled, Constant(Shape{channels}, images.dtype())});
}

Output RandomGraph::AddJoin() {
  const Output x = AnyValue();
  const Output axis = ScalarZero();
  switch (Below(4)) {
    case 0: return Tamed(Add("AddN", {x}));
    case 1: return Tamed(Add("AddN", {x, x, x}));
    case 2:
      return Add("Cast", {Add("Cast", {x}, {{"DstT", DType::kFloat64}})},
                 {{"DstT", x.dtype()}});
    default: {
      if (!x.shape().has_rank() || x.shape().rank() == 0) return x;
      return Add("ConcatV2", {x, OneIn(2) ? x : Like(x), axis});
    }
  }
}

// A tensor of the shape of another, the way a gradient function writes it.
Output RandomGraph::AddShapeArithmetic() {
  const Output x = AnyValue();
  const Output shape = Add("Shape", {x});
  switch (Below(4)) {
    case 0: return Add("Fill", {shape, Number(0.5, {}, x.dtype())});
    case 1: return Tamed(Add("Cast", {Add("Size", {x})}, {{"DstT", x.dtype()}}));
    case 2: return Tamed(Add("Cast", {Add("Rank", {x})}, {{"DstT", x.dtype()}}));
    default: return Add("Reshape", {Add("Reshape", {x, Integers({-1})}), shape});
  }
}

Output RandomGraph::AddConstantArithmetic() {
  const Shape shape = AnyShape(Below(3));
  const Output a = Constant(shape, DType::kFloat32);
  const Output b = Add("Mul", {a, Number(0.5, {}, DType::kFloat32)});
  const Output c = Add("AddV2", {Add("Exp", {b}), a});
  return OneIn(2) ? Tamed(c)
                  : Add("Sub", {AnyValue().dtype() == DType::kFloat32 ? b : c, a});
}

// Something that has effects or is different each time.
Output RandomGraph::AddState() {
  const std::vector<int64_t> sizes = AnyShape(Below(3)).ToVector();
  if (OneIn(2)) {
    // The same seed for all, so that merging two of them would go unseen at first sight.
    return Add("RandomUniform", {Integers(sizes)},
               {{"dtype", DType::kFloat32}, {"seed", int64_t{7}}, {"seed2", int64_t{9}}});
  }
  const Output x = AnyValue();
  if (x.dtype() != DType::kFloat32) return x;
  const Output recorded = Add("TestRecord", {x});
  if (OneIn(3)) request_.targets.push_back(recorded.node);
  return recorded;
}

// A copy of a node that is there, with its inputs swapped or an attribute changed.
Output RandomGraph::AddTwin() {
  const Node* node = AnyValue().node;
  if (node->inputs().empty() || node->num_outputs() != 1) return AddUnary();
  NodeSpec spec;
  spec.op = node->type();
  spec.inputs = node->inputs();
  spec.attrs = node->attrs();
  spec.device = OneIn(4) ? "/cpu:1" : node->device();
  const bool may_swap = spec.inputs.size() == 2 &&
                        spec.inputs[0].dtype() == spec.inputs[1].dtype() && OneIn(2);
  if (may_swap) std::swap(spec.inputs[0], spec.inputs[1]);
  const AttrValue* keep_dims = spec.attrs.Find("keep_dims");
  if (keep_dims != nullptr && OneIn(2)) {
    spec.attrs.Set("keep_dims", !std::get<bool>(*keep_dims));
  }
  try {
    return graph_.AddNode(std::move(spec))->output(0);
  } catch (const Error&) {
    return AnyValue();  // swapped inputs that do not fit
  }
}

void RandomGraph::ChooseFetches() {
  const int num_fetches = 1 + Below(4);
  for (int i = 0; i < num_fetches; ++i) request_.fetches.push_back(AnyValue());
  request_.fetches.push_back(values_.back());
}

}  // namespace minitf::testing
