"""Answers to a lab, ready to be run: what ``builds.py`` makes, and ``grade.py`` marks."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.regions import find_regions, has_marks
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import policy

SCRATCH = "minitf-judge-"  # folders in /tmp; the number of the process follows


@dataclass(frozen=True)
class Answer:
    """Files of a lab, ready to be run.

    Attributes:
        library: libminitf.so with the files in C++; None if there are none.
        environment: Variables of the worker, such as where the files in Python are.
        whole: Files without the exercise's marks, whose tasks are tested together.
        warnings: What the compiler said.
        sanitizer: What watches it, as ``build_answer`` was told.
        box: Where it runs; then no answer of minitf is in it, unless it is of one task.
        is_guarded: Whether the memory of tensors is watched outside a box, too.
        alone: Makes the answer with minitf's own in place of all tasks but one, or None
            if that one is not begun; there is no such function if they are switched when
            it runs. ``with_all=True`` leaves no task out that the lab does not name.
        audit: What its files call, if that was looked at.
        timed: Makes the answer without what watches it as it runs, which takes time.
    """

    library: Path | None
    environment: dict[str, str]
    whole: tuple[str, ...] = ()
    warnings: str = ""
    sanitizer: str = ""
    box: Box | None = None
    is_guarded: bool = False
    alone: "Callable[..., Answer | None] | None" = None
    audit: policy.Audit = field(default_factory=policy.Audit)
    timed: Callable[[], "Answer"] | None = None


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder for what is compiled, which another user that root takes can read."""
    with tempfile.TemporaryDirectory(
        prefix=f"{SCRATCH}{os.getpid()}-", ignore_cleanup_errors=True
    ) as name:
        if os.geteuid() == 0:
            os.chmod(name, 0o755)
        yield Path(name)


def is_begun(lab: project.Lab, files: dict[str, Path], task: str) -> bool:
    """Whether the line of the exercise is gone from a region of a task."""
    found = [one for file in lab.files for one in find_regions(files[file].read_text())]
    return any(one.is_written for one in found if one.task == task)


def without_marks(lab: project.Lab, files: dict[str, Path]) -> tuple[str, ...]:
    """The names of those of ``files`` that have lost the exercise's marks."""
    return tuple(
        path.name
        for file, path in files.items()
        if not has_marks(path, project.marked(lab, file))
    )
