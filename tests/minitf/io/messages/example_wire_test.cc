// Example on the wire: the bytes that protobuf writes, the freedoms that it allows, and
// bytes that are no message at all.

#include "minitf/io/messages/example_wire.h"

#include <random>

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::FromHex;

// Serialized by protobuf: "image_raw" is "\0\1ab", "label" 3, -1, 300, "weight" 1.5, -2.
const std::string kExample = FromHex(
    "0a4b0a150a09696d6167655f72617712080a060a04000161620a1a0a056c6162656c12111a0f0a0d03ff"
    "ffffffffffffffff01ac020a160a06776569676874120c120a0a080000c03f000000c0");
// A context "len" of 2, lists "tok" of [1,2], [3,4] and "v" of [1.,2.], [3.].
const std::string kSequence = FromHex(
    "0a0e0a0c0a036c656e12051a030a010212380a170a03746f6b12100a061a040a0201020a061a040a0203"
    "040a1d0a017612180a0c120a0a080000803f000000400a0812060a0400004040");

template <typename T>
std::vector<T> ValuesOf(const FeatureView& feature) {
  int64_t count = 0;
  EXPECT_TRUE(CountValues(feature, &count));
  std::vector<T> values(static_cast<size_t>(count));
  EXPECT_TRUE(ReadValues(feature, std::span(values)));
  return values;
}

// The only feature of an Example, given as the fields of Feature.
FeatureView OnlyFeature(const std::string& fields, std::string* example) {
  const auto field = [](char tag, const std::string& bytes) {
    return std::string{tag, static_cast<char>(bytes.size())} + bytes;
  };
  *example = field(0x0a, field(0x0a, field(0x0a, "x") + field(0x12, fields)));
  std::vector<NamedFeature> features;
  EXPECT_TRUE(ReadExample(*example, &features));
  EXPECT_EQ(features.size(), 1U);
  return features.empty() ? FeatureView() : features[0].feature;
}

TEST(ExampleWire, ReadsWhatProtobufWrites) {
  std::vector<NamedFeature> features;
  ASSERT_TRUE(ReadExample(kExample, &features));
  ASSERT_EQ(features.size(), 3U);
  EXPECT_EQ(features[0].name, "image_raw");
  EXPECT_EQ(ValuesOf<std::string>(features[0].feature),
            std::vector<std::string>{FromHex("00016162")});
  EXPECT_EQ(features[1].name, "label");
  EXPECT_EQ(ValuesOf<int64_t>(features[1].feature), (std::vector<int64_t>{3, -1, 300}));
  EXPECT_EQ(features[2].name, "weight");
  EXPECT_EQ(ValuesOf<float>(features[2].feature), (std::vector<float>{1.5, -2}));
}

TEST(ExampleWire, WritesWhatProtobufWrites) {
  EXPECT_EQ(ExampleBytes({{"weight", std::vector<float>{1.5, -2}},
                          {"label", std::vector<int64_t>{3, -1, 300}},
                          {"image_raw", std::vector<std::string>{FromHex("00016162")}}}),
            kExample);
}

TEST(ExampleWire, ReadsSequences) {
  std::vector<NamedFeature> context;
  std::vector<NamedFeatureList> lists;
  ASSERT_TRUE(ReadSequenceExample(kSequence, &context, &lists));
  ASSERT_EQ(context.size(), 1U);
  EXPECT_EQ(ValuesOf<int64_t>(context[0].feature), std::vector<int64_t>{2});
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].name, "tok");
  ASSERT_EQ(lists[0].features.size(), 2U);
  EXPECT_EQ(ValuesOf<int64_t>(lists[0].features[1]), (std::vector<int64_t>{3, 4}));
  ASSERT_EQ(lists[1].features.size(), 2U);
  EXPECT_EQ(ValuesOf<float>(lists[1].features[0]), (std::vector<float>{1, 2}));
}

TEST(ExampleWire, ValuesMayBePackedOrNotAndBoth) {
  std::string bytes;
  // field 1 as varints 5 and 6, then packed 7, 8
  const auto ints = OnlyFeature(FromHex("1a0808050806"
                                        "0a020708"),
                                &bytes);
  EXPECT_EQ(ValuesOf<int64_t>(ints), (std::vector<int64_t>{5, 6, 7, 8}));
  std::string more;
  const auto floats = OnlyFeature(FromHex("120b0d0000803f0a0400000040"), &more);
  EXPECT_EQ(ValuesOf<float>(floats), (std::vector<float>{1, 2}));
}

