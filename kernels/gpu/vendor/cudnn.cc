// Convolutions, poolings and softmax by cuDNN: descriptors and calls, which are three for
// each kind of convolution.

#include "kernels/gpu/vendor/cudnn.h"

#include <array>
#include <memory>
#include <span>
#include <type_traits>

// cuDNN 9 still has the functions that it calls legacy, and TensorFlow 1 used these.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace minitf::gpu {
namespace {

// What it says of a call that it does not take: one of these two, or what is wrong.
bool IsNotTaken(cudnnStatus_t status) {
  const int category = CUDNN_STATUS_CATEGORY(static_cast<int>(status));
  return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_BAD_PARAM;
}

// cuDNN has a name for each error, and most of the time a sentence about it.
Status StatusOf(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  std::array<char, 500> sentence = {};
  cudnnGetLastErrorString(sentence.data(), sentence.size());
  std::string text = StrCat("cuDNN: ", cudnnGetErrorString(status));
  if (sentence[0] != '\0') text += StrCat(" (", sentence.data(), ")");
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return errors::ResourceExhausted(text);
  }
  return IsNotTaken(status) ? errors::Unimplemented(text) : errors::Internal(text);
}

void Check(cudnnStatus_t status) { ThrowIfError(StatusOf(status)); }

// Descriptors that free themselves.
template <typename T, cudnnStatus_t (*kDestroy)(T)>
struct Destroy {
  void operator()(T descriptor) const { kDestroy(descriptor); }
};
template <typename T, cudnnStatus_t (*kDestroy)(T)>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T, kDestroy>>;
using TensorDescriptor = Owned<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDescriptor = Owned<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvDescriptor =
    Owned<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;
using PoolDescriptor = Owned<cudnnPoolingDescriptor_t, cudnnDestroyPoolingDescriptor>;

template <typename Owner, typename Create>
Owner Make(Create create) {
  typename Owner::pointer made = nullptr;
  Check(create(&made));
  return Owner(made);
}

