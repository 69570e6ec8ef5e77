// What cases of lab 11 call in C++: one kernel, on the emulated card, in check mode. What
// comes back is the result, what check mode has found, and how accesses fell together.

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/matmul.h"
#include "kernels/gpu/reduction.h"
#include "kernels/gpu/strided_copy.h"
#include "kernels/simt/check/check.h"

namespace minitf::gpu {
namespace {

namespace py = pybind11;

// ---- Memory ---------------------------------------------------------------------------

// Memory of the emulated card.
class OnCard {
 public:
  // Nobody has written to it.
  explicit OnCard(size_t bytes) : bytes_(bytes) {
    if (bytes_ == 0) return;
    if (cudaMalloc(&memory_, bytes_) != cudaSuccess) {
      throw std::runtime_error("the emulated card has no memory left");
    }
  }
  explicit OnCard(const py::array& values)
      : OnCard(static_cast<size_t>(values.nbytes())) {
    if (bytes_ > 0) cudaMemcpy(memory_, values.data(), bytes_, cudaMemcpyHostToDevice);
  }
  ~OnCard() { cudaFree(memory_); }
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;

  template <typename T = char>
  T* get() const {
    return static_cast<T*>(memory_);
  }

  // An array like `like`, with what is here.
  py::array Read(const py::array& like) const {
    py::array copy(like.dtype(),
                   std::vector<ssize_t>(like.shape(), like.shape() + like.ndim()));
    if (bytes_ > 0) {
      cudaMemcpy(copy.mutable_data(), memory_, bytes_, cudaMemcpyDeviceToHost);
    }
    return copy;
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

// The two lines of an array [2,n] on the card, the second one more than `least` elements
// behind the first. Between them lies what has been given back.
class FarLines {
 public:
  FarLines(const py::array& lines, int64_t least)
      : line_bytes_(lines.nbytes() / 2), first_(line_bytes_) {
    constexpr size_t kSize = size_t{64} << 20;
    for (int64_t left = least * lines.itemsize(); left > 0; left -= kSize) OnCard{kSize};
    second_.emplace(line_bytes_);
    const auto* const numbers = static_cast<const char*>(lines.data());
    cudaMemcpy(first(), numbers, line_bytes_, cudaMemcpyHostToDevice);
    cudaMemcpy(second(), numbers + line_bytes_, line_bytes_, cudaMemcpyHostToDevice);
  }

  char* first() const { return first_.get(); }
  char* second() const { return second_->get(); }
  int64_t distance() const { return second() - first(); }  // in bytes

  // An array like `like`, with what is here.
  py::array Read(const py::array& like) const {
    py::array copy(like.dtype(),
                   std::vector<ssize_t>(like.shape(), like.shape() + like.ndim()));
    auto* const numbers = static_cast<char*>(copy.mutable_data());
    cudaMemcpy(numbers, first(), line_bytes_, cudaMemcpyDeviceToHost);
    cudaMemcpy(numbers + line_bytes_, second(), line_bytes_, cudaMemcpyDeviceToHost);
    return copy;
  }

 private:
  const size_t line_bytes_;
  const OnCard first_;
  std::optional<OnCard> second_;
};

// ---- One launch -----------------------------------------------------------------------

simt::CheckOptions OptionsOf(const py::dict& options) {
  simt::CheckOptions read;
  read.seed = options["seed"].cast<uint64_t>();
  read.preempt = options["preempt"].cast<int>();
  read.profiles = options["counts"].cast<bool>();
  read.access_limit = 20'000'000;
  return read;
}

// Kind, memory, and the sentences about it; notes are left out.
py::list FindingsOf(const simt::ScopedCheck& check) {
  py::list found;
  for (const simt::Finding& one : check.findings()) {
    if (one.message.find("is not written yet") != std::string::npos) {
      throw std::logic_error(one.message);
    }
    if (one.is_note) continue;
    std::vector<int> lines;  // of the answer
    for (const simt::Site& place : one.places) {
      const std::string file = place.file == nullptr ? "" : place.file;
      if (file.ends_with(".cu")) lines.push_back(place.line);
    }
    found.append(py::make_tuple(one.kind, one.space, lines, one.message));
  }
  return found;
}

// What a kernel's accesses add up to, by their kind.
py::dict CountsOf(const simt::ScopedCheck& check) {
  py::dict counts;
  for (const simt::ProfileLine& line : check.profile()) {
    const py::tuple before = counts.contains(line.kind) ? counts[line.kind.c_str()]
                                                        : py::make_tuple(0, 0, 0, 0);
    counts[line.kind.c_str()] = py::make_tuple(before[0].cast<uint64_t>() + line.requests,
                                               before[1].cast<uint64_t>() + line.units,
                                               before[2].cast<uint64_t>() + line.ideal,
                                               before[3].cast<uint64_t>() + line.bytes);
  }
  return counts;
}

// Runs `launch`, which gets memory for a result like `y`. With `holds` the memory has the
// numbers of `y` before, otherwise nobody has written to it.
py::dict Run(const py::dict& options, const py::array& y, bool holds,
             const std::function<cudaError_t(const OnCard&)>& launch) {
  const simt::ScopedCheck check(OptionsOf(options));
  std::optional<OnCard> result;
  if (holds) {
    result.emplace(y);
  } else {
    result.emplace(static_cast<size_t>(y.nbytes()));
  }
  cudaError_t error = launch(*result);
  const cudaError_t later = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = later;
  py::dict outcome;
  outcome["error"] = error == cudaSuccess ? "" : cudaGetErrorName(error);
  if (error == cudaSuccess) outcome["y"] = result->Read(y);
  outcome["findings"] = FindingsOf(check);
  outcome["counts"] = CountsOf(check);
  outcome["shared_bytes"] =
      check.occupancy().static_shared + check.occupancy().dynamic_shared;
  return outcome;
}

// Calls function(T()) with the type of an array's numbers, float or double.
template <typename Function>
cudaError_t WithNumbersOf(const py::array& x, Function function) {
  return x.itemsize() == 4 ? function(float()) : function(double());
}

// ---- Kernels --------------------------------------------------------------------------

// Loops are (size, stride there, stride here), outermost first. The first elements are
// those at `from_offset` and `to_offset`.
py::dict StridedCopy(const py::dict& options,
                     const std::vector<std::array<int64_t, 3>>& loops,
                     const py::array& from, int64_t from_offset, const py::array& to,
                     int64_t to_offset) {
  StridedLoops nest;
  for (const auto& [size, from_stride, to_stride] : loops) {
    nest.size[nest.num_loops] = size;
    nest.from_stride[nest.num_loops] = from_stride;
    nest.to_stride[nest.num_loops] = to_stride;
    ++nest.num_loops;
  }
  const OnCard source(from);
  const ssize_t size = from.itemsize();
  return Run(options, to, true, [&](const OnCard& target) {
    return LaunchStridedCopy(static_cast<int>(size), nest,
                             source.get() + from_offset * size,
                             target.get() + to_offset * size, nullptr);
  });
}

// Copies the two lines x [2,n], which lie more than `least` elements apart, to lines like
// those of y that do so as well; backwards, the second one comes first.
py::dict FarCopy(const py::dict& options, const py::array& x, const py::array& y,
                 int64_t least, bool is_backwards) {
  const FarLines from(x, least);
  const FarLines to(y, least);
  const ssize_t size = x.itemsize();
  StridedLoops nest;
  nest.num_loops = 2;
  nest.size[0] = 2, nest.size[1] = x.shape(1);
  nest.from_stride[0] = (is_backwards ? -1 : 1) * from.distance() / size;
  nest.to_stride[0] = to.distance() / size;
  nest.from_stride[1] = nest.to_stride[1] = 1;
  py::dict outcome = Run(options, y, true, [&](const OnCard&) {
    return LaunchStridedCopy(static_cast<int>(size), nest,
                             is_backwards ? from.second() : from.first(), to.first(),
                             nullptr);
  });
  outcome["y"] = to.Read(y);
  return outcome;
}

py::dict Transpose(const py::dict& options, const py::array& x, const py::array& y) {
  const OnCard from(x);
  return Run(options, y, false, [&](const OnCard& to) {
    return LaunchTranspose(static_cast<int>(x.itemsize()), x.shape(0), x.shape(1),
                           x.shape(2), from.get(), to.get(), nullptr);
  });
}

// x [outer,length,inner]. Without room it is reduced in one step; else what is left there
// comes back as well, as `room`.
py::dict Reduce(const py::dict& options, int function, const py::array& x,
                const py::array& y, bool has_room) {
  const ReduceSizes sizes{x.shape(0), x.shape(1), x.shape(2)};
  const OnCard from(x);
  const auto room_size = static_cast<ssize_t>(has_room ? ReduceRoom(sizes) : 0);
  const OnCard room(room_size * x.itemsize());
  py::dict outcome = Run(options, y, false, [&](const OnCard& to) {
    return WithNumbersOf(x, [&]<typename T>(T) {
      return LaunchReduce<T>(static_cast<ReduceFunction>(function), sizes,
                             from.get<const T>(), to.get<T>(), room.get<T>(), nullptr);
    });
  });
  outcome["room"] = room.Read(py::array(x.dtype(), std::vector<ssize_t>{room_size}));
  return outcome;
}

// A reduction in two steps whose first launch cannot go well: since an earlier call has
// left its error (trouble "error"), or the stream is there no more ("stream"). Memory
// begins with the numbers of `y`, and with zeros in the room.
py::dict ReduceInTrouble(const py::dict& options, int function, const py::array& x,
                         const py::array& y, const std::string& trouble) {
  const ReduceSizes sizes{x.shape(0), x.shape(1), x.shape(2)};
  const simt::ScopedCheck check(OptionsOf(options));
  const OnCard from(x);
  const OnCard to(y);
  const auto room_size = static_cast<ssize_t>(ReduceRoom(sizes));
  py::array zeros(x.dtype(), std::vector<ssize_t>{room_size});
  zeros[py::ellipsis()] = 0;
  const OnCard room(zeros);
  cudaStream_t stream = nullptr;
  if (trouble == "stream") {
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
  } else {
    cudaSetDevice(1000);
  }
  const cudaError_t error = WithNumbersOf(x, [&]<typename T>(T) {
    return LaunchReduce<T>(static_cast<ReduceFunction>(function), sizes,
                           from.get<const T>(), to.get<T>(), room.get<T>(), stream);
  });
  cudaGetLastError();  // is forgotten
  cudaDeviceSynchronize();
  py::dict outcome;
  outcome["error"] = error == cudaSuccess ? "" : cudaGetErrorName(error);
  outcome["y"] = to.Read(y);
  outcome["room"] = room.Read(zeros);
  return outcome;
}

py::dict MatMul(const py::dict& options, int tier, const py::dict& sizes,
                const py::array& a, const py::array& b, const py::array& c) {
  const auto number = [&](const char* name) { return sizes[name].cast<int>(); };
  const MatMulSizes read{number("m"),
                         number("n"),
                         number("k"),
                         number("transpose_a") != 0,
                         number("transpose_b") != 0,
                         number("batch"),
                         number("a_moves") != 0,
                         number("b_moves") != 0};
  const OnCard left(a);
  const OnCard right(b);
  return Run(options, c, false, [&](const OnCard& result) {
    return WithNumbersOf(a, [&]<typename T>(T) {
      return LaunchMatMul(static_cast<MatMulTier>(tier), read, left.get<const T>(),
                          right.get<const T>(), result.get<T>(), nullptr);
    });
  });
}

Conv2dSizes GeometryOf(const py::dict& numbers) {
  const auto number = [&](const char* name) { return numbers[name].cast<int>(); };
  Conv2dSizes g;
  g.n = number("n"), g.h = number("h"), g.w = number("w"), g.c = number("c");
  g.r = number("r"), g.s = number("s"), g.k = number("k");
  g.p = number("p"), g.q = number("q");
  g.stride_h = number("stride_h"), g.stride_w = number("stride_w");
  g.dilation_h = number("dilation_h"), g.dilation_w = number("dilation_w");
  g.pad_top = number("pad_top"), g.pad_left = number("pad_left");
  g.groups = number("groups");
  return g;
}

// `a` from number `shift` on and `b` are the inputs, x and w, dy and w, or x and dy; `c`
// is like the result.
py::dict Conv(const py::dict& options, const std::string& kernel, const py::dict& numbers,
              const py::array& a, int64_t shift, const py::array& b, const py::array& c) {
  const Conv2dSizes g = GeometryOf(numbers);
  const OnCard left(a);
  const OnCard right(b);
  const int64_t patches = int64_t{g.n} * g.p * g.q * g.r * g.s * g.c;
  const OnCard room(kernel == "im2col" ? patches * sizeof(float) : 0);
  return Run(options, c, false, [&](const OnCard& result) {
    const auto* const x = left.get<const float>() + shift;
    const auto* const w = right.get<const float>();
    auto* const y = result.get<float>();
    if (kernel == "shared") return LaunchConv2dShared(g, x, w, y, nullptr);
    if (kernel == "tiles") return LaunchConv2dTiles(g, x, w, y, nullptr);
    if (kernel == "im2col") {
      return LaunchConv2dIm2col(g, x, w, room.get<float>(), y, nullptr);
    }
    return WithNumbersOf(a, [&]<typename T>(T) {
      const auto launch = kernel == "input"    ? LaunchConv2dInputDirect<T>
                          : kernel == "filter" ? LaunchConv2dFilterDirect<T>
                                               : LaunchConv2dDirect<T>;
      return launch(g, left.get<const T>() + shift, right.get<const T>(), result.get<T>(),
                    nullptr);
    });
  });
}

}  // namespace
}  // namespace minitf::gpu

PYBIND11_MODULE(lab_11_driver, module) {
  module.def("strided_copy", &minitf::gpu::StridedCopy);
  module.def("far_copy", &minitf::gpu::FarCopy);
  module.def("transpose", &minitf::gpu::Transpose);
  module.def("reduce", &minitf::gpu::Reduce);
  module.def("reduce_in_trouble", &minitf::gpu::ReduceInTrouble);
  module.def("matmul", &minitf::gpu::MatMul);
  module.def("conv", &minitf::gpu::Conv);
}
