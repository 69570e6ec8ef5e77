    // TODO(02.11) begin
    if (!xs[i].has_rank()) {
      total = kUnknown;
      continue;
    }
    fits = !others.has_rank() || others.rank() == xs[i].rank();
    if (fits) {
      std::vector<int64_t> sizes = xs[i].ToVector();
      int64_t& joined = sizes[JoinedAxis(xs[i], axis)];
      if (joined == kUnknown) total = kUnknown;
      if (total != kUnknown) total = CheckedSum(total, joined);
      joined = kUnknown;
      const PartialShape other(sizes);
      fits = others.IsCompatibleWith(other);
      if (fits) others = others.MergedWith(other);
    }
    // TODO(02.11) end

  // TODO(02.11) begin
  result[JoinedAxis(others, axis)] = total;
  // TODO(02.11) end

  // TODO(02.11) begin
  result.insert(result.begin() + (axis < 0 ? axis + rank : axis),
                static_cast<int64_t>(xs.size()));
  // TODO(02.11) end
