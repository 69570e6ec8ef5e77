// Tests of sparse tensors in three parts: cutting, stacking, and the map they wait in.

#include "minitf/contrib/sparse/sparse_rows.h"

#include "gtest/gtest.h"
#include "minitf/contrib/sparse/sparse_tensors.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

template <typename T>
std::vector<T> ListOf(const Tensor& tensor) {
  const auto elements = tensor.flat<T>();
  return {elements.begin(), elements.end()};
}

using Numbers = std::vector<int64_t>;

// A sparse tensor of values 10, 11 and so on.
SparseParts Sparse(const Numbers& places, const Numbers& sizes) {
  const auto rank = std::ssize(sizes);
  const auto count = std::ssize(places) / rank;
  std::vector<int32_t> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<int32_t>(10 + i);
  return {Tensor::Of<int64_t>({count, rank}, places),
          Tensor::Of<int32_t>({count}, values), Tensor::Of<int64_t>({rank}, sizes)};
}

TEST(SparseRows, HaveThePlacesBehindTheFirstNumber) {
  const auto rows = RowsOf(Sparse({0, 1, 2, 0, 2, 3}, {3, 4}));
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(ListOf<int64_t>(rows[0].indices), Numbers({1}));
  EXPECT_EQ(rows[1].indices.shape(), Shape({0, 1}));
  EXPECT_EQ(ListOf<int64_t>(rows[2].indices), Numbers({0, 3}));
  EXPECT_EQ(ListOf<int32_t>(rows[2].values), std::vector<int32_t>({11, 12}));
  for (const SparseParts& row : rows) EXPECT_EQ(ListOf<int64_t>(row.shape), Numbers({4}));
}

TEST(SparseRows, ComeBackWhenStacked) {
  const SparseParts whole = Sparse({0, 1, 5, 2, 0, 0, 2, 3, 1}, {4, 4, 6});
  const SparseParts again = StackedRows(RowsOf(whole), DType::kInt32);
  EXPECT_EQ(ListOf<int64_t>(again.indices), ListOf<int64_t>(whole.indices));
  EXPECT_EQ(ListOf<int32_t>(again.values), ListOf<int32_t>(whole.values));
  EXPECT_EQ(ListOf<int64_t>(again.shape), ListOf<int64_t>(whole.shape));
}

TEST(SparseRows, AreStackedAsLongAsTheLongest) {
  const std::vector<SparseParts> rows = {Sparse({1, 2}, {2, 9}), Sparse({0, 0}, {7, 1})};
  const SparseParts whole = StackedRows(rows, DType::kInt32);
  EXPECT_EQ(ListOf<int64_t>(whole.indices), Numbers({0, 1, 2, 1, 0, 0}));
  EXPECT_EQ(ListOf<int64_t>(whole.shape), Numbers({2, 7, 9}));
}

TEST(SparseRows, AreNotStackedBeyondTheLargestShape) {
  constexpr int64_t kLong = int64_t{1} << 40;
  const std::vector<SparseParts> rows = {Sparse({}, {kLong, 1}), Sparse({}, {1, kLong})};
  EXPECT_NE(MessageOf([&] { StackedRows(rows, DType::kInt32); }), "");
}

TEST(SparseRows, MayHaveNoAxisLeft) {
  const auto scalar = StackedRows({{Sparse({}, {3}), Sparse({2}, {3})}}, DType::kInt32);
  EXPECT_EQ(ListOf<int64_t>(scalar.indices), Numbers({1, 2}));
  EXPECT_EQ(RowsOf(Sparse({}, {0, 4})).size(), 0);
}

TEST(SparseRows, ManyWithoutAValueAreRefused) {
  EXPECT_EQ(RowsOf(Sparse({0, 1}, {kMostEmptyRows + 1, 4})).size(), kMostEmptyRows + 1);
  EXPECT_EQ(MessageOf([] {
              RowsOf(Sparse({0, 1}, {kMostEmptyRows + 2, 4}));
            }),
            StrCat("of ", kMostEmptyRows + 2, " rows ", kMostEmptyRows + 1,
                   " hold no value, at most ", kMostEmptyRows, " may"));
}

TEST(SparseRows, MustBeInOrderAndWithinTheShape) {
  EXPECT_EQ(MessageOf([] {
              RowsOf(Sparse({2, 1, 1, 1}, {3, 4}));
            }),
            "indices[1] = [1,1] is out of order: it comes after row 2; tf.sparse_reorder "
            "puts places in order");
  EXPECT_EQ(MessageOf([] {
              RowsOf(Sparse({3, 1}, {3, 4}));
            }),
            "indices[0] = [3,1] is out of bounds: need 0 <= index < [3,4]");
  EXPECT_EQ(MessageOf([] { RowsOf(Sparse({3}, {4})); }),
            "rank of input SparseTensor should be > 1, but saw rank: 1");
}

TEST(SparseTensorsMap, GivesEachTensorOnce) {
  SparseTensorsMap map("m");
  const auto handles = map.Add({Sparse({1}, {2}), Sparse({0, 1}, {2})});
  EXPECT_EQ(handles, Numbers({0, 1}));
  EXPECT_EQ(map.DebugString(), "map of SparseTensors 'm' of 2");
  EXPECT_EQ(map.Take(Numbers({1}))[0].values.num_elements(), 2);
  EXPECT_EQ(MessageOf([&] { map.Take(Numbers({1})); }),
            "unable to find SparseTensor 1 in map 'm', which has 1");
  EXPECT_EQ(map.Add({Sparse({1}, {2})}), Numbers({2}));
}

TEST(SparseTensorsMap, TakesAllOrNothing) {
  SparseTensorsMap map("m");
  (void)map.Add({Sparse({1}, {2}), Sparse({0, 1}, {2})});
  EXPECT_EQ(MessageOf([&] {
              map.Take(Numbers({0, 1, 0}));
            }),
            "unable to find SparseTensor 0 in map 'm', which has 2");
  EXPECT_EQ(map.Take(Numbers({1, 0}))[1].values.num_elements(), 1);
  EXPECT_EQ(map.size(), 0);
}

}  // namespace
}  // namespace minitf
