"""Marks of a class as CSV: for Canvas, for Moodle, and in the columns of nbgrader.

Every cell is in quotes, none begins like a formula, and no word of a student's program is
in them. Who has no score has no cell, or no line: nowhere does an empty one mean 0.
"""

import re
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import class_records, identity, text, wording
from minitf_lab.course.class_records import ClassRecords, not_scored, student

TEST_STUDENT = "Student, Test"
# Columns by which Canvas finds a student; it needs Student and Section besides.
IDENTITY = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
ASSIGNMENT = re.compile(r"(?P<name>.*) \((?P<id>\d+)\)", re.DOTALL)
Export = tuple[str, list[str]]  # the text of a file, and notes on who is not in it


def _find_assignment(path: Path, header: list[str], wanted: str) -> int:
    """The column called ``wanted``: a name, an id, or both as Canvas writes them."""
    named = {i: found for i, name in enumerate(header) if (found := _assignment(name))}
    fitting = [i for i, found in named.items() if wanted in (*found.groups(), header[i])]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(text.one_line(header[i]) for i in fitting or named)
    said = "several assignments" if fitting else "no assignment"
    raise project.LabError(
        f"{path}: {said} '{text.one_line(wanted)}' with an id from Canvas; there are: "
        f"{known or 'none'}"
    )


def _assignment(name: str) -> re.Match | None:
    return ASSIGNMENT.fullmatch(name.strip())


def _check_points(path: Path, said: str, found: ClassRecords) -> None:
    for record in found.records:
        try:
            same = float(said.replace(",", ".")) == record["max_score"]
        except ValueError:
            same = False
        if not same:
            raise project.LabError(
                f"{path}: Canvas has '{text.one_line(said)}' points possible, the lab "
                f"has {text.number(record['max_score'])}: set it in Canvas, export again"
            )


def canvas(path: Path, wanted: str, match: str, found: ClassRecords) -> Export:
    """The gradebook that the instructor exported, with the scores of one assignment.

    Only what Canvas needs to find students, and this assignment, are in it. ``EX`` stays;
    who has no score keeps an empty cell, which changes nothing.

    Args:
        path: The exported file.
        wanted: The assignment's name or id.
        match: The column that holds the names that hand-ins are called by. If empty,
            the numbers that a download of Canvas has, and SIS Login ID for others.
        found: The records.

    Raises:
        LabError: a column is missing, the points possible are others, or a student's id
            is empty or stands there twice.
    """
    rows, delimiter = class_records.read_table(path)
    header = [name.strip() for name in rows[0]] if rows else []
    finder = _Finder(found, match)
    for name in ("Student", "ID", *finder.columns):
        if name not in header:
            raise project.LabError(
                f"{path} has no column '{name}': export it from Canvas"
            )
    column = _find_assignment(path, header, wanted)
    kept = ["Student", *(name for name in IDENTITY if name in header)]
    kept += ["Section"] if "Section" in header else []
    places = [header.index(name) for name in kept]
    written: list[list[Any]] = [[*kept, header[column]]]
    used: dict[str, str] = {}
    has_points = False
    for row in rows[1:]:
        row = row + [""] * (len(header) - len(row))
        first = row[header.index("Student")]
        value = row[column].strip()
        if first.strip() == "Points Possible":
            _check_points(path, value, found)
            has_points = True
        elif first.strip() == TEST_STUDENT:
            continue
        elif first.strip():
            cells = dict(zip(header, map(str.strip, row), strict=False))
            if not re.fullmatch(r"\d+", cells["ID"]):
                raise project.LabError(
                    f"{path}: {text.one_line(first)} has no ID: it must come from Canvas"
                )
            name = finder.find(cells)
            if name and name in used:
                both = f"{text.one_line(used[name])} and {text.one_line(first)}"
                raise project.LabError(
                    f"{path}: {text.one_line(name)} is there twice: {both}"
                )
            if name:
                used[name] = first
            value = "EX" if value.upper() == "EX" else _score(found, name)
        written.append([*(row[place] for place in places), value])
    if not has_points:
        raise project.LabError(f"{path} has no line 'Points Possible': is it of Canvas?")
    if not used:
        raise project.LabError(
            f"{path}: nobody who has handed in is in the column '{finder.columns[0]}'; "
            "--match names another column"
        )
    return text.csv_text(written, delimiter), _canvas_notes(found, set(used), finder)


