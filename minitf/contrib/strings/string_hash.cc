// Hashes of text on the CPU: TensorFlow's Hash64, FarmHash and SipHash-2-4.
//
// A bucket depends on the bytes of the text alone, and so is the same in TensorFlow. The
// names of the functions and constants are those of the published algorithms.
//
// Op         minitf/contrib/strings/string_ops.cc
// Compare    tensorflow/core/lib/hash/hash.cc, farmhash.cc (farmhashna::Hash64),
//            highwayhash/sip_hash.h

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

template <typename T = uint64_t>
T Fetch(const char* bytes) {
  T number;
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

uint64_t ShiftMix(uint64_t x) { return x ^ (x >> 47); }

// ---- Hash64 ---------------------------------------------------------------------------

uint64_t Hash64(std::string_view text) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995;
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  uint64_t h = kSeed ^ (text.size() * kMul);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    h ^= ShiftMix(Fetch(text.data()) * kMul) * kMul;
    h *= kMul;
  }
  if (!text.empty()) {
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    h ^= rest;
    h *= kMul;
  }
  return ShiftMix(ShiftMix(h) * kMul);
}

// ---- FarmHash -------------------------------------------------------------------------

constexpr uint64_t kFarm0 = 0xc3a5c85c97cb3127;
constexpr uint64_t kFarm1 = 0xb492b66fbe98f273;
constexpr uint64_t kFarm2 = 0x9ae16a3b2f90404f;

using Pair64 = std::pair<uint64_t, uint64_t>;

uint64_t HashLen16(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = ShiftMix((u ^ v) * mul);
  return ShiftMix((v ^ a) * mul) * mul;
}

uint64_t HashLen0To16(const char* s, size_t size) {
  const uint64_t mul = kFarm2 + size * 2;
  if (size >= 8) {
    const uint64_t a = Fetch(s) + kFarm2;
    const uint64_t b = Fetch(s + size - 8);
    return HashLen16(std::rotr(b, 37) * mul + a, (std::rotr(a, 25) + b) * mul, mul);
  }
  if (size >= 4) {
    const uint64_t a = Fetch<uint32_t>(s);
    return HashLen16(size + (a << 3), Fetch<uint32_t>(s + size - 4), mul);
  }
  if (size == 0) return kFarm2;
  const auto byte = [s](size_t i) { return uint64_t{static_cast<unsigned char>(s[i])}; };
  const uint64_t y = byte(0) + (byte(size / 2) << 8);
  const uint64_t z = size + (byte(size - 1) << 2);
  return ShiftMix(y * kFarm2 ^ z * kFarm0) * kFarm2;
}

uint64_t HashLen17To32(const char* s, size_t size) {
  const uint64_t mul = kFarm2 + size * 2;
  const uint64_t a = Fetch(s) * kFarm1;
  const uint64_t b = Fetch(s + 8);
  const uint64_t c = Fetch(s + size - 8) * mul;
  const uint64_t d = Fetch(s + size - 16) * kFarm2;
  return HashLen16(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
                   a + std::rotr(b + kFarm2, 18) + c, mul);
}

uint64_t HashLen33To64(const char* s, size_t size) {
  const uint64_t mul = kFarm2 + size * 2;
  const uint64_t a = Fetch(s) * kFarm2;
  const uint64_t b = Fetch(s + 8);
  const uint64_t c = Fetch(s + size - 8) * mul;
  const uint64_t d = Fetch(s + size - 16) * kFarm2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = HashLen16(y, a + std::rotr(b + kFarm2, 18) + c, mul);
  const uint64_t e = Fetch(s + 16) * mul;
  const uint64_t f = Fetch(s + 24);
  const uint64_t g = (y + Fetch(s + size - 32)) * mul;
  const uint64_t h = (z + Fetch(s + size - 24)) * mul;
  return HashLen16(std::rotr(e + f, 43) + std::rotr(g, 30) + h,
                   e + std::rotr(f + a, 18) + g, mul);
}

