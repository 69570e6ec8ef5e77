// Record files as Python sees them: a writer, and a reader that is an iterator.
//
// Compare    tensorflow/python/lib/io/py_record_writer.h, py_record_reader.h
// Read next  python/minitf/lib/io/tf_record.py

#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include "minitf/io/records/crc32c.h"
#include "minitf/io/records/record_file.h"
#include "python/bindings/bind.h"

namespace py = pybind11;

namespace minitf {

void BindIo(py::module_& module) {
  py::class_<RecordWriter>(module, "RecordWriter")
      .def(py::init([](const std::string& path, const std::string& compression, int level,
                       int window_bits, int mem_level, int strategy) {
             return std::make_unique<RecordWriter>(
                 path, CompressionFromName(compression),
                 DeflateOptions{level, window_bits, mem_level, strategy});
           }),
           py::arg("path"), py::arg("compression"), py::arg("level"),
           py::arg("window_bits"), py::arg("mem_level"), py::arg("strategy"))
      .def("write", [](RecordWriter& self,
                       const py::bytes& record) { self.Write(std::string_view(record)); })
      .def("flush", &RecordWriter::Flush)
      .def("close", &RecordWriter::Close);

  py::class_<RecordReader>(module, "RecordReader")
      .def(py::init([](const std::string& path, const std::string& compression) {
             return std::make_unique<RecordReader>(path,
                                                   CompressionFromName(compression));
           }),
           py::arg("path"), py::arg("compression"))
      .def("__iter__", [](RecordReader& self) -> RecordReader& { return self; })
      .def("__next__",
           [record = std::string()](RecordReader& self) mutable {
             if (!self.Read(&record)) throw py::stop_iteration();
             return py::bytes(record);
           })
      .def("skip_corrupted", &RecordReader::SkipCorrupted)
      .def_property_readonly("offset", &RecordReader::offset);

  module.def("masked_crc32c", [](const py::bytes& data) {
    return MaskCrc(Crc32c(std::string_view(data)));
  });
}

}  // namespace minitf
