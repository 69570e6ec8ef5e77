// Tests of tensors as messages: golden bytes, round trips of every type, hostile claims.

#include "minitf/io/messages/tensor_proto.h"

#include <complex>

#include "gtest/gtest.h"
#include "minitf/protos/tensor.pb.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

Tensor RoundTrip(const Tensor& tensor) {
  proto::TensorProto message;
  TensorToProto(tensor, &message);
  Expansion none{0};
  return TensorFromProto(message, &none);
}

TEST(TensorProto, ASingleElementStandsInTheListOfItsType) {
  proto::TensorProto message;
  TensorToProto(Tensor::Scalar(2.5F), &message);
  // dtype DT_FLOAT, an empty shape, float_val [2.5]: what TensorFlow writes.
  EXPECT_EQ(message.SerializeAsString(),
            std::string("\x08\x01\x12\x00\x2a\x04\x00\x00\x20\x40", 10));
}

TEST(TensorProto, MoreElementsStandInTheContent) {
  proto::TensorProto message;
  TensorToProto(Tensor::Of<int32_t>({2}, {1, 258}), &message);
  EXPECT_EQ(message.tensor_content(), std::string("\x01\0\0\0\x02\x01\0\0", 8));
  EXPECT_EQ(message.int_val_size(), 0);
}

template <typename T>
void ExpectRoundTrip(const std::vector<T>& values) {
  const Tensor many =
      RoundTrip(Tensor::Of<T>({static_cast<int64_t>(values.size())}, values));
  ASSERT_EQ(many.dtype(), DTypeOf<T>());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(many.flat<T>()[i], values[i]);
    EXPECT_EQ(RoundTrip(Tensor::Scalar<T>(values[i])).template scalar<T>(), values[i]);
  }
}

TEST(TensorProto, EveryTypeComesBack) {
  ExpectRoundTrip<float>({-1.5F, 3e38F});
  ExpectRoundTrip<double>({-1.5, 1e300});
  ExpectRoundTrip<int8_t>({-128, 127});
  ExpectRoundTrip<int16_t>({-32768, 32767});
  ExpectRoundTrip<int32_t>({-5, 1 << 30});
  ExpectRoundTrip<int64_t>({-5, int64_t{1} << 60});
  ExpectRoundTrip<uint8_t>({0, 255});
  ExpectRoundTrip<uint16_t>({0, 65535});
  ExpectRoundTrip<uint32_t>({0, 4294967295U});
  ExpectRoundTrip<uint64_t>({0, ~uint64_t{0}});
  ExpectRoundTrip<complex64>({{1, -2}, {3, 4}});
  ExpectRoundTrip<complex128>({{1, -2}, {3, 4}});
  ExpectRoundTrip<std::string>({"", std::string("a\0b", 3)});
  const Tensor bools = RoundTrip(Tensor::Of<bool>({2}, {true, false}));
  EXPECT_TRUE(bools.flat<bool>()[0]);
  EXPECT_FALSE(bools.flat<bool>()[1]);
}

TEST(TensorProto, HalvesTravelAsTheirBits) {
  proto::TensorProto message;
  message.set_dtype(proto::DT_HALF);
  message.add_half_val(0x3c00);  // 1.0
  Expansion expansion;
  const Tensor one = TensorFromProto(message, &expansion);
  EXPECT_EQ(*static_cast<const uint16_t*>(one.data()), 0x3c00);
  proto::TensorProto again;
  TensorToProto(one, &again);
  EXPECT_EQ(again.half_val(0), 0x3c00);
}

proto::TensorProto OfShape(const std::vector<int64_t>& sizes) {
  proto::TensorProto message;
  message.set_dtype(proto::DT_FLOAT);
  for (const int64_t size : sizes)
    message.mutable_tensor_shape()->add_dim()->set_size(size);
  return message;
}

TEST(TensorProto, TheLastElementStandsForThoseThatAreMissing) {
  auto message = OfShape({2, 2});
  message.add_float_val(1);
  message.add_float_val(7);
  Expansion expansion{8};
  const Tensor tensor = TensorFromProto(message, &expansion);
  EXPECT_EQ(tensor.flat<float>()[0], 1);
  EXPECT_EQ(tensor.flat<float>()[3], 7);
  EXPECT_EQ(expansion.bytes_left, 0U);
}

TEST(TensorProto, AShapeAloneMakesNoHugeTensor) {
  auto message = OfShape({1 << 20, 1 << 20});
  message.add_float_val(1);
  Expansion expansion;
  EXPECT_NE(MessageOf([&] {
              TensorFromProto(message, &expansion);
            }).find("elements more than its message holds"),
            std::string::npos);
  message = OfShape({int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_NE(MessageOf([&] { TensorFromProto(message, &expansion); }), "");
}

TEST(TensorProto, WhatMakesNoSenseIsRefused) {
  Expansion expansion;
  const auto refused = [&](const proto::TensorProto& message) {
    return MessageOf([&] { TensorFromProto(message, &expansion); });
  };
  EXPECT_EQ(refused(OfShape({-2})), "a shape has the size -2");
  EXPECT_EQ(refused(OfShape({-1})),
            "a tensor has the shape [?], which is not fully known");
  auto message = OfShape({3});
  message.set_tensor_content("12345678");
  EXPECT_EQ(refused(message),
            "a tensor of float32 [3] has 8 bytes of tensor_content, not 3 * 4");
  message.set_dtype(proto::DT_QINT8);
  EXPECT_EQ(refused(message),
            "a tensor has the element type number 11, which minitf does not have");
  message.set_dtype(static_cast<proto::DataType>(-7));
  EXPECT_NE(refused(message), "");
  message.set_dtype(proto::DT_RESOURCE);
  EXPECT_EQ(refused(message), "a tensor of resources cannot be read from bytes");
}

TEST(TensorProto, AByteThatIsNoBoolBecomesOne) {
  auto message = OfShape({3});
  message.set_dtype(proto::DT_BOOL);
  message.set_tensor_content(std::string("\x00\x02\xff", 3));
  Expansion expansion;
  const Tensor tensor = TensorFromProto(message, &expansion);
  const auto* const bytes = static_cast<const uint8_t*>(tensor.data());
  EXPECT_EQ((std::vector<int>{bytes[0], bytes[1], bytes[2]}),
            (std::vector<int>{0, 1, 1}));
}

}  // namespace
}  // namespace minitf
