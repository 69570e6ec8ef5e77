// Messages in Python: the binding hands out their descriptions, and Python's own
// protobuf makes classes of them. So there is no generated Python code that could fall
// out of step.
//
// Compare    tensorflow/core/platform/default/build_config.bzl, tf_proto_library_py
// Read next  python/minitf/framework/messages.py

#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <pybind11/pybind11.h>

#include "minitf/protos/config.pb.h"
#include "minitf/protos/event.pb.h"
#include "minitf/protos/example.pb.h"
#include "minitf/protos/graph.pb.h"
#include "minitf/protos/queue_runner.pb.h"
#include "minitf/protos/step_stats.pb.h"
#include "minitf/protos/tensor.pb.h"
#include "python/bindings/bind.h"

namespace py = pybind11;

namespace minitf {

namespace {

// A FileDescriptorProto for every .proto file, as bytes; a file comes after those that it
// imports.
py::list ProtoFiles() {
  py::list files;
  for (const auto* descriptor :
       {proto::TensorProto::descriptor(), proto::GraphDef::descriptor(),
        proto::Example::descriptor(), proto::Event::descriptor(),
        proto::RunMetadata::descriptor(), proto::ConfigProto::descriptor(),
        proto::QueueRunnerDef::descriptor()}) {
    google::protobuf::FileDescriptorProto file;
    descriptor->file()->CopyTo(&file);
    files.append(py::bytes(file.SerializeAsString()));
  }
  return files;
}

}  // namespace

void BindProtos(py::module_& module) {
  module.def("proto_files", &ProtoFiles, "The descriptions of all messages, as bytes.");
}

}  // namespace minitf
