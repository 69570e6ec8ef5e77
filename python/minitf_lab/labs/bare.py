"""Answers where minitf's own are compiled: in a repository for students.

A task of such a lab cannot be tested with minitf's answers to the other tasks of its
file, as ``grade.py`` does elsewhere: no source of them is there. So the files are run as
they are at first. Then each task that has failing cases and is begun is run again with
its own files alone, and with minitf's objects and modules in place of the lab's other
files. What lies in one file is tested together, and a case that meets a place which is
not written says which one.
"""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.regions import has_marks, tasks_in_order
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import (
    NO_SANITIZER,
    SANITIZERS,
    build_variant,
    compose_as_it_is,
    objects_of,
)
from minitf_lab.labs import policy, python_units
from minitf_lab.labs.answers import Answer, is_begun


class _Builds:
    """The builds of one answer: of all its files, or of some.

    Args:
        lab: Which one.
        files: As ``builds.files_of`` gives them.
        folder: Where what is made goes.
        sanitizer: Which one of ``SANITIZERS`` watches, if any.
        box: Where it is compiled, and is to be run; in none if None.
    """

    def __init__(
        self,
        lab: project.Lab,
        files: dict[str, Path],
        folder: Path,
        sanitizer: str,
        box: Box | None,
    ) -> None:
        self._lab = lab
        self._files = files
        self._folder = folder
        self._sanitizer = sanitizer
        self._box = box
        self._objects: dict[str, Path] = {}  # each file is compiled once
        self._made: dict[str, Answer] = {}  # tasks of the same files share one
        every = {file: self._read(file) for file in lab.files}
        self._tasks = {file: tasks_in_order(text) for file, text in every.items()}

    def _read(self, file: str) -> str:
        return project.marked(self._lab, file).read_text()

    def whole(self) -> Answer:
        """The answer as it is.

        Raises:
            BuildError: a file does not compile.
            LabError: a file cannot be read.
        """
        name = self._name(self._lab.files)
        answer = replace(self._build(self._lab.files, "all"), alone=self.alone)
        if self._box:
            right = partial(objects_of, self._objects)
            audit = policy.audit(self._lab, self._files, self._objects, right, self._box)
            answer = replace(answer, audit=audit)
        self._made[name] = answer
        return answer

    def alone(self, task: str) -> Answer | None:
        """The files of one task, with minitf's own in place of the others."""
        if not is_begun(self._lab, self._files, task):
            return None
        used = [file for file in self._lab.files if task in self._tasks[file]]
        name = self._name(used)
        if name not in self._made:
            self._made[name] = self._build(used, name)
        return self._made[name]

    def _name(self, used: list[str]) -> str:
        return "-".join(Path(file).stem for file in used)

    def _build(self, used: list[str], name: str) -> Answer:
        files = {file: self._files[file] for file in used}
        part = replace(self._lab, files=used)
        folder = self._folder / name
        watch = SANITIZERS.get(self._sanitizer, NO_SANITIZER)
        environment = watch.environment() if self._sanitizer else {}
        path = watch.folders()
        if part.python_files:
            path.insert(
                0, python_units.overlay_alone(part, files, folder / "overlay", "")
            )
        if path:
            environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
        whole = tuple(
            answer.name
            for file, answer in files.items()
            if not has_marks(answer, project.marked(self._lab, file))
        )
        answer = Answer(
            None, environment, whole, sanitizer=self._sanitizer, box=self._box
        )
        if not part.cpp_files:
            return answer
        variant = build_variant(
            {file: files[file] for file in part.cpp_files},
            folder,
            preset=watch.preset,
            flags=watch.flags,
            compose=compose_as_it_is,
            box=self._box,
            objects=self._objects,
        )
        self._objects |= variant.objects
        return replace(answer, library=variant.library, warnings=variant.warnings)


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
        files: As ``builds.files_of`` gives them.
        folder: Where what is made goes.
        sanitizer: Which one of ``SANITIZERS`` watches, if any.
        box: Where it is compiled, and is to be run; in none if None.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    return _Builds(lab, files, folder, sanitizer, box).whole()
