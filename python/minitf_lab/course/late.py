"""Late days: what is left of points, by a rule that an instructor gives.

The judge takes nothing off: records say what an answer is worth and when it came. Here
the days after the due date are counted, and the points that they cost.

    10%/day         each day that has begun costs 10 % of the points reached
    10%/day,max 3   and who is more than 3 days late has none

An extension moves the due date of one student by some days.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minitf_lab.course import class_records, layouts, text
from minitf_lab.course.class_records import ClassRecords, Record, handed_in
from minitf_lab.project import LabError

RULE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*/\s*day\s*(?:,\s*max\s*(\d+)\s*)?")
DAY_S = 86_400
HEADER = ("student", "submitted_at", "extension", "days_late", "score", "penalty")


@dataclass(frozen=True)
class Rule:
    """When a lab was due, and what a day costs.

    Attributes:
        due: In seconds since 1970.
        percent: Of the points reached, for each day.
        most: Who is later has no points; anybody may be if None.
        extensions: Days that students have besides.
    """

    due: float
    percent: float
    most: int | None
    extensions: dict[str, float]

    def days(self, record: Record) -> int:
        """How many days after the due date a hand-in came, begun ones counted."""
        name = class_records.student(record)
        due = self.due + self.extensions.get(name, 0) * DAY_S
        late = handed_in(record).timestamp() - due if _is_known(record) else 0
        return max(0, math.ceil(late / DAY_S))

    def penalty(self, record: Record) -> float:
        """How many points that costs."""
        days = self.days(record)
        if self.most is not None and days > self.most:
            return record["score"]
        return round(record["score"] * min(1, days * self.percent / 100), 2)


def _is_known(record: Record) -> bool:
    return handed_in(record) != class_records.NO_TIME


def make_rule(due: str, said: str, extensions: Path | None) -> Rule:
    """The rule that ``said`` is.

    Raises:
        LabError: it is none, the due date is none, or the extensions cannot be read.
    """
    found = RULE.fullmatch(said)
    if not found or float(found[1]) > 100:
        said = text.one_line(said)
        raise LabError(f'{said}: write it like "10%/day" or "10%/day,max 3"')
    if not due:
        raise LabError("late days are counted from a due date: --due 2026-10-01T23:59")
    most = int(found[2]) if found[2] else None
    given = read_extensions(extensions) if extensions else {}
    return Rule(layouts.seconds_of(due), float(found[1]), most, given)


def read_extensions(path: Path) -> dict[str, float]:
    """Days by student: a CSV file whose first line is ``student,days``.

    Raises:
        LabError: it is another file, or a row of it makes no sense.
    """
    rows, _ = class_records.read_table(path)
    if not rows or [name.strip().lower() for name in rows[0]] != ["student", "days"]:
        raise LabError(f"{path}: its first line must be student,days")
    found: dict[str, float] = {}
    for line, row in enumerate(rows[1:], start=2):
        said = text.one_line(",".join(row))
        if len(row) != 2 or not re.fullmatch(r"\s*\d{1,3}(\.\d+)?\s*", row[1]):
            raise LabError(f"{path}: row {line} is '{said}', expected a name and days")
        name = row[0].strip()
        if name in found:
            raise LabError(f"{path}: {text.one_line(name)} is there twice")
        found[name] = float(row[1])
    return found


def book(found: ClassRecords, rule: Rule) -> tuple[str, list[str]]:
    """A table of all students, as CSV; and notes on those whom it cannot be said of."""
    rows: list[list[Any]] = [[*HEADER, "points", "max_score"]]
    for name, record in found.latest.items():
        if record["status"] == "grader_error":
            continue
        score, penalty = record["score"], rule.penalty(record)
        sent = record["submission"].get("submitted_at", "")
        extension = rule.extensions.get(name, 0)
        row = [name, sent, extension, rule.days(record), score, penalty]
        rows.append([*row, round(score - penalty, 2), record["max_score"]])
    return text.csv_text(rows), notes(found, rule) + class_records.not_scored(found)


def notes(found: ClassRecords, rule: Rule) -> list[str]:
    """Whom a rule does not fit: no time is known, or an extension is of nobody."""
    said = [
        f"{text.one_line(name)}: no time is known, so it counts as in time"
        for name, record in found.latest.items()
        if record["status"] != "grader_error" and not _is_known(record)
    ]
    known = {*found.latest, *found.missing}
    strangers = sorted(set(rule.extensions) - known)
    said += [f"{text.one_line(one)}: an extension, but no hand-in" for one in strangers]
    return said


def apply(found: ClassRecords, rule: Rule) -> None:
    """Takes the penalties off what is exported; the records on the disk stay."""
    for name, record in found.latest.items():
        if record["status"] == "grader_error" or not rule.days(record):
            continue
        penalty = rule.penalty(record)
        left = round(record["score"] - penalty, 2)
        found.latest[name] = {**record, "score": left, "late_penalty": penalty}
