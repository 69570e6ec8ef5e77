// Sets of devices, among them some of other processes.

#include "minitf/runtime/devices/device_set.h"

#include <memory>

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;
using Names = std::vector<std::string>;

// Two workers, each with a CPU and a GPU.
class DeviceSetTest : public ::testing::Test {
 protected:
  DeviceSetTest() {
    for (const char* task : {"0", "1"}) {
      for (const char* type : {"CPU", "GPU"}) {
        const std::string name =
            StrCat("/job:worker/replica:0/task:", task, "/device:", type, ":0");
        const bool is_cpu = std::string(type) == "CPU";
        owned_.push_back(std::make_unique<NamedDevice>(
            DeviceAttributes{name, type, 1 << 20, owned_.size(), ""},
            is_cpu ? Device::kCpu : Device::kGpu, is_cpu ? 60 : 210));
        devices_.push_back(owned_.back().get());
      }
    }
  }

  std::vector<std::unique_ptr<NamedDevice>> owned_;
  std::vector<const NamedDevice*> devices_;
};

TEST_F(DeviceSetTest, FindsDevicesOfAllProcesses) {
  const DeviceSet set(devices_);
  EXPECT_EQ(&set.host(), devices_[0]);
  EXPECT_EQ(set.Find("/job:worker/replica:0/task:1/device:GPU:0"), devices_[3]);
  EXPECT_EQ(set.Find("/job:worker/replica:0/task:1/gpu:0"), devices_[3]);
  EXPECT_EQ(set.Find("/job:worker/replica:0/task:2/gpu:0"), nullptr);
  EXPECT_EQ(set.Find("/gpu:0"), nullptr) << "not in full";
  EXPECT_EQ(set.Find("nonsense"), nullptr);
}

TEST_F(DeviceSetTest, MatchingIsByPriorityAndThenInOrder) {
  const DeviceSet set(devices_);
  const auto matching = [&](const char* name) {
    Names names;
    for (const NamedDevice* device : set.Matching(DeviceName::Parse(name))) {
      names.push_back(device->name().substr(22));
    }
    return names;
  };
  EXPECT_EQ(matching("/job:worker"),
            (Names{"task:0/device:GPU:0", "task:1/device:GPU:0", "task:0/device:CPU:0",
                   "task:1/device:CPU:0"}));
  EXPECT_EQ(matching("/job:worker/task:1"),
            (Names{"task:1/device:GPU:0", "task:1/device:CPU:0"}));
  EXPECT_EQ(matching("/cpu:0"), (Names{"task:0/device:CPU:0", "task:1/device:CPU:0"}));
  EXPECT_EQ(matching("/job:ps"), Names{});
}

TEST_F(DeviceSetTest, WhatIsNoSetOfDevicesIsRefused) {
  EXPECT_EQ(MessageOf([] { DeviceSet set({}); }),
            "a set of devices needs at least one, the host");
  EXPECT_EQ(MessageOf([&] {
              DeviceSet set({devices_[1], devices_[0]});
            }),
            "the host must be a CPU, got /job:worker/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(MessageOf([&] {
              DeviceSet set({devices_[0], devices_[2], devices_[0]});
            }),
            "two devices are called /job:worker/replica:0/task:0/device:CPU:0");
}

}  // namespace
}  // namespace minitf
