"""Minitf's own answers, watched by the sanitizers: every case of a lab must pass.

A case that passes says nothing of a read past an end, or of a race, that does no harm by
chance. The address sanitizer watches every lab in C++, the thread sanitizer those whose
answers have threads; for it minitf is built anew (``judge/variant.py``). CUDA is watched
by check mode in every case.
"""

from collections.abc import Iterator
from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.quality import faults
from minitf_lab.judge import cuda_units
from minitf_lab.labs import builds, grade
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

QUESTION = "sanitized"


def sanitizers_of(lab: project.Lab) -> tuple[str, ...]:
    """What watches a lab."""
    if not lab.cpp_files or any(map(cuda_units.is_cuda, lab.files)):
        return ()
    return ("asan", "tsan") if lab.number in project.WITH_THREADS else ("asan",)


def run(lab: project.Lab, sanitizer: str) -> list[Result]:
    """What becomes of all cases, the hidden ones too.

    Raises:
        LabError: the answer cannot be built, or does not start.
    """
    builds.build_framework(lab, sanitizer)
    files = builds.files_of(lab, "reference")
    with builds.alone(lab, "reference"):
        folder = builds.made_folder(lab) / "reference" / sanitizer
        answer = builds.build_answer(lab, files, folder, sanitizer)
        cases = grade.cases_of(lab, with_hidden=True)
        return [*grade.run_cases(lab, answer, cases, "all")]


def counts(lab: project.Lab) -> dict[str, dict[str, int]]:
    """For each sanitizer, how many cases there are, and how many pass."""
    found = {}
    for sanitizer in sanitizers_of(lab):
        results = run(lab, sanitizer)
        passed = sum(result.passed for result in results)
        found[sanitizer] = {"all": len(results), "passed": passed}
    return found


def try_all(lab: project.Lab, known: Verdicts) -> Iterator[tuple[str, str, bool]]:
    """Runs a lab under each of its sanitizers.

    Yields:
        Its name, what it has found, and whether that is the verdict of an earlier run.
    """
    files = builds.files_of(lab, "reference").values()
    own = Path(__file__).read_bytes()
    for sanitizer in sanitizers_of(lab):

        def key(sanitizer: str = sanitizer) -> str:
            return faults.key_of(lab, sanitizer.encode() + own, files)

        before = key()
        if known.find(QUESTION, before) is not None:
            yield sanitizer, "", True
            continue
        wrong = [one for one in run(lab, sanitizer) if not one.passed]
        problem = "\n".join(f"{one.name}: {one.message}\n{one.printed}" for one in wrong)
        if not problem and key() == before:  # no file has changed meanwhile
            known.keep(QUESTION, before, {})
        yield sanitizer, problem, False
