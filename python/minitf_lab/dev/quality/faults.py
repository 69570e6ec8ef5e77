"""``./lab faults NN``: are the tests of a lab good enough to find wrong answers?

``seeded.txt`` in a lab's folder of solutions/ has wrong answers, as changes of the
reference (``entries.py``). Each must make a case of its own task fail. Those that change
regions alone are put into one library beside each other (``together.py``); the others are
built as if a student had written them. A fault that no case of its own task finds, that
no longer applies or that does not compile, is a finding.

``wrong.txt`` has wrong answers by people who knew the hand-out and the headers, and
neither the cases nor the reference: changes of their right answer, which is ``honest/b``
if the name ends with ``_b``, else ``honest/a``. ``./lab faults NN --strangers`` tries
these.

A fault that was found is not tried again while the changed files, the cases, what these
include, how they are compiled and the tools stay the same (``verdicts.py``). The rest of
the framework is left out of this: a case that told the changed file from the right one
still does while the right one passes, and ``./lab test`` has it pass each time. A machine
that keeps nothing, such as that of a CI, tries every fault.
"""

import contextlib
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from minitf_lab import contents, project
from minitf_lab.dev.quality import entries, together
from minitf_lab.dev.quality.entries import Entry
from minitf_lab.dev.quality.together import WrongAnswer
from minitf_lab.judge import rooms
from minitf_lab.judge.case import Case
from minitf_lab.judge.variant import FLAGS
from minitf_lab.labs import builds, diagnoses, grade
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

QUESTION = "fault"
PLANTED, STRANGERS, ODD = "seeded.txt", "wrong.txt", "unusual.txt"
KINDS = (PLANTED, STRANGERS, ODD)
PLANTED_OF_OWN = ("faults.txt", "faults")  # of labs whose files are their own
TOOL = Path(__file__).parents[2]
# What judges; the rest of the key is about what is judged.
JUDGE = (
    *(f"dev/quality/{name}.py" for name in ("faults", "entries", "together")),
    *("labs/grade.py", "labs/python_units.py", "project.py", "contents.py"),
    *("processes.py", "results.py"),
)


