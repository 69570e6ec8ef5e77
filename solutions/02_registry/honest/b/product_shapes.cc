#include <array>
#include <utility>

  // TODO(02.10) begin
  std::array<int64_t, 2> left{a.dim(0), a.dim(1)};
  std::array<int64_t, 2> right{b.dim(0), b.dim(1)};
  if (transpose_a) std::swap(left[0], left[1]);
  if (transpose_b) std::swap(right[0], right[1]);
  const bool fits = PartialShape{left[1]}.IsCompatibleWith(PartialShape{right[0]});
  Require(fits, "Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
  return {left[0], right[1]};
  // TODO(02.10) end

  // TODO(02.10) begin
  if (!x.has_rank() || !y.has_rank()) {
    if (broadcasts) return {};
    PartialShape& unknown = x.has_rank() ? y : x;
    unknown = PartialShape::OfRank(x.has_rank() ? x.rank() : y.rank());
  }
  const auto front = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().first(shape.rank() - 2));
  };
  const auto matrix = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().last(2));
  };
  try {
    const PartialShape batch = broadcasts ? BroadcastShapes(front(x), front(y))
                                          : front(x).MergedWith(front(y));
    const PartialShape product = MatMulShape(matrix(x), matrix(y), adj_x, adj_y);
    std::vector<int64_t> result = batch.ToVector();
    result.insert(result.end(), product.sizes().begin(), product.sizes().end());
    return PartialShape(result);
  } catch (const Error& error) {
    ThrowInvalidArgument(error.status().message(), "; x is ", x, ", y is ", y);
  }
  // TODO(02.10) end
