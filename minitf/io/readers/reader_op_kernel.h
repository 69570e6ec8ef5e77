// ReaderOpKernel: the kernel of an op that gives a handle to a reader.
//
// A reader of your own needs such a kernel. It derives from this class, and says in its
// constructor how to make the reader; Compute is here:
//
//   class MyReaderOp final : public ReaderOpKernel {
//    public:
//     explicit MyReaderOp(OpKernelConstruction* construction)
//         : ReaderOpKernel(construction) {
//       SetReaderFactory([](const std::string& name) {
//         return std::make_shared<MyReader>(name);
//       });
//     }
//   };
//
//            OpKernel                    ReaderInterface
//               ^                               ^
//        ReaderOpKernel  -- makes -->      ReaderBase
//               ^                               ^
//        TFRecordReaderOp -- makes -->    TFRecordReader
//
// Compare    tensorflow/core/framework/reader_op_kernel.h
// Read next  docs/architecture.md

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "minitf/framework/op_kernel.h"
#include "minitf/io/queues/shared_resource.h"
#include "minitf/io/readers/reader.h"

namespace minitf {

class ReaderOpKernel : public OpKernel {
 public:
  using Factory = std::function<std::shared_ptr<ReaderInterface>(const std::string&)>;

  explicit ReaderOpKernel(OpKernelConstruction* construction)
      : OpKernel(construction), construction_(construction) {}

  void Compute(OpKernelContext* ctx) final { ctx->set_output(0, handle_); }
  bool IsExpensive() const final { return false; }

 protected:
  /// Finds the reader that the node means, or makes it. `factory` gets the name of the
  /// reader for messages: "TFRecordReader 'node'". Is called once, in the constructor of
  /// a derived class.
  void SetReaderFactory(const Factory& factory) {
    OpKernelConstruction* construction = std::exchange(construction_, nullptr);
    std::string op = construction->op().name;
    if (op.ends_with("V2")) op.resize(op.size() - 2);
    const std::string name = StrCat(op, " '", construction->node_name(), "'");
    handle_ = HandleTo(FindOrMakeShared<ReaderInterface>(
        *construction, [&](const std::string&) { return factory(name); }));
  }

 private:
  OpKernelConstruction* construction_;  // null when it is gone
  Tensor handle_;
};

}  // namespace minitf