@dataclass
class Fault:
    """What became of one wrong answer.

    Attributes:
        task: The task that it breaks, as its entry says.
        killed_by: The name of the first case that fails; empty if all pass.
        named: The task of that case.
        symptom: What came of it, as a word.
        said: What there is to say of it.
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
    said: str = ""
    problem: str = ""
    is_kept: bool = False

    @property
    def is_killed(self) -> bool:
        """Whether a test found it."""
        return bool(self.killed_by) and not self.problem


def answers(lab: project.Lab, kind: str = PLANTED) -> list[Entry]:
    """The wrong or unusual answers of a kind, by name.

    Raises:
        LabError: an entry cannot be read, or is of no task of the lab; or what the
            manifest names has no entries.
    """
    paths = [lab.solution / kind]
    if lab.is_own:
        named = lab.qa.get("faults")
        own = [named] if named else PLANTED_OF_OWN
        paths = [lab.solution / name for name in own] if kind == PLANTED else []
        if named and not entries.read(paths[0]):
            raise project.LabError(f"qa.faults: {named} has no wrong answers")
    found = [entry for path in paths for entry in entries.read(path)]
    known = [task.number for task in lab.tasks]
    for one in found:
        if one.task not in known:
            said = f"{one.name} is of task {one.task}; lab {lab.called} has "
            raise project.LabError(said + ", ".join(known))
    return sorted(found, key=lambda entry: entry.name)


def _files_of_cases(lab: project.Lab) -> list[Path]:
    """What the cases are made of; what is made of the faults is not among it."""
    files = [p for p in sorted(lab.tests.glob("*.*")) if p.name != diagnoses.NAME]
    in_python = rooms.with_imports([p for p in files if p.suffix == ".py"])
    return [*files, *(p for p in in_python if p not in files)]


def key_of(lab: project.Lab, made_by: bytes, files: Iterable[Path]) -> str:
    """The key of the verdict on an answer: ``files``, and the entry that made them.

    That on an answer to a lab with files of its own is not kept, and has none.
    """
    if lab.is_own:
        return ""
    known = contents.compile_flags("release") if lab.cpp_files else {}
    flags = [contents.of_flags(known[str(project.ROOT / f)]) for f in lab.cpp_files]
    judge = [*(TOOL / name for name in JUDGE), *sorted((TOOL / "judge").glob("*.py"))]
    return contents.digest(
        made_by,
        contents.of_files(contents.with_includes(*files)),
        contents.of_files(contents.with_includes(*_files_of_cases(lab))),
        lab.manifest.read_bytes(),
        *flags,
        *FLAGS,
        *(path.read_bytes() for path in judge),
        contents.tools(),
    )


@dataclass
class _Trial:
    """A fault, or a right answer, on its way to a verdict.

    Attributes:
        fault: What is known of it.
        files: The lab's files with the fault in them.
        folder: Where what is made of it goes.
        wrong: The fault as an answer to regions; None if it is more than that.
        is_open: Whether the cases have to say.
        is_guarded: Whether the memory of tensors is watched meanwhile, as for marks. With
            planted faults it is not: students' own tests have to find them.
        right_tasks: The tasks of what differs from ``right``, if the answer is right:
            as in grading, the cases of these judge it. None if all do.
        entry: What makes the fault.
        key: Of its verdict; empty if that is not kept.
    """

    fault: Fault
    files: dict[str, Path]
    folder: Path
    wrong: WrongAnswer | None = None
    is_open: bool = True
    is_guarded: bool = False
    right_tasks: set[str] | None = None
    entry: Entry | None = None
    key: str = ""

    def in_turn(self, cases: list[Case]) -> list[Case]:
        """Those of ``cases`` that judge it, those of its own task first."""
        if self.right_tasks is not None:
            return [case for case in cases if case.task in self.right_tasks]
        return sorted(cases, key=lambda case: case.task != self.fault.task)

    def close(self) -> Fault:
        """Removes what was made for it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.fault


def _trial_of_right(lab: project.Lab, right: dict[str, Path], version: str) -> _Trial:
    """The trial of a right answer, by all cases."""
    folder = builds.made_folder(lab) / "right" / version
    wrong = None if lab.is_own else together.RIGHT
    guarded = bool(lab.cpp_files)
    return _Trial(Fault(version, "", ""), right, folder, wrong, is_guarded=guarded)


def trial_of(
    lab: project.Lab, right: dict[str, str], entry: Entry, kind: str, known: Verdicts
) -> _Trial:
    """The trial of the texts ``right`` with an entry's changes.

    The verdict may be known.
    """
    folder = builds.made_folder(lab) / "faults" / entry.name
    files = {file: folder / "changed" / file for file in lab.files}
    fault = Fault(entry.name, entry.task, entry.sentence)
    trial = _Trial(fault, files, folder, entry=entry)
    trial.is_guarded = bool(lab.cpp_files) and kind != PLANTED
    try:
        made = entries.changed(entry, right)
    except ValueError as error:
        fault.problem, trial.is_open = str(error), False
        return trial
    for file, text in made.items():
        project.put(files[file], text)
    trial.key = key_of(lab, entry.text.encode(), trial.files.values())
    if trial.key and (verdict := known.find(QUESTION, trial.key)):
        fault.killed_by, fault.named = verdict["by"], verdict["named"]
        fault.symptom = verdict["symptom"]
        fault.is_kept, trial.is_open = True, False
        return trial
    changed = [file for file in made if made[file] != right[file]]
    differ = {f: together.differing_regions(made[f], right[f]) for f in changed}
    if not lab.is_own:
        trial.wrong = together.difference(entry.name, differ)
    if kind == ODD and None not in differ.values():
        regions = (found.values() for found in differ.values())
        trial.right_tasks = {one.task for some in regions for one in some}
    return trial


