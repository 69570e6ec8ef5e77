"""Random classes through collect, grade (a stub), export and back.

    ./lab python tests/random_classes.py --count 20000 --seed 1

Each class has a roster, names in many scripts, and a download in one of seven layouts.
An oracle of its own says whose hand-in counts. The marks that come out must be those of
the oracle: nobody is lost, nobody is merged, nobody is exported twice. A class in which
two students have the same name must be refused, and the message must name both.
"""

import argparse
import contextlib
import csv
import functools
import io
import itertools
import json
import os
import random
import sys
import tempfile
import unicodedata
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from minitf_lab import project
from minitf_lab.course import clock, collect, identity, keys, output_cli, run
from minitf_lab.handin import judging, records

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
DUE_TEXT = "2026-10-25T12:00:00Z"
DUE = clock.seconds_of(DUE_TEXT)
GRACE = 300
WORDS = (
    *("Ada", "Müller", "Muller", "Zoë", "O'Brien", "Søren", "Łukasz", "Weiß", "Weiss"),
    *("Иванов", "Иванова", "Ёлкина", "Παπάς", "Άννα", "محمد", "فاطمة", "דוד", "רחל"),
    *(
        "प्रिया",
        "हिन्दी",
        "สมชาย",
        "กัญญา",
        "王伟",
        "王偉",
        "김민준",
        "박",
        "さくら",
        "サクラ",
    ),
    *("გიორგი", "Արամ", "தமிழ்", "Nguyễn", "Nguyên", "ada", "x", "x1", "İpek", "Ipek"),
)
ENDINGS = (
    "_",
    ".",
    "'",
    "-",
    " (1)",
    "__",
    " Jr.",
    "\N{RIGHT SINGLE QUOTATION MARK}",
    "+",
    "@x",
    "~",
    ' "Q"',
    "!",
    ",",
)
LAYOUTS = ("folders", "zips", "debian", "gradescope", "canvas", "moodle", "moodle flat")


@dataclass
class Offer:
    """One thing that a student hands in.

    Attributes:
        serial: The points that it gets; None if it cannot be taken.
    """

    kind: str
    time: int
    serial: int | None
    copy: int = 0


@dataclass
class Student:
    """A student as the oracle knows her."""

    number: int
    name: str
    offers: list[Offer] = field(default_factory=list)
    group: int | None = None

    @property
    def email(self) -> str:
        """Known to Gradescope and the roster."""
        return f"s{self.number}@example.org"

    @property
    def platform_id(self) -> int:
        """Canvas's number or Moodle's."""
        return 700 + self.number


@dataclass
class Class:
    """A class, where it came from, and what the roster calls its students."""

    layout: str
    students: list[Student]
    roster_by: str = "identity"
    is_marked: bool = False  # Canvas's marks decide who is late

    def identity(self, student: Student) -> str:
        """What collect should call a student."""
        if self.layout == "gradescope":
            return student.email
        if self.layout == "canvas":
            return f"{identity.squash(student.name)}_{student.platform_id}"
        if self.layout.startswith("moodle"):
            return identity.tidy(f"{student.name}_{student.platform_id}")
        return identity.tidy(student.name)


