"""``./lab demo``: the main job in one command.

1. Train a network on handwritten digits with a graph and a session, then eagerly.
2. Draw what happened and put it on a page, ``demo/index.html``.
3. Grade lab 04 twice: as it is handed out, and solved.

All files are made in a folder of another name, which gets its name at the very end. So a
run that is stopped leaves nothing behind, and the last complete result stays.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jinja2

from minitf import data
from minitf_lab.labs import builds, grade, report
from minitf_lab.dev.demo import drawing
from minitf_lab import project
from minitf_lab.dev.demo.history import History

LAB = "04"
WANTED_ACCURACY = 0.96
NEXT = """
Where to go next
  {page}
      the curves, the confusion matrices and the graph
  ./lab start 04, then work/04_gradients/README.md
      write the gradients yourself
  docs/reading_order.md
      read the framework, file by file
"""


@contextlib.contextmanager
def result_folder(target: Path) -> Iterator[Path]:
    """A new folder, which takes the place of ``target`` if nothing goes wrong.

    Raises:
        LabError: nothing can be written there.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise project.LabError(
            f"cannot write to {target.parent}: {error.strerror}; "
            "name another folder with --out"
        ) from error
    try:
        yield part
        part.chmod(0o755)
        if target.exists():
            shutil.rmtree(target)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_target(target: Path) -> None:
    """Refuses to replace a folder that is not an earlier result.

    Raises:
        LabError: it is something else.
    """
    is_result = not target.exists() or (target / "index.html").exists()
    if not is_result and any(target.iterdir()):
        raise project.LabError(f"{target} is there and is no result of ./lab demo")


def train(mode: str, args: argparse.Namespace, folder: Path) -> History:
    """Trains in a process of its own, since a process has one mode.

    Raises:
        LabError: it failed; it has said why.
    """
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "minitf_lab.dev.demo.train", mode),
            *("--folder", str(folder)),
            *("--epochs", str(args.epochs)),
            *("--seed", str(args.seed)),
        ]
    )
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode != 0:
        raise project.LabError(f"training failed in {mode} mode")
    return History(**json.loads((folder / f"{mode}.json").read_text()))


def grade_lab() -> list[dict[str, object]]:
    """Grades the untouched starter and the reference; prints and returns the result.

    Nothing is graded if the lab is not handed out yet, and the starter alone if minitf's
    own answer is not.
    """
    if LAB not in {lab.number for lab in project.all_labs()}:
        return []
    lab = project.find_lab(LAB)
    out = report.console()
    rows = []
    has_reference = project.has_reference(lab)
    for version in ("starter", "reference") if has_reference else ("starter",):
        with builds.alone(lab, version):
            result = grade.grade_answer(lab, builds.build_version(lab, version))
        report.print_grade(out, result, f"Lab {lab.number}, {lab.title}: {version}")
        missing = sum(r.status == "not written" for _, r in result.failures)
        rows.append(
            {
                "version": version,
                "points": result.points,
                "of": lab.points,
                "missing": missing,
                "wrong": len(result.failures) - missing,
            }
        )
    return rows


def write_page(
    folder: Path, histories: list[History], grades: list[dict[str, object]]
) -> None:
    """Writes ``index.html``, which shows the pictures beside it."""
    images, _, test_images, _ = data.mnist_5k()
    template = Path(__file__).with_name("page.html.jinja").read_text()
    page = jinja2.Template(template, autoescape=True).render(
        histories=histories,
        grades=grades,
        train_images=len(images),
        test_images=len(test_images),
    )
    (folder / "index.html").write_text(page)


def main(args: argparse.Namespace) -> int:
    """Runs the demo; returns 0 if the accuracy is reached and the grades are right."""
    target = Path(args.out).absolute()
    check_target(target)
    with result_folder(target) as folder:
        histories = [train(mode, args, folder) for mode in ("static", "eager")]
        drawing.draw_curves(histories, folder / "curves.png")
        drawing.draw_confusion(histories, folder / "confusion.png")
        grades = grade_lab()
        write_page(folder, histories, grades)

    print(NEXT.format(page=target / "index.html"))
    weak = [h.mode for h in histories if h.accuracies[-1] < WANTED_ACCURACY]
    if weak:
        print(f"held-out accuracy below {WANTED_ACCURACY:.0%}: {', '.join(weak)}")
    right = all(
        row["points"] == (row["of"] if row["version"] == "reference" else 0)
        for row in grades
    )
    return 0 if right and not weak else 1
