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

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/base/name_table.h"
#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {

template <typename Entry>
class Registry {
 public:
  /// `kind` names the entries in messages, such as "op".
  explicit Registry(std::string kind) : table_(std::move(kind)) {}

  /// Throws AlreadyExists if there is an entry with this key.
  void Add(const std::string& key, Entry entry) {
    table_.Add(key, Hold(std::move(entry)));
  }

  /// Adds an entry, in place of the one with this key if there is one. Pointers to the
  /// former entry stay valid.
  void Replace(const std::string& key, Entry entry) {
    table_.Replace(key, Hold(std::move(entry)));
  }

  /// The entry of `key`, valid for the life of the program, or null.
  const Entry* Find(std::string_view key) const {
    return static_cast<const Entry*>(table_.Find(key));
  }

  /// The entry of `key`. Throws NotFound, with the nearest key there is.
  const Entry& Get(std::string_view key) const {
    return *static_cast<const Entry*>(table_.Get(key));
  }

  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  /// All keys in alphabetical order.
  std::vector<std::string> Keys() const { return table_.Keys(); }

 private:
  static NameTable::Entry Hold(Entry entry) {
    return std::make_shared<const Entry>(std::move(entry));
  }

  NameTable table_;
};

}  // namespace minitf
