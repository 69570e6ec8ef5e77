// UseTable: short lists are searched, long ones have an index.

#include "minitf/passes/use_table.h"

#include <algorithm>

namespace minitf {
namespace {

// Searching fewer uses than this is faster than keeping an index.
constexpr size_t kMaxSearched = 64;

}  // namespace

UseTable::Key UseTable::KeyOf(const Use& use) {
  return (Key{use.consumer->id()} << 32) + use.input + 1;
}

bool UseTable::Has(const Node* used, const Use& use) const {
  const List& list = lists_[used->id()];
  if (!list.index.empty()) return list.index.contains(KeyOf(use));
  return std::ranges::count(list.uses, KeyOf(use), &UseTable::KeyOf) > 0;
}

void UseTable::Add(const Node* used, const Use& use) {
  List& list = lists_[used->id()];
  list.uses.push_back(use);
  if (!list.index.empty()) {
    list.index[KeyOf(use)] = list.uses.size() - 1;
  } else if (list.uses.size() > kMaxSearched) {
    for (size_t i = 0; i < list.uses.size(); ++i) list.index[KeyOf(list.uses[i])] = i;
  }
}

void UseTable::Remove(const Node* used, const Use& use) {
  List& list = lists_[used->id()];
  if (list.index.empty()) {
    const auto found = std::ranges::find(list.uses, KeyOf(use), &UseTable::KeyOf);
    if (found != list.uses.end()) list.uses.erase(found);
    return;
  }
  const auto found = list.index.find(KeyOf(use));
  if (found == list.index.end()) return;
  // The last one takes its place.
  const size_t place = found->second;
  list.index.erase(found);
  if (place + 1 < list.uses.size()) {
    list.uses[place] = list.uses.back();
    list.index[KeyOf(list.uses[place])] = place;
  }
  list.uses.pop_back();
}

}  // namespace minitf
