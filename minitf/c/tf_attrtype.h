// Kinds of attributes, with TensorFlow's numbers.
//
// Compare    tensorflow/c/tf_attrtype.h
// Read next  minitf/c/c_api_graph.h

#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of an attribute, or of the elements of a list. minitf has no attributes of
/// the last two kinds.
typedef enum TF_AttrType {
  TF_ATTR_STRING = 0,
  TF_ATTR_INT = 1,
  TF_ATTR_FLOAT = 2,
  TF_ATTR_BOOL = 3,
  TF_ATTR_TYPE = 4,
  TF_ATTR_SHAPE = 5,
  TF_ATTR_TENSOR = 6,
  TF_ATTR_PLACEHOLDER = 7,
  TF_ATTR_FUNC = 8,
} TF_AttrType;

#ifdef __cplusplus
}
#endif
