// The little language of REGISTER_OP: "strides: list(int) = [1, 1, 1, 1]".
//
//   argument    name ":" [ number-attr "*" ] ( type | type-attr )
//               | name ":" type-list-attr
//   attribute   name ":" kind [ ">=" minimum ] [ "=" default ]
//   kind        tensor | simple | list "(" simple ")"
//               | "{" type, ... "}" | "{" 'string', ... "}"
//               | list "(" "{" type, ... "}" ")"
//   simple      bool | int | float | string | type | shape
//
// There is at least one type or string between braces. A word that is a type and the name
// of an attribute is the type.
//
// Compare    tensorflow/core/framework/op_def_builder.cc, attr_value_util.cc
// Read next  minitf/framework/op_facts.h

#pragma once

#include <string>

#include "minitf/framework/op.h"

namespace minitf {

/// Reads an attribute. Throws InvalidArgument with `spec` and what is wrong with it.
AttrDef ParseAttrDef(const std::string& spec);

/// Reads an input or output of `op`, whose attributes say whether a name stands for a
/// type or for a list of types. Throws InvalidArgument with `spec` and what is wrong with
/// it.
ArgDef ParseArgDef(const std::string& spec, const OpDef& op);

/// Reads a value of an attribute of `kind`, in the form in which AttrValue prints.
AttrValue ParseAttrValue(const std::string& kind, const std::string& text);

}  // namespace minitf
