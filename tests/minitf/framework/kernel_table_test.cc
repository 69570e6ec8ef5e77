// The kernel table: priorities, and calls that two kernels would fit.

#include <algorithm>

#include "gtest/gtest.h"
#include "minitf/framework/op_kernel.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

void Register(const Kernel& kernel) { KernelRegistrar(kernel, KernelFactory()); }

int PriorityFor(const std::string& op, const Attrs& attrs) {
  OpDef definition;
  definition.name = op;
  return FindKernel(definition, attrs, Device::kCpu).key.priority;
}

TEST(FindKernel, TakesTheHighestPriorityInAnyOrder) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const std::string op = StrCat("Priorities", order[0], order[1]);
    for (const int i : order) {
      Kernel kernel(op);
      kernel.Priority(i);
      if (i != 1) kernel.Type<float>("T");
      Register(kernel);
    }
    EXPECT_EQ(PriorityFor(op, {{"T", DType::kFloat32}}), 2);
    EXPECT_EQ(PriorityFor(op, {{"T", DType::kInt32}}), 1);
  }
}

TEST(FindKernel, RefusesToChooseBetweenEquals) {
  Register(Kernel("Equals").Type<float>("T"));
  Register(Kernel("Equals").Type<int32_t>("U"));
  EXPECT_EQ(PriorityFor("Equals", {{"T", DType::kFloat32}}), 0);
  EXPECT_EQ(MessageOf([] {
              PriorityFor("Equals", {{"T", DType::kFloat32}, {"U", DType::kInt32}});
            }),
            "two kernels of priority 0 fit: CPU for T=float32; CPU for U=int32");
}

TEST(RegisterKernel, DoesNotCareInWhatOrderTypesAreNamed) {
  Register(Kernel("Order").Type<float>("T").Type<int32_t>("U"));
  EXPECT_EQ(
      MessageOf([] { Register(Kernel("Order").Type<int32_t>("U").Type<float>("T")); }),
      "kernel Order on CPU for U=int32, T=float32 is registered twice");
}

// Whether some call fits both.
bool MayMeet(const KernelKey& a, const KernelKey& b) {
  if (a.device != b.device || a.label != b.label || a.priority != b.priority)
    return false;
  return std::ranges::none_of(a.types, [&](const auto& type) {
    return std::ranges::any_of(b.types, [&](const auto& other) {
      return other.first == type.first && other.second != type.second;
    });
  });
}

TEST(Kernels, AreToldApartByEveryCall) {
  for (const std::string& op : OpsWithKernels()) {
    if (Ops().Find(op) == nullptr) continue;  // of the tests above
    const std::vector<const KernelDef*> kernels = KernelsOf(op);
    for (size_t i = 0; i < kernels.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(MayMeet(kernels[i]->key, kernels[j]->key))
            << op << ": " << kernels[i]->key << " and " << kernels[j]->key;
      }
    }
  }
}

}  // namespace
}  // namespace minitf
