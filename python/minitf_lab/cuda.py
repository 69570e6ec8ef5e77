"""CUDA: whether its compiler and a device are here.

A lab with CUDA files of its own is compiled where there is nvcc, and run where there is a
device too. Where something is missing its tasks are skipped, and their points are out of
the total. Labs that replace CUDA files of minitf need neither (judge/cuda_units.py).
"""

import os
import shutil
from pathlib import Path

TOOLKIT = Path("/usr/local/cuda")  # where it lies unless nvcc is on PATH
DEVICE = Path("/dev/nvidiactl")
KINDS = (".cu", ".cuh")


def nvcc() -> Path | None:
    """The compiler; None if there is none."""
    found = shutil.which("nvcc") or str(TOOLKIT / "bin" / "nvcc")
    return Path(os.path.realpath(found)) if os.access(found, os.X_OK) else None


def devices() -> list[Path]:
    """The files by which a process uses the devices."""
    if not DEVICE.exists():
        return []
    return sorted(path for path in DEVICE.parent.glob("nvidia*") if not path.is_dir())