def _tidy(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().lower()


def make_class(draw: random.Random) -> Class:
    """A random class; in one of ten two students have the same name on purpose."""
    layout = draw.choice(LAYOUTS)
    names: list[str] = []
    is_alike = draw.random() < 0.1
    by_name = layout in ("folders", "zips", "debian")
    for _ in range(draw.randint(2, 6)):
        name = _name(draw, names)
        is_known = any(_tidy(name) == _tidy(one) for one in names)
        if by_name and is_known:
            continue
        names.append(name)
    if by_name and is_alike:
        old = draw.choice(names)
        alike = (old.upper(), unicodedata.normalize("NFD", old), f"{old} ", f" {old}")
        names.append(draw.choice([one for one in alike if one not in names]))
    students = [Student(i, name) for i, name in enumerate(names)]
    draw.shuffle(students)
    serials = iter(draw.sample(range(10, 10_000), 40))
    for student in students:
        if is_alike or draw.random() < 0.9:
            student.offers = _offers(draw, layout, serials)
    if layout == "gradescope":
        _make_groups(draw, students)
    return Class(layout, students, draw.choice(("identity", "number", "name")))


def _name(draw: random.Random, names: list[str]) -> str:
    """A new name, a name like one of the others, or the same."""
    if names and draw.random() < 0.5:
        old = draw.choice(names)
        made = draw.choice(
            (
                old,
                old + draw.choice(ENDINGS),
                old.replace("'", " "),
                old.replace(" ", "_"),
                old.upper(),
                unicodedata.normalize("NFD", old),
                f"({old})",
                unicodedata.normalize("NFKD", old).encode("ascii", "ignore").decode(),
            )
        )
    else:
        made = draw.choice(WORDS)
        if draw.random() < 0.6:
            made += draw.choice((" ", "_", "-", ", ", "  ")) + draw.choice(WORDS)
    has_letters = any(letter.isalnum() for letter in made)
    return made if has_letters and made.strip("._-") else "x" + made


def _time(draw: random.Random, layout: str) -> int:
    if layout == "canvas":
        return 0
    near = (0, 1, GRACE, GRACE + 1, 3600, -1, -3600)
    return int(DUE) + draw.choice((draw.choice(near), draw.randint(-200_000, 200_000)))


def _offers(draw: random.Random, layout: str, serials: "iter") -> list[Offer]:
    """What one student hands in: one thing to three, some of which cannot be taken."""
    if layout == "gradescope":
        return [Offer("loose", _time(draw, layout), next(serials))]
    kinds = ["loose", "zip", "copy"] if layout != "zips" else ["zip"]
    kinds = kinds if layout != "debian" else ["zip"]
    if layout == "canvas":
        kinds = ["loose"] if draw.random() < 0.5 else ["zip"]
    chosen = [kind for kind in kinds if draw.random() < 0.6] or [kinds[-1]]
    if layout in ("moodle", "moodle flat"):
        chosen = chosen[:1] if chosen[0] != "copy" else ["zip"]
    same = _time(draw, layout)
    offers = []
    for kind in chosen:
        serial = next(serials) if draw.random() < 0.9 or kind == "loose" else None
        time = same if draw.random() < 0.2 else _time(draw, layout)
        offers.append(Offer(kind, time, serial, 1 if kind == "copy" else 0))
    return offers


def _make_groups(draw: random.Random, students: list[Student]) -> None:
    """Some students share the hand-in of another one."""
    for student, other in itertools.pairwise(students):
        if draw.random() < 0.3 and other.offers:
            student.offers, student.group = other.offers, other.number
            other.group = other.number


# ---- The download ----------------------------------------------------------------------


def _source(serial: int | None) -> str:
    return f"int serial = {serial};\n"


def _zip(offer: Offer) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        if offer.serial is not None:
            file.writestr(CODE, _source(offer.serial))
    return made.getvalue()


def _put(path: Path, data: bytes, time: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time or DUE, time or DUE))


def _write_folder(folder: Path, offers: list[Offer]) -> None:
    for offer in offers:
        if offer.kind == "loose":
            _put(folder / CODE, _source(offer.serial).encode(), offer.time)
        else:
            name = "a (1).zip" if offer.kind == "copy" else "a.zip"
            _put(folder / name, _zip(offer), offer.time)


def _write_flat(source: Path, prefix: str, offers: list[Offer]) -> None:
    for offer in offers:
        if offer.kind == "loose":
            _put(source / f"{prefix}{CODE}", _source(offer.serial).encode(), offer.time)
        else:
            _put(source / f"{prefix}a.zip", _zip(offer), offer.time)


