"""``./lab milestone mlp``: a training on as much of minitf as the student has written.

A file of a lab that was begun is used if all of its tasks have all of their points; in
place of the others stands minitf's own. So a first milestone runs after one lab, and the
last one on a framework whose every part is the student's. The report says whose each
file is.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from minitf_lab.labs import builds, grade, python_units
from minitf_lab.labs.marks import Grade
from minitf_lab import project
from minitf_lab.judge.regions import find_regions
from minitf_lab.judge.variant import build_variant

MIN_ACCURACY = 0.9  # what the network comes to if all is right
LIMIT_S = 300
PROGRAMS = {"mlp": "minitf_lab.dev.demo.milestone_mlp"}


@dataclass(frozen=True)
class Part:
    """A file of the framework, and whose it is.

    Attributes:
        answer: The student's file; None if minitf's own is used.
        why: Why it is.
    """

    lab: project.Lab
    file: str
    answer: Path | None
    why: str = ""


def parts_of(lab: project.Lab, result: Grade | None, why: str = "") -> list[Part]:
    """The files of a lab.

    Args:
        lab: Which one.
        result: What the student's files are worth; None if that is not known.
        why: Why it is not.
    """
    open_tasks = set()
    if result is not None:
        for one in result.tasks:
            if one.points < one.task.points:
                open_tasks.add(one.task.number)
    parts = []
    for file in lab.files:
        marked = project.marked(lab, file).read_text()
        tasks = {region.task for region in find_regions(marked)}
        if result is None:
            parts.append(Part(lab, file, None, why))
        elif missing := sorted(tasks & open_tasks):
            said = f"{', '.join(missing)} without all points"
            parts.append(Part(lab, file, None, said))
        else:
            parts.append(Part(lab, file, lab.work / Path(file).name))
    return parts


def _parts(labs: list[project.Lab]) -> list[Part]:
    """All files of all labs; those that were begun are tested."""
    parts = []
    for lab in labs:
        if not lab.work.exists():
            parts += parts_of(lab, None, "not begun")
            continue
        print(f"testing lab {lab.number} ...", flush=True)
        try:
            with builds.alone(lab, "work"):
                answer = builds.build_version(lab, "work")
                parts += parts_of(lab, grade.grade_answer(lab, answer))
        except project.LabError as error:
            first = str(error).partition("\n")[0]
            parts += parts_of(lab, None, f"it cannot be tested: {first}")
    return parts


def run_program(name: str, parts: list[Part]) -> dict[str, float]:
    """Runs a program with the student's files among ``parts``.

    Returns:
        What it says of itself: ``accuracy`` and ``seconds``.

    Raises:
        LabError: it does not come to its end.
    """
    with tempfile.TemporaryDirectory(prefix="minitf-milestone-") as folder:
        return _run_in(Path(folder), name, [part for part in parts if part.answer])


def _run_in(folder: Path, name: str, mine: list[Part]) -> dict[str, float]:
    """``run_program`` with what is made for it in ``folder``."""
    units = [
        python_units.unit_of(part.lab, part.file, part.answer)
        for part in mine
        if part.file.endswith(".py")
    ]
    python_units.write_overlay(folder / "overlay", units, is_guarded=False)
    command = [sys.executable, "-m", PROGRAMS[name]]
    cpp = {part.file: part.answer for part in mine if not part.file.endswith(".py")}
    if cpp:
        command += ["--library", str(build_variant(cpp, folder).library)]
    path = [folder / "overlay", project.ROOT / "python"]
    path.append(project.build_folder() / "python")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LIMIT_S
        )
        return json.loads(done.stdout.strip().split("\n")[-1])
    except subprocess.TimeoutExpired as error:
        raise project.LabError(f"{name} is still training after {LIMIT_S} s") from error
    except ValueError as error:
        said = (done.stdout + done.stderr).strip()[-2000:]
        raise project.LabError(f"{name} has not come to its end:\n{said}") from error


def run(name: str) -> int:
    """Trains, says whose code it was, and returns the exit status."""
    if name not in PROGRAMS:
        raise project.LabError(
            f"there is no milestone {name}; there are: {', '.join(PROGRAMS)}"
        )
    project.build("minitf", "_minitf", is_shown=True)
    parts = _parts(project.all_labs())
    for part in parts:
        whose = "yours" if part.answer else f"minitf's ({part.why})"
        print(f"lab {part.lab.number}  {part.file}: {whose}")
    mine = sum(part.answer is not None for part in parts)
    print(f"training: {mine} of {len(parts)} files of labs are yours ...", flush=True)
    figures = run_program(name, parts)
    print(
        f"{name}: {figures['accuracy']:.1%} of the held-out digits recognised, "
        f"in {figures['seconds']:.0f} s"
    )
    if figures["accuracy"] < MIN_ACCURACY:
        print(f"that is less than {MIN_ACCURACY:.0%}: something is wrong with a file")
        return 1
    if mine == len(parts):
        print("every file that a lab replaces is yours")
    return 0
