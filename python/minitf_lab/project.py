"""The project on disk: its folders, its labs, and how to build a part of it.

A lab is described once, in the ``lab.json`` of its folder; CMake, the generator of
exercises and the grader all read it there.
"""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# How much of what a compiler says is shown.
MAX_LINES, MAX_COLUMNS = 25, 400


class LabError(Exception):
    """Something that the user can put right; its text says how."""


@dataclass(frozen=True)
class Task:
    """One part of a lab, with points of its own.

    Attributes:
        cases: How many test cases there are.
        doc: Where to read about it: a file, and ``#`` with a heading.
    """

    number: str
    title: str
    points: int
    cases: int
    doc: str


@dataclass(frozen=True)
class Lab:
    """A lab as its lab.json describes it.

    Attributes:
        folder: Name of its folders in exercises/, solutions/ and work/.
        files: The files of the framework that it replaces, in C++ or in Python.
        time_limit_s: For one test case.
        loc: How many lines an answer takes.
        aics: Numbers of the exercises in the AICS book that it covers.
        hours: How long it takes, as estimated.
        answers: For numbers of questions, a hash of the right answer (``questions.py``).
        version: Of the lab; a course raises it if it changes what is asked for.
        limits: Of a hand-in: ``max_bytes`` of each of its files.
        visibility: When students see the hidden cases: a word for the gradebook.
        home: Folder of the lab.json, if that is not in exercises/.
        pack: Folder with private cases of a course, while they are used.
        pack_id: Which those are.
    """

    folder: str
    title: str
    files: list[str]
    time_limit_s: float
    loc: int
    aics: list[str]
    tasks: list[Task]
    hours: float = 0
    answers: dict[str, str] = field(default_factory=dict)
    version: str = "1"
    limits: dict[str, float] = field(default_factory=dict)
    visibility: str = "after_due_date"
    home: Path | None = None
    pack: Path | None = None
    pack_id: str = ""

    @property
    def number(self) -> str:
        """Such as "04"."""
        return self.folder[:2]

    @property
    def starter(self) -> Path:
        """What is handed out."""
        return self.home or ROOT / "exercises" / self.folder

    @property
    def work(self) -> Path:
        """Where the student's files are."""
        return ROOT / "work" / self.folder

    @property
    def solution(self) -> Path:
        """Notes and planted faults."""
        return ROOT / "solutions" / self.folder

    @property
    def cpp_files(self) -> list[str]:
        """What it replaces when its test program is linked."""
        return [file for file in self.files if not file.endswith(".py")]

    @property
    def python_files(self) -> list[str]:
        """What it replaces when they are imported."""
        return [file for file in self.files if file.endswith(".py")]

    @property
    def tests(self) -> Path:
        """Its cases, and the driver whose functions they call."""
        if self.home and (self.home / "driver.py").exists():
            return self.home
        top = self.home.parent.parent if self.home else ROOT
        return top / "tests" / "labs" / self.folder

    @property
    def points(self) -> int:
        """The sum over all tasks."""
        return sum(task.points for task in self.tasks)


def load_lab(manifest: Path) -> Lab:
    """Reads a ``lab.json``.

    Raises:
        LabError: it is not JSON, or something is missing in it.
    """
    try:
        values = json.loads(manifest.read_text())
        tasks = [Task(number, **task) for number, task in values.pop("tasks").items()]
        lab = Lab(folder=manifest.parent.name, tasks=tasks, **values)
        names = [Path(file).name for file in lab.files]
        if len(set(names)) < len(names):
            raise ValueError("two of its files have the same name")
        return lab
    except (ValueError, TypeError, KeyError, AttributeError, OSError) as error:
        raise LabError(f"{manifest}: {error}") from error


def all_labs() -> list[Lab]:
    """All labs, by number."""
    return [load_lab(path) for path in sorted((ROOT / "exercises").glob("*/lab.json"))]


@dataclass(frozen=True)
class Track:
    """A course: labs in an order.

    Attributes:
        labs: Their numbers; some may not be there yet.
    """

    name: str
    title: str
    labs: list[str]


def tracks() -> list[Track]:
    """All courses of ``tracks.json``.

    Raises:
        LabError: it is not JSON, or something is missing in it.
    """
    path = ROOT / "exercises" / "tracks.json"
    try:
        named = json.loads(path.read_text())
        return [Track(name, **values) for name, values in named.items()]
    except (OSError, ValueError, TypeError) as error:
        raise LabError(f"{path}: {error}") from error


