// The loops of batch normalization, on pieces of the images.
//
// A piece is a stretch of memory that stays in a near cache while it is read twice, and
// is what one thread does at a time. Of x [outer,C,inner] these are
//
//   channels last    some rows of C numbers
//   channels first   part of one channel of one image: rows of one number
//
// Either way number i of a piece belongs to channel i % width of its channels. If the
// width is small, several rows are taken as one, the period, so that there are enough
// neighbours for vector instructions. What is known of the channels is repeated to fill a
// period. With C = 3:
//
//   x       a0 b0 c0 a1 b1 c1 | a2 b2 c2 a3 b3 c3 | ...     a period of two rows
//   means   a  b  c  a  b  c                                repeated
//
// Sums are added up in floats within a piece, and in doubles beyond: the error grows with
// the length of a piece, not with the size of the batch. How x is cut follows from its
// shape alone, so a result does not depend on the number of threads.
//
// Mean and variance take one walk through memory: of each piece, first the mean and then
// the squares of the distances from it. The mean of the squares less the square of the
// mean would lose all digits where the mean is large. Those of pieces make those of a
// channel (Chan, Golub and LeVeque 1979):
//
//   n * v = sum over pieces of (n_p * v_p + n_p * (m_p - m)^2)
//
// Read next  kernels/cpu/nn/batch_norm.cc

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/nn/batch_norm.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// ---- Pieces ---------------------------------------------------------------------------

struct Piece {
  int64_t chunk;    // pieces of one chunk have the same rows of different channels
  int64_t channel;  // the first of its channels
  int64_t width;    // how many channels
  int64_t begin;    // where it lies in x
  int64_t rows;

  int64_t count() const { return rows * width; }
};

class Pieces {
 public:
  // Requires: there are elements.
  explicit Pieces(const BatchNormSizes& sizes)
      : sizes_(sizes),
        channels_last_(sizes.inner == 1),
        length_(channels_last_ ? sizes.outer : sizes.inner),
        rows_(channels_last_ ? std::max(kMinRows, kCount / sizes.channels) : kCount),
        parts_((length_ + rows_ - 1) / rows_) {}

  int64_t channels() const { return sizes_.channels; }
  int64_t per_channel() const { return sizes_.per_channel(); }
  int64_t num_chunks() const { return channels_last_ ? parts_ : sizes_.outer * parts_; }
  int64_t RowsOf(int64_t chunk) const {
    return std::min(rows_, length_ - chunk % parts_ * rows_);
  }

  // All pieces, in the order in which they lie in memory.
  int64_t size() const {
    return channels_last_ ? parts_ : sizes_.outer * sizes_.channels * parts_;
  }
  Piece At(int64_t i) const {
    const int64_t part = i % parts_;
    if (channels_last_) {
      return {part, 0, sizes_.channels, part * rows_ * sizes_.channels, RowsOf(part)};
    }
    const int64_t row = i / parts_;  // of [outer,channels]
    const int64_t chunk = row / sizes_.channels * parts_ + part;
    return {chunk, row % sizes_.channels, 1, row * sizes_.inner + part * rows_,
            RowsOf(chunk)};
  }
  // Nanoseconds that a pass over a piece takes, about.
  int64_t Cost() const { return At(0).count() / 4 + 20; }

 private:
  static constexpr int64_t kCount = 8192;  // numbers of a piece, unless a row has more
  static constexpr int64_t kMinRows = 64;  // so that the sums are few beside the numbers

  const BatchNormSizes sizes_;
  const bool channels_last_;
  const int64_t length_;  // what is cut into parts: rows, or numbers of a channel
  const int64_t rows_;    // of each piece but the last
  const int64_t parts_;
};

// Numbers that are taken side by side if they may be: as many sums fit into registers.
constexpr int64_t kSideBySide = 64;

// How many are: whole rows of `width`, a power of two of them.
int64_t PeriodOf(int64_t width) {
  return width * static_cast<int64_t>(std::bit_floor(
                     std::max<uint64_t>(static_cast<uint64_t>(kSideBySide / width), 1)));
}

