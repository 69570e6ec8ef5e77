// Host memory: the arguments that TensorFlow 1.15 has there when an op runs on a GPU.
//
// The CPU's kernels run for GPUs that are emulated, and what they read on the host must
// be there. A kernel that forgets to say so fails wherever it runs
// (OpKernelContext::host_input); this list finds one that does not even ask.

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

struct HostArguments {
  const char* op;
  std::vector<std::string> names;
};

const std::vector<HostArguments> kInTensorFlow = {
    {"All", {"reduction_indices"}},
    {"Any", {"reduction_indices"}},
    {"ArgMax", {"dimension"}},
    {"ArgMin", {"dimension"}},
    {"Assert", {"condition", "data"}},
    {"AvgPoolGrad", {"orig_input_shape"}},
    {"BatchToSpaceND", {"block_shape", "crops"}},
    {"BroadcastGradientArgs", {"s0", "s1", "r0", "r1"}},
    {"BroadcastTo", {"shape"}},
    {"Concat", {"concat_dim"}},
    {"ConcatOffset", {"concat_dim", "shape", "offset"}},
    {"ConcatV2", {"axis"}},
    {"ConjugateTranspose", {"perm"}},
    {"Conv2DBackpropFilter", {"filter_sizes"}},
    {"Conv2DBackpropInput", {"input_sizes"}},
    {"Cumprod", {"axis"}},
    {"Cumsum", {"axis"}},
    {"DepthwiseConv2dNativeBackpropFilter", {"filter_sizes"}},
    {"DepthwiseConv2dNativeBackpropInput", {"input_sizes"}},
    {"DynamicStitch", {"indices"}},
    {"EuclideanNorm", {"reduction_indices"}},
    {"ExpandDims", {"dim"}},
    {"Fill", {"dims"}},
    {"GatherV2", {"axis"}},
    {"InvertPermutation", {"x", "y"}},
    {"LinSpace", {"start", "stop", "num", "output"}},
    {"LoopCond", {"input", "output"}},
    {"MatrixBandPart", {"num_lower", "num_upper"}},
    {"Max", {"reduction_indices"}},
    {"Mean", {"reduction_indices"}},
    {"Merge", {"value_index"}},
    {"Min", {"reduction_indices"}},
    {"MirrorPad", {"paddings"}},
    {"MirrorPadGrad", {"paddings"}},
    {"Multinomial", {"num_samples"}},
    {"OneHot", {"depth"}},
    {"Pad", {"paddings"}},
    {"PadV2", {"paddings"}},
    {"Prod", {"reduction_indices"}},
    {"RandomStandardNormal", {"shape"}},
    {"RandomUniform", {"shape"}},
    {"RandomUniformInt", {"shape", "minval", "maxval"}},
    {"Range", {"start", "limit", "delta", "output"}},
    {"Rank", {"output"}},
    {"Reshape", {"shape"}},
    {"Reverse", {"dims"}},
    {"ReverseV2", {"axis"}},
    {"ScatterNd", {"shape"}},
    {"Shape", {"output"}},
    {"ShapeN", {"output"}},
    {"Size", {"output"}},
    {"Slice", {"begin", "size"}},
    {"SpaceToBatchND", {"block_shape", "paddings"}},
    {"Split", {"split_dim"}},
    {"SplitV", {"size_splits", "split_dim"}},
    {"StackV2", {"max_size"}},
    {"StridedSlice", {"begin", "end", "strides"}},
    {"StridedSliceGrad", {"shape", "begin", "end", "strides"}},
    {"Sum", {"reduction_indices"}},
    {"Switch", {"pred"}},
    {"Tile", {"multiples"}},
    {"TopKV2", {"k"}},
    {"Transpose", {"perm"}},
    {"TruncatedNormal", {"shape"}},
    {"Unique", {"x", "y", "idx"}},
    {"UnsortedSegmentMax", {"num_segments"}},
    {"UnsortedSegmentMin", {"num_segments"}},
    {"UnsortedSegmentProd", {"num_segments"}},
    {"UnsortedSegmentSum", {"num_segments"}},
    {"VarIsInitializedOp", {"is_initialized"}},
    {"VariableShape", {"output"}},
};

// Ops whose int32 kernels have all on the host there: shapes, sizes, loop counters.
const std::vector<const char*> kForInt32 = {
    "Add",          "AddN",        "AddV2",        "Const",        "Enter",
    "Equal",        "Exit",        "ExpandDims",   "Fill",         "FloorDiv",
    "FloorMod",     "Greater",     "Identity",     "Less",         "LessEqual",
    "Max",          "Maximum",     "Merge",        "Min",          "Minimum",
    "Mul",          "NotEqual",    "Pack",         "Prod",         "Reshape",
    "Slice",        "Squeeze",     "StridedSlice", "StopGradient", "Sub",
    "StackPopV2",   "StackPushV2", "Sum",          "Switch",       "ZerosLike",
    "NextIteration"};

TEST(HostMemory, IsWhereTensorFlowHasIt) {
  for (const auto& [op, names] : kInTensorFlow) {
    const auto kernels = KernelsOf(op);
    EXPECT_FALSE(kernels.empty()) << op;
    for (const KernelDef* kernel : kernels) {
      EXPECT_EQ(kernel->host_memory, names) << op;
    }
  }
}

TEST(HostMemory, HoldsInt32) {
  for (const char* op : kForInt32) {
    for (const KernelDef* kernel : KernelsOf(op)) {
      EXPECT_NE(kernel->host_memory_if_int32, "") << op;
    }
  }
}

// Each name that a kernel gives is one of its op, and says something.
TEST(HostMemory, NamesArgumentsOfTheOp) {
  for (const std::string& op : OpsWithKernels()) {
    if (Ops().Find(op) == nullptr || op.starts_with("KernelTest")) continue;
    std::vector<std::string> names;
    for (const ArgDef& arg : FindOp(op).inputs) names.push_back(arg.name);
    for (const ArgDef& arg : FindOp(op).outputs) names.push_back(arg.name);
    for (const KernelDef* kernel : KernelsOf(op)) {
      for (const std::string& name : kernel->host_memory) {
        EXPECT_EQ(std::ranges::count(names, name), 1) << op << ": " << name;
      }
    }
  }
}

}  // namespace
}  // namespace minitf
