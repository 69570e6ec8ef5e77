// Registry: a table that files fill in before main() starts.
//
// minitf has three of them: ops, kernels and gradients. A file that defines an op adds it
// to the table itself, so no central list of ops exists and adding one touches no other
// file. Most entries are added before main(), in one thread; a library that is loaded
// later, and Python's @tf.RegisterGradient, may add more. An entry never moves and is
// never destroyed, so a pointer to one stays good.
//
// Compare    tensorflow/core/framework/op.h, OpRegistry
// Read next  minitf/framework/attrs.h

#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {

template <typename Entry>
class Registry {
 public:
  /// `kind` names the entries in messages, such as "op".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Throws AlreadyExists if there is an entry with this key.
  void Add(const std::string& key, Entry entry) {
    const std::unique_lock lock(mutex_);
    if (!entries_.emplace(key, std::move(entry)).second) {
      throw Error(errors::AlreadyExists(kind_, " '", key, "' is registered twice"));
    }
  }

  /// Adds an entry, in place of the one with this key if there is one. Pointers to the
  /// former entry stay valid.
  void Replace(const std::string& key, Entry entry) {
    const std::unique_lock lock(mutex_);
    if (auto former = entries_.extract(key)) replaced_.push_back(std::move(former));
    entries_.emplace(key, std::move(entry));
  }

  /// The entry of `key`, valid for the life of the program, or null.
  const Entry* Find(std::string_view key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// The entry of `key`. Throws NotFound, with the nearest key there is.
  const Entry& Get(std::string_view key) const {
    if (const Entry* entry = Find(key)) return *entry;
    throw Error(errors::NotFound("no ", kind_, " is registered for '", key, "'",
                                 DidYouMean(key, Keys())));
  }

  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  /// All keys in alphabetical order.
  std::vector<std::string> Keys() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> keys;
    for (const auto& [key, entry] : entries_) keys.push_back(key);
    return keys;
  }

 private:
  using Entries = std::map<std::string, Entry, std::less<>>;

  std::string kind_;
  mutable std::shared_mutex mutex_;
  Entries entries_;
  std::vector<typename Entries::node_type> replaced_;
};

}  // namespace minitf
