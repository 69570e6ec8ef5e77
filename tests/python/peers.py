"""Runs scripts with the peers, TensorFlow and TensorBoard, where they are installed.

A test that needs one is marked ``peers("tensorflow")``. It is for developers: without
the peer it is not among the tests (``conftest.py``); ``./lab bench --peers`` installs it.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("MINITF_PEERS", _ROOT / ".lab/peers/bin/python"))
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


@cache
def has(module: str) -> bool:
    """Whether the peers' Python has ``module``."""
    command = [
        str(PYTHON),
        "-c",
        f"import importlib.util as u; raise SystemExit(u.find_spec({module!r}) is None)",
    ]
    return PYTHON.exists() and subprocess.run(command, check=False).returncode == 0


def run(module: str, script: str, *arguments: object) -> str:
    """What ``script`` prints."""
    assert has(module), f"no {module} at {PYTHON}"
    done = subprocess.run(
        [str(PYTHON), "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **QUIET},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
