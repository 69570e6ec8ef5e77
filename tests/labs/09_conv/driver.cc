// What cases of lab 09 call in C++: one tier of Conv2D, and the pieces that tiers are
// made of. A geometry comes as its numbers, so that a case may have one no op makes.

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/image_rows.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/status.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/half.h"
#include "tests/labs/common/arrays.h"

namespace minitf {
namespace {

namespace py = pybind11;

Conv2dGeometry GeometryOf(const py::dict& numbers) {
  const auto number = [&](const char* name) { return numbers[name].cast<int64_t>(); };
  Conv2dGeometry g = {};
  g.n = number("n"), g.h = number("h"), g.w = number("w"), g.c = number("c");
  g.r = number("r"), g.s = number("s"), g.k = number("k");
  g.p = number("p"), g.q = number("q");
  g.stride_h = number("stride_h"), g.stride_w = number("stride_w");
  g.dilation_h = number("dilation_h"), g.dilation_w = number("dilation_w");
  g.pad_top = number("pad_top"), g.pad_left = number("pad_left");
  g.pad_bottom = number("pad_bottom"), g.pad_right = number("pad_right");
  g.groups = number("groups");
  return g;
}

// A tensor that functions write to: it begins with numbers that are no result, and
// on both sides lie numbers that nobody may touch.
template <typename T>
class Guarded {
 public:
  explicit Guarded(const Shape& shape)
      : shape_(shape), room_(DTypeOf<T>(), {shape.num_elements() + 2 * kGap}) {
    std::fill_n(room_.mutable_flat<T>().data(), room_.num_elements(), kMark);
  }

  T* data() { return room_.mutable_flat<T>().data() + kGap; }

  // The tensor. Throws if something beside it was written.
  Tensor Take() {
    const T* const begin = data() - kGap;
    const T* const end = data() + shape_.num_elements();
    const auto is_marked = [](const T* from) {
      return std::all_of(from, from + kGap, [](T number) { return number == kMark; });
    };
    Require(is_marked(begin), "it writes in front of its result");
    Require(is_marked(end), "it writes behind the end of its result");
    Tensor result(DTypeOf<T>(), shape_);
    std::copy(data(), data() + shape_.num_elements(), result.mutable_flat<T>().data());
    return result;
  }

 private:
  static constexpr int64_t kGap = 64;  // whole cache lines
  static inline const T kMark = T(77);

