// SummaryBuilder: a Summary message in the making, the value of a summary op.
//
// A summary is a list of tagged values: a number, a histogram, an image, a sound, or any
// tensor with a note for the plugin of TensorBoard that is to draw it. Kernels make them
// here, so that the message's own class stays out of their sight.
//
// Compare    tensorflow/core/framework/summary.proto
// Read next  minitf/contrib/summary/event_file.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "minitf/contrib/summary/histogram.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

namespace proto {
class Summary;
}

class SummaryBuilder {
 public:
  SummaryBuilder();
  ~SummaryBuilder();

  SummaryBuilder(const SummaryBuilder&) = delete;
  SummaryBuilder& operator=(const SummaryBuilder&) = delete;

  void AddScalar(std::string_view tag, float value);
  void AddHistogram(std::string_view tag, const Histogram& histogram);
  /// `encoded` is a PNG file.
  void AddImage(std::string_view tag, int64_t height, int64_t width, int64_t channels,
                std::string encoded);
  /// `encoded` is a WAV file of `length` frames.
  void AddAudio(std::string_view tag, float sample_rate, int64_t channels, int64_t length,
                std::string encoded);
  /// `metadata` is a SummaryMetadata as bytes. Throws InvalidArgument if it is not.
  void AddTensor(std::string_view tag, const Tensor& value, std::string_view metadata);
  /// Adds all values of a Summary given as bytes. Throws InvalidArgument if it is not
  /// one, and if it has a tag that is here already.
  void Merge(std::string_view summary);

  std::string ToBytes() const;

 private:
  std::unique_ptr<proto::Summary> summary_;
};

}  // namespace minitf
