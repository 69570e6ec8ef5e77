  // TODO(02.7) begin
  const auto tied = [](const KernelKey& key) {
    auto types = key.types;
    std::ranges::sort(types);
    return std::tuple(key.device, key.label, key.priority, std::move(types));
  };
  return tied(a) == tied(b);
  // TODO(02.7) end

  // TODO(02.7) begin
  return key.device == device && key.label == label &&
         std::ranges::none_of(key.types, [&attrs](const auto& type) {
           const AttrValue* value = attrs.Find(type.first);
           return value == nullptr || !AttrEquals(*value, type.second);
         });
  // TODO(02.7) end

  // TODO(02.7) begin
  std::vector<const KernelDef*> fitting;
  for (const auto& kernel : kernels) {
    if (Fits(kernel->key, attrs, device, label)) fitting.push_back(kernel.get());
  }
  std::ranges::stable_sort(fitting, std::ranges::greater(), [](const KernelDef* kernel) {
    return kernel->key.priority;
  });
  if (!fitting.empty()) best = fitting[0];
  if (fitting.size() > 1 && fitting[1]->key.priority == best->key.priority) {
    rival = fitting[1];
  }
  // TODO(02.7) end

  // TODO(02.7) begin
  std::ranges::transform(KernelsOf(op.name), std::back_inserter(registered),
                         &KernelDef::key);
  // TODO(02.7) end

  // TODO(02.7) begin
  const bool is_there = std::ranges::any_of(kernels, [&kernel](const auto& other) {
    return IsSameKey(other->key, kernel.key());
  });
  if (is_there) {
    throw Error(errors::AlreadyExists("kernel ", kernel.key().op, " on ", kernel.key(),
                                      " is registered twice"));
  }
  // TODO(02.7) end