TEST(ExampleWire, OfTwoKindsTheLastCountsAndListsOfOneKindAreJoined) {
  std::string bytes;
  const auto last = OnlyFeature(FromHex("1a030a010912060a04"
                                        "0000803f"),
                                &bytes);
  EXPECT_EQ(last.kind, FeatureKind::kFloats);
  EXPECT_EQ(ValuesOf<float>(last), std::vector<float>{1});
  std::string more;
  const auto joined = OnlyFeature(FromHex("1a030a01091a030a0108"), &more);
  EXPECT_EQ(ValuesOf<int64_t>(joined), (std::vector<int64_t>{9, 8}));
}

TEST(ExampleWire, FieldsOfOtherNumbersAreSkipped) {
  std::string bytes;
  // field 9 in each of the ways to write a value: varint, 8 bytes, bytes, group, 4 bytes
  const std::string unknown =
      "48ac02"
      "490102030405060708"
      "4a0178"
      "4b48014c"
      "4d01020304";
  const auto feature = OnlyFeature(FromHex(unknown + "1a030a0109" + unknown), &bytes);
  EXPECT_EQ(ValuesOf<int64_t>(feature), std::vector<int64_t>{9});
}

TEST(ExampleWire, NothingIsAnExampleWithoutFeatures) {
  std::vector<NamedFeature> features = {{}};
  EXPECT_TRUE(ReadExample("", &features));
  EXPECT_TRUE(features.empty());
}

TEST(ExampleWire, RefusesWhatIsNoMessage) {
  std::vector<NamedFeature> features;
  EXPECT_FALSE(ReadExample("\x0a", &features));                     // no length
  EXPECT_FALSE(ReadExample("\x0a\x05xx", &features));               // 5 of 2 bytes
  EXPECT_FALSE(ReadExample(std::string(11, '\xff'), &features));    // endless number
  EXPECT_FALSE(ReadExample(std::string(2, '\0'), &features));       // field 0
  EXPECT_FALSE(ReadExample("\x0c", &features));                     // end of no group
  EXPECT_FALSE(ReadExample("\x0f", &features));                     // a way 7 to write
  EXPECT_FALSE(ReadExample(std::string(1000, '\x4b'), &features));  // nested groups
  EXPECT_FALSE(ReadExample(std::string(1 << 20, '\x4b'), &features));
}

TEST(ExampleWire, PackedValuesThatAreCutAreRefused) {
  std::string bytes;
  int64_t count = 0;
  EXPECT_FALSE(CountValues(OnlyFeature(FromHex("12050a03000080"), &bytes), &count));
  EXPECT_FALSE(CountValues(OnlyFeature(FromHex("1a040a0205ac"), &bytes), &count));
  // eleven bytes that are one number
  const auto endless = OnlyFeature(FromHex("1a0d0a0bffffffffffffffffffff01"), &bytes);
  EXPECT_FALSE(CountValues(endless, &count));
}

// Reads everything that there is; what comes out does not matter.
void ReadAll(std::string_view bytes) {
  std::vector<NamedFeature> features;
  std::vector<NamedFeatureList> lists;
  ReadExample(bytes, &features);
  std::vector<FeatureView> views;
  for (const auto& named : features) views.push_back(named.feature);
  ReadSequenceExample(bytes, &features, &lists);
  for (const auto& named : features) views.push_back(named.feature);
  for (const auto& list : lists) {
    views.insert(views.end(), list.features.begin(), list.features.end());
  }
  for (const FeatureView& view : views) {
    int64_t count = 0;
    if (!CountValues(view, &count)) continue;
    ASSERT_LE(count, static_cast<int64_t>(bytes.size()));
    const auto size = static_cast<size_t>(count);
    std::vector<std::string> strings(size);
    std::vector<float> floats(size);
    std::vector<int64_t> ints(size);
    // What can be counted can be read.
    if (view.kind == FeatureKind::kBytes) {
      ASSERT_TRUE(ReadValues(view, std::span(strings)));
    } else if (view.kind == FeatureKind::kFloats) {
      ASSERT_TRUE(ReadValues(view, std::span(floats)));
    } else if (view.kind == FeatureKind::kInt64s) {
      ASSERT_TRUE(ReadValues(view, std::span(ints)));
    }
  }
}

TEST(ExampleWire, DamagedBytesDoNoHarm) {
  for (const std::string& good : {kExample, kSequence}) {
    for (size_t length = 0; length < good.size(); ++length) {
      // On the heap, so that a sanitizer sees what is read behind the end.
      ReadAll(std::string(good.substr(0, length)));
    }
    for (size_t i = 0; i < good.size(); ++i) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string bad = good;
        bad[i] = static_cast<char>(byte);
        ReadAll(bad);
      }
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) {
      // Small numbers are tags and lengths more often than others.
      byte = static_cast<char>(random() % 2 == 0 ? random() % 32 : random());
    }
    ReadAll(bytes);
  }
}

}  // namespace
}  // namespace minitf
