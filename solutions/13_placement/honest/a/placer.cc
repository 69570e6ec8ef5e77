    // TODO(13.3) begin
    for (const std::string& text : *classes) {
      std::string_view named = text;
      if (!named.starts_with(kColocationPrefix)) continue;
      named.remove_prefix(kColocationPrefix.size());
      const auto [found, is_new] = first_of_class.try_emplace(named, node);
      if (is_new) {
        // The node that the class is named after, if it runs in this step.
        Node* const leader = graph_.FindNode(named);
        if (leader != nullptr) found->second = leader;
      }
      Merge(found->second, node, StrCat("which are in the class 'loc:@", named, "'"),
            Code::kInvalidArgument);
    }
    // TODO(13.3) end

      // TODO(13.3) begin
      const bool fits = makers->wanted.IsCompatibleWith(takers->wanted);
      if (fits || takers->makes_resource) {
        Merge(input.node, node,
              StrCat("as the second takes the handle '", input.name(), "'"),
              Code::kInvalidArgument);
      } else {
        LogLine(__FILE__, __LINE__).stream()
            << "node '" << node->name() << "' takes the handle '" << input.name()
            << "', which is on '" << makers->wanted << "'; the device '"
            << takers->wanted << "' that was asked for is ignored";
        JoinGroups(makers, takers, makers->wanted);
      }
      // TODO(13.3) end

  // TODO(13.4) begin
  return std::ranges::all_of(
      group.members, [&](const Node* node) { return HasKernel(*node, device); });
  // TODO(13.4) end

  // TODO(13.4) begin
  for (const NamedDevice* device : devices_.Matching(wanted)) {
    if (CanRun(group, *device)) return device;
  }
  return nullptr;
  // TODO(13.4) end

  // TODO(13.4) begin
  const NamedDevice* device = FirstThatFits(group, group.wanted);
  if (device == nullptr && options_.allow_soft_placement) {
    DeviceName process = group.wanted;
    process.type.reset();
    process.index.reset();
    device = FirstThatFits(group, process);
  }
  if (device == nullptr) ThrowNoDevice(group);
  return device;
  // TODO(13.4) end

  // TODO(13.5) begin
  if (node.inputs().empty() || !node.facts().reads_shapes_only) return nullptr;
  const NamedDevice* device = GroupOf(node.inputs().front().node).device;
  return device != nullptr && HasKernel(node, *device) ? device : nullptr;
  // TODO(13.5) end

  // TODO(13.5) begin
  if (!node.inputs().empty() || node.num_outputs() != 1) return nullptr;
  const NamedDevice* common = nullptr;
  for (const Use& use : consumers.Of(&node)) {
    if (use.is_control()) continue;
    const NamedDevice* device = GroupOf(use.consumer).device;
    // One that is not placed yet may come to be anywhere.
    if (device == nullptr || (common != nullptr && device != common)) return nullptr;
    common = device;
  }
  return common != nullptr && HasKernel(node, *common) ? common : nullptr;
  // TODO(13.5) end

  // TODO(13.6) begin
  const auto asking = std::ranges::find_if(
      group.members, [](const Node* node) { return !node->device().empty(); });
  const Node& node = asking != group.members.end() ? **asking : *group.members.front();
  const std::string asked =
      group.members.size() == 1 ? node.device() : group.wanted.ToString();
  std::string reason;
  if (devices_.Matching(group.wanted).empty()) {
    reason = StrCat("node ", node.name(), Origin(node), " was explicitly assigned to ",
                    asked, " but available devices are [ ", devices_.Names(),
                    " ]. Make sure the device specification refers to a valid device.");
  } else {
    reason = StrCat("Could not satisfy explicit device specification '", asked,
                    "' because no supported kernel for ",
                    group.wanted.type.value_or("any one of the"),
                    " devices is available.");
  }
  throw ErrorAt(node, Code::kInvalidArgument,
                StrCat("Cannot assign a device for operation ", node.name(), ": ", reason,
                       DescribeMembers(group)));
  // TODO(13.6) end
