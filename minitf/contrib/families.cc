// The list of families.

#include "minitf/contrib/families.h"

#include <mutex>
#include <set>
#include <utility>

namespace minitf {
namespace {

struct Families {
  std::mutex mutex;
  std::set<std::string> names;  // guarded by mutex
};

Families& AllFamilies() {
  static auto& families = *new Families;
  return families;
}

}  // namespace

FamilyRegistrar::FamilyRegistrar(std::string name) {
  Families& families = AllFamilies();
  const std::lock_guard lock(families.mutex);
  families.names.insert(std::move(name));
}

std::vector<std::string> BuiltFamilies() {
  Families& families = AllFamilies();
  const std::lock_guard lock(families.mutex);
  return {families.names.begin(), families.names.end()};
}

}  // namespace minitf
