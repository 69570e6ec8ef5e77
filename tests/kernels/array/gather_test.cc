// Gather, GatherV2, GatherNd, ScatterNd.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor GatherV2(const Tensor& params, const Tensor& indices, int32_t axis,
                int64_t batch_dims = 0) {
  return OutputOf("GatherV2", {params, indices, Tensor::Scalar(axis)},
                  {{"batch_dims", batch_dims}});
}

TEST(GatherV2, TakesSlicesAlongAnAxis) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(AllClose(GatherV2(x, Ints({1, 0, 1}), 0),
                       Numbers({3, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5})));
  EXPECT_TRUE(AllClose(GatherV2(x, Ints({2, 0}), 1), Numbers({2, 2}, {2, 0, 5, 3})));
  EXPECT_TRUE(AllClose(GatherV2(x, Ints({2, 0}), -1), Numbers({2, 2}, {2, 0, 5, 3})));
  EXPECT_TRUE(AllClose(GatherV2(x, Tensor::Scalar(1), 0), Numbers({3}, {3, 4, 5})));
  EXPECT_EQ(GatherV2(x, Ints({}), 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(GatherV2(x, Tensor::Of<int64_t>({2, 1}, {0, 1}), 1).shape(),
            (Shape{2, 2, 1}));
  EXPECT_TRUE(AllClose(OutputOf("Gather", {x, Ints({1})}), Numbers({1, 3}, {3, 4, 5})));
}

TEST(GatherV2, RunsBatchesTogether) {
  const Tensor x = Counting({2, 3});
  const Tensor indices = Tensor::Of<int32_t>({2, 2}, {2, 0, 1, 1});
  EXPECT_TRUE(AllClose(GatherV2(x, indices, 1, 1), Numbers({2, 2}, {2, 0, 4, 4})));
}

TEST(GatherV2, NamesTheIndexThatIsOutside) {
  const Tensor x = Counting({5});
  const auto error = [&](const Tensor& indices) {
    return ErrorOf("GatherV2", {x, indices, Tensor::Scalar(0)});
  };
  EXPECT_TRUE(Says(error(Ints({0, 7})), "indices[1] = 7 is not in [0, 5)"));
  EXPECT_TRUE(Says(error(Tensor::Of<int32_t>({2, 2}, {0, 1, 2, -1})),
                   "indices[1,1] = -1 is not in [0, 5)"));
  EXPECT_TRUE(Says(error(Tensor::Scalar(5)), "indices = 5 is not in [0, 5)"));
  EXPECT_NE(ErrorOf("GatherV2", {x, Ints({0}), Tensor::Scalar(1)}), "");
  EXPECT_NE(ErrorOf("GatherV2", {Tensor::Scalar(1.0), Ints({0}), Tensor::Scalar(0)}), "");
}

TEST(GatherV2, MovesStringsAndBools) {
  EXPECT_EQ(Strings(GatherV2(Tensor::Of<std::string>({2}, {"a", "b"}), Ints({1, 1}), 0)),
            (std::vector<std::string>{"b", "b"}));
  EXPECT_TRUE(GatherV2(Tensor::Of<bool>({2}, {false, true}), Tensor::Scalar(1), 0)
                  .scalar<bool>());
}

TEST(GatherNd, ReadsPlaces) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(
      AllClose(OutputOf("GatherNd", {x, Tensor::Of<int32_t>({2, 2}, {1, 2, 0, 1})}),
               Numbers({2}, {5, 1})));
  EXPECT_TRUE(AllClose(OutputOf("GatherNd", {x, Tensor::Of<int32_t>({1, 1}, {1})}),
                       Numbers({1, 3}, {3, 4, 5})));
  EXPECT_TRUE(AllClose(OutputOf("GatherNd", {x, Tensor(DType::kInt32, {0})}), x));
  EXPECT_TRUE(Says(ErrorOf("GatherNd", {x, Tensor::Of<int32_t>({1, 2}, {1, 3})}),
                   "indices[0] = [1, 3] does not index into shape [2,3]"));
  EXPECT_TRUE(Says(ErrorOf("GatherNd", {x, Tensor(DType::kInt32, {1, 3})}),
                   "index innermost dimension length must be <= params rank; saw: 3 vs. "
                   "2"));
}

TEST(ScatterNd, AddsWhatComesTwice) {
  EXPECT_TRUE(AllClose(OutputOf("ScatterNd", {Tensor::Of<int32_t>({3, 1}, {2, 0, 2}),
                                              Numbers({3}, {1, 10, 100}), Ints({4})}),
                       Numbers({4}, {10, 0, 101, 0})));
  EXPECT_TRUE(Says(ErrorOf("ScatterNd", {Tensor::Of<int32_t>({1, 1}, {8}),
                                         Numbers({1}, {1}), Ints({4})}),
                   "indices[0] = [8] does not index into shape [4]"));
  EXPECT_NE(ErrorOf("ScatterNd",
                    {Tensor::Of<int32_t>({1, 1}, {0}), Numbers({2}, {1, 2}), Ints({4})}),
            "");
  EXPECT_NE(ErrorOf("ScatterNd",
                    {Tensor::Of<int32_t>({1, 1}, {0}), Numbers({1}, {1}), Ints({0})}),
            "");
}

}  // namespace
}  // namespace minitf::testing
