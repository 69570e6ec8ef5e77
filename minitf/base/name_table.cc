// The table itself: a map behind a lock.
//
// Exercise   exercises/02_registry

#include "minitf/base/name_table.h"

#include <mutex>
#include <utility>

#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {

NameTable::NameTable(std::string kind) : kind_(std::move(kind)) {}
NameTable::~NameTable() = default;

void NameTable::Add(const std::string& key, Entry entry) {
  const std::unique_lock lock(mutex_);
  // LAB(02.5) begin: put it into entries_, or throw
  if (!entries_.emplace(key, std::move(entry)).second) {
    throw Error(errors::AlreadyExists(kind_, " '", key, "' is registered twice"));
  }
  // LAB(02.5) end
}

void NameTable::Replace(const std::string& key, Entry entry) {
  const std::unique_lock lock(mutex_);
  // LAB(02.5) begin: put it into entries_; what it replaces goes to replaced_
  if (auto former = entries_.extract(key)) {
    replaced_.push_back(std::move(former.mapped()));
  }
  entries_.emplace(key, std::move(entry));
  // LAB(02.5) end
}

const void* NameTable::Find(std::string_view key) const {
  const std::shared_lock lock(mutex_);
  // LAB(02.5) begin: return the entry, or null
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.get();
  // LAB(02.5) end
}

// Takes no lock: Find and Keys do.
const void* NameTable::Get(std::string_view key) const {
  // LAB(02.5) begin: return the entry, or throw
  if (const void* entry = Find(key)) return entry;
  throw Error(errors::NotFound("no ", kind_, " is registered for '", key, "'",
                               DidYouMean(key, Keys())));
  // LAB(02.5) end
}

std::vector<std::string> NameTable::Keys() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
}

}  // namespace minitf
