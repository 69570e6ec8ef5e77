// Tensors: who shares elements with whom, who frees them, and what does not fit.

#include "minitf/tensor/tensor.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace minitf {
namespace {

TEST(Tensor, HoldsValuesRowByRow) {
  const Tensor t = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.dtype(), DType::kFloat32);
  EXPECT_EQ(t.rank(), 2);
  EXPECT_EQ(t.num_bytes(), 24U);
  EXPECT_EQ(t.flat<float>()[1 * 3 + 2], 6);
}

TEST(Tensor, IsAlignedToACacheLine) {
  for (const int64_t size : {1, 3, 100, 5000}) {
    const Tensor t(DType::kUint8, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % 64, 0U);
  }
}

TEST(Tensor, CopySharesElementsAndCloneDoesNot) {
  Tensor a = Tensor::Of<int32_t>({2}, {1, 2});
  const Tensor copy = a;
  const Tensor clone = a.Clone();
  EXPECT_FALSE(a.OwnsBuffer());
  a.mutable_flat<int32_t>()[0] = 7;
  EXPECT_EQ(copy.flat<int32_t>()[0], 7);
  EXPECT_EQ(clone.flat<int32_t>()[0], 1);
  EXPECT_TRUE(copy.SharesBufferWith(a));
  EXPECT_FALSE(clone.SharesBufferWith(a));
  EXPECT_TRUE(clone.OwnsBuffer());
}

TEST(Tensor, LastCopyFreesTheElements) {
  const int64_t before = CpuAllocator().stats().bytes_in_use;
  {
    const Tensor a(DType::kFloat64, {1000});
    const Tensor b = a.Reshaped({10, 100});
    const Tensor c = b.Slice(2, 4);
    EXPECT_GE(CpuAllocator().stats().bytes_in_use, before + 8000);
  }
  EXPECT_EQ(CpuAllocator().stats().bytes_in_use, before);
}

TEST(Tensor, BorrowedMemoryIsGivenBackOnce) {
  int returned = 0;
  float memory[2] = {1, 2};
  {
    const Tensor a = Tensor::Borrowed(DType::kFloat32, {2}, memory, [&] { ++returned; });
    const Tensor b = a;
    EXPECT_EQ(b.data(), memory);
    EXPECT_FALSE(a.OwnsBuffer());
  }
  EXPECT_EQ(returned, 1);
}

TEST(Tensor, SliceLooksIntoTheSameElements) {
  const Tensor t = Tensor::Of<double>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor rows = t.Slice(1, 3);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_EQ(rows.flat<double>()[0], 3);
  EXPECT_EQ(t.Slice(3, 3).num_elements(), 0);
  EXPECT_THROW((void)t.Slice(2, 4), Error);
}

TEST(Tensor, HoldsStringsOfAnyLength) {
  const std::string zero_inside("a\0b", 3);
  const Tensor t = Tensor::Of<std::string>({2}, {zero_inside, std::string(1000, 'x')});
  const Tensor clone = t.Clone();
  EXPECT_EQ(clone.flat<std::string>()[0], zero_inside);
  EXPECT_EQ(clone.flat<std::string>()[1].size(), 1000U);
}

TEST(Tensor, WithoutElementsIsLegal) {
  const Tensor t(DType::kFloat32, {0, 2, 3, 3});
  EXPECT_EQ(t.num_elements(), 0);
  EXPECT_TRUE(t.flat<float>().empty());
  EXPECT_EQ(t.Clone().shape(), t.shape());
}

TEST(Tensor, TooLargeIsAnErrorNotACrash) {
  try {
    const Tensor t(DType::kFloat32, {int64_t{1} << 40});
    FAIL() << "4 TiB were allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kResourceExhausted);
    EXPECT_STREQ(error.what(), "no memory for 1099511627776 elements of float32");
  }
  EXPECT_THROW(Tensor(DType::kFloat64, {int64_t{1} << 62}), Error);
}

TEST(Tensor, SaysWhatDoesNotFit) {
  const Tensor t = Tensor::Of<float>({2}, {1, 2});
  EXPECT_THROW((void)t.flat<double>(), Error);
  EXPECT_THROW((void)t.Reshaped({3}), Error);
  EXPECT_THROW((void)t.scalar<float>(), Error);
  EXPECT_THROW(Tensor::Of<float>({3}, {1, 2}), Error);
}

TEST(DType, HasTensorFlowsNumbersAndNames) {
  EXPECT_EQ(static_cast<int>(DType::kFloat16), 19);
  EXPECT_EQ(NameOf(DType::kFloat16), "float16");
  EXPECT_EQ(DTypeFromName("half"), DType::kFloat16);
  EXPECT_EQ(DTypeFromName("float"), DType::kFloat32);
  EXPECT_EQ(DTypeFromName("float33"), DType::kInvalid);
  EXPECT_EQ(SizeOf(DType::kComplex128), 16U);
  EXPECT_EQ(SizeOf(DType::kResource), sizeof(std::shared_ptr<void>));
}

TEST(ElementsText, ShowsTheFirstElementsOrAll) {
  const Tensor x = Tensor::Of<int32_t>({3}, {4, 5, 6});
  EXPECT_EQ(x.ElementsText(2), "4 5...");
  EXPECT_EQ(x.ElementsText(3), "4 5 6");
  EXPECT_EQ(x.ElementsText(-1), "4 5 6");
  EXPECT_EQ(x.ElementsText(0), "...");
  const Tensor text = Tensor::Scalar<std::string>("a\"b");
  EXPECT_EQ(text.ElementsText(1), R"("a\"b")");
  EXPECT_EQ(text.ElementText(0, /*is_quoted=*/false), "a\\\"b");
}

TEST(DebugString, ShowsTypeShapeAndFirstElements) {
  EXPECT_EQ(Tensor::Of<int32_t>({3}, {4, 5, 6}).DebugString(2),
            "Tensor<int32 [3]: 4 5...>");
  EXPECT_EQ(Tensor().DebugString(), "Tensor<no value>");
}

}  // namespace
}  // namespace minitf
