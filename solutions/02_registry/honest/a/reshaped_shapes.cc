  // TODO(02.12) begin
  if (x.IsFullyKnown()) {
    Require(x.num_elements() == count, "Cannot reshape a tensor with ", x.num_elements(),
            " elements, of shape ", x, ", to a shape of ", count, " elements");
    return;
  }
  if (!x.has_rank() || std::ranges::count(x.sizes(), kUnknown) > 1) return;
  std::vector<int64_t> known = x.ToVector();
  std::erase(known, kUnknown);
  if (std::ranges::count(known, 0) > 0) return;
  const int64_t factor = Product(known);
  Require(count % factor == 0, "Cannot reshape a tensor of shape ", x, " to a shape of ",
          count, " elements, which is no multiple of ", factor);
  // TODO(02.12) end

  // TODO(02.12) begin
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      Require(rest < 0, "Only one size may be -1, not both ", rest, " and ", i);
      rest = static_cast<int64_t>(i);
    } else {
      Require(sizes[i] >= 0, "Size ", i, " must not be negative, it is ", sizes[i]);
    }
  }
  // TODO(02.12) end

  // TODO(02.12) begin
  const auto product_without_zeros = [](std::vector<int64_t> sizes) {
    std::erase(sizes, 0);
    return Product(sizes);
  };
  const int64_t divisor = product_without_zeros(given);
  const bool given_has_zero = std::ranges::count(given, 0) > 0;
  if (given_has_zero && count == 0) return product_without_zeros(x.ToVector()) / divisor;
  Require(!given_has_zero && count % divisor == 0, "Cannot reshape a tensor of shape ", x,
          ", with ", count, " elements: the other sizes [", PartialShape(given),
          "] need a multiple of ", given_has_zero ? 0 : divisor);
  return count / divisor;
  // TODO(02.12) end
