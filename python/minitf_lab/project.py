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
from typing import Any

from minitf_lab import manifest, speed_rule, texts
from minitf_lab.speed_rule import Speed

ROOT = Path(__file__).resolve().parents[2]

# Files that an instructor writes; modules that they must not stand in front of.
OWN_KINDS = ("cc", "h", "cu", "cuh", "py")
TAKEN_MODULES = {*sys.stdlib_module_names, "minitf", "minitf_lab", "numpy", "pytest"}
# A repository for students has it at its top: what was released (course/release/).
RELEASED = ".minitf_release.json"

# Labs whose answers have threads and locks.
WITH_THREADS = ("03", "13", "14")

# A folder with copies of a student's files, each under its path from the top folder.
TAKEN = "taken"

# How much of what a compiler says is shown.
MAX_LINES, MAX_COLUMNS = 20, 400


class LabError(Exception):
    """Something that the user can put right; its text says how."""


class GraderError(LabError):
    """The machine's fault: nobody loses a point by it."""


@dataclass(frozen=True)
class Task:
    """One part of a lab, with points of its own.

    Attributes:
        cases: How many test cases there are.
        doc: Where to read about it: a file, and ``#`` with a heading.
        needs: What a machine must have to run it.
        visibility: Of its hidden cases, if not that of the lab.
        speed: How its points depend on time, if they do.
        uses: Other tasks whose code its cases run; None if that is not known.
    """

    number: str
    title: str
    points: int
    cases: int
    doc: str
    needs: list[str] = field(default_factory=list)
    visibility: str = ""
    speed: Speed | None = None
    uses: list[str] | None = None


@dataclass(frozen=True)
class Lab:
    """A lab as its lab.json describes it.

    Attributes:
        folder: Name of its folders in exercises/, solutions/ and work/.
        files: The files of the framework that it replaces, in C++ or in Python; or files
            of its own, which have plain names.
        time_limit_s: For one test case.
        aics: Numbers of the exercises in the AICS book that it covers.
        hours: How long it takes, as estimated.
        answers: For numbers of questions, a hash of the right answer (``questions.py``).
        version: Of the lab; a course raises it if it changes what is asked for.
        limits: What a hand-in may use besides; the names are those of ``manifest.py``.
        forbid_imports: What a file must not call (``policy.py``), by its name.
        forbid_words: What must not stand in its text, comments included.
        flag_imports: What the instructor is told of, in the same way.
        visibility: When students see the hidden cases: a word for the gradebook.
        needs: What its files are compiled with, besides a compiler.
        qa: What ``./lab qa`` expects.
        home: Folder of the lab.json, if that is not in exercises/.
        pack: Folder with private cases of a course, while they are used.
        pack_id: Which those are.
    """

    folder: str
    title: str
    files: list[str]
    time_limit_s: float = 10
    aics: list[str] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    hours: float = 0
    answers: dict[str, str] = field(default_factory=dict)
    version: str = "1"
    limits: dict[str, float] = field(default_factory=dict)
    forbid_imports: dict[str, list[str]] = field(default_factory=dict)
    forbid_words: dict[str, list[str]] = field(default_factory=dict)
    flag_imports: dict[str, list[str]] = field(default_factory=dict)
    visibility: str = "after_due_date"
    needs: list[str] = field(default_factory=list)
    qa: dict[str, Any] = field(default_factory=dict)
    home: Path | None = None
    pack: Path | None = None
    pack_id: str = ""

    @property
    def number(self) -> str:
        """Such as "04"."""
        return self.folder[:2]

    @property
    def called(self) -> str:
        """What a command calls it: its number, or its folder."""
        return os.path.relpath(self.home) if self.home else self.number

    @property
    def is_own(self) -> bool:
        """Whether its files are not the framework's, but come from its own folder."""
        return self.home is not None and not any("/" in file for file in self.files)

    @property
    def manifest(self) -> Path:
        """Its lab.json."""
        return (self.home or ROOT / "exercises" / self.folder) / "lab.json"

    @property
    def starter(self) -> Path:
        """What is handed out."""
        return self.manifest.parent / "starter" if self.is_own else self.manifest.parent

    def unit(self, file: str) -> Path:
        """The right answer in one of its files."""
        return self.home / "reference" / file if self.is_own else ROOT / file

    @property
    def work(self) -> Path:
        """Where the student's files are."""
        return ROOT / "work" / self.folder

    @property
    def solution(self) -> Path:
        """Notes and planted faults."""
        return self.home if self.is_own else ROOT / "solutions" / self.folder

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
        if self.is_own or (self.home and (self.home / "driver.py").exists()):
            return self.home
        top = self.home.parent.parent if self.home else ROOT
        return top / "tests" / "labs" / self.folder

    @property
    def driver(self) -> Path:
        """What its cases call: a module, or one that is compiled of a C++ file."""
        in_python = self.tests / "driver.py"
        return in_python if in_python.exists() else self.tests / "driver.cc"

    def helpers(self, task: str) -> list[str] | None:
        """The tasks whose code is there when ``task`` is tested alone; None means all."""
        found = next((one.uses for one in self.tasks if one.number == task), None)
        return None if found is None else [one for one in found if one != task]

    def with_all_helpers(self) -> "Lab":
        """The same lab, whose tasks may use all others."""
        return replace(self, tasks=[replace(one, uses=None) for one in self.tasks])

    @property
    def points(self) -> int:
        """The sum over all tasks."""
        return sum(task.points for task in self.tasks)


