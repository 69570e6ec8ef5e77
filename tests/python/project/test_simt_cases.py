"""Check mode of the emulator: every case gives just what its comments say.

With both compilers, unoptimized and optimized, under eight orders of threads.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minitf_lab import cuda

sys.path.insert(0, str(Path(__file__).parents[2] / "simt"))
sys.path.insert(0, str(Path(__file__).parents[3] / "kernels" / "simt"))
import cu2cpp
import emulated

CASES = sorted(emulated.CASES.glob("*.cu"))
SEEDS = range(8)
# Clang is there where minitf is changed (./lab lint).
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_each_case_gives_what_it_says(case, compiler, level, tmp_path):
    expected = emulated.expected(case.read_text())
    program = emulated.compile_case(case, tmp_path, compiler, level)
    for seed in SEEDS:
        ran = emulated.run(program, seed=seed, access_limit=emulated.SPIN_LIMIT)
        assert expected.differs(ran.findings) == "", f"seed {seed}\n{ran.text}"
        if case.stem.startswith("clean"):
            assert ran.status == 0, f"seed {seed}"


def test_there_are_cases_of_every_kind():
    """Half of them clean, and each kind of finding is planted once at least."""
    said = [emulated.expected(case.read_text()) for case in CASES]
    found = {finding.kind for one in said for finding in one.findings}
    kinds = (
        "race oob uninit uninit-copy use-after-free misaligned null-pointer host-pointer "
        "host-deref foreign-local barrier-divergence warp-mask deadlock leak bad-free "
        "bad-memcpy bad-memset bad-launch host-call limit exception"
    )
    assert found == set(kinds.split())
    assert sum(case.stem.startswith("clean") for case in CASES) >= 20
    assert len(CASES) >= 44


RACY = "race_missing_second_barrier race_histogram warp_mask_missing_lanes uninit_shared"


@pytest.mark.parametrize("name", RACY.split())
def test_reports_are_the_same_byte_for_byte(name, tmp_path):
    program = emulated.compile_case(emulated.CASES / f"{name}.cu", tmp_path, "g++", "-O0")
    for settings in ({}, {"seed": 3}, {"seed": 3, "preempt": 20, "profile": 1}):
        runs = [emulated.run(program, **settings) for _ in range(3)]
        assert len({(ran.text, ran.json) for ran in runs}) == 1
        assert runs[0].text.startswith("simt: ERROR")


@pytest.mark.parametrize("case", ["clean_matmul", "clean_histogram", "clean_last_block"])
def test_correct_kernels_stay_so_when_threads_are_interrupted(case, tmp_path):
    program = emulated.compile_case(emulated.CASES / f"{case}.cu", tmp_path, "g++", "-O0")
    for seed in SEEDS:
        ran = emulated.run(program, seed=seed, preempt=20)
        assert (ran.findings, ran.status) == (set(), 0), ran.text


def test_four_gigabytes_of_address_space_are_enough(tmp_path):
    case = emulated.CASES / "clean_matmul.cu"
    program = emulated.compile_case(case, tmp_path, "g++", "-O0")
    limited = ["bash", "-c", f"ulimit -v 4000000; exec {program}"]
    done = subprocess.run(limited, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_profile_counts_sectors_and_wavefronts(tmp_path):
    case = emulated.CASES / "clean_transpose.cu"
    program = emulated.compile_case(case, tmp_path, "g++", "-O0")
    ran = emulated.run(program, profile=1)
    rows = {(row["kind"], row["line"]): row["per_request"] for row in ran.profile}
    # A warp has 2 rows of 16 floats: 4 sectors. In a tile whose rows are 17 apart, the
    # last element of the second row lies in bank (17 + 15) % 32 = 0, as the very first.
    assert set(rows.values()) == {4, 2}
    assert "Counts, not times" in ran.text


def test_every_case_compiles_for_gpus(tmp_path):
    """By nvcc for the lowest and the usual architecture, without a warning."""
    nvcc = cuda.nvcc()
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    names = "clean_matmul clean_last_block clean_partial_warp clean_streams leak"
    architectures = ["-gencode=arch=compute_75,code=sm_75"]
    architectures += ["-gencode=arch=compute_90,code=sm_90"]
    files = [str(emulated.CASES / f"{name}.cu") for name in names.split()]
    command = [nvcc, "-std=c++20", "-Werror=all-warnings", *architectures]
    done = subprocess.run(
        [*command, f"-I{emulated.ROOT}", "-c", *files],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


# ---- The translator -------------------------------------------------------------------


def _translated(text):
    return cu2cpp.translate(text, "f.cu").partition("\n")[2]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("K<<<g, b>>>(x);", "simt::Launch(K, g, b)(x);"),
        ("K <<<g, b, 4, s>>> ();", "simt::Launch(K, g, b, 4, s) ();"),
        ("n::K<float, 3><<<dim3(1, 2), b>>>(x, f(y, z));",
         "simt::Launch(n::K<float, 3>, dim3(1, 2), b)(x, f(y, z));"),
        ("K<(3 > 2)><<<1, A<2, 3>::value>>>(x);",
         "simt::Launch(K<(3 > 2)>, 1, A<2, 3>::value)(x);"),
        ("// K<<<1, 2>>>(x)\ns = \"K<<<1, 2>>>(x)\";",
         "// K<<<1, 2>>>(x)\ns = \"K<<<1, 2>>>(x)\";"),
        ("K<<<g, // of, blocks\n b>>>(x);", "simt::Launch(K, g, // of, blocks\n b)(x);"),
        ("extern __shared__ float s[];", "SIMT_DYNAMIC_SHARED(float, s);"),
        ("extern __shared__ __align__(16) unsigned char raw[ ];",
         "SIMT_DYNAMIC_SHARED(unsigned char, raw);"),
        ("x = y << 3; z = a<b>>>c;", "x = y << 3; z = a<b>>>c;"),
    ],
)  # fmt: skip
def test_launches_and_shared_arrays_are_translated(source, expected):
    assert _translated(source) == expected


def test_a_template_without_arguments_is_called_by_those_of_the_launch():
    source = (
        "template <typename T> __global__ void K(T* x) {} void F() { K<<<1, 2>>>(x); }"
    )
    call = "[](auto... arguments) { K(arguments...); }"
    assert f'simt::LaunchDeduced("K", {call}, 1, 2)(x);' in _translated(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("\nK<<<1>>>(x);", "2: a launch has 2 to 4 arguments"),
        ("K<<<1, 2>>>;", "1: no '\\(' follows after '>>>'"),
        ("K<<<1, 2(x);", "1: '<<<' is never closed"),
        ("K<<<1, 2>>>(x;", "1: '\\(' is never closed"),
        ("(<<<1, 2>>>(x);", "1: no kernel stands before '<<<'"),
    ],
)
def test_what_is_no_launch_is_refused_with_its_line(source, message):
    with pytest.raises(cu2cpp.TranslationError, match=message):
        cu2cpp.translate(source, "f.cu")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_lines_keep_their_numbers(case):
    text = case.read_text()
    lines = _translated(text).splitlines()
    assert len(lines) == len(text.splitlines())
    for line, translated in zip(text.splitlines(), lines, strict=True):
        if "<<<" not in line and "extern __shared__" not in line:
            assert translated == line
