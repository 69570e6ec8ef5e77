"""``./lab faults NN``: are the tests of a lab good enough to find wrong answers?

``solutions/NN_name/faults/`` holds wrong answers as patches of the reference. Each must
make at least one test case fail. Those of one region are put into one library beside
each other (``together.py``); the others are built as if a student had written them. A
fault that no test finds, that no longer applies or that does not compile, is a finding.

``solutions/NN_name/adversary/`` holds wrong answers by people who knew the hand-out and
the headers, and neither the cases nor the reference: patches of their right answer, which
is ``honest/b`` if the name ends with ``_b``, else ``honest/a``.
``./lab faults NN --strangers`` tries these.

The first line of a patch that is not part of the difference says what is wrong, and the
task that a good report names:

    task 04.4: the gradients of the two factors are swapped

A fault that was found is not tried again while the patched files, the cases, what these
include, how they are compiled and the tools stay the same (``verdicts.py``). The rest of
the framework is left out of this: a case that told the patched file from the right one
still does while the right one passes, and ``./lab test`` has it pass each time. A machine
that keeps nothing, such as that of a CI, tries every fault.
"""

import contextlib
import itertools
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.judge.case import Case
from minitf_lab.judge.variant import FLAGS
from minitf_lab.labs import builds, diagnoses, grade
from minitf_lab.quality import together
from minitf_lab.quality.together import WrongAnswer
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

QUESTION = "fault"
PLANTED, STRANGERS, ODD = "faults", "adversary", "honest/odd"  # folders of patches
TOOL = Path(__file__).parents[1]
# What judges; the rest of the key is about what is judged.
JUDGE = (
    *("quality/faults.py", "quality/together.py", "labs/grade.py", "project.py"),
    *("contents.py", "processes.py", "labs/python_units.py", "results.py"),
)


@dataclass
class Fault:
    """What became of one wrong answer.

    Attributes:
        task: The task that it breaks, as its patch says.
        killed_by: The name of the first case that fails; empty if all pass.
        named: The task of that case.
        symptom: What came of it, as a word.
        problem: Why it could not be tried; empty if it could.
        is_kept: Whether an earlier run has found it.
    """

    name: str
    task: str
    sentence: str
    seconds: float = 0
    killed_by: str = ""
    named: str = ""
    symptom: str = ""
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
        raise project.LabError(
            f"{project.shown(patch)}: the first line must be 'task NN.N: what is wrong'"
        )
    return Fault(patch.stem, head[1], head[2])


