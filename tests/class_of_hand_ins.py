"""A made-up class of 12 on lab 00, for the instructor's guide and for trying a course.

    ./lab python tests/class_of_hand_ins.py make FOLDER
    ./lab python tests/class_of_hand_ins.py check COURSE

``make`` writes what a gradebook gives, a folder or an archive for each student, and what
an instructor has besides: a roster, extensions, an export of Canvas, private cases.
``check`` compares the records of a course with what each student should have.
"""

import argparse
import os
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import keys
from minitf_lab.labs.handin import intake, records, submit

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
SOLUTION = (project.ROOT / LAB.files[0]).read_text().replace("LAB(", "TODO(")
READ = 'OP_REQUIRES_OK(construction, construction->GetAttr("tolerance", &tolerance_));'
LESS = "result[i] = Distance(a[i], b[i]) < tolerance_;"
SENT, LATE = "2026-10-01T12:00:00Z", "2026-10-03T14:00:00Z"


def changed(old: str, new: str) -> str:
    """The right answer with something else in one place."""
    if SOLUTION.count(old) != 1:
        raise ValueError(f"{old!r} is there {SOLUTION.count(old)} times")
    return SOLUTION.replace(old, new)


WRONG = changed(LESS, LESS.replace("<", "<="))
FORGED = """#include <cstdio>
#include <cstdlib>
__attribute__((constructor)) static void Forge() {
  std::puts("{\\"values\\": [[true]]}\\n{\\"done\\": true}");
  if (std::FILE* file = std::fopen("/tmp/record.json", "w")) std::fclose(file);
  std::exit(0);
}
"""
# What each student hands in, the points, and the verdicts of the two tasks.
STUDENTS: dict[str, tuple[str, float, list[str]]] = {
    "ada": (SOLUTION, 4, ["ok", "ok"]),  # the zip of ./lab submit
    "bob": (WRONG, 2, ["ok", "wrong_answer"]),  # the files of cleo
    "cleo": (WRONG, 2, ["ok", "wrong_answer"]),
    "dan": ((LAB.starter / CODE).read_text(), 0, ["not_written", "not_written"]),
    "eve": ("int broken = ;\n", 0, ["compile_error"] * 2),
    "finn": (changed(LESS, "*(volatile int*)8 = 1;"), 2, ["ok", "crashed"]),
    "gina": (  # for one tolerance, and so in one case
        changed(LESS, f"while (tolerance_ == 1e30f) {{}} {LESS}"),
        3,
        ["ok", "timeout"],
    ),
    "hal": ("", 0, ["rejected"] * 2),  # an empty zip
    "ida": ("", 0, ["rejected"] * 2),  # a link
    "jon": (f"// late\n{SOLUTION}", 4, ["ok", "ok"]),
    "kim": (f"// of a Git repository\n{SOLUTION}", 4, ["ok", "ok"]),
    "leo": (FORGED + SOLUTION, 0, ["exited", "exited"]),
}
PRIVATE = '''"""Cases that no student has seen."""

from pathlib import Path

import numpy as np
from lab_00_hello.trials import trial

from minitf_lab.judge.case import case


@case("00.2")
def numbers_of_a_file(draw):
    """Numbers that lie beside this file."""
    x, y = np.loadtxt(Path(__file__).with_name("numbers.txt"))
    yield trial(x, y, 0.5)
'''
CANVAS = """Student,ID,SIS Login ID,Section,Lab 00 (77)
    Points Possible,,,,4
"""


def _set_time(path: Path, moment: str) -> None:
    seconds = datetime.fromisoformat(moment).timestamp()
    os.utime(path, (seconds, seconds))


def _git(folder: Path, *words: str) -> None:
    """Git on a machine where nobody has said who he is."""
    me = {"NAME": "kim", "EMAIL": "kim@example.org", "DATE": SENT}
    parts = {f"GIT_{who}_{key}": me[key] for who in ("AUTHOR", "COMMITTER") for key in me}
    command = ["git", "-C", str(folder), *words]
    subprocess.run(command, check=True, env={**os.environ, **parts})


def _hand_in(top: Path, student: str, text: str) -> None:
    """Writes what one student hands in."""
    folder = top / student
    folder.mkdir(parents=True)
    path = folder / CODE
    if student == "hal":
        with zipfile.ZipFile(folder / "empty.zip", "w"):
            pass
        return
    if student == "ida":
        path.symlink_to("/etc/passwd")
        return
    path.write_text(text)
    _set_time(path, LATE if student == "jon" else SENT)
    if student == "kim":
        _git(folder, "init", "--quiet")
        _git(folder, "add", CODE)
        _git(folder, "commit", "--quiet", "--message", "My answer")
    if student == "ada":
        (folder / "time.txt").write_text("3")
        data = submit.packed(LAB, intake.read(LAB, folder))
        for one in folder.iterdir():
            one.unlink()
        (folder / "00_submission.zip").write_bytes(data)
        _set_time(folder / "00_submission.zip", SENT)


def make(top: Path) -> None:
    """Writes the class."""
    for student, (text, _, _) in STUDENTS.items():
        _hand_in(top / "handins", student, text)
    names = [*STUDENTS, "mia"]  # who hands in nothing
    rows = [
        f"{name},{name.title()},Student,{name}@example.org,lti-{name}" for name in names
    ]
    header = "id,first_name,last_name,email,lti_user_id\n"
    roster = header + "\n".join(rows) + "\n"
    (top / "roster.csv").write_text(roster)
    (top / "extensions.csv").write_text("student,days\njon,1\n")
    lines = [f'"Student, {name}",{i},{name},A,\n' for i, name in enumerate(names, 100)]
    (top / "canvas.csv").write_text(CANVAS + "".join(lines))
    _hand_in(top / "earlier", "max", WRONG.replace("<=", ">"))
    (top / "private").mkdir()
    (top / "private" / "cases_private.py").write_text(PRIVATE)
    (top / "private" / "numbers.txt").write_text("1 2 3\n1.25 2.5 9\n")
    print(f"{len(STUDENTS)} hand-ins in {top}")


def check(course: Path) -> int:
    """Compares every record of a course with what it should say."""
    key = keys.load(course / "key")
    wrong = 0
    for student, (_, points, verdicts) in STUDENTS.items():
        path = course / "records" / LAB.folder / f"{student}.json"
        record = records.read(path, key)
        found = record["score"], [test["verdict"] for test in record["tests"]]
        if found != (points, verdicts):
            print(f"{student}: {found}, expected {(points, verdicts)}")
            wrong += 1
    print(f"{len(STUDENTS) - wrong} of {len(STUDENTS)} records are as they should be")
    return 1 if wrong else 0


def main() -> int:
    """Makes a class, or checks what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.what == "check":
        return check(args.folder)
    make(args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
