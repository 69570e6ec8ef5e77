"""``./lab faults NN``: are the tests of a lab good enough to find wrong answers?

``solutions/NN_name/faults/`` holds wrong answers as patches of the reference. Each is
applied, built as if a student had written it, and must make at least one test case fail.
A fault that no test finds, that no longer applies or that does not compile, is a finding.

The first line of a patch that is not part of the difference says what is wrong, and the
task that a good report names:

    task 04.4: the gradients of the two factors are swapped
"""

import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import cases, grade, project


@dataclass
class Fault:
    """What became of one wrong answer.

    Attributes:
        task: The task that it breaks, as its patch says.
        killed_by: The cases that fail.
        named: The task of the first case that fails.
        problem: Why it could not be tried; empty if it could.
    """

    name: str
    task: str
    sentence: str
    seconds: float = 0
    killed_by: tuple[cases.Result, ...] = ()
    named: str = ""
    problem: str = ""

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


def _apply(lab: project.Lab, patch: Path, folder: Path) -> str:
    """Puts the files of ``lab``, with ``patch`` applied, into ``folder``.

    Returns:
        What ``patch`` has against it; empty if all went well.
    """
    scratch = folder.with_name("patched")
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
    if done.returncode == 0:
        for file in lab.files:
            _put(scratch / file, folder / Path(file).name)
    return "" if done.returncode == 0 else f"does not apply: {done.stdout.strip()}"


def try_fault(lab: project.Lab, patch: Path) -> Fault:
    """Builds the lab with one wrong answer and runs its tests."""
    fault = read_fault(patch)
    start = time.monotonic()
    folder = project.build_folder() / "labs" / lab.folder / "fault"
    fault.problem = _apply(lab, patch, folder)
    if fault.problem:
        return fault
    try:
        program = grade.build_program(lab, "fault")
    except project.BuildError as error:
        fault.problem = f"does not compile:\n{error}"
        return fault
    names = [name for name in cases.list_cases(program) if lab.task_of(name)]
    results = cases.run_cases(program, names, grade.limits(lab))
    fault.killed_by = tuple(result for result in results if not result.passed)
    owner = lab.task_of(fault.killed_by[0].name) if fault.killed_by else None
    fault.named = owner.number if owner else ""
    fault.seconds = time.monotonic() - start
    return fault


def patches(lab: project.Lab) -> list[Path]:
    """All planted faults of a lab, by name."""
    return sorted((lab.solution / "faults").glob("*.patch"))


def run(lab: project.Lab, word: str = "") -> int:
    """Tries every fault whose name contains ``word``; returns the exit status."""
    found = [patch for patch in patches(lab) if word in patch.stem]
    faults = []
    for patch in found:
        fault = try_fault(lab, patch)
        faults.append(fault)
        if fault.is_killed:
            verdict = f"found by {len(fault.killed_by)} cases, {fault.killed_by[0].name}"
        else:
            verdict = fault.problem or "NOT FOUND by any test"
        print(
            f"{fault.name} (task {fault.task}, {fault.seconds:.1f} s): {verdict}",
            flush=True,
        )
    killed = sum(fault.is_killed for fault in faults)
    named = sum(fault.is_killed and fault.named == fault.task for fault in faults)
    print(
        f"{killed} of {len(faults)} faults found; {named} reported under their own task"
    )
    return 0 if faults and killed == len(faults) else 1