// What is known of the channels of a piece, repeated until it fills a period. Memory of
// one thread.
class Repeated {
 public:
  // channel(c) for each channel c of the piece.
  template <typename Channel>
  const float* Set(const Piece& piece, const Channel& channel) {
    const int64_t size = std::min(PeriodOf(piece.width), piece.count());
    values_.resize(size);
    if (piece.width == 1) {
      std::ranges::fill(values_, static_cast<float>(channel(piece.channel)));
    }
    for (int64_t i = 0; piece.width > 1 && i < size; i += piece.width) {
      for (int64_t j = 0; j < piece.width; ++j) {
        values_[i + j] = static_cast<float>(channel(piece.channel + j));
      }
    }
    return values_.data();
  }

 private:
  std::vector<float> values_;
};

// For each channel of a piece: the sum of f(i) over its numbers, and that of
// f(i) * (x[i] - center). Memory of one thread.
class PieceSums {
 public:
  // `center` is Repeated; f(i,d) gets x[i] - center as d.
  template <typename Function>
  void Add(const Piece& piece, const float* x, const float* center, const Function& f) {
    const int64_t period = PeriodOf(piece.width);
    first_.assign(period, 0);
    second_.assign(period, 0);
    if (period == kSideBySide) {
      AddRows<kSideBySide>(piece.count(), period, x, center, f);
    } else {
      AddRows<0>(piece.count(), period, x, center, f);
    }
    AddPairsOfRows(period, piece.width);
  }

  double first(int64_t i) const { return first_[i]; }
  double second(int64_t i) const { return second_[i]; }

 private:
  // A period that is known when this is compiled makes the sums registers.
  template <int64_t kPeriod, typename Function>
  void AddRows(int64_t count, int64_t any_period, const float* __restrict x,
               const float* __restrict center, const Function& f) {
    const int64_t period = kPeriod == 0 ? any_period : kPeriod;
    float registers[2][std::max<int64_t>(kPeriod, 1)] = {};
    float* __restrict first = kPeriod == 0 ? first_.data() : registers[0];
    float* __restrict second = kPeriod == 0 ? second_.data() : registers[1];
    const auto add = [&](int64_t start, int64_t size) {
      for (int64_t i = 0; i < size; ++i) {
        const float distance = x[start + i] - center[i];
        const float term = f(start + i, distance);
        first[i] += term;
        second[i] += term * distance;
      }
    };
    int64_t start = 0;
    for (; start + period <= count; start += period) add(start, period);
    if (kPeriod > 0) {
      std::copy_n(first, period, first_.data());
      std::copy_n(second, period, second_.data());
      first = first_.data();
      second = second_.data();
    }
    add(start, count - start);
  }

  // Until one row is left.
  void AddPairsOfRows(int64_t period, int64_t width) {
    if (width == 1) {
      using Numbers = Eigen::Map<Eigen::Array<float, kSideBySide, 1>>;
      first_[0] = Numbers(first_.data()).sum();
      second_[0] = Numbers(second_.data()).sum();
      return;
    }
    for (int64_t size = period; size > width; size /= 2) {
      for (int64_t i = 0; i < size / 2; ++i) {
        first_[i] += first_[i + size / 2];
        second_[i] += second_[i + size / 2];
      }
    }
  }

  std::vector<float> first_, second_;
};

// The numbers of a piece as floats: they themselves, or copies. Memory of one thread.
class Floats {
 public:
  const float* Read(const Tensor& x, const Piece& piece) {
    if (x.dtype() == DType::kFloat32) return x.flat<float>().data() + piece.begin;
    copies_.resize(piece.count());
    if (x.dtype() == DType::kFloat16) {
      Widen(x.flat<float16>().data() + piece.begin, copies_.data(), piece.count());
    } else {
      Widen(x.flat<bfloat16>().data() + piece.begin, copies_.data(), piece.count());
    }
    return copies_.data();
  }

  // Where to put floats, of which Write then makes numbers of y.
  float* Room(Tensor* y, const Piece& piece) {
    if (y->dtype() == DType::kFloat32)
      return y->mutable_flat<float>().data() + piece.begin;
    copies_.resize(piece.count());
    return copies_.data();
  }
  void Write(Tensor* y, const Piece& piece) {
    if (y->dtype() == DType::kFloat16) {
      Narrow(copies_.data(), y->mutable_flat<float16>().data() + piece.begin,
             piece.count());
    } else if (y->dtype() == DType::kBfloat16) {
      Narrow(copies_.data(), y->mutable_flat<bfloat16>().data() + piece.begin,
             piece.count());
    }
  }