class _Finder:
    """Finds the student of a row of Canvas's gradebook."""

    def __init__(self, found: ClassRecords, match: str) -> None:
        self._by_id: dict[str, str] = {}
        if not match:
            for name, record in found.latest.items():
                if number := class_records.known_as(record).get(identity.CANVAS_ID):
                    first = self._by_id.setdefault(number, name)
                    if first != name:
                        both = f"{text.one_line(first)} and {text.one_line(name)}"
                        raise project.LabError(f"{both}: both have Canvas's ID {number}")
        is_all = len(self._by_id) == len(found.latest)
        self.columns = ["ID"] if is_all else [match or "SIS Login ID"]
        self._directory = class_records.directory(found)

    def find(self, row: dict[str, str]) -> str | None:
        """The student; None if nobody fits.

        Raises:
            LabError: several students fit.
        """
        if name := self._by_id.get(row["ID"]):
            return name
        if not (word := row[self.columns[0]]):
            return None
        return self._directory.find(word, by_name=False)


def _score(found: ClassRecords, name: str | None) -> float | str:
    record = found.latest.get(name) if name else None
    if record is None or record["status"] == "grader_error":
        return ""
    return record["score"]


def _canvas_notes(found: ClassRecords, used: set[str], finder: _Finder) -> list[str]:
    notes = [
        f"{text.one_line(name)}: not in the column '{finder.columns[0]}' of the gradebook"
        for name in sorted(set(found.latest) - used)
    ]
    return notes + not_scored(found)


def moodle(found: ClassRecords, by: str) -> Export:
    """A line for each student with a score: identity, grade and feedback, always both.

    ``by`` is ``Email address`` or ``ID number``. The roster has these, else the download.

    Raises:
        LabError: two students would be the same to Moodle.
    """
    rows: list[list[Any]] = []
    notes = not_scored(found)
    title = text.one_line(found.records[0]["lab"]["id"])
    for name, record in found.latest.items():
        if record["status"] == "grader_error":
            continue
        known = _for_moodle(found, record, by)
        what = "email address" if by == "Email address" else "ID number"
        if not known:
            notes.append(f"{text.one_line(name)}: no {what} is known")
        elif _can_hold(known, notes):
            rows.append([known, record["score"], wording.summary(record)])
    _refuse_nobody(found, rows, "--roster names them")
    header = [by, title, f"{title} (feedback)"]
    return text.csv_text([header, *rows]), notes


def _for_moodle(found: ClassRecords, record: class_records.Record, by: str) -> str:
    """The address or number for Moodle; empty if unknown."""
    has_roster = found.roster is not None
    name, said = student(record), class_records.known_as(record)
    person = found.people.get(name, {})
    if by == "Email address":
        known = person.get("email", "") if has_roster else said.get("email", name)
        return known if re.fullmatch(r"[^@\s]+@[^@\s]+", known) else ""
    if has_roster:
        return person.get("id", "")
    # The number in Moodle's own download is another one.
    return said.get("sid", "" if identity.MOODLE_ID in said else name)


def _can_hold(known: str, notes: list[str]) -> bool:
    """Whether a cell holds a student's name letter for letter; else a note says so."""
    if text.cell(known) == known:
        return True
    notes.append(f"{text.one_line(known)}: no cell of a CSV file holds this safely")
    return False


def _refuse_nobody(found: ClassRecords, rows: list[list[Any]], hint: str) -> None:
    """Refuses an export with nobody in it, or with somebody twice.

    Raises:
        LabError: it is such an export.
    """
    has_scores = any(one["status"] != "grader_error" for one in found.records)
    if has_scores and not rows:
        raise project.LabError(
            f"nobody of {len(found.latest)} students can be exported; {hint}"
        )
    names = [str(row[0]).lower() for row in rows]
    if twice := [row[0] for row in rows if names.count(str(row[0]).lower()) > 1]:
        raise project.LabError(f"two students are {text.one_line(twice[0])}")


def nbgrader(found: ClassRecords, due: str) -> Export:
    """The columns of nbgrader's own export; with ``--late`` the penalty stands beside."""
    notes = not_scored(found)
    header = [
        *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name"),
        *("email", "raw_score", "late_submission_penalty", "score", "max_score"),
    ]
    rows: list[list[Any]] = []
    for record in found.records:
        if record["status"] == "grader_error":
            continue
        name = student(record)
        person = found.people.get(name, {})
        if found.roster is not None and not person:
            notes.append(f"{text.one_line(name)}: not in the roster")
            continue
        known = person.get("id", name)
        if not _can_hold(known, notes):
            continue
        sent, penalty = (
            record["submission"].get("submitted_at"),
            record.get("late_penalty", 0),
        )
        row = [record["lab"]["id"], due, sent, known]
        row += [person.get(key) for key in ("last_name", "first_name", "email")]
        row += [record["score"] + penalty, penalty, record["score"], record["max_score"]]
        rows.append(row)
    identities = [[row[header.index("student_id")]] for row in rows]
    _refuse_nobody(found, identities, "--roster must name them")
    return text.csv_text([header, *rows]), notes
