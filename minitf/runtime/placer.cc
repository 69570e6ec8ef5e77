// The placer: groups of nodes, what each group asks for, and where it goes.
//
// Exercise   exercises/13_placement

#include "minitf/runtime/placer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "minitf/base/logging.h"
#include "minitf/base/text.h"
#include "minitf/graph/consumers.h"
#include "minitf/graph/loop_frames.h"

namespace minitf {
namespace {

constexpr std::string_view kColocationPrefix = "loc:@";

bool IsArgOrRetval(const Node& node) {
  return node.role() == OpRole::kArg || node.role() == OpRole::kRetval;
}

bool MakesResource(const Node& node) {
  const auto has_resource = [](const std::vector<DType>& types) {
    return std::ranges::find(types, DType::kResource) != types.end();
  };
  return has_resource(node.signature().output_types) &&
         !has_resource(node.signature().input_types);
}

// Whether the device is all the user's choice, so that the placer may save a transfer.
bool AsksForNothing(const DeviceName& wanted) { return !wanted.type && !wanted.index; }

Error ErrorAt(const Node& node, Code code, std::string message) {
  return Error(Status(code, std::move(message)).AtNode(node.name()));
}

// " (defined at train.py:12)", or "".
std::string Origin(const Node& node) {
  return node.origin().empty() ? "" : StrCat(" (defined at ", node.origin(), ')');
}

// Nodes that share a device, found by union and find: each node points to another of its
// group, and in the end to the one that stands for it.
struct Group {
  std::vector<Node*> members;
  DeviceName wanted;
  bool makes_resource = false;
  const NamedDevice* device = nullptr;
};

class Placer {
 public:
  Placer(StepGraph* step, const DeviceSet& devices, const PlacerOptions& options)
      : graph_(*step->graph),
        nodes_(graph_.nodes()),
        devices_(devices),
        options_(options),
        parents_(graph_.num_nodes()),
        groups_(graph_.num_nodes()),
        has_kernel_(graph_.num_nodes()) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  void FindGroups() {
    for (Node* node : nodes_) {
      groups_[node->id()] = {{node}, Wanted(*node), MakesResource(*node), nullptr};
    }
    JoinColocated();
    JoinResources();
    JoinLoops();
  }

  void ChooseDevices();

  // Writes the devices into the nodes. Whether all are the host.
  bool Finish() {
    bool all_on_host = true;
    for (Node* node : nodes_) {
      const NamedDevice* device = GroupOf(node).device;
      all_on_host = all_on_host && device == &devices_.host();
      if (node->device() != device->name()) graph_.SetDevice(node, device->name());
    }
    return all_on_host;
  }

 private:
  int Find(int id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
  }
  Group& GroupOf(const Node* node) { return groups_[Find(node->id())]; }

  DeviceName Wanted(const Node& node);
  void JoinGroups(Group* group, Group* other, const DeviceName& wanted);
  void JoinColocated();
  void JoinLoops();
  void JoinResources();
  void Merge(Node* node, Node* other, const std::string& why, Code code);

  bool HasKernel(const Node& node, const NamedDevice& device);
  bool CanRun(const Group& group, const NamedDevice& device);
  const NamedDevice* FirstThatFits(const Group& group, const DeviceName& wanted);
  const NamedDevice* DeviceFor(const Group& group);
  const NamedDevice* BesideInput(const Node& node);
  const NamedDevice* BesideConsumers(const Node& node, const Consumers& consumers);
  [[noreturn]] void ThrowNoDevice(const Group& group);
  std::string DescribeMembers(const Group& group);

