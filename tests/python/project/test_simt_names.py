"""Kernels may have every name that nvcc takes with ``cuda_runtime.h`` alone.

A kernel was given each of the 4,645 identifiers of the headers in turn. These names are
those that nvcc took and the emulator refused, and a few more.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "simt"))
sys.path.insert(0, str(Path(__file__).parents[3] / "kernels" / "simt"))
import cu2cpp
import emulated

_NAMES = (
    "acos acosh asin asinh atan atan2 atanh bcopy bfloat16 bzero cbrt ceil clearerr "
    "copy copysign cos cosh cudaMalloc div erf erfc exit exp exp2 expm1 fabs fdim "
    "fill floor fma fmax fmin fmod free frexp half half2 hypot ilogb index isfinite "
    "isinf isnan ldexp lerp lgamma link log log10 log1p log2 logb lrint lround max "
    "min nearbyint nextafter norm nv_bfloat16 nv_bfloat162 perror pow qsort read "
    "remainder remquo rewind rint round scale select setbuf signbit sin sincos "
    "sincosf sinh sqrt srand swab sync tan tanh tgamma time trunc write "
)
NAMES = _NAMES.split()


def source(names, header):
    return f"#include <{header}>\n" + "".join(
        f"__global__ void {name}(float* p) {{ *p = 1; }}\n"
        f"void Launch{i}(float* p) {{ {name}<<<1, 1>>>(p); }}\n"
        for i, name in enumerate(names)
    )


def emulator_refuses(text, folder):
    """The compiler's errors for CUDA source, or an empty string."""
    made = folder / "made.cc"
    made.write_text(cu2cpp.translate(text, "kernels.cu"))
    folders = [f"-I{emulated.ROOT}", f"-I{emulated.HEADERS}"]
    command = ["g++", "-std=c++20", "-fsyntax-only", *folders, str(made)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def test_kernels_may_have_names_of_functions(tmp_path):
    assert emulator_refuses(source(NAMES, "cuda_runtime.h"), tmp_path) == ""


@pytest.mark.parametrize("header", ["cuda_fp16.h", "cuda_bf16.h"])
def test_the_names_of_a_header_are_there_where_it_is_included(header, tmp_path):
    assert "half" in emulator_refuses(source(["half"], header), tmp_path)
    headers = f"#include <cuda_runtime.h>\n#include <{header}>\n"
    uses = headers + "half Twice(half x) { return x + x; }\n"
    assert emulator_refuses(uses, tmp_path) == ""


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_nvcc_takes_the_same_names(tmp_path):
    path = tmp_path / "kernels.cu"
    path.write_text(source(NAMES, "cuda_runtime.h"))
    command = ["nvcc", "-std=c++20", "-arch=sm_90", "-ptx", "-o", "/dev/null", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_such_a_kernel_runs(tmp_path):
    text = (
        '#include "kernels/simt/cuda.h"\n'
        "#include <cstdio>\n"
        "__global__ void __launch_bounds__(32) exp(float* x,  // (in place)\n"
        "                                          int n) {\n"
        "  if (threadIdx.x < n) x[threadIdx.x] = exp(x[threadIdx.x]);\n"
        "}\n"
        "__global__ void half(float* x);\n"
        "__global__ void half(float* x) { *x *= 0.5F; }\n"
        "template <typename T> __global__ void max(T* x) { *x = max(*x, T(3)); }\n"
        "int main() {\n"
        "  float* x;\n"
        "  cudaMalloc(&x, 8);\n"
        "  cudaMemset(x, 0, 8);\n"
        "  exp<<<1, 32>>>(x, 2);\n"
        "  half<<<1, 1>>>(x);\n"
        "  max<<<1, 1>>>(x + 1);\n"
        "  float y[2];\n"
        "  cudaMemcpy(y, x, 8, cudaMemcpyDeviceToHost);\n"
        "  cudaFree(x);\n"
        '  std::fprintf(stderr, "%g %g", y[0], y[1]);\n'
        "}\n"
    )
    path = tmp_path / "names.cu"
    path.write_text(text)
    ran = emulated.run(emulated.compile_case(path, tmp_path, "g++", "-O0"))
    assert (ran.text, ran.findings) == ("0.5 3", set())
