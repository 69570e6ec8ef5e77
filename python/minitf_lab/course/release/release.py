"""``./lab course release``: a repository for students.

    release_files.py       which files students get, and why not the others
    hidden_cases.py        cases without the hidden ones
    reference_objects.py   answers to labs that are not over, compiled
    release_page.py        what students read first; links to what is not there
    canary.py              whether something is given away nevertheless
    release_out.py         the folder, as a Git repository

Everything is put together in memory, looked at, and only then written.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project
from minitf_lab.course.release import (
    canary,
    hidden_cases,
    reference_objects,
    release_files,
    release_out,
    release_page,
)
from minitf_lab.course.release.release_files import ANSWER, Choice
from minitf_lab.judge.regions import make_exercise
from minitf_lab.judge.rooms import files_of_driver
from minitf_lab.labs import diagnoses, grade

HIDDEN = "hidden cases, and what only they need: cut out of their files"
Read = Callable[[str], bytes]
Compile = Callable[[list[str]], dict[str, bytes]]


@dataclass(frozen=True)
class Left:
    """Something that stays here."""

    why: str
    name: str
    bytes: int


@dataclass
class Made:
    """A repository for students, in memory.

    Attributes:
        files: By their paths.
        left: What is not in it.
        secrets: What must not be in it.
        public: Texts that are public although they stand beside hidden cases.
    """

    files: dict[str, bytes]
    left: list[Left]
    secrets: list[canary.Secret]
    public: list[str]


def read_file(path: str) -> bytes:
    """A file of the checkout.

    Raises:
        LabError: it cannot be read.
    """
    try:
        return (project.ROOT / path).read_bytes()
    except OSError as error:
        raise project.LabError(f"{path}: {error.strerror}") from error


def _cut_cases(made: Made, choice: Choice) -> None:
    """Takes the hidden cases out of the files of labs."""
    for lab in choice.labs:
        top = f"tests/labs/{lab.folder}/"
        texts = {
            path.removeprefix(top): data.decode()
            for path, data in made.files.items()
            if path.startswith(top) and path.endswith(".py")
        }
        driver = files_of_driver(lab.tests / "driver.py")
        whole = {path.name for path in driver if path.parent == lab.tests}
        cut = hidden_cases.cut(texts, whole)
        for name, text in cut.files.items():
            made.files[top + name] = text.encode()
        made.public.extend(cut.public)
        for name, text in cut.hidden.items():
            made.secrets.append(canary.Secret(f"the hidden case {name}", text))
            made.left.append(Left(HIDDEN, f"{lab.folder}: {name}", len(text.encode())))


def _check_starter(lab: project.Lab, file: str, source: str) -> None:
    """Raises LabError unless the exercise is what the source makes."""
    path = lab.starter / Path(file).name
    if not path.is_file() or path.read_text() != make_exercise(source):
        raise project.LabError(f"{project.shown(path)} is out of date: run ./lab gen")


def put_together(choice: Choice, read: Read, compile_all: Compile) -> Made:
    """Makes the repository; ``read`` gives a file, ``compile_all`` makes objects of C++.

    Raises:
        LabError: something cannot be read, compiled or cut.
    """
    made = Made({}, [], [], [])
    tool = release_files.tool_modules()
    answers = choice.answers
    for path in release_files.tracked_files():
        why = release_files.why_not(path, choice, tool)
        if not why:
            made.files[path] = read(path)
            continue
        made.left.append(Left(why, path, (project.ROOT / path).stat().st_size))
        if why == ANSWER:
            source = read(path).decode()
            made.secrets.extend(canary.secrets_of(source))
            if path.endswith(".py"):
                made.files[f"{path}c"] = reference_objects.bytecode(path, source)
    made.files |= compile_all([f for f in answers if release_files.is_object(f, choice)])
    objects = f"{reference_objects.OBJECTS}/objects.json"
    made.files[objects] = reference_objects.made_for([*answers]).encode()
    _cut_cases(made, choice)
    for lab in choice.labs:
        text = diagnoses.dump(diagnoses.load(lab))
        made.files[f"tests/labs/{lab.folder}/{diagnoses.NAME}"] = text.encode()
    made.files |= release_page.pages(choice, made.files)
    return made


def _rehearse(choice: Choice) -> None:
    """Puts it together with a bird in every secret; raises LabError if one comes out."""

    def with_birds(path: str) -> bytes:
        data = read_file(path)
        text = canary.as_text(data)
        return canary.plant(path, text, choice.answers).encode() if text else data

    made = put_together(choice, with_birds, lambda files: {})
    if paths := canary.singing(made.files):
        raise project.LabError(f"secrets come out in {', '.join(paths)}")


def _check_contents(made: Made) -> None:
    """Raises LabError if a secret stands in a file."""
    bird = canary.Canary(made.secrets, made.public)
    if found := canary.findings(bird, made.files):
        raise project.LabError(
            "\n".join(
                [*found, "nothing was written: take it out, or name it in canary.py"]
            )
        )


_LIST_CASES = """
import json
from minitf_lab import project
from minitf_lab.judge.case import load_cases
found = {}
for lab in project.all_labs():
    cases = load_cases(lab.tests)
    for case in cases:
        next(iter(case.trials()))
    found[lab.number] = [[case.name, case.is_hidden] for case in cases]
print(json.dumps(found))
"""


def _check_cases(made: Made, choice: Choice) -> None:
    """Raises LabError unless the cases of the labs are the public ones, and run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, data in made.files.items():
            if path.startswith(("python/", "tests/labs/", "exercises/")):
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        build = project.build_folder() / "python"
        done = subprocess.run(
            [sys.executable, "-c", _LIST_CASES],
            env={"PYTHONPATH": f"{folder / 'python'}:{build}", "PATH": "/usr/bin:/bin"},
            cwd=folder,
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        said = done.stderr.replace(f"{folder}/", "")[-2000:]
        raise project.LabError(f"the public cases do not run by themselves:\n{said}")
    found = json.loads(done.stdout)
    for lab in choice.labs:
        public = [[case.name, False] for case in grade.cases_of(lab)]
        if found.get(lab.number) != public:
            text = f"the cases of lab {lab.number} are not the public ones; is one made"
            raise project.LabError(f"{text} in another way than by @case?")


def make(choice: Choice, compile_all: Compile = reference_objects.compile_all) -> Made:
    """Makes the repository, and looks for what it gives away.

    Raises:
        LabError: it gives something away, or cannot be made.
    """
    for file, lab in choice.answers.items():
        _check_starter(lab, file, read_file(file).decode())
    _rehearse(choice)
    made = put_together(choice, read_file, compile_all)
    _check_contents(made)
    _check_cases(made, choice)
    return made


def write(made: Made, choice: Choice, folder: Path) -> str | None:
    """Writes it; the new commit, or None if all of it was there already.

    Raises:
        LabError: it cannot be written there.
    """
    facts = {
        "labs": [lab.number for lab in choice.labs],
        "past": [lab.number for lab in choice.past],
    }
    files = dict(made.files)
    files[project.RELEASED] = release_out.list_of(files, facts)
    programs = {path for path in files if _is_program(path)}
    labs = ", ".join(facts["labs"])
    over = f"\n\nOver: {', '.join(facts['past'])}" if choice.past else ""
    return release_out.write(folder, files, programs, f"Labs {labs}{over}")


def _is_program(path: str) -> bool:
    here = project.ROOT / path
    return here.is_file() and bool(here.stat().st_mode & 0o100)
