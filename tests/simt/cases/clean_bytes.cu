// Neighbouring bytes by different threads are different places.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Upper(int n, char* text) {
  const int i = threadIdx.x;
  if (i < n && text[i] >= 'a' && text[i] <= 'z') text[i] -= 'a' - 'A';
}

int main() {
  Device<char> text(std::vector<char>{'t', 'e', 'n', 's', 'o', 'r', '!'});
  Upper<<<1, 32>>>(7, text);
  Expect(text.Host()[5], 'R');
}
