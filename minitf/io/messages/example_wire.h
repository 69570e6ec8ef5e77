// Example on the wire: the part of the protocol buffer format that tf.train.Example and
// SequenceExample need, read and written by hand.
//
// A message is a list of fields. Each is a tag, the number of the field times 8 plus how
// its value is written, and the value:
//
//   0  varint   an integer, 7 bits a byte, the lowest first; a set top bit: more to come
//   1  8 bytes            2  a length (varint), then so many bytes            5  4 bytes
//
// The messages, where a number is that of the field, and all fields are of kind 2:
//
//   Example          features 1 -> Features
//   SequenceExample  context 1 -> Features,  feature_lists 2 -> FeatureLists
//   Features         1 -> an entry: key 1, value 2 -> Feature
//   FeatureLists     1 -> an entry: key 1, value 2 -> FeatureList: 1 -> Feature
//   Feature          one of: bytes 1, floats 2, int64s 3 -> a list, whose values are
//                    field 1: each with its tag, or all behind one ("packed")
//
// Unknown fields are skipped. The last of two equal names counts. Views point into the
// record. All functions return false for invalid bytes, nest at most kMaxGroups deep, and
// take time and memory in proportion to the input.
//
// Compare    tensorflow/core/util/example_proto_fast_parsing.cc; protobuf's own documents
// Read next  minitf/io/messages/example_json.h

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "minitf/tensor/dtype.h"

namespace minitf {

/// How deep groups, an old form of nested messages, may be nested in what is skipped.
constexpr int kMaxGroups = 100;

/// What a Feature holds. The numbers are those of its fields.
enum class FeatureKind { kNothing = 0, kBytes = 1, kFloats = 2, kInt64s = 3 };

/// string, float32 or int64; kInvalid for kNothing.
DType DTypeOfFeature(FeatureKind kind);

/// A Feature within a record.
struct FeatureView {
  FeatureKind kind = FeatureKind::kNothing;
  std::string_view fields;  ///< those of the Feature that hold the values
};

struct NamedFeature {
  std::string_view name;
  FeatureView feature;
};

struct NamedFeatureList {
  std::string_view name;
  std::vector<FeatureView> features;  ///< one for each step of the sequence
};

/// The features of an Example, in the order in which they are written, to *features.
bool ReadExample(std::string_view example, std::vector<NamedFeature>* features);

/// Those of a SequenceExample, and its lists.
bool ReadSequenceExample(std::string_view example, std::vector<NamedFeature>* context,
                         std::vector<NamedFeatureList>* lists);

/// How many values `feature` holds, to *count.
bool CountValues(const FeatureView& feature, int64_t* count);

/// The values, to `values`. Requires: `feature` is of this kind, and `values` has the
/// size that CountValues says. Then it returns true.
bool ReadValues(const FeatureView& feature, std::span<std::string> values);
bool ReadValues(const FeatureView& feature, std::span<float> values);
bool ReadValues(const FeatureView& feature, std::span<int64_t> values);

// ---- Writing -------------------------------------------------------------------------

using FeatureValues =
    std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;

/// An Example of these features, in the order of their names.
std::string ExampleBytes(const std::map<std::string, FeatureValues>& features);

}  // namespace minitf
