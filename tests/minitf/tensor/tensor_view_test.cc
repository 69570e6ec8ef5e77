// Views: which elements they show, that they share them, and what they refuse.
//
// Random programs of slices, transposes and so on are run on a view and on an oracle that
// knows no strides: a list with an element for every index, made anew by each step.

#include "minitf/tensor/tensor_view.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/text.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;
using Index = std::vector<int64_t>;

Tensor Counting(const Shape& shape) {
  Tensor result(DType::kInt32, shape);
  const auto elements = result.mutable_flat<int32_t>();
  std::iota(elements.begin(), elements.end(), 0);
  return result;
}

std::vector<int32_t> ElementsOf(const TensorView& view) {
  const Tensor compact = view.Compact();
  const auto elements = compact.flat<int32_t>();
  return {elements.begin(), elements.end()};
}

TEST(TensorView, ShowsWhatItsHeaderSays) {
  const TensorView x(Counting({2, 3}));
  EXPECT_EQ(ElementsOf(x.Transpose(std::vector<int>{1, 0})),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(ElementsOf(x.Slice(1, 1, 1, 2)), (std::vector<int32_t>{1, 2, 4, 5}));
  EXPECT_EQ(ElementsOf(x.Reverse(0)), (std::vector<int32_t>{3, 4, 5, 0, 1, 2}));
  const TensorView row = x.Slice(0, 1, 1, 1).Expand({4, 3});
  EXPECT_EQ(ElementsOf(row), (std::vector<int32_t>{3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(row.layout().offset(), 3);
  EXPECT_EQ(row.layout().strides()[0], 0);
  EXPECT_EQ(x.Reverse(0).layout().strides()[0], -3);
}

TEST(TensorView, SharesElementsBothWays) {
  Tensor x = Counting({2, 3});
  TensorView y = TensorView(x).Transpose(std::vector<int>{1, 0}).Reverse(0);
  y.At<int32_t>({0, 1}) = 77;  // column 2, row 1
  EXPECT_EQ(x.flat<int32_t>()[5], 77);
  x.mutable_flat<int32_t>()[0] = 66;
  EXPECT_EQ(y.At<int32_t>({2, 0}), 66);
  EXPECT_TRUE(y.tensor().SharesBufferWith(x));
}

TEST(TensorView, KeepsTheTensorAlive) {
  const int64_t before = CpuAllocator().stats().bytes_in_use;
  {
    const TensorView y = TensorView(Counting({100, 100})).Slice(0, 3, 1, 1);
    EXPECT_EQ(y.Compact().flat<int32_t>()[0], 300);
    EXPECT_GE(CpuAllocator().stats().bytes_in_use, before + 40000);
  }
  EXPECT_EQ(CpuAllocator().stats().bytes_in_use, before);
}

TEST(TensorView, CompactsOnlyWhatHasGaps) {
  const TensorView x(Counting({4, 3}));
  EXPECT_TRUE(x.Compact().SharesBufferWith(x.tensor()));
  const TensorView rows = x.Slice(0, 1, 1, 2);
  EXPECT_TRUE(rows.Compact().SharesBufferWith(x.tensor()));
  EXPECT_EQ(rows.Compact().flat<int32_t>()[0], 3);
  EXPECT_FALSE(x.Slice(1, 0, 1, 2).Compact().SharesBufferWith(x.tensor()));
  EXPECT_FALSE(x.Reverse(0).Compact().SharesBufferWith(x.tensor()));
  // One column of one row has no neighbours, whatever its strides.
  EXPECT_TRUE(x.Slice(0, 3, 1, 1).Slice(1, 2, 1, 1).layout().IsContiguous());
}

TEST(TensorView, HoldsStrings) {
  const TensorView x(Tensor::Of<std::string>({3}, {"a", "b", std::string(100, 'c')}));
  const Tensor reversed = x.Reverse(0).Compact();
  EXPECT_EQ(reversed.flat<std::string>()[0].size(), 100U);
  EXPECT_EQ(reversed.flat<std::string>()[2], "a");
}

TEST(TensorView, ReshapesWhereStridesAllowIt) {
  const TensorView x(Counting({2, 3, 4}));
  EXPECT_TRUE(x.Reshape({6, 4}).has_value());
  // Every other row of 4: rows can be split, but not joined.
  const TensorView rows = TensorView(Counting({6, 4})).Slice(0, 0, 2, 3);
  EXPECT_TRUE(rows.Reshape({3, 2, 2}).has_value());
  EXPECT_FALSE(rows.Reshape({12}).has_value());
  const TensorView transposed = x.Transpose(std::vector<int>{0, 2, 1});
  EXPECT_FALSE(transposed.Reshape({24}).has_value());
  EXPECT_FALSE(transposed.Reshape({2, 12}).has_value());
  EXPECT_TRUE(transposed.Reshape({2, 2, 2, 1, 3}).has_value());
  // What repeats one element is one axis.
  const TensorView repeated = TensorView(Counting({1, 1})).Expand({3, 4});
  EXPECT_TRUE(repeated.Reshape({12}).has_value());
  EXPECT_TRUE(TensorView(Counting({0, 5})).Reshape({7, 0, 2}).has_value());
}

TEST(TensorView, ZeroStrideWalksOverNothing) {
  const TensorView scalar(Counting({}));
  EXPECT_EQ(scalar.Expand({2, 0, 3}).Compact().num_elements(), 0);
  EXPECT_EQ(ElementsOf(scalar.Expand({2, 2})), (std::vector<int32_t>{0, 0, 0, 0}));
  EXPECT_EQ(scalar.Reshape({1, 1})->shape(), (Shape{1, 1}));
}

TEST(TensorView, MayBeHugeInOneAxisWhenAnotherIsEmpty) {
  const StridedLayout layout(Shape({int64_t{1} << 62, 4, 0}));
  EXPECT_TRUE(layout.IsContiguous());
  EXPECT_EQ(layout.strides()[0], 0);
  EXPECT_EQ(layout.Reverse(0).Slice(0, (int64_t{1} << 62) - 1, -1, 3).sizes()[0], 3);
  EXPECT_EQ(layout.Transpose(std::vector<int>{2, 0, 1}).sizes()[0], 0);
}

TEST(TensorView, RefusesWhatIsOutside) {
  const StridedLayout x(Shape{2, 3});
  const auto slice = [&](int axis, int64_t begin, int64_t step, int64_t size) {
    return MessageOf([&] { (void)x.Slice(axis, begin, step, size); });
  };
  EXPECT_EQ(slice(1, 1, 2, 2),
            "a slice of 2 elements from 1 on in steps of 2 leaves axis 1 of a view of "
            "shape [2,3]");
  EXPECT_EQ(slice(1, 0, 2, 2), "");
  EXPECT_EQ(slice(1, 2, -2, 2), "");
  EXPECT_NE(slice(1, 2, -2, 3), "");
  EXPECT_NE(slice(1, 3, 1, 1), "");
  EXPECT_NE(slice(1, -1, 1, 1), "");
  EXPECT_NE(slice(1, 0, 0, 2), "");
  EXPECT_NE(slice(1, 0, 1, -1), "");
  EXPECT_NE(slice(1, 2, INT64_MIN, 2), "");
  EXPECT_EQ(slice(1, 2, INT64_MIN, 1), "");
  EXPECT_EQ(slice(1, 5, 1, 0), "");  // nothing is taken, from anywhere
  EXPECT_EQ(slice(2, 0, 1, 1), "no axis 2 in a view of shape [2,3]");
  EXPECT_EQ(MessageOf([&] { (void)x.Reverse(-1); }),
            "no axis -1 in a view of shape [2,3]");
}

TEST(TensorView, RefusesWhatDoesNotFit) {
  const StridedLayout x(Shape{2, 3});
  const auto transpose = [&](const std::vector<int>& perm) {
    return MessageOf([&] { (void)x.Transpose(perm); });
  };
  EXPECT_EQ(transpose({0, 0}), "[0,0] is no order of the axes of shape [2,3]");
  EXPECT_NE(transpose({0}), "");
  EXPECT_NE(transpose({0, 2}), "");
  EXPECT_NE(transpose({-1, 0}), "");
  const auto expand = [&](const Shape& shape) {
    return MessageOf([&] { (void)x.Expand(shape); });
  };
  EXPECT_EQ(expand({2, 4}), "shape [2,3] does not expand to [2,4]");
  EXPECT_NE(expand({3}), "");
  EXPECT_NE(expand({2, 3, 1}), "");
  EXPECT_NE(expand({2, 0}), "");
  EXPECT_EQ(MessageOf([&] { (void)x.Reshape({4}); }),
            "shape [2,3] of 6 elements cannot become [4] of 4");
  const auto place = [&](const Index& index) {
    return MessageOf([&] { (void)x.PlaceOf(index); });
  };
  EXPECT_EQ(place({2, 0}), "index [2,0] is outside of a view of shape [2,3]");
  EXPECT_NE(place({0, -1}), "");
  EXPECT_NE(place({0}), "");
}

// ---- Random programs ------------------------------------------------------------------

// All elements in the order of their indices. Each step asks, for every index of its
// result, which index of the old list it comes from.
struct Oracle {
  Index sizes;
  std::vector<int32_t> elements;

  int64_t NumberOf(const Index& index) const {
    int64_t number = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      number = number * sizes[axis] + index[axis];
    }
    return number;
  }

  template <typename Source>
  void Become(const Index& new_sizes, const Source& source) {
    Oracle result{new_sizes, {}};
    const int64_t count = Shape(new_sizes).num_elements();
    for (int64_t i = 0; i < count; ++i) {
      Index index(new_sizes.size());
      int64_t rest = i;
      for (size_t axis = new_sizes.size(); axis-- > 0;) {
        index[axis] = rest % new_sizes[axis];
        rest /= new_sizes[axis];
      }
      result.elements.push_back(elements[NumberOf(source(index))]);
    }
    *this = std::move(result);
  }
};

// A view and its oracle, with one random step after the other.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed), view_(Tensor()) {
    Index sizes(Below(7));
    for (int64_t& size : sizes) size = Below(12) == 0 ? 0 : 1 + Below(4);
    const Tensor x = Counting(Shape(sizes));
    const auto elements = x.flat<int32_t>();
    view_ = TensorView(x);
    oracle_ = {sizes, {elements.begin(), elements.end()}};
  }

  void Step() {
    switch (Below(5)) {
      case 0: return Slice();
      case 1: return Transpose();
      case 2: return Expand();
      case 3: return Reverse();
      default: return Reshape();
    }
  }

  void Check() const {
    ASSERT_EQ(view_.shape(), Shape(oracle_.sizes)) << text_;
    ASSERT_EQ(ElementsOf(view_), oracle_.elements) << text_;
  }

  const std::string& text() const { return text_; }

 private:
  int64_t Below(int64_t limit) { return static_cast<int64_t>(random_() % limit); }
  int rank() const { return static_cast<int>(oracle_.sizes.size()); }

  void Slice() {
    if (rank() == 0) return;
    const auto axis = static_cast<int>(Below(rank()));
    const int64_t limit = oracle_.sizes[axis];
    const int64_t begin = limit == 0 ? 0 : Below(limit);
    const int64_t step = (1 + Below(3)) * (Below(2) == 0 ? 1 : -1);
    const int64_t room = step > 0 ? limit - 1 - begin : begin;
    const int64_t size = limit == 0 ? 0 : Below(room / std::abs(step) + 2);
    text_ += StrCat(" slice(", axis, ",", begin, ",", step, ",", size, ")");
    view_ = view_.Slice(axis, begin, step, size);
    Index sizes = oracle_.sizes;
    sizes[axis] = size;
    oracle_.Become(sizes, [&](Index index) {
      index[axis] = begin + index[axis] * step;
      return index;
    });
  }

  void Transpose() {
    std::vector<int> perm(rank());
    std::iota(perm.begin(), perm.end(), 0);
    for (int i = rank(); i > 1; --i) std::swap(perm[i - 1], perm[Below(i)]);
    text_ += StrCat(" transpose(", Join(perm, ","), ")");
    view_ = view_.Transpose(perm);
    Index sizes;
    for (const int axis : perm) sizes.push_back(oracle_.sizes[axis]);
    oracle_.Become(sizes, [&](const Index& index) {
      Index source(index.size());
      for (size_t i = 0; i < perm.size(); ++i) source[perm[i]] = index[i];
      return source;
    });
  }

  void Expand() {
    Index sizes = oracle_.sizes;
    for (int64_t& size : sizes) {
      if (size == 1 && Below(2) == 0) size = Below(4);
    }
    if (rank() < 6 && Below(2) == 0) sizes.insert(sizes.begin(), 1 + Below(2));
    text_ += StrCat(" expand(", Join(sizes, ","), ")");
    view_ = view_.Expand(Shape(sizes));
    const size_t added = sizes.size() - oracle_.sizes.size();
    oracle_.Become(sizes, [&](const Index& index) {
      Index source(index.begin() + static_cast<int64_t>(added), index.end());
      for (int axis = 0; axis < rank(); ++axis) {
        if (oracle_.sizes[axis] == 1) source[axis] = 0;
      }
      return source;
    });
  }

  void Reverse() {
    if (rank() == 0) return;
    const auto axis = static_cast<int>(Below(rank()));
    text_ += StrCat(" reverse(", axis, ")");
    view_ = view_.Reverse(axis);
    oracle_.Become(Index(oracle_.sizes), [&](Index index) {
      index[axis] = oracle_.sizes[axis] - 1 - index[axis];
      return index;
    });
  }

  // Splits or joins axes at random. A view that would have to be copied stays.
  void Reshape() {
    Index sizes;
    int64_t left = 1;
    for (const int64_t size : oracle_.sizes) left *= size;
    if (left == 0) return;
    while (left > 1 && sizes.size() < 6) {
      int64_t size = 1 + Below(left);
      while (left % size != 0) --size;
      sizes.push_back(sizes.size() == 5 ? left : size);
      left /= sizes.back();
    }
    text_ += StrCat(" reshape(", Join(sizes, ","), ")");
    const std::optional<TensorView> reshaped = view_.Reshape(Shape(sizes));
    if (reshaped.has_value()) {
      view_ = *reshaped;
      oracle_.sizes = sizes;
    } else {
      EXPECT_FALSE(view_.layout().IsContiguous()) << text_;
      EXPECT_FALSE(HasStrides(sizes)) << text_;
    }
  }

  // Whether strides exist that show all elements of the view in order under `sizes`. If
  // so, each is the distance from the first element to its neighbour along that axis.
  bool HasStrides(const Index& sizes) const {
    const StridedLayout& layout = view_.layout();
    std::vector<int64_t> places;
    Oracle numbers{oracle_.sizes, std::vector<int32_t>(oracle_.elements.size())};
    std::iota(numbers.elements.begin(), numbers.elements.end(), 0);
    numbers.Become(Index(oracle_.sizes), [&](const Index& index) {
      places.push_back(layout.PlaceOf(index));
      return index;
    });
    Index strides(sizes.size());
    int64_t step = 1;
    for (size_t axis = sizes.size(); axis-- > 0; step *= sizes[axis]) {
      strides[axis] = sizes[axis] == 1 ? 0 : places[step] - places[0];
    }
    for (int64_t i = 0; i < static_cast<int64_t>(places.size()); ++i) {
      int64_t place = places[0];
      int64_t rest = i;
      for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis]) {
        place += rest % sizes[axis] * strides[axis];
      }
      if (place != places[i]) return false;
    }
    return true;
  }

  std::mt19937 random_;
  TensorView view_;
  Oracle oracle_;
  std::string text_;
};

TEST(TensorView, FollowsTheOracleThroughRandomPrograms) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Program program(seed);
    for (int step = 0; step < 8; ++step) {
      program.Step();
      program.Check();
      if (HasFailure()) FAIL() << "seed " << seed << ":" << program.text();
    }
  }
}

}  // namespace
}  // namespace minitf