@dataclass(frozen=True)
class _Trials:
    """Trials of the same right answer and of changes of it.

    Attributes:
        lab: Which one.
        version: Of the right answer, as ``builds.files_of`` names it.
        right: Its files with the right answer.
        cases: That are run, those that judge an answer.
        known: Where verdicts are kept.
        seed: Which numbers the cases draw.
    """

    lab: project.Lab
    version: str
    right: dict[str, Path]
    cases: list[Case]
    known: Verdicts
    seed: int

    def _note(self, trial: _Trial, found: Result | None) -> None:
        """Notes which case found a fault, and keeps that.

        It is not kept if the case took too long, which on a busy machine it may do by
        itself, or if the cases have changed meanwhile.
        """
        if found is None:
            return
        fault = trial.fault
        fault.killed_by, fault.symptom = found.name, found.symptom
        fault.said = found.message
        fault.named = next(case.task for case in self.cases if case.name == found.name)
        if found.status == "timeout" or not trial.key or not trial.entry:
            return
        made_by = trial.entry.text.encode()
        if trial.key == key_of(self.lab, made_by, trial.files.values()):
            verdict = {"by": fault.killed_by, "named": fault.named}
            verdict["symptom"] = fault.symptom
            self.known.keep(QUESTION, trial.key, verdict)

    def alone(self, trial: _Trial) -> None:
        """Builds the lab with one fault, and runs its cases until one fails."""
        fault = trial.fault
        start = time.monotonic()
        try:
            answer = builds.build_answer(self.lab, trial.files, trial.folder)
            answer = replace(answer, is_guarded=trial.is_guarded)
            with grade.worker_of(self.lab, answer) as worker:
                turn, limits = trial.in_turn(self.cases), grade.limits(self.lab)
                found = together.first_failure(worker, turn, limits, "all", self.seed)
            self._note(trial, found)
        except project.LabError as error:
            fault.problem = f"cannot be run:\n{error}"
        fault.seconds = time.monotonic() - start

    def together(self, trials: list[_Trial]) -> Iterator[_Trial]:
        """Tries answers to regions; yields each that has its verdict.

        Those that could not be compiled are left open: what the compiler says of one
        alone is easier to read.
        """
        by_key = {trial.wrong.key: trial for trial in trials}
        start = time.monotonic()
        found = together.try_all(
            self.lab,
            self.right,
            [trial.wrong for trial in trials],
            lambda wrong: by_key[wrong.key].in_turn(self.cases),
            grade.limits(self.lab),
            builds.made_folder(self.lab) / "together" / self.version,
            is_guarded=trials[0].is_guarded,
            seed=self.seed,
        )
        for wrong, failure, problem in found:
            if problem:
                continue
            trial = by_key[wrong.key]
            trial.is_open = False
            trial.fault.seconds = (time.monotonic() - start) / len(trials)
            self._note(trial, failure)
            yield trial


def version_of(kind: str, entry: Entry) -> str:
    """The answer that an entry changes, as ``builds.files_of`` names it."""
    if kind == PLANTED:
        return "reference"
    return builds.HONEST[entry.name.endswith("_b")]


