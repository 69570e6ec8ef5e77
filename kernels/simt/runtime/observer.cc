// The observer there is, and what becomes of findings without one.
//
// Read next  kernels/simt/runtime/fiber.h

#include "kernels/simt/runtime/observer.h"

#include <cstdio>
#include <utility>

#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

Observer* the_observer = nullptr;

}  // namespace

Observer* observer() { return the_observer; }

void SetObserver(Observer* observer) { the_observer = observer; }

std::string NameOf(uint3 thread, uint3 block) {
  const auto text = [](uint3 i) { return Text('(', i.x, ',', i.y, ',', i.z, ')'); };
  return Text("thread ", text(thread), " of block ", text(block));
}

void Report(Finding finding) {
  if (observer()) return observer()->Found(std::move(finding));
  std::string place;
  for (const Site& site : finding.places) {
    if (site.file != nullptr) place += Text("\n  at ", site.file, ":", site.line);
  }
  std::fprintf(stderr, "simt: ERROR %s: %s%s\n", finding.kind.c_str(),
               finding.message.c_str(), place.c_str());
}

}  // namespace simt
