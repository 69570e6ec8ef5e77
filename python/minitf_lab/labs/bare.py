"""Answers where minitf's own are compiled: in a repository for students.

A task of such a lab cannot be tested with minitf's answers to the other tasks of its
file, as ``grade.py`` does elsewhere: no source of them is there. So the files are run as
they are at first. Then each task that has failing cases and is begun is run again with
its own files alone, and with minitf's objects and modules in place of the lab's other
files. What lies in one file is tested together, and a case that meets a place which is
not written says which one.
"""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.regions import tasks_in_order
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import (
    NO_SANITIZER,
    SANITIZERS,
    build_variant,
    compose_as_it_is,
    objects_of,
)
from minitf_lab.labs import policy, python_units
from minitf_lab.labs.answers import Answer, is_begun, without_marks


def build(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    sanitizer: str = "",
    box: Box | None = None,
) -> Answer:
    """Makes files of a lab ready to be run, with no answer of minitf beside them.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    objects: dict[str, Path] = {}  # each file is compiled once
    every = tuple(lab.files)
    tasks = {
        file: tasks_in_order(project.marked(lab, file).read_text()) for file in every
    }

    @cache  # tasks of the same files share one answer
    def build_some(used: tuple[str, ...], name: str) -> Answer:
        part = replace(lab, files=[*used])
        return _build_part(part, files, folder / name, sanitizer, box, objects)

    def alone(task: str) -> Answer | None:
        """The files of one task, with minitf's own in place of the others."""
        if not is_begun(lab, files, task):
            return None
        used = tuple(file for file in every if task in tasks[file])
        name = "-".join(Path(file).stem for file in used)
        return answer if used == every else build_some(used, name)

    answer = replace(build_some(every, "all"), alone=alone)
    if box:
        right = partial(objects_of, objects)
        answer = replace(answer, audit=policy.audit(lab, files, objects, right, box))
    return answer


def _build_part(
    part: project.Lab,
    files: dict[str, Path],
    folder: Path,
    sanitizer: str,
    box: Box | None,
    objects: dict[str, Path],
) -> Answer:
    """Builds the files of a part of a lab; ``objects`` of all parts are put together."""
    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    used = {file: files[file] for file in part.files}
    overlays = []
    if part.python_files:
        overlay = python_units.overlay_alone(part, used, folder / "overlay", "")
        overlays.append(overlay)
    environment, whole = watch.environment(*overlays), without_marks(part, used)
    answer = Answer(None, environment, whole, sanitizer=sanitizer, box=box)
    if not part.cpp_files:
        return answer
    variant = build_variant(
        {file: used[file] for file in part.cpp_files},
        folder,
        preset=watch.preset,
        flags=watch.flags,
        compose=compose_as_it_is,
        box=box,
        objects=objects,
    )
    objects |= variant.objects
    return replace(answer, library=variant.library, warnings=variant.warnings)
