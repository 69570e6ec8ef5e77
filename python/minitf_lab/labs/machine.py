"""Whether this machine can run the tasks of a lab, and time them."""

import os
from dataclasses import replace
from pathlib import Path

from minitf_lab import cuda
from minitf_lab.project import Lab, Task
from minitf_lab.speed_rule import Speed


def is_compiled(lab: Lab) -> bool:
    """Whether a file of the lab needs CUDA's compiler."""
    return lab.is_own and any(file.endswith(cuda.KINDS) for file in lab.files)


def devices_for(lab: Lab) -> list[Path]:
    """The files of the GPUs here if a task of the lab needs one."""
    is_needed = any(
        "cuda" in [*lab.needs, *task.needs, *(task.speed.needs if task.speed else ())]
        for task in lab.tasks
    )
    return cuda.devices() if is_needed else []


def missing(lab: Lab, task: Task) -> str:
    """Why a task cannot be run here; empty if it can."""
    if is_compiled(lab) and cuda.nvcc() is None:
        return "skipped: there is no CUDA compiler (nvcc) here"
    if "cuda" in [*lab.needs, *task.needs] and not cuda.devices():
        return "skipped: there is no GPU here"
    return ""


def threads_of(lab: Lab) -> int:
    """On how many cores the calls of a lab are timed."""
    return int(lab.limits.get("threads", 1))


def missing_to_time(lab: Lab, rule: Speed, cpuinfo: str = "/proc/cpuinfo") -> str:
    """The first thing that this machine lacks to time a task; empty if it has all."""
    words: set[str] = set()
    if set(rule.needs) - {"cuda"}:
        words = set(Path(cpuinfo).read_text(errors="replace").split())
    for one in rule.needs:
        if one == "cuda" and not cuda.devices():
            return "GPU"
        if one != "cuda" and one not in words:
            return one
    cores = len(os.sched_getaffinity(0))
    if cores < threads_of(lab):
        return f"{threads_of(lab)} cores (it has {cores})"
    return ""


def timed_here(lab: Lab) -> Lab:
    """The lab with no points for the tasks that this machine cannot time."""
    tasks = [
        replace(task, points=0)
        if task.speed and missing_to_time(lab, task.speed)
        else task
        for task in lab.tasks
    ]
    return replace(lab, tasks=tasks)
