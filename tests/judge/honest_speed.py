"""Times minitf's own answer as if it were a student's, beside load; counts exact marks.

    ./lab python tests/judge/honest_speed.py --runs 2000 --load 4

Each run has new processes and new inputs. A mark is exact if all points are given. The
script exits with 1 if one is not, and prints its verdict.
"""

import argparse
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from test_speed_labs import CASES, DRIVER, MANIFEST, UNIT

from minitf_lab import project
from minitf_lab.judge import sandbox
from minitf_lab.labs import python_units, speed_points
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.grade import cases_of
from minitf_lab.labs.marks import TaskGrade
from minitf_lab.results import Result

# It computes, calls the kernel, and starts processes, as other people's work does.
LOAD = """
import os
while True:
    sum(range(100_000))
    if os.fork() == 0: os._exit(0)
    os.wait()
"""


@contextlib.contextmanager
def loaded(count: int) -> Iterator[None]:
    """Keeps ``count`` processes busy."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", LOAD])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def put_lab(folder: Path) -> project.Lab:
    """The made-up lab of ``test_speed_labs.py``."""
    folder.mkdir()
    (folder / "lab.json").write_text(json.dumps(MANIFEST))
    (folder / "driver.py").write_text(DRIVER)
    (folder / "cases.py").write_text(CASES)
    return project.lab_at(str(folder))


def timed(lab: project.Lab, answer: Answer, seed: int) -> TaskGrade:
    """The grade of the task with speed points, all of whose cases pass."""
    task = next(task for task in lab.tasks if task.speed)
    names = [case.name for case in cases_of(lab) if case.task == task.number]
    grade = TaskGrade(task, [Result(name, "passed") for name in names])
    speed_points.add(lab, answer, [grade], seed)
    return grade


def main() -> int:
    """Does as the description says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no run later")
    parser.add_argument("--load", type=int, default=4, help="busy processes beside it")
    parser.add_argument("--box", choices=sandbox.KINDS, default=sandbox.probe()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the first run")
    args = parser.parse_args()
    found: collections.Counter[str] = collections.Counter()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name, loaded(args.load):
        folder = Path(name)
        folder.chmod(0o755)
        lab = put_lab(folder / "50_quick")
        files = {UNIT: project.ROOT / UNIT}
        overlay = python_units.overlay_alone(lab, files, folder / "overlay", "")
        answer = Answer(None, {"PYTHONPATH": str(overlay)}, box=sandbox.Box(args.box))
        for run in range(args.runs):
            if time.monotonic() - begin > args.seconds:
                break
            grade = timed(lab, answer, args.seed + run)
            is_exact = grade.points == grade.task.points
            verdict = grade.speed.verdict if grade.speed else grade.results[0].verdict
            found["exact" if is_exact else verdict] += 1
            if not is_exact:
                said = grade.speed.message if grade.speed else grade.results[0].message
                print(f"run {run}: {verdict}: {said}", flush=True)
    text = ", ".join(f"{count} {word}" for word, count in sorted(found.items()))
    print(f"{found.total()} runs beside {args.load} busy processes: {text}")
    print(f"{time.monotonic() - begin:.0f} s, load {os.getloadavg()[0]:.1f}")
    return 0 if found["exact"] == found.total() > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
