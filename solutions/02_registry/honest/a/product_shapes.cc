  // TODO(02.10) begin
  const int64_t m = a.dim(transpose_a ? 1 : 0);
  const int64_t a_inner = a.dim(transpose_a ? 0 : 1);
  const int64_t b_inner = b.dim(transpose_b ? 1 : 0);
  const int64_t n = b.dim(transpose_b ? 0 : 1);
  Require(a_inner == b_inner || a_inner == kUnknown || b_inner == kUnknown,
          "Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
  return {m, n};
  // TODO(02.10) end

  // TODO(02.10) begin
  if (!x.has_rank() || !y.has_rank()) {
    if (broadcasts) return {};
    // All axes in front are those of the other one.
    if (!x.has_rank()) x = PartialShape::OfRank(y.rank());
    if (!y.has_rank()) y = PartialShape::OfRank(x.rank());
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
