// What cases of lab 10 call in C++: a tier of a gradient of Conv2D with so many threads,
// and patches that are scattered.

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/stop.h"
#include "tests/labs/common/arrays.h"

namespace minitf {
namespace {

namespace py = pybind11;

using Numbers = std::vector<int64_t>;

// A convolution: shapes of x and w, {stride, dilation, zeros before, after} of the rows
// and of the columns. The zeros are those of `padding` EXPLICIT.
Conv2dGeometry GeometryOf(const Numbers& x, const Numbers& w, const Numbers& rows,
                          const Numbers& columns, const std::string& padding) {
  Conv2dAttrs attrs;
  attrs.padding = padding == "SAME"    ? Padding::kSame
                  : padding == "VALID" ? Padding::kValid
                                       : Padding::kExplicit;
  attrs.rows = {rows[0], rows[1], rows[2], rows[3]};
  attrs.columns = {columns[0], columns[1], columns[2], columns[3]};
  return Conv2dGeometry::Of(PartialShape(x), PartialShape(w), attrs);
}

template <typename T>
using Gradient = std::function<decltype(InputGradientNaive<T>)>;

template <typename T>
Gradient<T> FunctionOf(const std::string& part, const std::string& tier) {
  if (part == "input") {
    if (tier == "naive") return InputGradientNaive<T>;
    if (tier == "im2col") return InputGradientIm2col<T>;
    if (tier == "direct") return std::bind_front(InputGradientTurned<T>, Conv2dDirect<T>);
    if (tier == "winograd")
      return std::bind_front(InputGradientTurned<T>, Conv2dWinograd<T>);
  }
  if (part == "filter") {
    if (tier == "naive") return FilterGradientNaive<T>;
    if (tier == "im2col") return FilterGradientIm2col<T>;
  }
  throw Error(errors::Internal("no tier ", tier, " of ", part));
}

template <typename T>
void Fill(Tensor* tensor, T value) {
  std::fill_n(tensor->mutable_flat<T>().data(), tensor->num_elements(), value);
}

// The gradient of x or of w, of given shape, from the two other tensors. What it is
// written to holds other numbers before. After `stop_after` questions the work is given
// up; never if that is negative. And the most bytes in use when it asked, beyond those
// before.
py::tuple GradientOf(const std::string& part, const std::string& tier,
                     const Numbers& x_shape, const Numbers& w_shape, const Numbers& rows,
                     const Numbers& columns, const std::string& padding,
                     const py::array& one, const py::array& dy, int threads,
                     int64_t stop_after) {
  const Conv2dGeometry g = GeometryOf(x_shape, w_shape, rows, columns, padding);
  const Tensor given = TensorOf(one);
  const Tensor gradient = TensorOf(dy);
  Tensor result(given.dtype(), Shape(part == "input" ? x_shape : w_shape));
  ThreadPool pool(threads);
  std::atomic<int64_t> asked = 0, most = 0;
  const auto before = BytesInUse();
  const StopQuestion question = [&] {
    const auto now = BytesInUse();
    most = std::max<int64_t>({most, now[0] - before[0], now[1] - before[1]});
    return stop_after >= 0 && asked++ >= stop_after;
  };
  const auto run = [&]<typename T>(T) {
    Fill<T>(&result, T(7));
    const py::gil_scoped_release release;
    const StopScope scope(&question);
    FunctionOf<T>(part, tier)(g, given.flat<T>().data(), gradient.flat<T>().data(),
                              result.mutable_flat<T>().data(), pool);
  };
  given.dtype() == DType::kFloat32 ? run(float{}) : run(double{});
  return py::make_tuple(ArrayOf(result), most.load());
}

// The gradient of x for each of `ones`, filters that come into the same memory.
py::list InputGradients(const std::string& tier, const Numbers& x_shape,
                        const Numbers& w_shape, const Numbers& rows,
                        const Numbers& columns, const std::string& padding,
                        const std::vector<py::array>& ones, const py::array& dy) {
  const Conv2dGeometry g = GeometryOf(x_shape, w_shape, rows, columns, padding);
  const Tensor gradient = TensorOf(dy);
  Tensor filters = TensorOf(ones[0]);
  ThreadPool pool(1);
  py::list found;
  const auto run = [&]<typename T>(T) {
    for (const py::array& one : ones) {
      std::ranges::copy(TensorFromArray(one).flat<T>(), filters.mutable_flat<T>().data());
      Tensor dx(filters.dtype(), Shape(x_shape));
      FunctionOf<T>("input", tier)(g, filters.flat<T>().data(), gradient.flat<T>().data(),
                                   dx.mutable_flat<T>().data(), pool);
      found.append(ArrayOf(dx));
    }
  };
  filters.dtype() == DType::kFloat32 ? run(float{}) : run(double{});
  return found;
}

// `x` after the patches of places [begin,end) have been added to it.
py::object Scatter(const Numbers& w_shape, const Numbers& rows, const Numbers& columns,
                   const std::string& padding, const py::array& x,
                   const py::array& patches, int64_t begin, int64_t end) {
  Tensor result = TensorOf(x);
  const Tensor given = TensorOf(patches);
  const Conv2dGeometry g =
      GeometryOf(result.shape().ToVector(), w_shape, rows, columns, padding);
  const auto run = [&]<typename T>(T) {
    ScatterPatches(g, given.flat<T>().data(), begin, end,
                   result.mutable_flat<T>().data());
  };
  result.dtype() == DType::kFloat32 ? run(float{}) : run(double{});
  return ArrayOf(result);
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_10_driver, module) {
  module.def("gradient", &minitf::GradientOf);
  module.def("input_gradients", &minitf::InputGradients);
  module.def("scatter", &minitf::Scatter);
}
