  // TODO(02.5) begin
  const bool is_new = entries_.try_emplace(key, std::move(entry)).second;
  if (!is_new) {
    throw Error(errors::AlreadyExists(kind_, " '", key, "' is registered twice"));
  }
  // TODO(02.5) end

  // TODO(02.5) begin
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    entries_.emplace(key, std::move(entry));
    return;
  }
  replaced_.push_back(found->second);
  found->second = std::move(entry);
  // TODO(02.5) end

  // TODO(02.5) begin
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.get();
  // TODO(02.5) end

  // TODO(02.5) begin
  if (const void* entry = Find(key)) return entry;
  throw Error(errors::NotFound("no ", kind_, " is registered for '", key, "'",
                               DidYouMean(key, Keys())));
  // TODO(02.5) end
