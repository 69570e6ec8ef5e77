// Findings: what check mode has found, each once, as text and as JSON.
//
// Read next  kernels/simt/check/profile.h

#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/simt/runtime/observer.h"

namespace simt {

class Findings {
 public:
  struct Counted {
    Finding finding;
    int count = 1;
  };

  /// Counts a finding of the same kind at the same places, or adds it, and prints it to
  /// stderr unless this is quiet or enough are printed.
  void Add(Finding finding);

  /// In the order in which they were found.
  const std::vector<Counted>& all() const { return all_; }

  /// Those that are no notes.
  int num_errors() const;

  /// As they are printed. The same for the same findings, byte for byte.
  std::string text(bool with_notes = true) const;

  /// [{"kind":..,"space":..,"file":..,"lines":[..],"count":..,"note":..}], sorted.
  std::string json() const;

  void set_quiet(bool is_quiet) { is_quiet_ = is_quiet; }
  void Clear();

 private:
  std::vector<Counted> all_;
  std::map<std::string, size_t> places_;  // of findings in all_
  bool is_quiet_ = false;
};

/// A text as JSON has it, with its quotes.
std::string Quoted(const std::string& text);

}  // namespace simt
