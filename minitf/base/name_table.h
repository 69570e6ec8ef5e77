// NameTable: names, and what stands for each.
//
// It holds entries of any one type without knowing which: Registry
// (minitf/framework/registry.h) puts the type around it. Many threads may use it at once.
// An entry never moves and is never destroyed, so a pointer to one stays good.
//
// Read next  minitf/base/scanner.h

#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace minitf {

class NameTable {
 public:
  using Entry = std::shared_ptr<const void>;

  /// `kind` names the entries in messages, such as "op".
  explicit NameTable(std::string kind);
  ~NameTable();

  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  /// Throws AlreadyExists "op 'Sin' is registered twice" if there is an entry with this
  /// key; that one stays.
  void Add(const std::string& key, Entry entry);

  /// Adds an entry, in place of the one with this key if there is one. Pointers to the
  /// former entry stay valid.
  void Replace(const std::string& key, Entry entry);

  /// The entry of `key`, or null.
  const void* Find(std::string_view key) const;

  /// The entry of `key`. Throws NotFound "no op is registered for 'Sim'", followed by
  /// what DidYouMean says.
  const void* Get(std::string_view key) const;

  /// All keys in alphabetical order.
  std::vector<std::string> Keys() const;

 private:
  const std::string kind_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<Entry> replaced_;
};

}  // namespace minitf
