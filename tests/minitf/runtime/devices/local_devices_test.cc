// Devices of this process: which there are, what they say about themselves, their memory
// and the copies between them.

#include "minitf/runtime/devices/local_devices.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;
using Cards = std::vector<int>;

// Sets CUDA_VISIBLE_DEVICES, or unsets it, for one test.
class WithVisible {
 public:
  explicit WithVisible(const char* value) {
    if (const char* former = std::getenv(kName)) former_ = former;
    value == nullptr ? unsetenv(kName) : setenv(kName, value, 1);
  }
  ~WithVisible() { former_ ? setenv(kName, former_->c_str(), 1) : unsetenv(kName); }
  WithVisible(const WithVisible&) = delete;
  WithVisible& operator=(const WithVisible&) = delete;

 private:
  static constexpr auto kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> former_;
};

std::vector<std::string> NamesOf(const DeviceOptions& options) {
  std::vector<std::string> names;
  const LocalDevices devices(options);
  for (const auto& device : devices.devices()) {
    EXPECT_TRUE(device->name().starts_with("/job:localhost/replica:0/task:0/device:"));
    names.push_back(device->name().substr(39));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(LocalDevices, HasOneCpuAndFourEmulatedGpus) {
  const WithVisible unset(nullptr);
  EXPECT_EQ(NamesOf({}), (Names{"CPU:0", "GPU:0", "GPU:1", "GPU:2", "GPU:3"}));
}

TEST(LocalDevices, DeviceCountDecides) {
  const WithVisible unset(nullptr);
  DeviceOptions options;
  options.device_count = {{"CPU", 3}, {"GPU", 1}};
  EXPECT_EQ(NamesOf(options), (Names{"CPU:0", "CPU:1", "CPU:2", "GPU:0"}));
  options.device_count = {{"GPU", 0}};
  EXPECT_EQ(NamesOf(options), (Names{"CPU:0"}));
  options.device_count = {{"GPU", 6}};
  EXPECT_EQ(NamesOf(options).size(), 7);
}

TEST(LocalDevices, ACountThatMakesNoSenseIsRefused) {
  DeviceOptions options;
  options.device_count = {{"CPU", -1}};
  EXPECT_EQ(MessageOf([&] { LocalDevices{options}; }),
            "device_count has -1 devices of type CPU; expected 0 to 256");
  options.device_count = {{"GPU", 1 << 30}};
  EXPECT_EQ(MessageOf([&] { LocalDevices{options}; }),
            "device_count has 1073741824 devices of type GPU; expected 0 to 256");
}

TEST(LocalDevices, CudaVisibleDevicesMasksTheGpus) {
  {
    const WithVisible none("");
    EXPECT_EQ(NamesOf({}), (Names{"CPU:0"}));
  }
  {
    const WithVisible one("0");
    EXPECT_EQ(NamesOf({}), (Names{"CPU:0", "GPU:0"}));
  }
  const WithVisible two("3,1");
  const LocalDevices devices({});
  ASSERT_EQ(devices.devices().size(), 3);
  EXPECT_EQ(devices.devices()[1]->attributes().physical_device_desc,
            "device: 0, name: emulated on the CPU, card: 3");
  EXPECT_EQ(devices.devices()[2]->attributes().physical_device_desc,
            "device: 1, name: emulated on the CPU, card: 1");
}

TEST(LocalDevices, VisibleCardsStopAtWhatIsNone) {
  EXPECT_EQ(VisibleCards(std::nullopt, 3), (Cards{0, 1, 2}));
  EXPECT_EQ(VisibleCards("2,0", 3), (Cards{2, 0}));
  EXPECT_EQ(VisibleCards(" 1 , 2 ", 3), (Cards{1, 2}));
  EXPECT_EQ(VisibleCards("0,-1,1", 3), (Cards{0}));
  EXPECT_EQ(VisibleCards("0,7,1", 3), (Cards{0}));
  EXPECT_EQ(VisibleCards("GPU-8932f937", 3), Cards{});
  EXPECT_EQ(VisibleCards("99999999999999999999", 3), Cards{});
  EXPECT_EQ(VisibleCards("1,1", 3), Cards{});
}

TEST(LocalDevices, VisibleDeviceListSelectsAmongThem) {
  EXPECT_EQ(SelectCards({5, 6, 7}, ""), (Cards{5, 6, 7}));
  EXPECT_EQ(SelectCards({5, 6, 7}, "2,0"), (Cards{7, 5}));
  EXPECT_EQ(MessageOf([] {
              SelectCards({5, 6, 7}, "3");
            }),
            "'visible_device_list' listed an invalid GPU id '3' but visible device count "
            "is 3");
  EXPECT_EQ(MessageOf([] { SelectCards({5}, "x"); }),
            "Could not parse entry in 'visible_device_list': 'x'. visible_device_list = "
            "x");
  EXPECT_EQ(MessageOf([] {
              SelectCards({5, 6}, "1,1");
            }),
            "visible_device_list contained a duplicate entry: 1,1");
}

TEST(LocalDevices, FindsByFullNameInAnySpelling) {
  const WithVisible unset(nullptr);
  const LocalDevices devices({});
  const LocalDevice* gpu = devices.devices()[2].get();
  EXPECT_EQ(devices.Find("/job:localhost/replica:0/task:0/device:GPU:1"), gpu);
  EXPECT_EQ(devices.Find("/job:localhost/replica:0/task:0/gpu:1"), gpu);
  EXPECT_EQ(devices.Find("/gpu:1"), nullptr);
  EXPECT_EQ(devices.Find("nonsense"), nullptr);
  EXPECT_EQ(devices.Find("/job:other/replica:0/task:0/device:GPU:1"), nullptr);
}

TEST(LocalDevices, AnEmulatedGpuComesAfterTheCpuUnlessPreferred) {
  const WithVisible unset(nullptr);
  const LocalDevices devices({});
  EXPECT_EQ(devices.set().Matching({}).front(), &devices.host());
  EXPECT_EQ(devices.set().Matching({}).size(), 5);
  EXPECT_EQ(devices.set().Matching(DeviceName::Parse("/gpu:*")).front()->name(),
            "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_TRUE(devices.set().Matching(DeviceName::Parse("/job:ps")).empty());

  const WithVisible named("1");
  EXPECT_EQ(LocalDevices({}).set().Matching({}).front()->type(), "GPU");
  const WithVisible unset_again(nullptr);
  DeviceOptions options;
  options.prefer_emulated_gpus = true;
  const LocalDevices preferred(options);
  EXPECT_EQ(preferred.set().Matching({}).front()->name(),
            "/job:localhost/replica:0/task:0/device:GPU:0");
}

TEST(LocalDevices, IncarnationsDiffer) {
  const WithVisible unset(nullptr);
  const LocalDevices devices({});
  EXPECT_NE(devices.devices()[0]->incarnation(), devices.devices()[1]->incarnation());
  EXPECT_NE(LocalDevices({}).host().incarnation(), devices.host().incarnation());
}

// ---- Memory ---------------------------------------------------------------------------

constexpr auto kGpu0 = "/job:localhost/replica:0/task:0/device:GPU:0";

TEST(DeviceAllocator, CountsAndKeepsItsLimit) {
  const auto allocator = DeviceAllocator::Make("card", 1000, CpuAllocator());
  Tensor a(DType::kFloat32, {100}, *allocator);
  {
    const Tensor b(DType::kFloat32, {125}, *allocator);
    EXPECT_EQ(allocator->stats().bytes_in_use, 900);
    EXPECT_EQ(MessageOf([&] { Tensor(DType::kFloat32, {26}, *allocator); }),
              "no memory for 26 elements of float32; card has 100 of 1000 bytes left");
    EXPECT_NO_THROW(Tensor(DType::kFloat32, {25}, *allocator));
  }
  const auto stats = allocator->stats();
  EXPECT_EQ(stats.bytes_in_use, 400);
  EXPECT_EQ(stats.peak_bytes_in_use, 1000);
  EXPECT_EQ(stats.largest_allocation, 500);
  EXPECT_EQ(stats.num_allocations, 3);
  EXPECT_EQ(stats.bytes_limit, 1000);
}

TEST(DeviceAllocator, ATensorMayOutliveTheDevice) {
  Tensor tensor;
  {
    const auto allocator = DeviceAllocator::Make("card", 1000, CpuAllocator());
    tensor = Tensor(DType::kFloat64, {2}, *allocator);
  }
  tensor.mutable_flat<double>()[1] = 7;
  EXPECT_EQ(tensor.flat<double>()[1], 7);
  tensor.Reset();  // and here the allocator goes
}

TEST(LocalDevice, TheMemoryLimitIsAPartOfTheCard) {
  const WithVisible one("0");
  DeviceOptions options;
  const int64_t whole = LocalDevices(options).devices()[1]->attributes().memory_limit;
  options.gpu_memory_fraction = 0.25;
  const LocalDevices devices(options);
  EXPECT_NEAR(devices.devices()[1]->attributes().memory_limit, whole * 0.25, 1);
  options.gpu_memory_fraction = 1.5;
  EXPECT_EQ(MessageOf([&] { LocalDevices{options}; }),
            "per_process_gpu_memory_fraction is 1.5; expected a number from 0 to 1");
}

// What CopyToDevice hands to its callback; waits for it.
Tensor Copied(const Tensor& value, const LocalDevice& from, const LocalDevice& to) {
  std::promise<std::pair<Status, Tensor>> promise;
  CopyToDevice(value, from, to, [&promise](const Status& status, Tensor copy) {
    promise.set_value({status, std::move(copy)});
  });
  auto [status, copy] = promise.get_future().get();
  ThrowIfError(status);
  return copy;
}

TEST(LocalDevice, CopiesLieInTheMemoryOfTheOtherDevice) {
  const WithVisible one("0");
  const LocalDevices devices({});
  const LocalDevice& cpu = devices.host();
  const LocalDevice& gpu = *devices.Find(kGpu0);
  const Tensor x = testing::Numbers({3}, {1, 2, 3});

  const Tensor there = Copied(x, cpu, gpu);
  EXPECT_TRUE(testing::AllClose(there, x));
  EXPECT_NE(there.data(), x.data());
  EXPECT_EQ(gpu.allocator().stats().bytes_in_use, 24);

  const Tensor back = Copied(there, gpu, cpu);
  EXPECT_TRUE(testing::AllClose(back, x));
  EXPECT_NE(back.data(), there.data());
  EXPECT_EQ(gpu.allocator().stats().bytes_in_use, 24);
}

// The host goes on while a GPU has other things to do.
TEST(LocalDevice, CopiesWaitForTheStreamOfTheGpu) {
  const WithVisible two("0,1");
  const LocalDevices devices({});
  const LocalDevice& cpu = devices.host();
  const LocalDevice& first = *devices.devices()[1];
  const LocalDevice& second = *devices.devices()[2];
  ASSERT_EQ(cpu.stream(), nullptr);
  EXPECT_EQ(first.context().stream, first.stream());
  const Tensor x = testing::Numbers({3}, {1, 2, 3});
  const Tensor on_first = Copied(x, cpu, first);

  std::promise<void> open;
  const auto opened = open.get_future().share();
  first.stream()->Enqueue([opened] {
    opened.wait();
    return Status();
  });
  std::atomic<int> num_done = 0;
  const auto count = [&num_done](const Status& status, const Tensor& copy) {
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(copy.flat<double>()[2], 3);
    ++num_done;
  };
  CopyToDevice(on_first, first, cpu, count);
  CopyToDevice(on_first, first, second, count);  // second waits for an event of first
  CopyToDevice(x, cpu, second, count);           // in order behind that
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(num_done, 0);
  open.set_value();
  EXPECT_TRUE(first.stream()->Synchronize().ok());
  EXPECT_TRUE(second.stream()->Synchronize().ok());
  EXPECT_EQ(num_done, 3);
}

TEST(LocalDevice, ACopyThatFailsSaysSo) {
  const WithVisible one("0");
  DeviceOptions options;
  options.gpu_memory_fraction = 1e-9;
  const LocalDevices devices(options);
  const LocalDevice& gpu = *devices.Find(kGpu0);
  const Tensor x(DType::kFloat32, {100'000});
  const std::string message = MessageOf([&] { Copied(x, devices.host(), gpu); });
  EXPECT_NE(message.find("no memory for 100000 elements"), std::string::npos) << message;

  gpu.stream()->Enqueue([] { return errors::Internal("the card is lost"); });
  const Tensor one_number = testing::Numbers({}, {1});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(MessageOf([&] { Copied(one_number, devices.host(), gpu); }),
              "the card is lost");
  }
  EXPECT_EQ(gpu.allocator().stats().bytes_in_use, 0);
}

TEST(LocalDevice, TwoCpusShareTheirMemory) {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}};
  const LocalDevices devices(options);
  const Tensor x = testing::Numbers({3}, {1, 2, 3});
  const Tensor y = Copied(x, *devices.devices()[0], *devices.devices()[1]);
  EXPECT_EQ(y.data(), x.data());
}

TEST(LocalDevice, AnEmulatedGpuHasNoKernelsThatNeedTheHost) {
  const WithVisible one("0");
  const LocalDevices devices({});
  const auto on_gpu = [&](const std::string& op, std::vector<DType> inputs, Attrs attrs) {
    const Signature signature = CompleteAttrs(FindOp(op), inputs, &attrs);
    EXPECT_TRUE(devices.host().HasKernel(FindOp(op), attrs, signature)) << op;
    return devices.Find(kGpu0)->HasKernel(FindOp(op), attrs, signature);
  };
  EXPECT_TRUE(on_gpu("MatMul", {DType::kFloat32, DType::kFloat32}, {}));
  EXPECT_TRUE(on_gpu("VarHandleOp", {},
                     {{"dtype", DType::kFloat32}, {"shape", PartialShape({1})}}));
  EXPECT_FALSE(on_gpu("Identity", {DType::kString}, {}));
  EXPECT_FALSE(on_gpu("Print", {DType::kFloat32, DType::kFloat32}, {}));
}

}  // namespace
}  // namespace minitf