def try_all(
    lab: project.Lab,
    kind: str,
    known: Verdicts,
    *,
    chosen: Callable[[Entry], bool] = lambda entry: True,
    right: Collection[str] = (),
    seed: int = 0,
) -> Iterator[Fault]:
    """Tries faults: known ones first, then all that change regions, then the others.

    Args:
        lab: Which one.
        kind: ``PLANTED``, ``STRANGERS`` or ``ODD``.
        known: Verdicts of before.
        chosen: Which of them are tried.
        right: Right answers, as ``builds.files_of`` names them, that are tried as well:
            what is compiled for their changes has them in it. If a case refuses one,
            it is a fault of that name, without a task.
        seed: Which numbers the cases draw.
    """
    builds.build_framework(lab)
    entries_of: dict[str, list[Entry]] = {version: [] for version in right}
    for entry in filter(chosen, answers(lab, kind)):
        entries_of.setdefault(version_of(kind, entry), []).append(entry)
    for version, group in sorted(entries_of.items()):
        # A planted fault must be found by the cases that students have.
        with_hidden = lab.is_own or version != "reference"
        cases = grade.cases_of(lab, with_hidden=with_hidden)
        tried = _Trials(lab, version, builds.files_of(lab, version), cases, known, seed)
        texts = {file: path.read_text() for file, path in tried.right.items()}
        trials = [trial_of(lab, texts, one, kind, known) for one in group]
        if version in right:
            trials.insert(0, _trial_of_right(lab, tried.right, version))
        yield from _try(tried, trials)


def _try(tried: _Trials, trials: list[_Trial]) -> Iterator[Fault]:
    """Tries faults that are changes of the same answer."""
    yield from (trial.close() for trial in trials if not trial.is_open)
    if group := [trial for trial in trials if trial.is_open and trial.wrong]:
        with contextlib.suppress(project.LabError):  # then each is tried alone
            for trial in tried.together(group):
                yield trial.close()
    left = [trial for trial in trials if trial.is_open]
    with ThreadPoolExecutor(project.num_cores()) as pool:
        for _ in pool.map(tried.alone, left):
            pass
    yield from (trial.close() for trial in left)


def undiagnosed(lab: project.Lab, faults: list[Fault]) -> list[str]:
    """The names of faults whose sentences a report would not find, though it might."""
    told = diagnoses.load(lab)
    return [
        fault.name
        for fault in faults
        if fault.symptom and fault.sentence not in told.get(fault.symptom, [])
    ]


def write_diagnoses(lab: project.Lab, faults: list[Fault]) -> Path:
    """Writes anew what reports say of answers that err like one of ``faults``.

    Returns:
        The file: ``seeded.txt``, or ``diagnoses.json`` of a lab with files of its own.
    """
    if not lab.is_own:
        path = lab.solution / PLANTED
        entries.note_symptoms(path, {fault.name: fault.symptom for fault in faults})
        return path
    found: dict[str, list[str]] = {}
    for fault in faults:
        found.setdefault(fault.symptom, []).append(fault.sentence)
    path = lab.tests / diagnoses.NAME
    path.write_text(diagnoses.dump(found))
    return path


def run(lab: project.Lab, word: str, known: Verdicts, kind: str = PLANTED) -> int:
    """Tries every fault whose name contains ``word``; returns the exit status.

    After all of them, what reports say of answers like these is brought up to date.

    Args:
        lab: Which one.
        word: Part of names.
        known: Verdicts of before.
        kind: ``PLANTED`` or ``STRANGERS``.
    """
    faults = []
    for fault in try_all(lab, kind, known, chosen=lambda entry: word in entry.name):
        faults.append(fault)
        if fault.is_killed:
            verdict = f"found by {fault.killed_by}"
            if fault.named != fault.task:
                verdict += f", NOT by a case of its own task but of {fault.named}"
        else:
            verdict = fault.problem or "NOT FOUND by any test"
        took = "known" if fault.is_kept else f"{fault.seconds:.1f} s"
        print(f"{fault.name} (task {fault.task}, {took}): {verdict}", flush=True)
    if kind != STRANGERS and not word and undiagnosed(lab, faults):
        print(f"wrote {project.shown(write_diagnoses(lab, faults))}")
    killed = sum(fault.is_killed for fault in faults)
    named = sum(fault.is_killed and fault.named == fault.task for fault in faults)
    print(
        f"{killed} of {len(faults)} faults found; {named} reported under their own task"
    )
    return 0 if faults and named == len(faults) else 1
