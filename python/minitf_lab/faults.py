"""``./lab faults NN``: are the tests of a lab good enough to find wrong answers?

``solutions/NN_name/faults/`` holds wrong answers as patches of the reference. Each is
applied, built as if a student had written it, and must make at least one test case fail.
A fault that no test finds, that no longer applies or that does not compile, is a finding.

The first line of a patch that is not part of the difference says what is wrong, and the
task that a good report names:

    task 04.4: the gradients of the two factors are swapped

A fault that was found is not tried again while the patched files, the cases, what these
include, how they are compiled and the tools stay the same (``verdicts.py``). The rest of
the framework is left out of this: a case that told the patched file from the right one
still does while the right one passes, and ``./lab test`` has it pass each time. A machine
that keeps nothing, such as that of a CI, tries every fault.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import contents, grade, project
from minitf_lab.judge.variant import FLAGS
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

QUESTION = "fault"
# What judges; the rest of the key is about what is judged.
JUDGE = ("faults.py", "grade.py", "project.py", "contents.py", "overlay.py", "results.py")


@dataclass
class Fault:
    """What became of one wrong answer.

    Attributes:
        task: The task that it breaks, as its patch says.
        killed_by: The names of the cases that fail.
        named: The task of the first case that fails.
        problem: Why it could not be tried; empty if it could.
        is_kept: Whether an earlier run has found it.
    """

    name: str
    task: str
    sentence: str
    seconds: float = 0
    killed_by: tuple[str, ...] = ()
    named: str = ""
    problem: str = ""
    is_kept: bool = False

    @property
    def is_killed(self) -> bool:
        """Whether a test found it."""
        return bool(self.killed_by) and not self.problem


def read_fault(patch: Path) -> Fault:
    """Reads the head of a patch.

    Raises:
        LabError: it does not start with a task and a sentence.
    """
    head = re.match(r"task ([\d.]+): (.+)\n", patch.read_text())
    if not head:
        place = patch.relative_to(project.ROOT)
        raise project.LabError(
            f"{place}: the first line must be 'task NN.N: what is wrong'"
        )
    return Fault(patch.stem, head[1], head[2])


def _apply(lab: project.Lab, patch: Path, folder: Path) -> str:
    """Puts the files of ``lab``, with ``patch`` applied, into ``folder``.

    Returns:
        What ``patch`` has against it; empty if all went well.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for file in lab.files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project.ROOT / file, folder / file)
    done = subprocess.run(
        ["patch", "--strip=1", "--fuzz=0", "--quiet", "--no-backup-if-mismatch"],
        cwd=folder,
        input=patch.read_text(),
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else f"does not apply: {done.stdout.strip()}"


def _key(lab: project.Lab, patch: Path, patched: list[Path]) -> str:
    """The key of the verdict on ``patched``."""
    known = contents.compile_flags("release") if lab.cpp_files else {}
    flags = [contents.of_flags(known[str(project.ROOT / f)]) for f in lab.cpp_files]
    code = Path(__file__).parent
    judge = [*(code / name for name in JUDGE), *sorted((code / "judge").glob("*.py"))]
    return contents.digest(
        patch.read_bytes(),
        contents.of_files(contents.with_includes(*patched)),
        *(path.read_bytes() for path in sorted(lab.tests.glob("*.*"))),
        (lab.starter / "lab.json").read_bytes(),
        *flags,
        *FLAGS,
        *(path.read_bytes() for path in judge),
        contents.tools(),
    )


def _run_cases(
    lab: project.Lab, fault: Fault, files: dict[str, Path], folder: Path
) -> bool:
    """Builds the lab with a wrong answer, runs its cases, and notes what came of it.

    The cases of the fault's own task come first: the others are run only if none of
    these finds it.

    Returns:
        Whether a case found it for a better reason than that it took too long, which on
        a busy machine it may do by itself.
    """
    all_cases = grade.cases_of(lab)
    own = [case for case in all_cases if case.task == fault.task]
    others = [case for case in all_cases if case.task != fault.task]
    try:
        answer = grade.build_answer(lab, files, folder)
        failed: list[Result] = []
        for cases in (own, others):
            if not failed:
                results = grade.run_cases(lab, answer, cases, task="all")
                failed = [result for result in results if not result.passed]
    except project.LabError as error:
        fault.problem = f"cannot be run:\n{error}"
        return False
    fault.killed_by = tuple(result.name for result in failed)
    tasks = {case.name: case.task for case in all_cases}
    fault.named = tasks[failed[0].name] if failed else ""
    return any(result.status != "timeout" for result in failed)


def try_fault(lab: project.Lab, patch: Path, known: Verdicts) -> Fault:
    """Builds the lab with one wrong answer and runs its tests, or knows the verdict."""
    fault = read_fault(patch)
    start = time.monotonic()
    folder = project.build_folder() / "labs" / lab.folder / "faults" / patch.stem
    patched = folder / "patched"
    fault.problem = _apply(lab, patch, patched)
    if fault.problem:
        return fault

    files = {file: patched / file for file in lab.files}
    key = _key(lab, patch, [*files.values()])
    if verdict := known.find(QUESTION, key):
        fault.killed_by, fault.named = tuple(verdict["killed_by"]), verdict["named"]
        fault.is_kept = True
    # Not kept if the cases have changed meanwhile.
    elif _run_cases(lab, fault, files, folder) and key == _key(
        lab, patch, [*files.values()]
    ):
        known.keep(QUESTION, key, {"killed_by": fault.killed_by, "named": fault.named})
    shutil.rmtree(folder, ignore_errors=True)
    fault.seconds = time.monotonic() - start
    return fault


def try_all(lab: project.Lab, chosen: list[Path], known: Verdicts) -> Iterator[Fault]:
    """Tries faults, as many at a time as there are processors."""
    grade.build_framework(lab)
    with ThreadPoolExecutor(project.num_cores()) as pool:
        yield from pool.map(lambda patch: try_fault(lab, patch, known), chosen)


def patches(lab: project.Lab) -> list[Path]:
    """All planted faults of a lab, by name."""
    return sorted((lab.solution / "faults").glob("*.patch"))


def run(lab: project.Lab, word: str, known: Verdicts) -> int:
    """Tries every fault whose name contains ``word``; returns the exit status."""
    found = [patch for patch in patches(lab) if word in patch.stem]
    faults = []
    for fault in try_all(lab, found, known):
        faults.append(fault)
        if fault.is_killed:
            verdict = f"found by {len(fault.killed_by)} cases, {fault.killed_by[0]}"
        else:
            verdict = fault.problem or "NOT FOUND by any test"
        took = "known" if fault.is_kept else f"{fault.seconds:.1f} s"
        print(f"{fault.name} (task {fault.task}, {took}): {verdict}", flush=True)
    killed = sum(fault.is_killed for fault in faults)
    named = sum(fault.is_killed and fault.named == fault.task for fault in faults)
    print(
        f"{killed} of {len(faults)} faults found; {named} reported under their own task"
    )
    return 0 if faults and killed == len(faults) else 1
