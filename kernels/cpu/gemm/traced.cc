// Traced: see traced.h. Listener and library have one variable in common, here.
//
// Read next  kernels/cpu/gemm/product_naive.cc

#include "kernels/cpu/gemm/traced.h"

namespace minitf {
namespace {

Traced::Listener listener = nullptr;

}  // namespace

void Traced::TellTo(Listener other) { listener = other; }

void Traced::Tell(bool is_written) const {
  if (listener != nullptr) listener(this, is_written);
}

}  // namespace minitf