cudnnDataType_t DataTypeOf(ElementType type) {
  const bool is_double = type == ElementType::kFloat64;
  Require(is_double || type == ElementType::kFloat32,
          "cuDNN computes float32 and float64");
  return is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

cudnnTensorFormat_t FormatOf(ConvLayout layout) {
  return layout == ConvLayout::kNhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

// The result is one times what is computed, and zero times what was there.
struct Scale {
  const void* one;
  const void* zero;
};

Scale ScaleOf(ElementType type) {
  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kOneInDouble = 1, kZeroInDouble = 0;
  if (type == ElementType::kFloat64) return {&kOneInDouble, &kZeroInDouble};
  return {&kOne, &kZero};
}

TensorDescriptor TensorOf(ElementType type, ConvLayout layout, int n, int c, int h,
                          int w) {
  auto made = Make<TensorDescriptor>(cudnnCreateTensorDescriptor);
  Check(cudnnSetTensor4dDescriptor(made.get(), FormatOf(layout), DataTypeOf(type), n, c,
                                   h, w));
  return made;
}

// The images of a problem, and its results.
template <typename Problem>
TensorDescriptor ImagesOf(const Problem& problem) {
  const Conv2dSizes& g = problem.sizes;
  return TensorOf(problem.type, problem.layout, g.n, g.c, g.h, g.w);
}
template <typename Problem>
TensorDescriptor ResultsOf(const Problem& problem) {
  const Conv2dSizes& g = problem.sizes;
  return TensorOf(problem.type, problem.layout, g.n, g.k, g.p, g.q);
}

// Whether products of float32 must be those of float32.
bool IsExact(const ConvProblem& problem) {
  return problem.type == ElementType::kFloat32 && !problem.use_tf32;
}

// What cuDNN is told about a convolution.
struct Descriptors {
  TensorDescriptor x;
  TensorDescriptor y;
  FilterDescriptor w = Make<FilterDescriptor>(cudnnCreateFilterDescriptor);
  ConvDescriptor conv = Make<ConvDescriptor>(cudnnCreateConvolutionDescriptor);

  Descriptors(const ConvProblem& problem, cudnnMathType_t math)
      : x(ImagesOf(problem)), y(ResultsOf(problem)) {
    const Conv2dSizes& g = problem.sizes;
    const cudnnDataType_t type = DataTypeOf(problem.type);
    Check(cudnnSetFilter4dDescriptor(w.get(), type, FormatOf(problem.layout), g.k, g.c,
                                     g.r, g.s));
    Check(cudnnSetConvolution2dDescriptor(conv.get(), g.pad_top, g.pad_left, g.stride_h,
                                          g.stride_w, g.dilation_h, g.dilation_w,
                                          CUDNN_CROSS_CORRELATION, type));
    Check(cudnnSetConvolutionMathType(conv.get(), math));
  }
  explicit Descriptors(const ConvProblem& problem)
      : Descriptors(problem, IsExact(problem) ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH) {}
};

// ---- The three kinds ------------------------------------------------------------------

// Where cuDNN writes what it has found.
template <typename Performance>
struct Answer {
  std::array<Performance, 16> list;
  int count = 0;
};

struct Forward {
  using Found = Answer<cudnnConvolutionFwdAlgoPerf_t>;

  static cudnnStatus_t Guess(cudnnHandle_t handle, const Descriptors& d, Found* found) {
    return cudnnGetConvolutionForwardAlgorithm_v7(
        handle, d.x.get(), d.w.get(), d.conv.get(), d.y.get(), found->list.size(),
        &found->count, found->list.data());
  }
  static cudnnStatus_t Measure(cudnnHandle_t handle, const Descriptors& d,
                               const ConvOperands& at, const Workspace& room,
                               Found* found) {
    return cudnnFindConvolutionForwardAlgorithmEx(
        handle, d.x.get(), at.x, d.w.get(), at.w, d.conv.get(), d.y.get(), at.y,
        found->list.size(), &found->count, found->list.data(), room.memory, room.bytes);
  }
  static cudnnStatus_t Run(cudnnHandle_t handle, const Descriptors& d,
                           const ConvOperands& at, int algorithm, const Workspace& room,
                           const Scale& scale) {
    return cudnnConvolutionForward(handle, scale.one, d.x.get(), at.x, d.w.get(), at.w,
                                   d.conv.get(),
                                   static_cast<cudnnConvolutionFwdAlgo_t>(algorithm),
                                   room.memory, room.bytes, scale.zero, d.y.get(), at.y);
  }
};

struct BackwardInput {
  using Found = Answer<cudnnConvolutionBwdDataAlgoPerf_t>;

  static cudnnStatus_t Guess(cudnnHandle_t handle, const Descriptors& d, Found* found) {
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle, d.w.get(), d.y.get(), d.conv.get(), d.x.get(), found->list.size(),
        &found->count, found->list.data());
  }
  static cudnnStatus_t Measure(cudnnHandle_t handle, const Descriptors& d,
                               const ConvOperands& at, const Workspace& room,
                               Found* found) {
    return cudnnFindConvolutionBackwardDataAlgorithmEx(
        handle, d.w.get(), at.w, d.y.get(), at.y, d.conv.get(), d.x.get(), at.x,
        found->list.size(), &found->count, found->list.data(), room.memory, room.bytes);
  }
  static cudnnStatus_t Run(cudnnHandle_t handle, const Descriptors& d,
                           const ConvOperands& at, int algorithm, const Workspace& room,
                           const Scale& scale) {
    return cudnnConvolutionBackwardData(
        handle, scale.one, d.w.get(), at.w, d.y.get(), at.y, d.conv.get(),
        static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm), room.memory, room.bytes,
        scale.zero, d.x.get(), at.x);
  }
};

struct BackwardFilter {
  using Found = Answer<cudnnConvolutionBwdFilterAlgoPerf_t>;

  static cudnnStatus_t Guess(cudnnHandle_t handle, const Descriptors& d, Found* found) {
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle, d.x.get(), d.y.get(), d.conv.get(), d.w.get(), found->list.size(),
        &found->count, found->list.data());
  }
  static cudnnStatus_t Measure(cudnnHandle_t handle, const Descriptors& d,
                               const ConvOperands& at, const Workspace& room,
                               Found* found) {
    return cudnnFindConvolutionBackwardFilterAlgorithmEx(
        handle, d.x.get(), at.x, d.y.get(), at.y, d.conv.get(), d.w.get(), at.w,
        found->list.size(), &found->count, found->list.data(), room.memory, room.bytes);
  }
  static cudnnStatus_t Run(cudnnHandle_t handle, const Descriptors& d,
                           const ConvOperands& at, int algorithm, const Workspace& room,
                           const Scale& scale) {
    return cudnnConvolutionBackwardFilter(
        handle, scale.one, d.x.get(), at.x, d.y.get(), at.y, d.conv.get(),
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), room.memory, room.bytes,
        scale.zero, d.w.get(), at.w);
  }
};

// Calls function(), and returns what it returns or throws.
template <typename Function>
Status Caught(Function function) {
  try {
    return function();
  } catch (const Error& error) {
    return error.status();
  }
}

// Calls function.operator()<Kind>(), and returns what it returns or throws.
template <typename Function>
Status WithKind(ConvKind kind, Function function) {
  return Caught([&]() -> Status {
    switch (kind) {
      case ConvKind::kForward: return function.template operator()<Forward>();
      case ConvKind::kInput: return function.template operator()<BackwardInput>();
      case ConvKind::kFilter: return function.template operator()<BackwardFilter>();
    }
    return errors::Internal("there is no such kind of convolution");
  });
}

