// Event files: their records hold Event messages, or an Error comes.

#include <string>

#include "minitf/graph/graph_def.h"
#include "minitf/protos/event.pb.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    minitf::proto::Event event;
    minitf::FromBytes(bytes, "Event", &event);
    if (minitf::ToBytes(event).size() > 4 * bytes.size() + 64) __builtin_trap();
  });
}
