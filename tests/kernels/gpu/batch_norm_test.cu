// Batch normalization on cards, against plain loops on the host.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/gpu/nn/batch_norm.h"
#include "tests/kernels/gpu/device.h"

namespace minitf::gpu {
namespace {

class GpuBatchNorm : public GpuTest {};

using Doubles = std::vector<double>;

constexpr float kEpsilon = 0.25F;

// The numbers of each channel by the formulas, term by term.
struct Host {
  Doubles mean, variance, y, dx, dscale, doffset;
};

// visit(channel, place in memory) for each number.
template <typename Visit>
void ForEach(const ChannelSizes& s, const Visit& visit) {
  for (int64_t i = 0; i < s.count(); ++i) visit(i / s.inner % s.channels, i);
}

void FindMoments(const ChannelSizes& s, const std::vector<float>& x, Host* host) {
  const auto n = static_cast<double>(s.outer * s.inner);
  host->mean.assign(s.channels, 0);
  host->variance.assign(s.channels, 0);
  ForEach(s, [&](int64_t c, int64_t i) { host->mean[c] += x[i] / n; });
  ForEach(s, [&](int64_t c, int64_t i) {
    host->variance[c] += std::pow(x[i] - host->mean[c], 2) / n;
  });
}

void Apply(const ChannelSizes& s, bool is_training, const std::vector<float>& x,
           const std::vector<float>& dy, const std::vector<float>& scale,
           const std::vector<float>& offset, Host* host) {
  const auto n = static_cast<double>(s.outer * s.inner);
  const auto r = [&](int64_t c) { return 1 / std::sqrt(host->variance[c] + kEpsilon); };
  const auto h = [&](int64_t c, int64_t i) { return (x[i] - host->mean[c]) * r(c); };
  host->y = host->dx = Doubles(s.count());
  host->dscale = host->doffset = Doubles(s.channels);
  ForEach(s, [&](int64_t c, int64_t i) {
    host->y[i] = h(c, i) * scale[c] + offset[c];
    host->dscale[c] += dy[i] * h(c, i);
    host->doffset[c] += dy[i];
  });
  ForEach(s, [&](int64_t c, int64_t i) {
    const double common = (host->doffset[c] + h(c, i) * host->dscale[c]) / n;
    host->dx[i] = scale[c] * r(c) * (dy[i] - (is_training ? common : 0));
  });
}

void CheckBatchNorm(const ChannelSizes& s, bool is_training, std::mt19937* random) {
  const OnDevice<float> x(Numbers<float>(s.count(), random));
  const OnDevice<float> dy(Numbers<float>(s.count(), random));
  const OnDevice<float> scale(Numbers<float>(s.channels, random));
  const OnDevice<float> offset(Numbers<float>(s.channels, random));
  Host host;
  FindMoments(s, x.host(), &host);
  const OnDevice<float> mean(s.channels), variance(s.channels), room(BatchNormRoom(s));
  ASSERT_EQ(LaunchMoments(s, x.get(), mean.get(), variance.get(), room.get(), nullptr),
            cudaSuccess);
  const std::string of = std::to_string(s.outer) + " x " + std::to_string(s.channels) +
                         " x " + std::to_string(s.inner);
  ExpectNear(mean.Read(), host.mean, 1e-5, "mean of " + of);
  ExpectNear(variance.Read(), host.variance, 1e-5, "variance of " + of);

  Apply(s, is_training, x.host(), dy.host(), scale.host(), offset.host(), &host);
  const ChannelMoments by = {kEpsilon, mean.get(), variance.get(), scale.get(),
                             offset.get()};
  const OnDevice<float> y(s.count()), dx(s.count());
  const OnDevice<float> dscale(s.channels), doffset(s.channels);
  ASSERT_EQ(LaunchNormalize(s, by, x.get(), y.get(), nullptr), cudaSuccess);
  ExpectNear(y.Read(), host.y, 1e-4, "y of " + of);
  const BatchNormGradients gradients = {dy.get(), x.get(), dx.get(), dscale.get(),
                                        doffset.get()};
  ASSERT_EQ(LaunchBatchNormGrad(is_training, s, by, gradients, room.get(), nullptr),
            cudaSuccess);
  ExpectNear(dx.Read(), host.dx, 1e-4, "dx of " + of);
  ExpectNear(dscale.Read(), host.dscale, 1e-3, "dscale of " + of);
  ExpectNear(doffset.Read(), host.doffset, 1e-3, "doffset of " + of);
}

TEST_F(GpuBatchNorm, ChannelsLast) {
  std::mt19937 random(1);
  for (const int64_t channels : {1, 3, 31, 32, 33, 67}) {
    for (const int64_t rows : {1, 7, 9, 600}) {
      CheckBatchNorm({rows, channels, 1}, rows != 7, &random);
    }
  }
}

TEST_F(GpuBatchNorm, ChannelsFirst) {
  std::mt19937 random(2);
  for (const int64_t channels : {1, 3, 8}) {
    for (const int64_t inner : {2, 31, 257, 700}) {
      CheckBatchNorm({3, channels, inner}, inner != 31, &random);
    }
  }
}

TEST_F(GpuBatchNorm, KeepsDigitsWhereTheMeanIsLarge) {
  std::mt19937 random(3);
  const ChannelSizes s = {2, 1, 700};
  std::vector<float> numbers = Numbers<float>(s.count(), &random);
  for (float& number : numbers) number += 10'000;
  const OnDevice<float> x(numbers), mean(1), variance(1), room(BatchNormRoom(s));
  Host host;
  FindMoments(s, numbers, &host);
  ASSERT_EQ(LaunchMoments(s, x.get(), mean.get(), variance.get(), room.get(), nullptr),
            cudaSuccess);
  ExpectNear(mean.Read(), host.mean, 1e-7, "mean");
  ExpectNear(variance.Read(), host.variance, 1e-5, "variance");
}

TEST_F(GpuBatchNorm, MovesAnAverage) {
  const OnDevice<float> now(std::vector<float>{2, 4});
  const OnDevice<float> before(std::vector<float>{10, 30}), to(2);
  const Average part = {2, 0.25F, now.get(), before.get(), to.get()};
  ASSERT_EQ(LaunchAverage(2, part, nullptr), cudaSuccess);
  EXPECT_EQ(to.Read(), (std::vector<float>{8.5F, 24.5F}));
  const Average all = {2, 1, now.get(), nullptr, to.get()};
  ASSERT_EQ(LaunchAverage(2, all, nullptr), cudaSuccess);
  EXPECT_EQ(to.Read(), (std::vector<float>{4, 8}));
}

TEST_F(GpuBatchNorm, NothingIsLaunchedForNoElements) {
  const ChannelSizes s = {0, 3, 4};
  EXPECT_EQ(BatchNormRoom(s), 0);
  EXPECT_EQ(LaunchMoments(s, nullptr, nullptr, nullptr, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(LaunchNormalize(s, {}, nullptr, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(LaunchBatchNormGrad(true, s, {}, {}, nullptr, nullptr), cudaSuccess);
}

}  // namespace
}  // namespace minitf::gpu
