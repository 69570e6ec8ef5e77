// Device names: what is read, what it means, and what is refused. The cases follow from
// the table in device_name.h and from what TensorFlow accepts.

#include "minitf/framework/device_name.h"

#include "gtest/gtest.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

std::string Canonical(std::string_view text) {
  return DeviceName::Parse(text).ToString();
}

TEST(DeviceName, ReadsAFullName) {
  const auto name = DeviceName::Parse("/job:worker/replica:1/task:2/device:GPU:3");
  EXPECT_EQ(name.job, "worker");
  EXPECT_EQ(name.replica, 1);
  EXPECT_EQ(name.task, 2);
  EXPECT_EQ(name.type, "GPU");
  EXPECT_EQ(name.index, 3);
  EXPECT_TRUE(name.IsFull());
  EXPECT_EQ(name.ToString(), "/job:worker/replica:1/task:2/device:GPU:3");
}

TEST(DeviceName, AllSpellingsOfOneDeviceAreEqual) {
  for (const auto* text : {"/gpu:1", "/GPU:1", "/device:GPU:1", "/device:gpu:1", "gpu:1",
                           "GPU:1", "device:GPU:1"}) {
    EXPECT_EQ(Canonical(text), "/device:GPU:1") << text;
  }
  EXPECT_EQ(Canonical("/job:mnist/replica:1/task:2/CPU:0"),
            "/job:mnist/replica:1/task:2/device:CPU:0");
}

TEST(DeviceName, APartThatIsNotThereStaysOut) {
  EXPECT_EQ(Canonical(""), "");
  EXPECT_EQ(Canonical("/"), "");
  EXPECT_EQ(Canonical("/job:ps"), "/job:ps");
  EXPECT_EQ(Canonical("/task:1/job:ps"), "/job:ps/task:1");
  EXPECT_EQ(Canonical("/cpu"), "/device:CPU:*");
  EXPECT_EQ(Canonical("/device:CPU:*"), "/device:CPU:*");
  EXPECT_EQ(Canonical("/job:*/replica:*/task:*/device:*"), "");
}

TEST(DeviceName, WhatIsNoNameIsRefused) {
  for (const auto* text :
       {"gpu0", "/gpu:", "/gpu:x", "/gpu:-1", "/gpu:1x", "/job:", "/job:1ps", "/job:a b",
        "/tpu:0", "cpu:0/job:a", "//cpu:0", "/cpu:0/", "/task:99999999999",
        "/device:", "/device:GPU:0:1", "/jobs:a", "/job:a/cpu:0 ", "\n", "/device:8:0"}) {
    EXPECT_EQ(MessageOf([&] { DeviceName::Parse(text); }),
              StrCat("Malformed device specification '", text,
                     "'; expected a name such as "
                     "'/job:worker/replica:0/task:0/device:GPU:0', or some of its parts, "
                     "such as '/gpu:0'"));
  }
}

TEST(DeviceName, CoversWhatIsMoreSpecific) {
  const auto full = DeviceName::Parse("/job:a/replica:0/task:0/device:GPU:1");
  for (const auto* part : {"", "/job:a", "/gpu:*", "/gpu:1", "/task:0/gpu:1"}) {
    EXPECT_TRUE(DeviceName::Parse(part).Covers(full)) << part;
    EXPECT_EQ(full.Covers(DeviceName::Parse(part)), false) << part;
  }
  for (const auto* other : {"/job:b", "/cpu:*", "/gpu:0", "/task:1/gpu:1"}) {
    EXPECT_FALSE(DeviceName::Parse(other).Covers(full)) << other;
    EXPECT_FALSE(DeviceName::Parse(other).IsCompatibleWith(full)) << other;
  }
  EXPECT_TRUE(DeviceName::Parse("/job:a").IsCompatibleWith(DeviceName::Parse("/gpu:1")));
  EXPECT_FALSE(DeviceName::Parse("/job:a").Covers(DeviceName::Parse("/gpu:1")));
}

TEST(DeviceName, MergesPartByPart) {
  auto name = DeviceName::Parse("/job:a/gpu:*");
  ThrowIfError(name.Merge(DeviceName::Parse("/task:3/gpu:2")));
  EXPECT_EQ(name.ToString(), "/job:a/task:3/device:GPU:2");
}

TEST(DeviceName, AContradictionChangesNothing) {
  auto name = DeviceName::Parse("/job:a/cpu:0");
  const auto before = name;
  EXPECT_EQ(name.Merge(DeviceName::Parse("/task:1/gpu:0")).message(),
            "Cannot merge devices with incompatible types: '/job:a/device:CPU:0' and "
            "'/task:1/device:GPU:0'");
  EXPECT_EQ(name.Merge(DeviceName::Parse("/job:b")).message(),
            "Cannot merge devices with incompatible jobs: '/job:a/device:CPU:0' and "
            "'/job:b'");
  EXPECT_EQ(name.Merge(DeviceName::Parse("/cpu:1")).message(),
            "Cannot merge devices with incompatible ids: '/job:a/device:CPU:0' and "
            "'/device:CPU:1'");
  EXPECT_EQ(name, before);
}

TEST(DeviceName, ASoftMergeForgetsAnIndexThatContradicts) {
  auto name = DeviceName::Parse("/device:*:0");
  ThrowIfError(name.Merge(DeviceName::Parse("/job:a/gpu:1"), /*allow_soft=*/true));
  EXPECT_EQ(name.ToString(), "/job:a/device:GPU:*");
}

TEST(DeviceName, ASoftMergeForgetsTypeAndIndexOnly) {
  auto name = DeviceName::Parse("/job:a/cpu:0");
  ThrowIfError(name.Merge(DeviceName::Parse("/task:1/gpu:0"), /*allow_soft=*/true));
  EXPECT_EQ(name.ToString(), "/job:a/task:1");
  EXPECT_FALSE(name.Merge(DeviceName::Parse("/job:b"), true).ok());
}

}  // namespace
}  // namespace minitf
