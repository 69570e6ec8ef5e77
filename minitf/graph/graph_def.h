// GraphDef: a graph as a message, as bytes, and as text.
//
// A static graph is data. Written to a file it can be run where the program that built it
// does not exist, by minitf or by TensorFlow: the messages are TensorFlow's.
//
//   bytes   small and fast, for files
//   text    the same message, for reading and for version control
//
// Reading bytes makes a message and runs nothing; what the message claims is checked when
// it becomes a graph (import_graph_def.h).
//
// Compare    tensorflow/core/graph/graph.h, ToGraphDef; graph_def_util.h
// Read next  minitf/graph/later_attrs.h

#pragma once

#include <string>
#include <string_view>

#include "minitf/graph/graph.h"

namespace google::protobuf {
class Message;
}

namespace minitf {

namespace proto {
class GraphDef;
class NodeDef;
}  // namespace proto

/// The version of TensorFlow's graph format that minitf writes, that of TensorFlow 1.15;
/// the oldest reader that understands it; and the oldest that minitf reads.
constexpr int kGraphDefVersion = 134;
constexpr int kGraphDefVersionMinConsumer = 0;
constexpr int kGraphDefVersionMinProducer = 0;

struct GraphDefOptions {
  /// Leaves out the nodes with a smaller id.
  int first_node = 0;
  /// Gives every node the attribute _output_shapes, which lists what is known of them.
  bool add_shapes = false;
};

/// What a file says of `node`. Takes no lock.
void NodeToProto(const Node& node, bool add_shapes, proto::NodeDef* message);

/// The nodes of `graph` in order of id, and the version. Holds graph.mutex() shared.
void GraphToProto(const Graph& graph, const GraphDefOptions& options,
                  proto::GraphDef* message);

/// The same message always gives the same bytes.
std::string ToBytes(const google::protobuf::Message& message);
std::string ToText(const google::protobuf::Message& message);

/// Throws DataLoss for bytes that are no such message: cut short, or nested too deeply.
/// `what` names the bytes in the error, such as a file.
void FromBytes(std::string_view bytes, std::string_view what,
               google::protobuf::Message* message);
/// Throws InvalidArgument with the line and column.
void FromText(std::string_view text, std::string_view what,
              google::protobuf::Message* message);

}  // namespace minitf