  const Shape shape_;
  Tensor room_;
};

// ---- Tiers ----------------------------------------------------------------------------

template <typename T>
using Tier = void (*)(const Conv2dGeometry&, const T*, const T*, T*, ThreadPool&,
                      const RowsDone<T>&);

template <typename T>
Tier<T> TierCalled(std::string_view name) {
  constexpr std::array kFunctions = {
      Conv2dNaive<T>,  Conv2dEigen<T>,    Conv2dIm2col<T>,     Conv2dImplicit<T>,
      Conv2dDirect<T>, Conv2dWinograd<T>, Conv2dWinograd2x2<T>};
  const auto* found = std::find(kConv2dTiers.begin(), kConv2dTiers.end(), name);
  Require(found != kConv2dTiers.end(), "no tier ", name);
  return kFunctions[found - kConv2dTiers.begin()];
}

// In front of x there would be `in_front` numbers more, if there were memory for them.
struct Operands {
  const Conv2dGeometry g;
  const Tensor x, w;
  const int64_t in_front = 0;
};

template <typename T>
py::tuple Run(const std::string& tier, const Operands& given, int num_threads,
              bool has_epilogue, bool is_measured) {
  const Conv2dGeometry& g = given.g;
  Guarded<T> y({g.n, g.p, g.q, g.k});
  ThreadPool threads(num_threads);
  const auto compute = [&](const RowsDone<T>& rows_done) {
    TierCalled<T>(tier)(g, given.x.flat<T>().data() - given.in_front,
                        given.w.flat<T>().data(), y.data(), threads, rows_done);
  };
  // What an epilogue does has to be done once, and to what is complete.
  std::vector<std::atomic<int>> times(g.n * g.places());
  const auto epilogue = [&](T* rows, int64_t count) {
    const int64_t first = (rows - y.data()) / g.k;
    for (int64_t i = 0; i < count; ++i) ++times.at(first + i);
    for (int64_t i = 0; i < count * g.k; ++i) rows[i] = 3 * rows[i] + T(i % g.k);
  };
  if (!is_measured) {
    compute(has_epilogue ? RowsDone<T>(epilogue) : nullptr);
    const bool is_once = std::all_of(times.begin(), times.end(),
                                     [](const auto& number) { return number == 1; });
    Require(is_once || !has_epilogue, "rows_done did not get each row just once");
    return py::make_tuple(ArrayOf(y.Take()), 0);
  }
  compute(nullptr);  // so that what is made once is there
  int64_t most = 0, most_rows = 0;
  const auto before = BytesInUse();
  compute([&](T* rows, int64_t count) {
    const auto now = BytesInUse();  // tensors may have their memory from malloc, or not
    most = std::max({most, now[0] - before[0], now[1] - before[1]});
    most_rows = std::max(most_rows, count);
    epilogue(rows, count);
  });
  return py::make_tuple(ArrayOf(y.Take()), most, most_rows);
}

// y; 3 y + k if there is an epilogue. And, if that is measured, the most bytes in use
// while it was called, and the most rows that it got at once.
py::tuple Conv(const std::string& tier, const py::dict& geometry, const py::array& x,
               const py::array& w, int num_threads, bool has_epilogue, bool is_measured,
               int64_t in_front) {
  const Operands given = {GeometryOf(geometry), TensorOf(x), TensorOf(w), in_front};
  const auto run = given.x.dtype() == DType::kFloat32 ? Run<float> : Run<double>;
  return run(tier, given, num_threads, has_epilogue, is_measured);
}

template <typename T>
Tensor RunAgain(const std::string& tier, const Conv2dGeometry& g, const Tensor& first_x,
                const Tensor& first_w, const Tensor& x, const Tensor& w) {
  Tensor images = first_x.Clone(), filters = first_w.Clone();
  const Shape shape = {g.n, g.p, g.q, g.k};
  ThreadPool threads(1);
  const auto compute = [&](T* y) {
    TierCalled<T>(tier)(g, images.flat<T>().data(), filters.flat<T>().data(), y, threads,
                        nullptr);
  };
  Guarded<T> first(shape), y(shape);
  compute(first.data());
  std::ranges::copy(x.flat<T>(), images.mutable_flat<T>().data());
  std::ranges::copy(w.flat<T>(), filters.mutable_flat<T>().data());
  compute(y.data());
  return y.Take();
}

// The second of two convolutions whose images and filters lie in the same memory.
py::object ConvAgain(const std::string& tier, const py::dict& geometry,
                     const py::array& first_x, const py::array& first_w,
                     const py::array& x, const py::array& w) {
  const Tensor images = TensorOf(x);
  const auto run = images.dtype() == DType::kFloat32 ? RunAgain<float> : RunAgain<double>;
  return ArrayOf(run(tier, GeometryOf(geometry), TensorOf(first_x), TensorOf(first_w),
                     images, TensorOf(w)));
}

// How many bytes more are in use after a convolution that was given up than before.
int64_t BytesLeft(const std::string& tier, const py::dict& geometry, const py::array& x,
                  const py::array& w) {
  const Operands given = {GeometryOf(geometry), TensorOf(x), TensorOf(w)};
  const Conv2dGeometry& g = given.g;
  Guarded<float> y({g.n, g.p, g.q, g.k});
  ThreadPool threads(1);
  const auto give_up = [&] {
    int asked = 0;
    const StopQuestion question = [&] { return ++asked == 2; };
    const StopScope scope(&question);
    try {
      TierCalled<float>(tier)(g, given.x.flat<float>().data(),
                              given.w.flat<float>().data(), y.data(), threads, nullptr);
    } catch (const Error& error) {
      if (error.status().code() == Code::kCancelled) return;
      throw;
    }
    throw Error(errors::Internal("it goes on when it is told to stop"));
  };
  give_up();  // so that what is made once is there
  const auto before = BytesInUse();
  for (int i = 0; i < 3; ++i) give_up();
  const auto after = BytesInUse();
  return std::max(after[0] - before[0], after[1] - before[1]);
}

// ---- Pieces ---------------------------------------------------------------------------

template <typename T>
Tensor Gather(const Conv2dGeometry& g, const Tensor& x, int64_t begin, int64_t end,
              int64_t in_front) {
  Guarded<T> patches({end - begin, g.patch_size()});
  const T* const images = x.flat<T>().data() - in_front;
  GatherPatches<T>(g, images, begin, end, patches.data());
  return patches.Take();
}

// The patches of the places [begin,end). In front of x there would be `in_front` numbers
// more, if there were memory for them.
py::object Patches(const py::dict& geometry, const py::array& x, int64_t begin,
                   int64_t end, int64_t in_front) {
  const auto gather = [&, g = GeometryOf(geometry)]<typename T>(const Tensor& images) {
    return ArrayOf(Gather<T>(g, images, begin, end, in_front));
  };
  const Tensor images = TensorOf(x);
  switch (images.dtype()) {
    case DType::kFloat16: return gather.operator()<float16>(images);
    case DType::kFloat32: return gather.operator()<float>(images);
    case DType::kFloat64: return gather.operator()<double>(images);
    case DType::kInt64: return gather.operator()<int64_t>(images);
    case DType::kUint8: return gather.operator()<uint8_t>(images);
    default: throw Error(errors::InvalidArgument("no patches of this type"));
  }
}

template <typename T>
Tensor Part(const Conv2dGeometry& g, const Tensor& x, int64_t place, int64_t first,
            int64_t last) {
  Guarded<T> part({last - first});
  GatherPartOfPatch(g, x.flat<T>().data(), place, first, last, part.data());
  return part.Take();
}

// Columns [first,last) of the patch of one place.
py::object PartOfPatch(const py::dict& geometry, const py::array& x, int64_t place,
                       int64_t first, int64_t last) {
  const Conv2dGeometry g = GeometryOf(geometry);
  const Tensor images = TensorOf(x);
  const auto part = images.dtype() == DType::kFloat32 ? Part<float> : Part<double>;
  return ArrayOf(part(g, images, place, first, last));
}

bool AreAllPixels(const py::dict& geometry) {
  return PatchesArePixels(GeometryOf(geometry));
}

int64_t AtATime(const py::dict& geometry, const std::string& dtype) {
  const Conv2dGeometry g = GeometryOf(geometry);
  return dtype == "float32" ? PatchesAtATime<float>(g) : PatchesAtATime<double>(g);
}

template <typename T>
py::tuple RowsOf(const Operands& given,
                 const std::vector<std::pair<int64_t, int64_t>>& pieces) {
  const ImageRows<T> rows(given.g, given.x.flat<T>().data() - given.in_front);
  std::vector<py::object> copies;
  for (const auto& [image, first] : pieces) {
    Guarded<T> room({rows.size()});
    rows.Copy(image, first, room.data());
    copies.push_back(ArrayOf(room.Take()));
  }
  return py::make_tuple(rows.at_a_time(), rows.pieces(), copies);
}

// How many rows at a time, how many such pieces, and copies of some: of an image, from a
// row of the result on.
py::tuple Rows(const py::dict& geometry, const py::array& x,
               const std::vector<std::pair<int64_t, int64_t>>& pieces, int64_t in_front) {
  const Operands given = {GeometryOf(geometry), TensorOf(x), Tensor(), in_front};
  const auto rows_of =
      given.x.dtype() == DType::kFloat32 ? RowsOf<float> : RowsOf<double>;
  return rows_of(given, pieces);
}

// The name of the tier that computes part number `part` of a convolution.
std::string Choice(const std::string& asked, const std::string& usual, int part,
                   const py::dict& geometry) {
  return std::string(NameOf(
      ChooseConv2d(asked, usual, static_cast<Conv2dPart>(part), GeometryOf(geometry))));
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_09_driver, module) {
  module.def("conv", &minitf::Conv);
  module.def("conv_again", &minitf::ConvAgain);
  module.def("bytes_left", &minitf::BytesLeft);
  module.def("patches", &minitf::Patches);
  module.def("part_of_patch", &minitf::PartOfPatch);
  module.def("are_all_pixels", &minitf::AreAllPixels);
  module.def("at_a_time", &minitf::AtATime);
  module.def("rows", &minitf::Rows);
  module.def("choice", &minitf::Choice);
}
