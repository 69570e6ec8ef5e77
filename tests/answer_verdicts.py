"""Lists the verdicts on all wrong and unusual answers, and compares two such lists.

    ./lab python tests/answer_verdicts.py list [--kind NAME] FOLDER [NN ...]
    ./lab python tests/answer_verdicts.py distinct [--each N] FOLDER
    ./lab python tests/answer_verdicts.py compare BEFORE AFTER

``list`` runs each answer through all cases of its own task, and through all others if
these pass. It writes a file for each lab, with a line for each answer. The line has the
task, the changed version, the cases that catch the answer, and the first message. A
property is a case without what follows ``-``, its parameters; once a case catches the
answer, the others of its property are left out. A lab takes about ten minutes; a second
run goes on where the first ended. ``--kind seeded.txt`` lists one kind of answers.

``distinct`` leaves one entry of wrong.txt for each set of properties that an answer
breaks. The shortest entry stays, and each that no case catches. With ``--each N`` an
entry stays only if it breaks a property that fewer than N entries before it break.
Entries that break few properties come first, for these are the hardest to find.

``compare`` prints for each lab how many verdicts are equal. It ends with 1 if an answer
of AFTER has another verdict, or if no answer there breaks the same properties.
"""

import argparse
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.dev.quality import entries, faults, together
from minitf_lab.dev.quality.entries import Entry
from minitf_lab.judge.case import Case
from minitf_lab.judge.runner import Worker, WorkerError
from minitf_lab.labs import builds, grade
from minitf_lab.processes import shared_out
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

MOST_TIMEOUTS = 2  # more cases that hang say nothing new
MOST_TOGETHER = 200  # answers in one library
TRIES = 5  # of a worker that does not start on a busy machine


def _property(case: str) -> str:
    """The name of a case without its parameters."""
    return case.partition("-")[0]


def _failures(
    worker: Worker, cases: list[Case], lab: project.Lab, key: str
) -> list[Result]:
    """The results of the first case of each property that does not pass."""
    found: list[Result] = []
    for case in cases:
        if any(_property(case.name) == _property(one.name) for one in found):
            continue
        result = worker.run(case, grade.limits(lab), seed=0, task=key)
        if not result.passed:
            found.append(result)
        if sum(one.status == "timeout" for one in found) >= MOST_TIMEOUTS:
            break
    return found


def _verdict(
    lab: project.Lab, worker: Worker, trial: Any, cases: list[Case], key: str
) -> dict[str, Any]:
    """The verdict on one answer."""
    turn = trial.in_turn(cases)
    own = [case for case in turn if case.task == trial.fault.task]
    found = _failures(worker, own, lab, key)
    if not found:
        rest = [case for case in turn if case.task != trial.fault.task]
        found = _failures(worker, rest, lab, key)
    first = found[0] if found else None
    return {
        "cases": [result.name for result in found],
        "status": first.status if first else "passed",
        "symptom": first.symptom if first else "",
        "said": first.message if first else "",
    }


def _apart(lab: project.Lab, trial: Any, cases: list[Case]) -> dict[str, Any]:
    """The verdict on an answer that is compiled alone."""
    try:
        answer = builds.build_answer(lab, trial.files, trial.folder)
        with grade.worker_of(lab, replace(answer, is_guarded=trial.is_guarded)) as worker:
            return _verdict(lab, worker, trial, cases, "all")
    except project.LabError as error:
        return {"problem": f"cannot be run: {error}"[:2000]}


def _of_region(
    lab: project.Lab, worker: Worker, trial: Any, cases: list[Case]
) -> dict[str, Any]:
    """The verdict on an answer that stands in a library with others."""
    for _ in range(TRIES):
        with contextlib.suppress(WorkerError):
            return _verdict(lab, worker, trial, cases, trial.wrong.key)
    return _verdict(lab, worker, trial, cases, trial.wrong.key)


