// Convolutions by cuDNN: descriptors, the choice of an algorithm, and its call.

#include "kernels/gpu/vendor/cudnn.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "kernels/gpu/pad.h"
#include "kernels/gpu/strided_copy.h"

// cuDNN 9 still has the functions that it calls legacy, and TensorFlow 1 used these.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace minitf::gpu {
namespace {

const char* ErrorOf(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? nullptr : cudnnGetErrorString(status);
}
const char* ErrorOf(cudaError_t error) {
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

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

template <typename Owner, typename Create>
Owner Make(Create create) {
  typename Owner::pointer made = nullptr;
  return Owner(create(&made) == CUDNN_STATUS_SUCCESS ? made : nullptr);
}

#define MINITF_RETURN_ERROR(expression)                 \
  do {                                                  \
    if (const char* error = (expression)) return error; \
  } while (false)

}  // namespace

// One convolution, in the layout that cuDNN takes.
struct Cudnn::Call {
  TensorDescriptor x = Make<TensorDescriptor>(cudnnCreateTensorDescriptor);
  TensorDescriptor y = Make<TensorDescriptor>(cudnnCreateTensorDescriptor);
  FilterDescriptor w = Make<FilterDescriptor>(cudnnCreateFilterDescriptor);
  ConvDescriptor conv = Make<ConvDescriptor>(cudnnCreateConvolutionDescriptor);
  Conv2dSizes sizes;
  const float* first = nullptr;
  const float* second = nullptr;
  float* result = nullptr;

  const char* Describe(const Options& options) {
    const Conv2dSizes& g = sizes;
    if (!x || !y || !w || !conv) return "cuDNN could not make a descriptor";
    MINITF_RETURN_ERROR(ErrorOf(cudnnSetTensor4dDescriptor(
        x.get(), CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, g.n, g.c, g.h, g.w)));
    MINITF_RETURN_ERROR(ErrorOf(cudnnSetTensor4dDescriptor(
        y.get(), CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, g.n, g.k, g.p, g.q)));
    MINITF_RETURN_ERROR(ErrorOf(cudnnSetFilter4dDescriptor(
        w.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, g.k, g.c / g.groups, g.r, g.s)));
    MINITF_RETURN_ERROR(ErrorOf(cudnnSetConvolution2dDescriptor(
        conv.get(), g.pad_top, g.pad_left, g.stride_h, g.stride_w, g.dilation_h,
        g.dilation_w, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT)));
    MINITF_RETURN_ERROR(ErrorOf(cudnnSetConvolutionGroupCount(conv.get(), g.groups)));
    return ErrorOf(cudnnSetConvolutionMathType(
        conv.get(), options.use_tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH));
  }
};

Cudnn::~Cudnn() {
  if (handle_ != nullptr) cudnnDestroy(handle_);
}

const char* Cudnn::Open() {
  return handle_ != nullptr ? nullptr : ErrorOf(cudnnCreate(&handle_));
}

namespace {

// The fastest of `found` that needs no more than `limit` bytes.
template <typename Performance>
const Performance* BestOf(const std::vector<Performance>& found, int count,
                          size_t limit) {
  for (int i = 0; i < count; ++i) {
    const bool fits = found[i].memory <= limit;
    if (found[i].status == CUDNN_STATUS_SUCCESS && fits) return &found[i];
  }
  return nullptr;
}

constexpr int kMaxAlgorithms = 16;

}  // namespace

// NOLINTNEXTLINE(readability-function-size): three functions of cuDNN, each with its twin
const char* Cudnn::Choose(ConvKind kind, const Call& call, const Options& options) {
  const Conv2dSizes& g = call.sizes;
  const std::vector<int> key = {static_cast<int>(kind),
                                g.n,
                                g.h,
                                g.w,
                                g.c,
                                g.r,
                                g.s,
                                g.k,
                                g.stride_h,
                                g.stride_w,
                                g.dilation_h,
                                g.dilation_w,
                                g.pad_top,
                                g.pad_left,
                                g.groups,
                                options.use_tf32,
                                static_cast<int>(options.autotune)};
  if (const auto known = choices_.find(key); known != choices_.end()) {
    choice_ = known->second;
    return nullptr;
  }
  const auto choose = [&](auto find, auto guess, auto performance,
                          auto... descriptors) -> const char* {
    std::vector<decltype(performance)> found(kMaxAlgorithms);
    int count = 0;
    const bool tries = options.autotune == Autotune::kOn;
    MINITF_RETURN_ERROR(ErrorOf((tries ? find : guess)(
        handle_, descriptors..., kMaxAlgorithms, &count, found.data())));
    const auto* best = BestOf(found, count, options.workspace_limit);
    if (best == nullptr) return "no algorithm of cuDNN fits into the workspace's limit";
    choice_ = {static_cast<int>(best->algo), best->memory};
    return nullptr;
  };
  const char* error = nullptr;
  switch (kind) {
    case ConvKind::kForward:
      error =
          choose(cudnnFindConvolutionForwardAlgorithm,
                 cudnnGetConvolutionForwardAlgorithm_v7, cudnnConvolutionFwdAlgoPerf_t(),
                 call.x.get(), call.w.get(), call.conv.get(), call.y.get());
      break;
    case ConvKind::kInput:
      error = choose(cudnnFindConvolutionBackwardDataAlgorithm,
                     cudnnGetConvolutionBackwardDataAlgorithm_v7,
                     cudnnConvolutionBwdDataAlgoPerf_t(), call.w.get(), call.y.get(),
                     call.conv.get(), call.x.get());
      break;
    case ConvKind::kFilter:
      error = choose(cudnnFindConvolutionBackwardFilterAlgorithm,
                     cudnnGetConvolutionBackwardFilterAlgorithm_v7,
                     cudnnConvolutionBwdFilterAlgoPerf_t(), call.x.get(), call.y.get(),
                     call.conv.get(), call.w.get());
      break;
  }
  if (error == nullptr) choices_[key] = choice_;
  return error;
}

const char* Cudnn::Run(ConvKind kind, const Call& call, const Options& options) {
  const float one = 1;
  const float zero = 0;
  void* const room = choice_.workspace == 0
                         ? nullptr
                         : options.allocate(options.owner, choice_.workspace);
  if (room == nullptr && choice_.workspace > 0) return "no memory for cuDNN's workspace";
  switch (kind) {
    case ConvKind::kForward:
      return ErrorOf(cudnnConvolutionForward(
          handle_, &one, call.x.get(), call.first, call.w.get(), call.second,
          call.conv.get(), static_cast<cudnnConvolutionFwdAlgo_t>(choice_.algorithm),
          room, choice_.workspace, &zero, call.y.get(), call.result));
    case ConvKind::kInput:
      return ErrorOf(cudnnConvolutionBackwardData(
          handle_, &one, call.w.get(), call.second, call.y.get(), call.first,
          call.conv.get(), static_cast<cudnnConvolutionBwdDataAlgo_t>(choice_.algorithm),
          room, choice_.workspace, &zero, call.x.get(), call.result));
    case ConvKind::kFilter:
      return ErrorOf(cudnnConvolutionBackwardFilter(
          handle_, &one, call.x.get(), call.first, call.y.get(), call.second,
          call.conv.get(),
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice_.algorithm), room,
          choice_.workspace, &zero, call.w.get(), call.result));
  }
  return "no such convolution";
}

