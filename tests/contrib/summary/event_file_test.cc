// Tests of event files, histograms and summaries: the bytes that TensorBoard reads.

#include "minitf/contrib/summary/event_file.h"

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "gtest/gtest.h"
#include "minitf/contrib/summary/histogram.h"
#include "minitf/contrib/summary/summary_builder.h"
#include "minitf/protos/event.pb.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

std::string TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "minitf_XXXXXX";
  return mkdtemp(name.data());
}

TEST(EventFile, TheFirstRecordSaysTheVersion) {
  const std::string folder = TemporaryFolder();
  EventFile file(folder + "/events", ".v2");
  EXPECT_TRUE(std::filesystem::exists(file.path()));
  const std::string name = std::filesystem::path(file.path()).filename();
  EXPECT_EQ(name.rfind("events.out.tfevents.", 0), 0U) << name;
  EXPECT_TRUE(name.ends_with(".v2")) << name;

  file.Write("second");
  file.Close();
  RecordReader reader(file.path());
  std::string record;
  ASSERT_TRUE(reader.Read(&record));
  proto::Event first;
  ASSERT_TRUE(first.ParseFromString(record));
  EXPECT_EQ(first.file_version(), "brain.Event:2");
  EXPECT_GT(first.wall_time(), 1.6e9);
  ASSERT_TRUE(reader.Read(&record));
  EXPECT_EQ(record, "second");
  EXPECT_FALSE(reader.Read(&record));
  EXPECT_NE(MessageOf([&] { file.Write("third"); }), "");
  std::filesystem::remove_all(folder);
}

TEST(EventFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_NE(MessageOf([] { EventFile file("/does/not/exist/events", ""); }), "");
}

// The numbers are what TensorFlow gives for these values.
TEST(Histogram, HasTensorFlowsBuckets) {
  Histogram histogram;
  for (const double value : {-1.5, 0.0, 0.0, 2.5, 100.0}) histogram.Add(value);
  const std::vector<std::pair<double, double>> expected = {{-1.6249579302136949, 0},
                                                           {-1.47723448201245, 1},
                                                           {0, 0},
                                                           {1e-12, 2},
                                                           {2.3791009056258718, 0},
                                                           {2.6170109961884593, 1},
                                                           {97.88757810018231, 0},
                                                           {107.67633591020055, 1},
                                                           {1.7976931348623157e308, 0}};
  const auto buckets = histogram.Buckets();
  ASSERT_EQ(buckets.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_DOUBLE_EQ(buckets[i].limit, expected[i].first) << i;
    EXPECT_EQ(buckets[i].count, expected[i].second) << i;
  }
  EXPECT_EQ(histogram.min(), -1.5);
  EXPECT_EQ(histogram.max(), 100);
  EXPECT_EQ(histogram.num(), 5);
  EXPECT_EQ(histogram.sum(), 101);
  EXPECT_EQ(histogram.sum_squares(), 10008.5);
}

TEST(Histogram, WithoutValuesHasOneEmptyBucket) {
  const auto buckets = Histogram().Buckets();
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets[0].count, 0);
}

TEST(Histogram, TheLargestNumbersHaveABucket) {
  Histogram histogram;
  const double most = std::numeric_limits<double>::max();
  histogram.Add(most);
  histogram.Add(-most);
  double count = 0;
  for (const auto& bucket : histogram.Buckets()) count += bucket.count;
  EXPECT_EQ(count, 2);
}

TEST(SummaryBuilder, ATagMayComeOnce) {
  SummaryBuilder part;
  part.AddScalar("a", 1);
  SummaryBuilder whole;
  whole.Merge(part.ToBytes());
  EXPECT_EQ(MessageOf([&] { whole.Merge(part.ToBytes()); }),
            "Duplicate tag a found in summary inputs");
  EXPECT_EQ(MessageOf([&] { whole.Merge("\x0a\xff"); }),
            "Could not parse 2 bytes as a Summary");
  // value { tag: "a" simple_value: 1 }
  EXPECT_EQ(whole.ToBytes(), std::string("\x0a\x08\x0a\x01"
                                         "a\x15\0\0\x80\x3f",
                                         10));
}

}  // namespace
}  // namespace minitf
