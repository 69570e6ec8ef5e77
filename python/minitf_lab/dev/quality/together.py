"""Many wrong answers in one library, each in regions of the files, tried one by one.

Planted faults (``faults.py``) and mutants (``mutate.py``) are wrong answers to one task.
To compile the file anew for each would take minutes. Here all of them stand in the file
beside the right answer, in the branches of an ``if`` (``judge/regions.py``), and the
worker is told which is to be used. The right answer can be tried, too (``RIGHT``).
"""

import ast
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge import regions
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import Other, Region
from minitf_lab.judge.runner import Worker
from minitf_lab.judge.variant import build_variant, with_head
from minitf_lab.labs import grade, python_units
from minitf_lab.labs.answers import Answer
from minitf_lab.processes import shared_out
from minitf_lab.results import Limits, Result

MAX_TRIES = 8  # each leaves out what the compiler refused
# An answer without its return is tried: the compiler names the end of the function, and
# none of the many answers in it.
LENIENT = ("-Wno-error=return-type",)


@dataclass(frozen=True)
class Change:
    """What an answer has in place of the right one's lines.

    Attributes:
        file: Of the framework.
        region: Which one of the file, from 0.
        first: Number of its first line.
        text: What stands in the region.
    """

    file: str
    region: int
    first: int
    text: str


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that differs from the right one in regions alone.

    Attributes:
        name: Its own among those of the lab, without spaces.
        task: That of its first region.
        changes: One for each region that differs; mostly there is one.
    """

    name: str
    task: str
    changes: tuple[Change, ...]

    @property
    def key(self) -> str:
        """What the worker is told."""
        return f"{self.task}/{self.name}"

    def files(self) -> set[str]:
        """Those that it changes."""
        return {change.file for change in self.changes}


# Stands for the right answer: no region asks for it, so that none of the others is used.
RIGHT = WrongAnswer("right", "", ())


def differing_regions(text: str, right: str) -> dict[int, Region] | None:
    """The regions of ``text`` that are not as in ``right``, by number.

    Returns:
        None if something else is not as there either.
    """
    found, expected = regions.find_regions(text), regions.find_regions(right)

    def without(source: str) -> str:
        return regions.replace_regions(source, lambda region: [region.task])

    if without(text) != without(right):
        return None
    pairs = enumerate(zip(found, expected, strict=True))
    return {i: mine for i, (mine, other) in pairs if mine.lines != other.lines}


def difference(
    name: str, differ: dict[str, dict[int, Region] | None]
) -> WrongAnswer | None:
    """An answer that differs from the right one in regions; None if it is not such.

    Args:
        name: Of the answer.
        differ: ``differing_regions`` of each file that is not as the right one.
    """
    if None in differ.values():
        return None
    found = [(file, *item) for file, some in differ.items() for item in some.items()]
    if not found:
        return None
    changes = (
        Change(file, number, region.first, "\n".join(region.lines))
        for file, number, region in found
    )
    return WrongAnswer(name, found[0][2].task, tuple(changes))


def _beside(right: Path, file: str, wrongs: Iterable[WrongAnswer]) -> list[list[Other]]:
    """For each region of ``right``, the wrong answers to it among those of all files."""
    others: list[list[Other]] = [[] for _ in regions.find_regions(right.read_text())]
    for wrong in wrongs:
        for one in wrong.changes:
            if one.file == file:
                other = Other(wrong.key, one.text, one.first, wrong.key)
                others[one.region].append(other)
    return others


def _refused(error: project.BuildError, wrongs: list[WrongAnswer]) -> set[str]:
    """The keys of the answers that a compiler has something against."""
    said = error.said
    at_fault = set(re.findall(r"^([\d.]+/[^\s:]+):\d+:\d+: (?:fatal )?error", said, re.M))
    known = {wrong.key for wrong in wrongs if wrong is not RIGHT}
    # An error in a template names who asked for it.
    return (at_fault & known) or {key for key in known if f"{key}:" in said}


def _python_problem(right: dict[str, Path], wrong: WrongAnswer) -> str:
    """Why ``wrong`` cannot stand beside the right answer; empty if it can."""
    for change in wrong.changes:
        if not change.file.endswith(".py"):
            continue
        path = right[change.file]
        beside = _beside(path, change.file, [replace(wrong, changes=(change,))])
        try:
            composed = regions.compose_python(path.read_text(), beside, wrong.key)
        except SyntaxError as error:
            return f"no Python: {error}"
        if repr(wrong.key) not in ast.dump(composed):
            return "one of the two answers yields, and the other does not"
    return ""


def _python_overlay(
    lab: project.Lab, right: dict[str, Path], wrongs: list[WrongAnswer], folder: Path
) -> tuple[dict[str, str], dict[str, str]]:
    """The worker's variables for wrong answers in Python, and what is wrong with some."""
    mine = [w for w in wrongs if any(f.endswith(".py") for f in w.files())]
    if not mine and not (RIGHT in wrongs and lab.python_files):
        return {}, {}
    found = {wrong.key: _python_problem(right, wrong) for wrong in mine}
    problems = {key: text for key, text in found.items() if text}
    kept = [wrong for wrong in mine if wrong.key not in problems]
    others = {file: _beside(right[file], file, kept) for file in lab.python_files}
    overlay = python_units.overlay_of(lab, right, folder / "overlay", others)
    return {"PYTHONPATH": str(overlay)}, problems