def find_lab(number: str) -> Lab:
    """The lab called ``number``, such as ``04``, ``4`` or ``04_gradients``.

    Raises:
        LabError: there is none.
    """
    labs = all_labs()
    for lab in labs:
        if number in {lab.number, lab.number.lstrip("0"), lab.folder}:
            return lab
    known = ", ".join(lab.number for lab in labs)
    raise LabError(f"there is no lab {number}; there are: {known}")


def lab_at(place: str) -> Lab:
    """The lab called ``place``, or the one in that folder, wherever it lies.

    A folder of its own holds lab.json, the starter's files, and either the cases and
    their driver too, or these lie in ``../../tests/labs/`` under the same name.

    Raises:
        LabError: it is no lab, or what its cases need is not there.
    """
    folder = Path(place).absolute()
    if not (folder / "lab.json").is_file():
        if "/" in place or folder.is_dir():
            raise LabError(f"{place} is no lab: it has no lab.json")
        return find_lab(place)
    lab = load_lab(folder / "lab.json")
    if folder.resolve() == (ROOT / "exercises" / folder.name).resolve():
        return lab
    lab = replace(lab, home=folder)
    if not re.fullmatch(r"\d\d_\w+", folder.name):
        raise LabError(f"{place}: a lab's folder is named like 50_my_lab")
    if not (lab.tests / "driver.py").is_file():
        raise LabError(f"{place}: there is no driver.py, in it or in {lab.tests}")
    if (lab.tests / "driver.cc").exists():
        raise LabError(f"{place}: a driver.cc is built for labs in exercises/ alone")
    for file in lab.files:
        if not (ROOT / file).is_file():
            raise LabError(f"{place}: its file {file} is none of the framework")
    return lab


def put(path: Path, text: str) -> bool:
    """Writes a file unless it holds ``text`` already; whether it was written."""
    if path.exists() and path.read_text() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return True


def shown(path: Path) -> str:
    """How a path is shown: from the top folder, if it lies in it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


class BuildError(LabError):
    """The compiler or the linker has something against the source.

    Attributes:
        said: All that it said; the text of the error is what is worth showing.
        verdict: ``compile_error`` or ``compile_timeout``.
    """

    def __init__(self, text: str, said: str = "", verdict: str = "compile_error") -> None:
        super().__init__(text)
        self.said = said
        self.verdict = verdict


def compiler_output(text: str) -> str:
    r"""What the compiler said: its first lines, without ninja's and the long commands.

    >>> compiler_output("FAILED: a.o\nc++ -c a.cc\na.cc:3:1: error: no\nninja: stop")
    'a.cc:3:1: error: no'
    """
    text = text.replace(f"{ROOT}/", "").replace("../../", "")
    lines = text.strip().split("\n")
    after_failed = {i + 1 for i, line in enumerate(lines) if line.startswith("FAILED: ")}
    said = [
        line[:MAX_COLUMNS]
        for i, line in enumerate(lines)
        if i not in after_failed and not line.startswith(("FAILED: ", "ninja: "))
    ]
    more = len(said) - MAX_LINES
    return "\n".join(said[:MAX_LINES] + ([f"... {more} more lines"] if more > 0 else []))


_num_sharing = 1  # processes like this one, which do the same work


def share_cores(count: int) -> None:
    """Tells this process that it is one of ``count`` that share the cores."""
    global _num_sharing
    _num_sharing *= count


def num_cores() -> int:
    """How many things this process may do at the same time."""
    return max(1, len(os.sched_getaffinity(0)) // _num_sharing)


def build(
    *targets: str,
    preset: str = "release",
    is_shown: bool = False,
) -> float:
    """Builds ``targets``, everything if there are none, and returns the seconds it took.

    Args:
        targets: Names of CMake's targets.
        preset: One of CMakePresets.json.
        is_shown: Whether a person who waits in front of a terminal sees how it goes on.

    Raises:
        BuildError: with the compiler's output.
    """
    start = time.monotonic()
    is_shown = is_shown and sys.stdout.isatty()
    done = subprocess.run(
        [str(ROOT / "lab"), "build", preset, *targets],
        capture_output=not is_shown,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        said = "" if is_shown else compiler_output(done.stdout + done.stderr)
        raise BuildError(said or "the build failed; its output is above")
    return time.monotonic() - start


def course_folder() -> Path:
    """Where the course of an instructor is, unless a command is told otherwise."""
    return Path(os.environ.get("MINITF_COURSE") or ROOT / "course")


def build_folder(preset: str = "release") -> Path:
    """Where ``build`` puts what it makes."""
    return ROOT / "build" / preset