def _task(number: str, values: dict[str, Any]) -> Task:
    """A task of a manifest."""
    if "speed" not in values:
        return Task(number, **values)
    try:
        return Task(number, **{**values, "speed": speed_rule.read(values["speed"])})
    except ValueError as error:
        raise ValueError(f"tasks.{number}.speed: {error}") from error


def _check_uses(lab: Lab, task: Task) -> None:
    """Raises ValueError if a task uses one that is no other task of the lab."""
    for other in task.uses or []:
        if other == task.number or other not in {one.number for one in lab.tasks}:
            raise ValueError(
                f"tasks.{task.number}.uses: expected other tasks of this lab, there is "
                f"{other:.40}"
            )


def load_lab(path: Path) -> Lab:
    """Reads a ``lab.json``.

    Raises:
        LabError: it is not JSON, or something is missing or wrong in it.
    """
    try:
        values = manifest.read(texts.read(path))
        tasks = [_task(number, task) for number, task in values.pop("tasks").items()]
        lab = Lab(folder=path.parent.name, tasks=tasks, **values)
        names = [Path(file).name for file in lab.files]
        if len(set(names)) < len(names):
            raise ValueError("two of its files have the same name")
        for task in tasks:
            if not re.fullmatch(r"[0-9]{2}\.[0-9]{1,2}", task.number):
                raise ValueError(
                    f"tasks.{task.number:.40}: expected a number such as {lab.number}.1"
                )
            _check_uses(lab, task)
        speed_rule.check_lab({task.number: task.speed for task in tasks})
        return lab
    except (ValueError, OSError) as error:
        raise LabError(f"{path}: {error}") from error


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
        named = json.loads(texts.read(path))
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
        if number in {lab.number, f"{int(lab.number)}", lab.folder}:
            return lab
    known = ", ".join(lab.number for lab in labs)
    raise LabError(f"there is no lab {number}; there are: {known}")


def lab_at(place: str) -> Lab:
    """The lab called ``place``, or the one in that folder, wherever it lies.

    A folder of its own holds lab.json and, if its files are its own, ``reference/``,
    ``starter/``, cases and driver. Otherwise it holds the starter's files, and either
    the cases and their driver too, or these lie in ``../../tests/labs/`` under the same
    name.

    Raises:
        LabError: it is no lab, or what its cases need is not there.
    """
    folder = Path(place).absolute()
    if not (folder / "lab.json").is_file():
        if "/" in place or folder.is_dir():
            raise LabError(f"{place} is no lab: it has no lab.json")
        return find_lab(place)
    folder = folder.resolve()
    if folder == (ROOT / "exercises" / folder.name).resolve():
        return load_lab(folder / "lab.json")
    if not re.fullmatch(r"[0-9]{2}_[A-Za-z0-9_]+", folder.name):
        raise LabError(f"{place}: a lab's folder is named like 50_my_lab")
    lab = replace(load_lab(folder / "lab.json"), home=folder)
    if lab.is_own:
        _check_own(lab, place)
        return lab
    if not (lab.tests / "driver.py").is_file():
        raise LabError(f"{place}: there is no driver.py, in it or in {lab.tests}")
    if (lab.tests / "driver.cc").exists():
        raise LabError(
            f"{place}: a driver.cc is built for labs in exercises/, and for labs whose "
            "files are their own"
        )
    for file in lab.files:
        path = (ROOT / file).resolve()
        if not path.is_relative_to(ROOT) or not path.is_file():
            where = (
                "" if "/" in file else ", and labs have files of minitf or all their own"
            )
            raise LabError(f"{place}: its file {file} is none of the framework{where}")
    return lab


