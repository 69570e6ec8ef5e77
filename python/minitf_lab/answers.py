"""Answers to a lab, ready to be run.

``grade.py`` makes those of files of minitf; here are those of labs whose files are their
own.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from minitf_lab import own_units, policy, project
from minitf_lab.judge.regions import find_regions
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import NO_SANITIZER, SANITIZERS


class GraderError(project.LabError):
    """The machine's fault: nobody loses a point by it."""


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
        alone: Makes the answer with minitf's own in place of all tasks but one, or None
            if that one is not begun; there is no such function if they are switched when
            it runs.
        audit: What its files call, if that was looked at.
        timed: Makes the answer without what watches it as it runs, which takes time.
    """

    library: Path | None
    environment: dict[str, str]
    whole: tuple[str, ...] = ()
    warnings: str = ""
    sanitizer: str = ""
    box: Box | None = None
    alone: Callable[[str], "Answer | None"] | None = None
    audit: policy.Audit = field(default_factory=policy.Audit)
    timed: Callable[[], "Answer"] | None = None


def is_begun(lab: project.Lab, files: dict[str, Path], task: str) -> bool:
    """Whether the line of the exercise is gone from a region of a task."""
    found = [one for file in lab.files for one in find_regions(files[file].read_text())]
    return any(one.is_written for one in found if one.task == task)


def _own_fault(
    lab: project.Lab, files: dict[str, Path], folder: Path, box: Box | None, said: str
) -> str:
    """What is wrong with a lab whose driver does not fit an answer; empty if nothing is.

    Raises:
        GraderError: the driver does not fit the lab's own answer either.
    """
    right = {file: lab.unit(file) for file in lab.files}
    if files == right:
        return said
    try:
        build_own(lab, right, folder / "right", box)
    except project.BuildError as error:
        return str(error)
    return ""


def build_own(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    box: Box | None = None,
    task: str = "",
    sanitizer: str = "",
) -> Answer:
    """As ``build_for_marks``, for a lab whose files are its own; also without a box.

    Raises:
        BuildError: a file does not compile.
        GraderError: the lab's own driver does not.
    """

    def alone(one: str) -> Answer | None:
        begun = is_begun(lab, files, one)
        return build_own(lab, files, folder / one, box, one) if begun else None

    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    if sanitizer and not watch.flags:
        raise project.LabError(
            f"--preset {sanitizer}: of such a lab asan alone can watch"
        )
    try:
        built = own_units.build(lab, files, folder, box, task=task, flags=watch.flags)
    except own_units.SeamError as error:
        if fault := _own_fault(lab, files, folder, box, str(error)):
            text = f"lab {lab.number}, its own answer and driver: {fault}"
            raise GraderError(text) from error
        raise
    environment = watch.environment() if sanitizer else {}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, built.folders))
    answer = Answer(None, environment, built.whole, built.warnings, sanitizer, box)
    if task or sanitizer:
        return answer
    audit = policy.audit(lab, files, built.objects, box) if box else policy.Audit()
    return replace(answer, alone=alone, audit=audit)
