"""How the build is configured: in a folder whose name has a space in it."""

import os
import subprocess
import sys
from pathlib import Path

import pybind11

from minitf_lab import project


def test_a_path_with_a_space_is_configured(tmp_path):
    top = tmp_path / "my minitf"
    top.mkdir()
    for path in project.ROOT.iterdir():
        if path.name not in {"build", "work", ".lab"}:
            (top / path.name).symlink_to(path)
    packages = top / "packages of Python"
    packages.mkdir()
    (packages / "pybind11").symlink_to(Path(pybind11.__file__).parent)
    command = ["cmake", "-S", top, "-B", top / "build", "-G", "Ninja"]
    command += [f"-DPython_EXECUTABLE={sys.executable}", "-DMINITF_FAMILIES=none"]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cache = (top / "build" / "CMakeCache.txt").read_text()
    assert f"{packages}/pybind11/include" in cache
