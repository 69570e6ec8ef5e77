// SummaryBuilder: a Summary message in the making.

#include "minitf/contrib/summary/summary_builder.h"

#include <limits>
#include <utility>

#include <google/protobuf/stubs/logging.h>

#include "minitf/io/messages/tensor_proto.h"
#include "minitf/protos/event.pb.h"

namespace minitf {
namespace {

proto::Summary::Value* AddValue(proto::Summary* summary, std::string_view tag) {
  proto::Summary::Value* const value = summary->add_value();
  value->set_tag(std::string(tag));
  return value;
}

template <typename Message>
void Parse(std::string_view bytes, Message* message) {
  const google::protobuf::LogSilencer silencer;  // it would print what is thrown here
  const bool is_short = bytes.size() <= std::numeric_limits<int>::max();
  Require(
      is_short && message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())),
      "Could not parse ", bytes.size(), " bytes as a ", message->GetDescriptor()->name());
}

}  // namespace

SummaryBuilder::SummaryBuilder() : summary_(std::make_unique<proto::Summary>()) {}
SummaryBuilder::~SummaryBuilder() = default;

void SummaryBuilder::AddScalar(std::string_view tag, float value) {
  AddValue(summary_.get(), tag)->set_simple_value(value);
}

void SummaryBuilder::AddHistogram(std::string_view tag, const Histogram& histogram) {
  auto* const message = AddValue(summary_.get(), tag)->mutable_histo();
  message->set_min(histogram.min());
  message->set_max(histogram.max());
  message->set_num(histogram.num());
  message->set_sum(histogram.sum());
  message->set_sum_squares(histogram.sum_squares());
  for (const auto& [limit, count] : histogram.Buckets()) {
    message->add_bucket_limit(limit);
    message->add_bucket(count);
  }
}

void SummaryBuilder::AddImage(std::string_view tag, int64_t height, int64_t width,
                              int64_t channels, std::string encoded) {
  auto* const image = AddValue(summary_.get(), tag)->mutable_image();
  image->set_height(static_cast<int32_t>(height));
  image->set_width(static_cast<int32_t>(width));
  image->set_colorspace(static_cast<int32_t>(channels));
  image->set_encoded_image_string(std::move(encoded));
}

void SummaryBuilder::AddAudio(std::string_view tag, float sample_rate, int64_t channels,
                              int64_t length, std::string encoded) {
  auto* const audio = AddValue(summary_.get(), tag)->mutable_audio();
  audio->set_sample_rate(sample_rate);
  audio->set_num_channels(channels);
  audio->set_length_frames(length);
  audio->set_encoded_audio_string(std::move(encoded));
  audio->set_content_type("audio/wav");
}

void SummaryBuilder::AddTensor(std::string_view tag, const Tensor& value,
                               std::string_view metadata) {
  auto* const message = AddValue(summary_.get(), tag);
  Parse(metadata, message->mutable_metadata());
  TensorToProto(value, message->mutable_tensor());
}

void SummaryBuilder::Merge(std::string_view summary) {
  proto::Summary other;
  Parse(summary, &other);
  for (auto& value : *other.mutable_value()) {
    for (const auto& own : summary_->value()) {
      Require(own.tag() != value.tag(), "Duplicate tag ", value.tag(),
              " found in summary inputs");
    }
    *summary_->add_value() = std::move(value);
  }
}

std::string SummaryBuilder::ToBytes() const { return summary_->SerializeAsString(); }

}  // namespace minitf