def build(
    lab: project.Lab, right: dict[str, Path], wrongs: list[WrongAnswer], folder: Path
) -> tuple[Answer, dict[str, str]]:
    """The framework with ``wrongs`` beside the right answers.

    Args:
        lab: Which one.
        right: Its files with right answers, as ``builds.files_of`` gives them.
        wrongs: Those that are tried. With ``RIGHT`` among them every file of the lab is
            the right answer's; else those are that one of them changes.
        folder: Where what is made goes.

    Returns:
        What workers run, and for each key that could not be compiled, why.

    Raises:
        BuildError: it does not compile, and none of ``wrongs`` is to blame.
    """
    environment, problems = _python_overlay(lab, right, wrongs, folder)
    changed = set().union(*(wrong.files() for wrong in wrongs)) & {*lab.cpp_files}
    if RIGHT in wrongs:
        changed = {*lab.cpp_files}
    if not changed:
        return Answer(None, environment), problems

    def compose(path: Path, unit: str) -> tuple[str, bool]:
        left = [wrong for wrong in wrongs if wrong.key not in problems]
        beside = _beside(path, unit, left)
        return with_head(regions.compose(path.read_text(), beside, unit)), True

    answers = {file: right[file] for file in lab.cpp_files if file in changed}
    for _ in range(MAX_TRIES):
        try:
            variant = build_variant(answers, folder, flags=LENIENT, compose=compose)
            return Answer(variant.library, environment), problems
        except project.BuildError as error:
            found = _refused(error, wrongs) - set(problems)
            if not found:
                raise
            problems |= dict.fromkeys(found, str(error))
    raise project.BuildError(f"wrong answers of lab {lab.number} do not compile")


def first_failure(
    worker: Worker, cases: list[Case], limits: Limits, key: str, seed: int = 0
) -> Result | None:
    """What came of the first case that does not pass, with the answer called ``key``."""
    results = (worker.run(case, limits, seed=seed, task=key) for case in cases)
    return next((result for result in results if not result.passed), None)


def try_all(
    lab: project.Lab,
    right: dict[str, Path],
    wrongs: list[WrongAnswer],
    cases_for: Callable[[WrongAnswer], list[Case]],
    limits: Limits,
    folder: Path,
    *,
    is_guarded: bool = False,
    seed: int = 0,
) -> Iterator[tuple[WrongAnswer, Result | None, str]]:
    """Tries wrong answers to regions of a lab's files, on all processors.

    Args:
        lab: Which one.
        right: Its files with right answers, as ``builds.files_of`` gives them.
        wrongs: At least one.
        cases_for: The cases that an answer is tried with, one after another.
        limits: Of a case.
        folder: Where what is made goes; it is removed at the end.
        is_guarded: Whether the memory of tensors is watched, as for marks.
        seed: Which numbers the cases draw.

    Yields:
        An answer, the first case that does not pass with it, and why it could not be
        tried, which is empty if it could.
    """
    try:
        answer, problems = build(lab, right, wrongs, folder)
        answer = replace(answer, is_guarded=is_guarded)
        yield from ((w, None, problems[w.key]) for w in wrongs if w.key in problems)
        left = [wrong for wrong in wrongs if wrong.key not in problems]

        def try_some(numbers: Iterator[int]) -> Iterator[tuple[int, Result | None]]:
            with grade.worker_of(lab, answer) as worker:
                for number in numbers:
                    wrong = left[number]
                    cases = cases_for(wrong)
                    yield number, first_failure(worker, cases, limits, wrong.key, seed)

        for number, found in shared_out(try_some, len(left)):
            yield left[number], found, ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
