// GraphDef: a graph as a message, as bytes, and as text.

#include "minitf/graph/graph_def.h"

#include <limits>
#include <mutex>
#include <shared_mutex>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include "minitf/graph/attr_proto.h"
#include "minitf/protos/graph.pb.h"

namespace minitf {
namespace {

// Messages within messages: functions with functions as attributes.
constexpr int kMostNesting = 100;

// Keeps the first complaint of the reader of text.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = StrCat(line + 1, ':', column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string InputName(const Output& input) {
  return input.index == 0 ? input.node->name() : input.name();
}

}  // namespace

void NodeToProto(const Node& node, bool add_shapes, proto::NodeDef* message) {
  message->set_name(node.name());
  message->set_op(node.type());
  message->set_device(node.device());
  for (const Output& input : node.inputs()) message->add_input(InputName(input));
  for (const Node* control_input : node.control_inputs()) {
    message->add_input('^' + control_input->name());
  }
  auto& attrs = *message->mutable_attr();
  for (const auto& [name, value] : node.attrs()) AttrToProto(value, &attrs[name]);
  if (!add_shapes || node.num_outputs() == 0) return;
  std::vector<PartialShape> shapes;
  for (int i = 0; i < node.num_outputs(); ++i) shapes.push_back(node.output_shape(i));
  AttrToProto(shapes, &attrs["_output_shapes"]);
}

void GraphToProto(const Graph& graph, const GraphDefOptions& options,
                  proto::GraphDef* message) {
  const std::shared_lock lock(graph.mutex());
  message->mutable_versions()->set_producer(kGraphDefVersion);
  for (const Node* node : graph.nodes()) {
    if (node->id() < options.first_node) continue;
    NodeToProto(*node, options.add_shapes, message->add_node());
  }
}

std::string ToBytes(const google::protobuf::Message& message) {
  const size_t size = message.ByteSizeLong();
  if (size > std::numeric_limits<int>::max()) {
    throw Error(errors::InvalidArgument("a ", message.GetDescriptor()->name(), " takes ",
                                        size,
                                        " bytes, more than the 2 GiB of a message"));
  }
  std::string bytes;
  bytes.reserve(size);
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
  }
  return bytes;
}

std::string ToText(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

void FromBytes(std::string_view bytes, std::string_view what,
               google::protobuf::Message* message) {
  const google::protobuf::LogSilencer silencer;  // it would print what is thrown here
  const bool is_short = bytes.size() <= std::numeric_limits<int>::max();
  const int size = is_short ? static_cast<int>(bytes.size()) : 0;
  google::protobuf::io::CodedInputStream coded(
      reinterpret_cast<const uint8_t*>(bytes.data()), size);
  coded.SetRecursionLimit(kMostNesting);
  if (is_short && message->ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage())
    return;
  throw Error(errors::DataLoss(what, ": these ", bytes.size(), " bytes are no ",
                               message->GetDescriptor()->name()));
}

void FromText(std::string_view text, std::string_view what,
              google::protobuf::Message* message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMostNesting);
  if (parser.ParseFromString(std::string(text), message)) return;
  throw Error(errors::InvalidArgument(what, ':', error.text()));
}

}  // namespace minitf
