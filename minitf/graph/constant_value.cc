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
#include <limits>
#include <set>
#include <string>

#include "minitf/framework/shape_inference.h"
#include "minitf/graph/graph.h"

namespace minitf {
namespace {

using Integer = std::optional<int64_t>;

// A scalar or a list of integers, each as far as it is known.
struct PartialIntegers {
  bool is_scalar = false;
  std::vector<Integer> elements;
};

using MaybeIntegers = std::optional<PartialIntegers>;

// Longer lists are no shapes.
constexpr int64_t kMaxElements = 256;

// How many nodes are looked at for one value. Arithmetic counts more, since sizes are
// worked out in a few steps, and long chains of it are no sizes.
constexpr int kMostNodes = 200;
constexpr int kArithmetic = 10;

// What an op makes of two integers; nothing where that is not defined, or too large.
Integer Combined(const std::string& op, int64_t a, int64_t b, DType dtype) {
  int64_t result = 0;
  bool overflows = false;
  if (op == "Add" || op == "AddV2") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (op == "Sub") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (op == "Mul") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (op == "Maximum") {
    result = std::max(a, b);
  } else if (op == "Minimum") {
    result = std::min(a, b);
  } else if (op == "FloorDiv" && a >= 0 && b > 0) {
    result = a / b;
  } else {
    return {};
  }
  if (dtype == DType::kInt32) overflows |= static_cast<int32_t>(result) != result;
  return overflows ? Integer() : Integer(result);
}

bool IsCombination(const std::string& op) {
  static const std::set<std::string> ops = {"Add",     "AddV2",   "Sub",     "Mul",
                                            "Maximum", "Minimum", "FloorDiv"};
  return ops.contains(op);
}

bool IsInteger32Or64(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

bool IsConst(const Node& node) { return node.role() == OpRole::kConstant; }

const Tensor& ValueOfConst(const Node& node) { return node.attrs().Get<Tensor>("value"); }

// The shape of the variable that a handle points to. In a loop or a branch the handle
// comes through an Enter or a Switch.
PartialShape ShapeBehindHandle(const Node* node) {
  while (node->role() == OpRole::kEnter || node->role() == OpRole::kSwitch ||
         node->facts().is_identity) {
    node = node->inputs()[0].node;
  }
  if (node->type() == "_FedVariable") return node->inputs()[0].shape();
  return node->type() == "VarHandleOp" ? node->attrs().Get<PartialShape>("shape")
                                       : PartialShape();
}

// Follows values backwards. Looks at no more than a certain number of nodes, since a
// graph from a file may be made to have very many paths.
class IntegerEvaluator {
 public:
  MaybeIntegers Evaluate(const Output& output) {
    if (!IsInteger32Or64(output.dtype()) || nodes_left_ <= 0) return {};
    if (output.shape().has_rank() && output.shape().rank() > 1) return {};
    --nodes_left_;
    const Node& node = *output.node;
    const std::string& type = node.type();
    if (type == "Const") return Const(node);
    if (type == "Identity" || type == "Cast") return Evaluate(node.inputs()[0]);
    if (type == "Shape") return Sizes(node.inputs()[0].shape());
    if (type == "VariableShape") return Sizes(ShapeBehindHandle(node.inputs()[0].node));
    if (type == "Rank") return RankOfInput(node);
    if (type == "Size") return SizeOfInput(node);
    if (type == "Pack") return Pack(node);
    if (type == "ConcatV2") return Concat(node);
    if (type == "StridedSlice") return StridedSlice(node);
    if (type == "Fill") return Fill(node);
    if (type == "Unpack") return Unpack(output);
    if (type == "Max") return Max(output);
    if (type == "Reshape" || type == "ExpandDims" || type == "Squeeze")
      return SameElements(output);
    return IsCombination(type) ? Combination(node) : std::nullopt;
  }

 private:
  MaybeIntegers Const(const Node& node) {
    const Tensor& value = ValueOfConst(node);
    if (value.num_elements() > kMaxElements) return {};
    PartialIntegers result{value.rank() == 0, {}};
    for (const int64_t element : IntegersOf(value)) result.elements.emplace_back(element);
    return result;
  }

  MaybeIntegers Sizes(const PartialShape& shape) {
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

  MaybeIntegers Fill(const Node& node) {
    const MaybeIntegers sizes = Evaluate(node.inputs()[0]);
    MaybeIntegers value = Evaluate(node.inputs()[1]);
    const bool is_list = sizes && value && sizes->elements.size() <= 1;
    if (!is_list || !value->is_scalar) return {};
    if (sizes->elements.empty()) return value;
    const Integer count = sizes->elements[0];
    if (!count || *count < 0 || *count > kMaxElements) return {};
    return PartialIntegers{false, std::vector<Integer>(*count, value->elements[0])};
  }

  MaybeIntegers Unpack(const Output& output) {
    const MaybeIntegers list = Evaluate(output.node->inputs()[0]);
    if (!list || list->is_scalar) return {};
    if (static_cast<size_t>(output.index) >= list->elements.size()) return {};
    return PartialIntegers{true, {list->elements[output.index]}};
  }

  // The elements of a scalar or a list; of a constant of any rank, in its order.
  MaybeIntegers Elements(const Output& output) {
    const bool is_const = IsInteger32Or64(output.dtype()) && IsConst(*output.node);
    return is_const ? Const(*output.node) : Evaluate(output);
  }

  // The largest of the elements, all of which are known; of none the least integer.
  MaybeIntegers Max(const Output& output) {
    const MaybeIntegers list = Elements(output.node->inputs()[0]);
    const bool is_scalar = output.shape().has_rank() && output.shape().rank() == 0;
    if (!list || !is_scalar) return {};
    if (std::ranges::count(list->elements, Integer()) > 0) return {};
    Integer largest = output.dtype() == DType::kInt32
                          ? std::numeric_limits<int32_t>::min()
                          : std::numeric_limits<int64_t>::min();
    for (const Integer& element : list->elements) largest = std::max(largest, element);
    return PartialIntegers{true, {largest}};
  }

  // The elements of the first input as the scalar or list that `output` is.
  MaybeIntegers SameElements(const Output& output) {
    MaybeIntegers integers = Elements(output.node->inputs()[0]);
    if (!integers || !output.shape().has_rank()) return {};
    integers->is_scalar = output.shape().rank() == 0;
    if (integers->is_scalar && integers->elements.size() != 1) return {};
    return integers;
  }

  // x + y and the like, element by element; a scalar goes with every element.
  MaybeIntegers Combination(const Node& node) {
    nodes_left_ -= kArithmetic;
    const MaybeIntegers x = Evaluate(node.inputs()[0]);
    const MaybeIntegers y = x ? Evaluate(node.inputs()[1]) : std::nullopt;
    if (!x || !y) return {};
    const size_t x_size = x->elements.size();
    const size_t y_size = y->elements.size();
    if (x_size != y_size && x_size != 1 && y_size != 1) return {};
    PartialIntegers result{x->is_scalar && y->is_scalar, {}};
    for (size_t i = 0; i < (x_size == 1 ? y_size : x_size); ++i) {
      const Integer a = x->elements[x_size == 1 ? 0 : i];
      const Integer b = y->elements[y_size == 1 ? 0 : i];
      result.elements.push_back(
          a && b ? Combined(node.type(), *a, *b, node.output_type(0)) : Integer());
    }
    return result;
  }

  int nodes_left_ = kMostNodes;
};

Tensor MakeTensor(DType dtype, const std::vector<int64_t>& elements, bool is_scalar) {
  const Shape shape = is_scalar ? Shape{} : Shape{static_cast<int64_t>(elements.size())};
  if (dtype == DType::kInt64) return Tensor::Of(shape, elements);
  return Tensor::Of(shape, std::vector<int32_t>(elements.begin(), elements.end()));
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
  if (output.dtype() == DType::kResource) return ShapeBehindHandle(output.node);
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
