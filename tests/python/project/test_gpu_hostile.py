"""Kernels that do what they must not, as kernels of ops: what a session says of them.

One kernel of cards is built once more, with mistakes that the number of its elements
chooses. Each session has a process of its own, which must come to its end.
"""

import os
import subprocess
import sys

import pytest

from minitf_lab import project
from minitf_lab.judge import variant

KERNEL = "kernels/gpu/random.cu"
FIRST_LINE = "  constexpr int kSize = Group<T>::kSize;\n  MINITF_GPU_LOOP"
LAUNCH = "  if (count == 0) return cudaSuccess;\n"
# What the kernel does first if it is asked for so many numbers.
MISTAKES = {
    101: "while (true) *const_cast<volatile T*>(y) = T(1);",
    102: "for (int64_t i = 0;; ++i) y[i] = T(1);",
    103: "*reinterpret_cast<volatile int*>(count - 95) = 1;",
    104: "y[0] = static_cast<T>(Deeper(static_cast<int>(count)));",
    105: "y[0] = Large(static_cast<int>(count));",
    106: 'throw "nobody catches this";',
    107: "Random<T><<<1, 1>>>(distribution, generator, count, y);",
    108: "if (threadIdx.x == 0) __syncthreads();",
    109: "y[-1] = T(1);",
    110: "if (threadIdx.x < 64) y[0] = T(threadIdx.x);",
    111: "__shared__ T room[32]; y[threadIdx.x % 32] = room[threadIdx.x % 32];",
}
HUGE_GRID = 112
# Part of what is said of each. Fast mode computes where a card might, too.
BY_FAST_MODE = {
    101: "the launch timed out and was terminated (cudaErrorLaunchTimeout)",
    102: "cudaErrorIllegalAddress",
    103: "cudaErrorIllegalAddress",
    104: "cudaErrorHardwareStackError",
    105: "cudaErrorHardwareStackError",
    106: "the emulator found exception: a kernel threw something",
    107: "the emulator found host-call: a kernel launches a kernel",
    108: "(108,)",
    109: "cudaErrorIllegalAddress",
    110: "(110,)",
    111: "(111,)",
    HUGE_GRID: "invalid configuration argument (cudaErrorInvalidConfiguration)",
}
BY_CHECK_MODE = {
    101: "kernel without an end",
    102: "on 0 bytes past the end of an allocation of 512 bytes",
    103: "access through a null pointer",
    104: "more than 256 KB of local variables: recursion without an end?",
    105: "more than 256 KB of local variables",
    106: "kernel uses a pointer to host memory",
    107: "a kernel launches a kernel",
    108: "1 threads of the block wait at a barrier, 255 have ended",
    109: "access out of bounds (global memory)",
    110: "data race (global memory)",
    111: "read of memory that nobody has written (shared memory)",
    HUGE_GRID: "a grid of 1 x 1048576 x 1 blocks; at most",
}
LATER = """
template <typename T>
__device__ int Deeper(T x) {
  volatile int room[64] = {static_cast<int>(x)};
  return room[0] == -1 ? 0 : Deeper(x + room[0]) + room[1];
}
__device__ __attribute__((noinline)) int Large(int x) {
  volatile char room[1 << 26];
  room[x] = 1;
  return room[x] + 1;
}
"""
PROGRAM = """
import sys
import minitf as tf

with tf.device("/gpu:0"):
    y = tf.random_uniform([int(sys.argv[1])], name="numbers")
with tf.Session() as session:
    try:
        print(session.run(y).shape)
    except tf.errors.OpError as error:
        print(type(error).__name__, error.message)
    with tf.device("/cpu:0"):  # which goes on
        print(session.run(tf.constant([3]) + 4))
"""
LIBRARIES = {"emulate": "emulated", "check": "checked"}