def _together(
    lab: project.Lab, right: dict[str, Path], trials: list[Any], cases: list[Case]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Verdicts on answers to regions that stand in one library."""
    folder = builds.made_folder(lab) / "together" / "listed"
    wrongs = [trial.wrong for trial in trials]
    answer, problems = together.build(lab, right, wrongs, folder)
    answer = replace(answer, is_guarded=trials[0].is_guarded)
    left = [trial for trial in trials if trial.wrong.key not in problems]

    def some(numbers: Iterator[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        with grade.worker_of(lab, answer) as worker:
            for number in numbers:
                yield number, _of_region(lab, worker, left[number], cases)

    for number, verdict in shared_out(some, len(left)):
        yield left[number], verdict


def _of_group(
    lab: project.Lab, kind: str, version: str, group: list[Entry]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The verdicts on changes of one right answer."""
    right = builds.files_of(lab, version)
    texts = {file: path.read_text() for file, path in right.items()}
    cases = grade.cases_of(lab, with_hidden=version != "reference")
    known = Verdicts(None)
    trials = [faults.trial_of(lab, texts, one, kind, known) for one in group]
    left = {trial.fault.name: trial for trial in trials}
    for trial in trials:
        if trial.fault.problem:
            del left[trial.fault.name]
            yield trial, {"problem": trial.fault.problem}
    some = [trial for trial in left.values() if trial.wrong]
    for first in range(0, len(some), MOST_TOGETHER):
        part = some[first : first + MOST_TOGETHER]
        for trial, verdict in _together(lab, right, part, cases):
            del left[trial.fault.name]
            yield trial, verdict
    with ThreadPoolExecutor(project.num_cores()) as pool:
        verdicts = pool.map(lambda one: _apart(lab, one, cases), left.values())
        yield from zip(left.values(), verdicts, strict=True)
    for trial in trials:
        trial.close()


def verdicts_of(
    lab: project.Lab, kinds: Iterable[str], known: Container[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The verdict on each answer, by kind and name, but for those in ``known``."""
    builds.build_framework(lab)
    for kind in kinds:
        groups: dict[str, list[Entry]] = {}
        for entry in faults.answers(lab, kind):
            if f"{kind}/{entry.name}" not in known:
                groups.setdefault(faults.version_of(kind, entry), []).append(entry)
        for version, group in groups.items():
            for trial, verdict in _of_group(lab, kind, version, group):
                fault = trial.fault
                about = {"of": version, "task": fault.task, "sentence": fault.sentence}
                yield f"{kind}/{fault.name}", {**about, **verdict}


def read_list(path: Path) -> dict[str, dict[str, Any]]:
    """The verdicts that a file has, by kind and name."""
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(json.loads(line) for line in lines)


def write_list(folder: Path, numbers: list[str], kinds: Iterable[str]) -> None:
    """Writes the verdicts on the answers of labs, or of all, that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for lab in project.all_labs():
        if numbers and lab.number not in numbers:
            continue
        path = folder / f"{lab.folder}.jsonl"
        with path.open("a") as file:
            for item in verdicts_of(lab, kinds, read_list(path)):
                print(json.dumps(item), file=file, flush=True)
        listed = read_list(path)
        caught = sum(bool(one.get("cases")) for one in listed.values())
        print(f"lab {lab.number}: {len(listed)} answers, {caught} caught", flush=True)


# ---- Which differ ---------------------------------------------------------------------


def _breaks(name: str, verdict: dict[str, Any]) -> frozenset[str]:
    """The properties that an answer breaks; its name if no case catches it."""
    found = frozenset(map(_property, verdict.get("cases", ())))
    return found or frozenset([name])


def _needed(groups: dict[frozenset[str], Entry], each: int) -> Iterator[Entry]:
    """The entries that break a property which fewer than ``each`` before them break."""
    counts: Counter[str] = Counter()
    for broken in sorted(groups, key=lambda one: (len(one), sorted(one))):
        if any(counts[name] < each for name in broken):
            counts.update(broken)
            yield groups[broken]


def keep_distinct(folder: Path, each: int) -> None:
    """Leaves the entries of wrong.txt that differ in the properties that they break."""
    for path in sorted(folder.glob("*.jsonl")):
        (lab,) = (one for one in project.all_labs() if one.folder == path.stem)
        listed = read_list(path)
        file = lab.solution / faults.STRANGERS
        groups: dict[frozenset[str], Entry] = {}
        answers = entries.read(file)
        for entry in sorted(answers, key=lambda one: (len(one.body), one.name)):
            name = f"{faults.STRANGERS}/{entry.name}"
            groups.setdefault(_breaks(name, listed[name]), entry)
        kept = sorted(_needed(groups, each), key=lambda one: (one.task, one.name))
        head = file.read_text().split("\n", 1)[0]
        bodies = [entry.text.strip("\n") for entry in kept]
        file.write_text("\n\n".join([head, *bodies]) + "\n")
        print(f"lab {lab.number}: {len(answers)}, {len(groups)} sets, {len(kept)} kept")


def compare(before: Path, after: Path) -> int:
    """Prints how many verdicts are equal; returns 1 if one differs or is lost."""
    print(
        f"{'lab':16} {'before':>7} {'now':>7} {'equal':>7} {'sets before':>12} {'now':>7}"
    )
    wrong = []
    for path in sorted(after.glob("*.jsonl")):
        old = read_list(before / path.name)
        new = read_list(path)
        differ = [name for name in new if new[name] != old[name]]
        broken = [{_breaks(name, one[name]) for name in one} for one in (old, new)]
        wrong += [f"{path.stem}: {name} differs" for name in differ]
        wrong += [
            f"{path.stem}: nothing breaks {set(one)}" for one in broken[0] - broken[1]
        ]
        print(
            f"{path.stem:16} {len(old):7} {len(new):7} {len(new) - len(differ):7} "
            f"{len(broken[0]):12} {len(broken[1]):7}"
        )
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def main() -> int:
    """Does as the description says."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listed = commands.add_parser("list")
    listed.add_argument("folder", type=Path)
    listed.add_argument("labs", nargs="*")
    listed.add_argument("--kind", choices=faults.KINDS)
    chosen = commands.add_parser("distinct")
    chosen.add_argument("folder", type=Path)
    chosen.add_argument("--each", type=int, default=sys.maxsize)
    compared = commands.add_parser("compare")
    compared.add_argument("before", type=Path)
    compared.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "compare":
        return compare(args.before, args.after)
    if args.command == "distinct":
        keep_distinct(args.folder, args.each)
    else:
        write_list(args.folder, args.labs, [args.kind] if args.kind else faults.KINDS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
