// Shadow memory on mmap.
//
// Read next  kernels/simt/check/checker.cc

#include "kernels/simt/check/shadow.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

namespace simt {

template <typename T>
ZeroArray<T>::ZeroArray(size_t size) {
  if (size == 0) return;
  void* const memory = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = {static_cast<T*>(memory), Unmap{size}};
}

template <typename T>
void ZeroArray<T>::Unmap::operator()(T* data) const {
  munmap(data, size * sizeof(T));
}

template class ZeroArray<Cell>;
template class ZeroArray<uint8_t>;
template class ZeroArray<uint16_t>;
template class ZeroArray<Region*>;

Region::Region(uintptr_t begin, size_t size, Space space, Site site)
    : begin(begin),
      size(size),
      space(space),
      site(site),
      cells((size + 3) / 4 + 1),
      written((size + 3) / 4 + 1) {}

void Region::MarkWritten(uintptr_t address, size_t count) {
  size_t first = address - begin;
  const size_t last = first + count;
  for (; first < last && first % 4 != 0; ++first) written[first / 4] |= 1 << first % 4;
  if (last - first >= 4) {
    std::memset(&written[first / 4], 15, (last - first) / 4);
    first += (last - first) / 4 * 4;
  }
  for (; first < last; ++first) written[first / 4] |= 1 << first % 4;
}

size_t Region::FindUnwritten(uintptr_t address, size_t count) const {
  const size_t first = address - begin;
  for (size_t i = 0; i < count; ++i) {
    const size_t byte = first + i;
    if ((written[byte / 4] >> byte % 4 & 1) == 0) return i;
  }
  return count;
}

bool Region::HasWritten(uintptr_t address, size_t count) const {
  const size_t first = address - begin;
  for (size_t byte = first; byte < first + count; ++byte) {
    if ((written[byte / 4] >> byte % 4 & 1) != 0) return true;
  }
  return false;
}

void Region::ForgetWritten() { std::memset(written.data(), 0, written.size()); }

}  // namespace simt
