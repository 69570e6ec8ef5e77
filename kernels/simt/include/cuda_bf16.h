// The header cuda_bf16.h for the emulator. It includes cuda_fp16.h, as CUDA's does.
//
// Read next  kernels/simt/include/cuda_runtime.h

#pragma once

#include "kernels/simt/include/cuda_fp16.h"

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
