// What cases of lab 08 call in C++: products by each tier, the same with numbers that
// tell where they are read and written, panels, and a micro-kernel that takes notes.

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernels/cpu/gemm/matrix_product.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/stop.h"
#include "minitf/base/thread_pool.h"
#include "python/bindings/numpy_bridge.h"
#include "tests/labs/08_matmul/cache_model.h"
#include "tests/labs/08_matmul/far_matrix.h"
#include "tests/labs/08_matmul/spy_kernel.h"

namespace minitf {
namespace {

namespace py = pybind11;

// The pool of so many threads, or null for 0 of them; until it is asked for another one.
ThreadPool* Threads(int count) {
  static std::unique_ptr<ThreadPool> pool;
  if (count == 0) return nullptr;
  if (pool == nullptr || pool->num_threads() != count) {
    pool = nullptr;
    pool = std::make_unique<ThreadPool>(count);
  }
  return pool.get();
}

// Two matrices where the arrays lie, to which nobody may write, what is to be done with
// them, and a product that nobody has written. Both may be the same array.
struct Factors {
  Factors(const py::array& a_array, const py::array& b_array, bool transpose_a,
          bool transpose_b)
      : a(TensorFromArray(a_array)),
        b(b_array.is(a_array) ? a : TensorFromArray(b_array)),
        sizes(SizesOfProduct(a, b, transpose_a, transpose_b)),
        product(a.dtype(), Shape{sizes.m, sizes.n}) {
    // Not what an earlier product has left there: NaN, or -1.
    if (product.num_bytes() > 0) {
      std::memset(product.mutable_data(), 0xFF, product.num_bytes());
    }
  }

  py::object Result() const { return ArrayFromTensor(product.Clone(), Sharing::kNever); }

  Tensor a, b;
  ProductSizes sizes;
  Tensor product;
};

// ---- Values ---------------------------------------------------------------------------

template <typename T>
void MultiplyBy(const std::string& tier, Factors* f, ThreadPool* threads) {
  const T* a = f->a.flat<T>().data();
  const T* b = f->b.flat<T>().data();
  T* product = f->product.mutable_flat<T>().data();
  if constexpr (std::is_floating_point_v<T>) {
    if (tier != "any") return FindMultiplier<T>(tier)(f->sizes, a, b, product, threads);
  }
  MultiplyMatrices(f->sizes, a, b, product, threads);
}

void MultiplyOfType(const std::string& tier, Factors* f, ThreadPool* threads) {
  switch (f->a.dtype()) {
    case DType::kFloat32: return MultiplyBy<float>(tier, f, threads);
    case DType::kFloat64: return MultiplyBy<double>(tier, f, threads);
    case DType::kInt32: return MultiplyBy<int32_t>(tier, f, threads);
    case DType::kInt64: return MultiplyBy<int64_t>(tier, f, threads);
    case DType::kComplex64: return MultiplyBy<complex64>(tier, f, threads);
    case DType::kComplex128: return MultiplyBy<complex128>(tier, f, threads);
    default: throw Error(errors::Internal("no product of ", f->a.dtype()));
  }
}

// The product by a tier, or as MatMul has it for "any".
py::object Multiply(const std::string& tier, const py::array& a, const py::array& b,
                    bool transpose_a, bool transpose_b, int threads) {
  Factors f(a, b, transpose_a, transpose_b);
  MultiplyOfType(tier, &f, Threads(threads));
  return f.Result();
}

// The second of two products of the same sizes that are made in the same memory.
py::object MultiplyAgain(const std::string& tier, const py::array& first_a,
                         const py::array& first_b, const py::array& a, const py::array& b,
                         bool transpose_a, bool transpose_b) {
  Factors f(first_a, first_b, transpose_a, transpose_b);
  f.a = f.a.Clone();
  f.b = f.b.Clone();
  MultiplyOfType(tier, &f, nullptr);
  std::memcpy(f.a.mutable_data(), TensorFromArray(a).data(), f.a.num_bytes());
  std::memcpy(f.b.mutable_data(), TensorFromArray(b).data(), f.b.num_bytes());
  MultiplyOfType(tier, &f, nullptr);
  return f.Result();
}

// How often a tier asks whether to go on, if at question number `last` it is to give up.
py::tuple Ask(const std::string& tier, const py::array& a, const py::array& b, int last) {
  Factors f(a, b, false, false);
  int asked = 0;
  bool is_given_up = false;
  const StopQuestion question = [&] { return ++asked == last; };
  const StopScope scope(&question);
  try {
    MultiplyOfType(tier, &f, nullptr);
  } catch (const Error& error) {
    if (error.status().code() != Code::kCancelled) throw;
    is_given_up = true;
  }
  return py::make_tuple(asked, is_given_up);
}

// ---- Lines of memory ------------------------------------------------------------------

// Numbers that begin where a page does, so that each run meets the same cache.
class TracedNumbers {
 public:
  explicit TracedNumbers(int64_t size) : size_(size), numbers_(Allocate(size)) {}
  ~TracedNumbers() { ::operator delete[](numbers_, kPage); }

