// Examples from JSON.

#include "minitf/io/messages/example_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include "minitf/base/quoted_bytes.h"
#include "minitf/base/status.h"
#include "minitf/protos/example.pb.h"

namespace minitf {

// From text to bytes without a message between: fields stay in the order of the text, so
// that the bytes are those of TensorFlow.
std::string ExampleFromJson(std::string_view json) {
  namespace pb = google::protobuf;
  const std::string site = "type.googleapis.com";
  static pb::util::TypeResolver* const types = pb::util::NewTypeResolverForDescriptorPool(
      site, pb::DescriptorPool::generated_pool());
  std::string bytes;
  const auto status = pb::util::JsonToBinaryString(
      types, site + "/" + proto::Example::descriptor()->full_name(), std::string(json),
      &bytes);

  // What follows the first line repeats the text and points to a place in it.
  std::string_view message(status.message().data(), status.message().size());
  message = message.substr(0, message.find('\n'));
  if (message.starts_with(": ")) message.remove_prefix(2);  // no field is named
  Require(status.ok(), "Error while parsing JSON: ", message, " The text is ",
          QuotedBytes(json));
  return bytes;
}

}  // namespace minitf
