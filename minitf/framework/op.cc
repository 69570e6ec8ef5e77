// The op table: building definitions, finding them, loading libraries with more.

#include "minitf/framework/op.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <map>
#include <mutex>
#include <utility>

#include "minitf/base/text.h"

namespace minitf {
namespace {

// Adds the ops that the code of `library` registers. It may have been loaded before, by
// another library or by Python's ctypes.
void AddOpsOf(const void* library, std::set<std::string>* ops) {
  for (const std::string& name : Ops().Keys()) {
    Dl_info place;
    void* map = nullptr;
    const void* const address = FindOp(name).registered_at;
    if (dladdr1(address, &place, &map, RTLD_DL_LINKMAP) == 0) continue;
    if (map == library) ops->insert(name);
  }
}

}  // namespace

OpDef::OpDef() = default;
OpDef::OpDef(const OpDef& other) = default;
OpDef::OpDef(OpDef&& other) noexcept = default;
OpDef& OpDef::operator=(const OpDef& other) = default;
OpDef& OpDef::operator=(OpDef&& other) noexcept = default;
OpDef::~OpDef() = default;

const AttrDef* OpDef::FindAttr(std::string_view attr) const {
  for (const AttrDef& def : attrs) {
    if (def.name == attr) return &def;
  }
  return nullptr;
}

OpDefBuilder::OpDefBuilder(std::string_view name) { def_.name = name; }
OpDefBuilder::~OpDefBuilder() = default;

OpDefBuilder& OpDefBuilder::Input(std::string_view spec) {
  inputs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::Output(std::string_view spec) {
  outputs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::Attr(std::string_view spec) {
  attrs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::SetShapeFn(ShapeFn shape_fn) {
  def_.shape_fn = std::move(shape_fn);
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsCommutative() {
  def_.is_commutative = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsStateful(StateUse use) {
  def_.facts.state = use;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetRole(OpRole role) {
  def_.facts.role = role;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetDependsOnOutside() {
  def_.facts.depends_on_outside = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsIdentity() {
  def_.facts.is_identity = def_.facts.hands_on_input = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetHandsOnInput() {
  def_.facts.hands_on_input = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetLendsOutputs() {
  def_.facts.lends_outputs = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetHasFreshOutputs() {
  def_.facts.has_fresh_outputs = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetForwardsInputs(int count) {
  def_.facts.num_forwarded_inputs = count;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetReleasesInputs() {
  def_.facts.releases_inputs = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetReadsShapesOnly() {
  def_.facts.reads_shapes_only = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsHostOnly() {
  def_.facts.is_host_only = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Doc(std::string_view doc) {
  def_.doc = doc;
  return *this;
}

Registry<OpDef>& Ops() {
  static Registry<OpDef> ops("op");
  return ops;
}

void ThrowNoElement(size_t size, int64_t i, const char* what) {
  ThrowInvalidArgument(what, ' ', i, " does not exist; number of ", what, "s: ", size);
}

const OpDef& FindOp(std::string_view name) {
  if (const OpDef* op = Ops().Find(name)) return *op;
  throw Error(errors::NotFound("Op type not registered '", name, "'",
                               DidYouMean(name, Ops().Keys())));
}

Status*& ErrorOfLoad() {
  thread_local Status* error = nullptr;
  return error;
}

OpRegistrar::OpRegistrar(const OpDefBuilder& builder) {
  const void* const caller = __builtin_return_address(0);
  Register([&] {
    OpDef op = builder.Build();
    op.registered_at = caller;
    const std::string name = op.name;
    Ops().Add(name, std::move(op));
  });
}

std::set<std::string> LoadOpLibrary(const std::string& path) {
  static std::recursive_mutex mutex;  // a library may load another one
  using OpsAndError = std::pair<std::set<std::string>, Status>;
  static auto& libraries = *new std::map<const void*, OpsAndError>();
  const std::lock_guard lock(mutex);
  const std::vector<std::string> before = Ops().Keys();
  Status error;
  Status* const outer = std::exchange(ErrorOfLoad(), &error);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ErrorOfLoad() = outer;
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0)
    throw Error(errors::NotFound("cannot load '", path, "': ", dlerror()));
  auto& [ops, first_error] = libraries[map];
  if (first_error.ok()) first_error = std::move(error);
  ThrowIfError(first_error.WithPrefix(StrCat("cannot load '", path, "': ")));
  std::ranges::set_difference(Ops().Keys(), before, std::inserter(ops, ops.end()));
  AddOpsOf(map, &ops);
  return ops;
}

}  // namespace minitf
