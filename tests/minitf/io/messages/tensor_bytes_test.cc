// Tests of tensors as bytes: golden ones of TensorFlow 2.21, and hostile ones.

#include "minitf/io/messages/tensor_bytes.h"

#include "gtest/gtest.h"
#include "minitf/base/quoted_bytes.h"
#include "minitf/protos/tensor.pb.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

using Strings = std::vector<std::string>;

Tensor Read(std::string_view bytes) {
  Expansion none{0};
  return TensorFromBytes(bytes, &none);
}

TEST(TensorBytes, NumbersStandInTheContent) {
  const std::string one("\x08\x01\x12\x00\x22\x04\x00\x00\x80\x3f", 10);
  EXPECT_EQ(TensorToBytes(Tensor::Scalar(1.0F), StringForm::kListed), one);
  EXPECT_EQ(Read(one).scalar<float>(), 1.0F);
  const std::string empty("\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03", 10);
  EXPECT_EQ(TensorToBytes(Tensor(DType::kFloat32, {0, 3}), StringForm::kPacked), empty);
  EXPECT_EQ(Read(empty).shape(), Shape({0, 3}));
}

TEST(TensorBytes, StringsAreListedOrPacked) {
  const Tensor words = Tensor::Of<std::string>({2}, {"abc", "d"});
  const std::string listed(
      "\x08\x07\x12\x04\x12\x02\x08\x02\x42\x03"
      "abc"
      "\x42\x01"
      "d");
  const std::string packed(
      "\x08\x07\x12\x04\x12\x02\x08\x02\x22\x06\x03\x01"
      "abcd");
  EXPECT_EQ(TensorToBytes(words, StringForm::kListed), listed);
  EXPECT_EQ(TensorToBytes(words, StringForm::kPacked), packed);
  for (const std::string& bytes : {listed, packed}) {
    const Tensor read = Read(bytes);
    const auto strings = read.flat<std::string>();
    EXPECT_EQ(Strings(strings.begin(), strings.end()), Strings({"abc", "d"}));
  }
}

TEST(TensorBytes, LongStringsHaveLengthsOfSeveralBytes) {
  const Tensor words = Tensor::Of<std::string>({3}, {std::string(300, 'x'), "", "y"});
  const Tensor again = Read(TensorToBytes(words, StringForm::kPacked));
  EXPECT_EQ(again.flat<std::string>()[0], std::string(300, 'x'));
  EXPECT_EQ(again.flat<std::string>()[1], "");
  EXPECT_EQ(again.flat<std::string>()[2], "y");
}

// What reading `count` strings packed in `content` says.
std::string PackedMessage(int64_t count, const std::string& content) {
  proto::TensorProto message;
  message.set_dtype(proto::DT_STRING);
  message.mutable_tensor_shape()->add_dim()->set_size(count);
  message.set_tensor_content(content);
  return MessageOf([&] { Read(message.SerializeAsString()); });
}

TEST(TensorBytes, PackedStringsMustFill) {
  EXPECT_EQ(PackedMessage(int64_t{1} << 40, "ab"),
            "a tensor of 1099511627776 strings has 2 bytes of tensor_content, which do "
            "not hold their lengths");
  EXPECT_EQ(PackedMessage(2, "\x01\x80"),
            "a tensor of 2 strings has lengths in tensor_content that cannot be read");
  EXPECT_EQ(PackedMessage(1,
                          "\x03"
                          "ab"),
            "a tensor of 1 strings with 3 bytes has 2 in tensor_content");
  EXPECT_EQ(PackedMessage(1,
                          "\x01"
                          "ab"),
            "a tensor of 1 strings with 1 bytes has 2 in tensor_content");
}

TEST(TensorBytes, MustBeAMessage) {
  EXPECT_EQ(MessageOf([] { Read("a\n"); }), "could not parse as a TensorProto: 'a\\x0a'");
  EXPECT_EQ(MessageOf([] { Read(""); }),
            "a tensor has the element type number 0, which minitf does not have");
}

TEST(QuotedBytes, EndsAfterAHundred) {
  EXPECT_EQ(QuotedBytes(std::string("a'\0\\", 4)), "'a\\x27\\x00\\x5c'");
  EXPECT_EQ(QuotedBytes(std::string(100, 'x')), "'" + std::string(100, 'x') + "'");
  EXPECT_EQ(QuotedBytes(std::string(101, 'x')),
            "'" + std::string(100, 'x') + "'... (101 bytes)");
}

}  // namespace
}  // namespace minitf
