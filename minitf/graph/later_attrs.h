// Attributes that TensorFlow has given to ops since 1.15.
//
// A graph of a newer TensorFlow names them at every node. One that has the value with
// which the op does what it always did says nothing new and may be left out; any other
// value asks for something that minitf does not do.
//
// Compare    tensorflow/core/framework/node_def_util.h, RemoveNewDefaultAttrsFromGraphDef
// Read next  minitf/graph/import_graph_def.h

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace minitf {

struct LaterAttr {
  std::string_view op;
  std::string_view name;
  std::string kind;     ///< as in an AttrDef
  std::string neutral;  ///< the value that changes nothing, as text; "" if any does
};

std::span<const LaterAttr> LaterAttrs();

/// The attribute `name` of `op`, or null if TensorFlow has not added such a one.
const LaterAttr* FindLaterAttr(std::string_view op, std::string_view name);

}  // namespace minitf
