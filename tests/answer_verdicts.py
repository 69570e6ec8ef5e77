"""What the cases make of every wrong and every unusual answer: a list, and what differs.

    ./lab python tests/answer_verdicts.py list 04 05 --to FOLDER
    ./lab python tests/answer_verdicts.py compare BEFORE AFTER

``list`` runs each answer through all cases of its own task, and through all others if
these pass. It writes one JSON file a lab: for each answer its task, what it is a change
of, the cases that catch it, and what the first of these says. ``compare`` counts what is
equal in two such folders; it ends with 1 if a verdict differs.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.judge.case import Case
from minitf_lab.judge.runner import Worker
from minitf_lab.labs import builds, grade
from minitf_lab.processes import shared_out
from minitf_lab.quality import faults, together
from minitf_lab.results import Result
from minitf_lab.verdicts import Verdicts

KINDS = (faults.PLANTED, faults.STRANGERS, faults.ODD)
MOST_TIMEOUTS = 2  # more cases that hang say nothing new


def _failures(
    worker: Worker, cases: list[Case], lab: project.Lab, key: str
) -> list[Result]:
    """What came of the cases that do not pass."""
    found: list[Result] = []
    for case in cases:
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
                trial = left[number]
                yield number, _verdict(lab, worker, trial, cases, trial.wrong.key)

    for number, verdict in shared_out(some, len(left)):
        yield left[number], verdict


def verdicts_of(lab: project.Lab) -> dict[str, dict[str, Any]]:
    """The verdict on each answer, by kind and name."""
    builds.build_framework(lab)
    listed: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        groups: dict[str, list[Path]] = {}
        for patch in faults.patches(lab, kind):
            groups.setdefault(faults.version_of(patch), []).append(patch)
        for version, group in groups.items():
            for name, verdict in _of_group(lab, version, group):
                listed[f"{kind}/{name}"] = {"of": version, **verdict}
    return listed


def _of_group(
    lab: project.Lab, version: str, group: list[Path]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The verdicts on changes of one right answer."""
    right = builds.files_of(lab, version)
    cases = grade.cases_of(lab, with_hidden=version != "reference")
    trials = [faults._trial_of_patch(lab, right, p, Verdicts(None)) for p in group]
    done = set()
    for trial in trials:
        head = {"task": trial.fault.task, "sentence": trial.fault.sentence}
        if trial.fault.problem:
            done.add(trial.fault.name)
            yield trial.fault.name, {**head, "problem": trial.fault.problem}
    if some := [t for t in trials if t.is_open and t.wrong]:
        for trial, verdict in _together(lab, right, some, cases):
            head = {"task": trial.fault.task, "sentence": trial.fault.sentence}
            done.add(trial.fault.name)
            yield trial.fault.name, {**head, **verdict}
    for trial in trials:
        if trial.fault.name not in done:
            head = {"task": trial.fault.task, "sentence": trial.fault.sentence}
            yield trial.fault.name, {**head, **_apart(lab, trial, cases)}
        trial.close()


def write_list(folder: Path, numbers: list[str]) -> int:
    """Writes the verdicts on the answers of labs."""
    folder.mkdir(parents=True, exist_ok=True)
    for lab in project.all_labs():
        if lab.number in numbers or not numbers:
            listed = verdicts_of(lab)
            text = json.dumps(listed, indent=1, sort_keys=True)
            (folder / f"{lab.folder}.json").write_text(text + "\n")
            caught = sum(bool(one.get("cases")) for one in listed.values())
            print(f"lab {lab.number}: {len(listed)} answers, {caught} caught", flush=True)
    return 0


def main() -> int:
    """Does as the description says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="*")
    parser.add_argument("--to", type=Path, required=True)
    args = parser.parse_args()
    return write_list(args.to, args.labs)


if __name__ == "__main__":
    sys.exit(main())