  Graph& graph_;
  const std::vector<Node*> nodes_;
  const DeviceSet& devices_;
  const PlacerOptions options_;
  std::vector<int> parents_;
  std::vector<Group> groups_;  // by id of the node that stands for it
  std::vector<std::array<signed char, 2>> has_kernel_;  // 0: not known; 1: yes; -1: no
  std::unordered_map<std::string, DeviceName> parsed_names_;
};

// What `node` asks for itself. Feeds come in at the host, and fetches go out there.
DeviceName Placer::Wanted(const Node& node) {
  if (IsArgOrRetval(node)) return devices_.host().parsed_name();
  if (node.device().empty()) return {};
  const auto [found, is_new] = parsed_names_.try_emplace(node.device());
  if (is_new) {
    const Status status = DeviceName::Parse(node.device(), &found->second);
    if (!status.ok()) {
      throw ErrorAt(node, status.code(),
                    StrCat("node ", node.name(), Origin(node), ": ", status.message()));
    }
  }
  return found->second;
}

// ---- Groups ---------------------------------------------------------------------------

void Placer::JoinGroups(Group* group, Group* other, const DeviceName& wanted) {
  parents_[Find(other->members.front()->id())] = Find(group->members.front()->id());
  group->wanted = wanted;
  group->makes_resource = group->makes_resource || other->makes_resource;
  group->members.insert(group->members.end(), other->members.begin(),
                        other->members.end());
  *other = {};
}

// Makes one group of those of two nodes. An error with `code` if they contradict.
void Placer::Merge(Node* node, Node* other, const std::string& why, Code code) {
  Group* group = &GroupOf(node);
  Group* joining = &GroupOf(other);
  if (group == joining) return;
  DeviceName wanted = group->wanted;
  const Status status = wanted.Merge(joining->wanted, options_.allow_soft_placement);
  if (!status.ok()) {
    throw ErrorAt(
        *other, code,
        StrCat("Cannot colocate nodes '", node->name(), "'", Origin(*node), " and '",
               other->name(), "'", Origin(*other), ", ", why, ": ", status.message(),
               DescribeMembers(*group), DescribeMembers(*joining)));
  }
  if (group->members.size() < joining->members.size()) std::swap(group, joining);
  JoinGroups(group, joining, wanted);
}

// Joins every node with those that its attribute _class names.
void Placer::JoinColocated() {
  std::unordered_map<std::string_view, Node*> first_of_class;
  for (Node* node : nodes_) {
    const AttrValue* attr = node->attrs().Find("_class");
    const auto* classes = attr ? std::get_if<std::vector<std::string>>(attr) : nullptr;
    if (classes == nullptr) continue;
    // LAB(13.3) begin: `Merge` the node with the first one of each class that it is in
    for (const std::string_view text : *classes) {
      if (!text.starts_with(kColocationPrefix)) continue;
      // The node itself may not be part of this step; those that name it are.
      const auto name = text.substr(kColocationPrefix.size());
      Node* named = graph_.FindNode(name);
      Node* first = first_of_class.try_emplace(name, named ? named : node).first->second;
      Merge(first, node, StrCat("which share the class '", text, "'"),
            Code::kInvalidArgument);
    }
    // LAB(13.3) end
  }
}

// Joins the nodes of each loop, except those that ask for another device. A Merge, its
// Enter and its NextIteration are always on one device.
void Placer::JoinLoops() {
  const LoopFrames loops(graph_);
  if (!loops.has_loops()) return;
  std::unordered_map<int, Node*> first_of_loop;
  for (Node* node : nodes_) {
    const int loop = loops.LoopOf(node);
    if (loop == LoopFrames::kNoLoop) continue;
    for (const Output& input : node->inputs()) {
      const bool goes_around = node->role() == OpRole::kMerge &&
                               (input.node->role() == OpRole::kEnter ||
                                input.node->role() == OpRole::kNextIteration);
      Group* merges = &GroupOf(node);
      Group* others = &GroupOf(input.node);
      if (!goes_around || merges == others) continue;
      JoinGroups(merges, others, DeviceName(merges->wanted));
    }
    Node* first = first_of_loop.try_emplace(loop, node).first->second;
    if (!GroupOf(first).wanted.IsCompatibleWith(GroupOf(node).wanted)) continue;
    Merge(first, node, StrCat("which are in the loop '", loops.NameOf(loop), "'"),
          Code::kInvalidArgument);
  }
}

// A node that takes a handle goes where the handle was made. The device that it asks for
// itself counts only as far as that allows.
void Placer::JoinResources() {
  for (Node* node : nodes_) {
    if (IsArgOrRetval(*node)) continue;
    for (const Output& input : node->inputs()) {
      Group* makers = &GroupOf(input.node);
      Group* takers = &GroupOf(node);
      if (input.dtype() != DType::kResource || makers == takers) continue;
      if (IsArgOrRetval(*input.node)) continue;
      // LAB(13.3) begin: one group of two; of two that contradict, the makers decide
      if (takers->makes_resource || takers->wanted.IsCompatibleWith(makers->wanted)) {
        Merge(input.node, node, "which use one resource", Code::kInvalidArgument);
        continue;
      }
      VLOG(1) << "Ignoring device specification " << takers->wanted << " for node '"
              << node->name() << "' because its resource '" << input.node->name()
              << "' is on " << makers->wanted;
      JoinGroups(makers, takers, DeviceName(makers->wanted));
      // LAB(13.3) end
    }
  }
}

// ---- Devices --------------------------------------------------------------------------

// Whether `device` can run `node`. What no device can run counts as runnable on all: the
// error comes when its kernel is made, and says what there is instead. A GPU takes what
// it has no kernel of its own for only where it was asked for, and nothing else may be
// chosen.
bool Placer::HasKernel(const Node& node, const NamedDevice& device) {
  const auto& type = GroupOf(&node).wanted.type;
  const bool takes_all = type.has_value() && !options_.allow_soft_placement;
  const auto known = [&](const NamedDevice& asked) {
    signed char& answer = has_kernel_[node.id()][asked.is_cpu() ? 0 : 1];
    if (answer == 0) {
      const auto& [op, attrs, signature] =
          std::tie(node.op(), node.attrs(), node.signature());
      const bool has = takes_all ? asked.HasKernel(op, attrs, signature)
                                 : asked.HasOwnKernel(op, attrs, signature);
      answer = has ? 1 : -1;
    }
    return answer > 0;
  };
  return known(device) ||
         std::ranges::none_of(devices_.devices(),
                              [&](const auto& other) { return known(*other); });
}

bool Placer::CanRun(const Group& group, const NamedDevice& device) {
  // LAB(13.4) begin: whether it has a kernel for each member
  return std::ranges::all_of(group.members,
                             [&](const Node* node) { return HasKernel(*node, device); });
  // LAB(13.4) end
}

const NamedDevice* Placer::FirstThatFits(const Group& group, const DeviceName& wanted) {
  // LAB(13.4) begin: the first device that fits `wanted` and can run the group, or null
  for (const NamedDevice* device : devices_.Matching(wanted)) {
    if (CanRun(group, *device)) return device;
  }
  return nullptr;
  // LAB(13.4) end
}

// The device of the group. Throws if there is none.
const NamedDevice* Placer::DeviceFor(const Group& group) {
  // LAB(13.4) begin: what was asked for; then, if that is allowed, less; or the error
  if (const NamedDevice* device = FirstThatFits(group, group.wanted)) return device;
  if (options_.allow_soft_placement) {
    DeviceName process = group.wanted;
    process.type.reset();
    process.index.reset();
    if (const NamedDevice* device = FirstThatFits(group, process)) return device;
  }
  ThrowNoDevice(group);
  // LAB(13.4) end
}

// Where the input is, for a node that needs no more than its shape; else null.
const NamedDevice* Placer::BesideInput(const Node& node) {
  // LAB(13.5) begin: look at the device of its first input
  if (!node.facts().reads_shapes_only) return nullptr;
  const NamedDevice* device = GroupOf(node.inputs()[0].node).device;
  return device != nullptr && HasKernel(node, *device) ? device : nullptr;
  // LAB(13.5) end
}

// Where all consumers are, for a node that has no inputs and one output; else null.
const NamedDevice* Placer::BesideConsumers(const Node& node, const Consumers& consumers) {
  // LAB(13.5) begin: the one device of all nodes that take its output
  if (!node.inputs().empty() || node.num_outputs() != 1) return nullptr;
  const NamedDevice* shared = nullptr;
  for (const Use& use : consumers.Of(&node)) {
    if (use.is_control()) continue;
    const NamedDevice* other = GroupOf(use.consumer).device;
    if (other == nullptr || (shared != nullptr && other != shared)) return nullptr;
    shared = other;
  }
  return shared != nullptr && HasKernel(node, *shared) ? shared : nullptr;
  // LAB(13.5) end
}

void Placer::ChooseDevices() {
  std::vector<Group*> open;  // those that ask for nothing, to be placed near others
  for (Node* node : nodes_) {
    Group& group = GroupOf(node);
    if (group.members.front() != node) continue;
    const bool may_choose = group.members.size() == 1 && AsksForNothing(group.wanted) &&
                            (node->inputs().empty() || node->facts().reads_shapes_only) &&
                            !group.makes_resource;
    if (may_choose) {
      open.push_back(&group);
    } else {
      group.device = DeviceFor(group);
    }
  }
  if (open.empty()) return;
  const Consumers consumers(graph_);
  for (Group* group : open) {
    const Node& node = *group->members.front();
    const NamedDevice* device = BesideInput(node);
    if (device == nullptr) device = BesideConsumers(node, consumers);
    const bool fits = device != nullptr && group->wanted.Covers(device->parsed_name());
    group->device = fits ? device : DeviceFor(*group);
  }
}

// ---- Messages -------------------------------------------------------------------------

// What each member of a group asked for, and where it could run: one line each. "" for a
// group of one, about which the message says it all.
std::string Placer::DescribeMembers(const Group& group) {
  constexpr size_t kMostShown = 20;
  if (group.members.size() < 2) return "";
  std::string text = "\nColocation group:";
  for (size_t i = 0; i < std::min(kMostShown, group.members.size()); ++i) {
    const Node& node = *group.members[i];
    std::set<std::string_view> types;
    for (const auto& device : devices_.devices()) {
      if (HasKernel(node, *device)) types.insert(device->type());
    }
    text += StrCat("\n  ", node.name(), " (", node.type(), ") requested '", node.device(),
                   "', supported on [", Join(types, ", "), "]");
  }
  if (group.members.size() > kMostShown) {
    text += StrCat("\n  and ", group.members.size() - kMostShown, " more");
  }
  return text;
}

// Either there is no such device, or none of them has a kernel:
//   Cannot assign a device for operation a: node a (defined at a.py:12) was explicitly
//   assigned to /gpu:9 but available devices are [ ... ]. Make sure the device
//   specification refers to a valid device.
//   Cannot assign a device for operation a: Could not satisfy explicit device
//   specification '/gpu:0' because no supported kernel for GPU devices is available.
// A node alone is quoted as it asked, a group with what it asks for together.
void Placer::ThrowNoDevice(const Group& group) {
  // LAB(13.6) begin: throw ErrorAt a member that asked for a device, with both reasons
  const auto asker = std::ranges::find_if(
      group.members, [](const Node* node) { return !node->device().empty(); });
  const Node& node = asker == group.members.end() ? *group.members.front() : **asker;
  const std::string wanted =
      group.members.size() == 1 ? node.device() : group.wanted.ToString();
  std::string message;
  if (devices_.Matching(group.wanted).empty()) {
    message = StrCat("node ", node.name(), Origin(node), " was explicitly assigned to ",
                     wanted, " but available devices are [ ", devices_.Names(),
                     " ]. Make sure the device specification refers to a valid device.");
  } else {
    message =
        StrCat("Could not satisfy explicit device specification '", wanted,
               "' because no supported kernel for ",
               group.wanted.type.value_or("any one of the"), " devices is available.");
  }
  throw ErrorAt(node, Code::kInvalidArgument,
                StrCat("Cannot assign a device for operation ", node.name(), ": ",
                       message, DescribeMembers(group)));
  // LAB(13.6) end
}

// Whether there is nothing to decide: no node asks, and the host is preferred to all.
bool AllGoToHost(const std::vector<Node*>& nodes, const DeviceSet& devices) {
  return devices.Matching({}).front() == &devices.host() &&
         std::ranges::all_of(nodes,
                             [](const Node* node) { return node->device().empty(); });
}

}  // namespace

bool PlaceNodes(StepGraph* step, const DeviceSet& devices, const PlacerOptions& options) {
  const auto nodes = step->graph->nodes();
  if (AllGoToHost(nodes, devices)) {
    for (Node* node : nodes) step->graph->SetDevice(node, devices.host().name());
    return true;
  }
  Placer placer(step, devices, options);
  placer.FindGroups();
  placer.ChooseDevices();
  return placer.Finish();
}

std::string PlacementText(const StepGraph& step) {
  std::string text;
  for (const Node* node : step.graph->nodes()) {
    text += StrCat(node->name(), ": (", node->type(), "): ", node->device(), '\n');
  }
  return text;
}

std::string DeviceMappingText(const DeviceSet& devices) {
  std::string lines;
  for (const auto& device : devices.devices()) {
    const std::string& description = device->attributes().physical_device_desc;
    if (device->is_cpu()) continue;
    lines += StrCat(device->name(), " -> ", description, '\n');
  }
  return lines.empty() ? "Device mapping: no known devices.\n"
                       : "Device mapping:\n" + lines;
}

}  // namespace minitf
