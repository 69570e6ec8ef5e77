// Common subexpressions: what is computed twice from the same inputs is computed once.
//
//   y = Exp(x)   z = Exp(x)   w = Mul(y, z)        w = Mul(y, y)
//
// One visit of all nodes finds everything, also in trees that are there twice. Each node
// gets a key; those that may be the same have the same key, and only these are compared.
//
// Never merged is what may give something else the second time: random numbers, reads of
// a variable, placeholders.
//
// Exercise   exercises/07_passes
// Compare    tensorflow/core/graph/optimizer_cse.cc
// Read next  minitf/passes/fusion.cc

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

// Of a larger tensor only the two ends go into the key; nodes whose keys are equal are
// compared in full.
constexpr size_t kKeyBytesOfTensor = 256;

// Nodes and output numbers of what `node` takes, in an order that is the same wherever
// the order makes no difference to the result.
std::vector<std::pair<int, int>> SortedInputs(const Node& node) {
  std::vector<std::pair<int, int>> inputs;
  // LAB(07.3) begin: add the inputs
  for (const auto& [source, index] : node.inputs()) {
    inputs.emplace_back(source->id(), index);
  }
  if (node.op().is_commutative) std::ranges::sort(inputs);
  // LAB(07.3) end
  return inputs;
}

std::vector<int> SortedControlInputs(const Node& node) {
  std::vector<int> inputs;
  for (const Node* input : node.control_inputs()) inputs.push_back(input->id());
  std::ranges::sort(inputs);
  return inputs;
}

std::vector<const Attrs::Entry*> SortedAttrs(const Node& node) {
  std::vector<const Attrs::Entry*> entries;
  for (const Attrs::Entry& entry : node.attrs()) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const Attrs::Entry* entry) { return entry->first; });
  return entries;
}

void AppendTensorKey(const Tensor& tensor, std::string* key) {
  *key += StrCat(tensor.dtype(), tensor.shape());
  if (!IsPlain(tensor.dtype())) return;
  const auto* bytes = static_cast<const char*>(tensor.data());
  const size_t size = tensor.num_bytes();
  const size_t part = std::min(size, kKeyBytesOfTensor);
  key->append(bytes, part);
  key->append(bytes + size - part, part);
}

void AppendAttrKey(const AttrValue& value, std::string* key) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    AppendTensorKey(*tensor, key);
  } else {
    AppendKey(value, key);
  }
}

// Equal for nodes that are the same; almost always different for others.
std::string KeyOf(const Node& node) {
  std::string key;
  // LAB(07.3) begin: put what tells nodes apart into the key
  key = node.type() + '\n' + node.device() + '\n';
  for (const auto& [id, index] : SortedInputs(node)) {
    key += std::to_string(id) + ':' + std::to_string(index) + ',';
  }
  for (const int id : SortedControlInputs(node)) key += '^' + std::to_string(id);
  for (const Attrs::Entry* entry : SortedAttrs(node)) {
    key += '\n' + entry->first + '=';
    AppendAttrKey(entry->second, &key);
  }
  // LAB(07.3) end
  return key;
}

// Whether two nodes of the same key give the same.
bool AreSame(const Node& a, const Node& b) {
  // LAB(07.3) begin: return it
  if (&a.op() != &b.op() || a.device() != b.device()) return false;
  if (SortedInputs(a) != SortedInputs(b)) return false;
  if (SortedControlInputs(a) != SortedControlInputs(b)) return false;
  const auto a_attrs = SortedAttrs(a);
  const auto b_attrs = SortedAttrs(b);
  return std::ranges::equal(
      a_attrs, b_attrs, [](const Attrs::Entry* x, const Attrs::Entry* y) {
        return x->first == y->first && AttrEquals(x->second, y->second);
      });
  // LAB(07.3) end
}

}  // namespace

void MergeCommonSubexpressions(GraphEditor* editor, const PassOptions&) {
  std::unordered_map<std::string, std::vector<int>> seen;  // ids, by key
  for (const int id : editor->InOrder()) {
    // LAB(07.4) begin: merge the node with an earlier one that is the same
    Node* node = editor->node(id);
    if (node == nullptr || !IsPure(*node)) continue;
    std::vector<int>& candidates = seen[KeyOf(*node)];
    const auto same = std::ranges::find_if(candidates, [&](int candidate) {
      const Node* other = editor->node(candidate);
      return other != nullptr && AreSame(*other, *node);
    });
    if (same != candidates.end() && editor->Merge(node, editor->node(*same))) continue;
    candidates.push_back(id);
    // LAB(07.4) end
  }
}

}  // namespace minitf
