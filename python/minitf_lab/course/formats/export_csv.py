"""Marks of a class as CSV: for Canvas, for Moodle, and in the columns of nbgrader.

Every cell is in quotes, none begins like a formula, and no word of a student's program is
in them. Who has no score has no cell, or no line: nowhere does an empty one mean 0.
"""

import re
from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import class_records, text, wording
from minitf_lab.course.class_records import ClassRecords, not_scored, student

TEST_STUDENT = "Student, Test"
# Columns by which Canvas finds a student; it needs Student and Section besides.
IDENTITY = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
ASSIGNMENT = re.compile(r"(?P<name>.*) \((?P<id>\d+)\)", re.DOTALL)
Roster = list[dict[str, str]] | None
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
        match: The column that holds the names that hand-ins are called by.
        found: The records.

    Raises:
        LabError: a column is missing, the points possible are others, or a student's id
            is empty or stands there twice.
    """
    rows, delimiter = class_records.read_table(path)
    header = [name.strip() for name in rows[0]] if rows else []
    for name in ("Student", "ID", match):
        if name not in header:
            raise project.LabError(
                f"{path} has no column '{name}': export it from Canvas"
            )
    column, by = _find_assignment(path, header, wanted), header.index(match)
    kept = ["Student", *(name for name in IDENTITY if name in header)]
    kept += ["Section"] if "Section" in header else []
    places = [header.index(name) for name in kept]
    written: list[list[Any]] = [[*kept, header[column]]]
    used: set[str] = set()
    has_points = False
    for row in rows[1:]:
        row = row + [""] * (len(header) - len(row))
        first = row[header.index("Student")]
        known, value = row[by].strip(), row[column].strip()
        if first.strip() == "Points Possible":
            _check_points(path, value, found)
            has_points = True
        elif first.strip() == TEST_STUDENT:
            continue
        elif first.strip():
            if not re.fullmatch(r"\d+", row[header.index("ID")].strip()):
                raise project.LabError(
                    f"{path}: {text.one_line(first)} has no ID: it must come from Canvas"
                )
            if known and known in used:
                raise project.LabError(
                    f"{path}: {text.one_line(known)} is there twice in '{match}'"
                )
            used.add(known)
            value = "EX" if value.upper() == "EX" else _score(found, known)
        written.append([*(row[place] for place in places), value])
    if not has_points:
        raise project.LabError(f"{path} has no line 'Points Possible': is it of Canvas?")
    return text.csv_text(written, delimiter), _canvas_notes(found, used, match)


def _score(found: ClassRecords, name: str) -> float | str:
    record = found.latest.get(name)
    if record is None or record["status"] == "grader_error":
        return ""
    return record["score"]


def _canvas_notes(found: ClassRecords, used: set[str], match: str) -> list[str]:
    notes = [
        f"{text.one_line(name)}: not in the column '{match}' of the gradebook"
        for name in sorted(set(found.latest) - used)
    ]
    return notes + not_scored(found)


def moodle(found: ClassRecords, roster: Roster, identity: str) -> Export:
    """A line for each student with a score: identity, grade and feedback, always both.

    Args:
        found: The records.
        roster: Its column ``email`` is the identity, if that is an address.
        identity: ``Email address`` or ``ID number``.
    """
    emails = {row["id"]: row.get("email", "") for row in roster or []}
    rows: list[list[Any]] = []
    notes = not_scored(found)
    title = text.one_line(found.records[0]["lab"]["id"])
    for name, record in found.latest.items():
        if record["status"] == "grader_error":
            continue
        known = name
        if identity == "Email address" and roster is not None:
            known = emails.get(name, "")
        if identity == "Email address" and not re.fullmatch(r"[^@\s]+@[^@\s]+", known):
            notes.append(f"{text.one_line(name)}: no email address is known")
            continue
        rows.append([known, record["score"], wording.summary(record)])
    header = [identity, title, f"{title} (feedback)"]
    return text.csv_text([header, *rows]), notes


def nbgrader(found: ClassRecords, roster: Roster, due: str) -> Export:
    """The columns of nbgrader's own export; with ``--late`` the penalty stands beside."""
    known = {row["id"]: row for row in roster or []}
    header = [
        *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name"),
        *("email", "raw_score", "late_submission_penalty", "score", "max_score"),
    ]
    rows: list[list[Any]] = []
    for record in found.records:
        if record["status"] == "grader_error":
            continue
        name = student(record)
        person = known.get(name, {})
        rows.append(
            [
                *(
                    record["lab"]["id"],
                    due,
                    record["submission"].get("submitted_at"),
                    name,
                ),
                *(person.get(key) for key in ("last_name", "first_name", "email")),
                record["score"] + record.get("late_penalty", 0),
                *(record.get("late_penalty", 0), record["score"], record["max_score"]),
            ]
        )
    return text.csv_text([header, *rows]), not_scored(found)