  TracedNumbers(const TracedNumbers&) = delete;
  TracedNumbers& operator=(const TracedNumbers&) = delete;

  Traced* data() const { return numbers_; }
  bool Has(const void* address) const {
    return address >= numbers_ && address < numbers_ + size_;
  }

 private:
  static constexpr std::align_val_t kPage{4096};

  static Traced* Allocate(int64_t size) {
    return static_cast<Traced*>(::operator new[](size * sizeof(Traced) + 1, kPage));
  }

  const int64_t size_;
  Traced* const numbers_;
};

// What is counted while numbers are read and written.
struct Counts {
  CacheModel cache;
  int64_t reads_of_a = 0, reads_of_b = 0, reads_of_product = 0, writes_of_product = 0;
};

// The factors of a product as traced numbers.
class Trace {
 public:
  explicit Trace(const Factors& f)
      : a(f.a.num_elements()), b(f.b.num_elements()), product(f.product.num_elements()) {
    std::ranges::copy(f.a.flat<float>(), a.data());
    std::ranges::copy(f.b.flat<float>(), b.data());
  }

  // Does work in a thread of its own, whose stack lies in its pages as every other's.
  template <typename Work>
  void Run(const Work& work) {
    std::exception_ptr thrown;
    current = this;
    std::thread([&] {
      Traced::TellTo(Note);
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      Traced::TellTo(nullptr);
    }).join();
    if (thrown) std::rethrow_exception(thrown);
  }

  const TracedNumbers a, b, product;
  Counts counts;

 private:
  inline static Trace* current = nullptr;