def _apply(right: dict[str, Path], patch: Path, folder: Path) -> str:
    """Puts the files of ``right``, with ``patch`` applied, into ``folder``.

    Returns:
        What ``patch`` has against it; empty if all went well.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for file, path in right.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / file)
    done = subprocess.run(
        ["patch", "--strip=1", "--fuzz=0", "--quiet", "--no-backup-if-mismatch"],
        cwd=folder,
        input=patch.read_text(),
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else f"does not apply: {done.stdout.strip()}"


def _files_of_cases(lab: project.Lab) -> list[Path]:
    """What the cases are made of; what is made of the faults is not among it."""
    return [p for p in sorted(lab.tests.glob("*.*")) if p.name != diagnoses.NAME]


def key_of(lab: project.Lab, patch: bytes, files: Iterable[Path]) -> str:
    """The key of the verdict on an answer: ``files``, and the patch that made them.

    That on an answer to a lab with files of its own is not kept, and has none.
    """
    if lab.is_own:
        return ""
    known = contents.compile_flags("release") if lab.cpp_files else {}
    flags = [contents.of_flags(known[str(project.ROOT / f)]) for f in lab.cpp_files]
    judge = [*(TOOL / name for name in JUDGE), *sorted((TOOL / "judge").glob("*.py"))]
    return contents.digest(
        patch,
        contents.of_files(contents.with_includes(*files)),
        contents.of_files(contents.with_includes(*_files_of_cases(lab))),
        lab.manifest.read_bytes(),
        *flags,
        *FLAGS,
        *(path.read_bytes() for path in judge),
        contents.tools(),
    )


def _note(fault: Fault, cases: list[Case], found: Result | None) -> bool:
    """Notes which case found a fault.

    Returns:
        Whether it was found for a better reason than that a case took too long, which on
        a busy machine it may do by itself.
    """
    if found is None:
        return False
    fault.killed_by, fault.symptom = found.name, found.symptom
    fault.named = next(case.task for case in cases if case.name == found.name)
    return found.status != "timeout"


class _Trial:
    """A fault on its way to a verdict.

    Attributes:
        fault: What is known of it.
        files: The lab's files with the fault in them.
        wrong: The fault as an answer to one region; None if it is more than that.
        is_open: Whether the cases have to say.
        is_guarded: Whether the memory of tensors is watched meanwhile, as for marks. With
            planted faults it is not: students' own tests have to find them.
        right_tasks: The tasks of what differs from ``right``, if the answer is right:
            as in grading, the cases of these judge it. None if all do.
    """

    def __init__(
        self, lab: project.Lab, right: dict[str, Path], patch: Path, known: Verdicts
    ) -> None:
        self.fault = read_fault(patch)
        self.right_tasks: set[str] | None = None
        self.folder = builds.made_folder(lab) / "faults" / patch.stem
        patched = self.folder / "patched"
        self.fault.problem = _apply(right, patch, patched)
        self.files = {file: patched / file for file in lab.files}
        self.wrong = None
        self.is_guarded = bool(lab.cpp_files) and patch.parent.name != PLANTED
        self.is_open = not self.fault.problem
        self._known, self._lab, self._patch = known, lab, patch
        if not self.is_open:
            return
        self._key = key_of(lab, patch.read_bytes(), self.files.values())
        if self._key and (verdict := known.find(QUESTION, self._key)):
            self.fault.killed_by, self.fault.named = verdict["by"], verdict["named"]
            self.fault.symptom = verdict["symptom"]
            self.fault.is_kept, self.is_open = True, False
            return
        texts = {f: (p.read_text(), right[f].read_text()) for f, p in self.files.items()}
        changed = {file: both for file, both in texts.items() if both[0] != both[1]}
        if not changed:
            self.fault.problem, self.is_open = "changes nothing", False
        differ = {f: together.differing_regions(*both) for f, both in changed.items()}
        if not lab.is_own:
            self.wrong = together.only_difference(patch.stem, differ)
        if patch.parent == lab.solution / ODD and None not in differ.values():
            regions = (found.values() for found in differ.values())
            self.right_tasks = {one.task for some in regions for one in some}

    def in_turn(self, cases: list[Case]) -> list[Case]:
        """Those of ``cases`` that judge it, those of its own task first."""
        if self.right_tasks is not None:
            return [case for case in cases if case.task in self.right_tasks]
        return sorted(cases, key=lambda case: case.task != self.fault.task)

    def keep(self) -> None:
        """Keeps the verdict, unless the cases have changed meanwhile."""
        patch = self._patch.read_bytes()
        if self._key and self._key == key_of(self._lab, patch, self.files.values()):
            fault = self.fault
            verdict = {"by": fault.killed_by, "named": fault.named}
            verdict["symptom"] = fault.symptom
            self._known.keep(QUESTION, self._key, verdict)

    def close(self) -> Fault:
        """Removes what was made for it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.fault


def _try_alone(lab: project.Lab, trial: _Trial, cases: list[Case]) -> None:
    """Builds the lab with one fault, and runs its cases until one fails."""
    fault = trial.fault
    start = time.monotonic()
    try:
        answer = builds.build_answer(lab, trial.files, trial.folder)
        answer = replace(answer, is_guarded=trial.is_guarded)
        with grade.worker_of(lab, answer) as worker:
            turn = trial.in_turn(cases)
            found = together.first_failure(worker, turn, grade.limits(lab), "all")
        if _note(fault, cases, found):
            trial.keep()
    except project.LabError as error:
        fault.problem = f"cannot be run:\n{error}"
    fault.seconds = time.monotonic() - start


def _try_together(
    lab: project.Lab, right: dict[str, Path], trials: list[_Trial], cases: list[Case]
) -> Iterator[_Trial]:
    """Tries faults of single regions; yields each that has its verdict.

    Those that could not be compiled are left open: what the compiler says of one alone is
    easier to read.
    """
    by_key = {trial.wrong.key: trial for trial in trials}
    folder = trials[0].folder.with_name("together")

    def cases_for(wrong: WrongAnswer) -> list[Case]:
        return by_key[wrong.key].in_turn(cases)

    start = time.monotonic()
    wrongs = [trial.wrong for trial in trials]
    limits, is_guarded = grade.limits(lab), trials[0].is_guarded
    found = together.try_all(
        lab, right, wrongs, cases_for, limits, folder, is_guarded=is_guarded
    )
    for wrong, failure, problem in found:
        if problem:
            continue
        trial = by_key[wrong.key]
        trial.is_open = False
        trial.fault.seconds = (time.monotonic() - start) / len(trials)
        if _note(trial.fault, cases, failure):
            trial.keep()
        yield trial


