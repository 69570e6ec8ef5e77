// Attrs: the settings of one node, fixed when the node is made.
//
// A tensor arrives anew at every step; an attribute, such as the strides of a
// convolution, is part of the graph.
//
// Compare    tensorflow/core/framework/attr_value.proto
// Read next  minitf/framework/op.h

#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/tensor/dtype.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// One setting. The kinds are those of REGISTER_OP: "bool", "int", "float", "string",
/// "type", "shape", "tensor", and lists of all but the last.
using AttrValue =
    std::variant<bool, int64_t, float, std::string, DType, PartialShape, Tensor,
                 std::vector<bool>, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, std::vector<DType>, std::vector<PartialShape>>;

/// What REGISTER_OP calls the kind of `value`, such as "list(int)".
std::string_view KindOf(const AttrValue& value);

/// Prints as REGISTER_OP writes it: true, 3, [1, 2], 'SAME', float.
std::ostream& operator<<(std::ostream& out, const AttrValue& value);

/// Whether both are of one kind and equal. Tensors are equal if their bytes are.
bool AttrEquals(const AttrValue& a, const AttrValue& b);

/// Appends bytes that are equal for two values just if AttrEquals says so. For tables
/// that are looked up by attributes.
void AppendKey(const AttrValue& value, std::string* key);

class Attrs {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  // Not inline: each file would compile the copying of every kind of AttrValue.
  Attrs();
  Attrs(std::initializer_list<Entry> entries);
  Attrs(const Attrs& other);
  Attrs(Attrs&& other) noexcept;
  Attrs& operator=(const Attrs& other);
  Attrs& operator=(Attrs&& other) noexcept;
  ~Attrs();

  /// Adds an attribute, or replaces the one of that name.
  void Set(std::string_view name, AttrValue value);

  /// The attribute `name`, or null.
  const AttrValue* Find(std::string_view name) const;

  /// The attribute `name`. Throws InvalidArgument unless it is set, and holds a T.
  template <typename T>
  const T& Get(std::string_view name) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }

 private:
  // A node has a handful of attributes: looking through them beats any map.
  std::vector<Entry> entries_;
};

template <typename T>
const T& Attrs::Get(std::string_view name) const {
  const AttrValue* value = Find(name);
  Require(value != nullptr, "attribute '", name, "' is not set");
  const T* typed = std::get_if<T>(value);
  if (typed == nullptr) {
    throw Error(errors::InvalidArgument("attribute '", name, "' is ", *value,
                                        ", of kind ", KindOf(*value), ", not ",
                                        KindOf(AttrValue(T{}))));
  }
  return *typed;
}

}  // namespace minitf
