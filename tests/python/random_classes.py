"""Random classes through collect, grade (a stub), export and back.

    ./lab python tests/python/random_classes.py --count 20000 --seed 1

Each class has a roster, names in many scripts, and a download in one of seven layouts.
An oracle of its own knows the right marks. The marks that come out must be those of
the oracle: nobody is lost, nobody is merged, nobody is exported twice. A class in which
two students have the same name must be refused, and the message must name both.
"""

import argparse
import contextlib
import csv
import functools
import io
import json
import random
import sys
import tempfile
from pathlib import Path
from unittest import mock

from random_downloads import (
    CODE,
    DUE,
    DUE_TEXT,
    GRACE,
    LAB,
    Class,
    make_class,
    tidied,
    write,
)

from minitf_lab import project
from minitf_lab.course import clock, collect, commands, identity, judging, keys, run
from minitf_lab.labs.handin import records

DEADLINE = clock.Deadline.parse(DUE_TEXT, None, clock.grace_of(clock.GRACE))
LAB_POINTS = sum(task.points for task in LAB.tasks)

# ---- The oracle ------------------------------------------------------------------------


def expected(made: Class) -> dict[int, int]:
    """The points of everybody who has handed in; 0 for who was rejected."""
    found = {}
    for student in made.students:
        offers = student.offers
        good = [offer for offer in offers if offer.serial is not None]
        if good:
            best = max(
                good,
                key=lambda one: (
                    one.time <= DUE + GRACE,
                    one.time,
                    one.kind != "loose",
                    one.copy,
                ),
            )
            found[student.number] = best.serial
        elif offers:
            found[student.number] = 0
    return found


def is_refused(made: Class) -> bool:
    """Whether two students who hand in have the same name but for case and form."""
    if made.layout not in ("folders", "zips", "debian"):
        return False
    names = [tidied(one.name) for one in made.students if one.offers]
    return len(set(names)) < len(names)


def left_out(made: Class) -> set[int]:
    """Students whom the roster does not find: two people have this full name."""
    if made.roster_by != "name" or not made.layout.startswith("moodle"):
        return set()
    names = [identity.squash(one.name) for one in made.students]
    return {
        one.number
        for one, name in zip(made.students, names, strict=True)
        if names.count(name) > 1
    }


# ---- Through the course ----------------------------------------------------------------

_template: dict = {}


def _stub_judge(
    place: run.Place, student: str, sha256: str, key: bytes, options: run.Options
) -> str:
    """Stands for the judge: the points are the number in the file."""
    text = (collect.home_of(place.course, LAB, student) / CODE).read_text()
    if not _template:
        _template.update(judging.refused(LAB, sha256, "stub", key))
    record = json.loads(json.dumps(_template))
    record |= {"status": "graded", "score": int(text.split()[3].rstrip(";"))}
    record["submission"] |= {"id": sha256[:12], "sha256": sha256}
    record["tests"] = [test | {"verdict": "ok"} for test in record["tests"]]
    records.write(place.result(sha256), records.sign(record, key))
    return ""


def _roster(made: Class, path: Path, draw: random.Random) -> None:
    """Everybody, called by identity, by number or by a login and the full name."""
    rows = [["id", "last_name", "first_name", "email", "lti_user_id"]]
    for student in made.students:
        name = made.identity(student)
        if made.layout.startswith("moodle") and made.roster_by == "number":
            name = str(student.platform_id)
        first, last = "", ""
        if made.layout.startswith("moodle") and made.roster_by == "name":
            name = f"login{student.number}"
            whole = identity.tidy(student.name)
            first, last = whole[:1], whole[1:]
        pad = " " * draw.randint(0, 2)
        email = f"{student.email}{pad}"
        rows.append([f"{pad}{name}{pad}", last, first, email, f"lti-{student.number}"])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _canvas_book(made: Class, path: Path, points: float) -> None:
    rows = [["Student", "ID", "SIS Login ID", "Section", "Lab (5)"]]
    rows.append(["    Points Possible", "", "", "", f"{points:g}"])
    for one in made.students:
        login = made.identity(one) if made.layout != "canvas" else f"l{one.number}"
        rows.append([one.name, str(one.platform_id), login, "S", ""])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@functools.cache
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    commands.add_course(parser.add_subparsers())
    return parser


def _export(course: Path, *words: object) -> tuple[int, str]:
    """The status of an export, and what it says besides."""
    said = io.StringIO()
    args = _parser().parse_args(["export", *map(str, words), "--course", str(course)])
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        status = args.run(args)
    assert Path(words[words.index("--out") + 1]).exists(), (words[0], said.getvalue())
    return status, said.getvalue()