def _run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _changed(command, **parts):
    """A compiler's command with other files after -c, -o and -MF."""
    words = list(command)
    for option, path in parts.items():
        words[words.index(f"-{option}") + 1] = str(path)
    return words


def _source():
    """The kernel with all mistakes."""
    text = (project.ROOT / KERNEL).read_text()
    assert text.count(FIRST_LINE) == text.count(LAUNCH) == 1
    cases = "".join(
        f"    case {count}: {{ {mistake} }} break;\n"
        for count, mistake in MISTAKES.items()
    )
    text = text.replace(
        FIRST_LINE, f"  switch (count) {{\n{cases}    default: break;\n  }}\n{FIRST_LINE}"
    )
    huge = f"""  if (count == {HUGE_GRID}) {{
    Random<T><<<dim3(1, 1 << 20), kBlockSize, 0, stream>>>(distribution, generator,
                                                            count, y);
    return cudaGetLastError();
  }}
"""
    text = text.replace(LAUNCH, LAUNCH + huge)
    head, template, rest = text.partition("template <typename T>\n__global__")
    return head + LATER + template + rest


@pytest.fixture(scope="module", params=LIBRARIES)
def variables(request, tmp_path_factory):
    """The variables of a process whose minitf has that kernel, in one of the modes."""
    library = LIBRARIES[request.param]
    folder, build = tmp_path_factory.mktemp(library), project.build_folder()
    target = f"python/minitf/libminitf_gpu_{library}.so"
    project.build("minitf", "_minitf", f"minitf_gpu_{library}")
    compiles, linked = variant.commands("release", target)
    [compiled] = [c for source, c in compiles.items() if source.name == "random.cu.cc"]
    source, made = folder / "random.cu", folder / "random.cu.cc"
    source.write_text(_source())
    translator = project.ROOT / "kernels" / "simt" / "cu2cpp.py"
    _run([sys.executable, str(translator), str(source), str(made)], folder)
    object_, depends = folder / "random.o", folder / "random.d"
    _run([*_changed(compiled, c=made, o=object_, MF=depends), "-w"], build)
    package = folder / "minitf"
    package.mkdir()
    for path in (build / "python" / "minitf").glob("*minitf.*so"):
        (package / path.name).write_bytes(path.read_bytes())
    (package / "contrib").symlink_to(build / "python" / "minitf" / "contrib")
    old = compiled[compiled.index("-o") + 1]
    words = [str(object_) if word == old else word for word in linked]
    _run(_changed(words, o=package / f"libminitf_gpu_{library}.so"), build)
    return os.environ | {
        "MINITF_GPU": request.param,
        "CUDA_VISIBLE_DEVICES": "0",
        "PYTHONPATH": os.pathsep.join([str(project.ROOT / "python"), str(folder)]),
        "SIMT_TIMEOUT_S": "3",
        "SIMT_ACCESS_LIMIT": "1000000",
    }


def _said(variables, count):
    """What a session prints that asks for ``count`` numbers; the CPU's result is last."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\n[7]\n"), done.stdout + done.stderr
    return done.stdout.removesuffix("\n[7]\n")


def test_without_a_mistake_there_are_numbers(variables):
    assert _said(variables, 100) == "(100,)"


@pytest.mark.parametrize("count", [*MISTAKES, HUGE_GRID])
def test_a_mistake_is_told(variables, count):
    said = _said(variables, count)
    is_checked = variables["MINITF_GPU"] == "check"
    assert (BY_CHECK_MODE if is_checked else BY_FAST_MODE)[count] in said, said
    if said != f"({count},)":
        assert said.startswith("InternalError ")
        assert "node 'numbers/RandomUniform'" in said or "'receive/numbers'" in said
    if is_checked and (mistake := MISTAKES.get(count)) and count not in {104, 105}:
        assert f"| case {count}: {{ {mistake} }} break;" in said
        assert "simt:   in minitf::gpu::Random<float>" in said
        assert "simt:   hint: " in said
