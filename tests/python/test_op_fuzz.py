"""No argument of any op does harm: a clear exception, or the same result twice."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
CALLS_OF_AN_OP = 8


@pytest.mark.parametrize("mode", ["eager", "constants", "fed"])
def test_arguments_that_make_no_sense(mode, tmp_path):
    progress = tmp_path / "call"
    done = subprocess.run(
        [sys.executable, FOLDER / "op_fuzz.py", mode, str(CALLS_OF_AN_OP), progress],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=200,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    last = progress.read_text(errors="replace") if progress.exists() else "no call"
    assert done.returncode == 0, (
        f"exit status {done.returncode} in {last}\n{done.stderr[-2000:]}"
    )
    assert done.stdout == "", done.stdout[:5000]