  static void Note(const void* address, bool is_written) {
    Counts& counts = current->counts;
    counts.cache.Touch(address, is_written);
    if (current->product.Has(address)) {
      ++(is_written ? counts.writes_of_product : counts.reads_of_product);
    } else if (!is_written) {
      if (current->a.Has(address)) ++counts.reads_of_a;
      if (current->b.Has(address)) ++counts.reads_of_b;
    }
  }
};

py::dict CountsAsDict(const Counts& counts) {
  py::dict result;
  result["lines"] = counts.cache.LinesMoved();
  result["reads_of_a"] = counts.reads_of_a;
  result["reads_of_b"] = counts.reads_of_b;
  result["reads_of_product"] = counts.reads_of_product;
  result["writes_of_product"] = counts.writes_of_product;
  return result;
}

Multiplier<Traced> TracedMultiplier(const std::string& tier) {
  if (tier == "naive") return MultiplyNaively<Traced>;
  if (tier == "reordered") return MultiplyReordered<Traced>;
  Require(tier == "tiled", "no traced tier ", tier);
  return MultiplyTiled<Traced>;
}

// The product by a tier, and what it reads, writes and moves.
py::dict Traffic(const std::string& tier, const py::array& a, const py::array& b,
                 bool transpose_a, bool transpose_b) {
  Factors f(a, b, transpose_a, transpose_b);
  Trace trace(f);
  trace.Run([&] {
    TracedMultiplier(tier)(f.sizes, trace.a.data(), trace.b.data(), trace.product.data(),
                           nullptr);
  });
  std::copy_n(trace.product.data(), f.product.num_elements(),
              f.product.mutable_flat<float>().data());
  py::dict result = CountsAsDict(trace.counts);
  result["product"] = f.Result();
  return result;
}

// ---- Panels ---------------------------------------------------------------------------

// Of which panel, and how it is asked for.
struct PanelQuestion {
  int64_t first_row, rows, first, depth, uses;
  bool is_in_cache;
};

// Whether the panel lies in `room`; throws if it lies neither there nor in the matrix.
template <typename T>
bool IsIn(std::span<const T> room, std::span<const T> matrix,
          const StridedMatrix<T>& panel, const PanelQuestion& q) {
  const T* last = &panel.data[(q.rows - 1) * panel.row + (q.depth - 1) * panel.column];
  const auto has = [&](std::span<const T> numbers) {
    return panel.row >= 0 && panel.column >= 0 && panel.data >= numbers.data() &&
           last < numbers.data() + numbers.size();
  };
  Require(has(room) || has(matrix), "a panel with steps of ", panel.row, " and ",
          panel.column, " lies neither in the matrix nor in its room");
  return has(room);
}

template <typename T>
py::dict PanelOf(const Factors& f, const PanelQuestion& q) {
  const std::span<const T> matrix = f.a.flat<T>();
  Tensor room(DTypeOf<T>(), {q.rows * (q.depth + PanelSource<T>::kRowGap)});
  const MatrixPanels<T> panels(LeftOf(f.sizes, matrix.data()), q.is_in_cache);
  const StridedMatrix<T> panel = panels.Panel(q.first_row, q.rows, q.first, q.depth,
                                              q.uses, room.mutable_flat<T>().data());
  py::dict result;
  result["is_copied"] = IsIn<T>(room.flat<T>(), matrix, panel, q);
  Tensor elements(DTypeOf<T>(), Shape{q.rows, q.depth});
  for (int64_t i = 0; i < q.rows; ++i) {
    for (int64_t j = 0; j < q.depth; ++j) {
      elements.mutable_flat<T>()[i * q.depth + j] = panel.at(i, j);
    }
  }
  result["elements"] = ArrayFromTensor(std::move(elements), Sharing::kNever);
  return result;
}

// A panel of a matrix [m,k], or [k,m] if it is transposed. For floats also the lines that
// its copy moves.
py::dict Panel(const py::array& matrix, bool is_transposed,
               const std::vector<int64_t>& numbers, bool is_in_cache) {
  const Tensor column(DTypeFromName(py::str(matrix.dtype()).cast<std::string>()),
                      Shape{matrix.shape(is_transposed ? 0 : 1), 1});
  Factors f(matrix, ArrayFromTensor(column, Sharing::kNever), is_transposed, false);
  const PanelQuestion q = {numbers[0], numbers[1], numbers[2],
                           numbers[3], numbers[4], is_in_cache};
  if (f.a.dtype() == DType::kFloat64) return PanelOf<double>(f, q);
  py::dict result = PanelOf<float>(f, q);
  Trace trace(f);
  const MatrixPanels<Traced> panels(LeftOf(f.sizes, trace.a.data()), is_in_cache);
  const TracedNumbers room(q.rows * (q.depth + PanelSource<Traced>::kRowGap));
  trace.Run(
      [&] { panels.Panel(q.first_row, q.rows, q.first, q.depth, q.uses, room.data()); });
  result["lines"] = trace.counts.cache.LinesMoved();
  result["reads_of_a"] = trace.counts.reads_of_a;
  return result;
}

// ---- The loops around the micro-kernel ------------------------------------------------

py::list CallsAsDicts(const std::vector<KernelCall>& calls) {
  py::list result;
  for (const KernelCall& call : calls) {
    py::dict one;
    one["row"] = call.row;
    one["column"] = call.column;
    one["rows"] = call.rows;
    one["columns"] = call.columns;
    one["depth"] = call.depth;
    one["b_row"] = call.b_row;
    one["adds"] = call.adds;
    one["a_is_copied"] = call.a_is_copied;
    one["b_is_copied"] = call.b_is_copied;
    one["has_zeros"] = call.has_zeros;
    result.append(one);
  }
  return result;
}

// The panels of a matrix, and a note of how often each is to be read.
template <typename T>
class NotedPanels final : public PanelSource<T> {
 public:
  explicit NotedPanels(const MatrixPanels<T>& panels) : panels_(panels) {}

