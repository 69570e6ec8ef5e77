// The observer there is, and what becomes of findings without one.
//
// Read next  kernels/simt/runtime/fiber.h

#include "kernels/simt/runtime/observer.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

Observer* the_observer = nullptr;
std::mutex last_mutex;
// The latest text, whichever device it is about, until it is taken: with two devices it
// may be told with an error of the other one.
std::string last;

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
  const std::string text = Text(finding.kind, ": ", finding.message, place);
  std::fprintf(stderr, "simt: ERROR %s\n", text.c_str());
  // A thread that was ended while it held the mutex holds it for ever.
  if (const std::unique_lock lock(last_mutex, std::try_to_lock); lock) last = text;
}

std::string TakeReport() {
  const std::unique_lock lock(last_mutex, std::try_to_lock);
  return lock ? std::exchange(last, "") : "";
}

}  // namespace simt