def _marks(made: Class, course: Path, top: Path, draw: random.Random) -> dict:
    """Status, messages and points by student number of each export."""
    roster, out = top / "roster.csv", top / "out"
    _roster(made, roster, draw)
    found = {}
    status, said = _export(course, "moodle", "00", "--roster", roster, "--out", out)
    rows = list(csv.reader(io.StringIO(out.read_text(), newline="")))[1:]
    pairs = [(int(row[0][1:].split("@")[0]), float(row[1])) for row in rows]
    found["moodle"] = status, said, pairs
    status, said = _export(course, "lti", "00", "--roster", roster, "--out", out)
    scores = json.loads(out.read_text())
    pairs = [(int(one["userId"][4:]), float(one["scoreGiven"])) for one in scores]
    found["lti"] = status, said, pairs
    if not made.layout.startswith("moodle"):
        book = top / "book.csv"
        _canvas_book(made, book, LAB_POINTS)
        words = ("--gradebook", book, "--assignment", "5", "--out", out)
        status, said = _export(course, "canvas", "00", *words)
        rows = list(csv.reader(io.StringIO(out.read_text(), newline="")))[2:]
        pairs = [(int(row[1]) - 700, float(row[-1])) for row in rows if row[-1]]
        found["canvas"] = status, said, pairs
    return found


def check(seed: int, top: Path) -> str:
    """Takes one class through all; returns its layout, or raises AssertionError."""
    draw = random.Random(seed)
    made = make_class(draw)
    source, course = write(made, top), top / "course"
    terms = (False, True) if draw.random() < 0.5 else (True,)
    if is_refused(made):
        try:
            collect.collect(LAB, source, course, collect.Terms(DEADLINE, True))
        except project.LabError as error:
            assert str(error).count("'") >= 4, error
            assert not (course / "handins").exists(), seed
            return "refused"
        raise AssertionError(f"{seed}: two students became one")
    for takes_late in terms:
        collect.collect(LAB, source, course, collect.Terms(DEADLINE, takes_late))
    truth = expected(made)
    if not truth:
        return "empty"
    again = collect.collect(LAB, source, course, collect.Terms(DEADLINE, True))
    is_settled = not again.taken
    assert is_settled, (seed, again.taken)
    notes = collect.students_of(course, LAB)
    names = {made.identity(one): one.number for one in made.students if one.offers}
    assert set(notes) == set(names), (seed, set(notes) ^ set(names))
    (course / "key").write_text("ab" * 32)
    (course / "key").chmod(0o600)
    key = keys.load(course / "key")
    place = run.Place(course, LAB)
    run.grade(place, key)
    graded = {number: records.read(place.record(n), key) for n, number in names.items()}
    assert {n: one["score"] for n, one in graded.items()} == truth, seed
    absent = left_out(made) & set(truth)
    truth = {number: points for number, points in truth.items() if number not in absent}
    if not truth:
        return "unknown"
    for kind, (status, said, pairs) in _marks(made, course, top, draw).items():
        assert len(pairs) == len(dict(pairs)), (seed, kind, "somebody twice")
        assert dict(pairs) == truth, (seed, kind, pairs, truth, said)
        assert status == (1 if absent else 0), (seed, kind, said)
        assert said.count("not exported: ") == len(absent), (seed, kind, said)
    return made.layout


def check_many(seeds: range) -> dict[str, int]:
    """Checks many classes; returns how many there were of each kind."""
    counts: dict[str, int] = {}
    with contextlib.ExitStack() as patches:
        # Reading all manifests again would take most of the time.
        for name in ("all_labs", "find_lab"):
            cached = functools.cache(getattr(project, name))
            patches.enter_context(mock.patch.object(project, name, cached))
        digest = judging.lab_digest(LAB)
        patches.enter_context(
            mock.patch.object(judging, "lab_digest", lambda lab: digest)
        )
        patches.enter_context(mock.patch.object(run, "_judge_one", _stub_judge))
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="minitf-class-") as name:
                try:
                    kind = check(seed, Path(name))
                except Exception as error:
                    error.add_note(f"the class of --seed {seed}")
                    raise
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def main() -> int:
    """Checks as many classes as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first class")
    args = parser.parse_args()
    counts = check_many(range(args.seed, args.seed + args.count))
    for kind, count in sorted(counts.items()):
        print(f"{count:6} {kind}")
    print(f"{sum(counts.values())} classes: nobody lost, merged or exported twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
