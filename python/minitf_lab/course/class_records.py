"""The records of a class: one hand-in of each student counts, and nobody is forgotten.

A folder of results holds a record for each hand-in (``RESULTS/<sha256>.json``). The last
hand-in of a student counts. Whatever is odd becomes a sentence in ``problems``: a report
shows them, an export of marks refuses to go on.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import identity, text
from minitf_lab.labs.handin import records

Record = dict[str, Any]
Roster = list[dict[str, str]]

MOST = 1e9  # points
NO_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass
class ClassRecords:
    """What is known of a class and one lab.

    Attributes:
        latest: The record that counts, for each student.
        earlier: How many hand-ins each student has besides; none is not in it.
        missing: Students of the roster who have handed in nothing.
        unknown: Students who have, and are not in the roster.
        people: The row of the roster of each student who has one.
        problems: Files that are no record, hand-ins that cannot be put in order.
        roster: Everybody in the class; None if nobody has said.
    """

    latest: dict[str, Record] = field(default_factory=dict)
    earlier: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    roster: Roster | None = None

    @property
    def records(self) -> list[Record]:
        """Those that count, by student."""
        return list(self.latest.values())


def student(record: Record) -> str:
    """Whose hand-in it is."""
    return record["submission"]["id"]


def known_as(record: Record) -> dict[str, str]:
    """Names of the student that the download contains besides the identity."""
    return record["submission"].get("known_as", {})


def has_score(record: Record) -> bool:
    """Whether its points may go anywhere: not if the grader failed on a part of it."""
    tests = record["tests"]
    cases = [case for test in tests for case in test.get("cases", [])]
    verdicts = {one["verdict"] for one in (*tests, *cases)}
    return record["status"] != "grader_error" and "grader_error" not in verdicts


def handed_in(record: Record) -> datetime:
    """When it was handed in; long ago if that is not known.

    Raises:
        ValueError: it is no time.
    """
    said = record["submission"].get("submitted_at")
    if not said:
        return NO_TIME
    time = datetime.fromisoformat(str(said))
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def not_scored(found: ClassRecords) -> list[str]:
    """A sentence for each student whose hand-in must be graded again."""
    return [
        f"{text.one_line(name)}: no score: the grader failed; grade it again"
        for name, record in found.latest.items()
        if record["status"] == "grader_error"
    ]


def need_score(record: Record) -> None:
    """Refuses a record without a score, where a platform would make it 0.

    Raises:
        LabError: the grader failed on it.
    """
    if record["status"] == "grader_error":
        raise project.LabError(
            f"the hand-in {text.one_line(student(record))} has no score: the grader "
            "failed; grade it again"
        )


def is_number(value: Any) -> bool:
    """Whether it is a number that points may be."""
    return type(value) in (int, float) and -MOST < value < MOST


def check(record: Record) -> None:
    """Whether a record has what is relied on here; ``records.read`` checks the rest.

    Raises:
        ValueError: with what it lacks.
    """

    def need(is_there: bool, what: str) -> None:
        if not is_there:
            raise ValueError(what)

    need(isinstance(record["lab"].get("id"), str), "it has no lab.id")
    name = record["submission"].get("id")
    need(isinstance(name, str) and bool(name), "it has no submission.id")
    others = record["submission"].get("known_as", {})
    need(
        isinstance(others, dict) and all(isinstance(o, str) for o in others.values()),
        "its submission.known_as is not a table of texts",
    )
    need(isinstance(record["tests"], list), "it has no list of tests")
    need(isinstance(record["flags"], list), "it has no list of flags")
    files = record["submission"].get("files", [])
    need(isinstance(files, list), "it has no list of submission.files")
    board = record["board"]
    need(
        isinstance(board, list) and all(isinstance(entry, dict) for entry in board),
        "its board is not a list of JSON objects",
    )
    for test in record["tests"]:
        need(isinstance(test, dict), "a test is not a JSON object")
        name = test.get("id")
        need(isinstance(name, str), "a test has no id")
        for key in ("title", "verdict"):
            need(isinstance(test.get(key), str), f"test {name} has no {key}")
        need(is_number(test.get("points")), f"points of test {name} are no number")
        is_open = test["verdict"] == "grader_error" or record["status"] == "grader_error"
        need(is_open or is_number(test.get("score")), f"test {name} has no score")
        cases = test.get("cases", [])
        need(
            isinstance(cases, list)
            and all(
                isinstance(case, dict)
                and isinstance(case.get("id"), str)
                and isinstance(case.get("verdict"), str)
                for case in cases
            ),
            f"a case of test {name} has no id or verdict",
        )
    need(is_number(record.get("max_score")), "max_score is no number")
    need(not has_score(record) or is_number(record.get("score")), "score is no number")
    handed_in(record)


def read_record(path: Path, key: bytes | None = None) -> Record:
    """A record that can be relied on; signed by ``key``, if that is given.

    Its status is ``grader_error`` if the grader failed on any part of it.

    Raises:
        LabError: it is none; the text names the file.
    """
    try:
        record = records.read(path, key)
        check(record)
    except records.RecordError as error:
        raise project.LabError(text.one_line(error, 400)) from error
    except OSError as error:
        raise project.LabError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        said = text.one_line(error)
        raise project.LabError(f"{path} is not a record: {said}") from error
    return record if has_score(record) else {**record, "status": "grader_error"}


def read_class(
    folder: Path, roster: Path | None = None, key: bytes | None = None
) -> ClassRecords:
    """The records of a folder; ``roster`` is a file that ``read_roster`` reads.

    Raises:
        LabError: it is no folder, holds no record, or holds those of several labs.
    """
    if not folder.is_dir():
        raise project.LabError(f"{folder} is not a folder of records")
    found = ClassRecords(roster=read_roster(roster) if roster else None)
    by_student: dict[str, list[Record]] = {}
    labs: dict[str, Path] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            record = read_record(path, key)
        except project.LabError as error:
            found.problems.append(str(error))
            continue
        labs.setdefault(record["lab"]["id"], path)
        by_student.setdefault(student(record), []).append(record)
    if len(labs) > 1:
        said = ", ".join(
            f"{text.one_line(lab)} ({path.name})" for lab, path in labs.items()
        )
        raise project.LabError(f"{folder} holds records of several labs: {said}")
    if not by_student:
        said = "".join(f"\n{problem}" for problem in found.problems)
        raise project.LabError(f"{folder} holds no record (*.json){said}")

    for name, theirs in sorted(by_student.items()):
        theirs.sort(key=lambda one: (handed_in(one), one["submission"]["sha256"]))
        found.latest[name] = theirs[-1]
        if len(theirs) > 1:
            found.earlier[name] = len(theirs) - 1
            if handed_in(theirs[-1]) == handed_in(theirs[-2]):
                found.problems.append(
                    f"{text.one_line(name)}: two hand-ins of the same time, or of none; "
                    "leave one of them in the folder"
                )
    if found.roster is not None:
        _match(found, found.roster)
    return found


def directory(found: ClassRecords) -> identity.Directory:
    """The students who have handed in, found by what people call them."""
    return identity.Directory({name: known_as(one) for name, one in found.latest.items()})


def _match(found: ClassRecords, roster: Roster) -> None:
    """Finds the student of each row of the roster.

    A row's id and address are compared with all that is known of students, first exactly.
    Full names decide last, and only where one student and one row have that name.
    """
    for row in roster:
        if row["id"] in found.latest:
            found.people[row["id"]] = row
    used = {row["id"] for row in found.people.values()}
    for by_name in (False, True):
        left = {n: known_as(r) for n, r in found.latest.items() if n not in found.people}
        rest = identity.Directory(left)
        hits: dict[str, list[str]] = {}  # rows by student, and students by row
        names: dict[str, list[str]] = {}
        for row in roster:
            if row["id"] not in used:
                names[row["id"]] = _students_of(row, rest, by_name=by_name)
                for name in names[row["id"]]:
                    hits.setdefault(name, []).append(row["id"])
        for row in roster:
            theirs = names.get(row["id"], [])
            if len(theirs) == 1 and len(hits[theirs[0]]) == 1:
                found.people[theirs[0]] = row
                used.add(row["id"])
            elif theirs and not by_name:
                others = dict.fromkeys(
                    [row["id"], *(one for n in theirs for one in hits[n])]
                )
                found.problems.append(
                    f"the roster's {_listed(others)} may be the same as {_listed(theirs)}"
                )
    found.missing = sorted(row["id"] for row in roster if row["id"] not in used)
    found.unknown = sorted(set(found.latest) - set(found.people))


def _listed(names: Iterable[str]) -> str:
    return " and ".join(map(text.one_line, names))


def _students_of(
    row: dict[str, str], rest: identity.Directory, *, by_name: bool
) -> list[str]:
    """The students whom a row of the roster may mean."""
    words = [row["id"], row.get("email", "")]
    first, last = row.get("first_name", ""), row.get("last_name", "")
    if by_name and (first or last):
        words += [f"{first} {last}", f"{last} {first}"]
    fitting = (rest.fitting(word, by_name=by_name) for word in filter(None, words))
    return list(dict.fromkeys(name for names in fitting for name in names))


def read_table(path: Path) -> tuple[list[list[str]], str]:
    """The rows of a CSV file that somebody exported, and its delimiter.

    Raises:
        LabError: it cannot be read, or is no CSV.
    """
    try:
        said = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise project.LabError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise project.LabError(
            f"{path}: not UTF-8 text, at byte {error.start}"
        ) from error
    first = said.split("\n", 1)[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    try:
        reader = csv.reader(
            io.StringIO(said, newline=""), delimiter=delimiter, strict=True
        )
        return [row for row in reader if any(map(str.strip, row))], delimiter
    except csv.Error as error:
        raise project.LabError(f"{path}: not a CSV file: {error}") from error


def read_roster(path: Path) -> list[dict[str, str]]:
    """Everybody in the class: a CSV file whose first line names the columns.

    ``id`` is what hand-ins are called by. ``last_name``, ``first_name``, ``email`` and
    ``lti_user_id`` may be there too. Spaces around a cell do not count.

    Raises:
        LabError: there is no column ``id``, a row has none, or two rows have the same id,
            address or ``lti_user_id``.
    """
    rows, _ = read_table(path)
    header = [name.strip().lower() for name in rows[0]] if rows else []
    if "id" not in header:
        raise project.LabError(
            f"{path}: the first line must name the columns, id among them; it is "
            f"'{text.one_line(','.join(rows[0]) if rows else '')}'"
        )
    roster: dict[str, dict[str, str]] = {}
    for line, row in enumerate(rows[1:], start=2):
        cells = map(identity.tidy, row + [""] * (len(header) - len(row)))
        values = dict(zip(header, cells, strict=False))
        if not values["id"]:
            raise project.LabError(f"{path}: row {line} has no id")
        if values["id"] in roster:
            raise project.LabError(
                f"{path}: {text.one_line(values['id'])} is there twice"
            )
        roster[values["id"]] = values
    for column in ("id", "email", "lti_user_id"):
        _refuse_twice(path, column, list(roster.values()))
    return list(roster.values())


def _refuse_twice(path: Path, column: str, roster: Roster) -> None:
    """Refuses a roster in which two students have the same value in a column."""
    owners: dict[str, str] = {}
    for row in roster:
        value = row.get(column, "")
        value = value if column == "lti_user_id" else value.lower()
        first = owners.setdefault(value, row["id"]) if value else row["id"]
        if first != row["id"]:
            raise project.LabError(
                f"{path}: {text.one_line(first)} and {text.one_line(row['id'])} have the "
                f"same {column}, '{text.one_line(row[column])}'"
            )