Pair64 WeakHashLen32WithSeeds(const char* s, uint64_t a, uint64_t b) {
  const uint64_t z = Fetch(s + 24);
  a += Fetch(s);
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += Fetch(s + 8) + Fetch(s + 16);
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// The state between two blocks of 64 bytes.
struct FarmState {
  uint64_t x;
  uint64_t y;
  uint64_t z;
  Pair64 v;
  Pair64 w;

  void Mix(const char* s, uint64_t mul, uint64_t weight) {
    x = std::rotr(x + y + v.first + Fetch(s + 8), 37) * mul;
    y = std::rotr(y + v.second + Fetch(s + 48), 42) * mul;
    x ^= w.second * weight;
    y += v.first * weight + Fetch(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = WeakHashLen32WithSeeds(s, v.second * mul, x + w.first);
    w = WeakHashLen32WithSeeds(s + 32, z + w.second, y + Fetch(s + 16));
    std::swap(z, x);
  }
};

uint64_t FarmHash(std::string_view text) {
  const char* s = text.data();
  const size_t size = text.size();
  if (size <= 16) return HashLen0To16(s, size);
  if (size <= 32) return HashLen17To32(s, size);
  if (size <= 64) return HashLen33To64(s, size);
  constexpr uint64_t kSeed = 81;
  FarmState state{kSeed * kFarm2 + Fetch(s), kSeed * kFarm1 + 113, 0, {0, 0}, {0, 0}};
  state.z = ShiftMix(state.y * kFarm2 + 113) * kFarm2;
  // The last block, which may overlap the one before, has the last byte.
  const size_t blocks = (size - 1) / 64;
  const size_t rest = (size - 1) % 64;
  for (size_t i = 0; i < blocks; ++i) state.Mix(s + 64 * i, kFarm1, 1);
  const uint64_t mul = kFarm1 + ((state.z & 0xff) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Mix(s + size - 64, mul, 9);
  const auto& [x, y, z, v, w] = state;
  return HashLen16(HashLen16(v.first, w.first, mul) + ShiftMix(y) * kFarm0 + z,
                   HashLen16(v.second, w.second, mul) + x, mul);
}

// ---- SipHash-2-4 ----------------------------------------------------------------------

using SipKey = std::array<uint64_t, 2>;

struct SipState {
  explicit SipState(const SipKey& key)
      : v0(key[0] ^ 0x736f6d6570736575),
        v1(key[1] ^ 0x646f72616e646f6d),
        v2(key[0] ^ 0x6c7967656e657261),
        v3(key[1] ^ 0x7465646279746573) {}

  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }

  void Add(uint64_t packet) {
    v3 ^= packet;
    Rounds(2);
    v0 ^= packet;
  }

  uint64_t v0;
  uint64_t v1;
  uint64_t v2;
  uint64_t v3;
};

uint64_t SipHash(std::string_view text, const SipKey& key) {
  SipState state(key);
  // The last packet has the size of the text in its highest byte.
  uint64_t last = uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) state.Add(Fetch(text.data()));
  for (size_t i = 0; i < text.size(); ++i) {
    last |= uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  state.Add(last);
  state.v2 ^= 0xff;
  state.Rounds(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

// ---- Kernels --------------------------------------------------------------------------

// Output 0: hash(text) % num_buckets for each text of input 0.
template <typename Hash>
void SetBuckets(OpKernelContext* ctx, int64_t num_buckets, const Hash& hash) {
  const Tensor& x = ctx->input(0);
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
  std::ranges::transform(
      x.flat<std::string>(), y->mutable_flat<int64_t>().begin(), [&](const auto& text) {
        return static_cast<int64_t>(hash(text) % static_cast<uint64_t>(num_buckets));
      });
}

template <uint64_t (*Hash)(std::string_view)>
class StringToHashBucketOp final : public OpKernel {
 public:
  explicit StringToHashBucketOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("num_buckets", &num_buckets_));
  }

  void Compute(OpKernelContext* ctx) override { SetBuckets(ctx, num_buckets_, Hash); }

 private:
  int64_t num_buckets_ = 1;
};
REGISTER_KERNEL(Kernel("StringToHashBucket").On(Device::kCpu),
                StringToHashBucketOp<Hash64>);
REGISTER_KERNEL(Kernel("StringToHashBucketFast").On(Device::kCpu),
                StringToHashBucketOp<FarmHash>);

class StringToHashBucketStrongOp final : public OpKernel {
 public:
  explicit StringToHashBucketStrongOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("num_buckets", &num_buckets_));
    const auto& key = c->attrs().Get<std::vector<int64_t>>("key");
    Require(key.size() == 2, "key must have 2 elements, has ", key.size());
    key_ = {static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])};
  }

  void Compute(OpKernelContext* ctx) override {
    SetBuckets(ctx, num_buckets_,
               [this](std::string_view text) { return SipHash(text, key_); });
  }

 private:
  int64_t num_buckets_ = 1;
  SipKey key_{};
};
REGISTER_KERNEL(Kernel("StringToHashBucketStrong").On(Device::kCpu),
                StringToHashBucketStrongOp);

}  // namespace
}  // namespace minitf
