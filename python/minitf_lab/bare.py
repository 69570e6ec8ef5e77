"""Answers where minitf's own are compiled: in a repository for students.

A task of such a lab cannot be tested with minitf's answers to the other tasks of its
file, as ``grade.py`` does elsewhere: no source of them is there. So the files are run as
they are at first. Then each task that has failing cases and is begun is run again with
its own files alone, and with minitf's objects and modules in place of the lab's other
files. What lies in one file is tested together, and a case that meets a place which is
not written says which one.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from minitf_lab import project, python_units
from minitf_lab.grade import Answer, is_begun
from minitf_lab.judge.regions import has_marks, tasks_in_order
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import (
    NO_SANITIZER,
    SANITIZERS,
    build_variant,
    compose_as_it_is,
)


def _build(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    sanitizer: str,
    box: Box | None,
) -> Answer:
    """Some files of a lab, with minitf's own in place of the others."""
    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    environment = watch.environment() if sanitizer else {}
    part = replace(lab, files=list(files))
    overlays = []
    if part.python_files:
        overlays.append(python_units.overlay_alone(part, files, folder / "overlay", ""))
    overlays += watch.folders()
    if overlays:
        environment["PYTHONPATH"] = ":".join(map(str, overlays))
    whole = tuple(
        path.name
        for file, path in files.items()
        if not has_marks(path, project.marked(lab, file))
    )
    answer = Answer(None, environment, whole, sanitizer=sanitizer, box=box)
    if not part.cpp_files:
        return answer
    variant = build_variant(
        {file: files[file] for file in part.cpp_files},
        folder,
        preset=watch.preset,
        flags=watch.flags,
        compose=compose_as_it_is,
        box=box,
    )
    return replace(answer, library=variant.library, warnings=variant.warnings)


def _alone(
    lab: project.Lab, files: dict[str, Path], make: Callable[[list[str]], Answer]
) -> Callable[[str], Answer | None]:
    """The function that makes the answer of one task's files."""

    def alone(task: str) -> Answer | None:
        if not is_begun(lab, files, task):
            return None
        tasks = {f: tasks_in_order(project.marked(lab, f).read_text()) for f in lab.files}
        return make([file for file in lab.files if task in tasks[file]])

    return alone


def build(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    sanitizer: str = "",
    box: Box | None = None,
) -> Answer:
    """Makes files of a lab ready to be run, with no answer of minitf beside them.

    Args:
        lab: Which one.
        files: As ``grade.files_of`` gives them.
        folder: Where what is made goes.
        sanitizer: Which one of ``SANITIZERS`` watches, if any.
        box: Where it is compiled, and is to be run; in none if None.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    made: dict[str, Answer] = {}  # tasks of the same files share one

    def make(used: list[str]) -> Answer:
        name = "-".join(Path(file).stem for file in used)
        if name not in made:
            some = {file: files[file] for file in used}
            made[name] = _build(lab, some, folder / name, sanitizer, box)
        return made[name]

    every = "-".join(Path(file).stem for file in lab.files)
    whole = _build(lab, files, folder / "all", sanitizer, box)
    made[every] = replace(whole, alone=_alone(lab, files, make))
    return made[every]
