"""``./lab submit NN`` tries the zip: what is in it is built and run as a grader does.

The zip is taken as a course takes it, and no other file of the student's is at hand. If
the machine has a sandbox, the answer runs in it.
"""

import os
import tempfile
from pathlib import Path

from rich.console import Console

from minitf_lab import progress, project
from minitf_lab.judge.sandbox import find_box
from minitf_lab.labs import builds, grade, report
from minitf_lab.labs.handin import intake
from minitf_lab.results import Result


def check(lab: project.Lab, path: Path, out: Console) -> bool:
    """Runs the students' cases on what is in a zip, and prints the result.

    Returns:
        Whether the files compile and the cases start.

    Raises:
        LabError: the machine cannot try it.
    """
    builds.build_framework(lab)
    box = find_box(for_practice=True)
    with tempfile.TemporaryDirectory(prefix="minitf-submit-") as name:
        os.chmod(name, 0o755)  # the sandbox may run as another user
        hand_in = intake.take(lab, path, Path(name) / "files")
        try:
            files = hand_in.files_of(lab)
            answer = builds.build_alone(lab, files, Path(name) / "made", box)
            with progress.of_cases(out) as tell:
                tasks = [*grade.run_tasks(lab, answer, tell=tell)]
        except project.GraderError:
            raise
        except project.LabError as error:
            out.print(f"{error}")
            out.print("the files in the zip do not run: they would get 0 points")
            return False
    _print_counts(tasks, out)
    return True


def _print_counts(tasks: list[tuple[project.Task, list[Result]]], out: Console) -> None:
    """Prints how many cases of each task pass, and the first that does not."""
    total = passing = 0
    for task, results in tasks:
        counted = [one for one in results if one.status != "skipped"]
        good = sum(one.passed for one in counted)
        total, passing = total + len(counted), passing + good
        wrong = [one for one in counted if not one.passed]
        if wrong:
            first = wrong[0]
            said = first.message.split("\n")[0]
            out.print(f"  task {task.number}: {good} of {len(counted)} cases pass")
            out.print(f"    {first.name}: {report.STATUS_TEXT[first.status]}: {said}")
    out.print(f"the files in the zip pass {passing} of {total} cases")
