// The header cuda_fp16.h for a file that the emulator compiles. nvcc finds CUDA's own.
//
// Read next  kernels/simt/include/cuda_bf16.h

#pragma once

#include "kernels/simt/cuda_half.h"

using half = __half;
using half2 = __half2;