// Lists the algorithms that `ask`, called as by WithKind, puts into a Found: those that
// work, with products as exact as the problem wants them. None is no error.
template <typename Ask>
Status List(const ConvProblem& problem, std::vector<ConvAlgorithm>* algorithms, Ask ask) {
  algorithms->clear();
  const Status status = WithKind(problem.kind, [&]<typename Kind>() {
    typename Kind::Found found;
    Check(ask.template operator()<Kind>(Descriptors(problem), &found));
    for (const auto& one : std::span(found.list).first(found.count)) {
      if (one.status != CUDNN_STATUS_SUCCESS) continue;
      if (IsExact(problem) && one.mathType != CUDNN_FMA_MATH) continue;
      algorithms->push_back({one.algo, one.mathType, one.time, one.memory,
                             one.determinism == CUDNN_DETERMINISTIC});
    }
    return Status();
  });
  return status.code() == Code::kUnimplemented ? Status() : status;
}

}  // namespace

// ---- Cudnn ----------------------------------------------------------------------------

Cudnn::~Cudnn() {
  if (handle_ != nullptr) cudnnDestroy(handle_);
}

Status Cudnn::Open() {
  return handle_ != nullptr ? Status() : StatusOf(cudnnCreate(&handle_));
}

Status Cudnn::FindAlgorithms(const ConvProblem& problem,
                             std::vector<ConvAlgorithm>* found) {
  return List(problem, found, [&]<typename Kind>(const Descriptors& d, auto* answer) {
    return Kind::Guess(handle_, d, answer);
  });
}

Status Cudnn::MeasureAlgorithms(const ConvProblem& problem, const ConvOperands& operands,
                                const Workspace& room, cudaStream_t stream,
                                std::vector<ConvAlgorithm>* found) {
  return List(problem, found, [&]<typename Kind>(const Descriptors& d, auto* answer) {
    Check(cudnnSetStream(handle_, stream));
    return Kind::Measure(handle_, d, operands, room, answer);
  });
}

Status Cudnn::Convolve(const ConvProblem& problem, const ConvOperands& operands,
                       const ConvAlgorithm& algorithm, const Workspace& room,
                       cudaStream_t stream) {
  return WithKind(problem.kind, [&]<typename Kind>() {
    Check(cudnnSetStream(handle_, stream));
    const Descriptors descriptors(problem, static_cast<cudnnMathType_t>(algorithm.math));
    return StatusOf(Kind::Run(handle_, descriptors, operands, algorithm.id, room,
                              ScaleOf(problem.type)));
  });
}

Status Cudnn::Pool(const PoolProblem& problem, const void* from, void* to,
                   cudaStream_t stream) {
  return Caught([&] {
    const Conv2dSizes& g = problem.sizes;
    const auto mode = problem.kind == PoolKind::kMax
                          ? CUDNN_POOLING_MAX
                          : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    const auto window = Make<PoolDescriptor>(cudnnCreatePoolingDescriptor);
    Check(cudnnSetPooling2dDescriptor(window.get(), mode, CUDNN_PROPAGATE_NAN, g.r, g.s,
                                      g.pad_top, g.pad_left, g.stride_h, g.stride_w));
    const TensorDescriptor x = ImagesOf(problem);
    const TensorDescriptor y = ResultsOf(problem);
    const auto [one, zero] = ScaleOf(problem.type);
    Check(cudnnSetStream(handle_, stream));
    if (problem.kind != PoolKind::kAverageGradient) {
      return StatusOf(cudnnPoolingForward(handle_, window.get(), one, x.get(), from, zero,
                                          y.get(), to));
    }
    // The gradient of a mean needs neither x nor y, for which cuDNN wants pointers.
    return StatusOf(cudnnPoolingBackward(handle_, window.get(), one, y.get(), from,
                                         y.get(), from, x.get(), to, zero, x.get(), to));
  });
}

Status Cudnn::Softmax(const SoftmaxProblem& problem, const void* x, void* y,
                      cudaStream_t stream) {
  return Caught([&] {
    const TensorDescriptor rows =
        TensorOf(problem.type, ConvLayout::kNchw, problem.rows, problem.classes, 1, 1);
    const auto [one, zero] = ScaleOf(problem.type);
    Check(cudnnSetStream(handle_, stream));
    // The largest number of a row is taken away from all, so that nothing overflows.
    const auto algorithm = problem.is_log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
    return StatusOf(cudnnSoftmaxForward(handle_, algorithm, CUDNN_SOFTMAX_MODE_INSTANCE,
                                        one, rows.get(), x, zero, rows.get(), y));
  });
}

}  // namespace minitf::gpu
