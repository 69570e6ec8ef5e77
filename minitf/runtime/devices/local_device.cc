// LocalDevice: copies between the memories of two.

#include "minitf/runtime/devices/local_device.h"

#include <utility>

#include "minitf/base/caught.h"

namespace minitf {

LocalDevice::LocalDevice(DeviceAttributes attributes, Device kernels, int priority,
                         DeviceAllocator::Ptr allocator, std::shared_ptr<Stream> stream,
                         const DeviceContext& context)
    : NamedDevice(std::move(attributes), kernels, priority),
      allocator_(std::move(allocator)),
      context_(context),
      host_context_(context),
      stream_(std::move(stream)) {
  context_.allocator = allocator_ == nullptr ? &CpuAllocator() : allocator_.get();
  context_.stream = stream_.get();
  context_.host_allocator = is_cpu() ? nullptr : &CpuAllocator();
  context_.host = is_cpu() ? nullptr : &host_context_;
  host_context_.allocator = &CpuAllocator();
}

bool LocalDevice::SharesMemoryWith(const LocalDevice& other) const {
  return this == &other || (is_cpu() && other.is_cpu());
}

void CopyToDevice(Tensor value, const LocalDevice& from, const LocalDevice& to,
                  CopyCallback done) {
  if (from.SharesMemoryWith(to) || !value.has_value() || !IsPlain(value.dtype())) {
    return done({}, std::move(value));
  }
  // The stream of the GPU; from one GPU to another, that of the one that receives, behind
  // what the other has to do.
  Stream* const stream = to.stream() != nullptr ? to.stream() : from.stream();
  Tensor copy;
  try {
    copy = Tensor(value.dtype(), value.shape(), to.allocator());
    if (from.stream() != nullptr && from.stream() != stream) {
      stream->WaitFor(from.stream()->Record());
    }
    stream->Copy(copy.mutable_data(), value.data(), value.num_bytes());
  } catch (...) {
    return done(CaughtStatus(), {});
  }
  // Both must stay until then; and when `done` is called, they are released here.
  stream->OnDone([value = std::move(value), copy = std::move(copy),
                  done = std::move(done)](const Status& status) mutable {
    value.Reset();
    if (!status.ok()) copy.Reset();
    done(status, std::move(copy));
  });
}

}  // namespace minitf