 private:
  std::vector<float> copies_;
};

// ---- Sums -----------------------------------------------------------------------------

// Memory of one thread.
struct Scratch {
  Floats x, dy;
  Repeated centers;
  PieceSums sums;
};

// Two numbers for each chunk and channel, [chunks,C].
struct ChunkSums {
  Channels first, second;
};

// work(piece, scratch, first, second) writes two numbers for each channel of the piece.
template <typename Work>
ChunkSums SumChunks(const Pieces& pieces, ThreadPool& threads, const Work& work) {
  const auto size = static_cast<size_t>(pieces.num_chunks() * pieces.channels());
  ChunkSums sums = {Channels(size), Channels(size)};
  threads.ParallelFor(pieces.size(), pieces.Cost(), [&](int64_t begin, int64_t end) {
    Scratch scratch;
    for (int64_t i = begin; i < end; ++i) {
      const Piece piece = pieces.At(i);
      const int64_t at = piece.chunk * pieces.channels() + piece.channel;
      work(piece, &scratch, sums.first.data() + at, sums.second.data() + at);
    }
  });
  return sums;
}

// add(rows, place in ChunkSums, channel) for all chunks and channels.
template <typename Add>
void ForChunks(const Pieces& pieces, const Add& add) {
  for (int64_t chunk = 0; chunk < pieces.num_chunks(); ++chunk) {
    const auto rows = static_cast<double>(pieces.RowsOf(chunk));
    for (int64_t c = 0; c < pieces.channels(); ++c) {
      add(rows, chunk * pieces.channels() + c, c);
    }
  }
}

// The mean of each channel of a piece, and the sum of the squares of the distances.
void FindMoments(const Piece& piece, const float* x, Scratch* scratch, double* mean,
                 double* squares) {
  PieceSums& sums = scratch->sums;
  const auto distance_itself = [](int64_t, float distance) { return distance; };
  const auto n = static_cast<double>(piece.rows);
  const float* zeros = scratch->centers.Set(piece, [](int64_t) { return 0; });
  sums.Add(piece, x, zeros, distance_itself);
  for (int64_t i = 0; i < piece.width; ++i) {
    mean[i] = static_cast<float>(sums.first(i) / n);
  }
  const float* means =
      scratch->centers.Set(piece, [&](int64_t c) { return mean[c - piece.channel]; });
  sums.Add(piece, x, means, distance_itself);
  for (int64_t i = 0; i < piece.width; ++i) {
    // The mean was rounded, so the distances do not add up to 0.
    const double rest = sums.first(i);
    squares[i] = sums.second(i) - rest * rest / n;
    if (std::isfinite(mean[i])) mean[i] += rest / n;
  }
}

// ---- Number by number -----------------------------------------------------------------

// y[i] = f(i, k) for each number i of the piece, which stands at k of its period.
template <typename Function>
void MapPiece(const Piece& piece, float* __restrict y, const Function& f) {
  const int64_t period = PeriodOf(piece.width);
  for (int64_t start = 0; start < piece.count(); start += period) {
    const int64_t size = std::min(period, piece.count() - start);
    for (int64_t k = 0; k < size; ++k) y[start + k] = f(start + k, k);
  }
}

// y = f(x, i, of, k) for each number i, where x are `images` and `of` are `channels`;
// those of the number's channel stand at k.
template <size_t kImages, size_t kChannels, typename Function>
void MapImages(const Pieces& pieces, const std::array<const Tensor*, kImages>& images,
               const std::array<const Channels*, kChannels>& channels, Tensor* y,
               ThreadPool& threads, const Function& f) {
  threads.ParallelFor(pieces.size(), pieces.Cost(), [&](int64_t begin, int64_t end) {
    std::array<Floats, kImages> floats;
    std::array<Repeated, kChannels> repeated;
    Floats result;
    for (int64_t i = begin; i < end; ++i) {
      const Piece piece = pieces.At(i);
      std::array<const float*, kImages> x;
      std::array<const float*, kChannels> of;
      for (size_t j = 0; j < kImages; ++j) x[j] = floats[j].Read(*images[j], piece);
      for (size_t j = 0; j < kChannels; ++j) {
        of[j] = repeated[j].Set(piece, [&](int64_t c) { return (*channels[j])[c]; });
      }
      MapPiece(piece, result.Room(y, piece),
               [&](int64_t at, int64_t k) { return f(x, at, of, k); });
      result.Write(y, piece);
    }
  });
}

}  // namespace

