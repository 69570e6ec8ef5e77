// CardLibrary: the environment, the way to the library, and one of them for each card.

#include "kernels/gpu/vendor/card_library.h"

#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <string_view>

#include "minitf/base/library_folder.h"
#include "minitf/base/logging.h"

namespace minitf::gpu {
namespace {

// ---- The environment ------------------------------------------------------------------

// "" if nothing is said.
std::string_view Said(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool SwitchFrom(const char* variable, bool otherwise) {
  const std::string_view said = Said(variable);
  if (said.empty()) return otherwise;
  if (said == "1" || said == "true") return true;
  Require(said == "0" || said == "false", variable, " is '", said,
          "'; expected 0, 1, false or true");
  return false;
}

size_t MegabytesFrom(const char* variable, size_t otherwise) {
  const std::string_view said = Said(variable);
  if (said.empty()) return otherwise;
  size_t megabytes = 0;
  const auto [end, error] =
      std::from_chars(said.data(), said.data() + said.size(), megabytes);
  const bool is_number = error == std::errc() && end == said.data() + said.size();
  Require(is_number && megabytes < size_t{1} << 40, variable, " is '", said,
          "'; expected a number of megabytes");
  return megabytes << 20;
}

// ---- The library ----------------------------------------------------------------------

#if defined(MINITF_CUDA)
std::unique_ptr<VendorLibrary> OpenVendor(Status* why_not) {
  const std::string path =
      FolderOf(reinterpret_cast<void*>(&FindCardLibrary)) + "/libminitf_gpu_vendor.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const open = library == nullptr ? nullptr : dlsym(library, kOpenVendorLibrary);
  if (open == nullptr) {
    *why_not = errors::NotFound(dlerror());
    return nullptr;
  }
  return std::unique_ptr<VendorLibrary>(
      reinterpret_cast<OpenVendorLibrary*>(open)(why_not));
}
#else
std::unique_ptr<VendorLibrary> OpenVendor(Status* why_not) {
  *why_not = errors::NotFound("the card is emulated");
  return nullptr;
}
#endif

// What there is for a card.
struct Found {
  std::unique_ptr<CardLibrary> library;
  Status why_not;
};

// Those of all cards. A stream lives as long as the process.
struct Table {
  std::mutex mutex;  // guards all below
  VendorOpener opener = OpenVendor;
  std::map<const CudaStream*, Found> by_stream;
};

Table& TheTable() {
  static auto* const table = new Table;
  return *table;
}

Found Open(CudaStream* stream, const VendorOpener& opener) {
  const VendorOptions options = VendorOptionsFromEnvironment();
  stream->Use();  // Its card becomes the current one.
  Found found;
  std::unique_ptr<VendorLibrary> library;
  found.why_not = stream->CallWithMemory([&] {
    Status why_not;
    library = opener(&why_not);
    return why_not;
  });
  if (library != nullptr) {
    found.library = std::make_unique<CardLibrary>(std::move(library), *stream, options);
  } else {
    VLOG(1) << "No cuBLAS and cuDNN for card " << stream->card() << ": "
            << found.why_not.message();
  }
  return found;
}

}  // namespace

VendorOptions VendorOptionsFromEnvironment() {
  VendorOptions options;
  ConvOptions& conv = options.convolutions;
  const bool is_deterministic = SwitchFrom("TF_CUDNN_DETERMINISTIC", false) ||
                                SwitchFrom("TF_DETERMINISTIC_OPS", false);
  conv.autotune = SwitchFrom("TF_CUDNN_USE_AUTOTUNE", conv.autotune) && !is_deterministic;
  conv.workspace_limit =
      MegabytesFrom("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", conv.workspace_limit);
  options.use_tf32 = SwitchFrom("MINITF_TF32", options.use_tf32);
  return options;
}

bool CardLibrary::Convolve(ConvCall call, const ConvOperands& operands,
                           const AllocateRoom& allocate, cudaStream_t stream) {
  call.problem.use_tf32 = options_.use_tf32;
  const std::lock_guard lock(mutex_);
  return convolver_.Run(call, operands, allocate, stream);
}

Status CardLibrary::Call(const std::function<Status(VendorLibrary*)>& call) {
  const std::lock_guard lock(mutex_);
  return card_.CallWithMemory([&] { return call(library_.get()); });
}

void CardLibrary::MatMul(MatMulProblem problem, const void* a, const void* b, void* c,
                         cudaStream_t stream) {
  problem.use_tf32 = options_.use_tf32;
  const std::lock_guard lock(mutex_);
  const Status status =
      card_.CallWithMemory([&] { return library_->MatMul(problem, a, b, c, stream); });
  if (status.ok()) return;
  const MatMulSizes& sizes = problem.sizes;
  throw Error(
      {status.code(), StrCat(status.message(), ", for ", sizes.batch, " products of ",
                             sizes.m, "x", sizes.k, " and ", sizes.k, "x", sizes.n)});
}

CardLibrary* FindCardLibrary(CudaStream* stream, std::string* why_not) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  auto found = table.by_stream.find(stream);
  if (found == table.by_stream.end()) {
    found = table.by_stream.emplace(stream, Open(stream, table.opener)).first;
  }
  const Status& status = found->second.why_not;
  *why_not = status.message();
  if (status.code() != Code::kResourceExhausted) return found->second.library.get();
  table.by_stream.erase(found);  // There may be memory later.
  return nullptr;
}

void SetVendorOpener(VendorOpener opener) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  table.by_stream.clear();
  table.opener = std::move(opener);
}

}  // namespace minitf::gpu
