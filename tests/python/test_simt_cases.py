"""Check mode of the emulator: every case gives just what its comments say.

With both compilers, unoptimized and optimized, under eight orders of threads.
"""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "simt"))
import emulated

CASES = sorted(emulated.CASES.glob("*.cu"))
SEEDS = range(8)
# A spin is stopped soon.
LIMIT = 2_000_000


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_each_case_gives_what_it_says(case, compiler, level, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    expected = emulated.expected(case.read_text())
    program = emulated.compile_case(case, tmp_path, compiler, level)
    for seed in SEEDS:
        ran = emulated.run(program, seed=seed, access_limit=LIMIT)
        assert expected.differs(ran.findings) == "", f"seed {seed}\n{ran.text}"
        if case.stem.startswith("clean"):
            assert ran.status == 0, f"seed {seed}"


def test_there_are_cases_of_every_kind():
    """Half of them clean, and each kind of finding is planted once at least."""
    said = [emulated.expected(case.read_text()) for case in CASES]
    found = {finding.kind for one in said for finding in one.findings}
    kinds = (
        "race oob uninit uninit-copy use-after-free misaligned null-pointer host-pointer "
        "host-deref foreign-local barrier-divergence warp-mask leak bad-free bad-memcpy "
        "bad-memset bad-launch limit exception"
    )
    assert found == set(kinds.split())
    assert sum(case.stem.startswith("clean") for case in CASES) >= 20
    assert len(CASES) >= 44