ChannelMoments MomentsOf(const BatchNormSizes& sizes, const Tensor& x,
                         ThreadPool& threads) {
  if (x.num_elements() == 0) {
    const Channels nan(sizes.channels, std::numeric_limits<double>::quiet_NaN());
    return {nan, nan};
  }
  const Pieces pieces(sizes);
  const ChunkSums chunks =
      SumChunks(pieces, threads,
                [&](const Piece& piece, Scratch* scratch, double* mean, double* squares) {
                  FindMoments(piece, scratch->x.Read(x, piece), scratch, mean, squares);
                });
  const auto n = static_cast<double>(sizes.per_channel());
  ChannelMoments result = {Channels(sizes.channels), Channels(sizes.channels)};
  ForChunks(pieces, [&](double rows, int64_t i, int64_t c) {
    result.mean[c] += rows / n * chunks.first[i];
  });
  ForChunks(pieces, [&](double rows, int64_t i, int64_t c) {
    const double distance = chunks.first[i] - result.mean[c];
    result.variance[c] += chunks.second[i] / n + rows / n * distance * distance;
  });
  // Of equal numbers it may be a little below 0. NaN stays.
  for (double& variance : result.variance) variance = std::max(variance, 0.0);
  return result;
}

ChannelGradients GradientSumsOf(const BatchNormSizes& sizes, const Tensor& dy,
                                const Tensor& x, const Channels& mean,
                                ThreadPool& threads) {
  const Pieces pieces(sizes);
  const ChunkSums chunks = SumChunks(
      pieces, threads,
      [&](const Piece& piece, Scratch* scratch, double* first, double* second) {
        const float* g = scratch->dy.Read(dy, piece);
        const float* m = scratch->centers.Set(piece, [&](int64_t c) { return mean[c]; });
        scratch->sums.Add(piece, scratch->x.Read(x, piece), m,
                          [g](int64_t i, float) { return g[i]; });
        for (int64_t i = 0; i < piece.width; ++i) {
          first[i] = scratch->sums.first(i);
          second[i] = scratch->sums.second(i);
        }
      });
  ChannelGradients result = {Channels(sizes.channels), Channels(sizes.channels)};
  ForChunks(pieces, [&](double, int64_t i, int64_t c) {
    result.dy[c] += chunks.first[i];
    result.dy_by_distance[c] += chunks.second[i];
  });
  return result;
}

void Normalize(const BatchNormSizes& sizes, const NormalFormula& by, const Tensor& x,
               Tensor* y, ThreadPool& threads) {
  MapImages<1, 3>(Pieces(sizes), {&x}, {&by.mean, &by.factor, &by.offset}, y, threads,
                  [](const auto& from, int64_t i, const auto& of, int64_t k) {
                    return (from[0][i] - of[0][k]) * of[1][k] + of[2][k];
                  });
}

void StoreGradient(const BatchNormSizes& sizes, const GradientFormula& by,
                   const Tensor& dy, const Tensor& x, Tensor* dx, ThreadPool& threads) {
  const Pieces pieces(sizes);
  if (by.slope.empty()) {
    return MapImages<1, 1>(pieces, {&dy}, {&by.factor}, dx, threads,
                           [](const auto& from, int64_t i, const auto& of, int64_t k) {
                             return from[0][i] * of[0][k];
                           });
  }
  MapImages<2, 4>(pieces, {&dy, &x}, {&by.mean_dy, &by.mean, &by.slope, &by.factor}, dx,
                  threads, [](const auto& from, int64_t i, const auto& of, int64_t k) {
                    const float distance = from[1][i] - of[1][k];
                    return (from[0][i] - of[0][k] - distance * of[2][k]) * of[3][k];
                  });
}

}  // namespace minitf
