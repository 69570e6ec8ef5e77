"""Late days: what is left of points, by a rule that an instructor gives.

The judge takes nothing off: records say what an answer is worth and when it came. Here
the days after the due date are counted, and the points that they cost.

    10%/day         each day that has begun costs 10 % of the points reached
    10%/day,max 3   and who is more than 3 days late has none

Days are those of the calendar in the course's time zone (``clock.py``). An extension
moves the due date of one student by some days. If a gradebook says that a hand-in is
late, and not when it came, one day counts.
"""

import argparse
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minitf_lab.course import class_records, clock, identity, text
from minitf_lab.course.class_records import ClassRecords, Record, handed_in
from minitf_lab.project import LabError

RULE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*/\s*day\s*(?:,\s*max\s*(\d+)\s*)?")
HEADER = ("student", "submitted_at", "extension", "days_late", "late", "score", "penalty")


@dataclass(frozen=True)
class Rule:
    """When a lab was due, and what a day costs.

    Attributes:
        due: When.
        percent: Of the points reached, for each day.
        most: Who is later has no points; anybody may be if None.
        extensions: Days that students have besides, by what people call them.
    """

    due: clock.Deadline
    percent: float
    most: int | None
    extensions: dict[str, float]

    def extension(self, record: Record) -> float:
        """The days that a student has besides."""
        return self.extensions.get(class_records.student(record), 0)

    def days(self, record: Record) -> int:
        """How many days after the due date a hand-in came, begun ones counted."""
        extension = self.extension(record)
        if _is_known(record):
            return self.due.days_late(handed_in(record).timestamp(), extension)
        return 1 if _is_marked(record) and not extension else 0

    def lateness(self, record: Record) -> str:
        """How late a submission is, in words; empty if it is in time."""
        if not _is_known(record):
            return "marked as late" if _is_marked(record) else ""
        time, extension = handed_in(record).timestamp(), self.extension(record)
        late_s = self.due.late_s(time, extension)
        return f"{clock.in_words(late_s)} late" if late_s else ""

    def penalty(self, record: Record) -> float:
        """How many points that costs."""
        days = self.days(record)
        if self.most is not None and days > self.most:
            return record["score"]
        return round(record["score"] * min(1, days * self.percent / 100), 2)


def _is_known(record: Record) -> bool:
    return handed_in(record) != class_records.NO_TIME


def _is_marked(record: Record) -> bool:
    return bool(record["submission"].get("marked_late"))


def make_rule(due: clock.Deadline | None, said: str, extensions: Path | None) -> Rule:
    """The rule that a text such as ``10%/day,max 3`` names; maybe a file of extensions.

    Raises:
        LabError: the text is no rule, there is no due date, or the file of extensions
            cannot be read.
    """
    found = RULE.fullmatch(said)
    if not found or float(found[1]) > 100:
        said = text.one_line(said)
        raise LabError(f'{said}: write it like "10%/day" or "10%/day,max 3"')
    if not due:
        raise LabError("late days are counted from a due date: --due 2026-10-01T23:59")
    most = int(found[2]) if found[2] else None
    given = read_extensions(extensions) if extensions else {}
    return Rule(due, float(found[1]), most, given)


def rule_for(found: ClassRecords, args: argparse.Namespace) -> tuple[Rule, list[str]]:
    """The rule that the options of a command name, for the students of a class.

    Returns:
        The rule, with extensions by identity; and the students with an extension who
        have handed in nothing.

    Raises:
        LabError: an option makes no sense, or an extension may be of several students.
    """
    rule = make_rule(clock.deadline_of(args), args.late, args.extensions)
    rows = {row["id"]: name for name, row in found.people.items()}
    words = {
        rows.get(identity.tidy(word), word): days
        for word, days in rule.extensions.items()
    }
    if len(words) < len(rule.extensions):
        raise LabError(f"{args.extensions}: two rows are of the same student")
    extensions, strangers = identity.by_student(words, class_records.directory(found))
    return replace(rule, extensions=extensions), strangers


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
        name = identity.tidy(row[0])
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
        row = [name, sent, rule.extension(record), rule.days(record)]
        row += [rule.lateness(record), score, penalty]
        rows.append([*row, round(score - penalty, 2), record["max_score"]])
    return text.csv_text(rows), notes(found, rule) + class_records.not_scored(found)


def notes(found: ClassRecords, rule: Rule) -> list[str]:
    """The students whom a rule does not fit, since no time is known.

    A rejected submission has 0 points at any time.
    """
    said = []
    for name, record in found.latest.items():
        if record["status"] in {"grader_error", "rejected"} or _is_known(record):
            continue
        shown = text.one_line(name)
        if rule.days(record):
            said.append(f"{shown}: the gradebook says late and not when: one day counts")
        elif _is_marked(record):
            said.append(f"{shown}: marked as late, but has an extension: no day counts")
        else:
            said.append(f"{shown}: no time is known, so it counts as in time")
    return said


def strangers_said(found: ClassRecords, strangers: list[str]) -> list[str]:
    """A sentence for each extension of somebody who has handed in nothing."""
    known = set(found.missing)
    return [
        f"{text.one_line(one)}: an extension, but no hand-in"
        + ("" if one in known or not found.people else ", and not in the roster")
        for one in sorted(strangers)
    ]


def apply(found: ClassRecords, rule: Rule) -> None:
    """Takes the penalties off what is exported; the records on the disk stay."""
    for name, record in found.latest.items():
        if record["status"] == "grader_error" or not rule.days(record):
            continue
        penalty = rule.penalty(record)
        left = round(record["score"] - penalty, 2)
        found.latest[name] = {**record, "score": left, "late_penalty": penalty}
