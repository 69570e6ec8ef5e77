// Record files: of any bytes, whole records come out or an Error, and no byte is read
// twice. The first byte chooses how the rest is packed.

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

#include "minitf/io/records/record_file.h"
#include "tests/fuzz/fuzzing.h"

namespace {

const std::string& FileName() {
  static const std::string name =
      "/dev/shm/minitf_fuzz_record_" + std::to_string(getpid());
  return name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    if (bytes.empty()) return;
    const auto packing =
        static_cast<minitf::Compression>(static_cast<uint8_t>(bytes[0]) % 3);
    std::ofstream(FileName(), std::ios::binary) << bytes.substr(1);
    minitf::RecordReader reader(FileName(), packing);
    std::string record;
    int64_t offset = 0;
    for (int num_errors = 0; num_errors < 100;) {
      try {
        if (!reader.Read(&record)) return;
        if (reader.offset() <= offset) __builtin_trap();
        offset = reader.offset();
      } catch (const minitf::Error&) {
        ++num_errors;
        if (!reader.SkipCorrupted()) return;
      }
    }
  });
}
