"""Many wrong answers in one library, each in one region of a file, tried one by one.

Planted faults (``faults.py``) and mutants (``mutate.py``) are wrong answers to one task.
To compile the file anew for each would take minutes. Here all of them stand in the file
beside the right answer, in the branches of an ``if`` (``judge/regions.py``), and the
worker is told which is to be used.
"""

import ast
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from minitf_lab import grade, project, python_units
from minitf_lab.judge import regions
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import Other
from minitf_lab.judge.runner import Worker
from minitf_lab.judge.variant import HEAD, build_variant
from minitf_lab.results import Limits, Result

MAX_TRIES = 8  # each leaves out what the compiler refused
QUICK = ("-O1",)  # a file with a hundred answers is compiled much faster so


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that differs from the right one in one region.

    Attributes:
        name: Its own among those of the lab, without spaces.
        file: Of the framework.
        region: Which one of the file, from 0.
        task: That of the region.
        first: Number of its first line.
        text: What stands in the region.
    """

    name: str
    file: str
    region: int
    task: str
    first: int
    text: str

    @property
    def key(self) -> str:
        """What the worker is told."""
        return f"{self.task}/{self.name}"


def only_difference(name: str, file: str, text: str) -> WrongAnswer | None:
    """``text`` as an answer that differs from ``file`` in one region, if that is so.

    Args:
        name: Of the answer.
        file: Of the framework.
        text: The whole file with the answer in it.
    """
    right = (project.ROOT / file).read_text()
    found, expected = regions.find_regions(text), regions.find_regions(right)

    def without(source: str) -> str:
        return regions.replace_regions(source, lambda region: [region.task])

    if without(text) != without(right):
        return None
    differ = [i for i in range(len(found)) if found[i].lines != expected[i].lines]
    if len(differ) != 1:
        return None
    region = found[differ[0]]
    body = "\n".join(region.lines)
    return WrongAnswer(name, file, differ[0], region.task, region.first, body)


def _beside(file: str, wrongs: Iterable[WrongAnswer]) -> list[list[Other]]:
    """For each region of ``file``, the wrong answers to it."""
    source = (project.ROOT / file).read_text()
    others: list[list[Other]] = [[] for _ in regions.find_regions(source)]
    for wrong in wrongs:
        other = Other(wrong.key, wrong.text, wrong.first, wrong.key)
        others[wrong.region].append(other)
    return others


def _refused(error: project.BuildError, wrongs: list[WrongAnswer]) -> set[str]:
    """The keys of the answers that a compiler has something against."""
    said = error.said
    at_fault = set(re.findall(r"^([\d.]+/[^\s:]+):\d+:\d+: (?:fatal )?error", said, re.M))
    known = {wrong.key for wrong in wrongs}
    # An error in a template names who asked for it.
    return (at_fault & known) or {key for key in known if f"{key}:" in said}


def _python_problem(right: Path, wrong: WrongAnswer) -> str:
    """Why ``wrong`` cannot stand beside the right answer; empty if it can."""
    try:
        beside = _beside(wrong.file, [wrong])
        composed = regions.compose_python(right.read_text(), beside, wrong.key)
    except SyntaxError as error:
        return f"no Python: {error}"
    if repr(wrong.key) not in ast.dump(composed):
        return "one of the two answers yields, and the other does not"
    return ""


def build(
    lab: project.Lab, file: str, wrongs: list[WrongAnswer], folder: Path
) -> tuple[grade.Answer, dict[str, str]]:
    """The framework with ``wrongs`` beside its own answers in ``file``.

    Args:
        lab: Which one.
        file: Of the framework, one of the lab's.
        wrongs: All of this file.
        folder: Where what is made goes.

    Returns:
        What workers run, and for each key that could not be compiled, why.

    Raises:
        BuildError: it does not compile, and none of ``wrongs`` is to blame.
    """
    files = grade.files_of(lab, "reference")
    problems: dict[str, str] = {}
    if file.endswith(".py"):
        problems = {wrong.key: _python_problem(files[file], wrong) for wrong in wrongs}
        problems = {key: text for key, text in problems.items() if text}
        kept = [wrong for wrong in wrongs if wrong.key not in problems]
        others = {file: _beside(file, kept)}
        overlay = python_units.overlay_of(lab, files, folder, others)
        return grade.Answer(None, {"PYTHONPATH": str(overlay)}), problems

    def compose(path: Path, unit: str) -> tuple[str, bool]:
        left = [wrong for wrong in wrongs if wrong.key not in problems]
        text = regions.compose(path.read_text(), _beside(unit, left), unit)
        return HEAD + text, True

    for _ in range(MAX_TRIES):
        try:
            variant = build_variant(
                {file: files[file]}, folder, flags=QUICK, compose=compose
            )
            return grade.Answer(variant.library, {}), problems
        except project.BuildError as error:
            found = _refused(error, wrongs) - set(problems)
            if not found:
                raise
            problems |= dict.fromkeys(found, str(error))
    raise project.BuildError(f"{file} with its wrong answers does not compile")


def first_failure(
    worker: Worker, cases: list[Case], limits: Limits, key: str
) -> Result | None:
    """What came of the first case that does not pass, with the answer called ``key``."""
    results = (worker.run(case, limits, task=key) for case in cases)
    return next((result for result in results if not result.passed), None)


def try_file(
    lab: project.Lab,
    wrongs: list[WrongAnswer],
    cases_for: Callable[[WrongAnswer], list[Case]],
    limits: Limits,
    folder: Path,
) -> Iterator[tuple[WrongAnswer, Result | None, str]]:
    """Tries the wrong answers to the regions of one file, on all processors.

    Args:
        lab: Which one.
        wrongs: All of the same file.
        cases_for: The cases that an answer is tried with, one after another.
        limits: Of a case.
        folder: Where what is made goes; it is removed at the end.

    Yields:
        An answer, the first case that does not pass with it, and why it could not be
        tried, which is empty if it could.
    """
    try:
        answer, problems = build(lab, wrongs[0].file, wrongs, folder)
        waiting: SimpleQueue[WrongAnswer] = SimpleQueue()
        for wrong in wrongs:
            if wrong.key in problems:
                yield wrong, None, problems[wrong.key]
            else:
                waiting.put(wrong)

        def work(_: int) -> list[tuple[WrongAnswer, Result | None, str]]:
            done = []
            driver = lab.tests / "driver.py"
            with Worker(driver, answer.library, answer.environment) as worker:
                while True:
                    try:
                        wrong = waiting.get_nowait()
                    except Empty:
                        return done
                    cases = cases_for(wrong)
                    found = first_failure(worker, cases, limits, wrong.key)
                    done.append((wrong, found, ""))

        num_workers = min(project.num_cores(), waiting.qsize())
        with ThreadPoolExecutor(max(num_workers, 1)) as pool:
            for done in pool.map(work, range(num_workers)):
                yield from done
    finally:
        shutil.rmtree(folder, ignore_errors=True)
