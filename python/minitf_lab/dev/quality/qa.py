"""``./lab qa LAB``: is a lab fit to give marks?

    the manifest and the cases fit together
    each task has a region, so that it can be tested apart from the others
    what is handed out gives nothing away
    the starter gets no points, or what ``qa.starter_max`` allows
    the right answer gets all, and the same record twice
    every wrong answer (``faults.py``) fails a case of the task that its entry names
    every other right answer (``controls.py``) gets all

It does for a lab in any folder what the gates of ``./lab test`` and ``./lab lint`` do for
those in exercises/, and by the same means.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minitf_lab import project, texts
from minitf_lab.course import judging
from minitf_lab.dev.quality import controls, faults
from minitf_lab.judge import regions
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import builds, grade, labgen
from minitf_lab.labs import start as start_lab
from minitf_lab.labs.handin import intake, records
from minitf_lab.verdicts import Verdicts

KEY = b"qa"
# What is checked, what is wrong with it, and a word on it if nothing is.
Finding = tuple[str, str, str]


def _cases(lab: project.Lab) -> str:
    """What is wrong with the cases, as the manifest describes them."""
    known = {task.number: task for task in lab.tasks}
    counts = dict.fromkeys(known, 0)
    for case in grade.cases_of(lab, with_hidden=True):
        if case.task not in known:
            return f"the case {case.name} is of task {case.task}, which lab.json has not"
        counts[case.task] += not case.is_hidden
    return "\n".join(
        f"task {number}: students have {count} cases, lab.json says {known[number].cases}"
        for number, count in counts.items()
        if count != known[number].cases
    )


def _regions(lab: project.Lab) -> str:
    """Which tasks have no region in the right answer."""
    texts_of_lab = [texts.read(lab.unit(file)) for file in lab.files]
    marked = {task for text in texts_of_lab for task in regions.tasks_in_order(text)}
    if not marked and len(lab.tasks) == 1:  # then no task is tested apart
        return ""
    missing = [task.number for task in lab.tasks if task.number not in marked]
    return "\n".join(
        f"task {number} has no region: put LAB({number}) begin and end around its answer "
        f"in {', '.join(lab.files)}"
        for number in missing
    )


def _hand_out(lab: project.Lab) -> str:
    """What is wrong with the files that students get."""
    found = labgen.findings([lab])
    hidden = [one for one in grade.cases_of(lab, with_hidden=True) if one.is_hidden]
    for path in start_lab.handed_out(lab):
        text = path.read_text(errors="replace")
        for case in hidden:
            for word in (case.name, case.claim):
                if word and word in text:
                    found.append(f"{path.name} names a hidden case: {word}")
    return "\n".join(found)


def _record(lab: project.Lab, version: str, box: Box | None) -> dict[str, Any]:
    """The record of an answer that is handed in."""
    with judging.scratch() as folder:
        source = folder / "source"
        source.mkdir()
        for file, path in builds.files_of(lab, version).items():
            shutil.copyfile(path, source / Path(file).name)
        hand_in = intake.take(lab, source, folder / "files")
        return judging.judge(lab, hand_in, KEY, box=box)


def _not_ok(record: dict[str, Any]) -> str:
    """Why a record is not one of all points, or not one of any."""
    if record["status"] != "graded":
        return f"{record['status']}: {record['tests'][0]['message']}"
    wrong = [
        f"task {test['id']}: {test['verdict']}: {test['message']}"
        for test in record["tests"]
        if test["score"] < test["points"]
    ]
    return "\n".join([*wrong, *([record["build"]["messages"]] if wrong else [])])


def _is_skipped(record: dict[str, Any]) -> bool:
    """Whether nothing of the lab can be run here."""
    return all(test["verdict"] == "skipped" for test in record["tests"])


def _starter(lab: project.Lab, box: Box | None) -> Finding:
    """What the starter gets."""
    record = _record(lab, "starter", box)
    most = lab.qa.get("starter_max", 0)
    points = record["score"]
    problem = ""
    if points is None or not record["build"]["ok"]:
        problem = f"it is not graded: {record['tests'][0]['message']}"
        problem += f"\n{record['build']['messages']}"
    elif points > most:
        problem = f"it gets {points:g} points; at most {most} are meant for it"
    return "the starter", problem, f"gets {points or 0:g} points"


def _faults(lab: project.Lab, known: Verdicts) -> Iterator[Finding]:
    """Every wrong answer, and whether reports would know it again."""
    found = []
    for fault in faults.try_all(lab, faults.PLANTED, known):
        problem = fault.problem
        if not problem and not fault.is_killed:
            problem = "no case finds it"
        elif not problem and fault.named != fault.task:
            where = f"{fault.killed_by} of task {fault.named}"
            problem = f"it is of task {fault.task}, and first fails {where}"
        found.append(fault)
        yield f"the fault {fault.name}", problem, f"found by {fault.killed_by}"
    # Of those in exercises/ ``./lab lint`` sees to it.
    if lab.is_own and (names := faults.undiagnosed(lab, found)):
        problem = f"out of date, as for {names[0]}: run ./lab faults {lab.called}"
        yield "diagnoses.json", problem, ""


def findings(lab: project.Lab, known: Verdicts, box: Box | None) -> Iterator[Finding]:
    """Checks a lab, part by part.

    Args:
        lab: Which one.
        known: Verdicts of before, on faults and right answers.
        box: Where answers are run.

    Raises:
        LabError: a file of the lab is missing, or cannot be read.
    """
    yield "the cases", _cases(lab), "are as lab.json says"
    yield "the regions", _regions(lab), "cover every task"
    yield "what is handed out", _hand_out(lab), "gives nothing away"
    builds.build_framework(lab)
    right = _record(lab, "reference", box)
    if _is_skipped(right):
        yield "the rest", "", f"is not run here: {right['tests'][0]['message']}"
        return
    yield _starter(lab, box)
    problem = _not_ok(right)
    yield "the right answer", problem, f"gets {right['score'] or 0:g} points"
    if problem:
        return
    is_same = records.same(right, _record(lab, "reference", box))
    yield (
        "the same answer again",
        ""
        if is_same
        else "its record is another one: something in the cases is by chance",
        "has the same record",
    )
    yield from _faults(lab, known)
    for control in controls.try_all(lab, known):
        yield f"the right answer {control.name}", control.problem, "gets all points"


def run(lab: project.Lab, known: Verdicts, box: Box | None) -> int:
    """Prints what is found; returns the exit status."""
    wrong = count = 0
    for name, problem, good in findings(lab, known, box):
        count += 1
        wrong += bool(problem)
        said = problem.replace("\n", "\n    ") if problem else good
        print(f"{'NOT GOOD  ' if problem else 'good      '}{name}: {said}", flush=True)
    print(f"{count - wrong} of {count} good")
    return 1 if wrong else 0