// NOLINTNEXTLINE(readability-function-size): what is copied before the call, and after it
const char* Cudnn::Conv2d(ConvKind kind, const Conv2dSizes& sizes, const float* first,
                          const float* second, float* result, const Options& options) {
  Call call;
  call.sizes = sizes;
  call.first = first;
  call.second = second;
  call.result = result;
  Conv2dSizes& g = call.sizes;
  const auto room_for = [&](int64_t count) {
    return static_cast<float*>(options.allocate(options.owner, size_t(count) * 4));
  };

  // An image with all its zeros in it, where those at its end are more or fewer.
  const bool is_even = g.pad_top == options.pad_bottom && g.pad_left == options.pad_right;
  const PadSizes pad{
      g.n, g.h, g.w, g.c, g.pad_top, options.pad_bottom, g.pad_left, options.pad_right};
  float* padded = nullptr;
  if (!is_even) {
    g.h += g.pad_top + options.pad_bottom;
    g.w += g.pad_left + options.pad_right;
    g.pad_top = g.pad_left = 0;
    if ((padded = room_for(g.x_size())) == nullptr) return "no memory for padded images";
    if (kind == ConvKind::kInput) {
      call.result = padded;
    } else {
      MINITF_RETURN_ERROR(ErrorOf(LaunchPad(pad, first, padded, options.stream)));
      call.first = padded;
    }
  }
  // w, or its gradient, as [K,RSC].
  float* const turned = room_for(g.w_size());
  if (turned == nullptr) return "no memory for a turned filter";
  const int64_t rows = g.w_size() / g.k;
  if (kind == ConvKind::kFilter) {
    call.result = turned;
  } else {
    MINITF_RETURN_ERROR(
        ErrorOf(LaunchTranspose(4, 1, rows, g.k, second, turned, options.stream)));
    call.second = turned;
  }

  MINITF_RETURN_ERROR(call.Describe(options));
  MINITF_RETURN_ERROR(ErrorOf(cudnnSetStream(handle_, options.stream)));
  MINITF_RETURN_ERROR(Choose(kind, call, options));
  last_algorithm_ = choice_.algorithm;
  MINITF_RETURN_ERROR(Run(kind, call, options));

  if (kind == ConvKind::kFilter) {
    return ErrorOf(LaunchTranspose(4, 1, g.k, rows, turned, result, options.stream));
  }
  if (kind == ConvKind::kInput && !is_even) {
    return ErrorOf(LaunchCrop(pad, padded, result, options.stream));
  }
  return nullptr;
}

}  // namespace minitf::gpu
