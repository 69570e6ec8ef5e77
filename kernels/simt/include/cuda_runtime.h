// The header cuda_runtime.h for a file that the emulator compiles.
//
// Read next  kernels/simt/cuda_atomics.h

#pragma once

#include "kernels/simt/cuda.h"
