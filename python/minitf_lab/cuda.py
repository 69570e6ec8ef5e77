"""CUDA: whether its compiler and a device are here.

A lab with CUDA files of its own is compiled where there is nvcc, and run where there is a
device too. Where something is missing its tasks are skipped, and their points are out of
the total. Labs that replace CUDA files of minitf need neither (judge/cuda_units.py).
"""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minitf_lab import project

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


def is_compiled(lab: "project.Lab") -> bool:
    """Whether a file of the lab needs CUDA's compiler."""
    return lab.is_own and any(file.endswith(KINDS) for file in lab.files)


def is_needed(lab: "project.Lab") -> bool:
    """Whether a task of the lab needs a device."""
    return any(
        "cuda" in [*lab.needs, *task.needs, *(task.speed.needs if task.speed else ())]
        for task in lab.tasks
    )


def missing(lab: "project.Lab", task: "project.Task") -> str:
    """Why a task cannot be run here; empty if it can."""
    if is_compiled(lab) and nvcc() is None:
        return "skipped: there is no CUDA compiler (nvcc) here"
    if "cuda" in [*lab.needs, *task.needs] and not devices():
        return "skipped: there is no GPU here"
    return ""
