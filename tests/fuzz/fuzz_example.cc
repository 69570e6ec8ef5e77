// Examples and SequenceExamples: what the reader takes, and can count, it can read.
//
// It is not compared with libprotobuf, whose C++ and Python do not refuse the same bytes:
// a tag of more than 32 bits is good for the one and not for the other.

#include <string>
#include <vector>

#include "minitf/io/messages/example_wire.h"
#include "tests/fuzz/fuzzing.h"

namespace {

template <typename T>
void Read(const minitf::FeatureView& feature, int64_t count) {
  std::vector<T> values(count);
  if (!minitf::ReadValues(feature, std::span<T>(values))) __builtin_trap();
}

void ReadAll(const minitf::FeatureView& feature) {
  int64_t count = 0;
  if (!minitf::CountValues(feature, &count)) return;
  switch (feature.kind) {
    case minitf::FeatureKind::kNothing: return;
    case minitf::FeatureKind::kBytes: return Read<std::string>(feature, count);
    case minitf::FeatureKind::kFloats: return Read<float>(feature, count);
    case minitf::FeatureKind::kInt64s: return Read<int64_t>(feature, count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    std::vector<minitf::NamedFeature> features;
    if (minitf::ReadExample(bytes, &features)) {
      for (const auto& named : features) ReadAll(named.feature);
    }
    features.clear();
    std::vector<minitf::NamedFeatureList> lists;
    if (!minitf::ReadSequenceExample(bytes, &features, &lists)) return;
    for (const auto& named : features) ReadAll(named.feature);
    for (const auto& list : lists) {
      for (const auto& feature : list.features) ReadAll(feature);
    }
  });
}
