// Registry: a table that files fill in before main() starts.
//
// minitf has three of them: ops, kernels and gradients. A file that defines an op adds it
// to the table itself, so adding an op touches no other file. A library that is loaded
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

/// Unless null, where a failed registration of this thread leaves its error. It does not
/// throw then: an exception that leaves a static initializer ends the process.
Status*& ErrorOfLoad();

/// Calls `add`, which registers something.
template <typename Function>
void Register(const Function& add) {
  Status* const load = ErrorOfLoad();
  if (load == nullptr) return add();
  try {
    add();
  } catch (const Error& error) {
    if (load->ok()) *load = error.status();
  }
}

template <typename Entry>
class Registry {
 public:
  explicit Registry(std::string kind) : table_(std::move(kind)) {}

  /// Throws AlreadyExists if there is an entry with this key.
  void Add(const std::string& key, Entry entry) {
    table_.Add(key, Hold(std::move(entry)));
  }

  /// Adds or replaces an entry. Pointers to the former entry stay valid.
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
