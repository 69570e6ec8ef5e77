// LoadOpLibrary: loading, and finding out which ops belong to which library.

#include "minitf/runtime/op_library.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "minitf/framework/op.h"

namespace minitf {
namespace {

// The result of LoadOpLibrary for one library.
struct LoadedLibrary {
  std::set<std::string> ops;
  Status error;
};

// Adds the ops that the code of `library` registers. It may have been loaded before, by
// another library or by Python's ctypes.
void AddOpsOf(const void* library, std::set<std::string>* ops) {
  for (const std::string& name : Ops().Keys()) {
    Dl_info place;
    void* map = nullptr;
    const void* const address = FindOp(name).registered_at;
    const bool is_known = dladdr1(address, &place, &map, RTLD_DL_LINKMAP) != 0;
    if (is_known && map == library) ops->insert(name);
  }
}

}  // namespace

std::set<std::string> LoadOpLibrary(const std::string& path) {
  static std::recursive_mutex mutex;  // a library may load another one
  static auto& libraries = *new std::map<const void*, LoadedLibrary>();
  const std::lock_guard lock(mutex);
  const std::vector<std::string> before = Ops().Keys();
  Status error;
  Status* const outer = std::exchange(ErrorOfLoad(), &error);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ErrorOfLoad() = outer;
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0)
    throw Error(errors::NotFound("cannot load '", path, "': ", dlerror()));
  LoadedLibrary& library = libraries[map];
  if (library.error.ok()) library.error = error;
  ThrowIfError(library.error.WithPrefix(StrCat("cannot load '", path, "': ")));
  std::ranges::set_difference(Ops().Keys(), before,
                              std::inserter(library.ops, library.ops.end()));
  AddOpsOf(map, &library.ops);
  return library.ops;
}

}  // namespace minitf
