// What a graph knows of a value before it runs.
//
// A user writes tf.reshape(x, [tf.shape(x)[0], 784]). The second input of that Reshape is
// a Pack of a StridedSlice of a Shape; were it just "not known yet", nothing would be
// known of any shape that follows. So small lists of integers are followed through the
// few ops with which shapes are computed, element by element, as far as each is known:
//
//   x [?,28,28]   Shape: (?,28,28)   StridedSlice [0]: ?   Pack: (?,784)
//
// Compare    tensorflow/python/framework/tensor_util.py,
//            tensorflow/core/common_runtime/eval_const_tensor.h
// Read next  minitf/graph/topological_order.h

#include <algorithm>
#include <cstdint>
#include <string>

#include "minitf/framework/shape_inference.h"
#include "minitf/graph/graph.h"

namespace minitf {
namespace {

// A scalar or a list of integers, each as far as it is known.
struct PartialIntegers {
  bool is_scalar = false;
  std::vector<std::optional<int64_t>> elements;
};

using MaybeIntegers = std::optional<PartialIntegers>;

// Longer lists are no shapes.
constexpr int64_t kMaxElements = 256;

bool IsInteger32Or64(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

bool IsConst(const Node& node) { return node.type() == "Const"; }

const Tensor& ValueOfConst(const Node& node) { return node.attrs().Get<Tensor>("value"); }

// Follows values backwards. Looks at no more than a certain number of nodes, since a
// graph from a file may be made to have very many paths.
class IntegerEvaluator {
 public:
  MaybeIntegers Evaluate(const Output& output) {
    if (!IsInteger32Or64(output.dtype()) || nodes_left_ <= 0) return {};
    --nodes_left_;
    const Node& node = *output.node;
    const std::string& type = node.type();
    if (type == "Const") return Const(node);
    if (type == "Identity" || type == "Cast") return Evaluate(node.inputs()[0]);
    if (type == "Shape") return ShapeOfInput(node);
    if (type == "Rank") return RankOfInput(node);
    if (type == "Size") return SizeOfInput(node);
    if (type == "Pack") return Pack(node);
    if (type == "ConcatV2") return Concat(node);
    if (type == "StridedSlice") return StridedSlice(node);
    return {};
  }

 private:
  MaybeIntegers Const(const Node& node) {
    const Tensor& value = ValueOfConst(node);
    if (value.rank() > 1 || value.num_elements() > kMaxElements) return {};
    PartialIntegers result{value.rank() == 0, {}};
    for (const int64_t element : IntegersOf(value)) result.elements.emplace_back(element);
    return result;
  }

  MaybeIntegers ShapeOfInput(const Node& node) {
    const PartialShape& shape = node.inputs()[0].shape();
    if (!shape.has_rank()) return {};
    PartialIntegers result;
    for (const int64_t size : shape.sizes()) {
      result.elements.push_back(
          size == PartialShape::kUnknown ? std::nullopt : std::optional<int64_t>(size));
    }
    return result;
  }

  MaybeIntegers RankOfInput(const Node& node) {
    const PartialShape& shape = node.inputs()[0].shape();
    if (!shape.has_rank()) return {};
    return PartialIntegers{true, {shape.rank()}};
  }

  MaybeIntegers SizeOfInput(const Node& node) {
    const PartialShape& shape = node.inputs()[0].shape();
    if (!shape.IsFullyKnown()) return {};
    return PartialIntegers{true, {shape.num_elements()}};
  }

  // A list of scalars. A scalar of which nothing is known is one unknown element.
  MaybeIntegers Pack(const Node& node) {
    PartialIntegers result;
    for (const Output& input : node.inputs()) {
      if (!input.shape().has_rank() || input.shape().rank() != 0) return {};
      const MaybeIntegers scalar = Evaluate(input);
      result.elements.push_back(scalar ? scalar->elements[0] : std::nullopt);
    }
    return result;
  }

  MaybeIntegers Concat(const Node& node) {
    PartialIntegers result;
    for (size_t i = 0; i + 1 < node.inputs().size(); ++i) {
      const MaybeIntegers part = Evaluate(node.inputs()[i]);
      if (!part || part->is_scalar) return {};
      result.elements.insert(result.elements.end(), part->elements.begin(),
                             part->elements.end());
      if (result.elements.size() > kMaxElements) return {};
    }
    return result;
  }

  // x[i] and x[begin:end:stride] of a list, with all of begin, end and stride known.
  MaybeIntegers StridedSlice(const Node& node) {
    const MaybeIntegers list = Evaluate(node.inputs()[0]);
    if (!list || list->is_scalar) return {};
    int64_t range[3];
    for (int i = 0; i < 3; ++i) {
      const MaybeIntegers bound = Evaluate(node.inputs()[i + 1]);
      if (!bound || bound->elements.size() != 1 || !bound->elements[0]) return {};
      range[i] = *bound->elements[0];
    }
    const Attrs& attrs = node.attrs();
    if (attrs.Get<int64_t>("ellipsis_mask") != 0) return {};
    if (attrs.Get<int64_t>("new_axis_mask") != 0) return {};

    const auto size = static_cast<int64_t>(list->elements.size());
    auto [begin, end, stride] = range;
    if (begin < 0) begin += size;
    if ((attrs.Get<int64_t>("shrink_axis_mask") & 1) != 0) {
      if (begin < 0 || begin >= size) return {};
      return PartialIntegers{true, {list->elements[begin]}};
    }
    if (stride <= 0) return {};
    if (end < 0) end += size;
    if ((attrs.Get<int64_t>("begin_mask") & 1) != 0) begin = 0;
    if ((attrs.Get<int64_t>("end_mask") & 1) != 0) end = size;
    PartialIntegers result;
    for (int64_t i = std::max<int64_t>(begin, 0); i < std::min(end, size); i += stride) {
      result.elements.push_back(list->elements[i]);
      if (stride >= size) break;  // i + stride could be more than 2^63
    }
    return result;
  }

  int nodes_left_ = 200;
};

Tensor MakeTensor(DType dtype, const std::vector<int64_t>& elements, bool is_scalar) {
  const Shape shape = is_scalar ? Shape{} : Shape{static_cast<int64_t>(elements.size())};
  if (dtype == DType::kInt64) return Tensor::Of(shape, elements);
  return Tensor::Of(shape, std::vector<int32_t>(elements.begin(), elements.end()));
}

// The shape of the variable that a handle points to.
PartialShape ShapeBehindHandle(const Node& node) {
  return node.type() == "VarHandleOp" ? node.attrs().Get<PartialShape>("shape")
                                      : PartialShape();
}

}  // namespace

std::optional<Tensor> Graph::ConstantValue(Output output) const {
  if (IsConst(*output.node)) return ValueOfConst(*output.node);
  const MaybeIntegers integers = IntegerEvaluator().Evaluate(output);
  if (!integers) return {};
  std::vector<int64_t> elements;
  for (const std::optional<int64_t>& element : integers->elements) {
    if (!element) return {};
    elements.push_back(*element);
  }
  return MakeTensor(output.dtype(), elements, integers->is_scalar);
}

PartialShape Graph::ConstantValueAsShape(Output output) const {
  if (output.dtype() == DType::kResource) return ShapeBehindHandle(*output.node);
  const MaybeIntegers integers = IntegerEvaluator().Evaluate(output);
  if (!integers || integers->is_scalar) return {};
  std::vector<int64_t> sizes;
  for (const std::optional<int64_t>& element : integers->elements) {
    sizes.push_back(element.value_or(PartialShape::kUnknown));
    // The -1 of a Reshape is a size that is not known; other negative numbers are no
    // sizes.
    if (sizes.back() < PartialShape::kUnknown) return {};
  }
  return PartialShape(sizes);
}

}  // namespace minitf