def _check_own(lab: Lab, place: str) -> None:
    """Raises LabError unless all is there that a lab with files of its own needs."""
    for file in lab.files:
        stem, _, suffix = file.rpartition(".")
        if not re.fullmatch(r"[A-Za-z]\w*", stem, re.ASCII) or suffix not in OWN_KINDS:
            raise LabError(
                f"{place}: files: {file!a} is no name of a file in reference/, such as "
                "running_mean.cc; it ends in " + ", ".join(OWN_KINDS)
            )
        if stem == "driver" or (suffix == "py" and stem in TAKEN_MODULES):
            raise LabError(f"{place}: files: {file}: this name is taken; choose another")
        if not lab.unit(file).is_file():
            raise LabError(f"{place}: its file {file} is not in {lab.unit(file).parent}")
    if not lab.driver.is_file():
        raise LabError(f"{place}: there is no driver.py or driver.cc in it")
    if not list(lab.home.glob("cases*.py")):
        raise LabError(f"{place}: there is no cases.py in it")
    has_driver = (lab.home / "driver.cc").is_file()
    if has_driver != bool(lab.cpp_files):
        lack = "has no file in C++" if has_driver else "needs a driver.cc for its C++"
        raise LabError(f"{place}: the lab {lack}")
    # All of it can be read in a box.
    if lab.home.is_relative_to("/usr"):
        raise LabError(f"{place}: answers can read /usr; move the lab to another folder")


def is_handed_out() -> bool:
    """Whether this is a repository for students, as ``./lab course release`` makes it."""
    return (ROOT / RELEASED).exists()


def has_reference(lab: Lab) -> bool:
    """Whether minitf's own answers of a lab are here as source."""
    return all(lab.unit(file).is_file() for file in lab.files)


def marked(lab: Lab, file: str) -> Path:
    """A text with the marks of a file that a lab replaces.

    It is minitf's own; where that is not handed out as source, the exercise, which has
    the same marks and defines the same names.
    """
    path = lab.unit(file)
    return path if path.is_file() else lab.starter / path.name


def put(path: Path, text: str) -> bool:
    """Writes a file unless it holds ``text`` already; whether it was written."""
    if path.exists() and path.read_text() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return True


def shown(path: Path) -> str:
    """How a path is shown: from the top folder, if it lies in it.

    A copy in a folder ``TAKEN`` is shown as the file that it is a copy of.
    """
    is_ours = path.is_relative_to(ROOT)
    text = str(path.relative_to(ROOT) if is_ours else path)
    _, taken, copied = text.rpartition(f"/{TAKEN}/")
    if taken:
        return copied
    return text if is_ours else path.name


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
        if i not in after_failed and not re.match(r"FAILED: |ninja: (?!error)", line)
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

    There is no file of a student in what is built, whatever MINITF_LAB says.

    ``preset`` is one of CMakePresets.json. A person in front of a terminal sees how it
    goes on if ``is_shown``.

    Raises:
        BuildError: with the compiler's output.
    """
    start = time.monotonic()
    is_shown = is_shown and sys.stdout.isatty()
    done = subprocess.run(
        [str(ROOT / "lab"), "build", preset, *targets],
        env={name: text for name, text in os.environ.items() if name != "MINITF_LAB"},
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


def environment_of(preset: str) -> dict[str, str]:
    """The variables with which Python imports minitf as this preset has built it."""
    folder = build_folder(preset)
    path = os.pathsep.join(map(str, (ROOT / "python", folder / "python")))
    return {"PYTHONPATH": path, "MINITF_BUILD": str(folder)}
