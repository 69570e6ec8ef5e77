#include <tuple>

    // TODO(13.3) begin
    for (const std::string_view text : *classes) {
      if (!text.starts_with(kColocationPrefix)) continue;
      const std::string_view name = text.substr(kColocationPrefix.size());
      const auto [first, is_new] = first_of_class.try_emplace(name, node);
      if (is_new) {
        if (Node* named = graph_.FindNode(name); named != nullptr) first->second = named;
      }
      Merge(first->second, node, StrCat("which are both at '", name, "'"),
            Code::kInvalidArgument);
    }
    // TODO(13.3) end

      // TODO(13.3) begin
      DeviceName wanted = makers->wanted;
      const bool fits = wanted.Merge(takers->wanted).ok();
      if (fits || !takers->makes_resource) {
        JoinGroups(makers, takers, wanted);
        continue;
      }
      Merge(input.node, node,
            StrCat("as the second takes a handle of the first but its group makes a "
                   "resource, too"),
            Code::kInvalidArgument);
      // TODO(13.3) end

  // TODO(13.4) begin
  return std::ranges::none_of(
      group.members, [&](const Node* node) { return !HasKernel(*node, device); });
  // TODO(13.4) end

  // TODO(13.4) begin
  const auto matching = devices_.Matching(wanted);
  const auto found = std::ranges::find_if(
      matching, [&](const NamedDevice* device) { return CanRun(group, *device); });
  return found == matching.end() ? nullptr : *found;
  // TODO(13.4) end

  // TODO(13.4) begin
  DeviceName process;
  std::tie(process.job, process.replica, process.task) =
      std::tie(group.wanted.job, group.wanted.replica, group.wanted.task);
  std::vector<const DeviceName*> wishes = {&group.wanted};
  if (options_.allow_soft_placement) wishes.push_back(&process);
  for (const DeviceName* wish : wishes) {
    if (const NamedDevice* device = FirstThatFits(group, *wish)) return device;
  }
  ThrowNoDevice(group);
  // TODO(13.4) end

  // TODO(13.5) begin
  if (node.inputs().empty() || !node.facts().reads_shapes_only) return nullptr;
  const NamedDevice* device = GroupOf(node.inputs().front().node).device;
  return device != nullptr && HasKernel(node, *device) ? device : nullptr;
  // TODO(13.5) end

  // TODO(13.5) begin
  if (!node.inputs().empty() || node.num_outputs() != 1) return nullptr;
  std::set<const NamedDevice*> places;
  for (const Use& use : consumers.Of(&node)) {
    if (!use.is_control()) places.insert(GroupOf(use.consumer).device);
  }
  if (places.size() != 1) return nullptr;
  const NamedDevice* device = *places.begin();
  return device != nullptr && HasKernel(node, *device) ? device : nullptr;
  // TODO(13.5) end

  // TODO(13.6) begin
  const auto asks = [](const Node* node) { return !node->device().empty(); };
  const auto found = std::ranges::find_if(group.members, asks);
  const Node& node = found == group.members.end() ? *group.members.front() : **found;
  const std::string asked =
      group.members.size() == 1 ? node.device() : group.wanted.ToString();
  const auto& type = group.wanted.type;
  const std::string reason =
      devices_.Matching(group.wanted).empty()
          ? StrCat("node ", node.name(), Origin(node), " was explicitly assigned to ",
                   asked, " but available devices are [ ", devices_.Names(),
                   " ]. Make sure the device specification refers to a valid device.")
          : StrCat("Could not satisfy explicit device specification '", asked,
                   "' because no supported kernel for ",
                   type ? StrCat(*type, " devices") : "any one of the devices",
                   " is available.");
  throw ErrorAt(node, Code::kInvalidArgument,
                StrCat("Cannot assign a device for operation ", node.name(), ": ", reason,
                       DescribeMembers(group)));
  // TODO(13.6) end