def version_of(patch: Path) -> str:
    """What it is a patch of, as ``builds.files_of`` names it."""
    if patch.parent.name == PLANTED:
        return "reference"
    return builds.HONEST[patch.stem.endswith("_b")]


def try_all(lab: project.Lab, chosen: list[Path], known: Verdicts) -> Iterator[Fault]:
    """Tries faults: known ones first, then all of single regions, then the others.

    Args:
        lab: Which one.
        chosen: Patches. Planted ones are of the reference; of the others, those whose
            names end with ``_b`` are of ``honest/b``, all else of ``honest/a``.
        known: Verdicts of before.
    """
    builds.build_framework(lab)
    if lab.is_own:
        yield from _try_patches_of(lab, "reference", chosen, known)
        return
    in_order = sorted(chosen, key=version_of)
    for version, group in itertools.groupby(in_order, version_of):
        yield from _try_patches_of(lab, version, [*group], known)


def _try_patches_of(
    lab: project.Lab, version: str, chosen: list[Path], known: Verdicts
) -> Iterator[Fault]:
    """Tries faults that are patches of the same answer."""
    right = builds.files_of(lab, version)
    # A planted fault must be found by the cases that students have.
    cases = grade.cases_of(lab, with_hidden=lab.is_own or version != "reference")
    trials = [_Trial(lab, right, patch, known) for patch in chosen]
    yield from (trial.close() for trial in trials if not trial.is_open)
    if group := [trial for trial in trials if trial.is_open and trial.wrong]:
        with contextlib.suppress(project.LabError):  # then each is tried alone
            for trial in _try_together(lab, right, group, cases):
                yield trial.close()
    left = [trial for trial in trials if trial.is_open]
    with ThreadPoolExecutor(project.num_cores()) as pool:
        for _ in pool.map(lambda trial: _try_alone(lab, trial, cases), left):
            pass
    yield from (trial.close() for trial in left)


def patches(lab: project.Lab, folder: str = PLANTED) -> list[Path]:
    """All planted faults of a lab, or the patches in another folder, by name."""
    return sorted((lab.solution / folder).glob("*.patch"))


def undiagnosed(lab: project.Lab, faults: list[Fault]) -> list[str]:
    """The names of faults whose sentences a report would not find, though it might."""
    told = diagnoses.load(lab)
    return [
        fault.name
        for fault in faults
        if fault.symptom and fault.sentence not in told.get(fault.symptom, [])
    ]


def write_diagnoses(lab: project.Lab, faults: list[Fault]) -> None:
    """Writes anew what reports say of answers that err like one of ``faults``."""
    found: dict[str, list[str]] = {}
    for fault in faults:
        found.setdefault(fault.symptom, []).append(fault.sentence)
    (lab.tests / diagnoses.NAME).write_text(diagnoses.dump(found))


def run(lab: project.Lab, word: str, known: Verdicts, folder: str = PLANTED) -> int:
    """Tries every fault whose name contains ``word``; returns the exit status.

    After all of them, what reports say of answers like these is brought up to date.

    Args:
        lab: Which one.
        word: Part of names.
        known: Verdicts of before.
        folder: Where they are, ``PLANTED`` or ``STRANGERS``.
    """
    found = [patch for patch in patches(lab, folder) if word in patch.stem]
    faults = []
    for fault in try_all(lab, found, known):
        faults.append(fault)
        if fault.is_killed:
            verdict = f"found by {fault.killed_by}"
        else:
            verdict = fault.problem or "NOT FOUND by any test"
        took = "known" if fault.is_kept else f"{fault.seconds:.1f} s"
        print(f"{fault.name} (task {fault.task}, {took}): {verdict}", flush=True)
    if folder != STRANGERS and not word and undiagnosed(lab, faults):
        write_diagnoses(lab, faults)
        print(f"wrote {project.shown(lab.tests / diagnoses.NAME)}")
    killed = sum(fault.is_killed for fault in faults)
    named = sum(fault.is_killed and fault.named == fault.task for fault in faults)
    print(
        f"{killed} of {len(faults)} faults found; {named} reported under their own task"
    )
    return 0 if faults and killed == len(faults) else 1
