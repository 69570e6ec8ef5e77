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
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import cases, contents, grade, project
from minitf_lab.verdicts import Verdicts

QUESTION = "fault"
# What judges; the rest of the key is about what is judged.
JUDGE = (
    *("faults.py", "cases.py", "grade.py", "project.py", "contents.py"),
    *("overlay.py", "python_units.py", "pytest_program.py", "expect.py"),
)


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


def _put(source: Path, target: Path) -> None:
    """Copies a file, unless it is there already: then nothing is compiled again."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _apply(lab: project.Lab, patch: Path, scratch: Path) -> str:
    """Puts the files of ``lab``, with ``patch`` applied, into ``scratch``.

    Returns:
        What ``patch`` has against it; empty if all went well.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    for file in lab.files:
        _put(project.ROOT / file, scratch / file)
    done = subprocess.run(
        ["patch", "--strip=1", "--fuzz=0", "--quiet", "--no-backup-if-mismatch"],
        cwd=scratch,
        input=patch.read_text(),
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else f"does not apply: {done.stdout.strip()}"


def _key(lab: project.Lab, patch: Path, patched: list[Path], folder: Path) -> str:
    """The key of the verdict on ``patched``, which is compiled in ``folder``."""
    sources = [*patched]
    flags = []
    if lab.cpp_files:
        cpp_cases = lab.cases(".cc")
        sources.append(cpp_cases)
        known = contents.compile_flags("release")
        compiled = [cpp_cases, *(folder / Path(file).name for file in lab.cpp_files)]
        flags = [contents.of_flags(known[str(path)]) for path in compiled]
    if lab.python_files:
        conftest = project.ROOT / "tests" / "conftest.py"
        sources += [lab.cases(".py"), *([conftest] if conftest.exists() else [])]
    code = Path(__file__).parent
    return contents.digest(
        patch.read_bytes(),
        contents.of_files(contents.with_includes(*sources)),
        (lab.starter / "lab.json").read_bytes(),
        *flags,
        (project.ROOT / "cmake" / "labs.cmake").read_bytes(),
        *((code / name).read_bytes() for name in JUDGE),
        contents.tools(),
    )


def _run_cases(lab: project.Lab, fault: Fault) -> bool:
    """Builds the test program, runs it, and notes in ``fault`` what came of it.

    Returns:
        Whether a case found it for a better reason than that it took too long, which on
        a busy machine it may do by itself.
    """
    try:
        programs = grade.build_programs(lab, "fault")
    except project.BuildError as error:
        fault.problem = f"does not compile:\n{error}"
        return False
    results = []
    for program in programs:
        names = [name for name in cases.list_cases(program) if lab.task_of(name)]
        results += cases.run_cases(program, names, grade.limits(lab))
    failed = [result for result in results if not result.passed]
    fault.killed_by = tuple(result.name for result in failed)
    owner = lab.task_of(fault.killed_by[0]) if fault.killed_by else None
    fault.named = owner.number if owner else ""
    return any(result.status != "timeout" for result in failed)


def try_fault(lab: project.Lab, patch: Path, known: Verdicts) -> Fault:
    """Builds the lab with one wrong answer and runs its tests, or knows the verdict."""
    fault = read_fault(patch)
    start = time.monotonic()
    folder = project.build_folder() / "labs" / lab.folder / "fault"
    scratch = folder.with_name("patched")
    fault.problem = _apply(lab, patch, scratch)
    if fault.problem:
        return fault

    patched = [scratch / file for file in lab.files]
    key = _key(lab, patch, patched, folder)
    if verdict := known.find(QUESTION, key):
        fault.killed_by, fault.named = tuple(verdict["killed_by"]), verdict["named"]
        fault.is_kept = True
    else:
        for file in lab.files:
            _put(scratch / file, folder / Path(file).name)
        # Not if the cases have changed meanwhile.
        if _run_cases(lab, fault) and _key(lab, patch, patched, folder) == key:
            verdict = {"killed_by": fault.killed_by, "named": fault.named}
            known.keep(QUESTION, key, verdict)
    fault.seconds = time.monotonic() - start
    return fault


def patches(lab: project.Lab) -> list[Path]:
    """All planted faults of a lab, by name."""
    return sorted((lab.solution / "faults").glob("*.patch"))


def run(lab: project.Lab, word: str, known: Verdicts) -> int:
    """Tries every fault whose name contains ``word``; returns the exit status."""
    grade.build_programs(lab, "reference")  # all but the faults is compiled here
    found = [patch for patch in patches(lab) if word in patch.stem]
    faults = []
    for patch in found:
        fault = try_fault(lab, patch, known)
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