class _Unflagged(zipfile.ZipInfo):
    """A member whose name is UTF-8, and whose flags do not say so."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile's name
        return self.filename.encode(), self.flag_bits & ~0x800


def _debian(path: Path, members: list[tuple[str, bytes, int]]) -> None:
    """A zip as Debian's tool writes it: UTF-8 without the flag, and times in UTC."""
    with zipfile.ZipFile(path, "w") as file:
        for name, data, time in members:
            info = _Unflagged(name, (2026, 1, 1, 0, 0, 0))
            info.extra = b"UT\x05\x00\x01" + time.to_bytes(4, "little")
            file.writestr(info, data)


def _metadata(made: Class) -> str:
    lines = ["---"]
    done = set()
    for student in made.students:
        head = student.number if student.group is None else student.group
        if not student.offers or head in done:
            continue
        done.add(head)
        members = [
            s
            for s in made.students
            if s is student or (s.group == head and student.group == head)
        ]
        at = datetime.fromtimestamp(student.offers[0].time, UTC)
        lines += [f"submission_{head}:", "  :submitters:"]
        for member in members:
            lines += [
                f"  - :name: {json.dumps(member.name)}",
                f"    :email: {member.email}",
            ]
        lines.append(f"  :created_at: {at:%Y-%m-%d %H:%M:%S}.000000000 Z")
    return "\n".join(lines) + "\n"


def write(made: Class, top: Path) -> Path:
    """Writes the download of a class; returns its path."""
    source = top / "download"
    source.mkdir()
    members = []
    for student in made.students:
        offers, key = student.offers, f"{student.name}_{student.platform_id}"
        if not offers:
            continue
        if made.layout == "folders":
            _write_folder(source / student.name, offers)
        elif made.layout == "zips":
            _put(source / f"{student.name}.zip", _zip(offers[0]), offers[0].time)
        elif made.layout == "debian":
            name = f"class/{student.name}.zip"
            members.append((name, _zip(offers[0]), offers[0].time))
        elif made.layout == "gradescope":
            head = student.number if student.group is None else student.group
            _write_folder(source / f"submission_{head}", offers)
        elif made.layout == "canvas":
            late = "_LATE" if student.number % 3 == 0 else ""
            prefix = f"{identity.squash(student.name)}{late}_{student.platform_id}_9_"
            _write_flat(source, prefix, offers)
        elif made.layout == "moodle":
            _write_folder(source / f"{key}_assignsubmission_file_", offers)
        else:
            _write_flat(source, f"{key}_assignsubmission_file_", offers)
    if made.layout == "gradescope":
        (source / "submission_metadata.yml").write_text(_metadata(made))
    if made.layout == "debian":
        _debian(top / "class.zip", members)
        return top / "class.zip"
    return source


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
    names = [_tidy(one.name) for one in made.students if one.offers]
    return len(set(names)) < len(names)


def left_out(made: Class) -> set[int]:
    """Who cannot be found in the roster, since two people have this full name."""
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
    output_cli.add_commands(parser.add_subparsers())
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
    """What each export says: points by the student's number, and its status."""
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


LAB_POINTS = sum(task.points for task in LAB.tasks)


def check(seed: int, top: Path) -> str:
    """Takes one class through all; returns its layout, or raises AssertionError."""
    draw = random.Random(seed)
    made = make_class(draw)
    source, course = write(made, top), top / "course"
    terms = (False, True) if draw.random() < 0.5 else (True,)
    if is_refused(made):
        try:
            collect.collect(LAB, source, course, due=DUE_TEXT, late=True)
        except project.LabError as error:
            assert str(error).count("'") >= 4, error
            assert not (course / "handins").exists(), seed
            return "refused"
        raise AssertionError(f"{seed}: two students became one")
    for takes_late in terms:
        collect.collect(LAB, source, course, due=DUE_TEXT, late=takes_late)
    truth = expected(made)
    if not truth:
        return "empty"
    again = collect.collect(LAB, source, course, due=DUE_TEXT, late=True)
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
