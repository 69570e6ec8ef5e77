"""``./lab measure NN``: what docs/labs.md says of a lab, found out anew.

Planted faults, wrong answers by others and mutants are tried, and the way from an edit to
a verdict is timed: the lab's files, each with a change, are compiled, and the cases are
run, which says something on a machine that does nothing else. Sanitizers watch minitf's
own answers. The figures go to ``solutions/measured.json``; ``./lab gen`` makes the table.
"""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.dev.quality import faults, mutate, sanitized
from minitf_lab.judge.case import Case, load_cases
from minitf_lab.labs import builds, grade
from minitf_lab.verdicts import Verdicts


def _path(lab: project.Lab) -> Path:
    """The file with the figures of all labs."""
    return lab.solution.parent / "measured.json"


def _read_all(lab: project.Lab) -> dict[str, Any]:
    """The figures of the labs that were measured, by the names of their folders."""
    try:
        return json.loads(_path(lab).read_text())
    except FileNotFoundError:
        return {}


def read(lab: project.Lab) -> dict[str, Any]:
    """The figures of a lab; none if it was not measured."""
    return _read_all(lab).get(lab.folder, {})


def _edited(lab: project.Lab, folder: Path) -> dict[str, Path]:
    """The right answers with a comment that was never there, so that all is compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for file in lab.files:
        comment = "#" if file.endswith(".py") else "//"
        files[file] = folder / Path(file).name
        text = (project.ROOT / file).read_text()
        files[file].write_text(f"{text}{comment} {time.time_ns()}\n")
    return files


def _seconds(lab: project.Lab, cases: list[Case]) -> float:
    """How long it takes from an edit to the verdicts of ``cases``.

    Raises:
        LabError: a case does not pass.
    """
    folder = project.build_folder() / "labs" / lab.folder / "edited"
    files = _edited(lab, folder / "files")
    start = time.monotonic()
    try:
        builds.build_framework(lab)
        answer = builds.build_answer(lab, files, folder)
        failed = [one for one in grade.run_cases(lab, answer, cases) if not one.passed]
    finally:
        shutil.rmtree(folder)
    took = time.monotonic() - start
    if failed:
        raise project.LabError(f"{failed[0].name}: {failed[0].message}")
    return took


def _faults(lab: project.Lab, kind: str = faults.PLANTED) -> dict[str, int]:
    found = [*faults.try_all(lab, kind, Verdicts(None))]
    return {
        "all": len(found),
        "found": sum(fault.is_killed for fault in found),
        "named": sum(fault.named == fault.task for fault in found),
    }


def _times(lab: project.Lab) -> dict[str, float]:
    cases = load_cases(lab.tests)
    public = [case for case in cases if not case.is_hidden]
    return {
        "test": round(_seconds(lab, public), 1),
        "grade": round(_seconds(lab, cases), 1),
    }


PARTS = {
    "faults": _faults,
    "strangers": lambda lab: _faults(lab, faults.STRANGERS),
    "mutants": lambda lab: mutate.counts_of([*mutate.try_all(lab)]),
    "seconds": _times,
    "sanitizers": sanitized.counts,
}


def run(lab: project.Lab, part: str = "") -> None:
    """Measures a lab, or one of ``PARTS`` of it, and writes its figures."""
    figures = read(lab)
    for name, measured in PARTS.items():
        if part in {"", name}:
            figures[name] = measured(lab)
            print(f"lab {lab.number}: {name} {json.dumps(figures[name])}", flush=True)
    every = {**_read_all(lab), lab.folder: figures}
    project.put(_path(lab), json.dumps(every, indent=2) + "\n")
