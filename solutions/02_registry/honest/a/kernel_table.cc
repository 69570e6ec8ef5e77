#include <set>

  // TODO(02.7) begin
  using TypeSet = std::set<std::pair<std::string, DType>>;
  const TypeSet a_types(a.types.begin(), a.types.end());
  const TypeSet b_types(b.types.begin(), b.types.end());
  return a.op == b.op && a.device == b.device && a.label == b.label &&
         a.priority == b.priority && a_types == b_types;
  // TODO(02.7) end

  // TODO(02.7) begin
  if (key.device != device || key.label != label) return false;
  for (const auto& [name, dtype] : key.types) {
    const AttrValue* value = attrs.Find(name);
    const DType* given = value == nullptr ? nullptr : std::get_if<DType>(value);
    if (given == nullptr || *given != dtype) return false;
  }
  return true;
  // TODO(02.7) end

  // TODO(02.7) begin
  for (const auto& kernel : kernels) {
    if (!Fits(kernel->key, attrs, device, label)) continue;
    if (best == nullptr || kernel->key.priority > best->key.priority) {
      best = kernel.get();
      rival = nullptr;
    } else if (kernel->key.priority == best->key.priority) {
      rival = kernel.get();
    }
  }
  // TODO(02.7) end

  // TODO(02.7) begin
  for (const KernelDef* kernel : KernelsOf(op.name)) registered.push_back(kernel->key);
  // TODO(02.7) end

  // TODO(02.7) begin
  for (const auto& other : kernels) {
    if (IsSameKey(other->key, kernel.key())) {
      throw Error(errors::AlreadyExists("kernel ", kernel.key().op, " on ", kernel.key(),
                                        " is registered twice"));
    }
  }
  // TODO(02.7) end
