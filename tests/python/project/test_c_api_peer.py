"""The C API beside TensorFlow's own library: the same random calls, the same answers."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import peers
import pytest

from minitf_lab import project

CALLS = Path("tests/differential/c_calls.py")
SEED, COUNT = 1, 60
FIND = "import importlib.util as u; print(u.find_spec('tensorflow').origin)"


def facts_of(library: Path) -> list[list[list]]:
    """The results of the calls of each sequence."""
    done = subprocess.run(
        [sys.executable, CALLS, library, str(SEED), str(COUNT)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **peers.QUIET},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_same(ours: object, theirs: object) -> bool:
    """Whether two results are equal. Libraries round numbers in different ways."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6)
    return ours == theirs


@pytest.mark.peers("tensorflow")
def test_random_calls_return_what_tensorflow_returns() -> None:
    project.build("minitf_c")
    folder = project.build_folder() / "python" / "minitf"
    tensorflow = Path(peers.run("tensorflow", FIND).strip()).parent
    ours = facts_of(folder / "libminitf_c.so")
    theirs = facts_of(tensorflow / "libtensorflow_cc.so.2")
    assert len(ours) == len(theirs) == COUNT
    for i, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        for fact, expected in zip(left, right, strict=False):
            assert is_same(fact, expected), f"sequence {SEED + i}"
        assert len(left) == len(right)
    codes = {fact[1] for sequence in ours for fact in sequence}
    assert {0, 3, 5} <= codes  # TF_OK, TF_INVALID_ARGUMENT, TF_NOT_FOUND
