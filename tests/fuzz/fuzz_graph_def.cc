// GraphDefs: a graph that is taken can be written, and is taken again.

#include <string>

#include "minitf/graph/graph_def.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    minitf::proto::GraphDef def;
    minitf::FromBytes(bytes, "GraphDef", &def);
    minitf::Graph graph;
    minitf::ImportGraphDef(def, {}, &graph);

    minitf::proto::GraphDef written;
    minitf::GraphToProto(graph, {}, &written);
    minitf::Graph again;
    minitf::ImportGraphDef(written, {}, &again);
    if (again.num_nodes() != graph.num_nodes()) __builtin_trap();
  });
}
