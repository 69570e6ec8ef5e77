"""Random classes and their downloads, for ``random_classes.py``."""

import io
import itertools
import json
import os
import random
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import clock, identity

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
        """The identity that collect should find."""
        if self.layout == "gradescope":
            return student.email
        if self.layout == "canvas":
            return f"{identity.squash(student.name)}_{student.platform_id}"
        if self.layout.startswith("moodle"):
            return identity.tidy(f"{student.name}_{student.platform_id}")
        return identity.tidy(student.name)


def tidied(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().lower()


def make_class(draw: random.Random) -> Class:
    """A random class; in one of ten two students have the same name on purpose."""
    layout = draw.choice(LAYOUTS)
    names: list[str] = []
    is_alike = draw.random() < 0.1
    by_name = layout in ("folders", "zips", "debian")
    for _ in range(draw.randint(2, 6)):
        name = _name(draw, names)
        is_known = any(tidied(name) == tidied(one) for one in names)
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


def _offers(draw: random.Random, layout: str, serials: Iterator[int]) -> list[Offer]:
    """One to three submissions of a student; some are broken."""
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
    """Some students share the submission of another one."""
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


def write_debian(path: Path, members: list[tuple[str, bytes, int]]) -> None:
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
        write_debian(top / "class.zip", members)
        return top / "class.zip"
    return source
