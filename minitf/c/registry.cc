// The version, libraries of ops, lists of ops and kernels, and the log.

#include <memory>
#include <string>
#include <vector>

#include "minitf/base/logging.h"
#include "minitf/c/c_api.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/c/op_messages.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"

struct TF_Library {
  std::string op_list;
};

namespace c = minitf::c;
using Libraries = c::LiveObjects<TF_Library>;

const char* TF_Version(void) { return "1.15.0"; }

TF_Library* TF_LoadLibrary(const char* library_filename, TF_Status* status) {
  return c::Guarded<TF_Library*>(status, nullptr, [&] {
    const auto ops =
        minitf::LoadOpLibrary(c::TextOf(library_filename, "library_filename"));
    return Libraries::Add(std::make_shared<TF_Library>(
        TF_Library{c::OpListBytes(std::vector<std::string>(ops.begin(), ops.end()))}));
  });
}

TF_Buffer TF_GetOpList(TF_Library* lib_handle) {
  return c::Guarded(nullptr, TF_Buffer{nullptr, 0, nullptr}, [&] {
    const std::string& bytes = Libraries::Get(lib_handle, "lib_handle")->op_list;
    return TF_Buffer{bytes.data(), bytes.size(), nullptr};
  });
}

void TF_DeleteLibraryHandle(TF_Library* lib_handle) {
  c::Guarded(nullptr, [&] { Libraries::Remove(lib_handle); });
}

TF_Buffer* TF_GetAllOpList(void) {
  return c::Guarded<TF_Buffer*>(nullptr, nullptr, [] {
    return c::NewBuffer(c::OpListBytes(minitf::Ops().Keys()));
  });
}

TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status) {
  return c::Guarded<TF_Buffer*>(status, nullptr, [] {
    return c::NewBuffer(c::KernelListBytes(minitf::OpsWithKernels()));
  });
}

TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status) {
  return c::Guarded<TF_Buffer*>(status, nullptr, [&] {
    return c::NewBuffer(c::KernelListBytes({c::TextOf(name, "name")}));
  });
}

void TF_RegisterLogListener(void (*listener)(const char*)) {
  if (listener != nullptr) c::Guarded(nullptr, [&] { minitf::AddLogListener(listener); });
}