  StridedMatrix<T> Panel(int64_t first_row, int64_t rows, int64_t first, int64_t depth,
                         int64_t uses, T* room) const override {
    {
      const std::lock_guard lock(mutex_);
      uses_[{first_row, first}] = uses;
    }
    return panels_.Panel(first_row, rows, first, depth, uses, room);
  }

  // For each first row and step, the uses that were told last.
  const std::map<std::pair<int64_t, int64_t>, int64_t>& uses() const { return uses_; }

 private:
  const MatrixPanels<T>& panels_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int64_t, int64_t>, int64_t> uses_;
};

// A kernel of so many lanes and rows, and what is done with it.
struct KernelQuestion {
  int lanes, rows;
  bool adds, is_in_cache;
};

// The calls of the kernel, and the uses that panels are told: [first row, step, uses].
template <typename T>
py::dict MultiplyWithSpy(const ProductSizes& s, const Matrices<T>& matrices, T* product,
                         const KernelQuestion& q, ThreadPool* threads) {
  const SpyKernel<T> spy(matrices, q.lanes, q.rows);
  const MatrixPanels<T> panels(LeftOf(s, matrices.a), q.is_in_cache);
  const NotedPanels<T> noted(panels);
  MultiplyPacked<T>({s.m, s.k, s.n, q.adds}, noted, RightOf(s, matrices.b), product,
                    threads, spy.kernel());
  py::list uses;
  for (const auto& [place, count] : noted.uses()) {
    uses.append(py::make_tuple(place.first, place.second, count));
  }
  py::dict result;
  result["calls"] = CallsAsDicts(spy.calls());
  result["uses"] = uses;
  return result;
}

template <typename T>
py::dict PackedOf(Factors* f, const KernelQuestion& q, ThreadPool* threads) {
  const std::span<T> product = f->product.mutable_flat<T>();
  if (q.adds) std::ranges::fill(product, T(1));
  py::dict result = MultiplyWithSpy<T>(
      f->sizes,
      {f->a.flat<T>().data(), f->a.num_elements(), f->b.flat<T>().data(),
       f->b.num_elements(), product.data(), f->sizes.m, f->sizes.n},
      product.data(), q, threads);
  result["product"] = f->Result();
  return result;
}

// The packed product with a kernel that takes notes; to a product of ones if it adds.
py::dict Packed(const py::array& a, const py::array& b, bool transpose_a,
                bool transpose_b, int lanes, int rows, bool adds, bool is_in_cache,
                int threads) {
  Factors f(a, b, transpose_a, transpose_b);
  const KernelQuestion q = {lanes, rows, adds, is_in_cache};
  if (f.a.dtype() == DType::kFloat64) return PackedOf<double>(&f, q, Threads(threads));
  return PackedOf<float>(&f, q, Threads(threads));
}

// What a kernel that multiplies nothing leaves to be counted: the copies.
template <int kRows>
void AddIdleFunctions(MicroKernel<Traced>* kernel) {
  const auto idle = [](const MicroProduct<Traced>&) {};
  kernel->functions[1][kRows] = idle;
  kernel->functions[2][kRows] = idle;
  if constexpr (kRows > 1) AddIdleFunctions<kRows - 1>(kernel);
}

// What the copies of a packed product read and move.
py::dict PackedTraffic(const py::array& a, const py::array& b, bool transpose_a,
                       bool transpose_b, int lanes, int rows) {
  const Factors f(a, b, transpose_a, transpose_b);
  const ProductSizes& s = f.sizes;
  MicroKernel<Traced> kernel;
  kernel.lanes = lanes;
  kernel.rows = rows;
  AddIdleFunctions<MicroKernel<Traced>::kMaxRows>(&kernel);
  Trace trace(f);
  trace.Run([&] {
    MultiplyPacked<Traced>(
        {s.m, s.k, s.n}, MatrixPanels<Traced>(LeftOf(s, trace.a.data())),
        RightOf(s, trace.b.data()), trace.product.data(), nullptr, kernel);
  });
  return CountsAsDict(trace.counts);
}

// ---- Far apart ------------------------------------------------------------------------

template <typename T>
void MultiplyFar(Factors* f, const std::vector<int64_t>& apart, const KernelQuestion& q) {
  const ProductSizes& s = f->sizes;
  const FarMatrix<T> a(f->a.flat<T>().data(), f->a.dim(0), f->a.dim(1), apart[0]);
  const FarMatrix<T> b(f->b.flat<T>().data(), f->b.dim(0), f->b.dim(1), apart[1]);
  T* const product = f->product.mutable_flat<T>().data();
  const SpyKernel<T> spy({a.data(), a.size(), b.data(), b.size(), product, s.m, s.n},
                         q.lanes, q.rows);
  MultiplyPacked<T>({s.m, s.k, s.n}, MatrixPanels<T>(a.Strided(s.transpose_a)),
                    b.Strided(s.transpose_b), product, nullptr, spy.kernel());
}

// The packed product of matrices whose lines lie so many elements apart.
py::object PackedFar(const py::array& a, const py::array& b, bool transpose_a,
                     bool transpose_b, const std::vector<int64_t>& apart, int lanes,
                     int rows) {
  Factors f(a, b, transpose_a, transpose_b);
  const KernelQuestion q = {lanes, rows, false, false};
  if (f.a.dtype() == DType::kFloat64) {
    MultiplyFar<double>(&f, apart, q);
  } else {
    MultiplyFar<float>(&f, apart, q);
  }
  return f.Result();
}

// For which elements of a product [m,n] the kernel is called: how many they are, and the
// last 53 bits of the sum of their places. There is no memory for the product.
py::dict PlacesOfProduct(int64_t m, int64_t n) {
  const Addresses room(m * n * static_cast<int64_t>(sizeof(float)));
  auto* const product = static_cast<float*>(room.begin());
  const std::vector<float> a(m), b(n);
  const AddressKernel notes(product);
  MultiplyPacked<float>({m, 1, n}, MatrixPanels<float>({a.data(), 1, 1}),
                        {b.data(), n, 1}, product, nullptr, notes.kernel());
  py::dict result;
  result["count"] = AddressKernel::count;
  result["sum"] = AddressKernel::sum % (uint64_t{1} << 53);
  return result;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_08_driver, module) {
  module.def("multiply", &minitf::Multiply);
  module.def("multiply_again", &minitf::MultiplyAgain);
  module.def("ask", &minitf::Ask);
  module.def("traffic", &minitf::Traffic);
  module.def("panel", &minitf::Panel);
  module.def("packed", &minitf::Packed);
  module.def("packed_traffic", &minitf::PackedTraffic);
  module.def("packed_far", &minitf::PackedFar);
  module.def("places_of_product", &minitf::PlacesOfProduct);
}
