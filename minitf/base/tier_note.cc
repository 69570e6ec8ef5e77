// TierNote: a word on each thread.

#include "minitf/base/tier_note.h"

#include <utility>

namespace minitf {
namespace {

thread_local std::string_view noted;

}  // namespace

void NoteTier(std::string_view tier) { noted = tier; }

std::string_view TakeTierNote() { return std::exchange(noted, {}); }

}  // namespace minitf
