#include <algorithm>

  // TODO(02.5) begin
  const auto place = entries_.lower_bound(key);
  if (place != entries_.end() && place->first == key) {
    throw Error(errors::AlreadyExists(kind_, " '", key, "' is registered twice"));
  }
  entries_.emplace_hint(place, key, std::move(entry));
  // TODO(02.5) end

  // TODO(02.5) begin
  Entry& place = entries_[key];
  replaced_.push_back(std::exchange(place, std::move(entry)));
  // TODO(02.5) end

  // TODO(02.5) begin
  const auto place = entries_.lower_bound(key);
  return place == entries_.end() || key < place->first ? nullptr : place->second.get();
  // TODO(02.5) end

  // TODO(02.5) begin
  const void* const entry = Find(key);
  if (entry != nullptr) return entry;
  throw Error(errors::NotFound("no ", kind_, " is registered for '", key, "'",
                               DidYouMean(key, Keys())));
  // TODO(02.5) end
