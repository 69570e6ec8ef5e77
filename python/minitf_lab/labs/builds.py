"""Makes files of a lab ready to be run: compiled, linked, put in front of minitf's own.

There are three ways: with a switch between a student's answer and minitf's own for each
task (``build_answer``), without any right answer beside them (``build_for_marks``), and
for labs whose files are their own (``build_own``). ``bare.py`` has the fourth, for
repositories without the sources of minitf's answers.
"""

import functools
import hashlib
import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from minitf_lab import locks, project, texts
from minitf_lab.judge import cuda_units, regions, variant
from minitf_lab.judge.regions import fill_in
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.variant import (
    NO_SANITIZER,
    SANITIZERS,
    build_variant,
    compose_alone,
)
from minitf_lab.labs import bare, machine, own_units, policy, python_units, sources
from minitf_lab.labs.answers import Answer, is_begun, without_marks

# Right answers by others, as names of files of a lab in solutions/, without ``.txt``.
HONEST = ("honest/a", "honest/b")
PART = re.compile(r"^=== (\S+)\n", re.MULTILINE)  # begins a file's regions in them


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


def _alone(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    build: Callable[[project.Lab, Path, str], Answer],
) -> Callable[..., Answer | None]:
    """The function ``Answer.alone``; ``build`` makes the answer to a task in a folder."""

    def alone(task: str, *, with_all: bool = False) -> Answer | None:
        if not is_begun(lab, files, task):
            return None
        used = lab.with_all_helpers() if with_all else lab
        return build(used, folder / (f"{task}-with-all" if with_all else task), task)

    return alone


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
    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    if sanitizer and (not watch.flags or machine.is_compiled(lab)):
        raise project.LabError(
            f"--preset {sanitizer}: of such a lab asan alone can watch, and no CUDA"
        )
    try:
        built = own_units.build(lab, files, folder, box, task=task, flags=watch.flags)
    except own_units.SeamError as error:
        if fault := _own_fault(lab, files, folder, box, str(error)):
            text = f"lab {lab.number}, its own answer and driver: {fault}"
            raise project.GraderError(text) from error
        raise
    environment = watch.environment(*built.folders)
    answer = Answer(None, environment, built.whole, built.warnings, sanitizer, box)
    if task or sanitizer:
        return answer
    alone = _alone(
        lab,
        files,
        folder,
        lambda used, place, one: build_own(used, files, place, box, one),
    )
    if not box:
        return replace(answer, alone=alone)

    def right() -> list[Path]:
        reference = files_of(lab, "reference")
        made = own_units.build(lab, reference, folder / "right", box)
        return [*made.objects.values()]

    audit = policy.audit(lab, files, built.objects, right, box)
    return replace(answer, alone=alone, audit=audit)


def files_of(lab: project.Lab, version: str) -> dict[str, Path]:
    """For each file of the framework that the lab replaces, the one in its place.

    ``version`` is ``work``, ``starter``, ``reference``, or one of ``HONEST``. For a lab
    with files of its own it may be any folder beside them.

    Raises:
        LabError: there is no such answer, or it does not fit the exercise.
    """
    if version == "reference":
        return {file: lab.unit(file) for file in lab.files}
    if lab.is_own and version not in {"work", "starter"}:
        return {file: lab.home / version / file for file in lab.files}
    if version in HONEST:
        return _whole_files(lab, version)
    folder = lab.work if version == "work" else lab.starter
    return {file: folder / Path(file).name for file in lab.files}


def honest_parts(lab: project.Lab, version: str) -> dict[str, str]:
    """Returns the regions and includes of an answer in ``HONEST``, for each file.

    Raises:
        LabError: its file is not there, is no text, or has other parts.
    """
    path = lab.solution / f"{version}.txt"
    shown = project.shown(path)
    try:
        head, *split = PART.split(texts.read(path, shown))
    except (OSError, ValueError) as error:
        raise project.LabError(f"{shown}: {error}") from error
    names = [Path(file).name for file in lab.files]
    if head.strip() or split[0::2] != names:
        raise project.LabError(
            f"{shown}: expected parts that begin with '=== {names[0]}' and so on, "
            f"for {', '.join(names)}; got {', '.join(split[0::2]) or 'none'}"
        )
    return dict(zip(lab.files, split[1::2], strict=True))


def _whole_files(lab: project.Lab, version: str) -> dict[str, Path]:
    """The files with an answer in solutions/, where its regions alone are kept."""
    made = {}
    for file, part in honest_parts(lab, version).items():
        name = Path(file).name
        try:
            text = fill_in((lab.starter / name).read_text(), part)
        except (OSError, ValueError) as error:
            raise project.LabError(f"{version}/{name}: {error}") from error
        folder = project.build_folder() / "labs" / lab.folder / version / "files"
        made[file] = folder / name
        project.put(made[file], text)
    return made


def build_answer(
    lab: project.Lab, files: dict[str, Path], folder: Path, sanitizer: str = ""
) -> Answer:
    """Makes files of a lab ready to be run; one of ``SANITIZERS`` may watch C++.

    Raises:
        BuildError: a file does not compile.
        LabError: a file includes what an answer must not.
    """
    if lab.is_own:
        return build_own(lab, files, folder, sanitizer=sanitizer)
    watch = SANITIZERS.get(sanitizer, NO_SANITIZER)
    overlays = []
    if lab.python_files:
        overlays.append(python_units.overlay_of(lab, files, folder / "overlay"))
    environment = watch.environment(*overlays)
    whole = without_marks(lab, {file: files[file] for file in lab.python_files})

    def timed() -> Answer:
        return build_for_marks(lab, files, folder / "timed", None)

    made = Answer(None, environment, whole, sanitizer=sanitizer, timed=timed)
    if not lab.cpp_files:
        return made
    answers = {file: files[file] for file in lab.cpp_files}
    built = build_variant(answers, folder, preset=watch.preset, flags=watch.flags)
    library, whole = built.library, whole + built.whole
    return replace(made, library=library, whole=whole, warnings=built.warnings)


