// Examples and SequenceExamples: what the reader takes can be counted and read, and an
// Example that libprotobuf takes is taken here, too.

#include <string>
#include <vector>

#include "minitf/io/example_wire.h"
#include "minitf/protos/example.pb.h"
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
    const bool is_taken = minitf::ReadExample(bytes, &features);
    if (is_taken) {
      for (const auto& named : features) ReadAll(named.feature);
    }
    minitf::proto::Example message;
    const bool is_example =
        message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (is_example && !is_taken) __builtin_trap();

    features.clear();
    std::vector<minitf::NamedFeatureList> lists;
    if (!minitf::ReadSequenceExample(bytes, &features, &lists)) return;
    for (const auto& named : features) ReadAll(named.feature);
    for (const auto& list : lists) {
      for (const auto& feature : list.features) ReadAll(feature);
    }
  });
}
