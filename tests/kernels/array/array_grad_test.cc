// Gradients of array ops against finite differences; values are tested beside each op.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(ArrayGradient, OfReshapingOps) {
  const Tensor x = RandomTensor({2, 1, 3});
  EXPECT_TRUE(GradientAgrees("ExpandDims", {x, Tensor::Scalar(1)}));
  EXPECT_TRUE(GradientAgrees("Squeeze", {x}));
  EXPECT_TRUE(GradientAgrees("Transpose", {RandomTensor({2, 3, 4}), Ints({2, 0, 1})}));
  EXPECT_TRUE(GradientAgrees("ConjugateTranspose", {RandomTensor({2, 3}), Ints({1, 0})}));
  EXPECT_TRUE(GradientAgrees("SpaceToDepth", {RandomTensor({1, 4, 2, 3})},
                             {{"block_size", int64_t{2}}}));
  EXPECT_TRUE(GradientAgrees("DepthToSpace", {RandomTensor({1, 2, 1, 8})},
                             {{"block_size", int64_t{2}}}));
}

TEST(ArrayGradient, OfRepeatingOps) {
  EXPECT_TRUE(GradientAgrees("Tile", {RandomTensor({2, 3}), Ints({3, 2})}));
  EXPECT_TRUE(GradientAgrees("BroadcastTo", {RandomTensor({2, 1}), Ints({3, 2, 4})}));
  EXPECT_TRUE(GradientAgrees("Fill", {Ints({2, 3}), Tensor::Scalar(0.5)}));
}

TEST(ArrayGradient, OfJoiningOps) {
  const Tensor a = RandomTensor({2, 3}, 1);
  const Tensor b = RandomTensor({2, 2}, 2);
  EXPECT_TRUE(GradientAgrees("ConcatV2", {a, b, Tensor::Scalar(1)}));
  EXPECT_TRUE(GradientAgrees("ConcatV2", {a, b, Tensor::Scalar(int64_t{-1})}));
  EXPECT_TRUE(GradientAgrees("Concat", {Tensor::Scalar(1), a, b}));
  EXPECT_TRUE(
      GradientAgrees("Pack", {a, RandomTensor({2, 3}, 3)}, {{"axis", int64_t{1}}}));
  EXPECT_TRUE(GradientAgrees("Unpack", {a}, {{"num", int64_t{3}}, {"axis", int64_t{1}}}));
  EXPECT_TRUE(GradientAgrees("Split", {Tensor::Scalar(1), RandomTensor({2, 4})},
                             {{"num_split", int64_t{2}}}));
  EXPECT_TRUE(GradientAgrees("SplitV", {a, Ints({1, 2}), Tensor::Scalar(1)},
                             {{"num_split", int64_t{2}}}));
}

TEST(ArrayGradient, OfSlicingOps) {
  const Tensor x = RandomTensor({3, 4});
  EXPECT_TRUE(GradientAgrees("Slice", {x, Ints({1, 0}), Ints({2, 3})}));
  EXPECT_TRUE(GradientAgrees("StridedSlice",
                             {x, Ints({-1, 0}), Ints({0, 4}), Ints({-1, 2})},
                             {{"shrink_axis_mask", int64_t{0}}}));
  EXPECT_TRUE(GradientAgrees("StridedSliceGrad", {Ints({5}), Ints({1}), Ints({5}),
                                                  Ints({2}), RandomTensor({2})}));
  EXPECT_TRUE(GradientAgrees("ReverseV2", {x, Ints({0})}));
  EXPECT_TRUE(
      GradientAgrees("ReverseSequence", {x, Ints({3, 0, 2})}, {{"seq_dim", int64_t{1}}}));
}

TEST(ArrayGradient, OfPaddingOps) {
  const Tensor x = RandomTensor({3, 4});
  const Tensor paddings = Tensor::Of<int32_t>({2, 2}, {1, 2, 0, 1});
  EXPECT_TRUE(GradientAgrees("Pad", {x, paddings}));
  EXPECT_TRUE(GradientAgrees("PadV2", {x, paddings, Tensor::Scalar(0.5)}));
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    const Attrs attrs = {{"mode", std::string(mode)}};
    EXPECT_TRUE(GradientAgrees("MirrorPad", {x, paddings}, attrs));
    EXPECT_TRUE(GradientAgrees("MirrorPadGrad", {RandomTensor({6, 5}), paddings}, attrs));
  }
}

TEST(ArrayGradient, OfGatheringOps) {
  const Tensor x = RandomTensor({3, 4, 2});
  EXPECT_TRUE(GradientAgrees("Gather", {x, Ints({2, 0, 2})}));
  const Tensor matrix = Tensor::Of<int32_t>({2, 2}, {1, 0, 1, 1});
  for (const int32_t axis : {0, 1, 2, -2}) {
    EXPECT_TRUE(GradientAgrees("GatherV2", {x, matrix, Tensor::Scalar(axis)})) << axis;
  }
  EXPECT_TRUE(GradientAgrees("GatherNd", {x, matrix}));
  EXPECT_TRUE(
      GradientAgrees("ScatterNd", {matrix, RandomTensor({2, 3}), Ints({2, 2, 3})}));
}

}  // namespace
}  // namespace minitf::testing