def with_limits(lab: project.Lab, box: Box | None) -> Box | None:
    """A box, if there is one, whose compilers may use what the lab allows."""
    if box is None:
        return None
    return replace(
        box,
        compile_s=lab.limits.get("compile_s", 0),
        compile_mem_mb=lab.limits.get("compile_mem_mb", 0),
    )


def _used_files(lab: project.Lab, files: dict[str, Path], task: str) -> dict[str, Path]:
    """Those of ``files`` that are made for a task, and minitf's own where these differ.

    A file of minitf's own is made anew if regions of it are not to be there.
    """
    if not task:
        return files
    there = lab.helpers(task)
    used = {}
    for file in lab.files:
        tasks = regions.tasks_in_order((project.ROOT / file).read_text())
        if task in tasks:
            used[file] = files[file]
        elif there is not None and not set(tasks) <= set(there):
            used[file] = project.ROOT / file
    return used


def build_for_marks(
    lab: project.Lab,
    files: dict[str, Path],
    folder: Path,
    box: Box | None,
    task: str = "",
) -> Answer:
    """Makes files of a lab ready to be run in a box, with no right answer beside them.

    If ``task`` is given, minitf's answers take the place of those to all other tasks.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    box = with_limits(lab, box)
    if lab.is_own:
        return build_own(lab, files, folder, box, task)
    used = _used_files(lab, files, task)
    environment = {}
    python_files = [file for file in lab.python_files if file in used]
    if python_files:
        part = replace(lab, files=python_files)
        overlay = python_units.overlay_alone(part, used, folder / "overlay", task)
        environment["PYTHONPATH"] = str(overlay)
    alone = _alone(
        lab,
        files,
        folder,
        lambda used, place, one: build_for_marks(used, files, place, box, one),
    )
    whole = without_marks(lab, used)
    answer = Answer(None, environment, whole, box=box, alone=None if task else alone)
    cpp_files = {file: used[file] for file in lab.cpp_files if file in used}
    objects: dict[str, Path] = {}
    if cpp_files:
        helpers = lab.helpers(task)
        compose = functools.partial(compose_alone, task=task, helpers=helpers)
        made = build_variant(cpp_files, folder, compose=compose, box=box)
        answer = replace(answer, library=made.library, warnings=made.warnings)
        objects = made.objects
    if task or not box:
        return answer
    right = functools.partial(variant.objects_of, cpp_files)
    return replace(answer, audit=policy.audit(lab, used, objects, right, box))


def drivers_of(lab: project.Lab) -> list[str]:
    """The targets of the build for a lab: the guard, and its own driver if it has one."""
    has_driver = not lab.is_own and (lab.tests / "driver.cc").exists()
    return ["lab_guard", *([f"lab_{lab.number}_driver"] if has_driver else [])]


def build_framework(lab: project.Lab, sanitizer: str = "") -> None:
    """Builds all that a lab's cases need besides its own files."""
    preset = SANITIZERS.get(sanitizer, NO_SANITIZER).preset
    project.build("minitf", "_minitf", *drivers_of(lab), preset=preset, is_shown=True)


def made_folder(lab: project.Lab) -> Path:
    """Where what is made of answers to a lab goes: two may have the same name."""
    place = hashlib.sha256(os.fsencode(lab.home or "")).hexdigest()[:8]
    name = f"{lab.folder}-{place}" if lab.home else lab.folder
    return project.build_folder() / "labs" / name


def alone(lab: project.Lab, version: str) -> AbstractContextManager[None]:
    """Holds what is made of a version until its run ends: the next run writes it anew."""
    name = f"{made_folder(lab).name}-{version.replace('/', '-')}"
    return locks.alone(name, f"another run of lab {lab.called}")


def build_version(
    lab: project.Lab, version: str, sanitizer: str = "", box: Box | None = None
) -> Answer:
    """Makes the student's files, or others as ``files_of`` names them, ready.

    Hold the version by ``alone`` as long as its answer is used. With a sanitizer, which
    needs more than a box has, ``box`` is not used.

    Raises:
        LabError: there is no work yet, or it is not the student's own.
        BuildError: the files do not compile.
    """
    folder = made_folder(lab) / version
    if version == "work":
        files = sources.take_work(lab, folder / project.TAKEN)
    elif version != "starter" and not project.has_reference(lab):
        raise project.LabError(f"there is no answer to lab {lab.number} here as source")
    if sanitizer and any(map(cuda_units.is_cuda, lab.files)):
        raise project.LabError(
            f"--preset {sanitizer}: CUDA is watched by check mode, in each test"
        )
    build_framework(lab, sanitizer)
    folder /= sanitizer
    if version != "work":
        files = files_of(lab, version)
    if box and not sanitizer:
        return build_alone(lab, files, folder, box)
    if not project.has_reference(lab):
        return bare.build(lab, files, folder / "bare", sanitizer)
    return build_answer(lab, files, folder, sanitizer)


def build_alone(
    lab: project.Lab, files: dict[str, Path], folder: Path, box: Box | None
) -> Answer:
    """Makes files of a lab ready with no answer of minitf beside them, as a grader does.

    ``build_framework`` has built the rest of minitf.

    Raises:
        BuildError: a file does not compile.
        LabError: a file cannot be read.
    """
    if project.has_reference(lab):
        return build_for_marks(lab, files, folder / "box", box)
    return bare.build(lab, files, folder / "bare", box=with_limits(lab, box))
