// Event files in Python: writing and reading events, which are bytes here.
//
// Compare    tensorflow/python/util/events_writer.i
// Read next  python/minitf/contrib/summary/writer.py

#include <memory>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include "minitf/contrib/summary/event_file.h"
#include "minitf/io/records/record_file.h"
#include "python/bindings/bind.h"
#include "python/bindings/gil.h"

namespace py = pybind11;

namespace minitf {

namespace {

// The records of an event file, one by one.
class EventReader {
 public:
  explicit EventReader(const std::string& path) : reader_(path) {}

  // The next event as bytes; None at the end of the file.
  py::object Read() {
    std::string event;
    if (!reader_.Read(&event)) return py::none();
    return py::bytes(event);
  }

 private:
  RecordReader reader_;
};

void BindSummary(py::module_& module) {
  py::class_<EventFile>(module, "EventFile", "An event file that is being written.")
      .def(py::init<const std::string&, const std::string&>())
      .def("write",
           [](EventFile& file, const py::bytes& event) {
             const std::string_view bytes(event);
             const GilReleased released;
             file.Write(bytes);
           })
      .def("flush",
           [](EventFile& file) {
             const GilReleased released;
             file.Flush();
           })
      .def("close",
           [](EventFile& file) {
             const GilReleased released;
             file.Close();
           })
      .def_property_readonly("path", &EventFile::path);
  py::class_<EventReader>(module, "EventReader", "An event file that is being read.")
      .def(py::init<const std::string&>())
      .def("read", &EventReader::Read);
}
const FamilyBinding kBinding(BindSummary);

}  // namespace

}  // namespace minitf
