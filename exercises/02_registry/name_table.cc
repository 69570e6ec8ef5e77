// The table itself: a map behind a lock.
//
// Exercise   exercises/02_registry

#include "minitf/base/name_table.h"

#include <mutex>
#include <utility>

#include "minitf/base/lab.h"
#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {

NameTable::NameTable(std::string kind) : kind_(std::move(kind)) {}
NameTable::~NameTable() = default;

void NameTable::Add(const std::string& key, Entry entry) {
  const std::unique_lock lock(mutex_);
  // TODO(02.5) begin: put it into entries_, or throw
  MINITF_TODO("02.5");
  // TODO(02.5) end
}

void NameTable::Replace(const std::string& key, Entry entry) {
  const std::unique_lock lock(mutex_);
  // TODO(02.5) begin: put it into entries_; what it replaces goes to replaced_
  MINITF_TODO("02.5");
  // TODO(02.5) end
}

const void* NameTable::Find(std::string_view key) const {
  const std::shared_lock lock(mutex_);
  // TODO(02.5) begin: return the entry, or null
  MINITF_TODO("02.5");
  // TODO(02.5) end
}

// Takes no lock: Find and Keys do.
const void* NameTable::Get(std::string_view key) const {
  // TODO(02.5) begin: return the entry, or throw
  MINITF_TODO("02.5");
  // TODO(02.5) end
}

std::vector<std::string> NameTable::Keys() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
}

}  // namespace minitf
